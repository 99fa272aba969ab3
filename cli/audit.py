"""`parlay audit`: every exploit played on held-out seeds, here and over a live socket, and judged by one rule."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from agent.baselines import UnknownPolicy
from cli.bench.servers import parlay
from cli.console import BAD_INPUT, FAILED, STDOUT, check_folder, console, fail, heading, messages, put_into, write_file
from cli.plans import progress, usual_workers
from game.events import SPLITS
from parlay_env.client.wire import ParlayClientError
from parlay_env.tasks import Task, UnknownTask, tasks
from training.audit import Audit, Exploit, Means, Words, audit, audit_plan, audited, by_construction, quick_cells
from training.audit_players import AuditPlan
from training.audit_report import (
    MARKS,
    Findings,
    live_in_words,
    markdown,
    played_in,
    points,
    probability,
    share,
    to_json,
    told,
)
from training.audit_tests import NoTests, TestRun, run_tests
from training.live import SESSIONS, SOCKETS, Compared, compare
from training.record import EvaluationError, RunMismatch

EPISODES, QUICK_EPISODES = 100, 3
"""Of each player in each cell, unless it is said otherwise."""
SOCKET, QUICK_SOCKET = 200, 4
"""Episodes of each player over the live socket."""
SERVER = {
    "PARLAY_HOST": "127.0.0.1",
    "PARLAY_API_KEY": "",
    "PARLAY_TEST_SECRET": "",
    "PARLAY_RATE": "0",
    "PARLAY_MAX_SESSIONS": str(2 * SOCKETS * SESSIONS),
    "PARLAY_SESSIONS_PER_SOCKET": str(2 * SESSIONS),
}
"""The settings of the audited server, whatever the environment says."""
BELOW = "{}\n{}…{}"
"""A mean with its interval in a line of its own."""
COLOURS = {"holds": "green", "fails": "red", "unproven": "yellow", "reported": "dim"}


def run_audit(
    only: str,
    episodes: int | None,
    split: str,
    seed_start: int,
    socket: int | None,
    workers: int,
    folder: Path | None,
    quick: bool,
    with_tests: bool,
    strict: bool,
    json_path: Path | None,
    document: Path | None,
) -> None:
    """Play, judge, print, write; `None`: the usual number, or the one of a quick audit."""
    plan = _plan(only, episodes or (QUICK_EPISODES if quick else EPISODES), split, seed_start, quick)
    over = _tasks(plan, (QUICK_SOCKET if quick else SOCKET) if socket is None else socket)
    check_folder(json_path)
    if document is not None:
        put_into(document, MARKS)
    found = Findings(
        _played(plan, workers or usual_workers(plan.total), folder),
        shlex.join(["parlay", *sys.argv[1:]]),
        _live(plan, over) if over else (),
        _tested() if with_tests else None,
    )
    if json_path != STDOUT:
        _print(found, quick)
    _write(found, json_path, document)
    if failures := found.failures():
        fail("; ".join(failures))
    if strict and (unproven := found.audit.unproven):
        fail(f"not proven: {', '.join(unproven)}; more --episodes would decide it")


# What is asked --------------------------------------------------------------------------------------------------------


def _plan(only: str, episodes: int, split: str, seed_start: int, quick: bool) -> AuditPlan:
    names = [name.strip() for name in only.split(",") if name.strip()] if only != "all" else []
    if split not in SPLITS:
        fail(f"there is no split {split!r}; use {', '.join(SPLITS)}", BAD_INPUT)
    if only != "all" and not names:
        fail(f"--only names exploits, comma-separated: {', '.join(audited())}", BAD_INPUT)
    try:
        return audit_plan(
            names, episodes=episodes, split=split, seed_start=seed_start, where=quick_cells() if quick else None
        )
    except (UnknownPolicy, EvaluationError) as error:
        fail(str(error).replace("seed_start", "--seed-start"), BAD_INPUT)


def _tasks(plan: AuditPlan, episodes: int) -> Sequence[Task]:
    """The instances that are played over the socket, cell by cell in turn."""
    try:
        there = tasks(plan.split)
    except UnknownTask as error:
        fail(str(error), BAD_INPUT)
    if episodes > len(there):
        fail(f"--socket: the split {plan.split} has {len(there)} tasks to play over the socket", BAD_INPUT)
    return there[:episodes]


# What is done ---------------------------------------------------------------------------------------------------------


def _played(plan: AuditPlan, workers: int, folder: Path | None) -> Audit:
    try:
        with progress(plan.total) as done:
            return audit(plan, folder, workers, done)
    except KeyboardInterrupt:
        if folder is not None:
            messages().print("what was played is kept; the same command goes on with it", soft_wrap=True)
        raise
    except EvaluationError as error:
        fail(str(error), BAD_INPUT if isinstance(error, RunMismatch) else FAILED)
    except OSError as error:
        fail(f"can't write to {folder}: {error.strerror}; name another folder (--out)", BAD_INPUT)


def _live(plan: AuditPlan, over: Sequence[Task]) -> tuple[Compared, ...]:
    """The same players over the socket of a server of its own, on a free port."""
    # Ended from outside, it must not leave a server behind: an exception unwinds what started it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    players = [name for name in plan.policies if name in audited()]
    try:
        with parlay(SERVER) as server, progress(len(players) * len(over)) as done:
            return compare(f"http://127.0.0.1:{server.port}", players, over, done)
    except ParlayClientError as error:
        fail(f"the live socket: {error}")


def _tested() -> TestRun:
    try:
        with messages().status("running the tests of what can't be played"):
            return run_tests()
    except NoTests as error:
        fail(str(error), BAD_INPUT)


# What is told ---------------------------------------------------------------------------------------------------------


def _print(found: Findings, quick: bool) -> None:
    out = console()
    out.print(played_in(found.audit), soft_wrap=True)
    if quick:
        out.print("--quick: few episodes in few cells; what is unproven here says nothing.", style="yellow")
    out.print()
    out.print(_exploits(found.audit))
    if found.audit.words:
        out.print()
        out.print(_words(found.audit))
        for one in found.audit.words:
            if one.first:
                out.print(f"{one.means.policy}: {one.first}", style="red", soft_wrap=True)
    if found.live:
        out.print()
        out.print(heading("Over the live socket", live_in_words(found.live)), soft_wrap=True)
        for one in found.live:
            if one.differing:
                out.print(f"{one.policy}: {one.differing} of {one.episodes}; {one.first}", style="red", soft_wrap=True)
    _print_constructed(found.tests)


def _print_constructed(run: TestRun | None) -> None:
    out = console()
    out.print()
    out.print(heading("What no player can express", "shown by these tests (--tests runs them)"))
    for one in by_construction():
        out.print(one.exploit, soft_wrap=True)
        for test in one.tests:
            out.print(f"  {test}", style="dim", soft_wrap=True)
    if run is not None:
        out.print(run.told, style="green" if run.passed else "red", soft_wrap=True)


def _table(title: str, *columns: str) -> Table:
    table = Table(
        title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, show_edge=False, pad_edge=False
    )
    table.padding = (0, 1, 0, 0)
    for k, column in enumerate(columns):
        table.add_column(column, justify="right" if 0 < k < len(columns) - 1 else "left", no_wrap=True)
    return table


def _exploits(found: Audit) -> Table:
    yardstick = found.plan.policies[0]
    head = ("", "reward", "E", "deals", f"to {yardstick}", "beyond\nchassis", "p", "cells\nabove", "")
    table = _table("Exploits", *head)
    for one in found.honest:
        table.add_row(*_means(one), "–", "–", Text("honest", "dim"))
    for one in found.exploits:
        table.add_row(*_means(one.means), probability(one), f"{one.cells_above}/{len(one.cells)}", _verdict(one))
    return table


def _means(one: Means) -> list[str]:
    means = [one.policy, points(one.reward, sign=False, form=BELOW), share(one.efficiency)]
    return [*means, share(one.deals, "{:.0%}"), points(one.difference, form=BELOW), points(one.gain, form=BELOW)]


def _words(found: Audit) -> Table:
    table = _table("Words alone", "", "reward", "beyond\nchassis", "")
    for one in found.words:
        table.add_row(one.means.policy, points(one.means.reward, sign=False), points(one.means.gain), _verdict(one))
    return table


def _verdict(one: Exploit | Words) -> Text:
    return Text(told(one).replace(" (", "\n(", 1), COLOURS[one.verdict])


# What is written ------------------------------------------------------------------------------------------------------


def _write(found: Findings, json_path: Path | None, document: Path | None) -> None:
    if json_path is not None:
        write_file(json_path, to_json(found))
    if document is not None:
        put_into(document, MARKS, markdown(found))
        messages().print(f"written: {document}", soft_wrap=True)

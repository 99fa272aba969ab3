"""`parlay belief-study`: how good the belief tracker is, on held-out seeds."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.table import Table

from agent.baselines import UnknownPolicy
from agent.beliefs import LEVEL as HELD
from cli.console import BAD_INPUT, STDOUT, check_folder, console, fail, heading, messages, put_into, write_file
from cli.plans import progress, usual_workers
from game.events import SPLITS
from training.belief_report import (
    MARKDOWN,
    MARKS,
    PLOTS,
    markdown,
    percent,
    played_in,
    since,
    speed_in_words,
    to_json,
    turn_cells,
    value_of,
    write,
)
from training.belief_study import ALL, LATER, POOLED, BeliefPlan, Group, Study, belief_plan, study
from training.record import EvaluationError

LINES = "{}\n{}…{}"
"""A figure with its interval in a line of its own."""


def belief_study(
    episodes: int,
    split: str,
    seed_start: int,
    learner: str,
    asks: bool,
    workers: int,
    folder: Path,
    json_path: Path | None,
    document: Path | None,
) -> None:
    """Watch, sum up, print, write; `workers` 0: as many processes as help."""
    chosen = _plan(episodes, split, seed_start, learner, asks)
    check_folder(json_path)
    if document is not None:
        put_into(document, MARKS)
    command = shlex.join(["parlay", *sys.argv[1:]])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with progress(chosen.episodes) as done:
            found = study(chosen, workers or usual_workers(chosen.episodes), done)
        missing = write(found, command, folder)
    except OSError as error:
        fail(f"can't write to {folder}: {error.strerror}; name another folder (--out)", BAD_INPUT)
    if json_path != STDOUT:
        _print(found)
    if json_path is not None:
        write_file(json_path, to_json(found, command))
    if missing:
        messages().print(f"without plots: {missing}", soft_wrap=True)
    messages().print(f"written: {folder / MARKDOWN}", soft_wrap=True)
    if document is not None:
        _write(found, command, folder, document, plots=not missing)


def _plan(episodes: int, split: str, seed_start: int, learner: str, asks: bool) -> BeliefPlan:
    if split not in SPLITS:
        fail(f"there is no split {split!r}; use {', '.join(SPLITS)}", BAD_INPUT)
    try:
        return belief_plan(episodes, split=split, seed_start=seed_start, learner=learner, asks=asks)
    except UnknownPolicy as error:
        fail(f"--learner: {error}", BAD_INPUT)
    except EvaluationError as error:
        fail(str(error).replace("seed_start", "--seed-start"), BAD_INPUT)


def _write(found: Study, command: str, folder: Path, document: Path, plots: bool) -> None:
    """The findings into the page, and the plots into the folder of its name beside it: docs/trust for docs/trust.md."""
    beside = document.parent / document.stem
    names = [f"{name}.svg" for name in PLOTS] if plots else []
    try:
        for name in names:
            beside.mkdir(exist_ok=True)
            shutil.copyfile(folder / name, beside / name)
    except OSError as error:
        fail(f"can't write to {beside}: {error.strerror}; name another page (--write)", BAD_INPUT)
    put_into(document, MARKS, markdown(found, command, [f"{document.stem}/{name}" for name in names]))
    messages().print(f"written: {document}", soft_wrap=True)


# What is told ---------------------------------------------------------------------------------------------------------


def _print(found: Study) -> None:
    out = console()
    out.print(played_in(found), soft_wrap=True)
    out.print()
    out.print(_groups(found))
    out.print()
    out.print(_turns(next(group for group in found.groups if group.name == ALL)))
    out.print()
    out.print(heading("Speed", speed_in_words(found)), soft_wrap=True)


def _table(title: str, *columns: str) -> Table:
    table = Table(
        title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, show_edge=False, pad_edge=False
    )
    table.padding = (0, 1, 0, 0)
    for k, column in enumerate(columns):
        table.add_column(column, justify="right" if k else "left", no_wrap=True)
    return table


def _groups(found: Study) -> Table:
    title = f"{100 * HELD:.0f} % intervals that hold, turns 1 to {POOLED}; width of the limit's (Δ0)"
    since_turn = ("CRPS better\nfrom turn", "Brier better\nfrom turn")
    table = _table(title, "", "episodes", "limit", "walk-away", "opened", f"turn {LATER}", *since_turn)
    for group in found.groups:
        table.add_row(
            group.name,
            f"{group.episodes:,}",
            percent(group.coverage, LINES),
            percent(group.walk_coverage, LINES),
            value_of(group.opened),
            value_of(group.later),
            since(group, "crps_difference"),
            since(group, "brier_difference"),
        )
    return table


def _turns(group: Group) -> Table:
    head = ("turn", "n", "limit", "width", "CRPS", "prior", "difference", "Brier", "prior", "difference")
    table = _table("By turn, all opponents; differences: the tracker less the prior", *head)
    for one in group.turns:
        table.add_row(*turn_cells(one, "{}"))
    return table

"""What the options of `parlay run` and `parlay eval` ask to be played; and playing it, with a bar."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import get_args

from agent.baselines import UnknownPolicy
from agent.llm.base import ProviderError
from agent.llm.names import is_language
from agent.registry import OPPONENTS
from cli.console import BAD_INPUT, FAILED, fail, messages
from cli.scenario_files import scenario_named
from game.events import SPLITS
from game.scenarios import SeatName, scenarios
from parlay_env.tasks import seed_range
from training.cluster import ENGINES, Cluster, ClusterError
from training.episodes import REWARDS, Plan, RewardName, cells
from training.evaluate import Progress, Unfinished
from training.policies import check, names
from training.record import EvaluationError, RunMismatch

EPISODES_A_PROCESS = 200
"""With fewer episodes for each, another process takes longer to start than it saves."""


def plan(
    policies: str,
    episodes: int,
    scenario: str,
    persona: str,
    seat: str,
    split: str,
    seed_start: int,
    words: bool = True,
    reward: str = "default",
) -> Plan:
    """The plan that these options make; fails with what would be right."""
    chosen = _policies(policies)
    where = cells(
        _scenarios(scenario),
        named(persona, OPPONENTS, "persona"),
        [one for one in get_args(SeatName) if one in named(seat, get_args(SeatName), "seat", every="both")],
    )
    if split not in SPLITS:
        fail(f"there is no split {split!r}; use {', '.join(SPLITS)}", BAD_INPUT)
    paid = next((name for name in get_args(RewardName) if name == reward), None)
    if paid is None:
        fail(f"there is no reward {reward!r}; use {', '.join(REWARDS)}", BAD_INPUT)
    first, last = seed_range(split)
    if not 0 <= seed_start <= last - first - episodes + 1:
        fail(f"--seed-start counts from the split's first seed: 0 to {last - first - episodes + 1}", BAD_INPUT)
    return Plan(chosen, tuple(where), split, first + seed_start, episodes, words, paid)


def _policies(given: str) -> tuple[str, ...]:
    """The policies in a comma-separated list: built-in ones, and language models."""
    found = tuple(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))
    built_in = [name for name in found if not is_language(name)]
    if built_in or not found:
        named(",".join(built_in), names(), "policy")
    for name in found:
        try:
            if is_language(name):
                check(name)
        except UnknownPolicy as error:
            fail(str(error), BAD_INPUT)
    return names() if given == "all" else found


def _scenarios(given: str) -> tuple[str, ...]:
    """The ids or files in a comma-separated list; each can be played."""
    found = tuple(scenarios()) if given == "all" else tuple(dict.fromkeys(n.strip() for n in given.split(",") if n))
    for name in found or (given,):
        scenario_named(name)
    return found


def named(given: str, known: tuple[str, ...], what: str, every: str = "all") -> tuple[str, ...]:
    """The names in a comma-separated list, each once, in the order given."""
    if given == every and every not in known:
        return known
    found = tuple(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))
    for name in found or (given,):
        if name not in known:
            rest = "" if what == "policy" else f", or {every}"
            if what == "policy" and name.partition("/")[0] in ("openai", "gemini", "local"):
                fail(f"a language model is a policy by the name of llm:{name}", BAD_INPUT)
            fail(f"there is no {what} {name!r}; choose from {', '.join(known)}{rest}", BAD_INPUT)
    return found


def usual_workers(episodes: int) -> int:
    """As many processes as help."""
    return max(1, min(os.cpu_count() or 1, episodes // EPISODES_A_PROCESS))


@contextmanager
def engine(name: str, workers: int, usual: int) -> Iterator[int | Cluster]:
    """What shares the work out: so many processes here, or a cluster; `workers` 0: as many as help."""
    if name not in ENGINES:
        fail(f"there is no engine {name!r}; use {' or '.join(ENGINES)}", BAD_INPUT)
    if name == "local":
        yield workers or usual
        return
    try:
        with Cluster(workers) as cluster:
            messages().print(f"on a Ray cluster of {cluster.processors} processors", soft_wrap=True)
            yield cluster
    except ClusterError as error:
        fail(str(error))


@contextmanager
def bar() -> Iterator[Callable[..., None]]:
    """A bar on the error stream, where that is a terminal; what is given takes `description`, `total`, `completed`, and
    `more`, a text at its end. A worker that was killed ends the command in a line."""
    from concurrent.futures.process import BrokenProcessPool

    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    what, more = TextColumn("{task.description}"), TextColumn("{task.fields[more]}")
    columns = (what, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), more)
    with Progress(*columns, console=messages(), transient=True, disable=not messages().is_terminal) as shown:
        task = shown.add_task("", total=None, more="")
        try:
            yield partial(shown.update, task)
        except BrokenProcessPool:
            fail("a worker process was killed, perhaps for lack of memory; try fewer --workers")


@contextmanager
def progress(total: int) -> Iterator[Progress]:
    """A bar of episodes."""
    with bar() as update:
        update(description="episodes", total=total)
        yield lambda done: update(completed=done)


@contextmanager
def stages() -> Iterator[Callable[[str, int, int], None]]:
    """A bar of work in stages: told what is done, how much of it, and of how much."""
    with bar() as update:
        yield lambda what, done, total: update(description=what, completed=done, total=total)


def going_on(total: int, told: Progress) -> Progress:
    """Progress that says, once, how much was there already."""
    first = True

    def note(done: int) -> None:
        nonlocal first
        if first and 0 < done < total:
            messages().print(f"going on: {done:,} of {total:,} episodes are there", soft_wrap=True)
        first = False
        told(done)

    return note


@contextmanager
def kept_in(folder: Path) -> Iterator[None]:
    """Playing that keeps every episode in this folder, where the same command goes on with it; what ends it early is
    said in a line."""
    try:
        yield
    except KeyboardInterrupt:
        messages().print("what was played is kept; the same command goes on with it", soft_wrap=True)
        raise
    except ProviderError as error:
        fail(f"{error}. What was played is kept; the same command goes on with it")
    except Unfinished as error:
        fail(f"{error}; the same command goes on with them")
    except EvaluationError as error:
        fail(str(error), BAD_INPUT if isinstance(error, RunMismatch) else FAILED)
    except OSError as error:
        fail(f"can't write to {folder}: {error.strerror}; name another folder (--out)", BAD_INPUT)

"""What the options of `parlay run` and `parlay eval` ask to be played; and playing it, with a bar."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, get_args

from agent.registry import OPPONENTS
from cli.console import BAD_INPUT, fail, messages
from cli.scenario_files import scenario_named
from game.events import SPLITS
from game.scenarios import SeatName, scenarios
from parlay_env.tasks import seed_range
from training.episodes import REWARDS, Plan, RewardName, cells
from training.policies import names

if TYPE_CHECKING:
    from training.evaluate import Progress

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
    chosen = named(policies, names(), "policy")
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
            fail(f"there is no {what} {name!r}; choose from {', '.join(known)}{rest}", BAD_INPUT)
    return found


def usual_workers(episodes: int) -> int:
    """As many processes as help."""
    return max(1, min(os.cpu_count() or 1, episodes // EPISODES_A_PROCESS))


@contextmanager
def progress(total: int) -> Iterator[Progress]:
    """A bar on the error stream, where that is a terminal. A worker that was killed ends the command in a line."""
    from concurrent.futures.process import BrokenProcessPool

    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("episodes"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=messages(), transient=True, disable=not messages().is_terminal) as bar:
        task = bar.add_task("", total=total)
        try:
            yield lambda done: bar.update(task, completed=done)
        except BrokenProcessPool:
            fail("a worker process was killed, perhaps for lack of memory; try fewer --workers")

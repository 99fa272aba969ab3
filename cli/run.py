"""`parlay run`: policies against the personas, on paired seeds, as a table with intervals."""

from __future__ import annotations

import os
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import get_args

import msgspec

from agent.baselines import BASELINES
from agent.registry import OPPONENTS
from cli.console import BAD_INPUT, check_folder, console, fail, messages, write_file
from cli.episodes import Cell, Result, cells, jobs, play_all
from cli.results import NOTE, By, compared, summary_tables, to_json
from cli.scenario_files import scenario_named
from game.events import SPLITS, Split
from game.scenarios import SeatName, scenarios
from parlay_env.tasks import seed_range

EPISODES_A_PROCESS = 200
"""With fewer episodes for each, another process takes longer to start than it saves."""


class Plan(msgspec.Struct, frozen=True):
    """What is to be played."""

    policies: tuple[str, ...]
    cells: tuple[Cell, ...]
    split: Split
    seeds: tuple[int, ...]

    @property
    def episodes(self) -> int:
        return len(self.policies) * len(self.cells) * len(self.seeds)


def plan(policy: str, episodes: int, scenario: str, persona: str, seat: str, split: str, seed_start: int) -> Plan:
    """The plan that these options make; fails with what would be right."""
    policies = _named(policy, tuple(BASELINES), "policy")
    where = cells(
        _scenarios(scenario),
        _named(persona, OPPONENTS, "persona"),
        [one for one in get_args(SeatName) if one in _named(seat, get_args(SeatName), "seat", every="both")],
    )
    if split not in SPLITS:
        fail(f"there is no split {split!r}; use {', '.join(SPLITS)}", BAD_INPUT)
    first, last = seed_range(split)
    if not 0 <= seed_start <= last - first - episodes + 1:
        fail(f"--seed-start counts from the split's first seed: 0 to {last - first - episodes + 1}", BAD_INPUT)
    begin = first + seed_start
    return Plan(policies, tuple(where), split, tuple(range(begin, begin + episodes)))


def _scenarios(given: str) -> tuple[str, ...]:
    """The ids or files in a comma-separated list; each can be played."""
    names = tuple(scenarios()) if given == "all" else tuple(dict.fromkeys(n.strip() for n in given.split(",") if n))
    for name in names or (given,):
        scenario_named(name)
    return names


def _named(given: str, known: tuple[str, ...], what: str, every: str = "all") -> tuple[str, ...]:
    """The names in a comma-separated list, each once, in the order given."""
    if given == every and every not in known:
        return known
    names = tuple(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))
    for name in names or (given,):
        if name not in known:
            rest = "" if what == "policy" else f", or {every}"
            fail(f"there is no {what} {name!r}; choose from {', '.join(known)}{rest}", BAD_INPUT)
    return names


def run(chosen: Plan, by: str, workers: int, json_path: Path | None) -> None:
    """Play the plan and print what came of it; `workers` 0: as many processes as help."""
    rows = next((one for one in get_args(By) if one == by), None)
    if rows is None:
        fail(f"there are no rows by {by!r}; choose from {', '.join(get_args(By))}", BAD_INPUT)
    check_folder(json_path)
    found = _played(chosen, workers or _usual_workers(chosen.episodes))
    out = console()
    first, last = chosen.seeds[0], chosen.seeds[-1]
    out.print(
        f"{len(chosen.seeds)} episodes in each of {len(chosen.cells)} cells "
        f"(scenario × persona × seat), split {chosen.split}, seeds {first}–{last}, the same for every policy"
    )
    for table in summary_tables(found, chosen.policies, rows):
        out.print()
        out.print(table)
    out.print(NOTE, style="dim")
    if len(chosen.policies) > 1:
        out.print()
        out.print(compared(found, chosen.policies))
    if json_path is not None:
        write_file(json_path, to_json(chosen, found, rows))


def _usual_workers(episodes: int) -> int:
    return max(1, min(os.cpu_count() or 1, episodes // EPISODES_A_PROCESS))


def _played(chosen: Plan, workers: int) -> list[Result]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    work = jobs(chosen.policies, chosen.cells, chosen.split, chosen.seeds)
    found: list[Result] = []
    columns = (TextColumn("episodes"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=messages(), transient=True, disable=not messages().is_terminal) as bar:
        task = bar.add_task("", total=chosen.episodes)
        try:
            for results in play_all(work, workers):
                found += results
                bar.advance(task, len(results))
        except BrokenProcessPool:
            fail("a worker process was killed, perhaps for lack of memory; try fewer --workers")
    return found

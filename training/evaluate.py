"""The evaluation: every policy in every cell on the same seeds, kept on disk as it goes, summed up when it is whole.

    from training.evaluate import evaluate, plan
    grid = evaluate(plan(("tit_for_tat", "boulware"), episodes=50, split="test"), Path("outputs/first"), workers=2)

A run that was stopped, however it was stopped, goes on where it was: the same plan in the same folder plays what is
missing. A finished one plays nothing. The results are the same either way, and for any number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import get_args

from msgspec.structs import replace

from agent.registry import OPPONENTS, profile
from game.events import SPLITS, Split
from game.scenarios import SeatName, scenarios
from parlay_env.tasks import seed_range
from training.episodes import REWARDS, Cell, Job, Plan, Result, RewardName, cells, play_all, scenario_of
from training.grid import Grid
from training.policies import UnknownPolicy, names
from training.record import EvaluationError, Header, Key, open_record, read_record

Progress = Callable[[int], None]
"""Told how many episodes are there, at the start and whenever some more are."""


def plan(
    policies: Sequence[str],
    *,
    episodes: int,
    split: Split = "test",
    where: Sequence[Cell] | None = None,
    seed_start: int = 0,
    words: bool = False,
    reward: RewardName = "default",
) -> Plan:
    """A plan that can be played; `where` left out: every scenario that ships, every persona, both seats.

    `seed_start` counts from the split's first seed. Raises UnknownPolicy, UnknownPersona, ScenarioError and
    EvaluationError.
    """
    found = tuple(where) if where is not None else tuple(cells(tuple(scenarios()), OPPONENTS, get_args(SeatName)))
    if not policies or not found or episodes < 1:
        raise EvaluationError("an evaluation has at least one policy, one cell and one episode")
    for policy in policies:
        if policy not in names():
            raise UnknownPolicy(f"policy must be one of {', '.join(names())}")
    if len(set(policies)) < len(policies) or len(set(found)) < len(found):
        raise EvaluationError("each policy and each cell once: a pair of episodes must differ in its policy alone")
    if split not in SPLITS or reward not in REWARDS:
        raise EvaluationError(f"split must be one of {', '.join(SPLITS)}, reward one of {', '.join(REWARDS)}")
    for cell in found:
        profile(cell.persona)
        scenario_of(cell.scenario)
    first, last = seed_range(split)
    if not 0 <= seed_start <= last - first - episodes + 1:
        raise EvaluationError(f"seed_start counts from the split's first seed: 0 to {last - first - episodes + 1}")
    return Plan(tuple(policies), found, split, first + seed_start, episodes, words, reward)


def evaluate(chosen: Plan, folder: Path | None = None, workers: int = 1, progress: Progress | None = None) -> Grid:
    """Play what is missing of the plan, and give all of it.

    With a folder every result is kept there as it comes, in `episodes.jsonl`. Raises the errors of `open_record`, and
    BrokenProcessPool when a worker process is killed.
    """
    told = progress or (lambda _: None)
    if folder is None:
        found: list[Result] = []
        told(0)
        for results in play_all(chosen.jobs(), workers):
            found += results
            told(len(found))
        return Grid(chosen, found)
    with open_record(folder, chosen) as record:
        told(len(record.found))
        for results in play_all(missing(chosen, record.found), workers):
            record.append(results)
            told(len(record.found))
        return Grid(chosen, record.found.values())


def missing(chosen: Plan, found: dict[Key, Result]) -> list[Job]:
    """The jobs that are left when these episodes are there."""
    left = []
    for job in chosen.jobs():
        seeds = tuple(seed for seed in job.seeds if (job.policy, job.cell, seed) not in found)
        if seeds:
            left.append(job if len(seeds) == len(job.seeds) else replace(job, seeds=seeds))
    return left


def finished(folder: Path) -> tuple[Header, Grid]:
    """A finished evaluation: what was played from which sources, and what came of it.

    Raises EvaluationError for one that isn't finished, or isn't there.
    """
    header, found = read_record(folder)
    if len(found) < header.plan.total:
        left = header.plan.total - len(found)
        raise EvaluationError(f"{folder} is not finished: {left} episodes are missing; its own command goes on with it")
    return header, Grid(header.plan, found.values())

"""The evaluation: every policy in every cell on the same seeds, kept on disk as it goes, summed up when it is whole.

    from training.evaluate import evaluate, plan
    grid = evaluate(plan(("tit_for_tat", "boulware"), episodes=50, split="test"), Path("outputs/first"), workers=2)

A run that was stopped, however it was stopped, goes on where it was: the same plan in the same folder plays what is
missing. A finished one plays nothing. The results are the same either way, and for any number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from msgspec.structs import replace

from agent.llm.names import is_language
from agent.registry import OPPONENTS, profile
from game.events import SPLITS, Split
from game.scenarios import SeatName, scenarios
from parlay_env.tasks import seed_range
from training.cluster import Cluster
from training.episodes import REWARDS, Cell, Job, Plan, Result, RewardName, cells, play_all, scenario_of
from training.grid import Grid
from training.policies import check
from training.record import EvaluationError, Header, Key, key_of, open_record, read_record

if TYPE_CHECKING:
    from training.language import LanguageRun

Progress = Callable[[int], None]
"""Told how many episodes are there, at the start and whenever some more are."""


class Unfinished(EvaluationError):
    """Language models left some of the plan unplayed."""


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
        check(policy)
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


def evaluate(
    chosen: Plan,
    folder: Path | None = None,
    workers: int | Cluster = 1,
    progress: Progress | None = None,
    language: LanguageRun | None = None,
) -> Grid:
    """Play what is missing of the plan, and give all of it; `language`: how language models are played, if there are.

    With a folder every result is kept there as it comes, in `episodes.jsonl`. Raises the errors of `open_record`,
    BrokenProcessPool when a worker process is killed, ProviderError, and Unfinished when language models left some of
    it unplayed.
    """
    told = progress or (lambda _: None)
    if folder is None:
        found: dict[Key, Result] = {}
        play_missing(chosen, found, lambda results: _note(found, results), workers, told, language)
        return _whole(chosen, found, language)
    with open_record(folder, chosen) as record:
        play_missing(chosen, record.found, record.append, workers, told, language)
        return _whole(chosen, record.found, language)


def play_missing(
    chosen: Plan,
    found: dict[Key, Result],
    keep: Callable[[list[Result]], None],
    workers: int | Cluster = 1,
    progress: Progress | None = None,
    language: LanguageRun | None = None,
) -> None:
    """Play what is missing of the plan, first what code plays, and give the results to `keep`, which puts them into
    `found`. Raises as `evaluate` does, but for what is left unplayed."""
    told = progress or (lambda _: None)
    told(len(found))
    jobs = missing(chosen, found)
    for results in play_all([job for job in jobs if not is_language(job.policy)], workers):
        keep(results)
        told(len(found))
    spoken = [job for job in jobs if is_language(job.policy)]
    if not spoken:
        return
    from training.language import LanguageRun

    def note(results: list[Result]) -> None:
        keep(results)
        told(len(found))

    (language or LanguageRun([job.policy for job in spoken])).play(spoken, note)


def _note(found: dict[Key, Result], results: list[Result]) -> None:
    found.update((key_of(result), result) for result in results)


def _whole(chosen: Plan, found: dict[Key, Result], language: LanguageRun | None) -> Grid:
    """The grid of a plan that was played to its end. Raises Unfinished for another."""
    if left := chosen.total - len(found):
        why = f"stopped: {language.stopped}" if language is not None and language.stopped else "a provider failed"
        raise Unfinished(f"{left:,} of {chosen.total:,} episodes are missing ({why})")
    return Grid(chosen, found.values())


def whole_seeds(chosen: Plan, found: dict[Key, Result]) -> Plan | None:
    """The part of the plan that every policy has played in every cell, from its first seed on; None without any."""
    for count, seed in enumerate(chosen.seeds):
        if not all((policy, cell, seed) in found for policy in chosen.policies for cell in chosen.cells):
            return replace(chosen, episodes=count) if count else None
    return chosen


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

"""Episodes of a policy against the personas: the jobs, and their results, on any number of processes.

A job is a policy, a cell (scenario × persona × seat) and a run of seeds. Its results depend on nothing else, and they
come back in the order of the jobs: how many processes share the work changes nothing but the time.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import product
from multiprocessing import get_context
from typing import Literal

import msgspec

from agent.baselines import baseline
from agent.registry import opponent, profile
from cli.scenario_files import scenario_named
from game.events import Split
from game.scenarios import SeatName
from parlay_env.core import Viewer, play_episode
from parlay_env.deal.game import Deal
from parlay_env.deal.state import SEATS, Setup
from parlay_env.deal.views import View

CHUNK = 20
"""Seeds of one job."""
AHEAD = 4
"""Jobs handed in for every process, so that none runs dry."""
_GAME = Deal()


class Cell(msgspec.Struct, frozen=True, order=True):
    """Where a policy is tried."""

    scenario: str
    persona: str
    seat: SeatName

    def __str__(self) -> str:
        return f"{self.scenario} · {self.persona} · {self.seat}"


class Job(msgspec.Struct, frozen=True):
    policy: str
    cell: Cell
    split: Split
    seeds: tuple[int, ...]


class Result(msgspec.Struct, frozen=True):
    """What came of one episode, by its grade."""

    policy: str
    scenario: str
    persona: str
    seat: str
    seed: int
    reward: float
    efficiency: float
    zopa: bool
    """Was there one when the episode ended, had tension tightened nothing?"""
    walk_was_right: bool
    """Was none left at the end, with what tension tightened?"""
    deal: bool
    end: Literal["deal", "walk_away", "timeout", "zopa_collapsed", "forfeit"]
    by: str | None
    """The seat that accepted, walked or forfeited."""
    turns: int
    breach: bool
    invalid_moves: int

    @property
    def left(self) -> bool:
        """The policy itself walked away."""
        return self.end == "walk_away" and self.by == self.seat

    @property
    def was_left(self) -> bool:
        """The opponent walked away."""
        return self.end == "walk_away" and self.by != self.seat


def cells(scenario_ids: Sequence[str], personas: Sequence[str], seats: Sequence[SeatName]) -> list[Cell]:
    """Every combination, in order."""
    return [Cell(*one) for one in product(scenario_ids, personas, seats)]


def jobs(policies: Sequence[str], where: Sequence[Cell], split: Split, seeds: Sequence[int]) -> list[Job]:
    """All there is to play: every policy in every cell on the same seeds."""
    runs = [tuple(seeds[i : i + CHUNK]) for i in range(0, len(seeds), CHUNK)]
    return [Job(policy, cell, split, run) for policy, cell, run in product(policies, where, runs)]


def play(job: Job) -> list[Result]:
    """The results of a job, one a seed."""
    cell, scenario = job.cell, scenario_named(job.cell.scenario)
    setup = Setup(scenario=scenario, seat=cell.seat, opponent=profile(cell.persona), split=job.split)
    return [_result(job, setup, seed) for seed in job.seeds]


def _result(job: Job, setup: Setup, seed: int) -> Result:
    cell, other = job.cell, SEATS[1 - setup.learner]
    policies = {cell.seat: baseline(job.policy), other: opponent(cell.persona)}
    state = play_episode(_GAME, setup, seed, policies, keep_log=False).state
    seen: View = _GAME.view(state, Viewer("player", cell.seat))
    grade, ended = seen.grade, seen.public.ended
    assert grade is not None and ended is not None
    return Result(
        policy=job.policy,
        scenario=cell.scenario,
        persona=cell.persona,
        seat=cell.seat,
        seed=seed,
        reward=grade.reward,
        efficiency=grade.efficiency,
        zopa=grade.zopa_existed,
        walk_was_right=grade.walk_was_right,
        deal=grade.deal,
        end=ended.reason,
        by=None if ended.seat is None else SEATS[ended.seat],
        turns=ended.turn,
        breach=grade.breach,
        invalid_moves=grade.invalid_moves,
    )


def play_all(work: Sequence[Job], workers: int) -> Iterator[list[Result]]:
    """The results of all jobs, job by job in order. Raises BrokenProcessPool when a process is killed."""
    if workers <= 1:
        yield from map(play, work)
        return
    pool = ProcessPoolExecutor(min(workers, len(work)), get_context("spawn"))
    try:
        waiting = deque(_submit(pool, job) for job in work[: AHEAD * workers])
        for job in work[AHEAD * workers :]:
            yield waiting.popleft().result()
            waiting.append(_submit(pool, job))
        for future in waiting:
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _submit(pool: ProcessPoolExecutor, job: Job) -> Future[list[Result]]:
    """Hand in a job. Ctrl-C reaches every process of a terminal; one started while it is ignored ignores it, too."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return pool.submit(play, job)
    finally:
        signal.signal(signal.SIGINT, before)

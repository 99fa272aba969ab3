"""Episodes of a policy against the personas: the jobs, and their results, on any number of processes.

A job is a policy, a cell (scenario × persona × seat) and a run of seeds. Its results depend on nothing else, and they
come back in the order of the jobs: how many processes share the work changes nothing but the time.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import product
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Literal, TypeVar

import msgspec

from agent.llm.spoken import Spoken
from agent.registry import opponent, profile
from game.events import Split
from game.scenarios import Scenario, SeatName, load_scenario_file, scenarios
from parlay_env.core import Policy, play_episode
from parlay_env.deal.state import SEATS, Reason, Setup, State
from parlay_env.grader import LATE, NEAR, Grade
from parlay_env.grader import grade as graded
from parlay_env.reward import RewardSpec
from training.cluster import Cluster
from training.outcomes import distances, gains, zopa_width
from training.policies import READERS, make
from training.witness import Reported, Witness

CHUNK = 20
"""Seeds of one job."""
AHEAD = 4
"""Jobs handed in for every process, so that none runs dry."""
DIGITS = 9
"""Decimals that are kept of what is no reward: rewards are exact."""

_MASKS = hasattr(signal, "pthread_sigmask")
"""Not on Windows."""

T = TypeVar("T")
Done = TypeVar("Done")

RewardName = Literal["default", "literal"]
REWARDS: dict[RewardName, RewardSpec] = {"default": RewardSpec(), "literal": RewardSpec.literal()}
TERMS = (*NEAR, *LATE, "efficiency", "speed", "adaptation", "cliff", "no_deal")
"""The terms of the reward; those of an episode sum to its reward, exactly."""


class Cell(msgspec.Struct, frozen=True, order=True):
    """Where a policy is tried."""

    scenario: str
    """An id, or a file."""
    persona: str
    seat: SeatName

    def __str__(self) -> str:
        return f"{self.scenario} · {self.persona} · {self.seat}"


class Job(msgspec.Struct, frozen=True):
    policy: str
    cell: Cell
    split: Split
    seeds: tuple[int, ...]
    words: bool = False
    """The opponent speaks. Its moves are the same."""
    reward: RewardName = "default"


class Result(msgspec.Struct, frozen=True):
    """What came of one episode. Surpluses and distances in Δ0 of the seat they are of."""

    policy: str
    scenario: str
    persona: str
    seat: SeatName
    seed: int
    reward: float
    terms: dict[str, float]
    """The reward by term, those that are not 0."""
    efficiency: float
    zopa: bool
    """Was there one when the episode ended, had tension tightened nothing?"""
    walk_was_right: bool
    """Was none left at the end, with what tension tightened?"""
    zopa_width: float
    """The policy's greatest possible surplus by the limits of the end, erosion out; negative: the gap between them."""
    deal: bool
    end: Reason
    by: str | None
    """The seat that accepted, walked or forfeited."""
    turns: int
    """The turn of the end."""
    breach: bool
    """A deal beyond the policy's own limit."""
    invalid_moves: int
    surplus: float = 0.0
    """Of the deal, to the policy; 0 without one."""
    opponent_surplus: float = 0.0
    pareto_distance: float | None = None
    nash_distance: float | None = None
    peak_tension: float = 0.0
    bluffs: int = 0
    """Claims of the opponent that were bluffs."""
    challenges: int = 0
    caught: int = 0
    """Challenges that met a bluff."""
    events_due: int = 0
    """Market events that an estimate was due for."""
    belief_skill: float = 0.0
    """A at the end."""
    beliefs: tuple[Reported, ...] = ()
    spoken: Spoken | msgspec.UnsetType = msgspec.UNSET
    """Of a language model: how its answers were to be read, and what they took."""

    @property
    def cell(self) -> Cell:
        return Cell(self.scenario, self.persona, self.seat)

    @property
    def left(self) -> bool:
        """The policy itself walked away."""
        return self.end == "walk_away" and self.by == self.seat

    @property
    def was_left(self) -> bool:
        """The opponent walked away."""
        return self.end == "walk_away" and self.by != self.seat

    @property
    def gap(self) -> float:
        """How far the limits are apart where there is no ZOPA, in Δ0; 0 with one."""
        return max(0.0, -self.zopa_width)


def cells(scenario_ids: Sequence[str], personas: Sequence[str], seats: Sequence[SeatName]) -> list[Cell]:
    """Every combination, in order."""
    return [Cell(*one) for one in product(scenario_ids, personas, seats)]


@cache
def scenario_of(name: str) -> Scenario:
    """The scenario with this id, else the one in this file. Raises ScenarioError."""
    return scenarios().get(name) or load_scenario_file(name)


class Plan(msgspec.Struct, frozen=True):
    """What is to be played: every policy in every cell, on the same seeds."""

    policies: tuple[str, ...]
    cells: tuple[Cell, ...]
    split: Split
    first_seed: int
    episodes: int
    """Of a policy in a cell: as many seeds, one after the other."""
    words: bool = False
    reward: RewardName = "default"

    @property
    def seeds(self) -> range:
        return range(self.first_seed, self.first_seed + self.episodes)

    @property
    def total(self) -> int:
        """Episodes in all."""
        return len(self.policies) * len(self.cells) * self.episodes

    def jobs(self) -> list[Job]:
        """All there is to play, policy by policy, cell by cell."""
        runs = [tuple(self.seeds[i : i + CHUNK]) for i in range(0, self.episodes, CHUNK)]
        return [
            Job(policy, cell, self.split, run, self.words, self.reward)
            for policy, cell, run in product(self.policies, self.cells, runs)
        ]


def setup_of(job: Job) -> Setup:
    """The setup of the job's episodes."""
    return Setup(
        scenario=scenario_of(job.cell.scenario),
        seat=job.cell.seat,
        opponent=profile(job.cell.persona),
        split=job.split,
        reward=REWARDS[job.reward],
    )


def play(job: Job) -> list[Result]:
    """The results of a job, one a seed."""
    setup = setup_of(job)
    speaks = job.words or job.policy in READERS
    return [result_of(job.policy, job.cell, setup, seed, make(job.policy, setup, seed), speaks) for seed in job.seeds]


def result_of(
    name: str, cell: Cell, setup: Setup, seed: int, player: Policy, speaks: bool = False, *, secret: bytes = b""
) -> Result:
    """What comes of one episode of this player, who goes by this name; `speaks`: the opponent does; `secret`: as in
    `play_episode`."""
    game = Witness(setup.learner)
    players = {cell.seat: player, SEATS[1 - setup.learner]: opponent(cell.persona, speaks)}
    state = play_episode(game, setup, seed, players, secret=secret, keep_log=False).state
    return told(name, cell, seed, game, state)


def told(name: str, cell: Cell, seed: int, game: Witness, state: State) -> Result:
    """What came of the episode that this game has watched to its last state, of the player who goes by this name."""
    me = state.setup.learner
    grade, ended, book = graded(state, me), state.public.ended, state.books[me]
    assert grade is not None and ended is not None and book is not None
    split, apart = gains(state), distances(state)
    made = zip(state.public.claims, state.truths, strict=True)
    return Result(
        policy=name,
        scenario=cell.scenario,
        persona=cell.persona,
        seat=cell.seat,
        seed=seed,
        reward=grade.reward,
        terms=by_term(grade),
        efficiency=grade.efficiency,
        zopa=grade.zopa_existed,
        walk_was_right=grade.walk_was_right,
        zopa_width=round(zopa_width(state, me), DIGITS),
        deal=grade.deal,
        end=ended.reason,
        by=None if ended.seat is None else SEATS[ended.seat],
        turns=ended.turn,
        breach=grade.breach,
        invalid_moves=grade.invalid_moves,
        surplus=0.0 if split is None else round(split[me], DIGITS),
        opponent_surplus=0.0 if split is None else round(split[1 - me], DIGITS),
        pareto_distance=None if apart is None else round(apart[0], DIGITS),
        nash_distance=None if apart is None else round(apart[1], DIGITS),
        peak_tension=round(game.peak, DIGITS),
        bluffs=sum(claim.seat != me and not true for claim, true in made),
        challenges=game.challenges,
        caught=game.caught,
        events_due=book.events,
        belief_skill=round(grade.belief_skill, DIGITS),
        beliefs=game.beliefs,
    )


def by_term(grade: Grade) -> dict[str, float]:
    """What each term paid over the episode; those that paid nothing are left out."""
    sums = {term: sum(row[term] for row in grade.ledger) for term in (*NEAR, *LATE)} | grade.terminal
    return {term: value for term, value in sums.items() if value}


def play_all(work: Sequence[Job], workers: int | Cluster) -> Iterator[list[Result]]:
    """The results of all jobs, job by job in order. Raises BrokenProcessPool when a process is killed, ClusterError
    when a node of a cluster fails."""
    return share_out(play, work, workers)


def share_out(do: Callable[[T], Done], work: Sequence[T], workers: int | Cluster) -> Generator[Done]:
    """What `do` makes of each piece of work, in order, on so many processes or on a cluster. Raises as `play_all`."""
    if isinstance(workers, Cluster):
        yield from workers.share_out(do, work)
        return
    if workers <= 1:
        yield from map(do, work)
        return
    pool = ProcessPoolExecutor(max(1, min(workers, len(work))), get_context("spawn"), _leave_with_the_parent)
    try:
        waiting = deque(_submit(pool, do, one) for one in work[: AHEAD * workers])
        for one in work[AHEAD * workers :]:
            yield waiting.popleft().result()
            waiting.append(_submit(pool, do, one))
        for future in waiting:
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _leave_with_the_parent() -> None:
    """Worker processes wait for work for ever; when the one that gives it is killed, they go, too. Ctrl-C, which
    reaches every process of a terminal, is that one's affair."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if _MASKS:  # It was started with the signal blocked; one that came since is forgotten.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    Thread(target=wait, daemon=True).start()


def _submit(pool: ProcessPoolExecutor, do: Callable[[T], Done], one: T) -> Future[Done]:
    """Hand in a piece of work."""
    with _uninterrupted():
        return pool.submit(do, one)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C waits until this is over, and is not lost; a process that is started meanwhile has it blocked from its
    first moment on.

    The mask is for the new processes, which inherit it; the handler is for this one, where another thread may take the
    signal.
    """
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if _MASKS else None
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)

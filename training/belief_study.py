"""How good the belief tracker is: coverage of its intervals, CRPS and Brier's score against the prior's, speed.

    from training.belief_study import belief_plan, study
    found = study(belief_plan(2000), workers=2)

Episodes are played by a learner that does not use the beliefs, so that what is measured is the tracker and not the
player; with `asks` it puts the four questions in its first four turns. Held-out seeds, each played once: episodes on
one seed share its draws, and would tell little more than one of them.

The tracker holds `PARTICLES` opponents. The prior that it is measured against holds all `POOL` that the tracker began
with: the best that can be known without watching, and not made worse by drawing few.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import cycle, product
from time import perf_counter
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from agent.beliefs import Tracker, estimate
from agent.registry import OPPONENTS, opponent, profile
from game.events import Split
from game.scenarios import SeatName, scenarios
from parlay_env.core import Viewer, policy_draws
from parlay_env.deal.game import Deal
from parlay_env.deal.state import SEATS, Facts, Move, Setup, State
from parlay_env.deal.terms import terms_of
from parlay_env.deal.views import View
from parlay_env.tasks import seed_range
from training.episodes import Plan, share_out
from training.evaluate import Progress, plan
from training.policies import READERS, make
from training.record import sources_digest
from training.stats import Estimate, Floats, ratios

GAME = Deal()
ORDER = ("authority", "timeline", "alternatives", "priorities")
LEARNER = "tit_for_tat"
CHUNK = 12
"""Episodes of one piece of work."""
POOLED = 10
"""Coverage is pooled over live turns up to this: after it, those still playing are the ones that were misjudged."""
LATER = 8
"""The turn whose width is held against that after the opening."""
ALL = "in all"


# What is watched ------------------------------------------------------------------------------------------------------


class Case(msgspec.Struct, frozen=True):
    """One episode to be watched."""

    scenario: str
    persona: str
    seat: SeatName
    split: Split
    seed: int
    learner: str = LEARNER
    asks: bool = False


class Row(msgspec.Struct, frozen=True, gc=False):
    """The beliefs at one of the learner's moves against the truth of that moment; widths and CRPS in Δ0 of the
    opponent."""

    persona: str
    seed: int
    turn: int
    opened: bool
    """The opponent's first offer is the newest."""
    covered: bool
    """The interval of the limit holds it."""
    walk_covered: bool
    """That of the walk-away."""
    width: float
    """Of the limit's interval."""
    crps: float
    crps_prior: float
    brier: float
    brier_prior: float
    milliseconds: float | None
    """What `Tracker.update` took, and nothing else; None at the first view, which makes the tracker."""


class Prior:
    """What is known without watching. It changes with headlines and erosion alone, and so is worked out seldom."""

    def __init__(self, view: View, key: int) -> None:
        self._tracker = Tracker(view, key, updates=False)
        self._at: tuple[int, int] | None = None
        self._facts: Floats = np.zeros((0, 0))
        self._weights: Floats = np.zeros(0)

    def update(self, view: View, move: Move | None) -> None:
        self._tracker.update(view, move)

    def facts(self) -> tuple[Floats, Floats]:
        """As `Tracker.facts`, without the utilities."""
        now = len(self._tracker.events), int(self._tracker.now["ticks"][0])
        if now != self._at:
            self._at = now
            self._facts, _, self._weights = self._tracker.facts()
        return self._facts, self._weights


def watched(case: Case) -> list[Row]:
    """The tracker's beliefs at the learner's first view of each turn."""
    setup = Setup(scenarios()[case.scenario], case.seat, profile(case.persona), case.split)
    me, them = case.seat, SEATS[1 - setup.learner]
    policies = {
        me: make(case.learner, setup, case.seed),
        them: opponent(case.persona, words=case.learner in READERS),
    }
    draws = {seat: policy_draws(GAME, case.seed, seat) for seat in SEATS}
    state: State = GAME.start(setup, case.seed)
    tracker: Tracker | None = None
    prior: Prior | None = None
    rows: list[Row] = []
    move, offers = None, 0
    while state.public.ended is None:
        seat = SEATS[state.public.mover]
        view = GAME.view(state, Viewer("player", seat))
        made: Move = policies[seat].act(view, draws[seat])
        if seat == me:
            if case.asks and view.public.turn <= len(ORDER) and not (made.accept or made.walk or made.card):
                made = msgspec.structs.replace(made, question=ORDER[view.public.turn - 1])
            took = None
            if tracker is None or prior is None:
                tracker, prior = Tracker(view, case.seed), Prior(view, case.seed)
            else:
                began = perf_counter()
                tracker.update(view, move)
                took = 1e3 * (perf_counter() - began)
                prior.update(view, move)
            before, offers = offers, view.public.sides[1 - view.seat].offers
            if not rows or rows[-1].turn < view.public.turn:  # a move that was refused is made again
                rows.append(_row(case, state, tracker, prior, not before and offers > 0, took))
            move = made
        state = GAME.play(state, {seat: made}).state
    return rows


def _row(case: Case, state: State, tracker: Tracker, prior: Prior, opened: bool, took: float | None) -> Row:
    other = 1 - state.setup.learner
    truth: Facts = state.facts[other]
    width = terms_of(state.setup.scenario).delta0[other]
    facts, _, weights = tracker.facts()
    supposed, even = prior.facts()
    limit, walk_away = (estimate(facts[:, k], weights, tracker.independent) for k in (0, 1))
    return Row(
        persona=case.persona,
        seed=case.seed,
        turn=state.public.turn,
        opened=opened,
        covered=limit.low <= truth.limit <= limit.high,
        walk_covered=walk_away.low <= truth.walk_away <= walk_away.high,
        width=(limit.high - limit.low) / width,
        crps=crps(facts[:, 0] / width, weights, truth.limit / width),
        crps_prior=crps(supposed[:, 0] / width, even, truth.limit / width),
        brier=(float(weights @ facts[:, 4]) - truth.has_alternative) ** 2,
        brier_prior=(float(even @ supposed[:, 4]) - truth.has_alternative) ** 2,
        milliseconds=took,
    )


def crps(values: NDArray[np.float64], weights: NDArray[np.float64], truth: float) -> float:
    """The continuous ranked probability score of a weighted sample: E|X − y| − ½E|X − X′| (Gneiting & Raftery 2007)."""
    order = np.argsort(values)
    x, w = values[order], weights[order]
    below = np.cumsum(w) - 0.5 * w
    spread = 2.0 * float(np.sum(w * x * (2.0 * below - 1.0)))
    return float(w @ np.abs(x - truth)) - 0.5 * spread


def cases(
    seeds: Sequence[int], personas: Sequence[str], split: Split, *, asks: bool, learner: str = LEARNER
) -> Iterator[Case]:
    """A case for each seed, going through scenarios, seats and personas in turn."""
    places: list[Any] = list(product(scenarios(), SEATS, personas))
    for seed, (scenario, seat, persona) in zip(seeds, cycle(places), strict=False):
        yield Case(scenario, persona, seat, split, seed, learner, asks)


# What is asked --------------------------------------------------------------------------------------------------------


class BeliefPlan(msgspec.Struct, frozen=True):
    """What is to be watched."""

    plan: Plan
    """Learner, split and seeds: an episode each."""
    asks: bool

    @property
    def learner(self) -> str:
        return self.plan.policies[0]

    @property
    def episodes(self) -> int:
        return self.plan.episodes

    def jobs(self) -> list[tuple[Case, ...]]:
        """All there is to watch."""
        found = list(cases(self.plan.seeds, OPPONENTS, self.plan.split, asks=self.asks, learner=self.learner))
        return [tuple(found[start : start + CHUNK]) for start in range(0, len(found), CHUNK)]


def belief_plan(
    episodes: int, *, split: Split = "test", seed_start: int = 0, learner: str = LEARNER, asks: bool = False
) -> BeliefPlan:
    """A plan that can be watched; `seed_start` counts from the split's first seed. Raises as `evaluate.plan`."""
    return BeliefPlan(plan((learner,), episodes=episodes, split=split, seed_start=seed_start), asks)


# What is found --------------------------------------------------------------------------------------------------------


class Turn(NamedTuple):
    """The means over the episodes that were live in a turn; the differences are the tracker's less the prior's."""

    turn: int
    coverage: Estimate
    width: Estimate
    crps: Estimate
    crps_prior: Estimate
    crps_difference: Estimate
    brier: Estimate
    brier_prior: Estimate
    brier_difference: Estimate

    @property
    def episodes(self) -> int:
        return self.coverage.over


class Group(NamedTuple):
    """A persona's figures, or all."""

    name: str
    episodes: int
    coverage: Estimate | None
    """Of the limit's intervals, pooled over turns up to `POOLED`."""
    walk_coverage: Estimate | None
    """Of the walk-away's."""
    opened: Estimate | None
    """The width when the opponent's first offer is the newest."""
    turns: tuple[Turn, ...]

    @property
    def later(self) -> Estimate | None:
        """The width in turn `LATER`."""
        return next((one.width for one in self.turns if one.turn == LATER), None)

    def better_from(self, difference: str) -> int | None:
        """The turn from which on, up to `POOLED`, the whole interval of this difference is below 0; None: there is
        none."""
        first = None
        for one in reversed([one for one in self.turns if one.turn <= POOLED]):
            found: Estimate = getattr(one, difference)
            if found.high is None or found.high >= 0:
                break
            first = one.turn
        return first


class Speed(NamedTuple):
    """Of `Tracker.update` alone, in milliseconds of wall time."""

    updates: int
    mean: float
    high: float
    """The 95th percentile."""


class Study(msgspec.Struct, frozen=True):
    """What a belief study finds."""

    plan: BeliefPlan
    sources: str
    """The digest of all that decides an episode."""
    workers: int
    groups: tuple[Group, ...]
    """The personas, and all."""
    speed: Speed | None
    """None where no episode had a second turn."""


def study(chosen: BeliefPlan, workers: int = 1, progress: Progress | None = None) -> Study:
    """Watch all of the plan and sum it up; all but the speed is the same for any number of processes.

    Raises BrokenProcessPool when a worker process is killed.
    """
    told, work, rows, done = progress or (lambda _: None), chosen.jobs(), [], 0
    told(0)
    for job, found in zip(work, share_out(watch, work, workers), strict=True):
        rows += found
        done += len(job)
        told(done)
    return Study(chosen, sources_digest(chosen.plan), workers, summed_up(rows), speed_of(rows))


def watch(job: Sequence[Case]) -> list[Row]:
    """The rows of a piece of work."""
    _warm_up()
    return [row for case in job for row in watched(case)]


@cache
def _warm_up() -> None:
    """Compiled functions are loaded at their first call, which is not to be timed. Claims that are challenged make the
    tracker score its history anew: a call of its own."""
    seed = seed_range("train")[0]
    for learner in (LEARNER, "challenge_everything"):
        for case in cases(range(seed, seed + 4), OPPONENTS[:1], "train", asks=True, learner=learner):
            watched(case)


def summed_up(rows: Sequence[Row]) -> tuple[Group, ...]:
    """Every persona's figures and all together, with bootstrap intervals over seeds: all turns of an episode are one
    observation."""
    personas = list(dict.fromkeys(row.persona for row in rows))
    return tuple(
        _group(name, rows if name == ALL else [row for row in rows if row.persona == name]) for name in (*personas, ALL)
    )


def _group(name: str, rows: Sequence[Row]) -> Group:
    seeds, place = np.unique([row.seed for row in rows], return_inverse=True)
    values = np.array([_values(row) for row in rows], float)
    turn = np.array([row.turn for row in rows])
    turns = sorted(set(turn.tolist()))
    windows = [turn <= POOLED, np.array([row.opened for row in rows]), *(turn == one for one in turns)]
    tops = np.zeros((len(windows), len(seeds), values.shape[1]))
    bottoms = np.zeros_like(tops)
    for k, window in enumerate(windows):
        np.add.at(tops[k], place[window], values[window])
        np.add.at(bottoms[k], place[window], 1.0)
    found = ratios(np.concatenate(tops, axis=1), np.concatenate(bottoms, axis=1))
    by_window = [found[start : start + values.shape[1]] for start in range(0, len(found), values.shape[1])]
    pooled, opened, *each = by_window
    return Group(
        name=name,
        episodes=len({(row.persona, row.seed) for row in rows}),
        coverage=pooled[0],
        walk_coverage=pooled[1],
        opened=opened[2],
        turns=tuple(_turn(one, estimates) for one, estimates in zip(turns, each, strict=True)),
    )


def _values(row: Row) -> tuple[float, ...]:
    return (
        row.covered,
        row.walk_covered,
        row.width,
        row.crps,
        row.crps_prior,
        row.crps - row.crps_prior,
        row.brier,
        row.brier_prior,
        row.brier - row.brier_prior,
    )


def _turn(turn: int, estimates: Sequence[Estimate | None]) -> Turn:
    found = [one for one in estimates if one is not None]
    return Turn(turn, found[0], *found[2:])


def speed_of(rows: Sequence[Row]) -> Speed | None:
    """How long updates took."""
    took = [row.milliseconds for row in rows if row.milliseconds is not None]
    if not took:
        return None
    return Speed(len(took), float(np.mean(took)), float(np.quantile(took, 0.95)))

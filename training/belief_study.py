"""How good the belief tracker is: coverage of its intervals, Brier and CRPS against the prior's, speed.

Episodes are played by a learner that does not use the beliefs, so that what is measured is the tracker and not the
player; with `asks` it puts the four questions in its first four turns. Held-out seeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from agent.baselines import baseline
from agent.beliefs import LEVEL, Tracker
from agent.registry import opponent, profile
from game.events import Split
from game.scenarios import SeatName, scenarios
from parlay_env.core import Viewer, policy_draws
from parlay_env.deal.game import Deal
from parlay_env.deal.state import SEATS, Facts, Move, Setup, State
from parlay_env.deal.terms import terms_of

GAME = Deal()
ORDER = ("authority", "timeline", "alternatives", "priorities")
POOLED = 10
"""Coverage is pooled over live turns up to this: after it, those still playing are the ones that were misjudged."""


class Row(msgspec.Struct, frozen=True, gc=False):
    """The beliefs at one of the learner's moves against the truth; errors and widths in Δ0 of the opponent."""

    persona: str
    seed: int
    turn: int
    covered: bool
    width: float
    error: float
    crps: float
    crps_prior: float
    brier: float
    brier_prior: float
    zopa_brier: float
    zopa_brier_prior: float
    seconds: float


class Case(msgspec.Struct, frozen=True):
    """One episode to be watched."""

    scenario: str
    persona: str
    seat: SeatName
    split: Split
    seed: int
    learner: str = "tit_for_tat"
    asks: bool = False


def watched(case: Case) -> list[Row]:
    """The tracker's beliefs at every move of the learner."""
    setup = Setup(scenarios()[case.scenario], case.seat, profile(case.persona), case.split)
    me, them = case.seat, SEATS[1 - setup.learner]
    policies = {me: baseline(case.learner), them: opponent(case.persona, words=False)}
    draws = {seat: policy_draws(GAME, case.seed, seat) for seat in SEATS}
    state: State = GAME.start(setup, case.seed)
    tracker: Tracker | None = None
    prior: Tracker | None = None
    rows, move = [], None
    while state.public.ended is None:
        seat = SEATS[state.public.mover]
        view = GAME.view(state, Viewer("player", seat))
        made: Move = policies[seat].act(view, draws[seat])
        if seat == me:
            if case.asks and view.public.turn <= len(ORDER) and not (made.accept or made.walk or made.card):
                made = msgspec.structs.replace(made, question=ORDER[view.public.turn - 1])
            began = perf_counter()
            if tracker is None or prior is None:
                tracker, prior = Tracker(view, case.seed), Tracker(view, case.seed, updates=False)
                began = perf_counter()
            else:
                tracker.update(view, move)
                seconds = perf_counter() - began
                prior.update(view, move)
                began = perf_counter() - seconds
            rows.append(_row(case, state, tracker, prior, perf_counter() - began))
            move = made
        state = GAME.play(state, {seat: made}).state
    return rows


def _row(case: Case, state: State, tracker: Tracker, prior: Tracker, seconds: float) -> Row:
    other = 1 - state.setup.learner
    truth: Facts = state.facts[other]
    width = terms_of(state.setup.scenario).delta0[other]
    facts, _, weights = tracker.facts()
    supposed, _, even = prior.facts()
    beliefs, before = tracker.beliefs(), prior.beliefs()
    zopa = (
        float(state.facts[0].limit + state.facts[1].limit <= 0) if terms_of(state.setup.scenario).is_price else np.nan
    )
    return Row(
        case.persona,
        case.seed,
        state.public.turn,
        beliefs.limit.low <= truth.limit <= beliefs.limit.high,
        (beliefs.limit.high - beliefs.limit.low) / width,
        abs(beliefs.limit.median - truth.limit) / width,
        crps(facts[:, 0] / width, weights, truth.limit / width),
        crps(supposed[:, 0] / width, even, truth.limit / width),
        (beliefs.has_alternative - truth.has_alternative) ** 2,
        (before.has_alternative - truth.has_alternative) ** 2,
        (beliefs.zopa - zopa) ** 2,
        (before.zopa - zopa) ** 2,
        seconds,
    )


def crps(values: NDArray[np.float64], weights: NDArray[np.float64], truth: float) -> float:
    """The continuous ranked probability score of a weighted sample: E|X − y| − ½E|X − X′| (Gneiting & Raftery 2007)."""
    order = np.argsort(values)
    x, w = values[order], weights[order]
    below = np.cumsum(w) - 0.5 * w
    spread = 2.0 * float(np.sum(w * x * (2.0 * below - 1.0)))
    return float(w @ np.abs(x - truth)) - 0.5 * spread


def cases(
    seeds: Sequence[int], personas: Sequence[str], split: Split, *, asks: bool, learner: str = "tit_for_tat"
) -> Iterator[Case]:
    """Every persona on every seed, going through scenarios and seats in turn."""
    places: list[tuple[str, Any]] = [(scenario, seat) for scenario in scenarios() for seat in SEATS]
    for persona in personas:
        for i, seed in enumerate(seeds):
            scenario, seat = places[i % len(places)]
            yield Case(scenario, persona, seat, split, seed, learner, asks)


class Summary(msgspec.Struct, frozen=True):
    """A persona's figures. By turn: (turn, episodes, coverage, width, CRPS, prior's, Brier, prior's)."""

    persona: str
    episodes: int
    coverage: float
    """Of the limit's 80 % intervals, pooled over turns up to `POOLED`."""
    low: float
    high: float
    by_turn: tuple[tuple[float, ...], ...]
    milliseconds: float
    """Mean of an update."""


def summed_up(rows: Sequence[Row], persona: str) -> Summary:
    """The summary of a persona's rows; the interval is a bootstrap over episodes."""
    mine = [row for row in rows if row.persona == persona]
    pooled = [row for row in mine if row.turn <= POOLED]
    seeds = sorted({row.seed for row in pooled})
    hits = np.array([[sum(r.covered for r in pooled if r.seed == s), sum(r.seed == s for r in pooled)] for s in seeds])
    rng = np.random.default_rng(7)
    drawn = []
    for _ in range(1000):
        picked = hits[rng.integers(0, len(hits), len(hits))].sum(axis=0)
        drawn.append(picked[0] / picked[1])
    low, high = np.quantile(drawn, [0.025, 0.975])
    by_turn = []
    for turn in sorted({row.turn for row in mine}):
        at = [row for row in mine if row.turn == turn]
        figures = [
            float(np.mean([getattr(row, name) for row in at]))
            for name in ("covered", "width", "crps", "crps_prior", "brier", "brier_prior")
        ]
        by_turn.append((float(turn), float(len(at)), *figures))
    share = float(hits[:, 0].sum() / hits[:, 1].sum())
    speed = 1e3 * float(np.mean([row.seconds for row in mine if row.turn > 1]))
    return Summary(persona, len(seeds), share, float(low), float(high), tuple(by_turn), speed)


__all__ = ["LEVEL", "Case", "Row", "Summary", "cases", "crps", "summed_up", "watched"]

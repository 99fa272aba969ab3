"""The belief tracker reads the player's view alone, learns, and says how sure it is."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from agent.baselines import baseline
from agent.beliefs import Tracker, estimate
from agent.registry import OPPONENTS, opponent, profile
from game.scenarios import scenarios
from parlay_env.core import Viewer, policy_draws
from parlay_env.deal.game import Deal
from parlay_env.deal.state import SEATS, Move, Setup, State
from parlay_env.deal.terms import terms_of
from parlay_env.tasks import seed_range
from training.belief_study import cases, crps, summed_up, watched

GAME = Deal()
FIRST = seed_range("validation")[0]


def views_of(setup: Setup, seed: int, moves: int = 8) -> list[tuple]:
    """(view, the move made before it, the state) at each of the learner's turns, against tit-for-tat with questions."""
    me, them = setup.seat, SEATS[1 - setup.learner]
    policies = {me: baseline("question_flood"), them: opponent(setup.opponent.name, words=False)}
    draws = {seat: policy_draws(GAME, seed, seat) for seat in SEATS}
    state: State = GAME.start(setup, seed)
    found, move = [], None
    while state.public.ended is None and len(found) < moves:
        seat = SEATS[state.public.mover]
        view = GAME.view(state, Viewer("player", seat))
        made = policies[seat].act(view, draws[seat])
        if seat == me:
            found.append((view, move, state))
            move = made
        state = GAME.play(state, {seat: made}).state
    return found


def tracked(seen: list[tuple], updates: bool = True) -> Tracker:
    tracker = Tracker(seen[0][0], 1, updates=updates)
    for view, move, _ in seen[1:]:
        tracker.update(view, move)
    return tracker


@pytest.mark.parametrize("scenario", sorted(scenarios()))
@pytest.mark.parametrize("seat", SEATS)
def test_beliefs_are_figures_that_could_be_true(scenario: str, seat: str) -> None:
    for persona in OPPONENTS:
        setup = Setup(scenarios()[scenario], seat, profile(persona))
        seen = views_of(setup, FIRST + 3)
        beliefs = tracked(seen).beliefs()
        width = terms_of(setup.scenario).delta0[1 - setup.learner]
        for one in (beliefs.limit, beliefs.walk_away, beliefs.budget, beliefs.urgency, beliefs.deadline, beliefs.reach):
            assert one.low <= one.median <= one.high
        assert 0.0 < (beliefs.limit.high - beliefs.limit.low) / width < 2.0
        assert 0.0 <= beliefs.has_alternative <= 1.0 and 0.0 <= beliefs.zopa <= 1.0
        assert 12 <= beliefs.deadline.low <= beliefs.deadline.high <= 20
        assert set(beliefs.bars) == {"cooperative", "competitive", "reserved", "flexible"}
        assert all(0.0 <= bar <= 1.0 and 0.0 <= sure <= 1.0 for bar, sure in beliefs.bars.values())


def test_nothing_hidden_enters_the_beliefs() -> None:
    """The same views with every hidden fact of the state behind them changed give the same beliefs: the tracker is
    given views, and a view holds no such fact."""
    setup = Setup(scenarios()["saas_enterprise"], "seller", profile("shark"))
    seen = views_of(setup, FIRST + 1)
    before = msgspec.json.encode(tracked(seen).beliefs())
    changed = []
    for view, move, state in seen:
        theirs = msgspec.structs.replace(state.facts[1], walk_away=state.facts[1].walk_away - 500_000, urgency=0.99)
        other = msgspec.structs.replace(
            state, facts=(state.facts[0], theirs), truths=tuple(not t for t in state.truths)
        )
        changed.append((GAME.view(other, Viewer("player", "seller")), move, other))
        assert changed[-1][0] == view
    assert msgspec.json.encode(tracked(changed).beliefs()) == before


def test_beliefs_are_the_same_every_time() -> None:
    setup = Setup(scenarios()["hiring_package"], "buyer", profile("veteran"))
    seen = views_of(setup, FIRST + 2)
    assert msgspec.json.encode(tracked(seen).beliefs()) == msgspec.json.encode(tracked(seen).beliefs())


def test_without_updates_the_prior_stays() -> None:
    setup = Setup(scenarios()["saas_enterprise"], "seller", profile("veteran"), events=False)
    seen = views_of(setup, FIRST + 5, 5)
    first = tracked(seen[:1], updates=False).beliefs()
    last = tracked(seen, updates=False).beliefs()
    if not any(news for view, _, _ in seen for news in view.public.news):
        assert last.limit == first.limit
    assert tracked(seen).beliefs().limit != first.limit


def test_an_invalid_move_teaches_nothing() -> None:
    setup = Setup(scenarios()["saas_enterprise"], "seller", profile("shark"))
    view, _, state = views_of(setup, FIRST + 4, 3)[-1]
    tracker = tracked(views_of(setup, FIRST + 4, 3))
    before = tracker.beliefs()
    wrong = Move(accept=True, walk=True)
    after = GAME.play(state, {"seller": wrong}).state
    tracker.update(GAME.view(after, Viewer("player", "seller")), wrong)
    assert tracker.beliefs() == before
    assert view.public.turn == after.public.turn


def test_a_person_is_no_persona() -> None:
    setup = Setup(scenarios()["saas_enterprise"], "seller")
    state = next(s for s in (GAME.start(setup, seed) for seed in range(40)) if s.public.mover == 0)
    with pytest.raises(ValueError, match="open"):
        Tracker(GAME.view(state, Viewer("player", "seller")))


def test_the_score_of_a_sample_is_its_closed_form() -> None:
    """A point's score is its distance; of a fair coin's, the mean distance less half the mean distance of two."""
    assert crps(np.array([2.0]), np.array([1.0]), 5.0) == pytest.approx(3.0)
    assert crps(np.array([0.0, 1.0]), np.array([0.5, 0.5]), 0.0) == pytest.approx(0.5 - 0.25)
    found = estimate(np.arange(101.0), np.full(101, 1 / 101))
    assert (found.low, found.median, found.high) == pytest.approx((10.0, 50.0, 90.0), abs=0.6)


@pytest.mark.slow
@pytest.mark.parametrize("persona", OPPONENTS)
def test_intervals_hold_what_they_promise(persona: str) -> None:
    """A small run of what docs/trust.md has at length: coverage of the 80 % intervals, and better than the prior."""
    seeds = range(FIRST + 1000, FIRST + 1160)
    rows = [row for case in cases(seeds, (persona,), "validation", asks=False) for row in watched(case)]
    summary, _ = summed_up(rows)
    assert summary.name == persona
    assert 0.70 <= summary.coverage.value <= 0.90, summary
    late = [row for row in rows if 4 <= row.turn <= 10]
    assert np.mean([row.crps for row in late]) < 0.95 * np.mean([row.crps_prior for row in late])
    opened = [row.width for row in rows if row.turn == 1]
    assert np.mean(opened) >= 0.35

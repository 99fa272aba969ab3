"""Estimates are of what a player could know, cover what is true as often as they say, and know how to be told."""

from __future__ import annotations

import pickle
import subprocess
import sys

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from game import estimates
from game.estimates import Estimator, Unavailable, prior_estimate
from game.scenarios import scenarios
from parlay_env.core import Viewer
from parlay_env.deal.state import SEATS, Profile, Setup
from parlay_env.deal.terms import CENTS, terms_of, to_offer, worth
from parlay_env.deal.value import surplus
from parlay_env.deal.views import truth
from parlay_env.figures import shown
from parlay_env.session import GAME
from tests.game.review.games import seen_by, setup_of

KEYS = {"turn", "source", "limit", "surplus", "has_zopa", "middle", "middle_offer", "bars"}


def first_view(setup: Setup, seed: int):
    state = GAME.start(setup, seed)
    return GAME.view(state, Viewer("player", setup.seat)), state


@pytest.mark.parametrize("name", sorted(scenarios()))
@pytest.mark.parametrize("seat", SEATS)
def test_an_estimate_has_the_form_of_the_pages(name: str, seat: str) -> None:
    setup = setup_of(name, "shark", seat)
    estimator = Estimator()
    for view, move, _ in seen_by(setup, 7001):
        for found in (prior_estimate(view), estimator.add(view, move)):
            assert set(found) == KEYS and found["turn"] == view.public.turn
            assert msgspec.json.decode(msgspec.json.encode(found)) == found
            for name_ in ("limit", "surplus", "middle"):
                one = found[name_]
                assert one is None or one["low"] <= one["median"] <= one["high"]
            assert 0.0 <= found["has_zopa"] <= 1.0 and found["surplus"]["low"] >= 0.0
            assert (found["middle"] is None) == (found["middle_offer"] is None)
            assert (found["bars"] is None) == (found["source"] == "prior")


@pytest.mark.parametrize("name", ["saas_enterprise", "supplier_contract"])
@pytest.mark.parametrize("seat", SEATS)
def test_the_prior_covers_what_is_true_as_often_as_it_says(name: str, seat: str) -> None:
    """An 80 % interval holds the truth in 80 of 100 instances, and the probability of a ZOPA is that of one."""
    setup = setup_of(name, "shark", seat)
    limit, middle, zopa, said = [], [], [], []
    for seed in range(400):
        view, state = first_view(setup, 11 * seed + 3)
        found, real = prior_estimate(view), truth(state)
        figure = shown(terms_of(setup.scenario), real.facts[1 - setup.learner].limit)
        limit.append(found["limit"]["low"] <= figure <= found["limit"]["high"])
        zopa.append(real.zopa)
        said.append(found["has_zopa"])
        if real.nash is not None:
            gain = surplus(state, setup.learner, real.nash) / CENTS
            middle.append(found["middle"]["low"] <= gain <= found["middle"]["high"])
    assert abs(np.mean(limit) - 0.8) < 0.07  # 3.5 standard errors
    assert abs(np.mean(middle) - 0.8) < 0.07
    assert abs(np.mean(zopa) - np.mean(said)) < 0.06


def test_the_tracker_covers_too_and_learns() -> None:
    cover, widths, priors = [], [], []
    for seed in range(24):
        for persona in ("shark", "diplomat", "veteran"):
            setup = setup_of("hiring_package", persona, SEATS[seed % 2])
            seen = seen_by(setup, 9000 + 3 * seed, moves=7)
            found = estimates.estimates([(view, move) for view, move, _ in seen])[-1]
            real = truth(seen[-1][2])
            if real.nash is None or found["middle"] is None:
                continue
            gain = surplus(seen[-1][2], setup.learner, real.nash) / CENTS
            cover.append(found["middle"]["low"] <= gain <= found["middle"]["high"])
            prior = prior_estimate(seen[0][0])
            widths.append(found["middle"]["high"] - found["middle"]["low"])
            priors.append(prior["middle"]["high"] - prior["middle"]["low"])
    assert len(cover) > 40 and np.mean(cover) > 0.6
    assert np.mean(widths) < 0.8 * np.mean(priors)


def test_the_middle_offer_is_worth_the_middle() -> None:
    for name in ("saas_enterprise", "supplier_contract"):
        setup = setup_of(name, "veteran", "buyer")
        terms = terms_of(setup.scenario)
        estimator = Estimator()
        for view, move, _ in seen_by(setup, 7007, moves=6):
            for found in (prior_estimate(view), estimator.add(view, move)):
                if found["middle"] is None:
                    continue
                offer = to_offer(terms, found["middle_offer"])
                gain = (worth(view.own.utility, offer) - view.own.limit) / CENTS
                assert gain == pytest.approx(found["middle"]["median"], abs=0.03 * terms.delta0[1] / CENTS)


def test_nothing_hidden_enters() -> None:
    """Other hidden facts, shocks and truths of claims behind the same views: the same estimates, byte for byte."""
    setup = setup_of("saas_enterprise", "shark")
    seen = seen_by(setup, 7003, moves=6)
    changed = []
    for _, move, state in seen:
        theirs = replace(state.facts[1], walk_away=state.facts[1].walk_away - 700_000, urgency=0.99, deadline=12)
        other = replace(state, facts=(state.facts[0], theirs), truths=tuple(not t for t in state.truths))
        assert truth(other) != truth(state)
        changed.append((GAME.view(other, Viewer("player", "seller")), move))
    one = estimates.estimates([(view, move) for view, move, _ in seen])
    assert msgspec.json.encode(one) == msgspec.json.encode(estimates.estimates(changed))
    assert [prior_estimate(view) for view, _, _ in seen] == [prior_estimate(view) for view, _ in changed]


def test_an_estimator_goes_on_after_it_was_pickled() -> None:
    setup = setup_of("supplier_contract", "diplomat", "buyer")
    seen = [(view, move) for view, move, _ in seen_by(setup, 7004, moves=5)]
    whole = estimates.estimates(seen)
    estimator, found = Estimator(), []
    for view, move in seen:
        estimator = pickle.loads(pickle.dumps(estimator))
        found.append(estimator.add(pickle.loads(pickle.dumps(view)), move))
    assert found == whole


def test_after_the_end_the_last_estimate_stands() -> None:
    setup = setup_of()
    seen = seen_by(setup, 7005, moves=3)
    estimator = Estimator()
    last = [estimator.add(view, move) for view, move, _ in seen][-1]
    state = GAME.play(seen[-1][2], {"seller": replace(seen[1][1], walk=True, offer=None, card="", question="")}).state
    assert state.public.ended is not None
    assert estimator.add(GAME.view(state, Viewer("player", "seller")), None) == last


def test_a_person_opposite_has_a_prior_and_no_tracker() -> None:
    setup = Setup(scenarios()["saas_enterprise"], "seller", Profile(), both_graded=True)
    view, _ = first_view(setup, 4)
    assert prior_estimate(view)["source"] == "prior"
    with pytest.raises(Unavailable, match="scripted opponent"):
        Estimator().add(view, None)


def test_two_games_are_not_mixed() -> None:
    estimator = Estimator()
    estimator.add(first_view(setup_of(), 4)[0], None)
    with pytest.raises(ValueError, match="two different games"):
        estimator.add(first_view(setup_of(seat="buyer"), 4)[0], None)


def test_the_prior_loads_nothing_compiled() -> None:
    """A server may answer with it before anything heavy is loaded."""
    program = (
        "import sys, game.estimates; from game.scenarios import scenarios; from parlay_env.deal.state import Setup;"
        "from parlay_env.session import GAME; from parlay_env.core import Viewer;"
        "s = Setup(scenarios()['supplier_contract']);"
        "game.estimates.prior_estimate(GAME.view(GAME.start(s, 1), Viewer('player', 'seller')));"
        "print('numba' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]

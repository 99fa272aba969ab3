"""Haggling over a quantity and a price: utilities by the formulas, worths that are private, bounds that hold."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.games.registry import entry
from agent.games.size_price import aspiration, best_offer, bounds, demand, utility
from parlay_env.core import Viewer, play_episode
from parlay_env.games.interface import TRIES
from parlay_env.games.size_price import (
    COSTS,
    LEAST_SCALE,
    PRICES,
    SEATS,
    UNITS,
    VALUES,
    Move,
    Offer,
    Setup,
    SizePrice,
    State,
    View,
    best_surplus,
    buyer_utility,
    harmonic,
    payoffs,
    seller_utility,
)

GAME = SizePrice()
values, costs = st.integers(*VALUES), st.integers(*COSTS)
offers = st.builds(Offer, st.integers(*UNITS), st.integers(*PRICES))


def illegal(view: View, r: random.Random) -> Move:
    return r.choice(
        [
            Move(),
            Move(talk="hello"),
            Move(play=Offer(0, 10)),
            Move(play=Offer(21, 10)),
            Move(play=Offer(1, 201)),
            Move(play=Offer(10**30, -1)),
            Move(text="<play>4 at 2.50</play>"),
            Move(play="accept") if not view.offers else Move(text="accept"),
            *[Move(play=Offer(3, 40)), Move(think="hm", text=None, play=Offer(1, 1))] * 4,
            *[Move(text="<think>so</think><play>4 at 25</play>")] * 3,
        ]
    )


def step(state: State, move: Move) -> State:
    (seat,) = GAME.to_move(state)
    return GAME.play(state, {seat: move}).state


def begun(setup: Setup, began: int = 0) -> State:
    """A first state in which this seat begins."""
    return next(state for seed in range(50) if (state := GAME.start(setup, seed)).began == began)


def seen(state: State, seat: str) -> Any:
    return msgspec.to_builtins(GAME.view(state, Viewer("player", seat)))


def dealt(value: int, cost: int, offer: Offer) -> tuple[State, dict[str, float]]:
    state = step(begun(Setup(value=value, cost=cost)), Move(play=offer))
    last = GAME.play(state, {"seller": Move(play="accept")})
    return last.state, {seat: terms["utility"] for seat, terms in last.rewards.items()}


def test_the_utilities_are_those_of_the_formulas() -> None:
    assert harmonic(4) == pytest.approx(25 / 12)
    assert buyer_utility(120, Offer(4, 30)) == pytest.approx(250 - 120)
    assert seller_utility(20, Offer(4, 30)) == 40.0
    assert best_surplus(120, 30) == pytest.approx(250 - 120)
    assert best_surplus(30, 30) == best_surplus(30, 50) == 0.0


@given(values, costs)
def test_the_best_surplus_is_at_the_unit_that_just_pays_its_cost(value: int, cost: int) -> None:
    units = value // cost
    assert best_surplus(value, cost) == pytest.approx(value * harmonic(units) - units * cost)


def test_a_deal_pays_each_its_utility_in_shares_of_the_best_surplus() -> None:
    state, paid = dealt(120, 30, Offer(4, 45))
    assert paid == pytest.approx({"buyer": 70 / 130, "seller": 60 / 130})
    found = GAME.measures(state, "buyer")
    assert found["bp"] == pytest.approx(70 / 130)
    assert found["efficiency"] == pytest.approx(1.0)
    assert found["utility"] == pytest.approx(70.0)
    assert found["nra"] == pytest.approx(10 / 130)
    assert GAME.measures(state, "seller")["bp"] == pytest.approx(60 / 130)
    smaller = GAME.measures(dealt(120, 30, Offer(1, 45))[0], "buyer")
    assert smaller["efficiency"] == pytest.approx(90 / 130)


def test_without_a_deal_nobody_gains_and_no_share_is_measured() -> None:
    state = begun(Setup(turns=4))
    for _ in range(3):
        state = step(state, Move(play=Offer(1, 30)))
    assert seen(state, SEATS[1])["turns_left"] == 1
    last = GAME.play(state, {SEATS[1]: Move(play=Offer(1, 30))})
    assert last.rewards == {seat: {"utility": 0.0} for seat in SEATS}
    assert last.events[0].data == {"reason": "no_deal"}
    found = GAME.measures(last.state, "buyer")
    assert found["deal"] == found["reward"] == 0.0
    assert not {"bp", "nra", "nra_abs"} & set(found)


def test_shares_of_nothing_are_left_out() -> None:
    state, paid = dealt(30, 50, Offer(1, 40))
    assert paid == {"buyer": -10 / LEAST_SCALE, "seller": -10 / LEAST_SCALE}
    found = GAME.measures(state, "buyer")
    assert not {"bp", "efficiency"} & set(found)
    assert found["nra"] == 0.0


@given(values, costs, offers)
def test_rewards_keep_their_bounds_which_touch_no_deal_that_costs_nobody(value: int, cost: int, offer: Offer) -> None:
    paid = dealt(value, cost, offer)[1]
    assert all(-1.0 <= reward <= 1.0 for reward in paid.values())
    raw = {"buyer": buyer_utility(value, offer), "seller": seller_utility(cost, offer)}
    if min(raw.values()) >= 0.0:
        scale = max(best_surplus(value, cost), LEAST_SCALE)
        assert paid == pytest.approx({seat: worth / scale for seat, worth in raw.items()})


@given(st.integers(0, 2**53 - 1), values, costs, st.lists(offers, max_size=9))
def test_the_others_worth_and_thoughts_are_nowhere_in_a_view(
    seed: int, value: int, cost: int, made: list[Offer]
) -> None:
    """Two episodes that differ in the seller's cost and thoughts look the same to the buyer, and the reverse."""
    one, two = GAME.start(Setup(value=value), seed), GAME.start(Setup(value=value, cost=cost), seed)
    three, four = GAME.start(Setup(cost=cost), seed), GAME.start(Setup(cost=cost, value=value), seed)
    for offer in made:
        assert seen(one, "buyer") == seen(two, "buyer")
        assert seen(three, "seller") == seen(four, "seller")
        sellers = "seller" in GAME.to_move(one)
        one, three = (step(state, Move(play=offer)) for state in (one, three))
        two = step(two, Move(think="MARK" if sellers else "", play=offer))
        four = step(four, Move(think="" if sellers else "MARK", play=offer))


def test_an_observer_has_both_worths_as_truth_alone() -> None:
    view = GAME.view(begun(Setup(value=120, cost=30)), Viewer("observer"))
    assert (view.value, view.cost, view.standing) == (None, None, None)
    assert view.truth is not None
    assert (view.truth.value, view.truth.cost) == (120, 30)


def test_the_seed_draws_the_worths_in_their_ranges_and_mostly_there_are_gains() -> None:
    states = [GAME.start(Setup(), seed) for seed in range(2000)]
    assert {min(s.value for s in states), max(s.value for s in states)} == set(VALUES)
    assert {min(s.cost for s in states), max(s.cost for s in states)} == set(COSTS)
    assert 0.02 < sum(best_surplus(s.value, s.cost) == 0.0 for s in states) / 2000 < 0.08
    assert 800 < sum(s.began for s in states) < 1200


def test_what_the_standing_offer_is_worth_is_told_to_who_may_accept_it() -> None:
    state = step(begun(Setup(value=120, cost=30)), Move(play=Offer(2, 40)))
    assert seen(state, "seller")["standing"] == 20.0
    assert seen(state, "buyer")["standing"] is None
    state = step(state, Move(play=Offer(2, 50)))
    assert seen(state, "buyer")["standing"] == 80.0
    assert seen(step(state, Move(play="accept")), "seller")["deal"] == {"units": 2, "price": 50}


@pytest.mark.parametrize(
    ("move", "code"),
    [
        (Move(play="accept"), "nothing_to_accept"),
        (Move(talk="hello"), "no_talk"),
        (Move(text="<talk>hello</talk>"), "no_talk"),
        (Move(play=Offer(21, 5)), "no_such_offer"),
        (Move(play=Offer(5, 0)), "no_such_offer"),
        (Move(text="<play>5 at 0</play>"), "no_such_offer"),
        (Move(text="<play>5 for 10</play>"), "no_offer"),
        (Move(text="<play>5 at 10 at 3</play>"), "no_offer"),
        (Move(text="<play>५ at 10</play>"), "no_offer"),
        (Move(text="5 at 10"), "format"),
    ],
)
def test_a_move_that_is_not_allowed_is_refused_to_who_made_it(move: Move, code: str) -> None:
    state = begun(Setup())
    refused = step(state, move)
    assert seen(refused, "buyer")["invalid"]["code"] == code
    assert seen(refused, "seller") == seen(state, "seller")
    assert seen(step(refused, Move(text="<play>5 at 10</play>")), "seller")["offers"] == ({"units": 5, "price": 10},)


def test_eight_refused_moves_of_one_seat_make_the_episode_void_for_the_other() -> None:
    state = step(begun(Setup()), Move(play=Offer(1, 10)))
    for _ in range(TRIES):
        assert GAME.to_move(state) == {"seller"}
        state = step(state, Move(talk="hello"))
    assert not GAME.to_move(state)
    assert GAME.measures(state, "buyer") == {"void": 1.0}
    assert GAME.measures(state, "seller")["error"] == 1.0


@pytest.mark.parametrize(
    "setup", [Setup(turns=1), Setup(turns=41), Setup(value=29), Setup(value=151), Setup(cost=9), Setup(cost=51)]
)
def test_a_setup_that_can_not_be_played_is_refused(setup: Setup) -> None:
    with pytest.raises(ValueError, match="whole number from"):
        GAME.start(setup, 1)


def test_the_payoffs_pay_the_same_offer_alone() -> None:
    grid = (Offer(2, 40), Offer(3, 35))
    buyer, seller = payoffs(120, 30, grid)
    assert buyer == ((buyer_utility(120, grid[0]), 0.0), (0.0, buyer_utility(120, grid[1])))
    assert seller == ((20.0, 0.0), (0.0, 15.0))


@given(st.one_of(values.map(lambda v: Setup(value=v)), costs.map(lambda c: Setup(cost=c))), st.floats(0.0, 0.8))
def test_a_demand_is_worth_what_is_asked_for(setup: Setup, share: float) -> None:
    seat = "buyer" if setup.value is not None else "seller"
    view = GAME.view(GAME.start(setup, 1), Viewer("player", seat))
    assert utility(view, demand(view, share * aspiration(view))) >= share * aspiration(view) - 1e-9


@given(values, costs, st.lists(offers, max_size=9))
def test_what_the_others_figure_may_be_is_never_empty(value: int, cost: int, made: list[Offer]) -> None:
    state = GAME.start(Setup(value=value, cost=cost), 1)
    for offer in made:
        state = step(state, Move(play=offer))
    for seat in SEATS:
        low, high = bounds(GAME.view(state, Viewer("player", seat)))
        assert low <= high


@settings(max_examples=25)
@given(values, costs, st.lists(offers, max_size=4))
def test_who_reckons_makes_the_offer_that_trying_all_of_them_finds(value: int, cost: int, made: list[Offer]) -> None:
    state = GAME.start(Setup(value=value, cost=cost), 1)
    for offer in made:
        state = step(state, Move(play=offer))
    for seat in SEATS:
        view = GAME.view(state, Viewer("player", seat))
        low, high = bounds(view)
        figures = range(low, high + 1)

        def taken(offer: Offer, seat: str = seat, figures: range = figures) -> int:
            """By how many of the other's figures it is accepted: those to which it is a gain."""
            if seat == "buyer":
                return sum(seller_utility(figure, offer) > 0.0 for figure in figures)
            return sum(buyer_utility(figure, offer) > 1e-9 for figure in figures)

        best, found = best_offer(view)
        grid = [Offer(units, price) for units in range(1, 21) for price in range(1, 201, 7)]
        most = max(utility(view, offer) * taken(offer) / len(figures) for offer in grid)
        assert best >= most - 1e-9
        if best > 0.0:
            assert best == pytest.approx(utility(view, found) * taken(found) / len(figures))


def mean(buyer: str, seller: str, name: str, seat: str = "buyer") -> float:
    who, found = entry("size_price"), []
    for seed in range(60):
        players = {"buyer": who.player(buyer), "seller": who.player(seller)}
        measured = GAME.measures(play_episode(GAME, Setup(), seed, players).state, seat)
        found += [measured[name]] if name in measured else []
    return sum(found) / len(found)


def test_two_that_concede_mostly_agree_and_on_even_shares() -> None:
    assert mean("conceder", "conceder", "deal") > 0.7
    assert 0.4 < mean("conceder", "conceder", "bp") < 0.6


def test_who_reckons_gets_the_greater_share_of_who_concedes() -> None:
    assert mean("best_responder", "conceder", "bp") > 0.6
    assert mean("conceder", "best_responder", "bp", "seller") > 0.6


@pytest.mark.parametrize("name", [name for name in entry("size_price").players if name != "random"])
def test_no_player_but_the_random_one_ever_loses_by_a_deal(name: str) -> None:
    who = entry("size_price")
    for seed in range(40):
        episode = play_episode(GAME, Setup(), seed, {"buyer": who.player(name), "seller": who.player(name)})
        assert all(episode.total(seat) >= 0.0 for seat in SEATS)

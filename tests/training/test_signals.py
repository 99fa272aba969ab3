"""ISE, SRP and LO are what their formulas say, on tables small enough to work out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.signals import NOTHING, SignalError, distribution, ise, lo, offers_table, regret, signals, srp

RPS = [[1, 0, 2], [2, 1, 0], [0, 2, 1]]
"""Rock, paper, scissors: a win pays 2, a tie 1."""
EVEN = [1 / 3, 1 / 3, 1 / 3]
ROCK, PAPER = [1, 0, 0], [0, 1, 0]

shares = st.lists(st.floats(0.01, 1), min_size=2, max_size=5).map(lambda found: np.array(found) / sum(found))
pairs = st.integers(2, 5).flatmap(
    lambda n: st.tuples(*(st.lists(st.floats(0.01, 1), min_size=n, max_size=n) for _ in range(2)))
)


@pytest.mark.parametrize("figures", [[10**400, 1], ["a", "b"], [None, 1], [[1], [1, 2]]], ids=repr)
def test_what_is_no_figure_is_told_as_such(figures: list[object]) -> None:
    with pytest.raises(SignalError):
        distribution(figures)  # type: ignore[arg-type]


# ISE ------------------------------------------------------------------------------------------------------------------


def test_ise_is_the_divergence_of_the_belief_from_the_truth_and_not_the_other_way_about() -> None:
    belief, truth = [0.75, 0.25], [0.5, 0.5]
    assert ise(belief, truth) == pytest.approx(-(0.75 * math.log(1.5) + 0.25 * math.log(0.5)))
    assert ise(truth, belief) == pytest.approx(-(0.5 * math.log(2 / 3) + 0.5 * math.log(2)))
    assert ise(belief, truth) != pytest.approx(ise(truth, belief))


@given(pairs)
def test_no_belief_beats_the_truth(both: tuple[list[float], list[float]]) -> None:
    belief, truth = (np.array(one) / sum(one) for one in both)
    assert ise(truth, truth) == 0
    assert ise(belief, truth) <= 0
    assert ise(belief, truth, smoothing=0.1) <= 0 == ise(truth, truth, smoothing=0.1)


def test_a_chance_for_what_never_happens_is_infinitely_wrong_unless_both_are_smoothed() -> None:
    assert ise(EVEN, ROCK) == -math.inf
    assert ise(ROCK, EVEN) == pytest.approx(-math.log(3))
    for smoothing in (0.3, 0.01, 1e-6):
        found = ise(EVEN, ROCK, smoothing=smoothing)
        assert math.isfinite(found) and found < -0.2
    assert ise(ROCK, PAPER, smoothing=0.3) == pytest.approx(-(0.8 * math.log(8) + 0.1 * math.log(1 / 8)))
    assert ise(ROCK, ROCK, smoothing=0.3) == 0
    assert math.copysign(1, ise(ROCK, ROCK)) == 1, "no minus zero"


# SRP and LO -----------------------------------------------------------------------------------------------------------


def test_srp_goes_from_the_worst_move_to_the_best_under_the_belief() -> None:
    assert [srp(move, ROCK, RPS) for move in np.eye(3)] == [0.5, 1, 0]
    assert srp(EVEN, ROCK, RPS) == pytest.approx(0.5)
    assert srp([0, 0.5, 0.5], ROCK, RPS) == pytest.approx(0.5)


def test_where_no_move_is_better_any_strategy_is_best() -> None:
    assert srp(ROCK, EVEN, RPS) == 1
    assert srp(ROCK, EVEN, np.zeros((3, 3))) == 1
    assert srp([1, 0], [1], [[1e-15], [2e-15]]) == 0, "small figures are figures"


def test_lo_is_the_best_that_was_to_be_had_and_regret_what_was_left_of_it() -> None:
    assert lo(ROCK, RPS) == 2
    assert lo(EVEN, RPS) == pytest.approx(1)
    assert lo([0.6, 0.4, 0], RPS) == pytest.approx(1.6)
    assert regret(PAPER, ROCK, RPS) == 0
    assert regret(ROCK, ROCK, RPS) == 1
    assert regret(EVEN, [0.6, 0.4, 0], RPS) == pytest.approx(0.6)


def test_a_wrong_belief_acted_on_and_a_right_one_left_unused_are_told_apart() -> None:
    misled = signals([0, 0, 1], PAPER, ROCK, RPS, smoothing=0.01)
    unused = signals(ROCK, ROCK, ROCK, RPS, smoothing=0.01)
    assert misled.srp == 1 and misled.ise < -3 and misled.regret == 2
    assert unused.srp == 0.5 and unused.ise == 0 and unused.regret == 1
    assert misled.lo == unused.lo == 2


@given(shares, shares, st.integers(0, 2**16), st.floats(0.1, 50), st.floats(-20, 20))
def test_srp_is_of_the_order_of_pay_offs_and_lo_of_their_unit(
    strategy: np.ndarray, truth: np.ndarray, seed: int, scale: float, shift: float
) -> None:
    table = np.random.default_rng(seed).normal(size=(len(strategy), len(truth)))
    other = scale * table + shift
    assert 0 <= srp(strategy, truth, table) <= 1
    assert srp(strategy, truth, other) == pytest.approx(srp(strategy, truth, table), abs=1e-6)
    assert lo(truth, other) == pytest.approx(scale * lo(truth, table) + shift, abs=1e-6)
    assert regret(strategy, truth, other) == pytest.approx(scale * regret(strategy, truth, table), abs=1e-6)


# What is no input -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [[], [[0.5, 0.5]], [0.5, 0.6], [1.5, -0.5], [math.nan, 1], [math.inf, 1], ["a", "b"], [[1], [1, 2]], 1.0],
)
def test_what_is_no_distribution_is_refused(given: object) -> None:
    with pytest.raises(SignalError, match="a belief"):
        distribution(given, "a belief")


def test_single_precision_is_exact_enough() -> None:
    assert distribution(np.full(3, 1 / 3, dtype=np.float32)).sum() == pytest.approx(1, abs=1e-15)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(SignalError, match="about none of 2"):
        ise(EVEN, [0.5, 0.5])
    with pytest.raises(SignalError, match="strategy is over 2 moves, and the table has 3"):
        srp([0.5, 0.5], EVEN, RPS)
    with pytest.raises(SignalError, match="truth is over 2 moves"):
        lo([0.5, 0.5], RPS)
    for table in ([1, 2, 3], [[1, math.nan, 2]], [], [[1, 2], [3]]):
        with pytest.raises(SignalError, match="payoffs"):
            lo(EVEN, table)
    for smoothing in (-0.1, 1, math.nan):
        with pytest.raises(SignalError, match="smoothing"):
            ise(EVEN, EVEN, smoothing=smoothing)


# Units and prices -----------------------------------------------------------------------------------------------------


def test_a_table_of_offers_pays_both_by_their_utilities_where_the_offer_is_taken() -> None:
    found = offers_table([1, 2, 3], [4, 6], v=12, c=3)
    assert found.offers.tolist() == [[1, 4], [1, 6], [2, 4], [2, 6], [3, 4], [3, 6]]
    mine = [12 - 4, 12 - 6, 18 - 8, 18 - 12, 22 - 12, 22 - 18]
    theirs = [1, 3, 2, 6, 3, 9]
    assert found.thresholds.tolist() == [1, 2, 3, 6, 9, NOTHING]
    for k, (buyer, seller) in enumerate(zip(mine, theirs, strict=True)):
        for j, threshold in enumerate(found.thresholds):
            taken = seller >= threshold
            assert found.proposer[k, j] == pytest.approx(buyer if taken else 0)
            assert found.responder[j, k] == (seller if taken else 0)


def test_who_knows_the_threshold_offers_what_just_meets_it() -> None:
    found = offers_table([1, 2, 3], [4, 6], v=12, c=3)
    for j, threshold in enumerate(found.thresholds[:-1]):
        truth = np.eye(len(found.thresholds))[j]
        best = int(found.proposer[:, j].argmax())
        u, p = found.offers[best]
        assert lo(truth, found.proposer) == found.proposer[best, j] > 0
        assert u * (p - 3) >= threshold
    taken_all = np.eye(len(found.thresholds))[0]
    assert lo(taken_all, found.proposer) == pytest.approx(10)


def test_a_seller_offers_too_and_nothing_taken_is_worth_what_there_is_otherwise() -> None:
    found = offers_table([2], [5, 6], v=12, c=3, proposer="seller", otherwise=(1.0, 0.5))
    assert found.proposer[:, -1].tolist() == [1, 1] and found.responder[-1].tolist() == [0.5, 0.5]
    assert found.proposer[:, 0].tolist() == [4, 6]
    assert found.responder[0].tolist() == [8, 6]


@pytest.mark.parametrize(
    ("units", "prices", "v"), [([], [1], 1), ([1], [], 1), ([0], [1], 1), ([1.5], [1], 1), ([1], [1], math.nan)]
)
def test_a_grid_without_offers_is_refused(units: list, prices: list, v: float) -> None:
    with pytest.raises(SignalError):
        offers_table(units, prices, v=v, c=1)

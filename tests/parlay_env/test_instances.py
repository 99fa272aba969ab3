"""Instances, by statistics over thousands of seeds. Bounds are four standard errors unless said otherwise."""

from __future__ import annotations

from functools import cache

import pytest

from parlay_env.deal.prior import mean_errors, prior_of
from parlay_env.deal.state import SEATS, State
from parlay_env.deal.terms import terms_of
from parlay_env.deal.value import surplus, zopa_exists
from parlay_env.deal.views import truth
from tests.world import GAME, PRICE_IDS, SCENARIO_IDS, SCENARIOS, mean_and_error, setup, share_error

COUNT = 3000
URGENCY = {"saas_enterprise": 0.55, "hiring_package": 0.60, "acquisition_term_sheet": 0.65, "supplier_contract": 0.60}
ALTERNATIVE = {"saas_enterprise": 0.7, "hiring_package": 0.3, "acquisition_term_sheet": 0.7, "supplier_contract": 0.5}
DECLARED = {
    "saas_enterprise": (125_000, 165_000, 180_000, 110_000),
    "hiring_package": (195_000, 230_000, 240_000, 180_000),
    "acquisition_term_sheet": (10_500_000, 16_000_000, 18_000_000, 9_000_000),
}

each = pytest.mark.parametrize(("name", "seat"), [(n, s) for n in SCENARIO_IDS for s in SEATS])


@cache
def starts(name: str, seat: str) -> tuple[State, ...]:
    """Thousands of instances of a scenario, the learner in this seat."""
    chosen = setup(name, "shark", seat=seat)
    return tuple(GAME.start(chosen, seed) for seed in range(COUNT))


def uniform(values: list[float], low: float, high: float, slack: float = 0.0) -> None:
    """These figures look uniform between two ends: none beyond them, every fifth as full as the others."""
    assert low - slack <= min(values) <= low + 0.02 * (high - low) + slack
    assert high + slack >= max(values) >= high - 0.02 * (high - low) - slack
    for k in range(5):
        a, b = low + k * (high - low) / 5, low + (k + 1) * (high - low) / 5
        share = sum(a <= v < b for v in values) / len(values)
        assert abs(share - 0.2) < 4.5 * share_error(0.2, len(values)), (k, share)


def test_declared_figures_are_as_published() -> None:
    for name, (low, high, seller, buyer) in DECLARED.items():
        s = SCENARIOS[name]
        assert (s.seller.limit, s.buyer.limit, s.seller.anchor, s.buyer.anchor) == (low, high, seller, buyer)
        assert terms_of(s).delta0 == ((high - low) * 100,) * 2


def test_the_width_of_several_issues_is_about_thirty_five_hundredths_of_the_stake() -> None:
    terms = terms_of(SCENARIOS["supplier_contract"])
    assert terms.scenario.stake == 4_000_000
    mean = sum(terms.delta0) / 2 / (100 * terms.scenario.stake)
    assert mean == pytest.approx(0.35, abs=0.01)


@each
def test_the_learners_walk_away_is_uniform_around_the_declared_one_and_stricter_with_an_alternative(
    name: str, seat: str
) -> None:
    me = SEATS.index(seat)
    terms = terms_of(SCENARIOS[name])
    offsets = []
    for state in starts(name, seat):
        own = state.facts[me]
        offsets.append((own.walk_away - terms.limits[me]) / terms.delta0[me] - 0.10 * own.has_alternative)
    uniform(offsets, -0.45, 0.45, slack=0.002)


@each
def test_half_the_seats_have_a_budget_tighter_by_three_to_fifteen_hundredths(name: str, seat: str) -> None:
    for who in (0, 1):
        depths = [
            (s.facts[who].budget - s.facts[who].walk_away) / terms_of(SCENARIOS[name]).delta0[who]  # pyright: ignore[reportOptionalOperand]
            for s in starts(name, seat)
            if s.facts[who].budget is not None
        ]
        assert 0.03 - 0.002 <= min(depths) <= max(depths) <= 0.15 + 0.002
        if who == SEATS.index(seat):  # the other's is drawn again where there would be no ZOPA
            assert abs(len(depths) / COUNT - 0.5) < 4 * share_error(0.5, COUNT)
            uniform(depths, 0.03, 0.15, slack=0.002)
        assert 0.4 < len(depths) / COUNT < 0.56


@each
def test_the_limit_is_the_tighter_of_walk_away_and_budget(name: str, seat: str) -> None:
    for state in starts(name, seat)[:200]:
        for own in state.facts:
            assert own.limit == max(own.walk_away, own.budget if own.budget is not None else own.walk_away)


@each
def test_urgency_is_uniform_about_the_scenarios(name: str, seat: str) -> None:
    for who in (0, 1):
        values = [s.facts[who].urgency for s in starts(name, seat)]
        uniform(values, URGENCY[name] - 0.30, URGENCY[name] + 0.30, slack=0.006)


@each
def test_an_alternative_is_as_frequent_as_the_scenario_says_for_either_seat(name: str, seat: str) -> None:
    p = ALTERNATIVE[name]
    for who in (0, 1):
        share = sum(s.facts[who].has_alternative for s in starts(name, seat)) / COUNT
        assert abs(share - p) < 4 * share_error(p, COUNT)


@each
def test_the_opponents_deadline_is_twelve_to_twenty_and_the_learners_twenty(name: str, seat: str) -> None:
    me = SEATS.index(seat)
    assert {s.facts[me].deadline for s in starts(name, seat)} == {20}
    theirs = [s.facts[1 - me].deadline for s in starts(name, seat)]
    for turn in range(12, 21):
        assert abs(theirs.count(turn) / COUNT - 1 / 9) < 4.5 * share_error(1 / 9, COUNT)


@each
def test_a_tenth_has_no_zopa_whatever_ones_own_limit(name: str, seat: str) -> None:
    me = SEATS.index(seat)
    found = sorted((s.facts[me].limit, not zopa_exists(s)) for s in starts(name, seat))
    without = [w for _, w in found]
    assert abs(sum(without) / COUNT - 0.10) < 4 * share_error(0.10, COUNT)
    third = COUNT // 3
    for k in range(3):
        share = sum(without[k * third : (k + 1) * third]) / third
        assert abs(share - 0.10) < 4 * share_error(0.10, third)


@each
def test_nothing_of_ones_own_tells_whether_there_is_a_zopa(name: str, seat: str) -> None:
    me = SEATS.index(seat)
    for fact in (lambda f: f.urgency > URGENCY[name], lambda f: f.has_alternative, lambda f: f.budget is None):
        for side in (True, False):
            without = [not zopa_exists(s) for s in starts(name, seat) if fact(s.facts[me]) == side]
            assert abs(sum(without) / len(without) - 0.10) < 4.5 * share_error(0.10, len(without))


@each
def test_where_there_is_no_zopa_the_opponents_limit_is_a_little_beyond_the_learners(name: str, seat: str) -> None:
    me, other = SEATS.index(seat), 1 - SEATS.index(seat)
    width = terms_of(SCENARIOS[name]).delta0[other]
    gaps = []
    for state in starts(name, seat):
        if not zopa_exists(state):
            reach = truth(state).reach[other]
            assert reach is not None
            gaps.append((state.facts[other].limit - reach) / width)
            assert truth(state).nash is None
    assert min(gaps) >= 0.02 - 0.004
    assert max(gaps) <= 0.30 + 0.004
    mean, error = mean_and_error(gaps)
    assert abs(mean - 0.16) < 4 * error + 0.002
    assert me != other


@pytest.mark.parametrize("name", PRICE_IDS)
def test_limits_and_prices_lie_on_the_step(name: str) -> None:
    step = round(SCENARIOS[name].issues[0].step * 100)
    for state in starts(name, "seller")[:300]:
        for own in state.facts:
            assert own.walk_away % step == 0
            assert (own.budget or 0) % step == 0


def test_private_weights_are_within_a_tenth_of_the_declared_ones_and_sum_to_one() -> None:
    declared = {"seller": (0.55, 0.15, 0.30), "buyer": (0.50, 0.35, 0.15)}
    for state in starts("supplier_contract", "seller"):
        for seat, name in enumerate(SEATS):
            weights = state.facts[seat].weights
            assert sum(weights) == pytest.approx(1.0, abs=2e-4)
            lows = [max(0.02, w - 0.10) for w in declared[name]]
            highs = [w + 0.10 for w in declared[name]]
            least = [low / (low + sum(highs) - high) for low, high in zip(lows, highs, strict=True)]
            most = [high / (high + sum(lows) - low) for low, high in zip(lows, highs, strict=True)]
            for w, a, b in zip(weights, least, most, strict=True):
                assert a - 1e-3 <= w <= b + 1e-3
    for seat, name in enumerate(SEATS):
        for k, weight in enumerate(declared[name]):
            mean, error = mean_and_error([s.facts[seat].weights[k] for s in starts("supplier_contract", "seller")])
            assert abs(mean - weight) < 4 * error + 0.01


def test_the_utility_of_several_issues_is_the_stake_times_weight_times_place() -> None:
    for state in starts("supplier_contract", "seller")[:50]:
        counts = terms_of(SCENARIOS["supplier_contract"]).counts
        for seat, own in enumerate(state.facts):
            for offer in ((0, 0, 0), (80, 3, 3), (40, 1, 2), (80, 0, 3), (0, 3, 0)):
                places = [k / (n - 1) for k, n in zip(offer, counts, strict=True)]
                rises = (0, 1, 0)  # price and order size rise for the seller, payment days for the buyer
                own_places = [p if r == seat else 1 - p for p, r in zip(places, rises, strict=True)]
                value = 4_000_000 * sum(w * p for w, p in zip(own.weights, own_places, strict=True))
                assert surplus(state, seat, offer) + own.limit == pytest.approx(100 * value, abs=100 * 200)


@each
def test_the_public_prior_has_the_right_mean_and_range_where_there_is_a_zopa(name: str, seat: str) -> None:
    other = 1 - SEATS.index(seat)
    terms = terms_of(SCENARIOS[name])
    prior, width = prior_of(terms, other), terms.delta0[other]
    found = [s.facts[other] for s in starts(name, seat) if zopa_exists(s)]
    walk = [own.walk_away for own in found]
    budget = [own.walk_away if own.budget is None else own.budget for own in found]
    assert prior.walk_away.low - 0.002 * width <= min(walk) <= max(walk) <= prior.walk_away.high + 0.002 * width
    assert prior.budget.low - 0.002 * width <= min(budget) <= max(budget) <= prior.budget.high + 0.002 * width
    # Limits too tight for a ZOPA are drawn again, which loosens the mean by a little.
    assert abs(sum(walk) / len(walk) - prior.walk_away.mean) < 0.03 * width
    assert abs(sum(budget) / len(budget) - prior.budget.mean) < 0.03 * width


@each
def test_the_mean_errors_of_the_prior_are_what_instances_show(name: str, seat: str) -> None:
    other = 1 - SEATS.index(seat)
    terms = terms_of(SCENARIOS[name])
    prior, width, means = prior_of(terms, other), terms.delta0[other], mean_errors(terms)
    found = [s.facts[other] for s in starts(name, seat)]

    def mean(values: list[float]) -> float:
        return sum(values) / len(values)

    walk = mean([abs(own.walk_away - prior.walk_away.mean) / width for own in found])
    assert walk == pytest.approx(means.walk_away, rel=0.07)
    budgets = [own.walk_away if own.budget is None else own.budget for own in found]
    assert mean([abs(b - prior.budget.mean) / width for b in budgets]) == pytest.approx(means.budget, rel=0.07)
    urgency = mean([abs(own.urgency - prior.urgency.mean) for own in found])
    assert urgency == pytest.approx(means.urgency, rel=0.05)
    alternative = mean([(own.has_alternative - prior.has_alternative) ** 2 for own in found])
    assert alternative == pytest.approx(means.has_alternative, rel=0.06)


@each
def test_both_seats_facts_are_drawn_independently(name: str, seat: str) -> None:
    """Their limits do not go together, but for what the ZOPA demands; urgency and alternatives not at all."""
    a, b = ([s.facts[who] for s in starts(name, seat)] for who in (0, 1))
    for fact in (
        lambda f: f.urgency,
        lambda f: float(f.has_alternative),
        lambda f: float(f.weights[0]) if f.weights else 0.0,
    ):
        x, y = [fact(f) for f in a], [fact(f) for f in b]
        assert abs(correlation(x, y)) < 4.5 / COUNT**0.5


def correlation(x: list[float], y: list[float]) -> float:
    mx, my = sum(x) / len(x), sum(y) / len(y)
    sxx, syy = sum((v - mx) ** 2 for v in x), sum((v - my) ** 2 for v in y)
    if not sxx or not syy:
        return 0.0
    return sum((p - mx) * (q - my) for p, q in zip(x, y, strict=True)) / (sxx * syy) ** 0.5

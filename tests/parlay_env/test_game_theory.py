"""Bargaining theory against closed forms, hand-made domains, brute force and values computed elsewhere."""

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlay_env.game_theory import (
    Convention,
    GameTheoryError,
    anchored_estimate,
    disagreement,
    distance_to_nearest,
    gini,
    kalai_point,
    kalai_smorodinsky_point,
    max_welfare_point,
    nash_point,
    pareto_frontier,
    price_left,
    price_nash,
    price_share,
    price_zopa,
    prospect_value,
    rubinstein_finite,
    rubinstein_split,
    shapley_value,
)
from tests.shared import BILATERAL, shared

Domain = dict[str, Any]

SOLUTIONS = {
    "nash": nash_point,
    "kalai": kalai_point,
    "kalai_smorodinsky": kalai_smorodinsky_point,
    "max_welfare": max_welfare_point,
}
CASES: list[Domain] = json.loads((Path(__file__).parent / "game_theory_cases.json").read_text(encoding="utf-8"))

whole = st.integers(-50, 50)
tables = st.lists(st.tuples(whole, whole), min_size=1, max_size=25)
points = st.tuples(whole, whole)


def dominates(x: tuple[int, int], y: tuple[int, int]) -> bool:
    return x[0] >= y[0] and x[1] >= y[1] and x != y


def brute_force(utilities: Any, point: Any) -> dict[str, set[int]]:
    """Every solution by plain loops over exact definitions, ties within 1e-9 of a share or of the largest figure."""
    rows = [tuple(float(u) for u in row) for row in utilities]

    def beaten(x: tuple[float, ...]) -> bool:
        return any(all(b >= a for a, b in zip(x, y, strict=True)) and y != x for y in rows)

    efficient = {i for i, row in enumerate(rows) if not beaten(row)}
    agreeable = [i for i, row in enumerate(rows) if row[0] >= point[0] and row[1] >= point[1]]
    found = {"pareto": efficient, "nash": set(), "kalai": set(), "kalai_smorodinsky": set(), "max_welfare": set()}
    if not agreeable:
        return found
    gains = {i: [rows[i][0] - point[0], rows[i][1] - point[1]] for i in agreeable}
    ideal = [max(gains[i][seat] for i in agreeable) or 1.0 for seat in (0, 1)]
    shares = {i: [gain[0] / ideal[0], gain[1] / ideal[1]] for i, gain in gains.items()}
    scores = {
        "nash": {i: share[0] * share[1] for i, share in shares.items()},
        "kalai": {i: min(gain) / max(ideal) for i, gain in gains.items()},
        "kalai_smorodinsky": {i: -abs(share[0] - share[1]) for i, share in shares.items()},
        "max_welfare": {i: sum(gain) / sum(ideal) for i, gain in gains.items()},
    }
    for name, score in scores.items():
        best = max(score[i] for i in agreeable if i in efficient)
        found[name] = {i for i in agreeable if i in efficient and score[i] >= best - 1e-9}
    return found


# Finite problems


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_hand_made_domains_have_the_solutions_worked_out_for_them(case: Domain) -> None:
    assert pareto_frontier(case["utilities"]).tolist() == case["pareto"]
    for name, solve in SOLUTIONS.items():
        assert solve(case["utilities"], case["disagreement"]).tolist() == case[name], name


@given(tables, points)
def test_every_solution_equals_a_brute_force_over_its_definition(table: Any, point: tuple[int, int]) -> None:
    expected = brute_force(table, point)
    assert set(pareto_frontier(table).tolist()) == expected["pareto"]
    for name, solve in SOLUTIONS.items():
        assert set(solve(table, point).tolist()) == expected[name], name


@given(tables)
def test_the_frontier_is_exactly_what_nothing_dominates(table: list[tuple[int, int]]) -> None:
    frontier = pareto_frontier(table).tolist()
    assert frontier == [i for i, x in enumerate(table) if not any(dominates(y, x) for y in table)]
    assert frontier, "a finite problem always has an efficient outcome"


@given(tables, points, st.permutations([0, 1]))
def test_solutions_are_symmetric_in_the_seats(table: Any, point: Any, seats: list[int]) -> None:
    swapped, swapped_point = np.array(table)[:, seats], np.array(point)[seats]
    assert pareto_frontier(swapped).tolist() == pareto_frontier(table).tolist()
    for solve in SOLUTIONS.values():
        assert solve(swapped, swapped_point).tolist() == solve(table, point).tolist()


@given(tables, points, st.tuples(st.floats(0.1, 100), st.floats(0.1, 100)), points)
def test_nash_and_kalai_smorodinsky_do_not_depend_on_unit_or_zero(
    table: Any, point: Any, unit: tuple[float, float], zero: tuple[int, int]
) -> None:
    rescaled, rescaled_point = np.array(table) * unit + zero, np.array(point) * unit + np.array(zero)
    for solve in (nash_point, kalai_smorodinsky_point):
        assert solve(rescaled, rescaled_point).tolist() == solve(table, point).tolist()


@given(tables, points, st.integers(-60, 60))
def test_kalai_and_welfare_do_not_depend_on_the_common_zero(table: Any, point: Any, zero: int) -> None:
    for solve in (kalai_point, max_welfare_point):
        assert solve(np.array(table) + zero, np.array(point) + zero).tolist() == solve(table, point).tolist()


@given(tables, points)
def test_the_nash_point_is_independent_of_irrelevant_alternatives(table: Any, point: Any) -> None:
    chosen = nash_point(table, point).tolist()
    if not chosen:
        return
    kept = sorted({*chosen, *range(0, len(table), 2)})
    assert set(chosen) == {kept[i] for i in nash_point([table[i] for i in kept], point)}


@given(tables, points)
def test_solutions_are_efficient_and_acceptable_to_both(table: Any, point: Any) -> None:
    acceptable = {i for i, row in enumerate(table) if row[0] >= point[0] and row[1] >= point[1]}
    for solve in SOLUTIONS.values():
        chosen = set(solve(table, point).tolist())
        assert chosen <= acceptable & set(pareto_frontier(table).tolist())
        assert bool(chosen) == bool(acceptable)


@given(st.floats(0.2, 5), st.floats(0.2, 5))
def test_solutions_of_a_fine_grid_approach_the_closed_forms_of_an_elliptic_frontier(a: float, b: float) -> None:
    angle = np.linspace(0, math.pi / 2, 2001)
    frontier = np.column_stack([a * np.cos(angle), b * np.sin(angle)])
    half = math.sqrt(0.5)  # by symmetry of the circle, stretched: Nash and Kalai-Smorodinsky at 45 degrees
    even = a * b / math.hypot(a, b)  # where u1 = u2 on the ellipse
    sum_of_both = math.hypot(a, b)  # the largest a cos t + b sin t
    step = 2e-3 * max(a, b)
    assert frontier[nash_point(frontier, [0, 0])[0]] == pytest.approx([a * half, b * half], abs=step)
    assert frontier[kalai_smorodinsky_point(frontier, [0, 0])[0]] == pytest.approx([a * half, b * half], abs=step)
    assert frontier[kalai_point(frontier, [0, 0])[0]] == pytest.approx([even, even], abs=step)
    assert frontier[max_welfare_point(frontier, [0, 0])[0]].sum() == pytest.approx(sum_of_both, abs=step)


@given(st.floats(1, 5), st.floats(1, 5), st.floats(1, 3))
def test_kalai_smorodinsky_is_monotone_when_a_seats_possibilities_grow(a: float, b: float, growth: float) -> None:
    x = np.linspace(0, 1, 2001)
    before, after = (np.column_stack([a * x, height * (1 - x**2)]) for height in (b, b * growth))
    gain = [frontier[kalai_smorodinsky_point(frontier, [0, 0])[0]][1] for frontier in (before, after)]
    assert gain[1] >= gain[0] - 5e-3 * b
    ratios = before[kalai_smorodinsky_point(before, [0, 0])[0]] / before.max(axis=0)
    assert ratios[0] == pytest.approx(ratios[1], abs=2e-3), "both seats get the same share of their ideal"


def test_figures_within_the_tolerance_are_equal_and_beyond_it_are_not() -> None:
    assert pareto_frontier([[1.0, 1.0], [1.0 + 1e-12, 1.0]]).tolist() == [0, 1]
    assert pareto_frontier([[1.0, 1.0], [1.0 + 1e-6, 1.0]]).tolist() == [1]
    assert nash_point([[0.1 + 0.2, 1.0], [0.3, 1.0]], [0.0, 0.0]).tolist() == [0, 1]
    assert kalai_point([[3.0, 2.0 + 1e-6], [2.0, 3.0]], [0.0, 0.0]).tolist() == [0]
    assert nash_point([[0.3, 5.0]], [0.1 + 0.2, 0.0]).tolist() == [0], "rounding alone puts nobody below the limit"
    assert nash_point([[0.3 - 1e-6, 5.0]], [0.3, 0.0]).tolist() == []


def test_a_large_problem_is_solved_without_quadratic_work() -> None:
    table = np.random.default_rng(0).random((200_000, 2))  # its table of pairs would take 40 GB
    frontier = pareto_frontier(table)
    best_first = table[frontier[np.argsort(-table[frontier, 0])]]
    assert 1 < len(frontier) < 100
    assert (np.diff(best_first[:, 1]) > 0).all()
    assert set(nash_point(table, [0.5, 0.5])) <= set(frontier)


def test_the_two_conventions_of_the_disagreement_point() -> None:
    table = [[3.0, 8.0], [5.0, 6.0]]
    assert disagreement(table, (1.0, 7.0)).tolist() == [1.0, 7.0]
    assert disagreement(table, (1.0, 7.0), "reservation_or_least").tolist() == [3.0, 7.0]
    assert disagreement(table, (None, 7.0), convention="reservation_or_least").tolist() == [3.0, 7.0]
    with pytest.raises(GameTheoryError, match="reservation_or_least"):
        disagreement(table, (None, 7.0))


def test_a_bad_outcome_moves_the_nash_point_under_the_least_convention_only() -> None:
    good = [[10.0, 4.0], [6.0, 6.0], [4.0, 9.0]]
    conventions: list[tuple[Convention, bool]] = [("reservation", False), ("reservation_or_least", True)]
    for convention, moved in conventions:
        nash = []
        for table in (good, [*good, [0.0, 0.0]]):
            point = disagreement(table, (0.0, 0.0), convention)
            nash.append([table[i] for i in nash_point(table, point)])
        assert (nash[0] != nash[1]) is moved, convention


def test_distance_is_to_the_nearest_and_none_without_a_zopa() -> None:
    table = [[0.0, 5.0], [3.0, 4.0], [4.0, 0.0]]
    assert distance_to_nearest([3.0, 0.0], table, [0, 1]) == 4.0
    assert distance_to_nearest([3.0, 0.0], table, pareto_frontier(table)) == 1.0
    assert distance_to_nearest([3.0, 0.0], table, nash_point(table, [9.0, 9.0])) is None


@pytest.mark.parametrize(
    "table",
    [
        [],
        [[]],
        [1.0, 2.0],
        [[1.0, 2.0, 3.0]],
        [[1.0, math.nan]],
        [[math.inf, 1.0]],
        [[1.0, 2.0], [1.0]],
        [["a", "b"]],
        np.zeros((0, 2)),
        np.zeros((2, 2, 2)),
    ],
    ids=repr,
)
def test_malformed_utilities_are_refused_by_type(table: Any) -> None:
    with pytest.raises(GameTheoryError):
        pareto_frontier(table)
    with pytest.raises(GameTheoryError):
        disagreement(table, (0.0, 0.0))
    for solve in SOLUTIONS.values():
        with pytest.raises(GameTheoryError):
            solve(table, [0.0, 0.0])
    assert issubclass(GameTheoryError, ValueError)


@pytest.mark.parametrize("point", [[0.0], [0.0, 0.0, 0.0], [0.0, math.nan], 0.0, [[0.0, 0.0]]], ids=repr)
def test_malformed_points_are_refused_by_type(point: Any) -> None:
    for solve in SOLUTIONS.values():
        with pytest.raises(GameTheoryError):
            solve([[1.0, 1.0]], point)
    with pytest.raises(GameTheoryError):
        distance_to_nearest(point, [[1.0, 1.0]], [0])


def test_malformed_reservations_and_conventions_are_refused_by_type() -> None:
    with pytest.raises(GameTheoryError):
        disagreement([[1.0, 1.0]], (0.0,))
    with pytest.raises(GameTheoryError):
        disagreement([[1.0, 1.0]], (0.0, math.nan))
    with pytest.raises(GameTheoryError):
        disagreement([[1.0, 1.0]], (0.0, 0.0), "least")  # type: ignore[arg-type]


# Values computed elsewhere

ORACLE_KEYS = {**SOLUTIONS, "ks": kalai_smorodinsky_point}
ORACLE_NAMES = ("nash", "kalai", "ks", "max_welfare", "pareto")
# The oracle compared sums of floats exactly, so in two domains it lists outcomes as efficient that another outcome
# beats by .01 and more for one seat while equal for the other but for the last bit. How many, by domain and solution:
ROUNDING_ARTEFACTS = {
    ("anac/y2012/BarterB", "pareto"): 2,
    ("other/Jobs", "pareto"): 4,
    ("other/Jobs", "ks"): 1,
}
DOMAINS = [
    *(f"anac/y2011/{name}" for name in ("Laptop", "NiceOrDie")),
    *(f"anac/y2012/{name}" for name in ("AcquisitionA", "BarterB", "FiftyFiftyA", "FlightBookingA")),
    *(f"anac/y2012/{name}" for name in ("OutfitC", "RentalHouseC")),
    *(f"anac/y2013/{name}" for name in ("DefensiveCharms", "DogChoosing", "Ultimatum", "planes")),
    *(f"other/{name}" for name in ("Jobs", "kite")),
]


@pytest.fixture(scope="module")
def oracle() -> dict[str, Domain]:
    return json.loads(shared(BILATERAL).read_text(encoding="utf-8"))


def pairs(values: Any) -> set[tuple[float, float]]:
    return {(round(float(a), 6) + 0.0, round(float(b), 6) + 0.0) for a, b in values}


def test_the_oracle_holds_the_domains_tested_here(oracle: dict[str, Domain]) -> None:
    assert sorted(oracle) == sorted(DOMAINS)


@pytest.mark.parametrize("name", ORACLE_NAMES)
@pytest.mark.parametrize("domain", DOMAINS)
def test_solutions_agree_with_the_oracle_in_its_convention(oracle: dict[str, Domain], domain: str, name: str) -> None:
    given_domain = oracle[domain]
    table = np.array(given_domain["utilities"])
    point = disagreement(table, given_domain["reservation"], "reservation_or_least")
    ours = pairs(table[pareto_frontier(table) if name == "pareto" else ORACLE_KEYS[name](table, point)])
    theirs = pairs(given_domain[name])
    beaten = {x for x in theirs if any(y[0] >= x[0] and y[1] >= x[1] and sum(y) > sum(x) + 5e-3 for y in ours)}
    assert len(beaten) == ROUNDING_ARTEFACTS.get((domain, name), 0)
    assert ours == theirs - beaten


@pytest.mark.parametrize("domain", DOMAINS)
def test_solutions_agree_with_a_brute_force_under_plain_reservation_values(
    oracle: dict[str, Domain], domain: str
) -> None:
    table, reservation = oracle[domain]["utilities"], oracle[domain]["reservation"]
    if None in reservation:
        with pytest.raises(GameTheoryError):
            disagreement(table, reservation, "reservation")
        return
    expected = brute_force(table, reservation)
    point = disagreement(table, reservation)
    assert point.tolist() == reservation
    assert set(pareto_frontier(table).tolist()) == expected["pareto"]
    for name, solve in SOLUTIONS.items():
        assert set(solve(table, point).tolist()) == expected[name], name


@pytest.mark.parametrize(
    ("domain", "plain", "least"),
    [
        ("anac/y2011/NiceOrDie", {(1000.0, 160.0), (160.0, 1000.0)}, {(299.0, 299.0)}),
        ("anac/y2012/AcquisitionA", {(9.2, 8.98)}, {(8.6, 9.58)}),
    ],
)
def test_the_nash_point_depends_on_the_convention_where_no_outcome_is_as_bad_as_no_deal(
    oracle: dict[str, Domain], domain: str, plain: set[Any], least: set[Any]
) -> None:
    table, reservation = np.array(oracle[domain]["utilities"]), oracle[domain]["reservation"]
    assert pairs(table[nash_point(table, disagreement(table, reservation))]) == plain
    assert pairs(table[nash_point(table, disagreement(table, reservation, "reservation_or_least"))]) == least


# One price


def test_the_example_of_the_rules() -> None:
    assert price_zopa(125_000, 165_000) == (125_000, 165_000)
    assert price_nash(125_000, 165_000) == 145_000
    assert price_share(148_000, 125_000, 165_000) == pytest.approx(0.575, abs=1e-15)
    assert price_share(148_000, 125_000, 165_000, seat="buyer") == pytest.approx(0.425, abs=1e-15)
    assert price_left(148_000, 125_000, 165_000) == 17_000
    assert price_left(148_000, 125_000, 165_000, seat="buyer") == 23_000


def test_without_a_zopa_there_is_nothing_to_agree_on_share_or_leave() -> None:
    assert price_zopa(10.0, 9.0) is None
    assert price_nash(10.0, 9.0) is None
    assert price_share(9.5, 10.0, 9.0) == 0.0
    assert price_left(9.5, 10.0, 9.0) == 0.0


def test_a_zopa_of_width_zero_has_a_price_but_no_surplus() -> None:
    assert price_zopa(10.0, 10.0) == (10.0, 10.0)
    assert price_nash(10.0, 10.0) == 10.0
    assert price_share(10.0, 10.0, 10.0) == 0.0
    assert price_left(10.0, 10.0, 10.0) == 0.0


def test_shares_are_clipped_and_a_loss_counts_as_left_on_the_table() -> None:
    assert price_share(120.0, 125.0, 165.0) == 0.0
    assert price_share(170.0, 125.0, 165.0) == 1.0
    assert price_left(120.0, 125.0, 165.0) == 45.0
    assert price_left(170.0, 125.0, 165.0) == 0.0


@given(st.integers(0, 1000), st.integers(1, 1000), st.integers(0, 1000))
def test_inside_the_zopa_the_shares_add_up_and_the_money_too(seller: int, width: int, above: int) -> None:
    buyer, price = seller + width, seller + min(above, width)
    seats = ("seller", "buyer")
    assert sum(price_share(price, seller, buyer, seat) for seat in seats) == pytest.approx(1.0)
    assert sum(price_left(price, seller, buyer, seat) for seat in seats) == width
    mirrored = price_share(-price, -buyer, -seller, "buyer")
    assert price_share(price, seller, buyer) == pytest.approx(mirrored), "the seats are mirror images"


@given(st.integers(0, 100), st.integers(-20, 60))
def test_the_price_case_is_the_general_one_on_a_grid(seller: int, width: int) -> None:
    buyer = seller + width
    prices = np.arange(seller - 5, seller + 70)
    solved = prices[nash_point(np.column_stack([prices, -prices]), [seller, -buyer])]
    middle = price_nash(seller, buyer)
    if middle is None:
        assert solved.tolist() == []
    else:
        assert solved.tolist() == sorted({math.floor(middle), math.ceil(middle)})


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_prices_that_are_not_finite_are_refused(bad: float) -> None:
    for ask in (lambda: price_zopa(bad, 1.0), lambda: price_nash(1.0, bad), lambda: price_share(bad, 2.0, 1.0)):
        with pytest.raises(GameTheoryError):
            ask()
    with pytest.raises(GameTheoryError):
        price_left(1.0, 1.0, 2.0, "broker")  # type: ignore[arg-type]


# Alternating offers

discounts = st.floats(0.0, 0.99)


def test_alternating_offers_in_closed_form() -> None:
    assert rubinstein_split(0.9, 0.9) == pytest.approx(1 / 1.9)
    assert rubinstein_split(0.9, 0.8) == pytest.approx(0.2 / 0.28)
    assert rubinstein_split(0.5, 0.0) == 1.0, "who cannot wait accepts anything"
    assert rubinstein_split(0.0, 0.75) == 0.25
    assert rubinstein_split(1.0, 0.5) == 1.0, "who never tires takes all"
    assert rubinstein_split(0.5, 1.0) == 0.0


def test_few_periods_by_hand() -> None:
    assert rubinstein_finite(0.9, 0.8, 1) == 1.0
    assert rubinstein_finite(0.9, 0.8, 2) == pytest.approx(1 - 0.8)
    assert rubinstein_finite(0.9, 0.8, 3) == pytest.approx(1 - 0.8 * (1 - 0.9))
    assert rubinstein_finite(0.9, 0.8, 4) == pytest.approx(1 - 0.8 * (1 - 0.9 * (1 - 0.8)))
    assert rubinstein_finite(1.0, 1.0, 7) == 1.0, "without discounting the last proposer takes all"
    assert rubinstein_finite(1.0, 1.0, 8) == 0.0


@given(discounts, discounts, st.integers(1, 60))
def test_the_finite_game_tends_to_the_infinite_one_at_the_rate_of_the_discounts(
    delta_1: float, delta_2: float, periods: int
) -> None:
    gap = abs(rubinstein_finite(delta_1, delta_2, periods) - rubinstein_split(delta_1, delta_2))
    assert gap <= (delta_1 * delta_2) ** ((periods - 1) // 2) + 1e-12
    assert rubinstein_finite(delta_1, delta_2, 4001) == pytest.approx(rubinstein_split(delta_1, delta_2), abs=1e-9)


@given(discounts, discounts)
def test_each_proposer_offers_exactly_what_waiting_is_worth(delta_1: float, delta_2: float) -> None:
    first, second = rubinstein_split(delta_1, delta_2), rubinstein_split(delta_2, delta_1)
    assert 1 - first == pytest.approx(delta_2 * second)
    assert 1 - second == pytest.approx(delta_1 * first)


@pytest.mark.parametrize("deltas", [(1.0, 1.0), (-0.1, 0.5), (0.5, 1.1), (math.nan, 0.5)])
def test_discounts_outside_the_theory_are_refused(deltas: tuple[float, float]) -> None:
    with pytest.raises(GameTheoryError):
        rubinstein_split(*deltas)
    with pytest.raises(GameTheoryError):
        rubinstein_finite(0.5, 0.5, 0)


# Values, estimates, inequality


def test_shapley_values_of_known_games() -> None:
    gloves = shapley_value(3, lambda s: float(0 in s and len(s) >= 2))  # one left glove, two right ones
    assert gloves == pytest.approx([2 / 3, 1 / 6, 1 / 6])
    airport = shapley_value(3, lambda s: max(((1.0, 2.0, 4.0)[i] for i in s), default=0.0))
    assert airport == pytest.approx([1 / 3, 1 / 3 + 1 / 2, 1 / 3 + 1 / 2 + 2])
    assert shapley_value(1, lambda s: 7.0 * len(s)) == pytest.approx([7.0])
    two = shapley_value(2, lambda s: {0: 0.0, 1: 0.0, 2: 40_000.0}[len(s)])
    assert two == pytest.approx([20_000.0, 20_000.0]), "two needed for a surplus share it like the Nash point"


@given(st.integers(1, 5), st.data())
def test_shapley_is_the_mean_marginal_worth_over_all_orders_of_arrival(n: int, data: st.DataObject) -> None:
    drawn = data.draw(st.lists(st.integers(-20, 20), min_size=2**n - 1, max_size=2**n - 1))
    coalitions = [frozenset(c) for size in range(1, n + 1) for c in itertools.combinations(range(n), size)]
    worth = {frozenset(): 0, **dict(zip(coalitions, drawn, strict=True))}
    expected = np.zeros(n)
    for order in itertools.permutations(range(n)):
        for place, player in enumerate(order):
            before = frozenset(order[:place])
            expected[player] += (worth[before | {player}] - worth[before]) / math.factorial(n)
    values = shapley_value(n, lambda s: worth[s])
    assert values == pytest.approx(expected, abs=1e-9)
    assert values.sum() == pytest.approx(worth[frozenset(range(n))], abs=1e-9)


def test_shapley_asks_each_coalition_once_and_refuses_what_is_no_game() -> None:
    asked: list[frozenset[int]] = []
    shapley_value(4, lambda s: float(asked.append(s) or len(s)))
    assert len(asked) == len(set(asked)) == 16
    for n, v in ((0, len), (17, len), (2, lambda s: 1.0), (2, lambda s: math.nan if s else 0.0)):
        with pytest.raises(GameTheoryError):
            shapley_value(n, v)


def test_an_anchor_moves_the_estimate_35_percent_of_the_gap() -> None:
    assert anchored_estimate(100.0, 200.0) == pytest.approx(135.0)
    assert anchored_estimate(200.0, 100.0) == pytest.approx(165.0)
    assert anchored_estimate(100.0, 200.0, adjustment=1.0) == 100.0
    assert anchored_estimate(100.0, 200.0, adjustment=0.0) == 200.0
    assert anchored_estimate(np.array([100.0, 0.0]), np.array([200.0, 0.0])) == pytest.approx([135.0, 0.0])
    for adjustment in (-0.1, 1.1, math.nan):
        with pytest.raises(GameTheoryError):
            anchored_estimate(1.0, 2.0, adjustment)


def test_losses_loom_larger_than_gains() -> None:
    assert prospect_value(0.0) == 0.0
    assert prospect_value(1.0) == 1.0
    assert prospect_value(-1.0) == -2.25
    assert prospect_value(100.0) == pytest.approx(100**0.88)
    assert prospect_value(-100.0) == pytest.approx(-2.25 * 100**0.88)
    assert prospect_value(-3.0, loss_aversion=2.0, curvature=1.0) == -6.0
    assert prospect_value(np.array([-1.0, 0.0, 1.0])) == pytest.approx([-2.25, 0.0, 1.0])
    for loss_aversion, curvature in ((-1.0, 1.0), (2.0, 0.0), (math.nan, 1.0)):
        with pytest.raises(GameTheoryError):
            prospect_value(1.0, loss_aversion, curvature)


def test_gini_of_known_distributions() -> None:
    assert gini([5.0, 5.0, 5.0]) == 0.0
    assert gini([0.0, 0.0, 0.0, 8.0]) == pytest.approx(3 / 4)
    assert gini([1.0, 3.0]) == pytest.approx(1 / 4)
    assert gini([3, 1, 2]) == pytest.approx(2 / 9)
    assert gini([0.0, 0.0]) == 0.0
    for bad in ([], [1.0, -1.0], [math.nan], [[1.0, 2.0]]):
        with pytest.raises(GameTheoryError):
            gini(bad)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=20), st.integers(1, 50))
def test_gini_is_half_the_mean_difference_over_the_mean_and_has_no_unit(values: list[int], unit: int) -> None:
    n, total = len(values), sum(values)
    expected = sum(abs(x - y) for x in values for y in values) / (2 * n * total) if total else 0.0
    assert gini(values) == pytest.approx(expected)
    assert gini([unit * x for x in values]) == pytest.approx(gini(values))

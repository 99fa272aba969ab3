"""What the theory of bargaining says about an outcome: efficient sets, solutions, splits, values.

A finite bargaining problem is an array of utility pairs, shape (n, 2), one row an outcome and one column a seat,
and a disagreement point, shape (2,), what each seat gets without a deal. Utilities are in the caller's unit (money
in our games). A seat's *gain* is its utility less its disagreement value. Solutions answer indices into the rows.

Two figures of one seat are equal when they differ by at most `TOLERANCE` of the largest absolute figure of that
seat, and two outcomes tie when their scores differ by at most `TOLERANCE` of the largest score that the gains in
reach would allow. Every solution answers all the outcomes that tie.
"""

import math
from collections.abc import Callable, Sequence
from typing import Literal, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Convention = Literal["reservation", "reservation_or_least"]
PriceSeat = Literal["seller", "buyer"]
Number = TypeVar("Number", float, Floats)

TOLERANCE = 1e-9
SHAPLEY_MAX_PLAYERS = 16


class GameTheoryError(ValueError):
    """An argument that is no bargaining problem: wrong shape, no outcomes, not finite, or out of its domain."""


# Finite bargaining problems


def disagreement(
    utilities: ArrayLike, reservation: Sequence[float | None], convention: Convention = "reservation"
) -> Floats:
    """The disagreement point, shape (2,), in the unit of `utilities` (shape (n, 2)), from two reservation values.

    `"reservation"` takes the reservation values as they are. It is the default because a seat of our games always has
    a limit, and the limit is what no deal is worth to it: Nash's own meaning of the point (Nash 1953, "Two-person
    cooperative games"). The solutions then do not move when a bad outcome that nobody would sign joins the table.

    `"reservation_or_least"` takes the larger of the reservation value and the seat's least utility over all outcomes,
    and the least utility where the reservation value is None. Platforms of the automated negotiation competitions use
    it; it differs as soon as even the worst outcome is better than no deal.

    Raises GameTheoryError for a malformed problem, and under `"reservation"` when a reservation value is None.
    """
    table = _utilities(utilities)
    if len(reservation) != 2:
        raise GameTheoryError(f"one reservation value a seat, two seats: got {len(reservation)}")
    if convention == "reservation":
        known = [value for value in reservation if value is not None]
        if len(known) < 2:
            raise GameTheoryError("a seat has no reservation value: use the convention 'reservation_or_least'")
        return _pair(known)
    if convention == "reservation_or_least":
        least = table.min(axis=0)
        floor = _pair([least[seat] if value is None else value for seat, value in enumerate(reservation)])
        return np.maximum(floor, least)
    raise GameTheoryError(f"unknown convention {convention!r}")


def pareto_frontier(utilities: ArrayLike) -> Indices:
    """Indices, ascending, of the outcomes that no other dominates (Pareto 1906), shape (k,), k >= 1.

    x dominates y when it is at least as good for both seats and better for one. Outcomes of equal utilities do not
    dominate each other, so duplicates of an efficient outcome are all kept. The disagreement point plays no part.
    O(n log n). Raises GameTheoryError for a malformed problem.
    """
    table = _utilities(utilities)
    return np.flatnonzero(_efficient(table, _tolerance(table)))


def nash_point(utilities: ArrayLike, disagreement_point: ArrayLike) -> Indices:
    """Indices of the outcomes with the largest product of gains (Nash 1950, "The bargaining problem").

    Among the efficient outcomes weakly above the disagreement point; the product is compared in shares of each
    seat's largest gain in reach, so that a change of a seat's unit or zero changes nothing. Empty without a ZOPA.
    Raises GameTheoryError for a malformed problem.
    """
    index, gains, most = _bargaining_set(utilities, disagreement_point)
    return _largest(index, _shares(gains, most).prod(axis=1), 1.0)


def kalai_point(utilities: ArrayLike, disagreement_point: ArrayLike) -> Indices:
    """Indices of the outcomes whose smaller gain is largest (egalitarian: Kalai 1977, "Proportional solutions").

    Among the efficient outcomes weakly above the disagreement point. On a finite set equal gains may not exist; the
    largest minimum is then the nearest thing, and the two are one on a comprehensive set. Gains are compared between
    seats, so both columns must be in one unit. Empty without a ZOPA. Raises GameTheoryError for a malformed problem.
    """
    index, gains, most = _bargaining_set(utilities, disagreement_point)
    return _largest(index, gains.min(axis=1), most.max(initial=0.0))


def kalai_smorodinsky_point(utilities: ArrayLike, disagreement_point: ArrayLike) -> Indices:
    """Indices of the outcomes nearest to equal shares of the ideal gains (Kalai & Smorodinsky 1975).

    The ideal gain of a seat is its largest gain over the outcomes weakly above the disagreement point. The solution
    of 1975 is where the line from the disagreement point to the ideal point leaves the set. A finite set seldom holds
    that point: the efficient outcomes with the smallest difference between the two seats' shares of their ideal
    gains stand for it. Along the frontier that difference changes monotonically, so the answer is one of the two
    outcomes on either side of the line, or both. (Maximising the smaller share, another reading for finite sets,
    picks from the same two but may pick the other one.) Empty without a ZOPA. Raises GameTheoryError for a malformed
    problem.
    """
    index, gains, most = _bargaining_set(utilities, disagreement_point)
    shares = _shares(gains, most)
    return _largest(index, -np.abs(shares[:, 0] - shares[:, 1]), 1.0)


def max_welfare_point(utilities: ArrayLike, disagreement_point: ArrayLike) -> Indices:
    """Indices of the outcomes with the largest sum of utilities (utilitarian: Harsanyi 1955).

    Among the outcomes weakly above the disagreement point: a larger sum that one seat would refuse is no deal. Both
    columns must be in one unit. Empty without a ZOPA. Raises GameTheoryError for a malformed problem.
    """
    index, gains, most = _bargaining_set(utilities, disagreement_point)
    return _largest(index, gains.sum(axis=1), most.sum())


def distance_to_nearest(point: ArrayLike, utilities: ArrayLike, indices: ArrayLike) -> float | None:
    """Euclidean distance, in the unit of `utilities`, from a utility pair to the nearest of the outcomes `indices`.

    With `nash_point` it is the Nash distance of a deal, with `pareto_frontier` its Pareto distance (as reported in
    the automated negotiation competitions; Baarslag 2014). None when there are no indices, that is without a ZOPA.
    Raises GameTheoryError for a malformed problem.
    """
    chosen = _utilities(utilities)[np.asarray(indices, dtype=np.intp)]
    if not len(chosen):
        return None
    return float(np.hypot(*(chosen - _pair(point)).T).min())


def _utilities(utilities: ArrayLike) -> Floats:
    table = _floats(utilities)
    if table.ndim != 2 or table.shape[1] != 2 or not len(table):
        raise GameTheoryError(f"utilities are pairs, one an outcome, shape (n, 2) with n >= 1: got {table.shape}")
    return table


def _pair(point: ArrayLike) -> Floats:
    pair = _floats(point)
    if pair.shape != (2,):
        raise GameTheoryError(f"a point is one value a seat, shape (2,): got {pair.shape}")
    return pair


def _floats(values: ArrayLike) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise GameTheoryError(f"not an array of numbers: {error}") from error
    if not np.isfinite(array).all():
        raise GameTheoryError("every figure must be finite")
    return array


def _tolerance(*figures: Floats) -> Floats:
    """What counts as equal, a seat: shape (2,)."""
    return TOLERANCE * np.max([np.abs(np.atleast_2d(each)).max(axis=0) for each in figures], axis=0)


def _efficient(table: Floats, tolerance: Floats) -> NDArray[np.bool_]:
    """Mask of the outcomes that nothing dominates beyond the tolerance, by one sort on the first seat's utility."""
    first, second = table.T
    order = np.argsort(-first, kind="stable")
    descending = -first[order]
    best_second = np.append(-np.inf, np.maximum.accumulate(second[order]))  # over the k outcomes best for the first
    no_worse = best_second[np.searchsorted(descending, -(first - tolerance[0]), side="right")]
    better = best_second[np.searchsorted(descending, -(first + tolerance[0]), side="left")]
    return (no_worse <= second + tolerance[1]) & (better < second - tolerance[1])


def _bargaining_set(utilities: ArrayLike, disagreement_point: ArrayLike) -> tuple[Indices, Floats, Floats]:
    """The efficient outcomes weakly above the disagreement point: indices (k,), gains (k, 2), largest gains (2,)."""
    table, point = _utilities(utilities), _pair(disagreement_point)
    tolerance = _tolerance(table, point)
    index = np.flatnonzero((table >= point - tolerance).all(axis=1))
    index = index[_efficient(table[index], tolerance)] if len(index) else index
    gains = np.maximum(table[index] - point, 0.0)
    most = gains.max(axis=0, initial=0.0)
    return index, gains, np.where(most > tolerance, most, 0.0)


def _shares(gains: Floats, most: Floats) -> Floats:
    """Gains as shares of the largest gains; zero for a seat that can gain nothing."""
    return np.divide(gains, most, out=np.zeros_like(gains), where=most > 0)


def _largest(index: Indices, score: Floats, scale: float) -> Indices:
    if not len(index):
        return index
    return index[score >= score.max() - TOLERANCE * scale]


# One price between a seller and a buyer


def price_zopa(seller_limit: float, buyer_limit: float) -> tuple[float, float] | None:
    """The zone of possible agreement (low, high) in money, None when the seller needs more than the buyer has.

    A single price that suits both is a zone of width zero (Raiffa 1982, "The Art and Science of Negotiation").
    Raises GameTheoryError for a limit that is not finite.
    """
    _finite(seller_limit, buyer_limit)
    return (seller_limit, buyer_limit) if seller_limit <= buyer_limit else None


def price_nash(seller_limit: float, buyer_limit: float) -> float | None:
    """The Nash point of a price: the middle of the ZOPA, None without one (Nash 1950, utilities linear in money).

    Raises GameTheoryError for a limit that is not finite.
    """
    zopa = price_zopa(seller_limit, buyer_limit)
    return None if zopa is None else zopa[0] + (zopa[1] - zopa[0]) / 2


def price_share(price: float, seller_limit: float, buyer_limit: float, seat: PriceSeat = "seller") -> float:
    """The share of the surplus that `seat` takes at `price`, clipped to [0, 1]; 0 where there is none to share.

    Seller (p - s)/(b - s), buyer (b - p)/(b - s). A seller at 125,000 against a buyer at 165,000 who closes at
    148,000 takes 57.5 %. Raises GameTheoryError for a figure that is not finite or an unknown seat.
    """
    _price_seat(price, seat)
    zopa = price_zopa(seller_limit, buyer_limit)
    if zopa is None or zopa[0] == zopa[1]:
        return 0.0
    low, high = zopa
    gain = price - low if seat == "seller" else high - price
    return min(max(gain / (high - low), 0.0), 1.0)


def price_left(price: float, seller_limit: float, buyer_limit: float, seat: PriceSeat = "seller") -> float:
    """The money `seat` left on the table: from `price` to the other side's limit, at least 0; 0 without a ZOPA.

    A seller who closes at 148,000 against a buyer's limit of 165,000 left 17,000. Raises GameTheoryError for a figure
    that is not finite or an unknown seat.
    """
    _price_seat(price, seat)
    zopa = price_zopa(seller_limit, buyer_limit)
    if zopa is None:
        return 0.0
    low, high = zopa
    return max(high - price if seat == "seller" else price - low, 0.0)


def _price_seat(price: float, seat: str) -> None:
    _finite(price)
    if seat not in ("seller", "buyer"):
        raise GameTheoryError(f"seat is 'seller' or 'buyer': got {seat!r}")


def _finite(*figures: float) -> None:
    if not all(map(math.isfinite, figures)):
        raise GameTheoryError(f"every figure must be finite: got {figures}")


# Alternating offers


def rubinstein_split(delta_1: float, delta_2: float) -> float:
    """The first proposer's share of the pie in the unique subgame-perfect equilibrium: (1 - d2)/(1 - d1 d2).

    Alternating offers without end; `delta_1` discounts a period for the first proposer, `delta_2` for the other
    (Rubinstein 1982, "Perfect equilibrium in a bargaining model", the case of fixed discounting factors). Raises
    GameTheoryError unless both lie in [0, 1] and one of them below 1: two players who never tire have no unique split.
    """
    _discounts(delta_1, delta_2)
    if delta_1 == delta_2 == 1.0:
        raise GameTheoryError("with both discount factors 1 every split is an equilibrium")
    return (1.0 - delta_2) / (1.0 - delta_1 * delta_2)


def rubinstein_finite(delta_1: float, delta_2: float, periods: int) -> float:
    """The first proposer's share with `periods` alternating offers, the first hers, and nothing after the last.

    Backward induction (Ståhl 1972, "Bargaining Theory"): the last proposer takes all; each before offers the other
    what waiting is worth to it, x_t = 1 - d_other x_(t+1). It tends to `rubinstein_split` as periods grow. Raises
    GameTheoryError unless both factors lie in [0, 1] and there is at least one period.
    """
    _discounts(delta_1, delta_2)
    if periods < 1:
        raise GameTheoryError(f"at least one period: got {periods}")
    share = 1.0
    for period in range(periods - 1, 0, -1):
        share = 1.0 - (delta_2 if period % 2 else delta_1) * share
    return share


def _discounts(*deltas: float) -> None:
    if not all(0.0 <= delta <= 1.0 for delta in deltas):
        raise GameTheoryError(f"discount factors lie in [0, 1]: got {deltas}")


# Values, estimates, inequality


def shapley_value(n: int, v: Callable[[frozenset[int]], float]) -> Floats:
    """Each player's Shapley value, shape (n,), in the unit of `v` (Shapley 1953, "A value for n-person games").

    `v` gives the worth of a coalition of players 0..n-1, asked once for each of the 2**n; the worth of nobody must
    be 0. Exact: the sum over S without i of |S|! (n - |S| - 1)!/n! (v(S + i) - v(S)). Raises GameTheoryError for n
    outside 1..16, a worth that is not finite, or v(nobody) other than 0.
    """
    if not 1 <= n <= SHAPLEY_MAX_PLAYERS:
        raise GameTheoryError(f"1 to {SHAPLEY_MAX_PLAYERS} players: got {n}")
    worth = _floats([v(frozenset(i for i in range(n) if mask >> i & 1)) for mask in range(2**n)])
    if worth[0] != 0.0:
        raise GameTheoryError(f"the worth of the empty coalition is 0 by definition: got {worth[0]}")
    coalitions = np.arange(2**n)
    size = np.array([mask.bit_count() for mask in range(2**n)])
    weight = np.array([math.factorial(k) * math.factorial(n - k - 1) / math.factorial(n) for k in range(n)])
    values = np.empty(n)
    for player in range(n):
        without = coalitions[coalitions >> player & 1 == 0]
        values[player] = weight[size[without]] @ (worth[without | 1 << player] - worth[without])
    return values


def anchored_estimate(estimate: Number, anchor: Number, adjustment: float = 0.65) -> Number:
    """An estimate after an anchor: anchor + adjustment (estimate - anchor), in the unit of both; arrays elementwise.

    People start at the anchor and adjust too little (Tversky & Kahneman 1974, "Judgment under uncertainty"). With
    `adjustment` .65, our rule's figure, the estimate moves 35 % of the gap toward the anchor; 1 is an unmoved mind, 0
    one that believes the anchor. Raises GameTheoryError for an adjustment outside [0, 1].
    """
    if not 0.0 <= adjustment <= 1.0:
        raise GameTheoryError(f"adjustment lies in [0, 1]: got {adjustment}")
    return anchor + adjustment * (estimate - anchor)


def prospect_value(x: Number, loss_aversion: float = 2.25, curvature: float = 0.88) -> Number:
    """The felt value of a gain or loss `x` against the reference point; arrays elementwise.

    x**curvature for gains, -loss_aversion (-x)**curvature for losses (Tversky & Kahneman 1992, "Advances in prospect
    theory", with its median estimates .88 and 2.25). Raises GameTheoryError for a negative loss aversion or a
    curvature that is not positive.
    """
    if not (loss_aversion >= 0.0 and curvature > 0.0):
        raise GameTheoryError(f"loss aversion >= 0 and curvature > 0: got {loss_aversion}, {curvature}")
    weight = 1.0 * (x >= 0) - loss_aversion * (x < 0)
    return cast("Number", weight * abs(x) ** curvature)  # a float to a float's power is typed Any: it may be complex


def gini(values: ArrayLike) -> float:
    """The Gini coefficient of non-negative amounts, shape (n,): 0 all equal, (n - 1)/n one has everything.

    Half the mean absolute difference over all ordered pairs, divided by the mean (Gini 1912; Sen 1973, "On Economic
    Inequality"); 0 where everybody has nothing. Raises GameTheoryError for no values, or one that is negative or not
    finite.
    """
    sorted_values = np.sort(_floats(values))
    if sorted_values.ndim != 1 or not len(sorted_values) or sorted_values[0] < 0.0:
        raise GameTheoryError("the Gini coefficient is of one or more non-negative values, shape (n,)")
    total, n = float(sorted_values.sum()), len(sorted_values)
    if total == 0.0:
        return 0.0
    return float((2.0 * np.arange(1, n + 1) - n - 1) @ sorted_values) / (n * total)

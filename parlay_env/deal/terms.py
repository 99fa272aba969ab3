"""What a scenario's figures make of outcomes: offers as steps, utilities as whole hundredths of money.

An offer is a tuple with one whole number per issue: how many steps its value stands above the lowest. A seat's utility
is linear in those numbers, and its coefficients are whole, so that a comparison of two figures never hangs on the last
bit of a float.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from itertools import product
from typing import Any

import msgspec

from game.scenarios import Issue, Scenario, count_of

Offer = tuple[int, ...]
CENTS = 100
"""Hundredths of the money unit: what utilities and limits are counted in."""


class Utility(msgspec.Struct, frozen=True, gc=False):
    """`base + Σ slopes[k]·offer[k]`, in hundredths of money."""

    base: int
    slopes: tuple[int, ...]


def worth(utility: Utility, offer: Offer) -> int:
    """What an outcome is worth, in hundredths of money."""
    slopes = utility.slopes
    if len(slopes) == 1:
        return utility.base + slopes[0] * offer[0]
    total = utility.base
    for slope, place in zip(slopes, offer, strict=True):
        total += slope * place
    return total


class Terms(msgspec.Struct, frozen=True):
    """A scenario compiled: what follows from declared figures alone, and so is public. Pairs are (seller, buyer)."""

    scenario: Scenario
    counts: tuple[int, ...]
    lows: tuple[int, ...]
    steps: tuple[int, ...]
    declared: tuple[Utility, Utility]
    limits: tuple[int, int]
    """The declared limits, as utilities."""
    delta0: tuple[int, int]
    """Δ0: the most surplus a seat could have at the declared limits, in hundredths of money."""
    anchors: tuple[Offer, Offer]
    anchor_worth: tuple[int, int]
    """The declared anchors, as declared utilities of their own seats."""
    longest: int
    """The issue with the most values."""
    rest: tuple[Offer, ...]
    """Every combination of the other issues' values, with 0 for the longest."""
    is_price: bool = False
    """The price is the only issue."""
    kept: dict[Hashable, Any] = msgspec.field(default_factory=dict)
    """What is derived from these terms again and again: pure functions of them, so keeping it changes nothing."""


class OfferError(ValueError):
    """A figure that can't be an offer; `code` is the invalid move's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


KEPT_AT_MOST = 4096
_compiled: dict[int, Terms] = {}
_COMPILED_AT_MOST = 256


def terms_of(scenario: Scenario) -> Terms:
    """The compiled scenario (kept for the object, so that a turn pays a look-up)."""
    terms = _compiled.get(id(scenario))
    if terms is None or terms.scenario is not scenario:
        terms = _price_terms(scenario) if len(scenario.issues) == 1 else _several_terms(scenario)
        while len(_compiled) >= _COMPILED_AT_MOST:
            _compiled.pop(next(iter(_compiled)))
        _compiled[id(scenario)] = terms
    return terms


def _price_terms(s: Scenario) -> Terms:
    issue, seller, buyer = s.issues[0], s.seller, s.buyer
    assert seller.anchor is not None and buyer.anchor is not None  # problems_of has seen to it
    step = round(issue.step * CENTS)
    low = math.ceil(0.1 * min(seller.anchor, buyer.anchor) * CENTS / step) * step
    count = math.floor((10 * max(seller.anchor, buyer.anchor) * CENTS - low) / step) + 1
    anchors = ((round((seller.anchor * CENTS - low) / step),), (round((buyer.anchor * CENTS - low) / step),))
    limits = (round(seller.limit * CENTS), -round(buyer.limit * CENTS))
    width = -limits[1] - limits[0]
    declared = (Utility(low, (step,)), Utility(-low, (-step,)))
    asks = (worth(declared[0], anchors[0]), worth(declared[1], anchors[1]))
    return Terms(
        s, (count,), (low,), (step,), declared, limits, (width, width), anchors, asks, 0, ((0,),), is_price=True
    )


def _several_terms(s: Scenario) -> Terms:
    counts = tuple(count_of(issue) for issue in s.issues)
    longest = counts.index(max(counts))
    rest = tuple(product(*(range(1 if k == longest else n) for k, n in enumerate(counts))))
    declared = tuple(
        utility_of(s, seat, tuple(s.side(seat).weights[issue.name] for issue in s.issues)) for seat in (0, 1)
    )
    limits = (round(s.seller.limit * CENTS), round(s.buyer.limit * CENTS))
    lows = tuple(round((issue.values[0] if issue.values else issue.low) * CENTS) for issue in s.issues)
    steps = tuple(0 if issue.values else round(issue.step * CENTS) for issue in s.issues)
    best = tuple(
        tuple((n - 1) if slope > 0 else 0 for n, slope in zip(counts, utility.slopes, strict=True))
        for utility in declared
    )
    asks = (worth(declared[0], best[0]), worth(declared[1], best[1]))
    terms = Terms(
        s, counts, lows, steps, (declared[0], declared[1]), limits, (1, 1), (best[0], best[1]), asks, longest, rest
    )
    widths = [(best_within(terms, declared[i], declared[1 - i], limits[1 - i]) or 0) - limits[i] for i in (0, 1)]
    return msgspec.structs.replace(terms, delta0=(_whole(widths[0]), _whole(widths[1])))


def _whole(width: int) -> int:
    """A width in whole money, at least one."""
    return max(1, round(width / CENTS)) * CENTS


def utility_of(s: Scenario, seat: int, weights: tuple[float, ...]) -> Utility:
    """A seat's utility with these weights: `M·Σ w·n`, `n` the value's place in the seat's direction."""
    slopes, base = [], 0
    for issue, weight in zip(s.issues, weights, strict=True):
        count = count_of(issue)
        slope = round(CENTS * s.stake * weight / (count - 1))
        if (issue.rises == "seller") == (seat == 0):
            slopes.append(slope)
        else:
            slopes.append(-slope)
            base += slope * (count - 1)
    return Utility(base, tuple(slopes))


def best_within(terms: Terms, mine: Utility, theirs: Utility, their_limit: int) -> int | None:
    """The most that `mine` can be over all outcomes with `theirs ≥ their_limit`; None when there is no such outcome."""
    best: int | None = None
    last, k = terms.counts[terms.longest] - 1, terms.longest
    slope, other = mine.slopes[k], theirs.slopes[k]
    for offer in terms.rest:
        room = worth(theirs, offer) - their_limit
        low, high = 0, last
        if other > 0:
            low = max(low, -(room // other))
        elif other < 0:
            high = min(high, room // -other)
        elif room < 0:
            continue
        if low > high:
            continue
        value = worth(mine, offer) + slope * (high if slope > 0 else low)
        if best is None or value > best:
            best = value
    return best


def asking(terms: Terms, mine: Utility, theirs: Utility, least: int) -> Offer:
    """The outcome worth at least `least` to `mine` (or the best there is) that `theirs` likes most.

    `theirs` is what the mover supposes of the other side: the declared utility, if it knows no better.
    """
    last, k = terms.counts[terms.longest] - 1, terms.longest
    slope, other = mine.slopes[k], theirs.slopes[k]
    if len(terms.counts) == 1 and slope * other < 0:  # a price: just enough for one is most for the other
        place = -((mine.base - least) // slope) if slope > 0 else (mine.base - least) // -slope
        return (min(last, max(0, place)),)
    best: Offer | None = None
    best_value = 0
    for offer in terms.rest:
        need = least - worth(mine, offer)
        low, high = 0, last
        if slope > 0:
            low = max(low, -(-need // slope))
        elif slope < 0:
            high = min(high, -need // -slope)
        elif need > 0:
            continue
        if low > high:
            continue
        place = high if other > 0 else low
        value = worth(theirs, offer) + other * place
        if best is None or value > best_value:
            best, best_value = (*offer[:k], place, *offer[k + 1 :]), value
    return best if best is not None else most(terms, mine)


def most(terms: Terms, utility: Utility) -> Offer:
    """The outcome that is worth most."""
    return tuple((n - 1) if slope > 0 else 0 for n, slope in zip(terms.counts, utility.slopes, strict=True))


def values_of(terms: Terms, offer: Offer) -> Mapping[str, float]:
    """An offer as figures, by issue."""
    found = terms.kept.get(offer)
    if found is None:
        if len(terms.kept) > KEPT_AT_MOST:
            terms.kept.clear()
        found = {issue.name: value_of(terms, k, offer[k]) for k, issue in enumerate(terms.scenario.issues)}
        terms.kept[offer] = found
    return found


def value_of(terms: Terms, k: int, place: int) -> float:
    """The value of issue `k` at this place."""
    issue = terms.scenario.issues[k]
    if issue.values:
        return issue.values[place]
    hundredths = terms.lows[k] + terms.steps[k] * place
    return hundredths / CENTS if hundredths % CENTS else float(hundredths // CENTS)


def range_of(terms: Terms, k: int) -> tuple[float, float]:
    """The lowest and highest value of issue `k`."""
    return value_of(terms, k, 0), value_of(terms, k, terms.counts[k] - 1)


def to_offer(terms: Terms, figures: Mapping[str, float]) -> Offer:
    """Figures as an offer, each rounded to its issue's step. Raises OfferError for what can't be one."""
    issues = terms.scenario.issues
    if set(figures) != {issue.name for issue in issues}:
        names = ", ".join(issue.name for issue in issues)
        raise OfferError(
            "incomplete_offer", f"an offer is complete: it has a value for each of {names}, and nothing else"
        )
    return tuple(_place(terms, k, issue, figures[issue.name]) for k, issue in enumerate(issues))


def _place(terms: Terms, k: int, issue: Issue, value: float) -> int:
    low, high = range_of(terms, k)
    if not math.isfinite(value) or not low <= value <= high:
        raise OfferError("out_of_range", f"{issue.name} must be from {low:,.10g} to {high:,.10g}")
    if issue.values:
        if value not in issue.values:
            allowed = ", ".join(f"{v:,.10g}" for v in issue.values)
            raise OfferError("off_step", f"{issue.name} must be one of {allowed}")
        return issue.values.index(value)
    if abs(value * CENTS - round(value * CENTS)) > 1e-4:
        raise OfferError("off_step", f"{issue.name} goes in steps of {issue.step:g}; give at most two decimals")
    return min(
        terms.counts[k] - 1, max(0, (round(value * CENTS) - terms.lows[k] + terms.steps[k] // 2) // terms.steps[k])
    )

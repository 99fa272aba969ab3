"""Who haggles over a quantity and a price: who concedes, who never does, who takes anything, who reckons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil, floor

import numpy as np

from parlay_env.core import Policy
from parlay_env.games.size_price import (
    COSTS,
    PRICES,
    UNITS,
    VALUES,
    Move,
    Offer,
    View,
    buyer_utility,
    harmonic,
    seller_utility,
)
from parlay_env.rng import Draws, Purpose

_ACCEPTS, _UNITS, _PRICE = Purpose.POLICY, Purpose.POLICY + 1, Purpose.POLICY + 2
_ALL_UNITS = range(UNITS[0], UNITS[1] + 1)
_EACH_UNITS = np.arange(UNITS[0], UNITS[1] + 1)[:, None]
_EACH_PRICE = np.arange(PRICES[0], PRICES[1] + 1)[None, :]
_HARMONIC = np.array([harmonic(units) for units in _ALL_UNITS])[:, None]
TURNS_OF_PATIENCE = 2
"""Who concedes has come down to its least with so many turns left."""
LEAST = 0.15
"""What who concedes asks for in the end, as a share of its first demand."""


def utility(view: View, offer: Offer) -> float:
    """What an offer is worth to this seat, in coins."""
    if view.value is not None:
        return buyer_utility(view.value, offer)
    return seller_utility(view.cost or 0, offer)


def others(view: View) -> list[Offer]:
    """The other's offers so far, in order."""
    own = 0 if view.began == view.seat else 1
    return [offer for number, offer in enumerate(view.offers) if number % 2 != own]


def bounds(view: View) -> tuple[int, int]:
    """Between which figures the other's private one lies, if it has offered nothing at a loss; never empty."""
    if view.value is not None:
        low, high = COSTS
        return low, max(low, min([high, *(offer.price for offer in others(view))]))
    low, high = VALUES
    return min(high, max([low, *(ceil(o.units * o.price / harmonic(o.units)) for o in others(view))])), high


def demand(view: View, target: float) -> Offer:
    """The offer that is worth at least so many coins to this seat, and most to the other, taking its private figure for
    the middle of what it may be. Raises ValueError where no offer is worth that much; one always is worth 0.8 of the
    `aspiration`."""
    guess = sum(bounds(view)) / 2
    found: list[tuple[float, Offer]] = []
    for units in _ALL_UNITS:
        if view.value is not None:
            price = min(PRICES[1], floor((view.value * harmonic(units) - target) / units))
            theirs = units * (price - guess)
        else:
            price = max(PRICES[0], ceil((view.cost or 0) + target / units))
            theirs = guess * harmonic(units) - units * price
        if PRICES[0] <= price <= PRICES[1]:
            found.append((theirs, Offer(units, price)))
    return max(found, key=lambda one: one[0])[1]


def aspiration(view: View) -> float:
    """What this seat would gain, in coins, if the other were as generous as it can be: all that the best deal is worth
    at the other's most favourable figure."""
    value, cost = (view.value, COSTS[0]) if view.value is not None else (VALUES[1], view.cost or 0)
    return max(value * harmonic(units) - units * cost for units in _ALL_UNITS)


def _turn(view: View, target: float) -> Move:
    """Accept what is worth the target, else ask for it."""
    if view.standing is not None and view.standing >= target:
        return Move(play="accept")
    return Move(play=demand(view, target))


class Random:
    """Accepts one offer in five; else offers anything."""

    def act(self, view: View, rng: Draws) -> Move:
        """`accept`, or an offer."""
        turn = len(view.offers) + 1
        if view.offers and rng.unit(turn, _ACCEPTS) < 0.2:
            return Move(play="accept")
        return Move(play=Offer(rng.integer(*UNITS, turn, _UNITS), rng.integer(*PRICES, turn, _PRICE)))


class Conceder:
    """Asks for nearly all that could be had, and comes down evenly to a small gain (time-dependent concession: Faratin,
    Sierra & Jennings 1998); takes what is worth as much as it would ask next; with the last chance takes any gain."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """`accept`, or an offer."""
        if view.standing is not None and view.standing > 0.0 and view.turns_left == 1:
            return Move(play="accept")
        turns = len(view.offers) + view.turns_left
        gone = min(1.0, len(view.offers) / max(1, turns - 1 - TURNS_OF_PATIENCE))
        most = 0.8 * aspiration(view)
        return _turn(view, most * (1 - (1 - LEAST) * gone))


class Stubborn:
    """Asks for half of all that could be had, and never less."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """`accept`, or the same offer again."""
        return _turn(view, 0.5 * aspiration(view))


class Naive:
    """Believes that every offer is the best there is: accepts whatever is worth anything. Its own offers ask for a
    tenth of all that could be had."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """`accept`, or an offer."""
        if view.standing is not None and view.standing > 0.0:
            return Move(play="accept")
        return _turn(view, 0.1 * aspiration(view))


class BestResponder:
    """Holds that the other offers nothing at a loss and accepts any gain, with each private figure that is left as
    likely; makes the offer that is worth most under that belief, and accepts what is worth more than that."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """`accept`, or the best offer."""
        last = view.turns_left == 1
        worth, offer = best_offer(view)
        if view.standing is not None and view.standing > 0.0 and (last or view.standing >= worth):
            return Move(play="accept")
        return Move(play=offer)


def best_offer(view: View) -> tuple[float, Offer]:
    """The offer with the highest expected worth to this seat, in coins, and that worth. All are tried at once, since
    one by one would hold up everybody on the server."""
    low, high = bounds(view)
    if view.value is not None:
        worth = view.value * _HARMONIC - _EACH_UNITS * _EACH_PRICE
        taken = np.minimum(high, _EACH_PRICE - 1) - low + 1
    else:
        worth = _EACH_UNITS * (_EACH_PRICE - (view.cost or 0))
        taken = high - np.maximum(low, np.floor(_EACH_UNITS * _EACH_PRICE / _HARMONIC) + 1) + 1
    expected = worth * np.maximum(taken, 0) / (high - low + 1)
    row, column = divmod(int(expected.argmax()), expected.shape[1])
    best = float(expected[row, column])
    if best <= 0.0:
        return 0.0, demand(view, 0.0)
    return best, Offer(UNITS[0] + row, PRICES[0] + column)


PLAYERS: Mapping[str, Callable[[], Policy]] = {
    "conceder": Conceder,
    "random": Random,
    "naive": Naive,
    "stubborn": Stubborn,
    "best_responder": BestResponder,
}
"""By name; the first is the partner where none is named."""

"""Two hundred markets for the price games: a product each, what it costs to make, and how many buy it at a price.

They are made, not observed: a fixed key draws each market's figures in the ranges below, so that everybody has the
same two hundred. Buyers at price p: ⌊(pmax − p)/den⌋; money is in whole coins.
"""

from __future__ import annotations

from functools import cache

import msgspec

from parlay_env.rng import Draws

MAKES = ("plain", "painted", "folding", "garden", "travelling", "children's", "heavy", "quiet", "mended", "winter")
THINGS = (
    "lamp", "kettle", "chair", "bicycle", "clock", "basket", "blanket", "stove", "ladder", "radio",
    "mirror", "tent", "barrow", "piano stool", "loom", "saddle", "telescope", "sewing box", "rain coat", "toy boat",
)  # fmt: skip
COUNT = len(MAKES) * len(THINGS)
"""How many products there are."""
COST = (30, 900)
"""What one piece costs to make."""
CEILING = (2.0, 4.0)
"""pmax, at which nobody buys, in multiples of the cost."""
BUYERS = (15, 150)
"""How many are to buy at a monopolist's price; den follows, in whole coins rounded down, so that it can be twice as
many, or fewer where one coin is too much."""
_KEY = 0x70726F6475637473
_COST, _CEILING, _BUYERS = 1, 2, 3


class Market(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A market: `name` of the product, `cost` of a piece, `pmax` at which nobody buys, `den`: coins off the price that
    bring one more buyer."""

    name: str
    cost: int
    pmax: int
    den: int


@cache
def products() -> tuple[Market, ...]:
    """The catalogue, by number from 0."""
    return tuple(_product(number) for number in range(COUNT))


def _product(number: int) -> Market:
    draws = Draws(_KEY)
    cost = draws.integer(*COST, number, _COST)
    pmax = int(cost * draws.between(*CEILING, number, _CEILING))
    den = max(1, (pmax - cost) // (2 * draws.integer(*BUYERS, number, _BUYERS)))
    make, thing = MAKES[number % len(MAKES)], THINGS[number // len(MAKES)]
    return Market(f"{make} {thing}", cost, pmax, den)

"""What a scripted player would have played, over all its draws: its strategy, as one who knows it sees it.

A player with private draws is a mixed strategy: a chance of each way to play. What it does after all that it has done
so far is its behaviour strategy: the chances of its next move over the draws that lead to its moves up to here (Kuhn
1953, "Extensive games and the problem of information"). It is found exactly, by trying every draw that the player
makes, from the player's own `act`: so it can't differ from what is played.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from math import gcd, isnan
from typing import Any, NoReturn, cast

import msgspec

from parlay_env.core import Policy
from parlay_env.rng import Draws

MOST = 10_000
"""Ways to draw that are tried at one decision; a player with more has no strategy here."""

TWICE = "one word is drawn as a whole number and as a figure, which are not independent"

Address = tuple[int, int, int]
"""Turn, purpose and index of a draw."""


class Unreckonable(ValueError):
    """A player draws in a way that can't be tried out; the text says how."""


class Decision(msgspec.Struct, frozen=True):
    """A move that was made, and the view it was made at."""

    view: Any
    move: Any


class _Way(msgspec.Struct, frozen=True):
    """One way to draw, as far as it matters so far, and how likely it is. `whole`: by address and number of values,
    the value above the lowest; `parts`: by address, the bounds in which a unit draw lies."""

    share: float
    whole: Mapping[tuple[Address, int], int]
    parts: Mapping[Address, tuple[float, float]]


class _Open(Exception):
    """A draw that this way does not settle: the ways that do."""

    def __init__(self, ways: list[_Way]) -> None:
        super().__init__()
        self.ways = ways


def _untried(*_: Any, **__: Any) -> NoReturn:
    raise Unreckonable("a unit draw is used for other than to be put above or below a figure")


class _Unit:
    """A draw from [0, 1) of which no more is known than was asked: it can be put above or below a figure, and nothing
    else. Whatever else is done with it raises Unreckonable."""

    def __init__(self, way: _Way, address: Address) -> None:
        self._way, self._address = way, address

    def __lt__(self, bound: float) -> bool:
        if not isinstance(bound, (int, float)) or isnan(bound):
            _untried()
        low, high = self._way.parts.get(self._address, (0.0, 1.0))
        if bound <= low or bound >= high:
            return bound >= high
        if any(there == self._address and span > 1 for there, span in self._way.whole):
            raise Unreckonable(TWICE)
        raise _Open(
            [
                _Way(
                    self._way.share * (part[1] - part[0]) / (high - low),
                    self._way.whole,
                    {**self._way.parts, self._address: part},
                )
                for part in ((low, bound), (bound, high))
            ]
        )

    def __le__(self, bound: float) -> bool:
        return self < bound

    def __ge__(self, bound: float) -> bool:
        return not self < bound

    def __gt__(self, bound: float) -> bool:
        return not self < bound

    __eq__ = __ne__ = __hash__ = __bool__ = _untried  # type: ignore[assignment]
    __float__ = __int__ = __index__ = __complex__ = __trunc__ = __floor__ = __ceil__ = __round__ = _untried
    __neg__ = __pos__ = __abs__ = _untried
    __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __divmod__ = __pow__ = _untried
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rdivmod__ = __rpow__ = _untried
    __str__ = __repr__ = __format__ = _untried


class _Tried:
    """Draws of one way, in the place of `Draws`."""

    def __init__(self, way: _Way) -> None:
        self._way = way

    def integer(self, low: int, high: int, turn: int, purpose: int, index: int = 0) -> int:
        address, span = (turn, purpose, index), high - low + 1
        if (value := self._way.whole.get((address, span))) is not None:
            return low + value
        if span > MOST:
            raise Unreckonable(f"one draw of {span} values; at most {MOST} are tried")
        if any(there == address and gcd(span, other) > 1 for there, other in self._way.whole):
            raise Unreckonable("one word is drawn with two ranges that are not independent")
        if span > 1 and address in self._way.parts:
            raise Unreckonable(TWICE)
        share = self._way.share / span
        raise _Open(
            [_Way(share, {**self._way.whole, (address, span): k}, self._way.parts) for k in range(span)],
        )

    def unit(self, turn: int, purpose: int, index: int = 0) -> Any:
        return _Unit(self._way, (turn, purpose, index))

    def between(self, *_: Any) -> float:
        raise Unreckonable("a draw between two figures has no end of values")

    def normal(self, *_: Any) -> float:
        raise Unreckonable("a normal draw has no end of values")


def strategy(
    player: Callable[[], Policy],
    made: Sequence[Decision],
    seen: Callable[[Any], Hashable],
    played: Callable[[Any], Hashable],
) -> dict[Hashable, float]:
    """The chance of each play at the last of these decisions of one player, given all that others saw of its moves.

    `seen`: of a move, what others see at once (that it was a play, but not which); `played`: the play in it. The
    shares sum to 1. Raises Unreckonable for a player that draws in another way, and ValueError for one that never makes
    these moves.
    """
    ways = [_Way(1.0, {}, {})]
    found: dict[Hashable, float] = {}
    for number, one in enumerate(made, 1):
        kept = [(way, move) for way, move in _moves(player, one.view, ways) if seen(move) == seen(one.move)]
        ways = [way for way, _ in kept]
        if number == len(made):
            for way, move in kept:
                found[played(move)] = found.get(played(move), 0.0) + way.share
    total = sum(found.values())
    if not total:
        raise ValueError("no draws lead this player to these moves")
    return {play: share / total for play, share in found.items()}


def _moves(player: Callable[[], Policy], view: Any, ways: Sequence[_Way]) -> list[tuple[_Way, Any]]:
    """What the player does at this view in each way to draw, each way as far apart as it matters."""
    waiting, found = list(ways), []
    while waiting:
        way = waiting.pop()
        try:
            found.append((way, player().act(view, cast("Draws", _Tried(way)))))
        except _Open as open_:
            waiting += open_.ways
        if len(waiting) + len(found) > MOST:
            raise Unreckonable(f"more than {MOST} ways to draw at one decision")
    return found

"""What a strategic game adds to `core.Game`, so that one door, one command and one suite serve all of them.

A setup's fields all have defaults: `setup_type()` is the game as it is usually played. A view tells four things by the
same names in every game: `seat`, whose eyes it is for (None: an observer's); `invalid`, why this seat's last move was
not played; `ended`, why the episode is over (None before): `PLAYED`, `VOID`, or the name of an end that this game alone
has; and `truth`, which holds what was hidden: None for a player before the end. An observer has it from the
start. Rounds that are over are `past`, where the view tells them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import msgspec

from parlay_env.core import EpisodeOver, Game, Seat, WrongSeat


@runtime_checkable
class StrategicGame(Game, Protocol):
    """A game of this folder. Its class says what the conformance suite, the door and the command line need."""

    title: str
    """A few words for a list."""
    rules: str
    """All that a player is told, in plain sentences: the moves, the pay-offs, the end. Nothing hidden."""
    view_type: type
    reward_range: tuple[float, float]
    """No seat's episode is worth less or more than this, in the setups that are allowed."""
    by_seat: frozenset[str]
    """Names of fields, of a view or anywhere in it, whose lists have an entry for each of `seated`, in that order; or
    rows of such lists."""
    facts: Mapping[str, float]
    """The figures that the rules stand on, by name, for whoever draws the game or works with it."""

    def seated(self, setup: Any) -> tuple[Seat, ...]:
        """The seats that are played in this setup: all of `seats`, or the first of them."""
        ...

    def measures(self, state: Any, seat: Seat) -> Mapping[str, float]:
        """What came of an ended episode for a seat, by name: numbers whose means over episodes mean something. A
        measure that has no value in this episode is left out. Every game has `void` and `error`, see `blame`."""
        ...


PLAYED = "played"
"""The end of an episode that went as far as the game goes."""
VOID = "void"
"""The end of one in which a seat made too many moves that are not allowed."""

TRIES = 8
"""A seat's moves that are not allowed are counted over the whole episode; with so many it is void. A game that is
stricter passes its own number to `gave_out`."""

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
LAST = _ORDINALS[TRIES - 1]
"""The number of the last of them, in a word."""

LAST_TRY = f"With your {LAST} move that is not allowed the game is over, and nothing more is paid."
"""What the rules say of it."""

AGAIN = f"If a move is not allowed, nobody's move counts, and the same players move again. {LAST_TRY}"
"""What they say where several move at the same time, or a turn is taken again."""


class Refusal(msgspec.Struct, frozen=True):
    """Why a seat's last move was not played: `code` for programs, `message` says what would be right."""

    code: str
    message: str


def counted(tries: Sequence[int], refused: Sequence[Refusal | None]) -> tuple[int, ...]:
    """How many moves of each seat were not allowed, with those of a call that were `refused`; both by seat."""
    return tuple(made + (why is not None) for made, why in zip(tries, refused, strict=True))


def gave_out(tries: Sequence[int], seats: Sequence[Seat], most: int = TRIES) -> tuple[Seat, ...]:
    """The seats whose moves that are not allowed have used up their tries, which makes an episode void; in one call
    several can. `tries`: by seat."""
    return tuple(seat for seat, made in zip(seats, tries, strict=True) if made >= most)


def blame(seat: Seat, wrong: Sequence[Seat]) -> dict[str, float]:
    """Two measures that every game has. `void`: did others alone make the episode void? Then nothing else is measured
    of this seat, and `error` is left out. `error`: did this seat make it void, or help to? `wrong`: see `gave_out`."""
    if wrong and seat not in wrong:
        return {"void": 1.0}
    return {"void": 0.0, "error": float(seat in wrong)}


def check_moves(to_move: frozenset[Seat], moves: Mapping[Seat, Any]) -> None:
    """Raise EpisodeOver or WrongSeat where these seats can't move now."""
    if not to_move:
        raise EpisodeOver("the episode is over")
    if frozenset(moves) != to_move:
        raise WrongSeat(f"a move is due from {', '.join(sorted(to_move))}, and from nobody else")


def advantage(own: float, other: float) -> dict[str, float]:
    """`nra`: (R − R′)/(R + R′) of one's own and the other's reward, which has no bounds where they have other signs;
    `nra_abs`: the same with |R| + |R′| below, from −1 to 1. Each is left out where it would be divided by 0."""
    found = {}
    if own + other:
        found["nra"] = (own - other) / (own + other)
    if own or other:
        found["nra_abs"] = (own - other) / (abs(own) + abs(other))
    return found


class OutOfRange(ValueError):
    """A setup's figure is out of range; the message says what would be right, and never what was given. `where`: the
    path to it."""

    def __init__(self, name: str, right: str) -> None:
        super().__init__(f"{name} is {right}")
        self.where = tuple(name.split("."))


def whole(name: str, value: int, low: int, high: int) -> None:
    """Raise OutOfRange for a setup's whole number that is."""
    if not low <= value <= high:
        raise OutOfRange(name, f"a whole number from {low} to {high}")


def share(name: str, value: float, low: float = 0.0, high: float = 1.0) -> None:
    """Raise OutOfRange for a setup's figure that is, or is none."""
    if not low <= value <= high:
        raise OutOfRange(name, f"a figure from {low:g} to {high:g}")

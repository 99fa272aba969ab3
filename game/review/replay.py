"""A log played again, with what each of a player's moves was made at."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from game.scenarios import Scenario, scenarios
from parlay_env.core import EpisodeOver, Seat, Viewer, WrongSeat
from parlay_env.deal.state import SEATS, Move, Setup, State
from parlay_env.deal.terms import Terms, terms_of
from parlay_env.deal.views import View
from parlay_env.log import EventLog, LogError
from parlay_env.session import GAME

FIRST_NUMBER = 0
"""The number of a player's first move; moves that were not allowed have numbers too."""


class NoReview(ValueError):
    """A game whose moves can't be valued; `why` is a code for machines, the message a sentence for people."""

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why


class Played(msgspec.Struct, frozen=True):
    """A call of `Game.play`: who moved, what, and the states around it."""

    seat: int
    move: Move
    before: State
    after: State

    @property
    def turn(self) -> int:
        """The turn that it was made in (0: the other side opens)."""
        return self.before.public.turn

    @property
    def valid(self) -> bool:
        return self.after.invalid[self.seat] is None


class Seen(msgspec.Struct, frozen=True):
    """A player's move, and what the player saw when it made it: nothing that it could not know."""

    view: View
    """The trainer's: the player's own view, and what it had been paid by then, which it could have worked out."""
    move: Move
    valid: bool
    fine: float = 0.0
    """What its words cost in points, or that it was not allowed."""

    @property
    def turn(self) -> int:
        return self.view.public.turn


class OwnMove(msgspec.Struct, frozen=True):
    """A player's move: its number, where in `Replayed.steps` it is, what happened and what the player saw then."""

    number: int
    at: int
    played: Played
    seen: Seen

    @property
    def view(self) -> View:
        return self.seen.view

    @property
    def turn(self) -> int:
        return self.played.turn

    @property
    def move(self) -> Move:
        return self.played.move

    @property
    def valid(self) -> bool:
        return self.played.valid


class Replayed(msgspec.Struct, frozen=True):
    """An episode, step by step."""

    setup: Setup
    seed: int
    secret: bytes
    start: State
    steps: tuple[Played, ...]

    @property
    def last(self) -> State:
        return self.steps[-1].after if self.steps else self.start

    @property
    def terms(self) -> Terms:
        return terms_of(self.setup.scenario)

    def moves_of(self, seat: Seat) -> tuple[OwnMove, ...]:
        """All the moves of a seat, those that were not allowed among them, in order."""
        place, viewer = SEATS.index(seat), Viewer("trainer", seat)
        own = [(at, played) for at, played in enumerate(self.steps) if played.seat == place]
        return tuple(
            OwnMove(number, at, played, Seen(GAME.view(played.before, viewer), played.move, played.valid))
            for number, (at, played) in enumerate(own, start=FIRST_NUMBER)
        )


def replayed(log: EventLog, secret: bytes = b"") -> Replayed:
    """The episode that a log holds, played again. Raises LogError for a log that can't be read or was changed."""
    setup: Setup = log.verified().setup(GAME.id, Setup)
    setup = replace(setup, scenario=kept(setup.scenario))
    state = start = GAME.start(setup, log.seed, secret)
    steps = []
    for moves in log.moves(Move):
        try:
            after = GAME.play(state, moves).state
        except (EpisodeOver, WrongSeat) as error:
            raise LogError(f"the log has a move that nobody could have made: {error}") from None
        ((seat, move),) = moves.items()
        steps.append(Played(SEATS.index(seat), move, state, after))
        state = after
    return Replayed(setup, log.seed, secret, start, tuple(steps))


def kept(scenario: Scenario) -> Scenario:
    """The scenario that ships, if this one is equal to it: what is compiled of one is kept by the object."""
    known = scenarios().get(scenario.id)
    return known if known is not None and known == scenario else scenario

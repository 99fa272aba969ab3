"""The vocabulary of every game here: what a game is, what a player is, what an episode is.

An **episode** is its setup, its seed and its moves. A **game** is a pure function of them. A **policy** sees a view and
returns a move; it never holds a state. Nothing in this file knows any particular game.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol, runtime_checkable

import msgspec

from parlay_env.log import EventLog, LogError
from parlay_env.rng import Draws, derive_keys

Seat = str
"""Who moves: `seller`, `buyer`; other games name their own."""

Terms = Mapping[str, float]
"""A reward by term: its values sum to the reward, exactly."""


class Viewer(msgspec.Struct, frozen=True, gc=False):
    """Whose eyes a view is for. The seat of an observer is None."""

    role: Literal["player", "trainer", "observer"]
    seat: Seat | None = None


class Event(msgspec.Struct, frozen=True, gc=False):
    """Something the mechanism did by itself: a headline, an erosion tick, the end. Public."""

    kind: str
    turn: int
    seat: Seat | None = None
    data: dict[str, Any] | None = None


class Step(msgspec.Struct, frozen=True):
    """What one call of `Game.play` gives.

    `rewards` holds what is paid now, by seat and term; seats that are paid nothing now are absent.
    """

    state: Any
    rewards: Mapping[Seat, Terms]
    events: tuple[Event, ...] = ()


@runtime_checkable
class Game(Protocol):
    """A game as a pure function. States and moves are frozen `msgspec.Struct`s that survive a JSON round trip."""

    id: str
    seats: tuple[Seat, ...]
    setup_type: type
    state_type: type
    move_type: type

    def start(self, setup: Any, seed: int, secret: bytes = b"") -> Any:
        """The first state. Raises ValueError for a setup or a seed that can't be played."""
        ...

    def to_move(self, state: Any) -> frozenset[Seat]:
        """The seats that move next, several for a simultaneous move; empty when the episode is over."""
        ...

    def play(self, state: Any, moves: Mapping[Seat, Any]) -> Step:
        """The state after these moves. A move that isn't allowed is answered in the next view, never raised.

        Raises EpisodeOver after the end and WrongSeat when `moves` is not of exactly the seats to move.
        """
        ...

    def view(self, state: Any, viewer: Viewer) -> Any:
        """All that this viewer may see: the only way anything leaves a state."""
        ...


class EpisodeOver(ValueError):
    """A move came after the end."""


class WrongSeat(ValueError):
    """A move came from a seat that is not to move, or a seat to move had none."""


@runtime_checkable
class Policy(Protocol):
    """A player. It sees a view and the draws of its own seat, nothing else."""

    def act(self, view: Any, rng: Draws) -> Any: ...


class AsyncPolicy(Protocol):
    """A player that waits on something: a language model, a person, another socket."""

    async def act(self, view: Any, rng: Draws) -> Any: ...


class Episode(msgspec.Struct, frozen=True):
    """A played episode: its last state, what each seat was paid at each of its moves, and the log that replays it."""

    state: Any
    rewards: Mapping[Seat, tuple[Terms, ...]]
    log: EventLog | None

    def total(self, seat: Seat) -> float:
        """The sum of all that this seat was paid."""
        return sum(sum(terms.values()) for terms in self.rewards[seat])


def policy_draws(game: Game, seed: int, seat: Seat, secret: bytes = b"") -> Draws:
    """The draws that a seat's policy may use in the episode with this seed."""
    return Draws(derive_keys(seed, secret, len(game.seats)).policy[game.seats.index(seat)])


def play_episode(
    game: Game, setup: Any, seed: int, policies: Mapping[Seat, Policy], *, secret: bytes = b"", keep_log: bool = True
) -> Episode:
    """Play one episode to its end, each seat by its policy."""
    state = game.start(setup, seed, secret)
    keys = derive_keys(seed, secret, len(game.seats))
    draws = {seat: Draws(keys.policy[i]) for i, seat in enumerate(game.seats)}
    viewers = {seat: Viewer("player", seat) for seat in game.seats}
    paid: dict[Seat, list[Terms]] = {seat: [] for seat in game.seats}
    log = EventLog.begin(game.id, setup, seed) if keep_log else None
    while seats := game.to_move(state):
        moves = {seat: policies[seat].act(game.view(state, viewers[seat]), draws[seat]) for seat in seats}
        step = game.play(state, moves)
        if log is not None:
            log = log.append(moves)
        for seat, terms in step.rewards.items():
            paid[seat].append(terms)
        state = step.state
    return Episode(state, {seat: tuple(terms) for seat, terms in paid.items()}, log)


def replay(game: Game, log: EventLog, secret: bytes = b"") -> Episode:
    """The episode that a log holds, played again: the same states and rewards, bit for bit.

    Raises `LogError` when the log is of another game or its chain is broken.
    """
    setup = log.verified().setup(game.id, game.setup_type)
    state = game.start(setup, log.seed, secret)
    paid: dict[Seat, list[Terms]] = {seat: [] for seat in game.seats}
    for moves in log.moves(game.move_type):
        try:
            step = game.play(state, moves)
        except (EpisodeOver, WrongSeat) as error:
            raise LogError(f"the log has a move that nobody could have made: {error}") from None
        for seat, terms in step.rewards.items():
            paid[seat].append(terms)
        state = step.state
    return Episode(state, {seat: tuple(terms) for seat, terms in paid.items()}, log)

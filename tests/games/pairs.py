"""Pairs of episodes that differ only in what is hidden from a seat, played side by side until something tells it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import msgspec
import pytest

from agent.games.registry import Entry, entry
from parlay_env.core import Seat, Step, Viewer
from parlay_env.games.interface import StrategicGame
from parlay_env.rng import MAX_SEED, Draws, Keys, derive_keys

Moves = Mapping[Seat, Any]


def coded(value: Any) -> bytes:
    """A value as bytes, the same for the same value."""
    return msgspec.json.encode(value, order="deterministic")


def keys_of(r: random.Random) -> Keys:
    """The keys of an instance, for as many seats as any game has."""
    return derive_keys(r.randint(0, MAX_SEED), seats=8)


def hidden_changed(keys: Keys, other: Keys, place: int | None, shared: Iterable[str] = ()) -> Keys:
    """These keys, but for what the seat in this place (None: anybody) has no part in: that is the other's. `shared`
    names what is left as it is besides."""
    facts, policy = list(other.facts), list(other.policy)
    if place is not None:
        facts[place], policy[place] = keys.facts[place], keys.policy[place]
    changed = Keys(keys.visible, other.hidden, tuple(facts), tuple(policy))
    return msgspec.structs.replace(changed, **{name: getattr(keys, name) for name in shared})


def started(game: StrategicGame, setup: Any, keys: Keys) -> Any:
    """The first state of the instance with these keys."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module(type(game).__module__), "derive_keys", lambda *_: keys)
        return game.start(setup, 0)


def allowed(one: Entry, state: Any, seat: Seat, r: random.Random) -> Any:
    """A move of this seat that is allowed."""
    return one.player("random").act(one.game.view(state, Viewer("player", seat)), Draws(r.getrandbits(60)))


def not_allowed(one: Entry, state: Any, seat: Seat, r: random.Random) -> Any:
    """A move of this seat that is refused."""
    illegal = import_module(f"tests.games.test_{one.game.id}").illegal
    others = {other: allowed(one, state, other, r) for other in one.game.to_move(state) if other != seat}
    while True:
        move = illegal(one.game.view(state, Viewer("player", seat)), r)
        after = one.game.play(state, {**others, seat: move}).state
        if one.game.view(after, Viewer("player", seat)).invalid is not None:
            return move


class Seen(AssertionError):
    """The seat's views of the two differ before anything told the difference."""


@dataclass
class Pair:
    """Two states, and the seat that must not tell them apart. `differed`: the fields of the state in which they were
    not alike while the seat saw no difference; `told`: has something told it?"""

    entry: Entry
    seat: Seat
    one: Any
    two: Any
    differed: set[str] = field(default_factory=set[str])
    told: bool = False

    def __post_init__(self) -> None:
        self._alike()

    @property
    def game(self) -> StrategicGame:
        return self.entry.game

    @property
    def due(self) -> list[Seat]:
        """Who is to move in the first of the two."""
        return [seat for seat in self.game.seats if seat in self.game.to_move(self.one)]

    def view(self, seat: Seat | None = None) -> Any:
        """What a seat sees of the first, its own seat where none is named."""
        return self.game.view(self.one, Viewer("player", seat or self.seat))

    def legal(self, r: random.Random, seat: Seat | None = None) -> Any:
        """A move that is allowed."""
        return allowed(self.entry, self.one, seat or self.seat, r)

    def play(self, one: Moves | None, two: Moves | None) -> None:
        """Go on in both, or in one alone, by moves of which the seat may not learn anything but its own."""
        paid = [self._paid(self._step("one", one)), self._paid(self._step("two", two))]
        if one is not None and two is not None:
            assert coded(paid[0]) == coded(paid[1])
        else:
            assert all(told in (None, (None, ())) for told in paid)
        self._alike()

    def tell(self, one: Moves, two: Moves, *fields: str, paid_alike: bool = False) -> None:
        """Go on by moves after which the seat learns what was hidden: in these fields of its view and in no other."""
        paid = [self._paid(self._step("one", one)), self._paid(self._step("two", two))]
        seen = [
            msgspec.to_builtins(self.game.view(state, Viewer("player", self.seat))) for state in (self.one, self.two)
        ]
        differ = {name for name in seen[0] if coded(seen[0][name]) != coded(seen[1][name])}
        assert differ, "nothing was hidden: the pair proves nothing"
        assert differ <= set(fields)
        assert not paid_alike or coded(paid[0]) == coded(paid[1])
        self.told = True

    def _step(self, which: str, moves: Moves | None) -> Step | None:
        if moves is None:
            return None
        step = self.game.play(getattr(self, which), moves)
        setattr(self, which, step.state)
        return step

    def _paid(self, step: Step | None) -> Any:
        """What the seat learns of a step besides its view."""
        return step and (step.rewards.get(self.seat), step.events)

    def _alike(self) -> None:
        for role in ("player", "trainer"):
            views = [self.game.view(state, Viewer(role, self.seat)) for state in (self.one, self.two)]
            if coded(views[0]) != coded(views[1]):
                raise Seen(f"{self.seat} is shown what is hidden from it, as {role}")
            assert type(views[0]) is type(views[1]) is self.game.view_type
        due = [self.seat in self.game.to_move(state) for state in (self.one, self.two)]
        assert due[0] == due[1]
        names = self.game.state_type.__struct_fields__
        self.differed |= {name for name in names if getattr(self.one, name) != getattr(self.two, name)}


def begun(
    game_id: str,
    seat: Seat,
    r: random.Random,
    setup: Any = None,
    other: Any = None,
    shared: Iterable[str] = (),
    keys: tuple[Keys, Keys] | None = None,
) -> Pair:
    """A pair of first states: of this setup and the other one, whose instances have in common what this seat has a part
    in, and what is `shared`. `keys`: of both, instead."""
    one = entry(game_id)
    game = one.game
    setup = game.setup_type() if setup is None else setup
    first, second = keys or (keys_of(r), keys_of(r))
    if keys is None:
        second = hidden_changed(first, second, game.seats.index(seat), shared)
    states = started(game, setup, first), started(game, setup if other is None else other, second)
    return Pair(one, seat, *states)

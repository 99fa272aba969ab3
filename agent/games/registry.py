"""Every strategic game, with who plays it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from agent.games import bertrand, commons, levers, rps_talk, signalling, teamwork
from game.texts import texts
from parlay_env.core import Policy, Seat
from parlay_env.games.bertrand import Bertrand
from parlay_env.games.commons import Commons
from parlay_env.games.interface import StrategicGame
from parlay_env.games.levers import Levers
from parlay_env.games.rps_talk import RpsTalk
from parlay_env.games.signalling import Signalling
from parlay_env.games.size_price import SizePrice
from parlay_env.games.teamwork import Teamwork
from parlay_env.games.undercover import Undercover

Players = Mapping[str, Callable[[], Policy]]


class UnknownGame(ValueError):
    """No game has this id."""


class UnknownPlayer(ValueError):
    """Nobody of this name plays the game."""


class Entry(msgspec.Struct, frozen=True):
    """A game and its scripted players, any of which can sit anywhere; the first is the partner where none is named.

    `learner`: the field of the setup that names the learner's seat, in a game that treats it differently.
    """

    game: StrategicGame
    players: Players
    learner: str | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """The fields of the setup that whoever plays may choose."""
        return tuple(name for name in self.game.setup_type.__struct_fields__ if name != self.learner)

    def told(self) -> dict[str, Any]:
        """The game as lists tell of it, in plain data."""
        game, setup = self.game, self.game.setup_type()
        return {
            "id": game.id,
            "title": game.title,
            "rules": game.rules,
            "seats": list(game.seated(setup)),
            "players": list(self.players),
            "partner": self.partner,
            "options": {name: msgspec.to_builtins(getattr(setup, name)) for name in self.options},
            "reward_range": list(game.reward_range),
            "facts": dict(game.facts),
        }

    def for_learner(self, setup: Any, seat: Seat) -> Any:
        """The setup with the learner in this seat."""
        return setup if self.learner is None else replace(setup, **{self.learner: seat})

    @property
    def partner(self) -> str:
        """Who sits opposite where nobody was named."""
        return next(iter(self.players))

    def player(self, name: str) -> Policy:
        """A new player of this name. Raises UnknownPlayer."""
        if name not in self.players:
            raise UnknownPlayer(f"{self.game.id} is played by {', '.join(self.players)}{meant(name, self.players)}")
        return self.players[name]()


def meant(name: str, known: Iterable[str]) -> str:
    """What to say after a name that is not known: the nearest that is, or nothing. Never the name itself."""
    near = get_close_matches(name[:40], list(known), 1)
    return f"; did you mean {near[0]}?" if near else ""


def _later(module: str, *names: str) -> Players:
    """Players whose module is loaded with the first of them: it stands on NumPy, which nobody pays for who starts a
    server and plays something else."""
    return {name: partial(_made, module, name) for name in names}


def _made(module: str, name: str) -> Policy:
    return import_module(f"agent.games.{module}").PLAYERS[name]()


@cache
def games(documents: Path | None = None) -> Mapping[str, Entry]:
    """The games by id, in the order in which they are listed. `documents`: a folder of texts for `undercover`, in place
    of those that ship. Raises game.texts.TextError for a folder that can't be played with."""
    listed = [
        Entry(RpsTalk(), rps_talk.PLAYERS, learner="limited"),
        Entry(Bertrand(), bertrand.PLAYERS),
        Entry(SizePrice(), _later("size_price", "conceder", "random", "naive", "stubborn", "best_responder")),
        Entry(Undercover(texts(documents)), _later("undercover", "reader", "random")),
        Entry(Levers(), levers.PLAYERS),
        Entry(Signalling(), signalling.PLAYERS),
        Entry(Teamwork(), teamwork.PLAYERS),
        Entry(Commons(), commons.PLAYERS),
    ]
    return {entry.game.id: entry for entry in listed}


def entry(game_id: str, documents: Path | None = None) -> Entry:
    """A game by its id. Raises UnknownGame, and TextError as `games` does."""
    return found(games(documents), game_id)


def found(known: Mapping[str, Entry], game_id: str) -> Entry:
    """One of these games by its id. Raises UnknownGame, with the nearest id that there is."""
    if game_id not in known:
        raise UnknownGame(f"the games are {', '.join(known)}{meant(game_id, known)}")
    return known[game_id]

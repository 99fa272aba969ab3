"""A client's seat in a strategic game: scripted players sit in the other seats. Synchronous, no I/O.

A door turns text into `GameOptions` and moves; this plays them. What a client may see is the game's view and nothing
else, with two facts beside it that a game need not tell: whose session it is, and whether its move is due.
"""

from __future__ import annotations

import re
import secrets
from typing import Annotated, Any

import msgspec
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from agent.games.registry import Entry, UnknownPlayer, meant
from parlay_env.core import Policy, Seat, Viewer, policy_draws
from parlay_env.games.figures import converted, whole_figures
from parlay_env.games.interface import OutOfRange
from parlay_env.games.messages import NO_TEXT
from parlay_env.games.wording import prompt_of, shape
from parlay_env.log import EventLog
from parlay_env.models import Flag
from parlay_env.rng import MAX_SEED, Draws, Purpose, derive_keys
from parlay_env.session import Answer, BadOption, EpisodeDone, SeedSource, SessionError

SEAT_DRAW = Purpose.POLICY + 200
"""Where the client's seat is drawn, where it names none."""
_PATH = re.compile(r" - at `\$(.*)`$", re.DOTALL)
_NAMED = re.compile(r"\.([a-z_]+)")


Seed = Annotated[int, BeforeValidator(whole_figures), Field(strict=True, ge=0, le=MAX_SEED)]


class GameOptions(BaseModel):
    """What `reset` takes in a strategic game."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: Seed | None = Field(
        default=None, description="The instance. Left out: drawn by the server and told with the end."
    )
    episode_id: Annotated[str, Field(max_length=200)] | None = None
    seat: Annotated[str, Field(max_length=64)] | None = Field(default=None, description="Left out: drawn by the seed.")
    partner: Annotated[str, Field(max_length=64)] | None = Field(
        default=None, description="Who sits in the other seats; left out: the game's usual partner."
    )
    setup: dict[str, Any] = Field(default_factory=dict, description="The game's own options; its schema tells them.")
    prompt: Flag = Field(default=False, description="Put the view into words for a language model, too.")


class BadMove(SessionError):
    """What was sent is no move of this game."""


class GameSession:
    """A client's episode of a strategic game."""

    def __init__(
        self, entry: Entry, options: GameOptions, secret: bytes = b"", seed_source: SeedSource = secrets.randbelow
    ) -> None:
        """A new episode, at the client's first move, or at its end where others end it first. `secret` is mixed into a
        seed that is drawn here.

        Raises BadOption for a seat, a partner or a setup that there is not.
        """
        game = entry.game
        if options.seed is None:
            seed = seed_source(MAX_SEED + 1)
        else:
            seed, secret = options.seed, b""
        setup = setup_of(entry, options.setup)
        try:
            game.start(setup, seed, secret)
        except OutOfRange as error:
            raise BadOption(str(error), "setup", *error.where) from None
        except ValueError as error:
            raise BadOption(str(error), "setup") from None
        seats = game.seated(setup)
        if options.seat is None:
            seat = seats[Draws(derive_keys(seed, secret).visible).integer(0, len(seats) - 1, 0, SEAT_DRAW)]
        elif options.seat in seats:
            seat = options.seat
        else:
            raise BadOption(f"seat must be one of {', '.join(seats)}", "seat")
        try:
            players = {one: entry.player(options.partner or entry.partner) for one in seats if one != seat}
        except UnknownPlayer as error:
            raise BadOption(str(error), "partner") from None
        self.setup = entry.for_learner(setup, seat)
        self.state_now = game.start(self.setup, seed, secret)
        self.entry, self.seat, self.seed = entry, seat, seed
        self.episode_id = options.episode_id or secrets.token_hex(8)
        self.step_count = 0
        self.moves: list[dict[Seat, Any]] = []
        """What was played, one entry for each call of `Game.play`."""
        self._players: dict[Seat, Policy] = players
        self._draws = {one: policy_draws(game, seed, one, secret) for one in players}
        self._owed: dict[str, float] = {}
        self._prompt = options.prompt
        self._shown = options.seed is not None
        self._go_on(None)

    @property
    def done(self) -> bool:
        """Is the episode over?"""
        return not self.entry.game.to_move(self.state_now)

    @property
    def log(self) -> EventLog:
        """The log that replays the episode. It holds the seed: never for a player before the end."""
        log = EventLog.begin(self.entry.game.id, self.setup, self.seed)
        for moves in self.moves:
            log = log.append(moves)
        return log

    def step(self, data: Any) -> Answer:
        """Move, and have the answer: everybody else has moved as far as they can.

        Raises EpisodeDone, and BadMove for what is no move; then nothing was counted.
        """
        if self.done:
            raise EpisodeDone("the episode is over; reset to play another")
        before, played, owed = self.state_now, len(self.moves), dict(self._owed)
        move = move_of(self.entry, data)
        try:
            self._go_on(move)
        except BaseException:
            self.state_now, self._owed = before, owed
            del self.moves[played:]
            raise
        self.step_count += 1
        return self.answer()

    def answer(self) -> Answer:
        """What this seat sees now, and what it was paid since its last answer."""
        terms, self._owed = self._owed, {}
        reward = float(sum(terms.values())) if self.step_count else None
        seen = self.observe()
        if self._prompt:
            seen["prompt"] = prompt_of(self.entry.game, seen)
        return Answer(seen, reward, terms, self.done, self.seed if self._shown or self.done else None)

    def observe(self) -> dict[str, Any]:
        """What this seat sees now."""
        game = self.entry.game
        seen = msgspec.to_builtins(game.view(self.state_now, Viewer("player", self.seat)))
        return {"game": game.id, **seen, "your_move": self.seat in game.to_move(self.state_now)}

    def state(self) -> dict[str, Any]:
        """The session as its player may know it."""
        seen = self.observe()
        return {
            "episode_id": self.episode_id,
            "step_count": self.step_count,
            "done": self.done,
            "seed": self.seed if self._shown or self.done else None,
            **seen,
        }

    def _go_on(self, mine: Any) -> None:
        """Play this move of the client's, and all that others play until it has to move again."""
        game = self.entry.game
        while seats := game.to_move(self.state_now):
            moves: dict[Seat, Any] = {}
            if self.seat in seats:
                if mine is None:
                    return
                moves[self.seat], mine = mine, None
            for seat in game.seats:
                if seat in seats and seat != self.seat:
                    view = game.view(self.state_now, Viewer("player", seat))
                    moves[seat] = self._players[seat].act(view, self._draws[seat])
            step = game.play(self.state_now, moves)
            self.state_now = step.state
            self.moves.append(moves)
            for term, value in step.rewards.get(self.seat, {}).items():
                self._owed[term] = self._owed.get(term, 0.0) + value


def setup_of(entry: Entry, given: dict[str, Any]) -> Any:
    """The game's setup from a client's options. Raises BadOption, which never quotes what was given."""
    kind = entry.game.setup_type
    known = entry.options
    if unknown := [name for name in given if name not in known]:
        told = f"it takes {', '.join(known)}{meant(unknown[0], known)}" if known else "it takes none"
        raise BadOption(f"{entry.game.id} has no such option; {told}", "setup")
    try:
        return converted(given, kind)
    except msgspec.ValidationError as error:
        told, *where = _explained(str(error), "setup")
        raise BadOption(f"{told}; a setup of {entry.game.id} is {shape(kind, known)}", *where) from None
    except UnicodeError:
        raise BadOption(NO_TEXT, "setup") from None


def move_of(entry: Entry, data: Any) -> Any:
    """The move in a client's data. Raises BadMove, which never quotes what was sent."""
    kind = entry.game.move_type
    try:
        return converted(data, kind)
    except msgspec.ValidationError as error:
        told, *where = _explained(str(error))
        place = f"{'.'.join(map(str, where))}: " if where else ""
        raise BadMove(f"{place}{told}; a move of {entry.game.id} is {shape(kind)}") from None
    except UnicodeError:
        raise BadMove(f"{NO_TEXT}; a move of {entry.game.id} is {shape(kind)}") from None


def _explained(text: str, *where: str) -> tuple[str, ...]:
    """What a validation says, without the input, then the path to the field."""
    place = _PATH.search(text)
    told = text[: place.start()] if place else text
    if told.startswith("Invalid enum value"):
        told = "not one of the values that there are"
    elif told.startswith("Object contains unknown field"):
        told = "there is no such field"
    return (told[:1].lower() + told[1:], *where, *(_NAMED.findall(place.group(1)) if place else ()))

"""`/games/<id>/ws`: OpenEnv's protocol for a strategic game. Every message has one answer, in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pydantic import ValidationError
from starlette.types import Message

from agent.games.registry import Entry, UnknownGame, found
from parlay_env.doors.openenv_socket import in_openenvs_words
from parlay_env.doors.sockets import Closed, Socket
from parlay_env.doors.wire import WireError, details_of, error_of, is_longer
from parlay_env.game_session import BadMove, GameOptions, GameSession
from parlay_env.session import Answer, SessionError

NO_SUCH_GAME = 4404
"""What a socket at a game that there is not is closed with."""
MAX_MOVE_BYTES = 131_072
"""A step's message: the longest text of a game with talk, thoughts and all, escaped, takes 126,000."""
_AT_A_GAME = re.compile(r"/games/([^/]+)/ws")
_KEYS = {
    "step": frozenset(("type", "data")),
    "reset": frozenset(("type", "data")),
    "state": frozenset(("type",)),
    "close": frozenset(("type",)),
}


class GameSocket(Socket):
    """Speaks OpenEnv's protocol about one strategic game."""

    __slots__ = ("_entry", "_session")
    close_when_full = 1000
    close_when_idle = 1000

    def __init__(self, *args: Any, entry: Entry, **options: Any) -> None:
        super().__init__(*args, **options)
        self._entry = entry
        self._session: GameSession | None = None

    def answer(self, event: Message) -> dict[str, Any]:
        """The answer to a message."""
        message = self.read(event)
        kind = message.get("type")
        if not isinstance(kind, str) or kind not in _KEYS:
            raise WireError("UNKNOWN_COMMAND", "type must be one of reset, step, state, close")
        if not message.keys() <= _KEYS[kind]:
            raise WireError("INVALID_OPTION", f"this message has {' and '.join(sorted(_KEYS[kind]))}, and nothing else")
        match kind:
            case "step":
                return self._step(message, event["text"])
            case "reset":
                options = game_options_of(message.get("data", {}))
                try:
                    self._session = GameSession(self._entry, options, self.hub.secret)
                except SessionError as error:
                    raise error_of(error) from None
                return observed(self._session.answer())
            case "state":
                state = {"episode_id": None, "step_count": 0} if self._session is None else self._session.state()
                return {"type": "state", "data": state}
            case _:
                raise Closed

    def _step(self, message: dict[str, Any], text: str) -> dict[str, Any]:
        if "data" not in message:
            raise WireError("INVALID_ACTION", "a step has `type` and `data`, the move, and nothing else")
        if is_longer(text, MAX_MOVE_BYTES):
            raise WireError("MESSAGE_TOO_LARGE", f"a step has at most {MAX_MOVE_BYTES} bytes")
        if self._session is None:
            raise WireError("NOT_RESET", "reset first")
        try:
            return observed(self._session.step(message["data"]))
        except BadMove as error:
            raise WireError("INVALID_ACTION", str(error)) from None
        except SessionError as error:
            raise error_of(error) from None

    def wrong(self, error: WireError) -> dict[str, Any]:
        """An error in OpenEnv's words."""
        return in_openenvs_words(error)

    def leave_all(self) -> None:
        """Give up the session."""
        self._session = None

    def waits_for_client(self) -> bool:
        """Nobody else's client plays here."""
        return False

    async def later(self) -> None:
        """Every answer is given at once."""
        raise AssertionError("a strategic game answers at once")


class NoGameSocket(Socket):
    """At a path of no game: the first message is answered with the games that there are, then the socket is closed. Not
    refused at the handshake: what was wrong would reach no client."""

    __slots__ = ("_error",)
    close_when_full = 1000
    close_when_idle = 1000

    def __init__(self, *args: Any, error: UnknownGame, **options: Any) -> None:
        super().__init__(*args, **options)
        self._error = WireError("NOT_FOUND", str(error))

    def answer(self, event: Message) -> dict[str, Any]:  # noqa: ARG002
        """Never an answer. Raises Closed, whatever was sent."""
        raise Closed(NO_SUCH_GAME, self._error)

    def wrong(self, error: WireError) -> dict[str, Any]:
        """An error in OpenEnv's words."""
        return in_openenvs_words(error)

    def leave_all(self) -> None:
        """There is no session."""

    def waits_for_client(self) -> bool:
        """There is no other client."""
        return False

    async def later(self) -> None:
        """Every answer is given at once."""
        raise AssertionError("the answer is given at once")


def no_game_at(served: Mapping[str, Entry], path: str) -> Callable[..., Socket] | None:
    """The door of a path that names none of these games, though it is made like theirs; None for any other path."""
    asked = _AT_A_GAME.fullmatch(path)
    if asked is None:
        return None
    try:
        found(served, asked[1])
    except UnknownGame as error:
        return partial(NoGameSocket, error=error)
    return None


def game_options_of(data: Any) -> GameOptions:
    """The options of a reset. Raises WireError with INVALID_OPTION."""
    try:
        return GameOptions.model_validate(data)
    except ValidationError as error:
        message = "these are no options of reset: what is wrong stands beside this message"
        raise WireError("INVALID_OPTION", message, details_of(error, tuple(GameOptions.model_fields))) from None


def observed(answer: Answer) -> dict[str, Any]:
    """An answer as OpenEnv's clients read it."""
    data = {
        "observation": {**answer.observation, "metadata": {}},
        "reward": answer.reward,
        "done": answer.done,
        "metadata": answer.info(),
    }
    return {"type": "observation", "data": data}

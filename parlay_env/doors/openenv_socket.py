"""`/ws`: OpenEnv's protocol. A socket is a session; every message has one answer, in order; nothing else is sent."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.types import Message

from parlay_env.doors.sockets import Closed, Socket
from parlay_env.doors.wire import WireError, action_of, error_of, options_of
from parlay_env.session import Session, SessionError

_CODES = {
    "INVALID_JSON": "INVALID_JSON",
    "UNKNOWN_COMMAND": "UNKNOWN_TYPE",
    "CAPACITY_REACHED": "CAPACITY_REACHED",
    "EPISODE_DONE": "EXECUTION_ERROR",
    "NOT_YOUR_MOVE": "EXECUTION_ERROR",
    "NOT_RESET": "EXECUTION_ERROR",
    "RATE_LIMITED": "EXECUTION_ERROR",
    "INTERNAL": "EXECUTION_ERROR",
    "SESSION_NOT_FOUND": "SESSION_ERROR",
}
"""OpenEnv's code for each of ours; all others are VALIDATION_ERROR."""
_BARE = frozenset(("type",))
_WITH_DATA = frozenset(("type", "data"))


class OpenEnvSocket(Socket):
    """Speaks OpenEnv's protocol."""

    __slots__ = ("_session", "_turn")
    close_when_full = 1000
    close_when_idle = 1000

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._session: Session | None = None
        self._turn: asyncio.Future[None] | None = None
        """Done when the other client has moved."""

    def answer(self, event: Message) -> dict[str, Any] | None:
        """The answer to a message."""
        message = self.read(event)
        match message.get("type"):
            case "step":
                return self._step(message, event["text"])
            case "reset":
                return self._reset(message)
            case "state":
                _expect(message, _BARE)
                if self._session is None:
                    return {"type": "state", "data": {"episode_id": None, "step_count": 0}}
                state = self._session.state()
                if (code := self.hub.code_of(self._session)) is not None:
                    state["join_code"] = code
                return {"type": "state", "data": state}
            case "close":
                _expect(message, _BARE)
                raise Closed
            case _:
                raise WireError("UNKNOWN_COMMAND", "type must be one of reset, step, state, close")

    def _step(self, message: dict[str, Any], text: str) -> dict[str, Any] | None:
        if message.keys() != _WITH_DATA:
            raise WireError("INVALID_ACTION", "a step has `type` and `data`, the action, and nothing else")
        action = action_of(message["data"], text, "data")
        if self._session is None:
            raise WireError("NOT_RESET", "reset first")
        try:
            self._session.act(action)
        except SessionError as error:
            raise error_of(error) from None
        return self._observed() if self._session.ready else None

    def _reset(self, message: dict[str, Any]) -> dict[str, Any] | None:
        _expect(message, _WITH_DATA)
        session, code = self.hub.open(options_of(message.get("data", {})), models=self.models)
        if self._session is not None:
            self.hub.leave(self._session)
        self._session = session
        return self._observed(code) if session.ready or code is not None else None

    def _observed(self, code: str | None = None) -> dict[str, Any]:
        assert self._session is not None
        answer = self._session.answer()
        answer.observation["metadata"] = {}
        metadata = answer.info()
        if code is not None:
            metadata["join_code"] = code
        data = {
            "observation": answer.observation,
            "reward": answer.reward,
            "done": answer.done,
            "metadata": metadata,
        }
        return {"type": "observation", "data": data}

    async def later(self) -> None:
        """Wait until the other client has moved, listening whether ours is still there."""
        assert self._session is not None
        self._turn = turn = asyncio.get_running_loop().create_future()
        self._session.table.when_ready(self._session.seat, lambda: _resolve(turn))
        self.early = asyncio.ensure_future(self.receive())
        await asyncio.wait((turn, self.early), return_when=asyncio.FIRST_COMPLETED)
        if not turn.done() and self.early.result()["type"] == "websocket.receive":
            await turn  # A message that came too early is answered in its turn.
        self._turn = None
        if turn.done() and not self.let_go:
            await self.write(self._observed())

    def wrong(self, error: WireError) -> dict[str, Any]:
        """An error in OpenEnv's words."""
        return in_openenvs_words(error)

    def leave_all(self) -> None:
        """Give up the session."""
        if self._session is not None:
            self.hub.leave(self._session)
        if self._turn is not None:
            _resolve(self._turn)

    def waits_for_client(self) -> bool:
        """Is it another client's turn?"""
        return self._turn is not None and self._session is not None and self.hub.code_of(self._session) is None


def in_openenvs_words(error: WireError) -> dict[str, Any]:
    """An error as OpenEnv's clients read it."""
    data = error.body()
    data["code"] = _CODES.get(error.code, "VALIDATION_ERROR")
    if "details" in data:
        data["errors"] = data.pop("details")
    return {"type": "error", "data": data}


def _resolve(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_result(None)


def _expect(message: dict[str, Any], keys: frozenset[str]) -> None:
    if not message.keys() <= keys:
        raise WireError("INVALID_OPTION", f"this message has {' and '.join(sorted(keys))}, and nothing else")

"""`/env/ws`: the plain envelope. A socket holds many sessions; every answer names its session.

Answers keep the order of messages, but for those that wait for another client: they come when it has moved.
"""

from __future__ import annotations

import secrets
from typing import Any

from starlette.types import Message

from parlay_env.doors.sockets import Socket
from parlay_env.doors.wire import WireError, action_of, error_of, options_of
from parlay_env.session import Session, SessionError

_SESSION_KEYS = {
    "step": {"cmd", "session_id", "action"},
    "state": {"cmd", "session_id"},
    "wait": {"cmd", "session_id"},
    "close": {"cmd", "session_id"},
}


class PlainSocket(Socket):
    """Speaks the plain envelope."""

    __slots__ = ("_pending", "_sessions")
    close_when_full = 1013
    close_when_idle = 1001

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._sessions: dict[str, Session] = {}
        self._pending: set[str] = set()
        """Sessions with an answer that comes later."""

    def answer(self, event: Message) -> dict[str, Any] | None:
        """The answer to a message."""
        message = self.read(event)
        match message.get("cmd"):
            case "step":
                return self._step(message, event["text"])
            case "reset":
                return self._open({key: value for key, value in message.items() if key != "cmd"})
            case "join":
                if not isinstance(message.get("join_code"), str):
                    raise WireError("INVALID_OPTION", "join has a join_code, the one that the reset answered")
                return self._open({key: value for key, value in message.items() if key != "cmd"})
            case "state":
                name, session = self._named(message)
                state = session.state()
                if (code := self.hub.code_of(session)) is not None:
                    state["join_code"] = code
                return {"session_id": name, "state": state}
            case "wait":
                name, session = self._named(message)
                self._expect_answered(name)
                return self._observed(name) if session.ready else self._later(name)
            case "close":
                name, _ = self._named(message)
                self._drop(name)
                return {"session_id": name, "closed": True}
            case _:
                raise WireError("UNKNOWN_COMMAND", "cmd must be one of reset, step, state, close, join, wait")

    def _step(self, message: dict[str, Any], text: str) -> dict[str, Any] | None:
        name, session = self._named(message)
        self._expect_answered(name)
        action = action_of(message.get("action"), text, "action")
        try:
            session.act(action)
        except SessionError as error:
            raise error_of(error) from None
        return self._observed(name) if session.ready else self._later(name)

    def _open(self, data: dict[str, Any]) -> dict[str, Any] | None:
        """A new session, in the place of one that is over if the socket is full."""
        options, limit = options_of(data), self.hub.settings.sessions_per_socket
        over = None
        if len(self._sessions) >= limit:
            over = next((name for name, session in self._sessions.items() if session.done), None)
            if over is None:
                raise WireError("CAPACITY_REACHED", f"a socket holds at most {limit} sessions; close one of them")
        needs_slot = bool(self._sessions) and over is None  # the first session has the socket's own
        if needs_slot:
            self.take_slot()
        try:
            session, code = self.hub.open(options, models=self.models)
        except BaseException:
            if needs_slot:
                self.free_slot()
            raise
        if over is not None:
            self._pending.discard(over)
            self.hub.leave(self._sessions.pop(over))
        name = secrets.token_urlsafe(16)
        self._sessions[name] = session
        if code is None and not session.ready:
            return self._later(name)
        return self._observed(name, code)

    def _expect_answered(self, name: str) -> None:
        if name in self._pending:
            raise WireError("NOT_YOUR_MOVE", "the other side has to move first; the answer comes by itself")

    def _named(self, message: dict[str, Any]) -> tuple[str, Session]:
        name = message.get("session_id")
        session = self._sessions.get(name) if isinstance(name, str) else None
        if session is None or not isinstance(name, str):
            raise WireError("SESSION_NOT_FOUND", "this socket has no session with this session_id")
        keys = _SESSION_KEYS[message["cmd"]]
        if not message.keys() <= keys:
            raise WireError("INVALID_OPTION", f"this command has {', '.join(sorted(keys))}, and nothing else")
        return name, session

    def _observed(self, name: str, code: str | None = None) -> dict[str, Any]:
        answer = self._sessions[name].answer()
        found: dict[str, Any] = {
            "session_id": name,
            "observation": answer.observation,
            "reward": answer.reward,
            "done": answer.done,
        }
        if code is not None:
            found["join_code"] = code
        found["info"] = answer.info()
        return found

    def _later(self, name: str) -> None:
        """Answer when the other client has moved."""
        session = self._sessions[name]
        self._pending.add(name)
        session.table.when_ready(session.seat, lambda: self.beside(self._answer_later(name)))

    async def _answer_later(self, name: str) -> None:
        if name in self._pending:
            self._pending.discard(name)
            await self.write(self._observed(name))

    async def later(self) -> None:
        """Go on: the answer names its session, so others may come before it."""

    def _drop(self, name: str) -> None:
        self.hub.leave(self._sessions.pop(name))
        self._pending.discard(name)
        if self._sessions:
            self.free_slot()

    def wrong(self, error: WireError) -> dict[str, Any]:
        """An error in the envelope's words."""
        return {"error": error.body()}

    def leave_all(self) -> None:
        """Give up every session."""
        for session in self._sessions.values():
            self.hub.leave(session)
        self._sessions.clear()
        self._pending.clear()

    def waits_for_client(self) -> bool:
        """Is it another client's turn in any game?"""
        return any(self.hub.code_of(self._sessions[name]) is None for name in self._pending)

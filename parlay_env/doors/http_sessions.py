"""Sessions for clients that speak HTTP: found by an id that can't be guessed, dropped when idle."""

from __future__ import annotations

import secrets
from time import monotonic
from typing import Any

import msgspec

from parlay_env.doors.hub import Bucket, Hub
from parlay_env.doors.wire import WireError, error_of
from parlay_env.models import ParlayAction
from parlay_env.options import ResetOptions
from parlay_env.session import Answer, Session, SessionError

NEW = "new"
"""In the place of an id: open a session and tell its id."""


class _Held(msgspec.Struct):
    session: Session | None
    seen: float


class HttpSessions:
    """The sessions of an application's HTTP clients, and how fast each address may ask."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._held: dict[str, _Held] = {}
        self._buckets: dict[str, Bucket] = {}

    def __len__(self) -> int:
        return len(self._held)

    def admit(self, address: str) -> None:
        """Count a request. Raises WireError with RATE_LIMITED."""
        bucket = self._buckets.get(address)
        if bucket is None:
            bucket = self._buckets[address] = Bucket(self._hub.settings.rate)
            self._hub.watch(self)
        if not bucket.take(monotonic()):
            raise WireError("RATE_LIMITED", "too many requests from this address")

    def create(self) -> str:
        """The id of a new session, to be reset. Raises WireError with CAPACITY_REACHED."""
        limit = self._hub.settings.http_sessions
        if len(self._held) >= limit:  # whoever is through makes room first
            for name in [name for name, held in self._held.items() if held.session is not None and held.session.done]:
                del self._held[name]
        if len(self._held) >= limit:
            message = "the server holds as many HTTP sessions as it may; try again later"
            raise WireError("CAPACITY_REACHED", message, active_sessions=len(self._held), max_sessions=limit)
        session_id = secrets.token_urlsafe(24)
        self._held[session_id] = _Held(None, monotonic())
        self._hub.watch(self)
        return session_id

    def close(self, session_id: str) -> None:
        """Drop a session. Raises WireError with SESSION_NOT_FOUND."""
        self._find(session_id)
        del self._held[session_id]

    def reset(self, session_id: str, options: ResetOptions) -> Answer:
        """A new episode in this session. Raises WireError."""
        held = self._find(session_id)
        held.session = self.open(options)
        return held.session.answer()

    def step(self, session_id: str, action: ParlayAction) -> Answer:
        """A step in this session. Raises WireError."""
        session = self._find(session_id).session
        if session is None:
            raise WireError("NOT_RESET", "reset this session first")
        try:
            return session.step(action)
        except SessionError as error:
            raise error_of(error) from None

    def state(self, session_id: str) -> dict[str, Any]:
        """The player's view of this session. Raises WireError."""
        session = self._find(session_id).session
        return {"episode_id": None, "step_count": 0} if session is None else session.state()

    def open(self, options: ResetOptions) -> Session:
        """A new episode that no session holds. Raises WireError."""
        if options.opponent == "join" or options.join_code is not None:
            raise WireError("INVALID_OPTION", "a game for two clients needs a socket: /ws or /env/ws")
        if options.opponent != "scripted":
            told = "an opponent that a language model speaks for answers later: that needs a socket, /ws or /env/ws"
            raise WireError("INVALID_OPTION", told)
        return self._hub.open(options)[0]

    def check(self, now: float) -> None:
        """Drop what has been idle for too long."""
        idle = self._hub.settings.idle_seconds
        for session_id in [name for name, held in self._held.items() if now - held.seen > idle]:
            del self._held[session_id]
        for address in [name for name, bucket in self._buckets.items() if bucket.is_full(now)]:
            del self._buckets[address]
        if not self._held and not self._buckets:
            self._hub.watched.discard(self)

    def _find(self, session_id: str) -> _Held:
        held = self._held.get(session_id)
        if held is None:
            raise WireError("SESSION_NOT_FOUND", f"there is no such session; `{NEW}` in place of an id opens one")
        held.seen = monotonic()
        return held

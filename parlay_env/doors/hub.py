"""What all doors of a process share: the slots, the games that wait for a second player, and the watch over clients.

The watch lets go of those that are idle or do not read.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import Iterable
from time import monotonic
from typing import Protocol
from urllib.parse import urlsplit

from parlay_env.doors.voices import Voices, bearer
from parlay_env.doors.wire import WireError, error_of
from parlay_env.options import ResetOptions, is_voiced
from parlay_env.session import BadOption, Session, SessionError
from parlay_env.settings import Settings
from parlay_env.tasks import key_of

PROXY_HEADERS = (b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", b"x-real-ip")
"""Whatever comes with one of them comes from elsewhere."""


class Watched(Protocol):
    """What the watch looks after."""

    def check(self, now: float) -> None:
        """Let go of what is idle or stuck. Must not wait."""
        ...


class Bucket:
    """A token bucket: `rate` a second for long, twice as many at once. A rate of 0 lets everything pass."""

    __slots__ = ("_at", "_left", "_rate")

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._left = 2.0 * rate
        self._at = monotonic()

    def take(self, now: float) -> bool:
        """Is there one left? Takes it."""
        if self._rate <= 0.0:
            return True
        self._left = min(2.0 * self._rate, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True

    def is_full(self, now: float) -> bool:
        """Has nothing been taken for so long that a new one would be the same?"""
        return self._left + (now - self._at) * self._rate >= 2.0 * self._rate


class Hub:
    """One for each application."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.active = 0
        """Slots that are taken."""
        self.watched: set[Watched] = set()
        self.beside: dict[str, str] = {}
        """What other doors of this application have to say of themselves in `/ready`."""
        self.secret = _key(settings.secret.get_secret_value())
        """Mixed into the seeds that are drawn here."""
        self.test_key = key_of(settings.test_secret.get_secret_value())
        """Of the edition of test tasks that is played here."""
        self.voices = Voices(settings)
        self._api_key = settings.api_key.get_secret_value().encode()
        self._waiting: dict[str, Session] = {}
        self._codes: dict[Session, str] = {}
        self._watch: asyncio.Task[None] | None = None

    # Slots ------------------------------------------------------------------------------------------------------------

    def take_slot(self) -> None:
        """Raises WireError with CAPACITY_REACHED when none is left."""
        if self.active >= self.settings.max_sessions:
            raise WireError(
                "CAPACITY_REACHED",
                "the server holds as many sessions as it may; try again later",
                active_sessions=self.active,
                max_sessions=self.settings.max_sessions,
            )
        self.active += 1

    def free_slots(self, count: int) -> None:
        """Give slots back."""
        self.active -= count

    # Games ------------------------------------------------------------------------------------------------------------

    def open(self, options: ResetOptions, *, models: bool = False) -> tuple[Session, str | None]:
        """A new session, and the code under which a second player joins it, if it is a game for two clients; with a
        `join_code` the other seat of the game that waits under it. `models`: may whoever asks have an opponent that a
        language model speaks for? Raises WireError."""
        try:
            if options.join_code is not None:
                return self._join(options), None
            if is_voiced(options.opponent):
                self.voices.admit(allowed=models)
            session = Session.open(options, self.secret, test_key=self.test_key)
        except SessionError as error:
            raise error_of(error) from None
        if is_voiced(options.opponent):
            self.voices.sit(session, options.opponent)
        if options.opponent != "join":
            return session, None
        code = secrets.token_urlsafe(16)
        self._waiting[code] = session
        self._codes[session] = code
        return session, code

    def _join(self, options: ResetOptions) -> Session:
        extra = options.model_fields_set - {"join_code", "episode_id", "prompt"}
        if extra:
            raise BadOption("whoever joins a game takes it as it is", *sorted(extra)[:1])
        first = self._waiting.pop(options.join_code or "", None)
        if first is None:
            raise BadOption("no game waits for a second player under this code", "join_code")
        del self._codes[first]
        return first.other(options)

    def code_of(self, session: Session) -> str | None:
        """The code under which a second player can still join this game."""
        return self._codes.get(session)

    def leave(self, session: Session) -> None:
        """The session's client is gone, or has turned to another game."""
        if (code := self._codes.pop(session, None)) is not None:
            del self._waiting[code]
        self.voices.leave(session)
        session.leave()

    # Who may come in --------------------------------------------------------------------------------------------------

    def may_play(self, headers: dict[bytes, bytes]) -> bool:
        """Does the request carry the operator's key, if one is set? That for language models lets in, too."""
        if not self._api_key:
            return True
        key = bearer(headers)
        return hmac.compare_digest(key, self._api_key) or self.voices.fits(key)

    def is_welcome(self, headers: dict[bytes, bytes]) -> bool:
        """May a page of this origin talk to us? A client that is no browser sends none, and may.

        A browser tells the truth in `Origin`, and lets no page set `X-Forwarded-Host` on a socket.
        """
        origin = headers.get(b"origin")
        if origin is None:
            return True
        named = origin.decode("latin-1")
        allowed = self.settings.allowed_origins
        if "*" in allowed or named in allowed:
            return True
        try:
            host = urlsplit(named).netloc.lower().encode("latin-1")
        except (ValueError, UnicodeError):
            return False
        return bool(host) and host in (headers.get(b"host", b"").lower(), headers.get(b"x-forwarded-host", b"").lower())

    # The watch --------------------------------------------------------------------------------------------------------

    def watch(self, one: Watched) -> None:
        """Look after this one from now on."""
        self.watched.add(one)
        if self._watch is None or self._watch.done():
            self._watch = asyncio.get_running_loop().create_task(self._keep_watch())

    async def _keep_watch(self) -> None:
        settings = self.settings
        pause = min(1.0, settings.idle_seconds / 4, settings.write_seconds / 4)
        while self.watched:
            await asyncio.sleep(pause)
            now = monotonic()
            for one in tuple(self.watched):
                one.check(now)

    def stop(self) -> None:
        """End the watch."""
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None


def header_map(pairs: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Headers by lower-case name; of one that stands twice, the last."""
    return dict(pairs)


def is_from_here(headers: dict[bytes, bytes], address: str) -> bool:
    """Does a request from this address come from this very machine?"""
    if address not in ("127.0.0.1", "::1") or any(name in headers for name in PROXY_HEADERS):
        return False
    # A proxy on this machine that tells nothing of itself, and a page whose name was made to lead here, both come under
    # a public name.
    named = headers.get(b"host", b"").decode("latin-1").lower()
    try:
        host = urlsplit(f"//{named}").hostname or ""
    except ValueError:
        return False
    return "." not in host or host == "127.0.0.1" or host.endswith(".localhost")


def _key(secret: str) -> bytes:
    return hashlib.blake2b(secret.encode()).digest() if secret else b""

"""Opponents that a language model speaks for, behind every door: who may have one, what they may cost, who waits.

A persona's code decides first; the model is asked beside everything else, so that no other game waits for it. Whatever
it does (answers late, never, or nonsense), and whatever goes wrong here, the game goes on with the persona's own move
and words, and says so. What was asked for is booked before an answer is given, also when nobody waits for it any more.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from agent.llm.base import ProviderError, ProviderMissing, Usage
from agent.llm.budget import Budget, LedgerAway
from parlay_env.deal.state import Move
from parlay_env.deal.views import View
from parlay_env.doors.wire import WireError
from parlay_env.options import VoiceKind
from parlay_env.rng import Draws
from parlay_env.session import Session
from parlay_env.settings import Settings

if TYPE_CHECKING:
    from agent.llm.base import Provider
    from agent.llm.voices import Counts, Voiced

log = logging.getLogger("parlay.doors")
SPENT = "spent"
"""Why an opponent speaks for itself: the day's budget is used up."""
UNBOOKED = "unbooked"
"""The same: the store can't be asked what is left of the budget."""
MISSING = "missing"
"""The same: the model can't be had (any more)."""
FAILED = "failed"
"""The same: something went wrong on our side."""
TRIES = 2
"""So often a request may take all its time before the persona speaks for itself."""


class Voices:
    """All opponents of an application that a language model speaks for."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._key = settings.model_key.get_secret_value().encode()
        dearest = max(settings.model_price_in, settings.model_price_out)
        self.budget = Budget(settings.model_daily_tokens, settings.model_daily_dollars, dearest)
        self.counts: dict[VoiceKind, Counts] = {}
        """What became of the moves of each kind of opponent since the start."""
        self._provider: Provider | None = None
        self._usable = True
        """Could it be had when it was last looked for?"""
        self._closed = False
        self._sitting: dict[Session, asyncio.Task[None] | None] = {}
        self._bookings: set[asyncio.Task[None]] = set()

    @property
    def name(self) -> str | None:
        """The model as anybody may know it: of a file its name, not where it lies. None: there is no model."""
        kind, _, model = self._settings.model.partition("/")
        return (f"local/{PurePath(model).name}" if kind == "local" else self._settings.model) or None

    async def open(self) -> None:
        """Load what the model needs, where there is one, so that no game waits for it; log what is amiss."""
        if self.name is None:
            return
        try:
            await asyncio.to_thread(self._made)
        except ProviderError as error:
            self._usable = False
            log.warning("no language model can speak for opponents: %s", error)
        kind, priced = self.name.partition("/")[0], self._settings.model_price_in or self._settings.model_price_out
        if kind != "local" and not self._settings.model_url and self._settings.model_daily_dollars and not priced:
            log.warning(
                "PARLAY_MODEL_DAILY_DOLLARS holds nothing without PARLAY_MODEL_PRICE_IN and PARLAY_MODEL_PRICE_OUT"
            )

    # Who may have one -------------------------------------------------------------------------------------------------

    def fits(self, key: bytes) -> bool:
        """Is this the key that lets one have such an opponent?"""
        return bool(self._key) and hmac.compare_digest(key, self._key)

    def may_have(self, headers: dict[bytes, bytes], *, from_here: bool) -> bool:
        """May whoever sends these headers have one? With the operator's key; where none is set, from this machine."""
        if not self._key:
            return from_here
        return self.fits(bearer(headers))

    async def check(self, *, allowed: bool) -> None:
        """Can there be one now? Raises WireError: no model is set up, whoever asks may not, or the day's budget is used
        up."""
        self.admit(allowed=allowed)
        try:
            left = await self.budget.is_left()
        except LedgerAway:
            told = "what is left of today's budget for language models can't be asked now; scripted opponents are free"
            raise WireError("RATE_LIMITED", told) from None
        if not left:
            raise WireError(
                "RATE_LIMITED", "today's budget for language models is used up; scripted opponents cost none"
            )

    def admit(self, *, allowed: bool) -> None:
        """The same, but for the budget: a game goes on without it, in the persona's own words."""
        if self.name is None:
            told = "this server has no language model: its operator sets PARLAY_MODEL; opponent may be scripted or join"
            raise WireError("INVALID_OPTION", told)
        if not allowed:
            told = "an opponent that a language model speaks for needs the operator's key: Authorization: Bearer <key>"
            raise WireError("UNAUTHORIZED", told)
        try:
            self._made()
        except ProviderError as error:
            self._usable = False
            log.warning("no language model can speak for opponents: %s", error)
            told = "the server's language model can't be had; its log says why, and scripted opponents need none"
            raise WireError("INVALID_OPTION", told) from None

    def _made(self) -> Provider:
        """The provider, made at its first use. Raises ProviderError."""
        if self._closed:
            raise ProviderMissing("the server stops")
        found = self._provider
        if found is None:
            from agent.llm.providers import provider
            from agent.llm.retry import Prices

            chosen = self._settings
            found = self._provider = provider(
                chosen.model,
                base_url=chosen.model_url or None,
                timeout=chosen.model_seconds / TRIES,
                prices=Prices(chosen.model_price_in, chosen.model_price_out),
                concurrency=chosen.model_concurrency,
                requests_per_minute=chosen.model_requests_per_minute or None,
            )
            self._usable = True
        return found

    # Answering --------------------------------------------------------------------------------------------------------

    async def answer(self, kind: VoiceKind, persona: str, view: View, decided: Move, rng: Draws) -> Voiced:
        """The move that is played for what the persona decided, and how it came about. Raises nothing."""
        from agent.llm.voices import Voiced, voice

        try:
            model = self._made()
            if not await self.budget.is_left():
                return Voiced(decided, "scripted", SPENT)
        except ProviderError:
            return Voiced(decided, "scripted", MISSING)
        except LedgerAway:
            return Voiced(decided, "scripted", UNBOOKED)
        used = self.budget.answer
        with self.budget.asking():
            try:
                one = voice(kind, persona, model, self._settings.model_seconds)
                found = await one.answer(view, decided, rng)
                used = found.usage if found.usage.tokens else replace(self.budget.answer, requests=found.usage.requests)
                self.counts[kind] = self.counts[kind] + one.counts if kind in self.counts else one.counts
            except Exception:
                log.exception("an opponent's words could not be had")
                found = Voiced(decided, "scripted", FAILED)
            finally:
                await self._book(used)
        return found

    async def _book(self, used: Usage) -> None:
        """Book what was used; whoever waited may be gone."""
        if not used.requests:
            return
        booking = asyncio.get_running_loop().create_task(self._booked(used))
        self._bookings.add(booking)
        booking.add_done_callback(self._bookings.discard)
        await asyncio.shield(booking)

    async def _booked(self, used: Usage) -> None:
        try:
            await self.budget.spent(used)
        except LedgerAway:
            log.warning("what a language model used could not be stored; it is remembered, and counts")
        except Exception:
            log.exception("what a language model used could not be booked")

    @property
    def is_asking(self) -> bool:
        """Is anything being asked, or booked?"""
        return bool(self._bookings) or self.budget.asked > 0

    def told(self) -> dict[str, Any]:
        """What anybody may know of it."""
        counts = {kind: msgspec.to_builtins(found) for kind, found in self.counts.items()}
        return {"model": self.name, "usable": self._usable, **counts}

    # At a socket's table ----------------------------------------------------------------------------------------------

    def sit(self, session: Session, kind: VoiceKind) -> None:
        """Answer for this session's opponent until `leave`."""
        session.voice = {"kind": kind}
        self._sitting[session] = None
        self._wait(session, kind)

    def leave(self, session: Session) -> None:
        """Its client is gone: nobody needs an answer any more."""
        task = self._sitting.pop(session, None)
        if task is not None:
            task.cancel()

    def _wait(self, session: Session, kind: VoiceKind) -> None:
        table = session.table
        assert table.held is not None
        table.when_ready(table.held, lambda: self._begin(session, kind))

    def _begin(self, session: Session, kind: VoiceKind) -> None:
        if session not in self._sitting:
            return
        if session.table.over:
            del self._sitting[session]
            return
        task = asyncio.get_running_loop().create_task(self._answer(session, kind))
        task.add_done_callback(_logged)
        self._sitting[session] = task

    async def _answer(self, session: Session, kind: VoiceKind) -> None:
        table, seat = session.table, session.table.held
        assert seat is not None
        decided, policy = table.propose(seat)
        persona = table.setup.opponent.name
        found = await self.answer(kind, persona, table.view(seat), decided, table.draws(seat))
        session.voice = {"kind": kind, "how": found.how, **({"why": found.why} if found.why else {})}
        self._sitting[session] = None
        table.settle(seat, found.move, policy)
        self._wait(session, kind)

    async def close(self) -> None:
        """Give up all that is being asked, and let go of the model."""
        self._closed = True
        tasks = [task for task in self._sitting.values() if task is not None]
        self._sitting.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*self._bookings)
        provider, self._provider = self._provider, None
        if provider is not None:
            await provider.close()


def _logged(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("an opponent could not move", exc_info=error)


def bearer(headers: dict[bytes, bytes]) -> bytes:
    """The key of an `Authorization: Bearer` header; empty without one."""
    scheme, _, key = headers.get(b"authorization", b"").partition(b" ")
    return key.strip() if scheme.lower() == b"bearer" else b""

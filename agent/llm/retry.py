"""One policy for asking a provider: time-outs, tries again, a limit on requests a minute and on requests at once.

The clients' own retries are switched off, so that nothing is tried twice by two rules. What may be tried again is
raised by an adapter as `Again`; any other ProviderError ends the matter at once.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from agent.llm.base import BadKey, BadRequest, ProviderError, RateLimited, Reply, TooSlow, Unavailable, Usage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

TRANSIENT = frozenset({408, 409, 429, *range(500, 600)})
"""HTTP statuses after which the same request may succeed: too slow, in conflict, too many, the server's own faults."""
LIMITED = 429
TIMED_OUT = 408
SPENT = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Words of providers for a quota that waiting doesn't refill."""
TOO_LONG = frozenset({"context_length_exceeded", "exceed_context_size_error"})
SLACK = 5.0
"""Seconds that a client's own time-out comes after ours, which says how long it was."""
LONGEST_HOLD = 600.0
"""Seconds that a provider is left alone at most, however long it asks: then one request sees whether it still does."""


class Patience(msgspec.Struct, frozen=True):
    """How long to wait for an answer, and how often to ask. Seconds."""

    tries: int = 5
    """Requests for one reply, at most."""
    try_seconds: float = 60.0
    """For one request."""
    total_seconds: float = 180.0
    """For one reply, with all that is waited between its requests."""
    first_wait: float = 0.5
    """Before the second request at most so long, then twice as long each time: a draw from 0 to it (full jitter)."""
    longest_wait: float = 20.0
    longest_asked: float = 60.0
    """A provider that asks for a longer wait than this (`Retry-After`) is not waited for: who asks it fails at once."""


class Prices(msgspec.Struct, frozen=True):
    """US dollars for a million tokens."""

    prompt: float = 0.0
    completion: float = 0.0

    def of(self, usage: Usage) -> float:
        """US dollars for these tokens."""
        return (usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion) / 1_000_000


class Again(Exception):
    """A request that failed and may be made again. `error` is what it amounts to if it was the last; `after` the
    seconds that the provider asks to wait."""

    def __init__(self, error: ProviderError, after: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.after = after


class _Spent:
    """What one reply has used so far."""

    def __init__(self, prompt_tokens: int) -> None:
        self.prompt_tokens = prompt_tokens
        self.usage = Usage()
        self.tries = 0
        self.is_open = False
        """A request is being answered."""


def unreachable(name: str) -> Again:
    """No connection."""
    return Again(Unavailable(f"{name} can't be reached: check the address, or try again later"))


def wrong_form(name: str, whose: str) -> Again:
    """An answer that isn't of the form that `whose` endpoints answer in."""
    return Again(Unavailable(f"{name} answers in a form that is not {whose}'s: check the address"))


class Asking:
    """Makes requests of one provider, for one event loop. `clock` and `sleep` are the loop's."""

    def __init__(
        self,
        name: str,
        patience: Patience | None = None,
        *,
        prices: Prices | None = None,
        concurrency: int | None = None,
        requests_per_minute: float | None = None,
    ) -> None:
        """`concurrency` and `requests_per_minute` None: no limit. Raises ValueError for a limit that lets nothing
        through."""
        if concurrency is not None and concurrency < 1:
            raise ValueError("concurrency is at least 1")
        if requests_per_minute is not None and requests_per_minute <= 0:
            raise ValueError("requests_per_minute is above 0")
        self.name = name
        self.patience = patience or Patience()
        self._prices = prices
        self._slots = asyncio.Semaphore(concurrency) if concurrency is not None else None
        self._gap = 60.0 / requests_per_minute if requests_per_minute is not None else 0.0
        self._next = 0.0
        self._held = 0.0
        self._gate = asyncio.Lock()

    async def reply(self, once: Callable[[], Awaitable[Reply]], prompt_tokens: int = 0) -> Reply:
        """What `once` replies, asked again as the policy has it; its usage counts every request and has its price.
        `prompt_tokens` is what a request that is given up, because no answer comes in time, is taken to have used.

        Raises ProviderError, whose `usage` does the same.
        """
        async with self._slot():
            spent = _Spent(prompt_tokens)
            try:
                await self._turn()
                async with asyncio.timeout(self.patience.total_seconds) as limit:
                    reply = await self._tried(once, spent, limit)
            except TimeoutError:
                error = TooSlow(f"{self.name} gave no answer in {self.patience.total_seconds:g} s, all tries together")
                error.usage = Usage(prompt_tokens if spent.is_open else 0)
                raise self._told(error, spent) from None
            except ProviderError as error:
                raise self._told(error, spent) from None
            return replace(reply, usage=self._priced(spent.usage + reply.usage))

    async def _tried(self, once: Callable[[], Awaitable[Reply]], spent: _Spent, limit: asyncio.Timeout) -> Reply:
        """The first try's reply that is one; `spent` counts the tries."""
        while True:
            spent.usage += Usage(requests=1)
            spent.tries += 1
            spent.is_open = True
            try:
                return await self._once(once, spent.prompt_tokens)
            except Again as failed:
                spent.is_open = False
                if failed.after is not None:
                    self._hold(failed.after)
                if not self._may_wait(failed, spent.tries, limit.when()):
                    raise failed.error from None
                spent.usage += failed.error.usage
                await asyncio.sleep(self._wait(failed, spent.tries))
            await self._turn()

    async def _once(self, once: Callable[[], Awaitable[Reply]], prompt_tokens: int) -> Reply:
        seconds = self.patience.try_seconds
        limit = asyncio.timeout(seconds)
        try:
            async with limit:
                return await once()
        except TimeoutError:
            if not limit.expired():  # the system's own, of a connection
                raise unreachable(self.name) from None
            error = TooSlow(f"{self.name} gave no answer in {seconds:g} s")
            error.usage = Usage(prompt_tokens)
            raise Again(error) from None

    def _may_wait(self, failed: Again, done: int, end: float | None) -> bool:
        if done >= self.patience.tries:
            return False
        if (after := failed.after) is None:
            return True  # the time that all tries have ends it by itself
        left = float("inf") if end is None else end - asyncio.get_running_loop().time()
        return after <= self.patience.longest_asked and after < left

    def _wait(self, failed: Again, done: int) -> float:
        most = min(self.patience.longest_wait, self.patience.first_wait * 2 ** (done - 1))
        jitter = random.uniform(0, most)  # noqa: S311 (spreads requests; no secret, and no draw of a game)
        return jitter if failed.after is None else failed.after + min(jitter, 1.0)

    def _priced(self, usage: Usage) -> Usage:
        return usage if self._prices is None else replace(usage, dollars=usage.dollars + self._prices.of(usage))

    def _told(self, error: ProviderError, spent: _Spent) -> ProviderError:
        error.usage = self._priced(spent.usage + error.usage)
        return error

    @asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        if self._slots is None:
            yield
            return
        async with self._slots:
            yield

    async def _turn(self) -> None:
        """Wait until the next request may be made: one after the other, so that who is cancelled has used no turn.

        Raises RateLimited where the provider wants to be left alone for longer than is waited.
        """
        clock = asyncio.get_running_loop().time
        async with self._gate:
            at = clock()
            while (at := max(at, self._next, self._held)) > (now := clock()):
                if self._held - now > self.patience.longest_asked:
                    raise RateLimited(f"{self.name} is left alone for {self._held - now:.0f} s more, as it asked")
                await asyncio.sleep(at - now)
            self._next = at + self._gap

    def _hold(self, seconds: float) -> None:
        """Nobody asks for so long."""
        until = asyncio.get_running_loop().time() + min(seconds, LONGEST_HOLD)
        self._held = max(self._held, until)


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """The seconds that a `Retry-After` header asks to wait, given in seconds or as an HTTP date; None where it says
    nothing that can be read."""
    if value is None:
        return None
    text = value.strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            date = parsedate_to_datetime(text)
            date = date if date.tzinfo is not None else date.replace(tzinfo=UTC)
            return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())
        except (ValueError, OverflowError):  # of a year that there isn't
            return None
    return seconds if 0 <= seconds < float("inf") else None


def status_error(name: str, status: int, after: float | None = None, code: str = "") -> Exception:
    """What an HTTP status amounts to: `Again` where the same request may succeed, else a ProviderError. `code` is the
    provider's own word for it, if it gave one; nothing else of its answer is looked at."""
    if status in TRANSIENT and code not in SPENT:
        asked = "" if after is None else f"; it asks to wait {after:.0f} s"
        if status == LIMITED:
            return Again(
                RateLimited(f"{name} wants fewer requests{asked}: lower the concurrency, or set a limit"), after
            )
        if status == TIMED_OUT:
            return Again(TooSlow(f"{name} answers {status}: its time-out"), after)
        return Again(Unavailable(f"{name} fails with status {status}{asked}: try again later"), after)
    if code in SPENT:
        return RateLimited(f"{name}: the account's quota is used up; see the provider's billing")
    if status in (401, 403):
        return BadKey(f"{name} refuses the key (status {status}): check it, and that it may use this model")
    if status == 404:
        return BadRequest(f"{name}: the address has no such model (status 404); check the model's name and the address")
    if code in TOO_LONG:
        return BadRequest(f"{name}: the conversation is longer than the model's context")
    return BadRequest(f"{name} can't do what was asked (status {status}): check the model's name and the options")

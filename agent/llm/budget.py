"""What a day may cost: the tokens and US dollars that a server's models may use from one midnight (UTC) to the next.

What is being asked is counted before it is answered, so that a hundred games at once don't pass the cap together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Protocol

from agent.llm.base import Usage

ANSWER_TOKENS = 2_000
"""What one answer of an opponent is taken to use, until it is known."""


class LedgerAway(Exception):
    """What was used can't be read or written now."""


class Ledger(Protocol):
    """Where the days' usage is kept. A day is written `2026-11-30`. Raises LedgerAway."""

    async def used(self, day: str) -> Usage:
        """What was used on this day."""
        ...

    async def add(self, day: str, usage: Usage) -> None:
        """Add to what was used on this day."""
        ...


class MemoryLedger:
    """Kept as long as the process lives: for a server without a store."""

    def __init__(self) -> None:
        self._day = ""
        self._used = Usage()

    async def used(self, day: str) -> Usage:
        """What was used on this day."""
        return self._used if day == self._day else Usage()

    async def add(self, day: str, usage: Usage) -> None:
        """Add to what was used on this day."""
        self._used = await self.used(day) + usage
        self._day = day


def today() -> str:
    """The day, in UTC."""
    return datetime.now(UTC).date().isoformat()


class Budget:
    """A day's cap of `tokens` and of `dollars`; 0 is no cap. `price` is what an answer's tokens cost at most, in US
    dollars for a million; 0 where it costs nothing, or nobody knows."""

    def __init__(self, tokens: int, dollars: float, price: float = 0.0, day: Callable[[], str] = today) -> None:
        self.tokens = tokens
        self.dollars = dollars
        self.ledger: Ledger = MemoryLedger()
        self.answer = Usage(ANSWER_TOKENS, 0, 1, ANSWER_TOKENS * price / 1e6)
        """What an answer is taken to have used when nobody can tell: it was given up, or its provider doesn't count."""
        self._day = day
        self.asked = 0
        """Answers that are being asked for."""
        self._owed: dict[str, Usage] = {}
        """What the ledger could not be told yet, by day."""

    async def is_left(self) -> bool:
        """Is there enough left of today for one more answer? Raises LedgerAway."""
        day = self._day()
        used = await self.ledger.used(day) + self._owed.get(day, Usage())
        more = self.asked + 1
        within_tokens = not self.tokens or used.tokens + more * ANSWER_TOKENS <= self.tokens
        return within_tokens and (not self.dollars or used.dollars + more * self.answer.dollars <= self.dollars)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """One answer is being asked for."""
        self.asked += 1
        try:
            yield
        finally:
            self.asked -= 1

    async def spent(self, usage: Usage) -> None:
        """An answer has used this. While the ledger is away it is remembered, counted, and told later."""
        day = self._day()
        self._owed[day] = self._owed.get(day, Usage()) + usage
        for one in list(self._owed):
            owed = self._owed.pop(one)
            try:
                await self.ledger.add(one, owed)
            except BaseException:
                self._owed[one] = self._owed.get(one, Usage()) + owed
                raise

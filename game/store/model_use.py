"""What language models used each day, so that a day's cap holds over restarts and for all workers together."""

from __future__ import annotations

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from agent.llm.base import Usage
from agent.llm.budget import LedgerAway
from game.store.database import Database, StoreUnavailable
from game.store.tables import model_use

FIELDS = Usage.__struct_fields__


class StoredLedger:
    """An `agent.llm.budget.Ledger` in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def used(self, day: str) -> Usage:
        """What was used on this day. Raises LedgerAway."""
        columns = [model_use.c[name] for name in FIELDS]
        try:
            async with self._database.read() as conn:
                row = (await conn.execute(select(*columns).where(model_use.c.day == day))).one_or_none()
        except StoreUnavailable as error:
            raise LedgerAway from error
        return Usage() if row is None else Usage(*row)

    async def add(self, day: str, usage: Usage) -> None:
        """Add to what was used on this day. Raises LedgerAway."""
        try:
            if not await self._add(day, usage):
                await self._begin(day, usage)
        except StoreUnavailable as error:
            raise LedgerAway from error

    async def _begin(self, day: str, usage: Usage) -> None:
        try:
            async with self._database.begin() as conn:
                values = {name: getattr(usage, name) for name in FIELDS}
                await conn.execute(insert(model_use).values(day=day, **values))
        except IntegrityError:  # another worker began the day meanwhile
            await self._add(day, usage)

    async def _add(self, day: str, usage: Usage) -> bool:
        more = {name: model_use.c[name] + getattr(usage, name) for name in FIELDS}
        async with self._database.begin() as conn:
            done = await conn.execute(update(model_use).where(model_use.c.day == day).values(**more))
        return done.rowcount == 1

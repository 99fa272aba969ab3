"""The flywheel: good games that their players gave become records for training, and go when consent does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from game.store.tables import records
from parlay_env.core import Seat

if TYPE_CHECKING:
    from game.live import Live

LEAST_EFFICIENCY = 0.60
"""E that a game needs to be worth learning from (or a right walk-away)."""


def qualifies(live: Live, seat: Seat) -> bool:
    """Would this finished game become a record, given consent? It was played alone, and well."""
    mine = live.row.row_of(seat)
    if live.row.status != "over" or mine.efficiency is None or not live.row.is_comparable(seat):
        return False
    return mine.efficiency >= LEAST_EFFICIENCY or bool(mine.right_exit)


async def keep_or_drop(conn: AsyncConnection, live: Live, seat: Seat, *, consent: bool, now: int) -> None:
    """Make the record that consent allows, or drop the one that there is."""
    which = (records.c.game_id == live.row.id) & (records.c.seat == seat)
    await conn.execute(delete(records).where(which))
    if consent and qualifies(live, seat):
        mine = live.row.row_of(seat)
        values = {
            "game_id": live.row.id,
            "seat": seat,
            "log": live.log.to_jsonl().decode(),
            "secret": live.row.secret,
            "efficiency": mine.efficiency,
            "right_exit": bool(mine.right_exit),
            "at": now,
        }
        await conn.execute(insert(records).values(**values))

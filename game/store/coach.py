"""What a coach says: notes pinned to turns, and whispers to the player."""

from __future__ import annotations

from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from game.store.tables import new_id, notes


async def said(conn: AsyncConnection, game_id: str) -> list[dict[str, Any]]:
    """All notes and whispers of a game, oldest first: `{id, kind, turn, words, at}`, `at` in milliseconds."""
    query = select(notes).where(notes.c.game_id == game_id).order_by(notes.c.at, notes.c.id)
    rows = await conn.execute(query)
    return [{"id": r.id, "kind": r.kind, "turn": r.turn, "words": r.words, "at": r.at} for r in rows]


async def whispers(conn: AsyncConnection, game_id: str) -> list[dict[str, Any]]:
    """What the player may read while it plays."""
    return [one for one in await said(conn, game_id) if one["kind"] == "whisper"]


async def say(conn: AsyncConnection, game_id: str, kind: str, turn: int, words: str, request_id: str, now: int) -> None:
    """Add a note or a whisper. Raises IntegrityError when this request has added it already."""
    values = {"id": new_id(), "game_id": game_id, "kind": kind, "turn": turn, "words": words}
    await conn.execute(insert(notes).values(**values, request_id=request_id, at=now))

"""What a coach says: notes pinned to turns, and whispers to the player."""

from __future__ import annotations

from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from game.store.tables import new_id, notes


async def said(conn: AsyncConnection, game_id: str) -> list[dict[str, Any]]:
    """All notes and whispers of a game, oldest first: `{id, kind, seat, turn, words, at}`, `at` in milliseconds. The
    seat is that of the player whom it is for; None: of both."""
    query = select(notes).where(notes.c.game_id == game_id).order_by(notes.c.at, notes.c.id)
    names = ("id", "kind", "seat", "turn", "words", "at")
    return [{name: getattr(row, name) for name in names} for row in await conn.execute(query)]


async def said_to(conn: AsyncConnection, game_id: str, seat: str) -> list[dict[str, Any]]:
    """Those that are for the player in this seat."""
    return [one for one in await said(conn, game_id) if one["seat"] in (None, seat)]


async def whispers(conn: AsyncConnection, game_id: str, seat: str) -> list[dict[str, Any]]:
    """What the player in this seat may read while it plays: nothing that is for the other one."""
    return [one for one in await said_to(conn, game_id, seat) if one["kind"] == "whisper"]


async def say(
    conn: AsyncConnection, game_id: str, kind: str, seat: str | None, turn: int, words: str, request_id: str, now: int
) -> None:
    """Add a note or a whisper. Raises IntegrityError when this request has added it already."""
    values = {"id": new_id(), "game_id": game_id, "kind": kind, "seat": seat, "turn": turn, "words": words}
    await conn.execute(insert(notes).values(**values, request_id=request_id, at=now))

"""Rooms: what a manager sets people to play, who has joined, and who may watch."""

from __future__ import annotations

from collections.abc import Sequence
from secrets import token_urlsafe
from typing import Any

import msgspec
from sqlalchemy import Row, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from game.scenarios import Scenario, SeatName
from game.store.tables import hashed, members, new_id, new_token, players, rooms, watchers

JOIN_BYTES = 9
MAX_TASKS = 24
MAX_ROOM_NAME = 80


class Task(msgspec.Struct, frozen=True):
    """A game to be played by everybody in a room. Without a persona two of them play each other. `seed` and `secret`
    (hex) are there where all play the same instance."""

    scenario: Scenario
    seat: SeatName
    persona: str | None
    seed: int | None = None
    secret: str | None = None


class Room(msgspec.Struct, frozen=True):
    """A room. It is closed by its manager, or when it is due."""

    id: str
    name: str
    join_code: str
    tasks: tuple[Task, ...]
    same_seed: bool
    due_at: int | None
    closed_at: int | None
    created_at: int

    def is_closed(self, now: int) -> bool:
        """Is it over, so that no game begins any more and every debrief is open?"""
        return self.closed_at is not None or (self.due_at is not None and self.due_at <= now)


async def create(
    conn: AsyncConnection, name: str, tasks: Sequence[Task], due_at: int | None, request_id: str, now: int
) -> tuple[Room, str]:
    """A new room and its manager's key, which is not stored. Raises IntegrityError when this request made one."""
    same = any(task.seed is not None for task in tasks)
    room = Room(new_id(), name, token_urlsafe(JOIN_BYTES), tuple(tasks), same, due_at, None, now)
    key = new_token()
    values = msgspec.structs.asdict(room) | {"key_hash": hashed(key), "request_id": request_id}
    values["tasks"] = [msgspec.to_builtins(task) for task in tasks]
    await conn.execute(insert(rooms).values(**values))
    return room, key


async def rekey(conn: AsyncConnection, request_id: str) -> tuple[Room, str] | None:
    """The room that this request has made, with a new key in place of the one whose answer was lost."""
    row = (await conn.execute(select(rooms).where(rooms.c.request_id == request_id))).first()
    if row is None:
        return None
    key = new_token()
    await conn.execute(update(rooms).where(rooms.c.id == row.id).values(key_hash=hashed(key)))
    return _room(row), key


async def by_key(conn: AsyncConnection, room_id: str, key: str) -> Room | None:
    """The room, for whoever has its manager's key."""
    query = select(rooms).where(rooms.c.id == room_id, rooms.c.key_hash == hashed(key))
    row = (await conn.execute(query)).first()
    return None if row is None else _room(row)


async def by_code(conn: AsyncConnection, join_code: str) -> Room | None:
    """The room that this code lets one join."""
    row = (await conn.execute(select(rooms).where(rooms.c.join_code == join_code))).first()
    return None if row is None else _room(row)


async def by_id(conn: AsyncConnection, room_id: str) -> Room | None:
    """A room by its id."""
    row = (await conn.execute(select(rooms).where(rooms.c.id == room_id))).first()
    return None if row is None else _room(row)


async def join(conn: AsyncConnection, room_id: str, player_id: str, now: int) -> bool:
    """Make a player a member; one that is a member already stays one. Is it a new one?"""
    dialect = sqlite if conn.dialect.name == "sqlite" else postgresql
    values = {"room_id": room_id, "player_id": player_id, "joined_at": now}
    done = await conn.execute(dialect.insert(members).values(**values).on_conflict_do_nothing())
    return done.rowcount == 1


async def is_member(conn: AsyncConnection, room_id: str, player_id: str) -> bool:
    """Has this player joined?"""
    query = select(members.c.room_id).where(members.c.room_id == room_id, members.c.player_id == player_id)
    return (await conn.execute(query)).first() is not None


async def names_of(conn: AsyncConnection, room_id: str) -> list[dict[str, Any]]:
    """Who has joined, in that order."""
    query = (
        select(players.c.name, members.c.joined_at)
        .join(members, members.c.player_id == players.c.id)
        .where(members.c.room_id == room_id)
        .order_by(members.c.joined_at)
    )
    return [{"name": row.name, "joined_at": row.joined_at} for row in await conn.execute(query)]


async def close(conn: AsyncConnection, room_id: str, now: int) -> None:
    """Close a room that is not closed yet."""
    await conn.execute(update(rooms).where(rooms.c.id == room_id, rooms.c.closed_at.is_(None)).values(closed_at=now))


async def close_due(conn: AsyncConnection, now: int) -> list[str]:
    """Close the rooms that are due; their ids."""
    which = rooms.c.closed_at.is_(None) & (rooms.c.due_at <= now)
    found = [row.id for row in await conn.execute(select(rooms.c.id).where(which))]
    if found:
        await conn.execute(update(rooms).where(rooms.c.id.in_(found)).values(closed_at=now))
    return found


# Watching -------------------------------------------------------------------------------------------------------------


async def let_watch(conn: AsyncConnection, game_id: str, now: int) -> str:
    """A token that lets its holder watch this game."""
    token = new_token()
    await conn.execute(insert(watchers).values(token_hash=hashed(token), game_id=game_id, created_at=now))
    return token


async def watches(conn: AsyncConnection, token: str) -> str | None:
    """The game that this token lets one watch."""
    query = select(watchers.c.game_id).where(watchers.c.token_hash == hashed(token))
    return (await conn.execute(query)).scalar()


async def stop_watching(conn: AsyncConnection, game_id: str) -> None:
    """Take back every token of this game."""
    await conn.execute(delete(watchers).where(watchers.c.game_id == game_id))


def _room(row: Row[Any]) -> Room:
    tasks = tuple(msgspec.convert(one, Task, strict=False) for one in row.tasks)
    return Room(row.id, row.name, row.join_code, tasks, row.same_seed, row.due_at, row.closed_at, row.created_at)

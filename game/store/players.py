"""Who plays: a name bound to a browser's token."""

from __future__ import annotations

import msgspec
from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from game.store.tables import games, hashed, new_id, players, records, seats

MAX_NAME = 40
_BLANK = "\u200d\u115f\u1160\u2800\u3164\uffa0"
"""Printable, and yet nothing to be seen."""


class Player(msgspec.Struct, frozen=True):
    """A person, as this server knows one."""

    id: str
    name: str


class BadName(ValueError):
    """A name that can't be had; the text says what would be right."""


def checked_name(name: str) -> str:
    """The name as it is kept: trimmed, on one line. Raises BadName."""
    found = " ".join(name.split())
    if not 1 <= len(found) <= MAX_NAME:
        raise BadName(f"a name has 1 to {MAX_NAME} characters")
    if any(not (c.isprintable() or c == "\u200d") for c in found):  # a joiner holds one emoji together
        raise BadName("a name has printable characters only")
    if all(c in _BLANK for c in found):
        raise BadName("a name has a character that can be seen")
    return found


async def by_token(conn: AsyncConnection, token: str) -> Player | None:
    """The player whose token this is."""
    query = select(players.c.id, players.c.name).where(players.c.token_hash == hashed(token))
    row = (await conn.execute(query)).first()
    return None if row is None else Player(row.id, row.name)


async def create(conn: AsyncConnection, token: str, name: str, now: int) -> Player:
    """A new player with this token."""
    player = Player(new_id(), name)
    values = {"id": player.id, "token_hash": hashed(token), "name": name, "created_at": now}
    await conn.execute(insert(players).values(**values))
    return player


async def rename(conn: AsyncConnection, player_id: str, name: str) -> bool:
    """Give a player another name, and remember the one before. False: there is no such player any more."""
    query = select(players.c.name, players.c.former).where(players.c.id == player_id).with_for_update()
    row = (await conn.execute(query)).first()
    if row is None:
        return False
    former = list(dict.fromkeys([*(row.former or []), row.name]))
    await conn.execute(update(players).where(players.c.id == player_id).values(name=name, former=former))
    return True


async def hold(conn: AsyncConnection, player_id: str) -> None:
    """Let nobody give this player another seat before this transaction ends."""
    await conn.execute(select(players.c.id).where(players.c.id == player_id).with_for_update())


async def games_of(conn: AsyncConnection, player_id: str) -> list[str]:
    """The ids of all games that this player has a seat in."""
    found = await conn.execute(select(seats.c.game_id).where(seats.c.player_id == player_id))
    return [row.game_id for row in found]


async def forget(conn: AsyncConnection, player_id: str) -> None:
    """Delete a player. Its seats stay without a name; `delete_game` has been called for what should go."""
    await conn.execute(delete(players).where(players.c.id == player_id))


async def begin_rank_anew(conn: AsyncConnection, player_id: str) -> None:
    """No game so far counts for this player's rank any more: it deletes one that would, and who could delete the bad
    ones alone would be ranked by the good ones."""
    await conn.execute(update(seats).where(seats.c.player_id == player_id, seats.c.ranked).values(ranked=False))


async def delete_game(conn: AsyncConnection, game_id: str, player_id: str) -> bool:
    """Delete a game of this player's, with all that hangs on it; from one that another person sits at, too, only the
    player's own part. Is the whole game gone?"""
    others = select(seats.c.seat).where(
        seats.c.game_id == game_id, seats.c.player_id.is_not(None), seats.c.player_id != player_id
    )
    if (await conn.execute(others)).first() is None:
        await conn.execute(delete(games).where(games.c.id == game_id))
        return True
    mine = (seats.c.game_id == game_id) & (seats.c.player_id == player_id)
    seat = (await conn.execute(select(seats.c.seat).where(mine))).scalar()
    await conn.execute(delete(records).where(records.c.game_id == game_id, records.c.seat == seat))
    await conn.execute(update(seats).where(mine).values(player_id=None, consent=False, ranked=False))
    return False

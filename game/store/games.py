"""Games: the row, the seats, the log's lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Row, and_, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from game.store.tables import events, games, players, rooms, seats

OWN_SCENARIO = "own:"
"""Begins the stored id of a scenario that a room brought along."""


class SeatRow(msgspec.Struct, frozen=True):
    """A person's seat at a game, and what came of it."""

    seat: str
    player_id: str | None
    name: str | None
    bot: bool = False
    consent: bool = False
    ranked: bool = False
    efficiency: float | None = None
    surplus: float | None = None
    reward: float | None = None
    right_exit: bool | None = None
    seen_at: int | None = None


class GameRow(msgspec.Struct, frozen=True):
    """A game, all but its log."""

    id: str
    head: str
    secret: bytes
    scenario_id: str
    seat: str
    """The learner's: the seat that is answered within the turn."""
    persona: str | None
    split: str
    status: str
    """waiting (for a second person), playing, over."""
    guided: bool
    watched: bool
    helped: bool
    room_id: str | None
    task: int | None
    fixed_seed: bool
    """Others play this very instance."""
    turn: int
    reason: str | None
    final_offer: dict[str, float] | None
    started_at: int
    moved_at: int
    ended_at: int | None
    seats: tuple[SeatRow, ...] = ()
    room_name: str | None = None
    room_closed: bool = False
    voice: str = "scripted"
    """Who speaks for the persona: scripted, or narrated or llm, a language model."""

    def seat_of(self, player_id: str | None) -> str | None:
        """Where this player sits."""
        return next((one.seat for one in self.seats if player_id and one.player_id == player_id), None)

    def row_of(self, seat: str) -> SeatRow:
        """A person's seat. Raises StopIteration for a seat that is no person's."""
        return next(one for one in self.seats if one.seat == seat)

    def is_comparable(self, seat: str) -> bool:
        """Does this seat's result count in the leaderboard, and as a record? A game that was watched, helped or guided,
        played against a person or a language model, in a scenario of one's own or on an instance that others play does
        not."""
        alone = not (self.pair or self.watched or self.helped or self.row_of(seat).bot)
        return alone and not (self.guided or self.fixed_seed or self.own_scenario or self.voiced)

    def would_count(self, seat: str) -> bool:
        """Does this seat's result count for its player's rank, or will it when the game is over?"""
        mine = self.row_of(seat)
        if self.status != "over":
            return self.is_comparable(seat)
        return mine.ranked and mine.efficiency is not None and not mine.right_exit

    @property
    def own_scenario(self) -> bool:
        """A scenario that a room brought along."""
        return self.scenario_id.startswith(OWN_SCENARIO)

    @property
    def voiced(self) -> bool:
        """A language model speaks for the persona."""
        return self.voice != "scripted"

    @property
    def pair(self) -> bool:
        """Two people."""
        return self.persona is None


class EventRow(msgspec.Struct, frozen=True):
    """A line of the log, and who made it."""

    n: int
    line: str
    by: str
    digest: bytes | None = None


async def add(conn: AsyncConnection, game: dict[str, Any], sitting: list[dict[str, Any]]) -> None:
    """A new game and its seats."""
    await conn.execute(insert(games).values(**game))
    blank = {"player_id": None, "request_id": None, "bot": False, "consent": False, "ranked": False}
    for one in sitting:
        await conn.execute(insert(seats).values(**{**blank, **one, "game_id": game["id"]}))


async def count(conn: AsyncConnection, which: ColumnElement[bool]) -> int:
    """How many games a condition holds for."""
    return (await conn.execute(select(func.count()).select_from(games).where(which))).scalar() or 0


async def find(conn: AsyncConnection, game_id: str) -> GameRow | None:
    """A game by its id."""
    found = await find_all(conn, games.c.id == game_id)
    return found[0] if found else None


async def find_all(conn: AsyncConnection, which: ColumnElement[bool], limit: int | None = None) -> list[GameRow]:
    """The games that a condition holds for, newest first."""
    query = (
        select(games, rooms.c.name.label("room_name"), rooms.c.closed_at.label("room_closed_at"))
        .outerjoin(rooms, rooms.c.id == games.c.room_id)
        .where(which)
        .order_by(games.c.started_at.desc(), games.c.id)
        .limit(limit)
    )
    rows = (await conn.execute(query)).all()
    sitting: dict[str, list[SeatRow]] = {row.id: [] for row in rows}
    ids = list(sitting)
    for start in range(0, len(ids), 500):
        query = (
            select(seats, players.c.name)
            .outerjoin(players, players.c.id == seats.c.player_id)
            .where(seats.c.game_id.in_(ids[start : start + 500]))
            .order_by(seats.c.seat.desc())
        )
        for one in await conn.execute(query):
            sitting[one.game_id].append(_seat(one))
    return [_game(row, sitting[row.id]) for row in rows]


def of_player(player_id: str) -> ColumnElement[bool]:
    """The games that this player has a seat in."""
    return games.c.id.in_(select(seats.c.game_id).where(seats.c.player_id == player_id))


def unfinished() -> ColumnElement[bool]:
    """The games that are not over. Said by what they are: an index finds no "not"."""
    return games.c.status.in_(("waiting", "playing"))


async def by_request(conn: AsyncConnection, player_id: str, request_id: str) -> str | None:
    """The game that this player's request has made."""
    query = select(seats.c.game_id).where(seats.c.player_id == player_id, seats.c.request_id == request_id)
    return (await conn.execute(query)).scalar()


async def lines_after(conn: AsyncConnection, game_id: str, n: int) -> list[EventRow]:
    """The log's lines after the first `n`, in order."""
    query = select(events).where(events.c.game_id == game_id, events.c.n > n).order_by(events.c.n)
    return [EventRow(row.n, row.line, row.by, row.digest) for row in await conn.execute(query)]


async def append(conn: AsyncConnection, game_id: str, lines: Sequence[EventRow], now: int) -> None:
    """Add lines to the log. Raises IntegrityError when another worker has added one with that number."""
    if lines:
        values = [
            {"game_id": game_id, "n": one.n, "line": one.line, "by": one.by, "digest": one.digest, "at": now}
            for one in lines
        ]
        await conn.execute(insert(events), values)


async def change(conn: AsyncConnection, game_id: str, **values: Any) -> None:
    """Change a game's row."""
    await conn.execute(update(games).where(games.c.id == game_id).values(**values))


async def mark(conn: AsyncConnection, game_id: str, **marks: bool) -> None:
    """Mark a game that is not over; one that is stays as it is."""
    await conn.execute(update(games).where(games.c.id == game_id, unfinished()).values(**marks))


async def change_seat(conn: AsyncConnection, game_id: str, seat: str, **values: Any) -> None:
    """Change a seat's row."""
    await conn.execute(update(seats).where(seats.c.game_id == game_id, seats.c.seat == seat).values(**values))


async def take_seat(conn: AsyncConnection, game_id: str, seat: str, player_id: str, request_id: str) -> bool:
    """Sit down at a seat that waits for a person. False: somebody was faster."""
    free = and_(seats.c.game_id == game_id, seats.c.seat == seat, seats.c.player_id.is_(None))
    done = await conn.execute(update(seats).where(free).values(player_id=player_id, request_id=request_id))
    return done.rowcount == 1


async def remove(conn: AsyncConnection, game_id: str) -> None:
    """Delete a game, with all that hangs on it."""
    await conn.execute(delete(games).where(games.c.id == game_id))


async def left_alone(conn: AsyncConnection, before: int) -> list[str]:
    """The games that nobody has moved in since then, and that are not over."""
    query = select(games.c.id).where(unfinished(), games.c.moved_at < before)
    return [row.id for row in await conn.execute(query)]


def _seat(row: Row[Any]) -> SeatRow:
    return SeatRow(
        row.seat,
        row.player_id,
        row.name,
        row.bot,
        row.consent,
        row.ranked,
        row.efficiency,
        row.surplus,
        row.reward,
        row.right_exit,
        row.seen_at,
    )


def _game(row: Row[Any], sitting: list[SeatRow]) -> GameRow:
    values = {name: getattr(row, name) for name in GameRow.__struct_fields__ if name in games.c}
    return GameRow(**values, seats=tuple(sitting), room_name=row.room_name, room_closed=row.room_closed_at is not None)

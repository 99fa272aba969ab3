"""People's games that they gave for training: the flywheel's `records`, read and never written.

What is read is what consent allows at this moment: a game whose player has taken consent back, or deleted it, has no
record any more. The player's own name is read beside each, so that it can be taken out of the words.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from training.data.checked import Found

PERSON = "person"
"""The learner of a person's game: nobody's name."""


def records_of(url: str) -> list[Found]:
    """All records of a database, SQLite or PostgreSQL, the oldest first. Raises game.store's StoreUnavailable."""
    return asyncio.run(_records_of(url))


async def _records_of(url: str) -> list[Found]:
    from sqlalchemy import select
    from sqlalchemy.exc import SQLAlchemyError

    from game.store.database import StoreUnavailable, address
    from game.store.tables import players, records, seats

    engine = _reader(url)
    query = (
        select(records.c.seat, records.c.log, records.c.secret, records.c.at, players.c.name, players.c.former)
        .outerjoin(seats, (seats.c.game_id == records.c.game_id) & (seats.c.seat == records.c.seat))
        .outerjoin(players, players.c.id == seats.c.player_id)
        .order_by(records.c.at, records.c.game_id)
    )
    try:
        async with engine.connect() as connection:
            rows = (await connection.execute(query)).all()
    except (SQLAlchemyError, OSError) as error:
        shown = address(url).render_as_string(hide_password=True)
        told = f"{shown} has no records that can be read ({type(error).__name__}): name the database of a server"
        raise StoreUnavailable(told) from error
    finally:
        await engine.dispose()
    return [_found(row, number) for number, row in enumerate(rows, start=1)]


def _reader(url: str) -> Any:
    """An engine that can't write, and leaves the database's form as it is."""
    from sqlalchemy import URL
    from sqlalchemy.ext.asyncio import create_async_engine

    from game.store.database import StoreUnavailable, address

    where = address(url)
    if where.get_backend_name() == "sqlite":
        file = Path(where.database or "").expanduser()
        if not file.is_file():
            raise StoreUnavailable(f"there is no database at {file}: name the one of a server")
        uri = {"mode": "ro", "uri": "true"}
        return create_async_engine(URL.create(where.drivername, database=f"file:{file.resolve()}", query=uri))
    try:
        return create_async_engine(where, execution_options={"postgresql_readonly": True})
    except ModuleNotFoundError as error:
        raise StoreUnavailable(f"PostgreSQL needs {error.name}: pip install 'openenv-parlay-env[scale]'") from None


def _found(row: Any, number: int) -> Found:
    return Found(
        source="human",
        log=row.log.encode(),
        learner=PERSON,
        where=f"record {number}",
        secret=row.secret,
        names=() if row.name is None else (row.name, *(row.former or ())),
    )

"""Runs the migrations on the database whose address the caller gives (`game.store.database.migrate`)."""

from __future__ import annotations

import asyncio

from alembic import context
from sqlalchemy import Connection, pool

from game.store.database import address, make_engine
from game.store.tables import metadata

LOCK = 0x7061726C6179
"""On PostgreSQL the others wait for this lock; SQLite's begin takes one by itself."""


def _run(connection: Connection) -> None:
    # One transaction, begun before the revision is read: of several workers that start at once, one migrates.
    context.configure(connection=connection, target_metadata=metadata, render_as_batch=True, transactional_ddl=True)
    with context.begin_transaction():
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")
        context.run_migrations()


async def _connect() -> None:
    url = context.config.attributes.get("url")
    if url is None:
        url = address(context.get_x_argument(as_dictionary=True)["url"])
    engine = make_engine(url, poolclass=pool.NullPool)
    async with engine.connect() as connection:
        await connection.run_sync(_run)
    await engine.dispose()


asyncio.run(_connect())

"""The tables come into being by migrations alone, alike on both databases, also when several workers start at once."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, text

from game.store.database import MIGRATIONS, StoreUnavailable, migrate
from game.store.tables import metadata

from .support import KINDS, ROOT, contents, emptied, empty_database, new_player, opened


@pytest.fixture(params=KINDS)
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database without tables."""
    with empty_database(request.param, tmp_path) as url:
        yield url


def tables_of(conn: Connection) -> set[str]:
    return set(inspect(conn).get_table_names()) - {"alembic_version"}


def missing(conn: Connection) -> list[Any]:
    """What a migration would have to change so that the tables are those that the code knows."""
    return compare_metadata(MigrationContext.configure(conn, opts={"compare_type": True}), metadata)


async def test_the_migrations_make_exactly_the_tables_that_the_code_knows(empty: str) -> None:
    async with opened(empty) as database, database.read() as conn:
        assert await conn.run_sync(tables_of) == set(metadata.tables)
        assert await conn.run_sync(missing) == []


async def test_the_comparison_sees_a_missing_column(empty: str) -> None:
    async with opened(empty) as database:
        async with database.begin() as conn:
            await conn.execute(text("ALTER TABLE seats DROP COLUMN seen_at"))
        async with database.read() as conn:
            assert [one[0] for one in await conn.run_sync(missing)] == ["add_column"]


async def test_opening_an_open_database_again_changes_nothing(empty: str) -> None:
    async with opened(empty) as database:
        await new_player(database)
        before = await contents(database)
        async with opened(empty) as again:
            assert await contents(again) == before


async def test_every_migration_can_be_taken_back(empty: str) -> None:
    from alembic import command
    from alembic.config import Config

    from game.store.database import address

    def down() -> None:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["url"] = address(empty)
        command.downgrade(config, "base")

    async with opened(empty) as database:
        await emptied(database)
    await asyncio.to_thread(down)
    await asyncio.to_thread(migrate, empty)
    async with opened(empty) as database, database.read() as conn:
        assert await conn.run_sync(missing) == []


SIX_WORKERS = """
import asyncio, multiprocessing, sys
import aiosqlite, alembic.command, alembic.config, asyncpg
from game.store.database import Database

def work(url, barrier, told):
    async def main():
        database = await Database.open(url)
        await database.close()
    barrier.wait()
    try:
        asyncio.run(main())
    except BaseException as error:
        told.put(repr(error))
    else:
        told.put("up")

fork = multiprocessing.get_context("fork")
barrier, told = fork.Barrier(6), fork.Queue()
workers = [fork.Process(target=work, args=(sys.argv[1], barrier, told)) for _ in range(6)]
for worker in workers:
    worker.start()
print(*(told.get(timeout=60) for _ in workers), sep="\\n")
for worker in workers:
    worker.join()
"""


def test_six_workers_that_start_at_once_on_an_empty_database_all_come_up(empty: str) -> None:
    command = [sys.executable, "-c", SIX_WORKERS, empty]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, timeout=120, check=True)
    assert done.stdout.splitlines() == ["up"] * 6


async def test_a_database_of_a_newer_release_is_told_apart_and_left_alone(empty: str) -> None:
    async with opened(empty) as database, database.begin() as conn:
        await conn.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreUnavailable, match="newer"):
        async with opened(empty):
            pass

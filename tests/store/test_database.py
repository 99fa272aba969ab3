"""A database that can't be had is told, in words and in time, and never in the middle of a change."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path

import pytest
from sqlalchemy import text

from game.house import House
from game.store import database as store
from game.store.database import Database, StoreUnavailable

from .support import (
    POSTGRES,
    contents,
    emptied,
    needs,
    new_player,
    opened,
    picture,
    plan,
    postgres_database,
    postgres_says,
    say,
)


async def why_not(url: str) -> str:
    with pytest.raises(StoreUnavailable) as told:
        async with opened(url):
            pass
    for thread in threading.enumerate():  # the driver's, of a file that didn't open, has a last word for this loop
        if "_connection_worker_thread" in thread.name:
            await asyncio.to_thread(thread.join, 10.0)
    return str(told.value)


async def test_a_file_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.db").write_text("This is no database, but a text of some length. " * 100)
    assert "can't be made" in await why_not(f"sqlite:///{tmp_path}/file/deeper/parlay.db")
    assert "can't be used" in await why_not(f"sqlite:///{tmp_path}/folder")
    assert "can't be used" in await why_not(f"sqlite:///{tmp_path}/text.db")


@pytest.mark.parametrize(
    "url",
    [
        "mysql://u:secretword@h/db",
        "oracle://u:secretword@h/db",
        "://",
        "postgresql://u:secretword@127.0.0.1:1/db",
        "postgresql://u:secretword@[::1/db",
        "postgresql://u:secretword@nowhere.invalid/db",
    ],
)
async def test_an_address_that_leads_nowhere_is_told_without_its_password(url: str) -> None:
    assert "secretword" not in await why_not(url)


async def test_a_postgresql_database_that_does_not_exist_is_told() -> None:
    needs("PostgreSQL (PARLAY_TEST_POSTGRES)", POSTGRES, 5432)
    assert "can't be used" in await why_not(POSTGRES.rsplit("/", 1)[0] + "/there_is_no_such_database")


async def test_a_folder_is_made_for_a_new_file(tmp_path: Path) -> None:
    async with opened(f"sqlite:///{tmp_path}/a/b/parlay.db") as database:
        await new_player(database)
    assert (tmp_path / "a/b/parlay.db").exists()


async def test_a_file_that_another_process_holds_is_waited_for_and_then_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "BUSY_SECONDS", 0.2)
    async with opened(f"sqlite:///{tmp_path}/parlay.db") as database:
        house = House(database)
        live = await house.start(plan(), await new_player(database), "wish")
        before, seen = await contents(database), picture(live)
        with sqlite3.connect(tmp_path / "parlay.db") as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailable, match="try again"):
                await house.move(live.row.id, "seller", 0, say("Now?"))
            assert picture(await house.load(live.row.id)) == seen  # who reads does not wait
            assert await contents(database) == before
            other.rollback()
        moved = await house.move(live.row.id, "seller", 0, say("Now?"))
        assert moved.number("seller") == 1


async def test_a_writer_waits_for_a_short_one(tmp_path: Path) -> None:
    async with opened(f"sqlite:///{tmp_path}/parlay.db") as database:
        house = House(database)
        live = await house.start(plan(), await new_player(database), "wish")
        other = sqlite3.connect(tmp_path / "parlay.db", isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        asyncio.get_running_loop().call_later(0.1, other.rollback)
        assert (await house.move(live.row.id, "seller", 0, say())).number("seller") == 1
        other.close()


def drop_connections(name: str) -> None:
    postgres_says(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")


async def test_postgresql_connections_that_were_cut_are_made_anew(databases: dict[str, str]) -> None:
    async with opened(databases["postgresql"]) as database:
        await emptied(database)
        house, name = House(database), databases["postgresql"].rsplit("/", 1)[1]
        live = await house.start(plan(), await new_player(database), "wish")
        for number in range(3):
            await asyncio.to_thread(drop_connections, name)
            live = await house.move(live.row.id, "seller", number, say(f"Word {number}."))
        assert picture(await House(database).load(live.row.id))[0] == picture(live)[0]


async def test_a_postgresql_connection_cut_in_the_middle_is_told_and_nothing_is_changed(
    databases: dict[str, str],
) -> None:
    async with opened(databases["postgresql"]) as database:
        await emptied(database)
        name = databases["postgresql"].rsplit("/", 1)[1]
        house = House(database)
        live = await house.start(plan(), await new_player(database), "wish")
        before, real = await contents(database), House._save

        async def cut_off(self: House, *arguments: object) -> None:
            await real(self, *arguments)
            await asyncio.to_thread(drop_connections, name)

        House._save = cut_off  # type: ignore[method-assign]
        try:
            with pytest.raises(StoreUnavailable):
                await house.move(live.row.id, "seller", 0, say("Now?"))
        finally:
            House._save = real  # type: ignore[method-assign]
        assert await contents(database) == before
        assert (await house.move(live.row.id, "seller", 0, say("Now?"))).number("seller") == 1


async def test_a_postgresql_server_that_goes_away_is_told() -> None:
    """Whoever comes back is refused for a while: no fault of ours, and not a change either."""
    with postgres_database() as url:
        database = await Database.open(url)
        house = House(database)
        live = await house.start(plan(), await new_player(database), "wish")
        name = url.rsplit("/", 1)[1]
        await asyncio.to_thread(postgres_says, f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        try:
            await asyncio.to_thread(drop_connections, name)
            for _ in range(2):
                with pytest.raises(StoreUnavailable):
                    await house.move(live.row.id, "seller", 0, say())
                with pytest.raises(StoreUnavailable):
                    await house.load(live.row.id)
        finally:
            await asyncio.to_thread(postgres_says, f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        assert (await house.move(live.row.id, "seller", 0, say())).number("seller") == 1
        await database.close()


async def test_whoever_reads_sees_one_moment(database: Database) -> None:
    """Between two statements of a reader others write: it does not see the half of it."""
    async with database.read() as conn:
        first = (await conn.execute(text("SELECT count(*) FROM players"))).scalar()
        await new_player(database)
        assert (await conn.execute(text("SELECT count(*) FROM players"))).scalar() == first
    assert len((await contents(database))["players"]) == 1

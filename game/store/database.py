"""The database: opened, brought to its newest form, and handed out one transaction at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

MIGRATIONS = Path(__file__).resolve().parent.parent / "migrations"
BUSY_SECONDS = 10.0
"""How long a writer waits for another one of the same SQLite file."""
CONNECTIONS = 8
"""To an SQLite file, kept open: each has a thread of its own, and more of them only take turns."""


_AWAY = ("08", "28", "3D", "40", "53", "55", "57", "58")
"""Classes of PostgreSQL's errors that say: not here, not now, not for you, not this time. None has changed anything."""


class StoreUnavailable(RuntimeError):
    """The database can't be had. The text says what to do; it names no password."""


def address(url: str) -> URL:
    """A database's address with the driver that is used here: `sqlite:///file`, `postgresql://…`, or a file's path.

    Raises StoreUnavailable for what is no address of the two.
    """
    try:
        found = make_url(url if "://" in url else f"sqlite:///{url}")
    except (ArgumentError, ValueError):
        raise StoreUnavailable("PARLAY_DATABASE_URL is no database address: sqlite:///file or postgresql://…") from None
    drivers = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg", "postgres": "postgresql+asyncpg"}
    kind = found.drivername.split("+")[0]
    if kind not in drivers:
        raise StoreUnavailable(f"a database is SQLite or PostgreSQL, not {kind}")
    return found.set(drivername=drivers[kind])


class Database:
    """An open database. `begin` gives a transaction that writes, `read` one that reads."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        sqlite = engine.dialect.name == "sqlite"
        # SQLite has one writer at a time, and lets the others sleep up to a tenth of a second: here they queue.
        self._turn: AbstractAsyncContextManager[None] = asyncio.Lock() if sqlite else nullcontext()

    @classmethod
    async def open(cls, url: str) -> Database:
        """Connect, and bring the tables to their newest form. Raises StoreUnavailable."""
        from alembic.util import CommandError

        where = address(url)
        engine = make_engine(where, **_options(where))
        shown = where.render_as_string(hide_password=True)
        try:
            async with engine.connect() as connection:
                await connection.execute(text("SELECT 1"))
            await asyncio.to_thread(migrate, url)
        except CommandError as error:  # it has a revision that isn't known here
            await engine.dispose()
            raise StoreUnavailable(f"{shown} can't be used: its tables are of a newer release") from error
        except (SQLAlchemyError, OSError) as error:
            await engine.dispose()
            raise StoreUnavailable(f"{shown} can't be used: {type(error).__name__}") from error
        return cls(engine)

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        """A transaction, committed at the end of the block, undone if it raises. Raises StoreUnavailable."""
        async with _available(), self._turn, self.engine.begin() as connection:
            yield connection

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that only reads: all its statements see the same moment."""
        async with _available(), self.engine.connect() as connection:
            if self.engine.dialect.name == "sqlite":
                await connection.execution_options(parlay_reads=True)
            else:
                await connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    async def close(self) -> None:
        """Let go of every connection."""
        await self.engine.dispose()


@asynccontextmanager
async def _available() -> AsyncIterator[None]:
    """Whatever says that the database is locked or gone becomes StoreUnavailable."""
    try:
        yield
    except (OperationalError, InterfaceError, PoolTimeout, ConnectionError) as error:
        raise StoreUnavailable("the database can't be reached now; nothing was changed; try again") from error
    except DBAPIError as error:
        state = getattr(error.orig, "sqlstate", None) or ""
        if not error.connection_invalidated and state[:2] not in _AWAY:
            raise
        raise StoreUnavailable("the database can't be reached now; nothing was changed; try again") from error


def make_engine(where: URL, **options: Any) -> AsyncEngine:
    """An engine for this address, with the manners that both kinds need. Raises StoreUnavailable without its driver."""
    try:
        engine = create_async_engine(where, **options)
    except ModuleNotFoundError as error:
        raise StoreUnavailable(f"PostgreSQL needs {error.name}: pip install 'openenv-parlay-env[scale]'") from None
    if where.get_backend_name() == "sqlite":
        event.listen(engine.sync_engine, "connect", _tune)
        event.listen(engine.sync_engine, "begin", _begin)
    return engine


def _options(where: URL) -> dict[str, Any]:
    if where.get_backend_name() == "sqlite":
        file = where.database
        options: dict[str, Any] = {"connect_args": {"timeout": BUSY_SECONDS}}
        if file and file != ":memory:":
            options |= {"pool_size": CONNECTIONS, "max_overflow": 0, "pool_timeout": BUSY_SECONDS}
            try:
                Path(file).expanduser().resolve().parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                told = f"{file} can't be made ({error.strerror}); PARLAY_DATABASE_URL names another place"
                raise StoreUnavailable(told) from None
        return options
    return {"pool_size": 10, "max_overflow": 10, "pool_pre_ping": True, "pool_timeout": BUSY_SECONDS}


def _tune(connection: Any, _: Any) -> None:
    """WAL: readers don't wait for the writer. FULL: what was committed outlives a loss of power, too."""
    connection.isolation_level = None  # SQLAlchemy begins by itself (see `_begin`)
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Any) -> None:
    """A transaction that will write takes the lock at once: two that first read and then write can't both go on."""
    reads = connection.get_execution_options().get("parlay_reads")
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def migrate(url: str, revision: str = "head") -> None:
    """Bring the tables to this revision (blocking: it runs before anybody is served)."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["url"] = address(url)
    command.upgrade(config, revision)

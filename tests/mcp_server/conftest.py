"""A house on an empty database, and clients of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator

import pytest

from game.house import House
from mcp_server.table import Table
from tests.doors.support import Troubles
from tests.store.conftest import clock, database, databases, drawn, house
from tests.store.support import emptied, opened

from .support import Client, Together, over_nothing, together

__all__ = ["clock", "database", "databases", "drawn", "house"]


@pytest.fixture(autouse=True)
def no_trouble() -> Iterator[Troubles]:
    """Nothing that a client does may be logged as an error, or with a traceback."""
    handler, loggers = Troubles(), [logging.getLogger(), logging.getLogger("fastmcp")]
    for logger in loggers:
        logger.addHandler(handler)
    yield handler
    for logger in loggers:
        logger.removeHandler(handler)
    assert handler.found == []


@pytest.fixture(params=["sqlite"])
def store_url(request: pytest.FixtureRequest, databases: dict[str, str]) -> str:
    """The address of a database with all tables; what depends on the kind of it is the store's to test."""
    return databases[request.param]


@pytest.fixture
async def ada(house: House) -> AsyncIterator[Client]:
    """A client that has begun nothing yet. It lives in a task of its own: what it opens, the same task has to close."""
    here: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
    done = asyncio.Event()

    async def live() -> None:
        async with over_nothing(Table(lambda: house)) as client:
            here.set_result(client)
            await done.wait()

    living = asyncio.create_task(live())
    yield await here
    done.set()
    await living


@pytest.fixture
async def server(store_url: str) -> AsyncIterator[Together]:
    """Everything, on an empty database."""
    async with opened(store_url) as database:
        await emptied(database)
    with together(database_url=store_url) as found:
        yield found

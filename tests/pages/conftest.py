"""An application on a database of either kind, and nothing that an operator would call trouble."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.doors.support import Troubles
from tests.store.conftest import clock, databases, drawn
from tests.store.support import emptied

from .support import Browser, World, world_at

__all__ = ["clock", "databases", "drawn"]


@pytest.fixture(autouse=True)
def no_trouble() -> Iterator[Troubles]:
    """Nothing that a client does may be logged as an error, or with a traceback."""
    handler = Troubles()
    logging.getLogger().addHandler(handler)
    yield handler
    logging.getLogger().removeHandler(handler)
    assert handler.found == []


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, databases: dict[str, str]) -> str:
    """The address of a database with all tables."""
    return databases[request.param]


@pytest.fixture
async def world(store_url: str) -> AsyncIterator[World]:
    """An application on an empty database, one for each kind."""
    async with world_at(store_url) as found:
        await emptied(found.desk.house.database)
        yield found


@pytest.fixture
async def here(databases: dict[str, str]) -> AsyncIterator[World]:
    """An application on an empty SQLite file: for what does not depend on the store."""
    async with world_at(databases["sqlite"]) as found:
        await emptied(found.desk.house.database)
        yield found


@pytest.fixture
async def ada(world: World) -> Browser:
    return await world.player("Ada")

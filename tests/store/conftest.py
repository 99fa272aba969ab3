"""Databases of both kinds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack

import pytest

from game.house import House
from game.store.database import Database, migrate

from .support import KINDS, Clock, Drawn, apart, emptied, empty_database, opened


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Addresses by kind, each made at its first use; every test worker has its own."""
    with ExitStack() as stack:

        class Made(dict[str, str]):
            def __missing__(self, kind: str) -> str:
                self[kind] = stack.enter_context(empty_database(kind, tmp_path_factory.mktemp("store")))
                apart(migrate, self[kind])
                return self[kind]

        yield Made()


@pytest.fixture(params=KINDS)
def store_url(request: pytest.FixtureRequest, databases: dict[str, str]) -> str:
    """The address of a database with all tables; what an earlier test left is swept out by `database`."""
    return databases[request.param]


@pytest.fixture
async def database(store_url: str) -> AsyncIterator[Database]:
    """An open database, empty."""
    async with opened(store_url) as found:
        await emptied(found)
        yield found


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def house(database: Database, clock: Clock) -> House:
    """All games of this database, under a clock that stands still."""
    return House(database, clock=clock)


@pytest.fixture(autouse=True)
def drawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """New games are the same ones in every run."""
    monkeypatch.setattr("game.live.secrets", Drawn(request.node.name))

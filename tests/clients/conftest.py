"""What the tests of the clients share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from .servers import Handler, RealServer, SmallServer


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    server = RealServer(tmp_path_factory.mktemp("server") / "log")
    yield server
    server.stop()


@pytest.fixture
def url(real: RealServer) -> str:
    return real.url


@pytest.fixture
def small() -> Iterator[Callable[..., SmallServer]]:
    """Makes small servers and stops them."""
    servers: list[SmallServer] = []

    def start(handler: Handler, **options: Any) -> SmallServer:
        servers.append(SmallServer(handler, **options))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()

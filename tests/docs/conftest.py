"""What the tests of the documentation share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.clients.servers import RealServer


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    running = RealServer(tmp_path_factory.mktemp("docs") / "log")
    yield running
    running.stop()

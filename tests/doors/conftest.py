"""What the tests of the doors share."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from .support import Served, Troubles


@pytest.fixture(scope="session")
def server() -> Iterator[Served]:
    """A server with default settings, for the tests that leave it as it is."""
    running = Served()
    yield running
    running.stop()


@pytest.fixture(autouse=True)
def no_trouble() -> Iterator[Troubles]:
    """Nothing that a client does may be logged as an error, or with a traceback."""
    handler = Troubles()
    logging.getLogger().addHandler(handler)
    yield handler
    logging.getLogger().removeHandler(handler)
    assert handler.found == []

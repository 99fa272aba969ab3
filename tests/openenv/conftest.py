"""These tests run once in each of two environments, one per OpenEnv release: `make test-openenv`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import ServerProcess, openenv_release, serving

# OpenEnv imports gradio for a page that nothing here opens; without it the import is seconds shorter.
sys.modules["gradio"] = None  # type: ignore[assignment]

# The graders came with 0.10.
collect_ignore = ["test_runtime_graders.py"] if openenv_release() == "0.3" else []


def pytest_report_header() -> str:
    return f"openenv: {openenv_release()}"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "release(name): runs only where that OpenEnv release is installed")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept, dropped = [], []
    for item in items:
        marker = item.get_closest_marker("release")
        (kept if marker is None or marker.args[0] == openenv_release() else dropped).append(item)
    config.hook.pytest_deselected(items=dropped)
    items[:] = kept


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """The whole application, as `make serve` starts it."""
    folder: Path = tmp_path_factory.mktemp("server")
    with serving(["-m", "uvicorn", "main:app", "--port"], folder) as running:
        yield running


@pytest.fixture
def url(server: ServerProcess) -> str:
    return server.url

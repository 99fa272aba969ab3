"""Servers for the providers to speak with, and an environment without anybody's keys."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from agent.llm.retry import Patience
from tests.agent.llm.servers import Server, gemini_door, openai_door, running

BRISK = Patience(first_wait=0.001, longest_wait=0.01)
"""Tries again at once, so that tests need not wait."""


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
async def openai() -> AsyncIterator[Server]:
    async with running(openai_door, "/v1") as server:
        yield server


@pytest.fixture
async def gemini() -> AsyncIterator[Server]:
    async with running(gemini_door) as server:
        yield server

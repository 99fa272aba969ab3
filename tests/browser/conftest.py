"""One server and one browser for every worker; a context of its own for every test, with a guard over it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Playwright, StorageState, async_playwright

from . import chromium
from .guard import Guard
from .person import PATIENCE, Person
from .places import Places, furnish
from .server import Server

HERE = Path(__file__).resolve().parent
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
TABLET = {"viewport": {"width": 820, "height": 1180}, "has_touch": True, "is_mobile": True}
Visit = Callable[..., Awaitable[Person]]


@dataclass(frozen=True)
class Furnished:
    """What stands on the pages, and how to be the one it belongs to."""

    places: Places
    storage: StorageState


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test here lives in the loop that its browser lives in."""
    for item in items:
        if item.path.is_relative_to(HERE) and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
            item.add_marker(pytest.mark.timeout(600))


@pytest.fixture(scope="session")
def executable() -> str:
    """Chromium. Without one these tests are skipped; where everything is to be tested, they fail."""
    found = chromium.executable()
    if found is None:
        message = f"there is no Chromium (looked for {', '.join(chromium.NAMES)})"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return found


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, executable: str) -> Iterator[Server]:
    """The server of this worker."""
    running = Server(tmp_path_factory.mktemp("server")).start()
    yield running
    running.stop()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def playwright(executable: str) -> AsyncIterator[Playwright]:
    """Playwright's own process."""
    async with async_playwright() as started:
        yield started


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(playwright: Playwright, executable: str) -> AsyncIterator[Browser]:
    """The browser of this worker. It can't draw the figure, which a machine without a GPU draws slowly."""
    started = await playwright.chromium.launch(executable_path=executable, args=list(chromium.WITHOUT_WEBGL))
    yield started
    await started.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def drawing_browser(playwright: Playwright, executable: str) -> AsyncIterator[Browser]:
    """Another one that can, in software."""
    started = await playwright.chromium.launch(executable_path=executable, args=list(chromium.WITH_WEBGL))
    yield started
    await started.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def texts(browser: Browser, server: Server) -> dict[str, dict[str, str]]:
    """Every text of the pages, as the pages import it."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(f"{server.url}/static/icon.svg")
    found = {
        name: await page.evaluate(f"import('/static/i18n/{name}.js').then((module) => module.{name})")
        for name in ("en", "zh")
    }
    await context.close()
    return found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def furnished(browser: Browser, server: Server, texts: dict[str, dict[str, str]]) -> Furnished:
    """Something on every page, and the browser's storage of who made it. Nobody changes anything there."""
    context = await browser.new_context()
    maker = Person(await context.new_page(), server.url, texts["en"], Guard(server.url))
    places = await furnish(maker, "小明", "周二")
    storage = await context.storage_state()
    await context.close()
    return Furnished(places, storage)


@pytest_asyncio.fixture(loop_scope="session")
async def visit(browser: Browser, server: Server, texts: dict[str, dict[str, str]]) -> AsyncIterator[Visit]:
    """Lets somebody come, in a context of its own. Whatever its pages did wrong fails the test at its end."""
    people: list[Person] = []

    async def come(
        *, at: str = server.url, with_browser: Browser = browser, language: str = "en", **options: Any
    ) -> Person:
        chosen = {"viewport": DESKTOP, "locale": "zh-CN" if language == "zh" else "en-US", **options}
        context = await with_browser.new_context(**chosen)
        context.set_default_timeout(PATIENCE)
        guard = Guard(at)
        await guard.over(context)
        people.append(Person(await context.new_page(), at, texts[language], guard))
        return people[-1]

    yield come
    for person in people:
        await person.context.close()
    wrong = [line for person in people for line in person.guard.verdict()]
    assert not wrong, "\n".join(wrong)


@pytest_asyncio.fixture(loop_scope="session")
async def person(visit: Visit) -> Person:
    """Somebody at an ordinary screen."""
    return await visit()

"""A whole visit to an opponent that a language model speaks for: chosen, waited for, read, and told apart."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.agent.llm.servers import Answer
from tests.agent.llm.servers import Server as Model
from tests.doors.wordsmith import HELD, KEY, SAID, wordsmith

from .conftest import Visit
from .server import Server


@pytest_asyncio.fixture(loop_scope="session")
async def model() -> AsyncIterator[Model]:
    async with wordsmith() as found:
        yield found


@pytest.fixture
def speaking(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server of its own that speaks through the model."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    running = Server(tmp_path, PARLAY_MODEL="openai/scripted", PARLAY_MODEL_URL=model.url).start()
    yield running
    running.stop()


async def test_a_model_is_chosen_speaks_and_is_told_from_the_opponents_own_words(
    speaking: Server, model: Model, visit: Visit
) -> None:
    person = await visit(at=speaking.url)
    page = person.page
    await person.go("/play?scenario=saas_enterprise&persona=diplomat")
    await page.locator("#setup-name input").fill("Ada")
    await page.get_by_label(person.t("setup.own")).check()
    await expect(page.get_by_role("group", name=person.t("setup.voice"))).to_be_visible()
    await page.get_by_label(person.t("voice.narrated"), exact=False).check()
    await page.locator("button[type=submit]").click()
    await page.wait_for_url(re.compile(r"/play/\w"))
    await person.sit(page.url.rsplit("/", 1)[1])
    await expect(page.locator(".log")).to_contain_text(person.t("voice.narrated.note"))
    by_model = page.locator(".log .line--theirs").filter(has_text=re.compile(f"{SAID.split('{')[0]}|{HELD}"))
    for figure in ("172,000", "171,500", "171,200"):  # whatever it decides, it does not decide to claim three times
        await person.offer(figure, "The pilot speaks for itself.")
    assert await by_model.count() >= 1
    theirs = await page.locator(".log .line--theirs").count()
    model.usual = Answer({}, 500)
    await person.offer("171,000", "We can come down a little.")
    await expect(page.locator(".log .line--theirs")).to_have_count(theirs + 1)
    await expect(page.locator(".log .line--theirs").last).to_contain_text(person.t("voice.own"))
    await page.reload()
    await expect(page.locator(".log .line--theirs")).to_have_count(theirs + 1)


async def test_without_a_model_nothing_of_it_is_shown(visit: Visit) -> None:
    person = await visit()
    await person.go("/play?scenario=saas_enterprise")
    await person.page.get_by_label(person.t("setup.own")).check()
    await expect(person.page.get_by_role("group", name=person.t("setup.opponent"))).to_be_visible()
    await expect(person.page.get_by_role("group", name=person.t("setup.voice"))).to_have_count(0)

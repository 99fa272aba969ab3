"""No page and no state of it has a serious obstacle for who uses assistive technology, in either language."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.async_api import expect

from .conftest import PHONE, Furnished, Visit
from .person import Person
from .places import arrive

AXE = Path(__file__).resolve().parents[2] / "dashboard" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """
() => axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => {
  const where = (node) => `${node.target.join(" ")} ${node.any?.[0]?.message ?? ""}`;
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => `${id} (${help}): ${nodes.slice(0, 4).map(where).join(" | ")}`);
})
"""


@pytest.fixture(scope="module")
def axe() -> str:
    """The checker's source. Without it these tests are skipped; where everything is to be tested, they fail."""
    if not AXE.is_file():
        message = "axe-core is not installed: run `npm ci` in dashboard/"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return AXE.read_text()


async def obstacles(person: Person, axe: str) -> list[str]:
    """What the checker finds on the page as it is now."""
    await person.page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {})))")
    await person.page.evaluate(f"{axe}; undefined")
    return await person.page.evaluate(RUN)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_no_page_has_a_serious_obstacle(visit: Visit, furnished: Furnished, axe: str, language: str) -> None:
    person = await visit(language=language, storage_state=furnished.storage, reduced_motion="reduce")
    found: dict[str, list[str]] = {}
    for name, path in furnished.places.pages().items():
        await arrive(person, path)
        if broken := await obstacles(person, axe):
            found[name] = broken
    assert not found


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_no_state_of_the_table_has_a_serious_obstacle(visit: Visit, axe: str, language: str) -> None:
    person = await visit(language=language, reduced_motion="reduce")
    page = person.page
    await person.be("Ada")
    found: dict[str, list[str]] = {}

    async def look(name: str) -> None:
        if broken := await obstacles(person, axe):
            found[name] = broken

    game = await person.game_of()
    await person.sit(game)
    await look("the first move")
    for card in await page.locator(".hand button.card:enabled").all():
        await card.click()
        await look(f"card: {await card.text_content()}")
        await card.click()
    await person.figure.fill("50k")
    await person.send.click()
    await expect(person.dialog).to_be_visible()
    await look("asked about an offer")
    await page.keyboard.press("Escape")
    await person.page.locator(".stage__help").click()
    await expect(person.dialog).to_be_visible()
    await look("help")
    await page.keyboard.press("Escape")
    await person.button("walk.button").click()
    await look("asked about leaving")
    await page.keyboard.press("Escape")
    await person.offer("178k", "Words")
    await page.get_by_role("button", name=person.t("chart.asTable")).first.click()
    await look("figures as a table")
    await person.sit(await person.game_of("supplier_contract"))
    await look("a package")
    assert not found


@pytest.mark.slow
async def test_no_page_on_a_phone_has_a_serious_obstacle(visit: Visit, furnished: Furnished, axe: str) -> None:
    person = await visit(storage_state=furnished.storage, reduced_motion="reduce", **PHONE)
    found: dict[str, list[str]] = {}
    for name, path in furnished.places.pages().items():
        await arrive(person, path)
        if broken := await obstacles(person, axe):
            found[name] = broken
    assert not found

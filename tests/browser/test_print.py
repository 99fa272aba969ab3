"""A debrief on paper: all of it, and nothing to press."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from .conftest import Furnished, Visit
from .places import arrive

HEADINGS = """
() => [...document.querySelectorAll("main h1, main h2")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }))
  .map((one) => one.textContent.trim())
"""
# A move of the review, or a turn, is a button that holds what it leads to: on paper it is read.
CONTROLS = """
() => [...document.querySelectorAll("button, input, select, textarea, nav, header.header, footer.footer")]
  .filter((one) => !one.matches(".ply__head, .turnlink"))
  .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
  .filter((one) => one.getBoundingClientRect().width > 1)
  .map((one) => `${one.tagName} ${one.className} ${one.textContent.trim().slice(0, 40)}`)
"""


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_printed_debrief_has_every_section_and_no_controls(
    visit: Visit, furnished: Furnished, language: str
) -> None:
    person = await visit(storage_state=furnished.storage, language=language)
    page = person.page
    await arrive(person, f"/games/{furnished.places.done}")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    on_screen = await page.evaluate(HEADINGS)
    assert len(on_screen) >= 6
    await page.emulate_media(media="print")
    on_paper = await page.evaluate(HEADINGS)
    controls = await page.evaluate(CONTROLS)
    assert not controls
    assert set(on_screen) - {person.t("consent.title"), person.t("keep.title")} <= set(on_paper)
    paper = await page.pdf(format="A4", print_background=False)
    assert paper.startswith(b"%PDF")
    dark = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert dark in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"), "no ink is wasted on a background"


@pytest.mark.slow
async def test_whoever_has_the_link_reads_a_finished_game_and_can_keep_it(visit: Visit, furnished: Furnished) -> None:
    reader = await visit()
    game = furnished.places.done
    await arrive(reader, f"/games/{game}")
    await expect(reader.page.get_by_role("heading", level=1)).to_be_visible()
    for ending in ("log", "transcript"):
        answer = await reader.context.request.get(f"{reader.origin}/api/games/{game}/{ending}")
        assert answer.ok
        assert len(await answer.body()) > 500

"""The figure opposite: it moves where it can and may, and keeps still where it can't or shouldn't."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Browser, Page, expect

from .conftest import Visit
from .person import PATIENCE, Person

STILL = """
() => new Promise((done) => {
  let calm = 0;
  const look = () => {
    const moving = document.getAnimations().filter((one) => one.playState === "running");
    calm = moving.length ? 0 : calm + 1;
    if (calm > 30) done(true); else requestAnimationFrame(look);
  };
  look();
})
"""
"""Thirty frames, one after the other, in which nothing moves."""


async def keeps_still(page: Page) -> None:
    """Nothing on this page moves, once it stands."""
    async with asyncio.timeout(PATIENCE / 1000):
        assert await page.evaluate(STILL)


@pytest.mark.slow
async def test_the_figure_is_drawn_where_the_browser_can_draw(visit: Visit, drawing_browser: Browser) -> None:
    person = await visit(with_browser=drawing_browser)
    await person.be("Ada")
    for persona in ("shark", "diplomat", "veteran"):
        await person.sit(await person.game_of(persona=persona))
        await expect(person.page.locator(".stage .opponent canvas")).to_be_visible()
        await expect(person.page.locator(".stage .opponent [role=img]")).to_have_attribute(
            "aria-label", person.t("opponent.label", name=person.t(f"persona.{persona}.name"))
        )
    await person.offer("178k", "The figure answers.")
    await expect(person.page.locator(".stage .opponent canvas")).to_be_visible()


async def test_without_webgl_a_still_figure_sits_there_and_the_game_goes_on(person: Person) -> None:
    await person.be("Ada")
    await person.sit(await person.game_of())
    assert not await person.page.evaluate("Boolean(document.createElement('canvas').getContext('webgl2'))")
    await expect(person.page.locator(".stage .opponent svg")).to_be_visible()
    await expect(person.page.locator(".stage .opponent canvas")).to_have_count(0)
    await person.offer("178k", "Even so.")


@pytest.mark.slow
async def test_reduced_motion_is_honoured_everywhere(visit: Visit, drawing_browser: Browser) -> None:
    person = await visit(with_browser=drawing_browser, reduced_motion="reduce")
    page = person.page
    await person.go("/")
    await keeps_still(page)
    await person.be("Ada")
    game = await person.game_of()
    await person.go(f"/play/{game}")
    await keeps_still(page)
    await person.sit(game)
    await expect(page.locator(".stage .opponent svg")).to_be_visible()
    await keeps_still(page)
    await person.offer("178k", "Calmly.")
    await keeps_still(page)
    await person.button("walk.button").click()
    await expect(person.dialog).to_be_visible()
    await keeps_still(page)
    await person.button("walk.yes").click()
    await expect(page.locator(".over")).to_be_visible()
    await keeps_still(page)
    await expect(page.locator("canvas")).to_have_count(0)


async def test_a_figure_whose_graphics_are_taken_away_becomes_still(visit: Visit, drawing_browser: Browser) -> None:
    person = await visit(with_browser=drawing_browser)
    await person.be("Ada")
    await person.sit(await person.game_of())
    canvas = person.page.locator(".stage .opponent canvas")
    await expect(canvas).to_be_visible()
    await canvas.evaluate("(it) => it.getContext('webgl2').getExtension('WEBGL_lose_context').loseContext()")
    person.guard.expect("Context Lost")
    await expect(person.page.locator(".stage .opponent svg")).to_be_visible()
    await person.offer("178k", "Still here.")

"""A whole game on a phone and on a tablet, by touch."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from .conftest import PHONE, TABLET, Visit
from .play import next_offer, worth
from .test_every_page import WIDER


@pytest.mark.slow
@pytest.mark.parametrize("size", [PHONE, TABLET], ids=["phone", "tablet"])
async def test_a_whole_game_can_be_played_by_touch(visit: Visit, size: dict[str, Any]) -> None:
    person = await visit(**size)
    page = person.page
    await person.go("/")
    await person.link("home.start").tap()
    await page.get_by_label(person.t("setup.name"), exact=True).fill("Ada")
    await person.button("setup.start").tap()
    await expect(person.button("brief.start")).to_be_visible()
    game_id = page.url.rsplit("/", 1)[1]
    await person.button("brief.start").tap()
    # The guide of a first game stands in nobody's way.
    skip = person.button("coach.skip")
    await expect(skip).to_be_visible()
    await skip.tap()
    await expect(skip).to_have_count(0)

    moves = 0
    while not await page.locator(".over").is_visible():
        game = await person.game(game_id)
        theirs, offer = game["observation"]["opponent_offer"], next_offer(game)
        good = theirs and worth(game, theirs) >= worth(game, offer) * (1 if moves < 10 else 0)
        if good or moves >= 15:
            await page.locator(".move__accept" if good else ".move__walk").tap()
            await person.button("accept.yes" if good else "walk.yes").tap()
            await expect(page.locator(".over")).to_be_visible()
            continue
        await person.offer(str(round(offer["price"])), f"One more step, number {'I' * (moves + 1)}.")
        moves += 1
        assert await page.evaluate(WIDER) is None

    if size is PHONE:
        for tab in ("talk", "read", "table"):
            await page.locator(".tabs").get_by_role("button", name=person.t(f"tabs.{tab}")).tap()
            await expect(page.locator(f"[data-pane={tab}]")).to_be_visible()
            assert await page.evaluate(WIDER) is None
    await person.link("over.debrief").tap()
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert await page.evaluate(WIDER) is None


async def test_what_is_to_be_touched_is_large_enough(visit: Visit) -> None:
    person = await visit(**PHONE)
    await person.be("Ada")
    await person.sit(await person.game_of())
    small = await person.page.evaluate(
        """() => [...document.querySelectorAll("button, select, summary, .segments label, a.button")]
          .filter((one) => one.checkVisibility() && !one.matches(".link-button"))
          .map((one) => [one, one.getBoundingClientRect()])
          .filter(([, box]) => box.width > 0 && (box.height < 24 || box.width < 24))
          .map(([one, box]) => `${one.className} ${Math.round(box.width)}×${Math.round(box.height)}`)"""
    )
    assert not small

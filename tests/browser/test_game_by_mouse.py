"""A whole game, from the first page to the debrief, with a mouse."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from .person import Person
from .play import next_offer, worth


@pytest.mark.slow
async def test_a_whole_game_can_be_played_with_a_mouse(person: Person) -> None:
    page = person.page
    await person.go("/")
    await person.link("home.choose").click()
    await page.get_by_label(person.t("setup.name"), exact=True).fill("Ada")
    await page.get_by_role("radio", name=re.compile("Diplomat")).check(force=True)
    await page.get_by_role("radio", name=re.compile(rf"^{person.t('seat.seller')}|seller", re.IGNORECASE)).first.check(
        force=True
    )
    await person.button("setup.start").click()

    await expect(page).to_have_url(re.compile(r"/play/[\w-]+$"))
    game_id = page.url.rsplit("/", 1)[1]
    await expect(person.saying("brief.limit").first).to_be_visible()
    await person.button("brief.start").click()
    await expect(person.send).to_be_enabled()

    # Words, an offer, a question, a belief.
    game = await person.game(game_id)
    figure = str(round(next_offer(game)["price"]))
    await page.get_by_label(person.t("ask.label")).select_option("timeline")
    await page.locator("#belief-limit").press("ArrowRight")
    await expect(person.page.get_by_role("list", name=person.t("along.label"))).to_be_visible()
    await person.offer(figure, "The pilot saved your team two days a week.")
    line = person.mine.first
    await expect(line).to_contain_text("The pilot saved your team")
    await expect(line).to_contain_text(person.t("topic.timeline.short"))
    game = await person.game(game_id)
    assert game["observation"]["belief"], "the belief went with the move"

    # A card with words.
    if game["status"] != "over":
        await page.get_by_role("button", name=re.compile(person.t("card.reframe.title"))).click()
        await person.offer(str(round(next_offer(game)["price"])), "Every month without it costs you more.")
        await expect(person.mine.nth(1)).to_contain_text(person.t("card.reframe.title"))

    # On to the end: take what is good, or leave; each is asked about.
    moves = await person.mine.count()
    while not await page.locator(".over").is_visible():
        game = await person.game(game_id)
        theirs, offer = game["observation"]["opponent_offer"], next_offer(game)
        good = theirs and worth(game, theirs) >= worth(game, offer) * (1 if moves < 14 else 0)
        if good or moves >= 18:
            await page.locator(".move__accept" if good else ".move__walk").click()
            await expect(person.dialog).to_be_visible()
            await person.button("accept.yes" if good else "walk.yes").click()
            await expect(page.locator(".over")).to_be_visible()
        else:
            await person.offer(str(round(offer["price"])), f"One more step, number {'I' * moves}.")
            moves += 1

    await expect(page.locator(".over__title")).to_be_visible()
    await person.link("over.debrief").click()
    await expect(page).to_have_url(re.compile(rf"/games/{game_id}$"))
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await person.settled()

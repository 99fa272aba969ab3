"""A whole game without a mouse: everything can be reached, the focus is always seen, and never lost or trapped."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from .conftest import Furnished, Visit
from .keyboard import Keyboard
from .person import Person
from .places import arrive
from .play import next_offer, worth


@pytest.mark.slow
async def test_a_whole_game_can_be_played_without_a_mouse(person: Person) -> None:
    page, keys = person.page, Keyboard(person.page)
    await person.go("/")
    await keys.tab_to(person.link("home.choose"))
    await keys.press("Enter")
    name = page.get_by_label(person.t("setup.name"), exact=True)
    await expect(name).to_be_visible()
    await keys.tab_to(name)
    await page.keyboard.type("Ada")
    persona = page.locator("input[type=radio][name=persona]")
    await keys.tab_to(persona.locator("nth=-1"))
    for _ in range(6):
        if await page.get_by_role("radio", name=re.compile("Diplomat")).is_checked():
            break
        await keys.press("ArrowUp")
    await expect(page.get_by_role("radio", name=re.compile("Diplomat"))).to_be_checked()
    await keys.tab_to(person.button("setup.start"))
    await keys.press("Enter")

    start = person.button("brief.start")
    await expect(start).to_be_visible()
    game_id = page.url.rsplit("/", 1)[1]
    await keys.tab_to(start)
    await keys.press("Enter")
    await expect(person.send).to_be_enabled()
    await expect(page.locator("main")).to_be_focused()

    # Shortcuts, from wherever nothing is being typed.
    await keys.tab_to(page.locator(".stage__help"))
    await keys.press("?")
    await expect(person.dialog).to_be_visible()
    assert await person.dialog.evaluate("(one) => one.contains(document.activeElement)"), "the focus goes into a dialog"
    await keys.press("Escape")
    await expect(person.dialog).to_have_count(0)
    assert await keys.has_focus(page.locator(".stage__help")), "and back to where it came from"
    for key, place in (("w", "#words"), ("o", "#offer-figure"), ("a", "#ask"), ("b", "#belief-limit")):
        await page.locator(".stage__help").focus()
        await keys.press(key)
        await expect(page.locator(place)).to_be_focused()

    moves = 0
    await keys.press("ArrowRight")
    while not await page.locator(".over").is_visible():
        game = await person.game(game_id)
        theirs, offer = game["observation"]["opponent_offer"], next_offer(game)
        good = theirs and worth(game, theirs) >= worth(game, offer) * (1 if moves < 12 else 0)
        if good or moves >= 17:
            button, yes = (".move__accept", "accept.yes") if good else (".move__walk", "walk.yes")
            await keys.tab_to(page.locator(button))
            await keys.press("Enter")
            await expect(person.dialog).to_be_visible()
            await keys.tab_to(person.button(yes))
            await keys.press("Enter")
            await expect(page.locator(".over")).to_be_visible()
            continue
        if not await keys.has_focus(person.said):
            await expect(person.said).to_be_enabled()
            await page.locator(".stage__help").focus()
            await keys.press("w")
            await expect(person.said).to_be_focused()
        await page.keyboard.type(f"One more step, number {'I' * (moves + 1)}.")
        await keys.tab_to(person.figure)
        await page.keyboard.type(str(round(offer["price"])))
        await keys.press("Control+Enter" if moves % 2 else "Enter")
        sure = person.button("doubt.send")
        await expect(sure.or_(person.mine.nth(moves))).to_be_visible()
        if await sure.is_visible():
            await keys.tab_to(sure)
            await keys.press("Enter")
        moves += 1
        await person.played(moves)
        if not await page.locator(".over").is_visible():
            await expect(person.said).to_be_focused()

    await expect(page.locator("#over-title")).to_be_focused()
    await keys.tab_to(person.link("over.debrief"))
    await keys.press("Enter")
    await expect(page).to_have_url(re.compile(rf"/games/{game_id}"))
    await person.settled()
    assert not keys.wrong, "\n".join(sorted(set(keys.wrong)))


@pytest.mark.slow
async def test_tab_goes_round_every_page_and_is_seen_at_every_stop(visit: Visit, furnished: Furnished) -> None:
    person = await visit(storage_state=furnished.storage, reduced_motion="reduce")
    found: dict[str, list[str]] = {}
    for name, path in furnished.places.pages().items():
        await arrive(person, path)
        keys = Keyboard(person.page)
        stops = await keys.around()
        assert len(stops) > 5, name
        if keys.wrong:
            found[name] = sorted(set(keys.wrong))
    assert not found


async def test_the_first_stop_skips_to_the_content(person: Person) -> None:
    await person.go("/leaderboard")
    keys = Keyboard(person.page)
    await keys.press("Tab")
    stop = await keys.look()
    assert stop and person.t("nav.skip") in stop["name"]
    assert not keys.wrong
    await keys.press("Enter")
    await expect(person.page.locator("main")).to_be_focused()


async def test_the_focus_goes_along_to_another_page(person: Person) -> None:
    await person.go("/")
    await person.page.get_by_role("link", name=person.t("nav.leaderboard")).first.focus()
    await person.page.keyboard.press("Enter")
    await expect(person.page.get_by_role("heading", level=1)).to_have_text(person.t("title.leaderboard"))
    await expect(person.page.locator("body")).not_to_be_focused()
    await person.link("board.play").or_(person.page.locator("main a, main select").first).first.focus()


async def test_the_menu_of_a_small_screen_opens_and_closes_by_keys(visit: Visit) -> None:
    person = await visit(viewport={"width": 390, "height": 844})
    await person.go("/leaderboard")
    menu = person.page.locator("details.menu")
    summary = menu.locator("summary")
    await summary.focus()
    await person.page.keyboard.press("Enter")
    await expect(menu).to_have_attribute("open", "")
    await person.page.keyboard.press("Tab")
    await expect(menu.get_by_role("link").first).to_be_focused()
    await person.page.keyboard.press("Escape")
    await expect(menu).not_to_have_attribute("open", "")
    await expect(summary).to_be_focused()

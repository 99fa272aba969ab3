"""What holds on every page: its policy, its width, its silence, its landmarks."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from .conftest import DESKTOP, PHONE, TABLET, Furnished, Visit
from .person import Person
from .places import arrive

SIZES = {"phone": PHONE, "tablet": TABLET, "desktop": {"viewport": DESKTOP}}
WIDER = """
() => {
  const edge = document.documentElement.clientWidth;
  const wide = document.scrollingElement.scrollWidth - edge;
  if (wide <= 0) return null;
  const scrolls = (one) => one && (getComputedStyle(one).overflowX !== "visible" || scrolls(one.parentElement));
  const who = [...document.querySelectorAll("body *")].filter((one) => !scrolls(one.parentElement))
    .map((one) => [one, one.getBoundingClientRect().right]).filter(([, right]) => right > edge + 1)
    .sort((a, b) => b[1] - a[1]);
  const name = ([one, right]) => `${one.tagName} ${one.getAttribute("class")} ${one.textContent.slice(0, 30)} ${right}`;
  return `${wide} px: ${who.slice(0, 4).map(name).join(", ")}`;
}
"""
LANDMARKS = """
() => ({
  main: document.querySelectorAll("main").length,
  banner: document.querySelectorAll("body header.header").length,
  navs: [...document.querySelectorAll("nav")].filter((one) => one.checkVisibility() && !one.ariaLabel).length,
  h1: [...document.querySelectorAll("h1")].filter((one) => one.checkVisibility()).length,
  lang: document.documentElement.lang,
  title: document.title,
})
"""


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_no_page_is_wider_than_the_screen(visit: Visit, furnished: Furnished, size: str, language: str) -> None:
    person, places = await visit(language=language, storage_state=furnished.storage, **SIZES[size]), furnished.places
    found = {}
    for name, path in places.pages().items():
        await arrive(person, path)
        wider = await person.page.evaluate(WIDER)
        if wider:
            found[name] = wider
        if name == "table" and size == "phone":
            for tab in await person.page.locator(".tabs__tab").all():
                await tab.click()
                wider = await person.page.evaluate(WIDER)
                if wider:
                    found[f"{name}: {await tab.text_content()}"] = wider
    assert not found


@pytest.mark.slow
async def test_every_page_has_its_landmarks_one_heading_a_title_and_is_silent(
    visit: Visit, furnished: Furnished
) -> None:
    person, places = await visit(storage_state=furnished.storage), furnished.places
    titles, found = set(), {}
    for name, path in places.pages().items():
        await arrive(person, path)
        await expect(person.page.locator("h1").first).to_be_attached()
        marks = await person.page.evaluate(LANDMARKS)
        titles.add(marks.pop("title"))
        if marks != {"main": 1, "banner": 1, "navs": 0, "h1": 1, "lang": "en-US"}:
            found[name] = marks
    assert not found
    assert len(titles) >= 10


async def test_every_page_comes_with_a_strict_policy_and_holds_nothing_of_a_game(person: Person) -> None:
    await person.be("Ada")
    game = await person.game_of()
    bodies = set()
    of_a_game = (f"/play/{game}", f"/games/{game}")
    for path in ("/", "/play", *of_a_game, "/leaderboard", "/me", "/rooms", "/join", "/watch", "/lab"):
        answer = await person.page.goto(person.origin + path)
        assert answer is not None
        policy = (await answer.all_headers())["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert (await answer.all_headers())["x-content-type-options"] == "nosniff"
        bodies.add(await answer.body())
    assert len(bodies) == 1, "one static shell"
    assert await person.page.evaluate("document.cookie") == "", "no script can read who one is"


async def test_the_policy_refuses_a_script_that_was_put_in(person: Person) -> None:
    person.guard.expect("Content Security Policy|policy:")
    await person.go("/")
    await person.page.evaluate(
        "() => { const it = document.createElement('script'); it.textContent = 'window.pwned = 1';"
        " document.body.append(it);"
        " document.body.insertAdjacentHTML('beforeend', '<b onclick=\"window.pwned = 1\">'); }"
    )
    assert await person.page.evaluate("window.pwned") is None
    assert any("policy:" in line for line in person.guard.found), "and the guard would have heard of it"


async def test_an_address_that_is_no_page_says_so_and_leads_home(person: Person) -> None:
    person.guard.expect("404")
    await person.be("Ada")
    for path in ("/play/nothing-here", "/games/nothing-here", "/rooms/nothing-here"):
        await person.go(path)
        way = person.page.locator("main").get_by_role("link").or_(person.page.locator("main").get_by_role("button"))
        await expect(way.first).to_be_visible()

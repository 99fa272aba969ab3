"""Chinese: every word of every page, kept over a reload."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from .conftest import Furnished, Visit
from .person import Person
from .places import arrive, reviewed
from .play import wanted

ALLOWED = re.compile(
    r"Parlay|EN|English|USD|CP|AI|cookie|ZOPA|Nash|API|CSV|YAML|JSON|Lines|HTTP|MCP|WebSocket|OpenEnv|PARLAY_ROOM_KEY|"
    r"Ctrl|Enter|Esc|Tversky|Kahneman|Raiffa|Rubinstein|Schelling|Curhan|et al|OK|id|Python|/reset|/step|/state|"
    r"Other-Play|parlay reproduce"
)
WORD = re.compile(r"[A-Za-z]{2,}")
TEXTS = """
() => {
  // What opponents say stays English, names are whatever they are, and so are codes. Headlines are none of these.
  const spared =
    "[lang|=en]:not(.headline), bdi:not(.headline), kbd, code, .room__code, pre, script, style, " +
    "noscript, option[value]";
  const found = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const { parentElement: at, textContent: text } = walk.currentNode;
    if (!text.trim() || at.closest(spared) || !at.checkVisibility()) continue;
    found.add(text.trim());
  }
  for (const one of document.querySelectorAll("svg title")) found.add(`title: ${one.textContent.trim()}`);
  for (const one of document.querySelectorAll("option")) found.add(one.textContent.trim());
  for (const name of ["aria-label", "title", "placeholder", "aria-valuetext", "alt", "aria-roledescription"])
    for (const one of document.body.querySelectorAll(`[${name}]`))
      if (!one.closest("[lang|=en]")) found.add(`${name}: ${one.getAttribute(name)}`);
  found.add(document.title);
  return [...found];
}
"""


async def words_of(page: Page) -> list[str]:
    """Every text of a page once its headlines, which are fetched when they are wanted, are there."""
    await expect(page.locator(".headline[lang|=en]")).to_have_count(0)
    return await page.evaluate(TEXTS)


def foreign(texts: list[str]) -> list[str]:
    """Those with words that aren't Chinese."""
    names = re.compile(r"^(aria-label|title|placeholder|aria-valuetext|alt|aria-roledescription): ")
    return [text for text in texts if WORD.search(ALLOWED.sub("", names.sub("", text)))]


@pytest.mark.slow
async def test_every_word_of_every_page_is_chinese(visit: Visit, furnished: Furnished) -> None:
    person = await visit(language="zh", storage_state=furnished.storage)
    found: dict[str, list[str]] = {}
    for name, path in furnished.places.pages().items():
        await arrive(person, path)
        assert await person.page.evaluate("document.documentElement.lang") == "zh-CN"
        if wrong := foreign(await words_of(person.page)):
            found[name] = wrong
    assert not found


@pytest.mark.slow
async def test_every_word_of_the_table_is_chinese_in_every_state(visit: Visit) -> None:
    person = await visit(language="zh")
    page = person.page
    await person.be("小明")
    found: dict[str, list[str]] = {}

    async def look(name: str) -> None:
        if wrong := foreign(await words_of(page)):
            found[name] = wrong

    for scenario in ("saas_enterprise", "hiring_package", "acquisition_term_sheet", "supplier_contract"):
        game = await person.game_of(scenario, persona="shark")
        await person.go(f"/play/{game}")
        await expect(person.button("brief.start")).to_be_visible()
        await look(f"{scenario}: briefing")
        await person.sit(game)
        await look(f"{scenario}: table")
        for card in await page.locator(".hand button.card:enabled").all():
            await card.click()
            await look(f"{scenario}: {await card.text_content()}")
            await card.click()
        await person.page.locator(".stage__help").click()
        await expect(person.dialog).to_be_visible()
        await look(f"{scenario}: help")
        await page.keyboard.press("Escape")
        await expect(person.dialog).to_have_count(0)
        await person.button("walk.button").click()
        await look(f"{scenario}: leaving")
        await person.button("walk.yes").click()
        await expect(page.locator(".over")).to_be_visible()
        await look(f"{scenario}: over")
    assert not found


async def with_news(person: Person) -> tuple[str, str]:
    """A game that is on and has a headline, and that headline."""
    for _ in range(20):
        game = await person.game_of("hiring_package", persona="veteran")
        seen = await person.game(game)
        while seen["status"] != "over":
            if events := seen["observation"]["events"]:
                return game, events[0]["headline"]
            seen = await person.move(game, **{**wanted(seen), "accept_deal": False})
    raise AssertionError("20 games ended before there was any news")


@pytest.mark.slow
async def test_headlines_are_chinese_wherever_they_stand(visit: Visit) -> None:
    person = await visit(language="zh")
    page, headlines = person.page, person.page.locator(".headline")
    await person.be("小明")
    game, english = await with_news(person)

    async def look(*places: str) -> None:
        for place in places:
            await expect(page.locator(f"{place} .headline").first).to_have_text(re.compile(r"[\u4e00-\u9fff]{4}"))
        await expect(page).to_have_title(re.compile(r"[\u4e00-\u9fff]"))  # it follows the page by a moment
        assert not foreign(await words_of(page))
        assert english not in await page.content()

    await person.sit(game)
    await look(".news", ".log__news")
    await page.get_by_role("radio", name="EN").check(force=True)
    await expect(headlines.first).to_have_text(english)
    await expect(headlines.first).to_have_attribute("lang", "en")
    await page.get_by_role("radio", name="中文").check(force=True)
    await look(".news", ".log__news")
    await person.move(game, walk_away=True)
    await reviewed(person, game)
    await person.go(f"/games/{game}")
    await look(".newslist")


async def test_the_language_is_switched_at_once_and_kept_over_a_reload(
    visit: Visit, texts: dict[str, dict[str, str]]
) -> None:
    person = await visit()
    await person.go("/leaderboard")
    page, chinese = person.page, texts["zh"]
    await expect(page.get_by_role("heading", level=1)).to_have_text(person.t("title.leaderboard"))
    await page.get_by_role("radio", name="中文").check(force=True)
    await expect(page.get_by_role("heading", level=1)).to_have_text(chinese["title.leaderboard"])
    await expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    await expect(page).to_have_title(re.compile(chinese["title.leaderboard"]))
    await page.reload()
    await expect(page.get_by_role("heading", level=1)).to_have_text(chinese["title.leaderboard"])
    await person.go("/me")
    await expect(page.get_by_role("heading", level=1)).to_have_text(chinese["title.me"])


async def test_a_chinese_browser_gets_chinese_without_asking(visit: Visit) -> None:
    person = await visit(language="zh")
    await person.go("/")
    await expect(person.page.locator("html")).to_have_attribute("lang", "zh-CN")


async def test_both_languages_have_the_same_texts_with_the_same_places(texts: dict[str, dict[str, str]]) -> None:
    english, chinese = texts["en"], texts["zh"]
    # English alone has a form for one.
    assert english.keys() - chinese.keys() <= {key for key in english if key.endswith(".one")}
    assert not chinese.keys() - english.keys()
    for key, text in chinese.items():
        places = set(re.findall(r"\{(\w+)\}", english[key]))
        assert set(re.findall(r"\{(\w+)\}", text)) == places, key


async def test_what_a_persona_says_is_marked_as_english_on_a_chinese_page(visit: Visit) -> None:
    person: Person = await visit(language="zh")
    await person.be("小明")
    await person.sit(await person.game_of())
    await person.offer("178k", "请考虑一下。")
    spoken = person.page.locator(".log .line--theirs .line__words bdi")
    await expect(spoken.first).to_have_attribute("lang", "en")

"""What somebody hears who can't see the page."""

from __future__ import annotations

import re

import pytest_asyncio
from playwright.async_api import expect

from .conftest import Visit
from .person import Person


@pytest_asyncio.fixture(loop_scope="session")
async def seated(person: Person) -> Person:
    """Somebody at the table, after a move."""
    await person.be("Ada")
    await person.sit(await person.game_of())
    await person.offer("178k", "A year of it saves you two posts.")
    return person


async def test_all_offers_can_be_read_as_a_table(seated: Person) -> None:
    game = await seated.game(seated.page.url.rsplit("/", 1)[1])
    table = seated.page.get_by_role("table", name=seated.t("trail.caption"))
    await expect(table).to_be_attached()
    rows = table.locator("tbody tr")
    await expect(rows).to_have_count(len(game["observation"]["offers"]))
    mine = rows.filter(has_text=seated.t("who.you")).first
    await expect(mine).to_contain_text("178,000")
    await expect(table.locator("thead th[scope=col]")).to_have_count(4)
    await seated.button("chart.asTable").first.click()
    await expect(table).to_be_visible()


async def test_what_the_other_side_does_is_announced(seated: Person) -> None:
    status = seated.page.locator(".table > [role=status]")
    theirs = seated.page.locator(".log .line--theirs").last.locator(".line__words")
    await expect(status).to_contain_text((await theirs.text_content() or "").strip())
    before = await status.text_content()
    await seated.offer("174k", "And another step.")
    await expect(status).not_to_have_text(before or "")
    await seated.button("walk.button").click()
    await seated.button("walk.yes").click()
    await expect(status).to_contain_text(seated.t("over.walk_away"))


async def test_the_deal_line_and_the_meters_say_what_they_show(seated: Person) -> None:
    page = seated.page
    line = page.get_by_role("region", name=seated.t("deal.title"))
    await expect(line).to_contain_text(re.compile("178,000"))
    meter = page.get_by_role("meter", name=seated.t("tension.label"))
    await expect(meter).to_have_attribute("aria-valuetext", re.compile(r"\d+, \w+"))
    slider = page.get_by_role("slider", name=re.compile("slider"))
    await expect(slider.first).to_have_attribute("aria-valuetext", re.compile(r"USD.*limit"))


async def test_every_control_of_the_table_has_a_name(seated: Person) -> None:
    nameless = await seated.page.evaluate(
        """() => [...document.querySelectorAll("main button, main input, main select, main textarea, main a")]
          .filter((one) => !(one.getAttribute("aria-label") || one.labels?.length || one.textContent.trim()))
          .map((one) => one.outerHTML.slice(0, 120))"""
    )
    assert not nameless


async def test_a_dialog_is_named_holds_the_focus_and_gives_it_back(seated: Person) -> None:
    page = seated.page
    walk = seated.button("walk.button")
    await walk.click()
    await expect(page.get_by_role("dialog", name=seated.t("walk.title"))).to_be_visible()
    await expect(seated.button("walk.no")).to_be_focused()
    for _ in range(5):
        await page.keyboard.press("Tab")
        outside = await page.evaluate(
            "() => document.activeElement !== document.body && !document.activeElement.closest('dialog')"
        )
        assert not outside
    await page.keyboard.press("Escape")
    await expect(walk).to_be_focused()


async def test_words_in_another_language_are_marked_as_such(visit: Visit) -> None:
    person = await visit(language="zh")
    await person.be("小明")
    await person.sit(await person.game_of())
    await expect(person.page.locator("html")).to_have_attribute("lang", "zh-CN")
    await expect(person.page.locator(".header label[lang=en]").first).to_be_attached()
    await person.offer("178k", "请考虑一下。")
    await expect(person.page.locator(".bubble__words [lang=en]")).to_be_visible()

"""Making an offer: figures as people write them, figures in the words, and what is asked before it is sent."""

from __future__ import annotations

import re

import pytest
import pytest_asyncio
from playwright.async_api import expect

from .person import SUPPLY, Person


@pytest_asyncio.fixture(loop_scope="session")
async def seller(person: Person) -> Person:
    """Somebody who sells software, at the table."""
    await person.be("Ada")
    await person.sit(await person.game_of())
    return person


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("150k", "150,000"),
        ("150,000", "150,000"),
        ("150000", "150,000"),
        ("15万", "150,000"),
        ("１５０ｋ", "150,000"),
        ("$1.2M", "1,200,000"),
        ("148.5k", "148,500"),
        ("150.000", "150,000"),
        ("150 000", "150,000"),
        ("1,50,000", "150,000"),
    ],
)
async def test_a_figure_is_understood_as_people_write_it(seller: Person, typed: str, meant: str) -> None:
    await seller.figure.fill(typed)
    await expect(seller.send).to_have_text(re.compile(rf"\b{meant}\b"))
    await seller.figure.blur()
    await expect(seller.figure).to_have_value(meant)


async def test_what_is_no_figure_is_marked_and_changes_nothing(seller: Person) -> None:
    await seller.figure.fill("150k")
    await seller.figure.fill("a lot")
    await expect(seller.figure).to_have_attribute("aria-invalid", "true")
    await expect(seller.send).to_have_text(re.compile("150,000"))
    await seller.figure.blur()
    await expect(seller.figure).to_have_value("150,000")


async def test_a_figure_in_the_words_fills_the_offer_in_sight_and_can_be_undone(seller: Person) -> None:
    await seller.figure.fill("190k")
    await seller.said.fill("For all of this, 180k is fair.")
    await expect(seller.figure).to_have_value("180,000")
    await expect(seller.saying("offer.taken", amount="180,000")).to_be_visible()
    await seller.button("offer.undo").click()
    await expect(seller.figure).to_have_value("190,000")
    await expect(seller.saying("offer.taken", amount="180,000")).to_have_count(0)


async def test_words_that_contradict_the_offer_are_asked_about_before_they_are_sent(seller: Person) -> None:
    await seller.said.fill("For all of this, 180k is fair.")
    await expect(seller.figure).to_have_value("180,000")
    await seller.figure.fill("190k")
    await seller.send.click()
    await expect(seller.dialog).to_contain_text("180,000")
    await expect(seller.dialog).to_contain_text("190,000")
    await seller.button("doubt.back").click()
    await expect(seller.dialog).to_have_count(0)
    await expect(seller.mine).to_have_count(0)
    await expect(seller.said).to_have_value("For all of this, 180k is fair.")

    await seller.said.fill("For all of this, 190k is fair.")
    await seller.send.click()
    await seller.played(1)


async def test_an_offer_beyond_ones_own_limit_is_asked_about(seller: Person) -> None:
    await seller.said.fill("Take it or leave it.")
    await seller.figure.fill("50k")
    await expect(seller.page.locator(".offer__worth--bad")).to_be_visible()
    await seller.send.click()
    await expect(seller.dialog).to_contain_text(seller.t("doubt.title.limit"))
    await seller.page.keyboard.press("Escape")
    await expect(seller.dialog).to_have_count(0)
    await expect(seller.mine).to_have_count(0)

    await seller.send.click()
    await seller.button("doubt.send").click()
    await expect(seller.mine).to_have_count(1)


async def test_leaving_is_asked_about(seller: Person) -> None:
    await seller.button("walk.button").click()
    await seller.button("walk.no").click()
    await expect(seller.dialog).to_have_count(0)
    await expect(seller.send).to_be_enabled()
    await seller.button("walk.button").click()
    await seller.button("walk.yes").click()
    await expect(seller.page.locator(".over")).to_contain_text(seller.t("over.walk_away"))


async def test_a_card_that_cannot_be_paid_says_why_and_one_that_needs_a_figure_asks_for_it(seller: Person) -> None:
    page = seller.page
    anchor = page.get_by_role("button", name=re.compile(seller.t("card.anchor_high.title")))
    await expect(anchor).to_be_disabled()
    await expect(anchor).to_have_attribute("title", seller.t("hand.why.anchor"))
    await page.get_by_role("button", name=re.compile(seller.t("card.batna_reveal.title"))).click()
    await seller.send.click()
    await expect(seller.saying("move.need.limit")).to_be_visible()
    await expect(seller.mine).to_have_count(0)


async def test_several_issues_have_a_row_each_and_their_worth(person: Person) -> None:
    await person.be("Ada")
    await person.sit(await person.game_of(SUPPLY))
    rows = person.page.locator(".offer__row")
    await expect(rows).to_have_count(3)
    worth = person.page.locator(".offer__worth b")
    before = await worth.text_content()
    await rows.nth(1).get_by_role("radio", name="30").check()
    await expect(worth).not_to_have_text(before or "")
    await person.said.fill("Shorter payment days, and we talk.")
    await person.send.click()
    sure = person.button("doubt.send")
    await expect(sure.or_(person.mine.first)).to_be_visible()
    if await sure.is_visible():
        await sure.click()
    await person.played(1)

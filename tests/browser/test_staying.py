"""A game stays: over a reload, in two tabs at once, through an impatient hand and a killed server."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.async_api import expect

from .conftest import Visit
from .person import Person
from .server import Server

GONE = r"ERR_CONNECTION_|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED|ERR_CONTENT_LENGTH|ERR_SOCKET|ERR_NETWORK"
"""What a browser writes when a server is gone."""


async def test_a_reload_in_mid_game_loses_nothing_not_even_what_was_being_written(person: Person) -> None:
    page = person.page
    await person.be("Ada")
    await person.sit(await person.game_of())
    await person.offer("178k", "The pilot speaks for itself.")
    await person.said.fill("Half a thought, not yet")
    await person.figure.fill("171,500")
    await page.get_by_label(person.t("ask.label")).select_option("authority")
    await page.locator("#belief-limit").press("ArrowRight")
    along = page.get_by_role("list", name=person.t("along.label"))
    belief = await along.text_content()

    await page.reload()
    await expect(person.mine).to_have_count(1)
    await expect(person.said).to_have_value("Half a thought, not yet")
    await expect(person.figure).to_have_value("171,500")
    await expect(page.get_by_label(person.t("ask.label"))).to_have_value("authority")
    await expect(along).to_have_text(belief or "")
    await person.said.fill("Half a thought, now whole.")
    await person.send.click()
    await person.played(2)
    await expect(person.mine.nth(1)).to_contain_text("now whole")


async def test_two_tabs_of_one_seat_stay_in_step(person: Person) -> None:
    await person.be("Ada")
    game = await person.game_of()
    await person.sit(game)
    other = Person(await person.context.new_page(), person.origin, person.words, person.guard)
    await other.sit(game)
    await person.offer("178k", "From the first tab.")
    await expect(other.mine.first).to_contain_text("From the first tab.")
    await other.played(1)
    await other.offer("176k", "From the second tab.")
    await expect(person.mine.nth(1)).to_contain_text("From the second tab.")
    await expect(person.page.locator(".log .line--theirs")).to_have_count(
        await other.page.locator(".log .line--theirs").count()
    )


async def test_a_tab_that_fell_behind_is_told_so_and_plays_nothing_twice(person: Person) -> None:
    person.guard.expect(r"409|ERR_FAILED")
    await person.be("Ada")
    game = await person.game_of()
    late = Person(await person.context.new_page(), person.origin, person.words, person.guard)
    await late.page.route("**/events", lambda route: route.abort())
    await late.sit(game)
    await person.move(game, utterance="Made elsewhere.", offer_amount=178000)
    await late.said.fill("Made here, too late.")
    await late.send.click()
    await expect(late.saying("error.STALE_MOVE")).to_be_visible()
    await expect(late.mine).to_have_count(1)
    await expect(late.said).to_have_value("Made here, too late.")
    lines = [line["words"] for line in (await person.game(game))["lines"]]
    assert "Made here, too late." not in lines


async def test_an_impatient_double_click_plays_one_move(person: Person) -> None:
    await person.be("Ada")
    game = await person.game_of()
    await person.sit(game)
    await person.said.fill("Once is enough.")
    await person.figure.fill("178k")
    await person.send.dblclick()
    await person.played(1)
    mine = [line for line in (await person.game(game))["lines"] if line["by"] == "player"]
    assert len(mine) == 1


async def test_a_double_click_on_the_start_opens_one_game(person: Person) -> None:
    await person.go("/play")
    await person.page.get_by_label(person.t("setup.name"), exact=True).fill("Ada")
    await person.button("setup.start").dblclick()
    await expect(person.page).to_have_url(re.compile(r"/play/[\w-]+$"))
    games = (await person.ask("GET", "/api/me/games"))["games"]
    assert len(games) == 1


@pytest.fixture
def mortal(tmp_path_factory: pytest.TempPathFactory, executable: str) -> Iterator[Server]:
    """A server of one's own, to be killed."""
    running = Server(tmp_path_factory.mktemp("mortal")).start()
    yield running
    running.stop()


@pytest.mark.slow
async def test_a_killed_server_is_noticed_and_the_game_goes_on_by_itself(visit: Visit, mortal: Server) -> None:
    person = await visit(at=mortal.url)
    person.guard.expect(GONE)
    await person.be("Ada")
    game = await person.game_of()
    await person.sit(game)
    await person.offer("178k", "Before the crash.")
    lines = len((await person.game(game))["lines"])

    mortal.kill()
    await expect(person.saying("notice.lost")).to_be_visible()
    await person.said.fill("During the crash.")
    await person.figure.fill("175k")
    await person.send.click()
    await expect(person.page.get_by_text(person.t("notice.kept"))).to_be_visible()
    await expect(person.said).to_have_value("During the crash.")

    mortal.start()
    await expect(person.saying("notice.lost")).to_have_count(0)
    assert len((await person.game(game))["lines"]) == lines, "the game is as it was"
    await person.send.click()
    await person.played(2)
    await expect(person.mine.nth(1)).to_contain_text("During the crash.")
    assert (await person.game(game))["lines"][0]["words"] is not None


@pytest.mark.slow
async def test_a_page_that_is_opened_while_the_server_is_gone_says_so_and_can_try_again(
    visit: Visit, mortal: Server
) -> None:
    person = await visit(at=mortal.url)
    person.guard.expect(GONE)
    await person.be("Ada")
    game = await person.game_of()
    await person.go("/")
    # The page's files are there already; the server isn't.
    await person.go("/play")
    mortal.kill()
    await person.page.evaluate(
        "(to) => { history.pushState(null, '', to); dispatchEvent(new PopStateEvent('popstate')); }",
        f"/play/{game}",
    )
    await expect(person.page.get_by_role("alert")).to_be_visible()
    mortal.start()
    await person.button("state.again").click()
    await expect(person.button("brief.start")).to_be_visible()

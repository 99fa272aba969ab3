"""Rooms: a manager and players side by side, each in a browser of their own."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from .conftest import Visit
from .keyboard import Keyboard
from .person import PATIENCE, SAAS, Person
from .places import open_room, reviewed
from .play import play_out


async def open_by_hand(manager: Person, name: str, opponent: str = "diplomat") -> str:
    """Open a room with the form. The join link."""
    page = manager.page
    await manager.go("/rooms")
    await page.get_by_label(manager.t("room.name")).fill(name)
    await page.locator(".tasks__row select").last.select_option(opponent)
    await manager.button("room.open").click()
    await expect(page).to_have_url(re.compile(r"/rooms/[\w-]+$"))
    await expect(page.get_by_role("heading", level=1)).to_have_text(name)
    code = await page.locator(".room__code").text_content()
    return f"/join#{code}"


async def join(player: Person, link: str, name: str) -> None:
    """Follow the link, say one's name, take the first game."""
    await player.go(link)
    await player.page.get_by_label(player.t("me.name"), exact=True).fill(name)
    await player.button("join.go").click()
    await player.button("join.start").click()
    await expect(player.page).to_have_url(re.compile(r"/play/[\w-]+$"))
    await expect(player.button("brief.start")).to_be_visible()


@pytest.mark.slow
async def test_a_manager_watches_a_game_live_whispers_pins_a_note_and_the_player_knows(visit: Visit) -> None:
    manager, player = await visit(), await visit()
    link = await open_by_hand(manager, "Sales, Tuesday")
    await join(player, link, "Ben")
    await player.button("brief.start").click()
    await expect(player.saying("notice.watched")).to_have_count(0)

    # The game appears on the manager's page by itself; the watch page has all that is hidden, and an address without
    # the token.
    await manager.button("live.watchGame", names="Ben").click()
    await expect(manager.page).to_have_url(re.compile(r"/watch\?game=[\w-]+$"))
    screen = manager.page.locator(".watch")
    await expect(screen).to_be_visible()
    await expect(screen).to_contain_text(manager.t("watch.veil"))
    await expect(screen.get_by_role("region", name=manager.t("watch.facts"))).to_contain_text(manager.t("watch.limit"))
    await expect(player.saying("notice.watched")).to_be_visible()

    # A move is seen without a reload.
    await player.offer("178k", "This is what a year of it saves you.")
    await expect(screen.locator(".watchtalk")).to_contain_text("This is what a year of it saves you.")
    await expect(screen.locator(".watchtalk")).to_contain_text("178,000")

    # A whisper arrives at the table.
    coach = screen.get_by_role("region", name=manager.t("coach.title"))
    await coach.get_by_role("radio", name=manager.t("coach.whisper")).check()
    await coach.get_by_role("textbox").fill("Ask about their deadline.")
    await coach.get_by_role("button", name=manager.t("coach.send")).click()
    await expect(player.page.locator(".notices")).to_contain_text("Ask about their deadline.")
    await coach.get_by_role("radio", name=manager.t("coach.note")).check()
    await coach.get_by_role("textbox").fill("A strong opening, well reasoned.")
    await coach.get_by_role("button", name=manager.t("coach.pin")).click()
    await expect(coach).to_contain_text("A strong opening, well reasoned.")
    await expect(player.page.locator("main")).not_to_contain_text("A strong opening")

    # The end is seen, too; note and whisper stand in the debrief, and the room has the result.
    await player.button("walk.button").click()
    await player.button("walk.yes").click()
    await expect(player.page.locator(".over")).to_be_visible()
    await expect(screen).to_contain_text(manager.t("watch.over"))
    await player.link("over.debrief").click()
    await expect(player.page.locator("main")).to_contain_text("A strong opening, well reasoned.")
    await expect(player.page.locator("main")).to_contain_text("Ask about their deadline.")
    await manager.page.go_back()
    await expect(manager.page.locator(".results, .room__section").last).to_contain_text("Ben")


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1280, 700), (900, 700), (390, 700)], ids=["desktop", "tablet", "phone"])
async def test_whispers_do_not_push_what_is_being_written_behind_the_foot(visit: Visit, size: tuple[int, int]) -> None:
    manager, player = await visit(), await visit(viewport={"width": size[0], "height": size[1]})
    await join(player, await open_by_hand(manager, "Sales, Wednesday"), "Ben")
    await player.button("brief.start").click()
    await manager.button("live.watchGame", names="Ben").click()
    coach = manager.page.locator(".watch").get_by_role("region", name=manager.t("coach.title"))
    await coach.get_by_role("radio", name=manager.t("coach.whisper")).check()
    keys = Keyboard(player.page)
    await keys.tab_to(player.said)
    assert not keys.wrong
    before = await player.page.locator(".felt").bounding_box()
    for words in ("Ask about their deadline.", "They have conceded twice.", "Your alternative is weak: settle."):
        await coach.get_by_role("textbox").fill(words)
        await coach.get_by_role("button", name=manager.t("coach.send")).click()
        await expect(player.page.locator(".notices")).to_contain_text(words)
        await expect(player.said).to_be_focused()
        await keys.look()
    assert not keys.wrong
    assert before and before != await player.page.locator(".felt").bounding_box(), "something above did grow"


@pytest.mark.slow
async def test_a_token_that_was_taken_back_ends_the_view_and_opens_nothing_more(visit: Visit) -> None:
    manager, player, guest = await visit(), await visit(), await visit()
    room = await open_room(manager, "Tuesday", {"scenario_id": SAAS, "seat": "seller", "persona": "shark"})
    await join(player, f"/join#{room['code']}", "Ben")
    game = player.page.url.rsplit("/", 1)[1]
    watch = f"/api/rooms/{room['id']}/games/{game}/watch"
    token = (await manager.ask("POST", watch))["token"]
    await guest.go(f"/watch#{token}")
    await expect(guest.page.locator(".watch")).to_be_visible()
    assert token not in guest.page.url
    assert token not in await guest.page.content()

    await manager.ask("DELETE", watch)
    guest.guard.expect("404")
    await expect(guest.saying("watch.gone")).to_be_visible()
    await expect(guest.page.locator(".watch")).to_have_count(0)
    await guest.page.reload()
    await expect(guest.saying("watch.closed")).to_be_visible()
    await guest.page.goto("about:blank")
    await guest.go(f"/watch#{token}")
    await expect(guest.saying("watch.closed")).to_be_visible()
    assert token not in guest.page.url


@pytest.mark.slow
async def test_two_people_play_each_other(visit: Visit) -> None:
    manager, one, two = await visit(), await visit(), await visit()
    link = await open_by_hand(manager, "A duel", "person")
    await one.go(link)
    await one.page.get_by_label(one.t("me.name"), exact=True).fill("Ben")
    await one.button("join.go").click()
    await one.button("join.start").click()
    await expect(one.page).to_have_url(re.compile(r"/play/[\w-]+$"))
    game = one.page.url.rsplit("/", 1)[1]
    await two.go(link)
    await two.page.get_by_label(two.t("me.name"), exact=True).fill("Cleo")
    await two.button("join.go").click()
    await two.button("join.start").click()
    await expect(two.page).to_have_url(re.compile(rf"/play/{game}$"))
    await one.sit(game)
    await two.sit(game)

    seats = {(await who.game(game))["seat"]: who for who in (one, two)}
    assert set(seats) == {"seller", "buyer"}
    for turn in range(4):
        mover = one if (await one.game(game))["status"] == "your_move" else two
        other = two if mover is one else one
        seat = next(name for name, who in seats.items() if who is mover)
        figure = 170_000 - 2_000 * turn if seat == "seller" else 120_000 + 2_000 * turn
        words = f"Words of the {seat}, {'x' * (turn + 1)}."
        before = await mover.mine.count()
        await mover.said.fill(words)
        await mover.figure.fill(str(figure))
        await mover.figure.blur()
        await mover.send.click()
        sure = mover.button("doubt.send")
        await expect(sure.or_(mover.mine.nth(before))).to_be_visible()
        if await sure.is_visible():
            await sure.click()
        await expect(other.page.locator(".log .line--theirs").last).to_contain_text(words)
        await expect(other.send).to_be_enabled()
    mover = one if (await one.game(game))["status"] == "your_move" else two
    other = two if mover is one else one
    # News may just have voided what was offered.
    if (await mover.game(game))["observation"]["opponent_offer"]:
        await mover.page.locator(".move__accept").click()
        await mover.button("accept.yes").or_(mover.button("accept.anyway")).click()
    else:
        await mover.button("walk.button").click()
        await mover.button("walk.yes").click()
    await expect(mover.page.locator(".over")).to_be_visible()
    await expect(other.page.locator(".over")).to_be_visible()


@pytest.mark.slow
async def test_debriefs_of_a_shared_instance_open_when_the_room_closes(visit: Visit) -> None:
    manager, player = await visit(), await visit()
    task = {"scenario_id": SAAS, "seat": "seller", "persona": "diplomat"}
    room = await open_room(manager, "Same for all", task, same_seed=True)
    await join(player, f"/join#{room['code']}", "Ben")
    game = player.page.url.rsplit("/", 1)[1]
    await play_out(player, game)
    await player.sit(game)
    await expect(player.saying("over.roomWaits", room="Same for all")).to_be_visible()
    await expect(player.link("over.debrief")).to_have_count(0)

    await manager.go(f"/rooms/{room['id']}")
    await manager.button("room.close").click()
    await manager.button("room.close.yes").click()
    await expect(player.link("over.debrief")).to_be_visible()
    await player.link("over.debrief").click()
    await expect(player.page.get_by_role("heading", level=1)).to_be_visible()
    await reviewed(player, game)
    await manager.go(f"/rooms/{room['id']}")
    async with manager.page.expect_download(timeout=PATIENCE) as begun:
        await manager.link("results.csv").click()
    assert (await begun.value).suggested_filename.endswith(".csv")


async def test_a_managers_link_opens_the_room_elsewhere_and_leaves_the_address(visit: Visit) -> None:
    manager, elsewhere = await visit(), await visit()
    room = await open_room(manager, "Tuesday", {"scenario_id": SAAS, "seat": "seller", "persona": "shark"})
    elsewhere.guard.expect("404")
    await elsewhere.go(f"/rooms/{room['id']}")
    await expect(elsewhere.saying("room.locked").first).to_be_visible()
    await elsewhere.page.goto("about:blank")
    await elsewhere.go(f"/rooms/{room['id']}#{room['key']}")
    await expect(elsewhere.page.get_by_role("heading", level=1)).to_have_text("Tuesday")
    assert room["key"] not in elsewhere.page.url


async def write_scenario(manager: Person, title: str, limit: str = "8k") -> None:
    """Fill the form for a scenario about a price."""
    form = manager.dialog
    await form.get_by_label(manager.t("own.name"), exact=True).fill(title)
    await form.get_by_label(manager.t("own.step"), exact=True).fill("50")
    for key, (seller, buyer) in {"own.limit": (limit, "12k"), "own.anchor": ("15k", "6,000")}.items():
        fields = form.get_by_label(manager.t(key), exact=True)
        await fields.nth(0).fill(seller)
        await fields.nth(1).fill(buyer)


@pytest.mark.slow
async def test_a_scenario_of_ones_own_is_checked_while_it_is_written_and_then_played(visit: Visit) -> None:
    manager, player = await visit(), await visit()
    page = manager.page
    await manager.go("/rooms")
    await page.get_by_label(manager.t("room.name")).fill("Vans")
    await page.locator(".tasks__scenario select").select_option(label=manager.t("own.option"))
    await expect(manager.dialog).to_be_visible()
    use = manager.dialog.get_by_role("button", name=manager.t("own.use"))
    await expect(use).to_be_disabled()
    manager.guard.expect("422")
    await write_scenario(manager, "A used van", limit="13k")
    await expect(manager.dialog.get_by_text(manager.t("own.problems"))).to_be_visible()
    await expect(use).to_be_disabled()
    await write_scenario(manager, "A used van")
    await expect(manager.dialog.get_by_text(manager.t("own.fine", title="A used van"))).to_be_visible()
    await use.click()
    await manager.button("room.open").click()
    await expect(page).to_have_url(re.compile(r"/rooms/[\w-]+$"))
    code = await page.locator(".room__code").text_content()
    await join(player, f"/join#{code}", "Ben")
    await expect(player.page.locator("main")).to_contain_text("A used van")
    await player.button("brief.start").click()
    await player.offer("14k", "It has a new clutch.")

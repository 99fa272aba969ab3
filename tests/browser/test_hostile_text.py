"""Whatever people write stays text: it is never run, and never breaks a page."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from playwright.async_api import expect

from .conftest import PHONE, Visit
from .person import SAAS, Person
from .places import arrive, open_room, reviewed
from .test_every_page import WIDER

IMAGE = "<img src=x onerror=alert(1)>"
SCRIPT = "<script>window.pwned=1</script>"
ARABIC = "\u0645\u0631\u062d\u0628\u0627"
RTL = f"{ARABIC} \u202eabc\u202c {ARABIC}"
"""With an override of the direction, as nobody writes it who means well."""
LONG = "W" * 40
CAUGHT = "window.pwned = undefined; window.alert = window.confirm = window.prompt = () => { window.pwned = 1; };"


def van(title: str) -> str:
    """A scenario of one's own with this title, and worse in its briefings."""
    side = {"role": {"en": f"Boss {IMAGE}"}, "briefing": {"en": f"Sell well. {SCRIPT} {ARABIC}"}}
    return json.dumps(
        {
            "id": "own_price",
            "title": {"en": title},
            "unit": "price",
            "currency": "USD",
            "issues": [{"name": "price", "title": {"en": IMAGE}, "step": 50}],
            "seller": {**side, "limit": 8000, "anchor": 15000},
            "buyer": {**side, "limit": 12000, "anchor": 6000},
        }
    )


async def harmless(person: Person) -> None:
    """Nothing of it was taken for markup."""
    assert await person.page.evaluate("window.pwned") is None
    assert await person.page.locator("img[src=x], main script, b[onclick]").count() == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", [IMAGE, ARABIC, LONG])
async def test_hostile_text_shows_as_text_on_every_page_that_has_it(visit: Visit, name: str) -> None:
    person = await visit(**PHONE)
    await person.context.add_init_script(CAUGHT)
    await person.be(name)
    task = {"scenario_yaml": van(IMAGE), "seat": "seller", "persona": "shark"}
    room = await open_room(person, f"{SCRIPT} {ARABIC}", task)
    await person.ask("POST", "/api/join", {"join_code": room["code"], "request_id": uuid4().hex})
    made = await person.ask("POST", f"/api/rooms/{room['id']}/games", {"request_id": uuid4().hex, "task": 0})
    game = made["game"]["id"]
    await person.move(game, utterance=f"{SCRIPT} {IMAGE} {RTL} {LONG}", offer_amount=15_000)
    token = (await person.ask("POST", f"/api/rooms/{room['id']}/games/{game}/watch"))["token"]
    await arrive(person, f"/watch#{token}")
    await expect(person.page.locator(".watch")).to_be_visible()
    for kind in ("note", "whisper"):
        await person.ask(
            "POST",
            f"/api/watch/{game}/notes",
            {"request_id": uuid4().hex, "kind": kind, "turn": 1, "words": f"{kind} {IMAGE} {SCRIPT} {RTL} {LONG}"},
        )
    pages = {
        "setup": "/play",
        "table": f"/play/{game}",
        "watch": f"/watch?game={game}",
        "live games": "/watch",
        "room": f"/rooms/{room['id']}",
        "rooms": "/rooms",
        "join": f"/join#{room['code']}",
        "me": "/me",
        "leaderboard": "/leaderboard",
        "home": "/",
    }
    wide = {}
    for where, path in pages.items():
        await arrive(person, path)
        await harmless(person)
        if found := await person.page.evaluate(WIDER):
            wide[where] = found
    assert not wide
    await arrive(person, f"/play/{game}")
    await person.page.locator(".tabs__tab").nth(1).click()
    await expect(person.page.locator(".log")).to_contain_text(SCRIPT)
    await expect(person.page.locator(".log")).to_contain_text(IMAGE)

    await person.move(game, walk_away=True)
    await reviewed(person, game)
    for where, path in {
        "over": f"/play/{game}",
        "debrief": f"/games/{game}",
        "results": f"/rooms/{room['id']}",
    }.items():
        await arrive(person, path)
        await harmless(person)
        await expect(person.page.locator("body")).to_contain_text(name)
        if found := await person.page.evaluate(WIDER):
            wide[where] = found
    assert not wide


async def test_what_is_written_from_right_to_left_leaves_its_neighbours_alone(person: Person) -> None:
    await person.be(ARABIC)
    await person.sit(await person.game_of())
    await person.offer("178k", f"{RTL} 178,000")
    line = person.mine.first
    await expect(line).to_contain_text("178,000")
    left = await line.evaluate(
        "(one) => [...one.querySelectorAll('.line__who, .chips')]"
        ".map((it) => Math.round(it.getBoundingClientRect().left))"
    )
    assert len(set(left)) == 1
    words = await line.locator(".line__words").evaluate("(one) => Boolean(one.querySelector('bdi'))")
    assert words
    header = person.page.locator(".header__name bdi")
    await expect(header).to_have_text(ARABIC)


async def test_a_name_that_is_none_is_refused_in_words(person: Person) -> None:
    person.guard.expect("422")
    await person.be("Ada")
    await person.go("/me")
    field = person.page.get_by_label(person.t("me.name"), exact=True)
    await field.fill("\u202e\u202d")
    await person.button("me.name.save").click()
    await expect(person.saying("me.name.bad")).to_be_visible()
    assert (await person.ask("GET", "/api/me"))["player"]["name"] == "Ada"


async def test_a_room_of_hostile_titles_is_offered_as_text(visit: Visit) -> None:
    person = await visit()
    await person.context.add_init_script(CAUGHT)
    await person.be("Ada")
    room = await open_room(person, IMAGE, {"scenario_id": SAAS, "seat": "seller", "persona": "shark"})
    await arrive(person, f"/rooms/{room['id']}")
    await expect(person.page.get_by_role("heading", level=1)).to_have_text(IMAGE)
    await harmless(person)

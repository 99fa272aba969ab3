"""What people send is data: it comes back as it was sent, costs nothing that it should not, and harms nobody."""

from __future__ import annotations

from typing import Any

import pytest

from tests.store.support import contents

from .support import Browser, World, code_of, world_at

WORDS = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "'; DROP TABLE games; --",
    "שלום \u202e txt.exe",
    "👩\u200d👩\u200d👧 🤝 \U0001f600",
    "nul \x00 and bell \x07",
    "{{7*7}} ${7*7} %s %n \\u003c",
    "a\u2028b\u2029c\ufeffd",
    "x" * 2000,
    "🤝" * 2000,
)
NAMES = ("<b>Bob</b>", 'O\'Neil "x" &amp;', "王小明", "👩\u200d👩\u200d👧", "Robert'); DROP TABLE players;--", "x" * 40)


@pytest.mark.parametrize("words", WORDS)
async def test_words_come_back_as_they_were_said(world: World, ada: Browser, words: str) -> None:
    game = await ada.move(await ada.start(), utterance=words)
    mine = [line["words"] for line in game["lines"] if line["seat"] == "seller"]
    assert mine == [words]
    assert (await ada.look(game)) == game


@pytest.mark.parametrize("name", NAMES)
async def test_a_name_comes_back_as_it_was_given(world: World, name: str) -> None:
    browser = await world.player(name)
    reply = await browser.ask("GET", "/api/me")
    assert reply.json()["player"]["name"] == name
    assert reply.headers["content-type"] == "application/json"
    game = await browser.start()
    await browser.leave(game)
    board = await world.browser().get("/api/leaderboard")
    assert [row["name"] for row in board["rows"] + board["unranked"]] in ([name], [])


async def test_no_page_holds_anything_of_a_game(world: World, ada: Browser) -> None:
    """Every page is the same static shell, under a policy that runs no inline script."""
    game = await ada.move(await ada.start(), utterance=WORDS[0])
    pages = (
        "/",
        "/play",
        f"/play/{game['id']}",
        f"/games/{game['id']}",
        "/me",
        "/leaderboard",
        "/watch",
        "/join",
        "/rooms",
    )
    found = [await ada.ask("GET", page) for page in pages]
    assert len({reply.text for reply in found}) == 1
    for reply in found:
        rules = dict(part.strip().split(" ", 1) for part in reply.headers["content-security-policy"].split(";"))
        assert rules["default-src"] == "'none'" and rules["frame-ancestors"] == "'none'"
        assert "unsafe" not in reply.headers["content-security-policy"]
        assert reply.headers["x-content-type-options"] == "nosniff"


REFUSED: tuple[dict[str, Any], ...] = (
    {"utterance": "x" * 2001},
    {"utterance": 3},
    {"utterance": None},
    {"ofer": 3},
    {"offer_amount": "150000"},
    {"offer_amount": True},
    {"offer_amount": [1]},
    {"offer": {str(k): 1 for k in range(17)}},
    {"offer": 5},
    {"tactical_move": "nuke"},
    {"question": "secrets"},
    {"accept_deal": "yes"},
    {"accept_deal": 1},
    {"sweetener": "x" * 65},
    {"belief": {"est_limit": 3}},
    {"belief": []},
)


@pytest.mark.parametrize("action", REFUSED)
async def test_what_is_no_action_is_refused_and_changes_nothing(here: World, action: dict[str, Any]) -> None:
    ada = await here.player()
    game = await ada.start()
    before = await contents(here.desk.house.database)
    reply = await ada.ask("POST", f"/api/games/{game['id']}/moves", {"number": game["number"], "action": action})
    assert (reply.status_code, code_of(reply)) == (422, "INVALID_ACTION")
    assert await contents(here.desk.house.database) == before
    assert await ada.look(game) == game


@pytest.mark.parametrize("number", ["0", 0.0, True, None, -1, [0], {}, "1e999", 1e300, 10**30])
async def test_a_number_that_is_none_is_refused(here: World, number: Any) -> None:
    ada = await here.player()
    game = await ada.start()
    reply = await ada.ask("POST", f"/api/games/{game['id']}/moves", {"number": number, "action": {}})
    assert code_of(reply) in ("INVALID_ACTION", "STALE_MOVE")
    assert await ada.look(game) == game


@pytest.mark.parametrize(
    "body", [{}, {"number": 0}, {"action": {}}, {"number": 0, "action": {}, "seat": "buyer"}, [], 3]
)
async def test_a_move_has_a_number_and_an_action_and_nothing_else(here: World, body: Any) -> None:
    ada = await here.player()
    game = await ada.start()
    reply = await ada.ask("POST", f"/api/games/{game['id']}/moves", body)
    assert reply.status_code == 422 and code_of(reply) in ("INVALID_ACTION", "INVALID_OPTION")


FIGURES = ("1e999", "-1e999", "1e308", "-5", "0", "0.1", str(10**40), "-0.0", "5e-324")
OFFERS: tuple[dict[str, Any], ...] = (
    {"offer": {"nothing": 1}},
    {"offer": {}},
    {"offer": {"price": 150_000, "<script>": 1}},
    {"offer": {"price": 150_000}, "offer_amount": 140_000},
    {"accept_deal": True, "walk_away": True},
    {"accept_deal": True, "offer_amount": 150_000},
    {"sweetener": "nothing", "tactical_move": "sweetener"},
    {"tactical_move": "batna_reveal", "claim_value": 1e300},
    {"belief": {"est_walk_away": 1e300, "est_urgency": -4}, "event_impact": 1e300},
)


@pytest.mark.parametrize("figure", FIGURES)
async def test_a_figure_that_the_game_cannot_use_is_a_move_and_the_answer_says_why(world: World, figure: str) -> None:
    ada = await world.player()
    game = await ada.start()
    body = b'{"number": %d, "action": {"utterance": "Hm.", "offer_amount": %s}}' % (game["number"], figure.encode())
    reply = await ada.ask("POST", f"/api/games/{game['id']}/moves", body)
    assert reply.status_code == 200, reply.text
    after = reply.json()["game"]
    assert after["number"] == game["number"] + 1
    assert after["observation"]["invalid"]["code"]
    again = await ada.ask("POST", f"/api/games/{game['id']}/moves", body)
    assert again.json() == reply.json()
    fresh = await world_again(world, ada, game)
    assert fresh["lines"] == after["lines"]


async def world_again(world: World, browser: Browser, game: dict[str, Any]) -> dict[str, Any]:
    """The game as a worker that has just started has it."""
    world.desk.house._kept.clear()
    return await browser.look(game)


@pytest.mark.parametrize("action", OFFERS)
async def test_a_move_that_the_rules_do_not_allow_is_answered_with_why(here: World, action: dict[str, Any]) -> None:
    ada = await here.player()
    after = await ada.move(await ada.start(), utterance="Hm.", **action)
    if "belief" not in action:
        assert after["observation"]["invalid"]["message"]
    assert (await world_again(here, ada, after))["lines"] == after["lines"]


async def test_a_move_that_was_not_allowed_is_told_to_its_maker_alone(here: World) -> None:
    ada = await here.player()
    after = await ada.move(await ada.start(), utterance="Hm.", offer_amount=-5)
    mine = [line for line in after["lines"] if line["invalid"]]
    assert [(line["seat"], line["offer"]) for line in mine] == [("seller", None)]
    live = await here.desk.house.load(after["id"])
    from game.record import lines

    assert [line for line in lines(live.episode, "buyer") if line.invalid] == []


async def test_too_many_requests_are_told_to_come_back_and_pages_are_served_all_the_same(
    databases: dict[str, str],
) -> None:
    async with world_at(databases["sqlite"], page_rate=40.0) as world:
        browser = await world.player()
        found = [await browser.ask("GET", "/api/catalogue") for _ in range(100)]
        refused = [reply for reply in found if reply.status_code == 429]
        assert refused and {code_of(reply) for reply in refused} == {"RATE_LIMITED"}
        assert all(int(reply.headers["retry-after"]) >= 1 for reply in refused)
        assert {reply.status_code for reply in found} == {200, 429}
        for page in ("/", "/play", "/static/index.html", "/health", "/ready"):
            assert (await browser.ask("GET", page)).status_code == 200
        other = world.browser()
        other.http._transport.client = ("10.0.0.9", 1)  # type: ignore[attr-defined]
        assert (await other.ask("GET", "/api/catalogue")).status_code == 200


async def test_a_request_that_is_sent_again_is_answered_like_the_first_time(world: World, ada: Browser) -> None:
    game = await ada.start("one")
    wish = {"request_id": "one", "scenario_id": "saas_enterprise", "seat": "seller", "persona": "diplomat"}
    assert (await ada.ask("POST", "/api/games", wish)).json()["game"]["id"] == game["id"]
    body = {"number": game["number"], "action": {"utterance": "Once."}}
    path = f"/api/games/{game['id']}"
    first = await ada.ask("POST", f"{path}/moves", body)
    for _ in range(3):
        assert (await ada.ask("POST", f"{path}/moves", body)).content == first.content
    game = await ada.leave(first.json()["game"])
    again = [await ada.post(f"{path}/rematch", {"request_id": "two"}) for _ in range(2)]
    assert again[0]["game"]["id"] == again[1]["game"]["id"] != game["id"]
    for consent in (True, True, False, False):
        told = await ada.post(f"{path}/consent", {"flywheel": consent})
        assert told["game"]["consent"]["flywheel"] is consent
    assert len((await ada.get("/api/me/games"))["games"]) == 2


async def test_a_player_sees_its_own_games_and_deletes_them_alone(world: World) -> None:
    ada, bob = await world.player("Ada"), await world.player("Bob")
    mine = [await ada.start(str(k)) for k in range(3)]
    theirs = await bob.start()
    assert {card["id"] for card in (await ada.get("/api/me/games"))["games"]} == {game["id"] for game in mine}
    assert (await ada.get("/api/me"))["unfinished"][0]["status"] == "playing"
    await ada.post(f"/api/games/{mine[0]['id']}", None, "DELETE")
    assert (await ada.post("/api/me/games", None, "DELETE"))["deleted"] == 2
    assert (await ada.get("/api/me/games"))["games"] == []
    await ada.post("/api/me", None, "DELETE")
    assert (await ada.get("/api/me"))["player"] is None
    assert await bob.look(theirs) == theirs
    left = await contents(world.desk.house.database)
    assert [row["name"] for row in left["players"]] == ["Bob"] and len(left["games"]) == 1

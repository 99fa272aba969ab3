"""Every error of docs/pages.md has its code and its form, and leaves everything as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest

from game.store import tables
from tests.store.support import contents, count

from .support import Browser, World, code_of

START = {"request_id": "r", "scenario_id": "saas_enterprise", "seat": "seller", "persona": "shark"}
MOVE: dict[str, Any] = {"number": 0, "action": {"utterance": "Well."}}


async def unchanged(browser: Browser, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, str]:
    """The status and the code of a request that changes nothing."""
    database = browser.world.desk.house.database
    before = await contents(database)
    reply = await browser.ask(method, path, body, **headers)
    assert await contents(database) == before
    return reply.status_code, code_of(reply)


NOT_JSON = (b"", b"{", b"\xff\xfe", b'{"number": NaN}', b'{"number": Infinity}', b"[" * 100_000, b'{"a": "\\ud800"}')


@pytest.mark.parametrize("body", NOT_JSON)
async def test_what_is_not_json_is_refused_everywhere(here: World, body: bytes) -> None:
    ada = await here.player()
    game = await ada.start()
    for path in (
        "/api/me",
        "/api/games",
        *(f"/api/games/{game['id']}/{what}" for what in ("moves", "rematch", "consent")),
    ):
        if path.endswith("consent"):
            await ada.leave(await ada.look(game))
        assert await unchanged(ada, "POST", path, body) == (400, "INVALID_JSON")


async def test_whoever_has_no_name_is_told_to_choose_one(world: World) -> None:
    stranger, game = world.browser(), await (await world.player()).start()
    asked = [
        ("GET", "/api/me/games", None),
        ("DELETE", "/api/me", None),
        ("DELETE", "/api/me/games", None),
        ("POST", "/api/games", START),
        ("GET", f"/api/games/{game['id']}", None),
        ("DELETE", f"/api/games/{game['id']}", None),
        ("POST", f"/api/games/{game['id']}/moves", MOVE),
        ("GET", f"/api/games/{game['id']}/events", None),
        ("POST", f"/api/games/{game['id']}/rematch", {"request_id": "x"}),
        ("POST", f"/api/games/{game['id']}/consent", {"flywheel": True}),
    ]
    for method, path, body in asked:
        assert await unchanged(stranger, method, path, body) == (401, "UNAUTHORIZED"), path


async def test_another_players_game_is_as_good_as_none(world: World) -> None:
    bob, game = await world.player("Bob"), await (await world.player("Ada")).start()
    for name in (game["id"], "nothing", "A" * 3000, "%00", "%F0%9F%A4%9D", "%ff", "' OR 1=1 --"):
        path = f"/api/games/{name}"
        asked = [
            ("GET", path, None),
            ("DELETE", path, None),
            ("POST", f"{path}/moves", MOVE),
            ("GET", f"{path}/events", None),
            ("GET", f"{path}/log", None),
            ("POST", f"{path}/rematch", {"request_id": "x"}),
            ("POST", f"{path}/consent", {"flywheel": True}),
        ]
        for method, where, body in asked:
            assert await unchanged(bob, method, where, body) == (404, "NOT_FOUND"), (method, where)


@pytest.mark.parametrize("cookie", ["", "x", "A" * 4000, '"\\000\\377"', "'; DROP TABLE players; --", "%00"])
async def test_a_forged_cookie_is_nobodys(world: World, cookie: str) -> None:
    reply = await world.browser().ask("GET", "/api/me", cookie=f"parlay_player={cookie}")
    assert reply.status_code == 200 and reply.json()["player"] is None
    assert reply.json()["store"]["ok"]


async def test_the_token_of_a_forgotten_player_is_nobodys(world: World, ada: Browser) -> None:
    token = ada.http.cookies["parlay_player"]
    await ada.post("/api/me", None, "DELETE")
    again = world.browser(cookie=f"parlay_player={token}")
    assert await unchanged(again, "GET", "/api/me/games") == (401, "UNAUTHORIZED")


async def test_a_players_token_is_stored_nowhere(world: World, ada: Browser) -> None:
    await ada.start()
    assert ada.http.cookies["parlay_player"] not in repr(await contents(world.desk.house.database))


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://parlay.evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "http://parlay:81"},
    ],
)
async def test_no_page_of_another_origin_writes(here: World, headers: dict[str, str]) -> None:
    ada = await here.player()
    game = await ada.start()
    asked = [
        ("POST", "/api/me", {"name": "Eve"}),
        ("POST", "/api/games", START),
        ("POST", f"/api/games/{game['id']}/moves", MOVE),
        ("DELETE", f"/api/games/{game['id']}", None),
        ("DELETE", "/api/me", None),
    ]
    for method, path, body in asked:
        assert await unchanged(ada, method, path, body, **headers) == (403, "FORBIDDEN_ORIGIN")


async def test_our_own_page_writes(here: World) -> None:
    for headers in ({"origin": "http://parlay"}, {"origin": "http://parlay", "sec-fetch-site": "same-origin"}, {}):
        reply = await here.browser().ask("POST", "/api/me", {"name": "Ada"}, **headers)
        assert reply.status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "", "application/x-www-form-urlencoded", "multipart/form-data"])
async def test_only_json_is_read(here: World, kind: str) -> None:
    ada = await here.player()
    for method, path in (("POST", "/api/me"), ("POST", "/api/games"), ("DELETE", "/api/me")):
        found = await unchanged(ada, method, path, START, **{"content-type": kind})
        assert found == (415, "UNSUPPORTED_MEDIA_TYPE")


async def test_a_move_with_an_old_number_or_after_the_end_is_refused(world: World, ada: Browser) -> None:
    game = await ada.move(await ada.start())
    path = f"/api/games/{game['id']}/moves"
    assert await unchanged(ada, "POST", path, MOVE | {"number": 7}) == (409, "STALE_MOVE")
    assert await unchanged(ada, "POST", path, MOVE) == (409, "STALE_MOVE")
    over = await ada.leave(game)
    assert await unchanged(ada, "POST", path, MOVE | {"number": over["number"]}) == (409, "GAME_OVER")
    assert await ada.look(over) == over


async def test_what_needs_the_end_is_refused_before_it(world: World, ada: Browser) -> None:
    path = f"/api/games/{(await ada.start())['id']}"
    assert await unchanged(ada, "GET", f"{path}/log") == (409, "NOT_OVER")
    assert await unchanged(ada, "POST", f"{path}/consent", {"flywheel": True}) == (409, "NOT_OVER")


async def test_a_body_that_is_too_large_is_refused(here: World) -> None:
    ada = await here.player()
    path = f"/api/games/{(await ada.start())['id']}/moves"
    huge = b'{"number": 0, "action": {"utterance": "' + b"x" * 300_000 + b'"}}'
    assert await unchanged(ada, "POST", path, huge) == (413, "MESSAGE_TOO_LARGE")
    assert await unchanged(ada, "POST", "/api/me", huge) == (413, "MESSAGE_TOO_LARGE")
    long = json.dumps({"number": 0, "action": {"utterance": "x" * 40_000}}).encode()
    assert await unchanged(ada, "POST", path, long) == (413, "MESSAGE_TOO_LARGE")


WRONG_WISHES: tuple[dict[str, Any], ...] = (
    {"scenario_id": "nowhere"},
    {"scenario_id": 3},
    {"scenario_id": None},
    {"scenario_id": "x" * 65},
    {"seat": "middle"},
    {"persona": "nobody"},
    {"persona": ["shark"]},
    {"guided": "yes"},
    {"guided": 1},
    {"request_id": ""},
    {"request_id": "x" * 65},
    {"request_id": 5},
    {"seed": 7},
    {"secret": "00"},
    {"omega": 0},
)


@pytest.mark.parametrize("wrong", WRONG_WISHES)
async def test_a_wish_that_cannot_be_met_starts_nothing(here: World, wrong: dict[str, Any]) -> None:
    ada = await here.player()
    assert await unchanged(ada, "POST", "/api/games", START | wrong) == (422, "INVALID_OPTION")


@pytest.mark.parametrize("body", [[], "x", 3, None, {"name": 3}, {"name": None}, {}, {"name": "Ada", "admin": True}])
async def test_a_body_of_another_form_names_nobody(here: World, body: Any) -> None:
    assert await unchanged(here.browser(), "POST", "/api/me", body if body is not None else b"null") == (
        422,
        "INVALID_OPTION",
    )


@pytest.mark.parametrize("name", ["", "   ", "x" * 41, "a\x00b", "a\u202eb", "a\u0007", "\ufeff", "x" * 201])
async def test_a_name_that_cannot_be_had_is_refused(here: World, name: str) -> None:
    assert await unchanged(here.browser(), "POST", "/api/me", {"name": name}) == (422, "INVALID_OPTION")


async def test_an_error_quotes_nothing_that_was_sent(here: World) -> None:
    ada = await here.player()
    game = await ada.start()
    sent = "zxqv<script>"
    asked = [
        ("POST", "/api/me", {"name": "Ada", sent: sent}),
        ("POST", "/api/games", START | {"scenario_id": sent}),
        ("POST", "/api/games", START | {"seat": sent}),
        ("POST", f"/api/games/{game['id']}/moves", {"number": sent, "action": {}}),
        ("POST", f"/api/games/{game['id']}/moves", {"number": 0, "action": {sent: sent}}),
        ("POST", f"/api/games/{game['id']}/moves", {"number": 0, "action": {"tactical_move": sent}}),
        ("GET", f"/api/leaderboard?scenario={sent}", None),
        ("GET", f"/api/leaderboard?{sent}=1", None),
        ("GET", f"/api/games/{sent}", None),
    ]
    for method, path, body in asked:
        reply = await ada.ask(method, path, body)
        assert reply.status_code >= 400 and "zxqv" not in reply.text, path


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/api/me", "PUT PATCH"),
        ("/api/games", "GET PUT DELETE"),
        ("/api/leaderboard", "POST DELETE PUT"),
        ("/api/games/x/moves", "GET DELETE"),
        ("/api/catalogue", "POST"),
        ("/api/games/x", "POST PUT PATCH"),
    ],
)
async def test_other_methods_are_not_allowed_and_do_nothing(here: World, path: str, methods: str) -> None:
    ada = await here.player()
    before = await contents(here.desk.house.database)
    for method in methods.split():
        reply = await ada.ask(method, path, {"name": "Eve"})
        assert reply.status_code == 405, method
        assert reply.headers["allow"]
    assert await contents(here.desk.house.database) == before


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/nothing", "/api/games/x/nothing", "/api/me/x/y"])
async def test_what_the_api_does_not_have_is_not_found(here: World, path: str) -> None:
    reply = await here.browser().ask("GET", path)
    assert reply.status_code == 404 and reply.headers["content-type"] == "application/json"


async def test_nobody_is_made_by_looking(here: World) -> None:
    stranger = here.browser()
    for path in ("/", "/api/me", "/api/catalogue", "/api/demo", "/api/leaderboard", "/play", "/me"):
        assert (await stranger.ask("GET", path)).status_code == 200
    assert await count(here.desk.house.database, tables.players) == 0
    assert not stranger.http.cookies


async def test_a_request_id_may_be_any_text(world: World, ada: Browser) -> None:
    """And never a fault of ours: neither database sees what it can't keep."""
    for k, text in enumerate(("\x00", "é" * 64, "👩\u200d👩\u200d👧", "'; --", "\x7f\x01", "\u202e")):
        reply = await ada.ask("POST", "/api/games", START | {"request_id": text})
        assert reply.status_code in (201, 422), reply.text
        if reply.status_code == 201:
            again = await ada.ask("POST", "/api/games", START | {"request_id": text})
            assert again.json()["game"]["id"] == reply.json()["game"]["id"], k
        else:
            assert code_of(reply) == "INVALID_OPTION"

"""Nobody gets a better result, or sees what is hidden, by asking in another order, twice, or for what was not meant."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from game.store import games
from game.store.tables import games as games_table
from game.store.tables import seats
from parlay_env.doors.rates import network_of

from .support import Browser, Json, World, code_of
from .test_rooms import joined, opened, taken


async def test_what_is_hidden_is_not_shown_before_the_game_is_marked(here: World) -> None:
    """A token works as a cookie as it is: whoever never asks for the cookie watches all the same."""
    manager, room = await opened(here)
    ada = await joined(here, room, "Ada")
    game = await taken(ada, room)
    token = (await manager.post(f"/api/rooms/{room['room']['id']}/games/{game['id']}/watch", {}))["token"]
    assert not (await ada.look(game))["watched"]
    watcher = here.browser(cookie=f"parlay_watch_{game['id']}={token}")
    assert (await watcher.get(f"/api/watch/{game['id']}"))["game"]["marks"] == ["watched"]
    seen = await ada.look(game)
    assert seen["watched"] and not (await ada.leave(seen))["ranked"]


@pytest.mark.parametrize("task", [0, 1])
async def test_a_task_is_begun_once_however_many_ask_at_once(world: World, task: int) -> None:
    _, room = await opened(world, same_seed=True)
    ada = await joined(world, room, "Ada")
    found = await asyncio.gather(*(taken(ada, room, task, f"wish {k}") for k in range(4)))
    assert len({game["id"] for game in found}) == 1


async def test_an_instance_that_others_play_is_not_played_twice(here: World) -> None:
    manager, room = await opened(here, same_seed=True)
    ada = await joined(here, room, "Ada")
    game = await ada.leave(await taken(ada, room))
    path = f"/api/games/{game['id']}"
    assert code_of(await ada.ask("DELETE", path, {})) == "ROOM_OPEN"
    assert (await ada.post("/api/me/games", {}, "DELETE"))["deleted"] == 0
    assert (await taken(ada, room, 0, "again"))["status"] == "over"
    await manager.post(f"/api/rooms/{room['room']['id']}/close", {})
    await ada.post(path, {}, "DELETE")
    assert code_of(await ada.ask("GET", path)) == "NOT_FOUND"


async def test_whoever_is_forgotten_leaves_nothing_of_a_room_behind(here: World) -> None:
    _, room = await opened(here, same_seed=True)
    ada = await joined(here, room, "Ada")
    await ada.leave(await taken(ada, room))
    await ada.post("/api/me", {}, "DELETE")
    async with here.desk.house.database.read() as conn:
        assert await games.find_all(conn, games_table.c.room_id == room["room"]["id"]) == []


async def ranks(world: World) -> list[tuple[str, int]]:
    return [(row["name"], row["games"]) for row in (await world.browser().get("/api/leaderboard"))["rows"]]


async def finished(world: World, ada: Browser, *efficiencies: float) -> list[Json]:
    """Ranked games with these results."""
    found = []
    for k, efficiency in enumerate(efficiencies):
        game = await ada.leave(await ada.start(f"wish {k}"))
        async with world.desk.house.database.begin() as conn:
            values: Json = {"efficiency": efficiency, "right_exit": False}
            await conn.execute(seats.update().where(seats.c.game_id == game["id"]).values(**values))
        world.desk.house.heard(game["id"])
        found.append(game)
    return found


@pytest.mark.parametrize("over", [True, False])
async def test_who_deletes_a_bad_game_begins_anew(world: World, ada: Browser, over: bool) -> None:
    *_, bad = await finished(world, ada, *[0.9] * 5, 0.0)
    if not over:
        bad = await ada.start("left in the middle")
    assert await ranks(world) == [("Ada", 6)]
    await ada.post(f"/api/games/{bad['id']}", {}, "DELETE")
    assert await ranks(world) == []
    assert (await ada.get("/api/leaderboard"))["unranked"][0]["missing"] == 5


async def test_who_deletes_what_does_not_count_keeps_its_rank(world: World, ada: Browser) -> None:
    await finished(world, ada, *[0.9] * 5)
    guided = await ada.leave(await ada.start("guided", guided=True))
    await ada.post(f"/api/games/{guided['id']}", {}, "DELETE")
    assert await ranks(world) == [("Ada", 5)]


@pytest.mark.parametrize("due_at", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00", "99999-01-01"])
async def test_a_time_that_no_clock_shows_is_refused(here: World, due_at: str) -> None:
    """Else it would be stored, and every list that the room is in could not be read."""
    manager = here.browser()
    tasks: Any = [{"scenario_id": "saas_enterprise"}]
    body = {"request_id": "r", "name": "Class", "tasks": tasks, "due_at": due_at}
    assert code_of(await manager.ask("POST", "/api/rooms", body)) == "INVALID_OPTION"
    assert (await manager.get("/api/rooms"))["rooms"] == []


@pytest.mark.parametrize("task", [24, 2**40, 2**70, 10**30])
async def test_a_task_that_there_is_not_is_refused(world: World, task: int) -> None:
    _, room = await opened(world)
    ada = await joined(world, room, "Ada")
    body = {"request_id": "t", "task": task}
    reply = await ada.ask("POST", f"/api/rooms/{room['room']['id']}/games", body)
    assert (reply.status_code, code_of(reply)) == (422, "INVALID_OPTION")


async def test_a_wish_that_made_another_game_takes_no_seat(world: World) -> None:
    _, room = await opened(world)
    ada, bob = await joined(world, room, "Ada"), await joined(world, room, "Bob")
    first = await taken(bob, room, 0, "wish")
    await taken(ada, room, 1)
    assert (await taken(bob, room, 1, "wish"))["id"] == first["id"]


async def test_a_player_that_was_deleted_elsewhere_is_told_so(world: World, ada: Browser) -> None:
    """Another worker may know a player for some seconds that is gone."""
    _, room = await opened(world)
    await ada.get("/api/me")
    known, cookies = dict(world.desk._known), dict(ada.http.cookies)
    await ada.post("/api/me", {}, "DELETE")

    def still_known() -> None:
        world.desk._known.update(known)
        ada.http.cookies.update(cookies)

    assert known
    still_known()
    body = {"join_code": room["join_code"], "request_id": "j"}
    assert code_of(await ada.ask("POST", "/api/join", body)) == "UNAUTHORIZED"
    still_known()
    assert (await ada.post("/api/me", {"name": "Ada again"}))["player"]["name"] == "Ada again"
    assert (await ada.start())["status"] == "your_move"


@pytest.mark.parametrize("name", ["\u200d", "\u3164", "\u2800\u2800"])
async def test_a_name_can_be_seen(here: World, name: str) -> None:
    assert code_of(await here.browser().ask("POST", "/api/me", {"name": name})) == "INVALID_OPTION"


async def test_a_request_looks_for_as_many_rooms_as_a_page_shows(here: World) -> None:
    """Each cookie is a question to the store: a thousand in one request would keep it busy."""
    asked: list[str] = []
    desk = here.desk
    read = desk.house.database.read
    desk.house.database.read = lambda: asked.append("") or read()  # type: ignore[method-assign,func-returns-value]
    cookies = "; ".join(f"parlay_room_{k}=x" for k in range(1000))
    assert (await here.browser(cookie=cookies).get("/api/rooms"))["rooms"] == []
    assert len(asked) <= 64


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "games.example.com"},
        {"host": "evil.example:8000", "origin": "http://evil.example:8000"},
        {"x-forwarded-for": "203.0.113.5"},
        {"x-real-ip": "203.0.113.5"},
        {"forwarded": "for=203.0.113.5"},
        {"via": "1.1 proxy"},
    ],
)
async def test_a_room_is_not_opened_through_a_proxy_on_this_machine(here: World, headers: dict[str, str]) -> None:
    """It comes from this machine's address, whoever stands behind it."""
    stranger = here.browser(**headers)
    assert not (await stranger.get("/api/me"))["rooms"]["open"]
    body = {"request_id": "r", "name": "Class", "tasks": [{"scenario_id": "saas_enterprise"}]}
    assert code_of(await stranger.ask("POST", "/api/rooms", body)) == "UNAUTHORIZED"


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000", "[::1]:8000", "parlay.localhost"])
async def test_a_room_is_opened_from_this_machine(here: World, host: str) -> None:
    assert (await here.browser(host=host).get("/api/me"))["rooms"]["open"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("", "unknown:host", False),
    ],
)
def test_requests_are_counted_for_whoever_an_address_belongs_to(one: str, other: str, same: bool) -> None:
    assert (network_of(one) == network_of(other)) is same

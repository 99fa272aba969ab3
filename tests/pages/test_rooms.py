"""A room is its manager's, a game in it its players', and a watch token opens one game in one role."""

from __future__ import annotations

import csv
import io
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from starlette.routing import Route

from game import results
from tests.clients.servers import ROOT
from tests.store.support import contents

from .support import Browser, Json, World, code_of, stream

ROOM: Json = {
    "request_id": "r",
    "name": "Class <b>",
    "tasks": [
        {"scenario_id": "saas_enterprise", "seat": "seller", "persona": "shark"},
        {"scenario_id": "saas_enterprise", "seat": "seller", "persona": "person"},
    ],
    "same_seed": False,
}


async def opened(world: World, **more: Any) -> tuple[Browser, Json]:
    """A manager's browser, and the room it has opened."""
    manager = world.browser()
    return manager, await manager.post("/api/rooms", ROOM | more)


async def joined(world: World, room: Json, name: str) -> Browser:
    browser = await world.player(name)
    await browser.post("/api/join", {"join_code": room["join_code"], "request_id": "j"})
    return browser


async def taken(browser: Browser, room: Json, task: int = 0, request_id: str = "t") -> Json:
    path = f"/api/rooms/{room['room']['id']}/games"
    return (await browser.post(path, {"request_id": request_id, "task": task}))["game"]


async def test_a_room_is_seen_by_whoever_has_its_key_alone(world: World) -> None:
    manager, room = await opened(world)
    ada = await joined(world, room, "Ada")
    path = f"/api/rooms/{room['room']['id']}"
    assert (await manager.get(path))["players"][0]["name"] == "Ada"
    for browser in (ada, world.browser()):
        for method, where, body in (
            ("GET", path, None),
            ("POST", f"{path}/close", {}),
            ("GET", f"{path}/results.csv", None),
            ("GET", f"{path}/events", None),
            ("POST", f"{path}/enter", {"manager_key": "guess"}),
        ):
            reply = await browser.ask(method, where, body)
            assert reply.status_code in (401, 404), where
    other = world.browser()
    await other.post(f"{path}/enter", {"manager_key": room["manager_key"]})
    assert (await other.get(path))["room"]["name"] == "Class <b>"
    assert room["manager_key"] not in repr(await contents(world.desk.house.database))


async def test_whoever_has_not_joined_does_not_play(world: World) -> None:
    _, room = await opened(world)
    ada = await world.player("Ada")
    path = f"/api/rooms/{room['room']['id']}/games"
    assert code_of(await ada.ask("POST", path, {"request_id": "t", "task": 0})) == "NOT_FOUND"
    assert code_of(await ada.ask("POST", "/api/join", {"join_code": "guess", "request_id": "j"})) == "NOT_FOUND"


async def test_a_wish_in_a_room_makes_one_thing_however_often_it_is_sent(world: World) -> None:
    manager, room = await opened(world)
    again = await manager.post("/api/rooms", ROOM)
    assert again["room"]["id"] == room["room"]["id"]
    ada = await joined(world, room, "Ada")
    game = await taken(ada, room)
    assert (await taken(ada, room))["id"] == game["id"]
    left = await contents(world.desk.house.database)
    assert (len(left["rooms"]), len(left["games"]), len(left["members"])) == (1, 1, 1)


async def test_two_people_of_a_room_play_each_other(world: World) -> None:
    _, room = await opened(world)
    ada, bob = await joined(world, room, "Ada"), await joined(world, room, "Bob")
    first = await taken(ada, room, 1)
    assert first["waiting"]
    second = await taken(bob, room, 1)
    assert first["id"] == second["id"] and {first["seat"], second["seat"]} == {"seller", "buyer"}
    async with (
        stream(ada, f"/api/games/{first['id']}/events") as a,
        stream(bob, f"/api/games/{first['id']}/events") as b,
    ):
        seen = [(await one.game())["data"] for one in (a, b)]
        mover, waits = (ada, bob) if seen[0]["status"] == "your_move" else (bob, ada)
        game = await mover.move(await mover.look(first), utterance="Hello there.")
        for one in (a, b):
            assert (await one.game_with(1))["lines"][-1]["words"] == "Hello there."
        stale = {"number": game["number"], "action": {}}
        assert code_of(await mover.ask("POST", f"/api/games/{first['id']}/moves", stale)) == "NOT_YOUR_MOVE"
        answered = await waits.move(await waits.look(first), utterance="Good day.")
    theirs = await mover.look(first)
    assert [line["words"] for line in theirs["lines"]] == [line["words"] for line in answered["lines"]]
    assert theirs["observation"]["own"] != answered["observation"]["own"]


async def test_a_token_opens_one_game_for_who_has_it_until_it_is_taken_back(world: World) -> None:
    manager, room = await opened(world)
    ada, bob = await joined(world, room, "Ada"), await joined(world, room, "Bob")
    game, other = await taken(ada, room), await taken(bob, room)
    path = f"/api/rooms/{room['room']['id']}/games/{game['id']}/watch"
    for browser in (ada, world.browser()):
        assert (await browser.ask("POST", path, {})).status_code == 404
    token = (await manager.post(path, {}))["token"]
    watcher = world.browser()
    assert code_of(await watcher.ask("GET", f"/api/watch/{game['id']}")) == "NOT_FOUND"
    assert (await watcher.post("/api/watch", {"token": token}))["game_id"] == game["id"]
    assert (await watcher.get(f"/api/watch/{game['id']}"))["game"]["truth"]
    assert code_of(await watcher.ask("GET", f"/api/watch/{other['id']}")) == "NOT_FOUND"
    assert code_of(await ada.ask("GET", f"/api/watch/{game['id']}")) == "NOT_FOUND"
    seen = await ada.look(game)
    assert seen["watched"] and not seen["ranked"] and "watched" in seen["marks"] and token not in repr(seen)
    assert not (await bob.look(other))["watched"]
    assert token not in repr(await contents(world.desk.house.database))
    async with stream(watcher, f"/api/watch/{game['id']}/events") as events:
        await events.game()
        await manager.post(path, None, "DELETE")
        while (found := await events.next()).get("event") != "gone":
            assert found
    assert code_of(await watcher.ask("GET", f"/api/watch/{game['id']}")) == "NOT_FOUND"


@pytest.mark.parametrize("words", ["<script>", "nul \x00", "👩\u200d👧", "x" * 2001, " "])
async def test_a_whisper_reaches_the_player_as_text_and_counts_as_help(world: World, words: str) -> None:
    manager, room = await opened(world)
    ada = await joined(world, room, "Ada")
    game = await taken(ada, room)
    token = (await manager.post(f"/api/rooms/{room['room']['id']}/games/{game['id']}/watch", {}))["token"]
    await manager.post("/api/watch", {"token": token})
    body = {"request_id": "n", "kind": "whisper", "turn": 1, "words": words}
    replies = [await manager.ask("POST", f"/api/watch/{game['id']}/notes", body) for _ in range(2)]
    seen = await ada.look(game)
    if replies[0].status_code == 201:
        assert [one["words"] for one in seen["whispers"]] == [words]
        assert "helped" in seen["marks"] and not seen["ranked"]
    else:
        assert {(reply.status_code, code_of(reply)) for reply in replies} == {(422, "INVALID_OPTION")}
        assert seen["whispers"] == []


async def test_results_come_once_for_each_game_also_as_a_table(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    scores = results._scores
    monkeypatch.setattr(results, "_scores", lambda live, seat: asked.append(seat) or scores(live, seat))
    manager, room = await opened(world, name="=1+1")
    ada = await joined(world, room, "=Ada")
    game = await taken(ada, room)
    path = f"/api/rooms/{room['room']['id']}"
    assert (await manager.get(path))["results"] == []
    await ada.move(game, walk_away=True)
    first, again = [(await manager.get(path))["results"] for _ in range(2)]
    assert first == again
    (found,) = first
    assert (found["game_id"], found["player"], found["reason"]) == (game["id"], "=Ada", "walk_away")
    assert found["rubric"]
    text = (await manager.ask("GET", f"{path}/results.csv")).text
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["player"], row["reason"], row["turn"]) == ("'=Ada", "walk_away", str(found["turn"]))
    assert set(found["rubric"]) < set(row)
    assert asked == ["seller"]


async def test_joining_again_disturbs_nobody(world: World) -> None:
    manager, room = await opened(world)
    told: list[str] = []
    world.desk.changes.publish = told_to(told)  # type: ignore[method-assign]
    ada = await joined(world, room, "Ada")
    for _ in range(2):
        await ada.post("/api/join", {"join_code": room["join_code"], "request_id": "j"})
    assert told == [f"room:{room['room']['id']}"]
    assert len((await manager.get(f"/api/rooms/{room['room']['id']}"))["players"]) == 1


def told_to(told: list[str]) -> Callable[[str], Awaitable[None]]:
    async def publish(key: str) -> None:
        told.append(key)

    return publish


async def test_a_player_reaches_nothing_of_a_manager_or_a_watcher(world: World) -> None:
    """Every route there is, asked with the cookies of somebody who plays in the room and is watched."""
    manager, room = await opened(world)
    ada = await joined(world, room, "Ada")
    game = await taken(ada, room)
    path = f"/api/rooms/{room['room']['id']}"
    token = (await manager.post(f"{path}/games/{game['id']}/watch", {}))["token"]
    await world.browser().post("/api/watch", {"token": token})
    truth = (await world.desk.house.load(game["id"])).episode.state.facts[1].limit
    places = {"game_id": game["id"], "room_id": room["room"]["id"]}
    asked = set()
    for route in world.app.router.routes:
        if not isinstance(route, Route) or not route.path.startswith("/api/"):
            continue
        where = route.path.format(**places)
        for method in sorted((route.methods or set()) - {"HEAD", "DELETE"}):
            if where.endswith("/events") and where.startswith("/api/games/"):
                continue  # her own stream, which never ends: test_noninterference reads it
            reply = await ada.ask(method, where, None if method == "GET" else {})
            asked.add((method, route.path))
            hidden = route.path.startswith("/api/watch") or ("/rooms/{room_id}" in route.path and method == "GET")
            if hidden:
                assert reply.status_code in (401, 404, 422), where
            assert f"{truth // 100}" not in reply.text and '"truth":{' not in reply.text, where
            assert token not in reply.text
    assert {("GET", "/api/watch/{game_id}"), ("GET", "/api/rooms/{room_id}"), ("POST", "/api/watch")} <= asked
    assert len(asked) > 25


async def test_a_whisper_between_two_people_reaches_only_whom_it_is_for(world: World) -> None:
    manager, room = await opened(world)
    ann, bob = await world.player("Ann"), await world.player("Bob")
    found = []
    for one in (ann, bob):
        await one.post("/api/join", {"join_code": room["join_code"]})
        path = f"/api/rooms/{room['room']['id']}/games"
        found.append((await one.post(path, {"request_id": "pair", "task": 1}))["game"])
    game, path = found[0]["id"], f"/api/rooms/{room['room']['id']}/games"
    token = (await manager.post(f"{path}/{game}/watch", {}))["token"]
    coach = world.browser()
    await coach.post("/api/watch", {"token": token})
    note = {"request_id": "n", "kind": "whisper", "turn": 1, "words": "Their limit is 1."}
    reply = await coach.ask("POST", f"/api/watch/{game}/notes", note)
    assert (reply.status_code, code_of(reply)) == (422, "INVALID_OPTION")
    await coach.post(f"/api/watch/{game}/notes", note | {"seat": found[0]["seat"]})
    heard = [(await one.get(f"/api/games/{game}"))["game"]["whispers"] for one in (ann, bob)]
    assert [[one["words"] for one in each] for each in heard] == [["Their limit is 1."], []]


async def test_a_scenario_that_would_hold_everybody_up_is_refused(world: World) -> None:
    ada = await world.player()
    text = (ROOT / "game" / "scenarios" / "supplier_contract.yaml").read_text()
    fine = text.replace("step: 0.05", "step: 0.01").replace("high: 12", "high: 120")
    assert fine.count("high: 120") == 1
    reply = await ada.ask("POST", "/api/scenarios/check", {"yaml": fine})
    assert (reply.status_code, code_of(reply)) == (422, "INVALID_OPTION")
    assert "combinations of values" in reply.text
    assert (await ada.ask("POST", "/api/scenarios/check", {"yaml": text})).status_code == 200
    long = await ada.ask("POST", "/api/scenarios/check", {"yaml": "id: [" + "1," * 12_000 + "]"})
    assert (long.status_code, code_of(long)) == (422, "INVALID_OPTION")

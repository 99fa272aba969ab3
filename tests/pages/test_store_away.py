"""Where people's games can't be kept, agents are served all the same, and people are told."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from game.store import database as store
from tests.doors.support import Plain, Troubles, process
from tests.store.support import contents

from .support import World, code_of, world_at

WISH: dict[str, Any] = {"request_id": "r", "scenario_id": "saas_enterprise", "seat": "seller", "persona": "shark"}


@pytest.fixture
def unwritable(tmp_path: Path) -> str:
    (tmp_path / "file").write_text("")
    return f"sqlite:///{tmp_path}/file/parlay.db"


async def test_without_a_store_people_are_told_and_agents_are_served(unwritable: str) -> None:
    async with world_at(unwritable) as world:
        browser = world.browser(cookie="parlay_player=x")
        told = await browser.get("/api/me")
        assert told["player"] is None and not told["store"]["ok"] and told["store"]["message"]
        asked = [
            ("POST", "/api/me", {"name": "Ada"}),
            ("POST", "/api/games", WISH),
            ("GET", "/api/games/x", None),
            ("GET", "/api/games/x/events", None),
            ("GET", "/api/me/games", None),
            ("GET", "/api/leaderboard", None),
        ]
        for method, path, body in asked:
            reply = await browser.ask(method, path, body)
            assert (reply.status_code, code_of(reply)) == (503, "STORE_UNAVAILABLE"), path
        for path in ("/", "/play", "/api/catalogue", "/api/demo", "/health"):
            assert (await browser.ask("GET", path)).status_code == 200
        reply = await browser.ask("POST", "/reset", {"seed": 1}, **{"x-session-id": "new"})
        assert reply.status_code == 200 and reply.json()["observation"]["turn"] == 1


async def test_readiness_tells_whether_people_can_play(unwritable: str, tmp_path: Path) -> None:
    async with world_at(unwritable) as world:
        told = await world.browser().get("/ready")
        assert told["status"] == "ready" and "can't be made" in told["people"]
    async with world_at(f"sqlite:///{tmp_path}/parlay.db") as world:
        assert (await world.browser().get("/ready"))["people"] == "ready"


async def test_without_the_way_to_the_other_workers_people_are_told_and_agents_are_served(tmp_path: Path) -> None:
    nobody = SecretStr("redis://127.0.0.1:1/0")
    async with world_at(f"sqlite:///{tmp_path}/parlay.db", redis_url=nobody) as world:
        browser = world.browser(cookie="parlay_player=x")
        assert "Redis" in (await browser.get("/ready"))["people"]
        assert (await browser.ask("GET", "/api/leaderboard")).status_code == 503
        assert (await browser.ask("POST", "/reset", {"seed": 1})).status_code == 200


async def test_a_real_server_without_a_store_plays_with_agents(unwritable: str, tmp_path: Path) -> None:
    from websockets.asyncio.client import connect

    with process(tmp_path, "main", PARLAY_DATABASE_URL=unwritable) as server:
        async with connect(f"ws://127.0.0.1:{server.port}/env/ws") as ws:
            agent = Plain(ws)
            begun = await agent.reset(scenario_id="saas_enterprise", seed=7)
            stepped = await agent.step(begun["session_id"], utterance="Hello.")
            assert stepped["observation"]["turn"] >= 1
        assert "people can't play here" in server.output()


async def test_a_file_held_by_another_process_is_told_and_nothing_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "BUSY_SECONDS", 0.1)
    async with world_at(f"sqlite:///{tmp_path}/parlay.db") as world:
        ada = await world.player()
        game = await ada.start()
        before = await contents(world.desk.house.database)
        other = sqlite3.connect(tmp_path / "parlay.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        asked = [
            ("POST", f"/api/games/{game['id']}/moves", {"number": game["number"], "action": {"utterance": "Now?"}}),
            ("POST", "/api/games", WISH | {"request_id": "another"}),
            ("POST", "/api/me", {"name": "Eve"}),
            ("DELETE", f"/api/games/{game['id']}", None),
            ("DELETE", "/api/me", None),
        ]
        for method, path, body in asked:
            reply = await ada.ask(method, path, body)
            assert (reply.status_code, code_of(reply)) == (503, "STORE_UNAVAILABLE"), path
        assert await ada.look(game) == game
        other.rollback()
        other.close()
        assert await contents(world.desk.house.database) == before
        moved = await ada.move(game, utterance="Now?")
        assert moved["number"] == game["number"] + 1


async def test_a_log_that_was_changed_is_told_and_the_others_go_on(here: World, no_trouble: Troubles) -> None:
    from sqlalchemy import update

    from game.store import tables

    ada = await here.player()
    broken, sound = await ada.start("1"), await ada.start("2")
    broken = await ada.move(broken, utterance="An honest word.")
    async with here.desk.house.database.begin() as conn:
        which = tables.events.c.game_id == broken["id"]
        await conn.execute(update(tables.events).where(which).values(line="{}"))
    here.desk.house._kept.clear()
    path = f"/api/games/{broken['id']}"
    for method, where, body in (
        ("GET", path, None),
        ("GET", f"{path}/events", None),
        ("POST", f"{path}/moves", {"number": 1, "action": {}}),
    ):
        reply = await ada.ask(method, where, body)
        assert (reply.status_code, code_of(reply)) == (500, "INTERNAL")
        assert "honest" not in reply.text
    assert (await ada.move(sound))["number"] == sound["number"] + 1
    assert len((await ada.get("/api/me/games"))["games"]) == 2
    no_trouble.found.clear()  # an operator is told

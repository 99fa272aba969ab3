"""A whole game over each transport, with the official client; and what is begun there is a game like any other."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from .support import ROOT, Client, Json, Together, alone, over_http, over_sse, over_stdio


async def play_one(client: Client) -> Json:
    started = await client.start(seat="seller")
    assert started["status"] == "your_move"
    assert started["player_key"]
    over = await client.finish(started)
    assert over["result"]["reward"] is not None
    assert (await client.call("get_game_state", game_id=over["game_id"]))["result"] == over["result"]
    return over


def fresh(folder: Path) -> str:
    return f"sqlite:///{folder / 'games.db'}"


@pytest.mark.slow
async def test_a_whole_game_over_stdio(tmp_path: Path) -> None:
    async with over_stdio(fresh(tmp_path)) as client:
        over = await play_one(client)
    assert over["result"]["debrief"] == f"/games/{over['game_id']}"


@pytest.mark.slow
async def test_a_whole_game_over_sse(tmp_path: Path) -> None:
    with alone(tmp_path, "sse", fresh(tmp_path)) as server:
        async with over_sse(server.address) as client:
            await play_one(client)
        assert server.stop() in (0, -15)
        assert "Traceback" not in server.log.read_text()


@pytest.mark.slow
async def test_a_whole_game_over_streamable_http(tmp_path: Path) -> None:
    with alone(tmp_path, "http", fresh(tmp_path), PARLAY_PUBLIC_URL="https://parlay.example/") as server:
        async with over_http(server.address) as client:
            over = await play_one(client)
        assert server.stop() in (0, -15)
        assert "Traceback" not in server.log.read_text()
    assert over["result"]["debrief"] == f"https://parlay.example/games/{over['game_id']}"


async def test_a_server_stops_while_clients_are_there(tmp_path: Path) -> None:
    with alone(tmp_path, "http", fresh(tmp_path)) as server:
        async with over_http(server.address) as client:
            await client.start()
            assert await asyncio.to_thread(server.stop) in (0, -15)
            assert "Traceback" not in server.log.read_text()


async def test_a_game_begun_over_mcp_is_ranked_watched_and_debriefed(server: Together) -> None:
    async with over_http(server.address) as client:
        games = [await client.start(name="Ada")]
        key = games[0]["player_key"]
        async with server.browser(key) as browser, server.browser() as stranger:
            shown = (await browser.get(f"/api/games/{games[0]['game_id']}")).json()["game"]
            assert shown["number"] == games[0]["move_number"]
            over = await client.finish(games[0])
            assert over["result"]["debrief"] == f"{server.address}/games/{over['game_id']}"
            assert (await stranger.get(over["result"]["debrief"])).status_code == 200
            debrief = await stranger.get(f"/api/games/{over['game_id']}/debrief")
            assert debrief.status_code == 200, debrief.text
            board = (await stranger.get("/api/leaderboard")).json()
            assert [one["name"] for one in (*board["rows"], *board["unranked"])] == ["Ada"]


async def test_who_watches_a_page_sees_each_move_that_is_made_over_mcp(server: Together) -> None:
    """The pages' own stream: the same house, so the news comes at once, without a second process telling of it."""
    async with over_http(server.address) as client:
        game = await client.start()
        browser, events = server.browser(game["player_key"]), f"/api/games/{game['game_id']}/events"
        async with browser, browser.stream("GET", events) as stream:
            seen: list[int] = []
            lines = stream.aiter_lines()
            while not seen:
                seen += numbers(await anext(lines))
            moving = asyncio.create_task(client.move(game, "make_offer", amount=170_000, words="170,000."))
            while seen[-1] == seen[0]:
                seen += numbers(await asyncio.wait_for(anext(lines), 10))
            assert seen[-1] == (await moving)["move_number"] == game["move_number"] + 1


def numbers(line: str) -> list[int]:
    return [json.loads(line[5:])["number"]] if line.startswith("data:") else []


async def test_what_a_room_keeps_hidden_stays_hidden_over_mcp_until_it_closes(server: Together) -> None:
    task = {"scenario_id": "saas_enterprise", "seat": "seller", "persona": "shark"}
    async with over_http(server.address) as client, server.browser() as manager:
        key = (await client.start())["player_key"]
        room = await post(manager, "/api/rooms", request_id="r", name="Sales", tasks=[task], same_seed=True)
        path = f"/api/rooms/{room['room']['id']}"
        async with server.browser(key) as browser:
            await post(browser, "/api/join", request_id="j", join_code=room["join_code"])
            game_id = (await post(browser, f"{path}/games", request_id="g", task=0))["game"]["id"]
        token = (await post(manager, f"{path}/games/{game_id}/watch"))["token"]
        await post(manager, "/api/watch", token=token)
        await post(manager, f"/api/watch/{game_id}/notes", request_id="n", kind="whisper", turn=1, words="Hold.")
        told = await client.ask("get_game_state", game_id=game_id)
        assert told.data["watched"] and told.data["whispers"] == ["Hold."]
        assert "Somebody watches" in told.text
        assert 'Your coach whispers: "Hold."' in told.text
        moved = await client.move(told.data, "make_offer", amount=170_000, words="170,000.")
        watched = (await manager.get(f"/api/watch/{game_id}")).json()["game"]
        assert watched["truth"] and [line["words"] for line in watched["lines"]].count("170,000.") == 1
        over = (await client.leave(moved))["result"]
        shown = {"reason": "walk_away", "by": "you", "ranked": False}
        marks = {"not_ranked_because": ["watched", "helped", "room_seed"]}
        assert {name: value for name, value in over.items() if value is not None} == shown | marks
        await post(manager, f"{path}/close")
        opened = (await client.call("get_game_state", game_id=game_id))["result"]
        assert opened["opponent_limit"] and opened["debrief"].endswith(f"/games/{game_id}")


async def post(http: httpx.AsyncClient, path: str, **body: object) -> Json:
    reply = await http.post(path, json=body)
    assert reply.status_code in (200, 201), reply.text
    return reply.json()


@pytest.mark.slow
async def test_a_process_of_its_own_plays_on_a_server_s_database(server: Together, store_url: str) -> None:
    """Two processes, one database: begun on standard input, gone on with over HTTP, read in a browser."""
    async with over_stdio(store_url) as client:
        begun = await client.start(name="Ada")
        game = await client.move(begun, "make_offer", amount=170_000, words="170,000.")
        async with over_http(server.address, x_parlay_player=begun["player_key"]) as other:
            seen = await other.move(game, "make_offer", amount=168_000, words="168,000.")
        assert (await client.ask("say", game_id=game["game_id"], move_number=game["move_number"])).code == "STALE_MOVE"
        over = await client.leave(await client.call("get_game_state"))
        assert over["move_number"] == seen["move_number"] + 1
    async with server.browser() as browser:
        assert (await browser.get(f"/api/games/{game['game_id']}/debrief")).status_code == 200
        board = (await browser.get("/api/leaderboard")).json()
        assert [one["name"] for one in (*board["rows"], *board["unranked"])] == ["Ada"]


def test_ctrl_c_ends_a_process_that_waits_for_its_client(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PARLAY_DATABASE_URL": fresh(tmp_path)}
    command = [sys.executable, "-m", "cli.app", "mcp", "stdio"]
    with subprocess.Popen(command, cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as waiting:
        assert waiting.stdin is not None and waiting.stdout is not None
        waiting.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        waiting.stdin.flush()
        assert json.loads(waiting.stdout.readline())["result"] == {}
        waiting.send_signal(signal.SIGINT)
        assert waiting.wait(15) == -signal.SIGINT


async def test_openenv_s_own_mcp_is_still_there_beside_it(server: Together) -> None:
    async with server.browser() as http:
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        tools = (await http.post("/mcp", json=asked)).json()["result"]["tools"]
        assert {tool["name"] for tool in tools} == {"reset", "step", "state"}
    async with over_http(server.address) as client:
        listed = {tool.name for tool in (await client.session.list_tools()).tools}
    assert "start_negotiation" in listed


def test_a_server_that_starts_and_serves_pages_has_not_imported_fastmcp(tmp_path: Path) -> None:
    code = """
import sys
from starlette.testclient import TestClient
import main
with TestClient(main.app) as client:
    assert client.get("/health").status_code == 200
    assert client.get("/api/leaderboard").status_code == 200
    print(sorted({"fastmcp", "mcp", "mcp_server.tools"} & set(sys.modules)))
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    headers = {"accept": "application/json, text/event-stream"}
    reply = client.post("/mcp-server", json=asked, headers=headers)
    assert reply.json()["result"]["serverInfo"]["name"] == "parlay", reply.text
    print(sorted({"fastmcp"} & set(sys.modules)))
"""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PARLAY_DATABASE_URL": fresh(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[]", "['fastmcp']"]


@pytest.mark.parametrize("transport", ["http", "sse", "stdio"])
def test_without_a_store_a_server_says_why_and_does_not_start(transport: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PARLAY_DATABASE_URL": f"sqlite:///{tmp_path}/file/games.db"}
    command = [sys.executable, "-m", "mcp_server.server", transport]
    done = subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, timeout=60
    )
    assert done.returncode == 1
    assert "PARLAY_DATABASE_URL names another place" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.slow
async def test_after_kill_9_a_game_goes_on_by_its_player_key(tmp_path: Path) -> None:
    url = fresh(tmp_path)
    with alone(tmp_path, "http", url) as server:
        async with over_http(server.address) as client:
            game = await client.start()
            key = game["player_key"]
            game = await client.move(game, "make_offer", amount=170_000, words="170,000.")
            server.kill()
    with alone(tmp_path, "http", url) as again:
        async with over_http(again.address) as client:
            there = await client.call("get_game_state", player_key=key)
            assert there["game_id"] == game["game_id"]
            assert there["move_number"] == game["move_number"]
            # The session is bound to the player from now on.
            repeated = await client.move({**game, "move_number": 0}, "make_offer", amount=170_000, words="170,000.")
            assert repeated == game
            assert (await client.move(there))["move_number"] == game["move_number"] + 1

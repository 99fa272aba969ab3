"""Limits: capacity, the size and rate of messages, clients that do nothing, do not read, or are cut off."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from starlette.types import Message
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from parlay_env.server import create_app
from parlay_env.settings import Settings

from .support import (
    PATHS,
    MemorySocket,
    Raw,
    Served,
    Stock,
    close_code,
    code_of,
    first_of,
    plain,
    process,
    served,
    stock,
    until,
)

GAME: dict[str, Any] = {"scenario_id": "saas_enterprise", "persona": "diplomat", "seed": 7}

# Capacity -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("path", "closed_with"), [("/ws", 1000), ("/env/ws", 1013)])
async def test_a_full_server_says_so_and_closes(path: str, closed_with: int) -> None:
    with served(max_sessions=2) as full:
        async with full.socket("/ws"), full.socket("/env/ws"):
            await until(lambda: full.hub.active == 2)
            async with full.socket(path) as third:
                reply = json.loads(await third.recv())
                assert code_of(reply) == "CAPACITY_REACHED"
                told = reply.get("data") or reply["error"]
                assert (told["active_sessions"], told["max_sessions"]) == (2, 2)
                assert await close_code(third) == closed_with
            assert httpx.get(full.url + "/ready").status_code == 503
        await until(lambda: full.hub.active == 0)
        async with plain(full) as client:
            assert code_of(await client.reset(**GAME)) is None


async def test_sessions_count_and_are_freed_with_their_socket() -> None:
    with served(max_sessions=5) as small:
        async with plain(small) as client:
            replies = [await client.reset(**GAME) for _ in range(6)]
            assert [code_of(reply) for reply in replies] == [None] * 5 + ["CAPACITY_REACHED"]
            assert small.hub.active == 5
            await client.ask({"cmd": "close", "session_id": replies[0]["session_id"]})
            assert small.hub.active == 4
            assert code_of(await client.reset(**GAME)) is None
        await until(lambda: small.hub.active == 0)


async def test_no_slot_is_lost_however_sockets_go() -> None:
    with served(max_sessions=40, write_seconds=0.4) as small:
        for round_ in range(4):
            raw = [Raw(small.port, path) for path in PATHS for _ in range(4)]
            for i, one in enumerate(raw):
                if i % 2:
                    one.send(first_of(PATHS[i // 4]))
                if i % 4 == round_:
                    one.send('{"cmd": "reset", "type"', cut_at=12)
                one.reset() if i % 3 else one.socket.close()
        await until(lambda: small.hub.active == 0)
        assert not small.hub.watched


@pytest.mark.parametrize("path", PATHS)
async def test_a_socket_cut_in_the_middle_of_a_message_is_freed(path: str) -> None:
    with served() as small:
        raw = Raw(small.port, path)
        raw.send(first_of(path))
        await until(lambda: small.hub.active == 1)
        raw.send(first_of(path), cut_at=9)
        raw.reset()
        await until(lambda: small.hub.active == 0)
        async with plain(small) as client:
            assert code_of(await client.reset(**GAME)) is None


async def test_a_thousand_sessions_can_be_held_at_once(server: Served) -> None:
    sockets = [Raw(server.port, "/ws") for _ in range(200)]
    for one in sockets:
        one.send('{"type": "reset", "data": {"prompt": false}}')
    await until(lambda: server.hub.active >= 200)
    for one in sockets:
        one.socket.close()
    await until(lambda: server.hub.active == 0)


# Messages -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS)
async def test_a_message_of_3_mb_is_refused(server: Served, path: str) -> None:
    async with server.socket(path) as ws:
        with contextlib.suppress(ConnectionClosed):
            await ws.send('{"cmd": "reset", "persona": "' + "x" * 3_000_000 + '"}')
        assert await close_code(ws) == 1009
    await until(lambda: server.hub.active == 0)


async def test_a_message_in_many_frames_is_one_message(server: Served) -> None:
    async with server.socket("/ws") as ws:
        await ws.send(["{", '"type"', ": ", '"reset"', "}"])
        assert json.loads(await ws.recv())["type"] == "observation"


async def test_a_client_that_sends_thousands_at_once_keeps_nobody_waiting() -> None:
    app = create_app(Settings())
    flood, other = await MemorySocket(app, "/ws").opened(), await MemorySocket(app, "/ws").opened()
    for _ in range(500):
        flood.put({"type": "state"})
    await other.ask({"type": "state"})
    assert flood.out.qsize() < 100
    for socket in (flood, other):
        await socket.close()
    app.state.hub.stop()


async def test_too_many_messages_a_second_are_refused_and_the_session_goes_on() -> None:
    with served(rate=20) as slow:
        async with plain(slow) as client, stock(slow) as other:
            codes = [code_of(await client.reset(**GAME)) for _ in range(45)]
            assert set(codes[:39]) == {None}
            assert "RATE_LIMITED" in codes[40:]
            await asyncio.sleep(0.3)
            assert code_of(await client.reset(**GAME)) is None
            codes = [code_of(await other.state()) for _ in range(45)]
            assert codes[-1] == "EXECUTION_ERROR"
        async with httpx.AsyncClient(base_url=slow.url) as http:
            statuses = [(await http.get("/state")).status_code for _ in range(60)]
        assert statuses[:39] == [200] * 39
        assert 429 in statuses


async def test_the_default_rate_is_no_hindrance(server: Served) -> None:
    async with stock(server) as client:
        assert {code_of(await client.state()) for _ in range(3000)} == {None}


# Clients that do nothing ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "code", "closed_with"), [("/ws", "SESSION_ERROR", 1000), ("/env/ws", "SESSION_NOT_FOUND", 1001)]
)
async def test_an_idle_socket_is_told_so_closed_and_freed(path: str, code: str, closed_with: int) -> None:
    with served(idle_seconds=0.4) as impatient:
        async with impatient.socket(path) as ws:
            await ws.send(first_of(path))
            await ws.recv()
            assert code_of(json.loads(await asyncio.wait_for(ws.recv(), 10))) == code
            assert await close_code(ws) == closed_with
            assert impatient.hub.active == 0


async def test_a_client_that_goes_on_is_not_idle() -> None:
    with served(idle_seconds=0.6) as impatient:
        async with stock(impatient) as client:
            for _ in range(8):
                await asyncio.sleep(0.2)
                assert code_of(await client.state()) is None


async def test_who_waits_for_another_client_is_not_idle() -> None:
    with served(idle_seconds=0.8) as impatient:
        async with plain(impatient) as creator, plain(impatient) as guest:
            reply = await creator.reset(scenario_id="saas_enterprise", opponent="join", seed=0)
            joining = asyncio.create_task(guest.ask({"cmd": "join", "join_code": reply["join_code"]}))
            await until(lambda: not impatient.hub._codes)
            mover, name, waiting = creator, reply["session_id"], joining
            if (await creator.state(name))["state"]["to_move"] == "buyer":
                mover, name = guest, (await joining)["session_id"]
                waiting = asyncio.create_task(creator.ask({"cmd": "wait", "session_id": reply["session_id"]}))
            for _ in range(8):
                await asyncio.sleep(0.2)
                await mover.state(name)
            await mover.ws.send(f'{{"cmd": "step", "session_id": "{name}", "action": {{"walk_away": true}}}}')
            assert (await waiting)["done"]


@pytest.mark.parametrize("path", PATHS)
async def test_who_waits_for_nobody_is_idle(path: str, server: Served) -> None:
    async with plain(server) as client:
        seed = 0  # of a game that its creator opens
        while (await client.reset(scenario_id="saas_enterprise", opponent="join", seed=seed))["observation"][
            "turn"
        ] == 0:
            seed += 1
    with served(idle_seconds=0.4) as impatient:
        async with impatient.socket(path) as ws:
            await ws.send(first_of(path, scenario_id="saas_enterprise", opponent="join", seed=seed))
            name = json.loads(await ws.recv()).get("session_id")
            action = {"offer_amount": 170_000}
            step = {"cmd": "step", "session_id": name, "action": action} if name else {"type": "step", "data": action}
            await ws.send(json.dumps(step))
            if path == "/ws":
                await ws.send('{"type": "state"}')
            assert await close_code(ws) in (1000, 1001)
        await until(lambda: impatient.hub.active == 0)


@pytest.mark.parametrize("path", PATHS)
async def test_a_client_that_never_reads_is_cut_off_and_freed(path: str) -> None:
    with served(write_seconds=0.5) as impatient:
        raw = Raw(impatient.port, path, receive_buffer=4096)
        await asyncio.to_thread(raw.send_until_stuck, first_of(path))
        await until(lambda: impatient.hub.active == 0)
        await until(lambda: impatient.connections == 0)  # nothing waits for it to read
        assert await asyncio.to_thread(raw.was_dropped)


async def test_a_stuck_client_is_let_go_also_where_its_connection_is_out_of_reach() -> None:
    """Under a server whose transport is not uvicorn's."""
    app = create_app(Settings(write_seconds=0.3))

    class Stuck(MemorySocket):
        async def _send(self, message: Message) -> None:
            if message["type"] == "websocket.send":
                await asyncio.Event().wait()
            await super()._send(message)

    one = await Stuck(app, "/ws").opened()
    one.put('{"type": "reset"}')
    await asyncio.wait_for(one.task, 10)
    assert app.state.hub.active == 0
    app.state.hub.stop()


async def test_a_half_open_socket_is_found_by_pings() -> None:
    with served(ping_seconds=0.2, pong_seconds=0.3) as impatient:
        raw = Raw(impatient.port)
        await until(lambda: impatient.hub.active == 1)
        await until(lambda: impatient.hub.active == 0)  # it answers no ping
        raw.socket.close()


async def test_a_client_that_is_too_busy_to_answer_pings_keeps_its_session() -> None:
    """As while it generates text on the thread of its event loop."""
    with served(ping_seconds=0.2) as patient:
        async with stock(patient) as client:
            await client.reset(**GAME)
            time.sleep(1.5)  # noqa: ASYNC251 that is the point
            assert code_of(await client.step(utterance="Sorry, I was thinking.")) is None


async def test_messages_are_not_compressed_however_the_server_was_started(tmp_path: Path) -> None:
    for number, command in enumerate((("uvicorn", "main:app"), ("parlay_env.server",))):
        folder = tmp_path / str(number)
        folder.mkdir()
        with process(folder, *command) as server:
            async with connect(f"ws://127.0.0.1:{server.port}/ws", compression="deflate") as ws:
                assert ws.response is not None
                assert "Sec-WebSocket-Extensions" not in ws.response.headers
                assert code_of(await Stock(ws).reset(**GAME)) is None


async def test_http_sessions_are_dropped_when_idle() -> None:
    with served(idle_seconds=0.4) as impatient:
        async with httpx.AsyncClient(base_url=impatient.url) as http:
            name = (await http.post("/reset", headers={"X-Session-Id": "new"})).headers["x-session-id"]
            assert (await http.get("/state", headers={"X-Session-Id": name})).status_code == 200
            await asyncio.sleep(1.2)
            assert (await http.get("/state", headers={"X-Session-Id": name})).status_code == 404
            assert (await http.get("/ready")).json()["http_sessions"] == 0

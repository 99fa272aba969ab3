"""Stopping a server."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect

from .support import Plain, Raw, Stock, close_code, first_of, process

GAME: dict[str, Any] = {"scenario_id": "saas_enterprise", "persona": "diplomat", "seed": 7}


async def test_a_stopping_server_closes_its_sockets_and_writes_no_traceback(tmp_path: Path) -> None:
    with process(tmp_path, "parlay_env.server") as server:
        base = f"ws://127.0.0.1:{server.port}"
        async with connect(f"{base}/ws") as a, connect(f"{base}/env/ws") as b, connect(f"{base}/env/ws") as c:
            await Stock(a).reset(**GAME)
            reply = await Plain(b).reset(scenario_id="saas_enterprise", opponent="join", seed=3)
            await b.send(f'{{"cmd": "wait", "session_id": "{reply["session_id"]}"}}')
            server.terminate()
            for ws in (a, b, c):
                assert await close_code(ws) in (1001, 1012)
        server.wait()
        assert "Traceback" not in server.output()
        assert "ERROR" not in server.output()


async def test_a_stopping_server_does_not_wait_for_one_that_never_reads(tmp_path: Path) -> None:
    with process(tmp_path, "parlay_env.server", PARLAY_SHUTDOWN_SECONDS="1") as server:
        raw = Raw(server.port, receive_buffer=4096)
        raw.send_until_stuck(first_of("/env/ws", episode_id="x" * 80))
        started = time.monotonic()
        server.terminate()
        server.wait()
        assert time.monotonic() - started < 10
        assert "Traceback" not in server.output()
        raw.socket.close()

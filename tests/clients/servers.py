"""The real server in a process of its own, and small servers that misbehave, over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve

ROOT = Path(__file__).resolve().parents[2]
PYTHON = os.environ.get("PARLAY_PYTHON", sys.executable)
"""The interpreter that serves."""
Handler = Callable[[ServerConnection], Awaitable[None]]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run(*command: str, status: int = 0, warnings: str = "error") -> str:
    """What a script of the project prints."""
    done = subprocess.run(
        [sys.executable, "-W", warnings, *command],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


class RealServer:
    """`python -m parlay_env.server` on a free port."""

    def __init__(self, log: Path, port: int | None = None, **settings: str) -> None:
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = log
        with log.open("ab") as out:
            command = [PYTHON, "-m", "parlay_env.server", "--port", str(self.port)]
            env = {**os.environ, **settings}
            self._process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=out, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + 30
        while not self._is_healthy():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"the server does not answer; it wrote:\n{log.read_text()[-4000:]}")
            time.sleep(0.05)

    def _is_healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=2) as reply:
                return reply.status == 200
        except OSError:
            return False

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class SmallServer:
    """A server of a few lines, in a thread of its own."""

    def __init__(self, handler: Handler, port: int = 0, **options: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server: Server = self._run(self._start(handler, port, options))
        self.port: int = next(iter(self._server.sockets)).getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    @staticmethod
    async def _start(handler: Handler, port: int, options: dict[str, Any]) -> Server:
        async def served(connection: ServerConnection) -> None:
            with contextlib.suppress(Exception):
                await handler(connection)

        return await serve(served, "127.0.0.1", port, compression=None, **options)

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(20)

    @property
    def open_sockets(self) -> int:
        return len(self._server.connections)

    def stop(self) -> None:
        if self._loop.is_running():
            self._server.close()
            self._run(self._server.wait_closed())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(5)
            self._loop.close()


OBSERVATION: dict[str, Any] = {
    "turn": 1,
    "turns_left": 19,
    "seat": "seller",
    "scenario": {
        "id": "small",
        "title": "Small",
        "unit": "USD",
        "currency": "USD",
        "role": "seller",
        "briefing": "",
        "issues": [],
        "sweeteners": [],
        "width": 40_000.0,
    },
    "persona": "veteran",
    "own": {
        "walk_away": 125_000.0,
        "budget": None,
        "limit": 125_000.0,
        "target": 166_000.0,
        "urgency": 0.5,
        "has_alternative": True,
        "deadline": 20,
        "weights": None,
    },
    "prior": {
        "walk_away": {"mean": 165_000.0, "low": 147_000.0, "high": 183_000.0},
        "budget": {"mean": 165_000.0, "low": 147_000.0, "high": 183_000.0},
        "urgency": {"mean": 0.5, "low": 0.2, "high": 0.8},
        "has_alternative": 0.7,
        "no_zopa": 0.1,
        "weights": None,
    },
    "tension_score": 25.0,
    "trust": 0.35,
    "credibility": 0.6,
    "opponent_credibility": 0.6,
    "credibility_points": 100,
    "opponent_credibility_points": 100,
    "available_moves": ["offer", "walk_away"],
    "zopa_width_pct_remaining": 1.0,
    "zopa_erosion_ticks": 0,
}


def answer_to(message: dict[str, Any], mark: str = "") -> str:
    """An honest answer to a message of OpenEnv's protocol. The mark comes back as the opponent's words."""
    if message["type"] == "state":
        return json.dumps({"type": "state", "data": {"episode_id": mark, "step_count": 1}})
    seen = {**OBSERVATION, "opponent_utterance": mark}
    data = {"observation": seen, "reward": 0.5 if message["type"] == "step" else None, "done": False}
    return json.dumps({"type": "observation", "data": data})


def mark_of(message: dict[str, Any]) -> str:
    return str(message.get("data", {}).get("utterance", ""))


async def honest(connection: ServerConnection) -> None:
    """Answers every message with its own words."""
    async for text in connection:
        message = json.loads(text)
        if message["type"] == "close":
            return
        await connection.send(answer_to(message, mark_of(message)))

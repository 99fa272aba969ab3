"""What the tests of the doors share: servers, clients that speak a protocol, and sockets without a network."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import logging
import os
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from starlette.types import Message, Scope
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from parlay_env.doors.handshake import Handshakes
from parlay_env.doors.hub import Hub
from parlay_env.server import create_app
from parlay_env.settings import Settings

Reply = dict[str, Any]
Observation = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]
PATHS = ("/ws", "/env/ws")
HIDDEN = {"zopa", "nash", "bluff", "at_other_limit", "truthful", "effect", "grade", "truth"}
"""Keys that hold something before the end of no episode."""


# Servers --------------------------------------------------------------------------------------------------------------


class Served:
    """An application served by uvicorn in a thread of its own, with what it logged."""

    def __init__(self, **settings: Any) -> None:
        self.settings = Settings(**settings)
        self.app: FastAPI = create_app(self.settings)
        self.hub: Hub = self.app.state.hub
        self.port = free_port()
        config = uvicorn.Config(
            self.app,
            port=self.port,
            log_config=None,
            ws=Handshakes,
            ws_max_size=4 * self.settings.message_bytes,
            timeout_graceful_shutdown=self.settings.shutdown_seconds,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        wait_for(lambda: self._server.started)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def socket(self, path: str = "/env/ws", **options: Any) -> connect:
        """A connection to a socket door: `async with served.socket() as ws`."""
        return connect(f"ws://127.0.0.1:{self.port}{path}", compression=None, max_size=None, **options)

    @property
    def connections(self) -> int:
        """TCP connections that the server holds, gone or not."""
        return len(self._server.server_state.connections)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(30)
        assert not self._thread.is_alive(), "the server does not stop"


@contextlib.contextmanager
def served(**settings: Any) -> Iterator[Served]:
    """A server of this test's own."""
    server = Served(**settings)
    try:
        yield server
    finally:
        server.stop()


class Process:
    """A server in a process of its own; its output goes to a file."""

    def __init__(self, folder: Path, *command: str, **env: str) -> None:
        self.port = free_port()
        self._log = folder / "log"
        with self._log.open("wb") as log:
            full = [sys.executable, "-m", *command, "--port", str(self.port)]
            self._process = subprocess.Popen(full, cwd=ROOT, env={**os.environ, **env}, stdout=log, stderr=log)

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=2) as reply:
                return json.load(reply) == {"status": "healthy"}
        except OSError:
            return False

    def terminate(self) -> None:
        self._process.terminate()

    def wait(self) -> int:
        return self._process.wait(15)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def output(self) -> str:
        return self._log.read_text()


@contextlib.contextmanager
def process(folder: Path, *command: str, **env: str) -> Iterator[Process]:
    """A server in a process of its own, once it answers."""
    server = Process(folder, *command, **env)
    try:
        wait_for(server.answers)
        yield server
    finally:
        server.kill()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(happened: Any, seconds: float = 20.0) -> None:
    """Return as soon as it has happened."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)


async def until(happened: Any, seconds: float = 20.0) -> None:
    """Like `wait_for`, while other things go on."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        await asyncio.sleep(0.005)


class Troubles(logging.Handler):
    """Everything logged that an operator would call trouble."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR or record.exc_info:
            self.found.append(self.format(record))


class Raw:
    """A TCP connection that speaks WebSocket by hand, and may misbehave."""

    def __init__(self, port: int, path: str = "/env/ws", receive_buffer: int | None = None) -> None:
        self.socket = socket.socket()
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect(("127.0.0.1", port))
        key = base64.b64encode(os.urandom(16)).decode()
        lines = (f"GET {path} HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade")
        ends = (f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", "")
        self.socket.sendall("\r\n".join((*lines, *ends)).encode())
        reply = b""
        while b"\r\n\r\n" not in reply:
            reply += self.socket.recv(1)

    def send(self, text: str, cut_at: int | None = None) -> None:
        content = text.encode()
        length = len(content)
        head = bytes([0x80 | length]) if length < 126 else b"\xfe" + struct.pack("!H", length)
        self.socket.sendall((b"\x81" + head + b"\0\0\0\0" + content)[:cut_at])

    def send_until_stuck(self, text: str) -> None:
        """Send this over and over, reading nothing, until no more of it is taken."""
        self.socket.settimeout(1.0)
        with contextlib.suppress(TimeoutError, ConnectionError):
            for _ in range(1_000_000):
                self.send(text)

    def was_dropped(self) -> bool:
        """Is the connection gone, once everything is read?"""
        self.socket.settimeout(10)
        with contextlib.suppress(ConnectionError):
            while self.socket.recv(65_536):
                pass
        return True

    def reset(self) -> None:
        """Cut the connection without a word."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


# Protocols ------------------------------------------------------------------------------------------------------------


def text_of(message: Any) -> Any:
    return message if isinstance(message, str | bytes) else json.dumps(message)


class Client:
    """A socket on which every message has an answer."""

    def __init__(self, ws: ClientConnection) -> None:
        self.ws = ws

    async def ask(self, message: Any) -> Reply:
        await self.ws.send(text_of(message))
        return await self.next()

    async def next(self) -> Reply:
        return json.loads(await asyncio.wait_for(self.ws.recv(), 20))

    async def nothing_comes(self, seconds: float = 0.1) -> bool:
        try:
            await asyncio.wait_for(self.ws.recv(), seconds)
        except TimeoutError:
            return True
        return False


class Plain(Client):
    """The envelope of `/env/ws`."""

    async def reset(self, **options: Any) -> Reply:
        return await self.ask({"cmd": "reset", **options})

    async def step(self, session_id: str, **action: Any) -> Reply:
        return await self.ask({"cmd": "step", "session_id": session_id, "action": action})

    async def state(self, session_id: str) -> Reply:
        return await self.ask({"cmd": "state", "session_id": session_id})


class Stock(Client):
    """OpenEnv's protocol at `/ws`."""

    async def reset(self, **options: Any) -> Reply:
        return await self.ask({"type": "reset", "data": options})

    async def step(self, **action: Any) -> Reply:
        return await self.ask({"type": "step", "data": action})

    async def state(self) -> Reply:
        return await self.ask({"type": "state"})


@contextlib.asynccontextmanager
async def plain(server: Served) -> AsyncIterator[Plain]:
    async with server.socket("/env/ws") as ws:
        yield Plain(ws)


@contextlib.asynccontextmanager
async def stock(server: Served) -> AsyncIterator[Stock]:
    async with server.socket("/ws") as ws:
        yield Stock(ws)


async def close_code(ws: ClientConnection) -> int | None:
    """Read on until the server closes; the code it closes with."""
    try:
        while True:
            await asyncio.wait_for(ws.recv(), 10)
    except ConnectionClosed as closed:
        return None if closed.rcvd is None else closed.rcvd.code


def first_of(path: str, **options: Any) -> str:
    """The message that opens an episode at this path."""
    return json.dumps({"type": "reset", "data": options} if path == "/ws" else {"cmd": "reset", **options})


def code_of(reply: Reply) -> str | None:
    """The error code of an answer of either protocol; None when it is no error."""
    if reply.get("type") == "error":
        return reply["data"]["code"]
    return reply["error"]["code"] if "error" in reply else None


def held_keys(value: Any) -> set[str]:
    """Every key that holds something, at any depth."""
    if isinstance(value, dict):
        return {k for k, v in value.items() if v is not None} | {k for v in value.values() for k in held_keys(v)}
    if isinstance(value, list):
        return {k for v in value for k in held_keys(v)}
    return set()


def bargain(seen: Observation) -> dict[str, Any]:
    """A move that leads a game to its end: concede along a line from the target to the limit, take what reaches it."""
    if len(seen["scenario"]["issues"]) > 1:
        if seen["opponent_offer"] is not None and seen["turns_left"] <= 5:
            return {"utterance": "Agreed.", "accept_deal": True}
        offer = {i["name"]: i["high" if i["better_for_you"] == "higher" else "low"] for i in seen["scenario"]["issues"]}
        return {"utterance": f"Our terms, round {seen['turn']}.", "offer": offer}
    sign, own = (1 if seen["seat"] == "seller" else -1), seen["own"]
    ask = own["target"] + (own["limit"] - own["target"]) * min(1.0, seen["turn"] / 18)
    theirs = seen["opponent_offer"]
    if theirs is not None and sign * (theirs["price"] - ask) >= 0:
        return {"utterance": "Agreed.", "accept_deal": True}
    step = seen["scenario"]["issues"][0]["step"]
    return {"utterance": f"Round {seen['turn']}.", "offer_amount": round(ask / step) * step}


# Sockets without a network --------------------------------------------------------------------------------------------


class MemorySocket:
    """An application's socket, driven by hand: what a server would hand it and take from it."""

    def __init__(self, app: Any, path: str, headers: list[tuple[bytes, bytes]] | None = None) -> None:
        self._in: asyncio.Queue[Message] = asyncio.Queue()
        self.out: asyncio.Queue[Message] = asyncio.Queue()
        scope: Scope = {
            "type": "websocket",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": b"",
            "headers": headers or [],
            "scheme": "ws",
            "extensions": {},
            "subprotocols": [],
        }
        self._in.put_nowait({"type": "websocket.connect"})
        self.task = asyncio.ensure_future(app(scope, self._in.get, self._send))
        self.closed: int | None = None

    async def _send(self, message: Message) -> None:
        if message["type"] == "websocket.close":
            self.closed = message["code"]
            self._in.put_nowait({"type": "websocket.disconnect", "code": message["code"]})
        self.out.put_nowait(message)

    async def opened(self) -> MemorySocket:
        assert (await self.out.get())["type"] == "websocket.accept"
        return self

    async def ask(self, message: Any) -> str:
        """The text that answers a message; of `bytes`, a binary one."""
        self.put(message)
        return await self.next()

    def put(self, message: Any) -> None:
        content = text_of(message)
        self._in.put_nowait({"type": "websocket.receive", "bytes" if isinstance(content, bytes) else "text": content})

    async def next(self) -> str:
        got = asyncio.ensure_future(self.out.get())
        await asyncio.wait({got, self.task}, return_when=asyncio.FIRST_COMPLETED, timeout=10)
        assert got.done(), "no answer"
        reply = got.result()
        assert reply["type"] == "websocket.send", f"the socket was closed: {reply}"
        return reply["text"]

    async def close(self, code: int = 1000) -> None:
        self._in.put_nowait({"type": "websocket.disconnect", "code": code})
        await asyncio.wait_for(self.task, 10)

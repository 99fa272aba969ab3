"""Raw WebSocket connections that cost the client as little as possible: frames are made beforehand, answers are looked
at as bytes.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar, cast

import msgspec

T = TypeVar("T")
DONE = (b'"done":true', b'"done": true')
_ERROR = (b'{"type":"error"', b'{"type": "error"')


class WireProblem(RuntimeError):
    """A server answered with something other than a WebSocket, or with an error."""


def frame(message: Any) -> bytes:
    """A message as one text frame of a client. Its mask is zero, which leaves the bytes as they are."""
    data = message if isinstance(message, bytes) else msgspec.json.encode(message)
    size = len(data)
    if size < 126:
        return bytes((0x81, 0x80 | size)) + bytes(4) + data
    return b"\x81\xfe" + size.to_bytes(2, "big") + bytes(4) + data


class Connection(asyncio.Protocol):
    """A connection; `on_message` gets every text message."""

    def __init__(self, path: str, port: int) -> None:
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.on_message: Callable[[bytes], None] = lambda _: None
        self.on_loss: Callable[[Exception], None] = lambda _: None
        self._request = (
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ).encode()
        self._buffer = bytearray()
        self._open = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is no subclass
        self.transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._open:
            head, found, rest = self._buffer.partition(b"\r\n\r\n")
            if not found:
                return
            if b" 101 " not in head.split(b"\r\n", 1)[0]:
                self.ready.set_exception(WireProblem(head.split(b"\r\n", 1)[0].decode()))
                return
            self._open, self._buffer = True, bytearray(rest)
            self.ready.set_result(None)
        self._messages()

    def _messages(self) -> None:
        buffer = self._buffer
        while len(buffer) >= 2:
            size, start = buffer[1] & 0x7F, 2
            if size == 126:
                size, start = int.from_bytes(buffer[2:4], "big"), 4
            elif size == 127:
                size, start = int.from_bytes(buffer[2:10], "big"), 10
            if len(buffer) < start + size:
                return
            kind, payload = buffer[0] & 0x0F, bytes(buffer[start : start + size])
            del buffer[: start + size]
            if kind == 1:
                self.on_message(payload)
            elif kind == 9:
                self.transport.write(bytes((0x8A, 0x80 | size)) + bytes(4) + payload)

    def connection_lost(self, exc: Exception | None) -> None:
        problem = exc or WireProblem("the server closed the connection")
        if not self.ready.done():
            self.ready.set_exception(problem)
        self.on_loss(problem)

    def send(self, raw: bytes) -> None:
        self.transport.write(raw)

    async def ask(self, raw: bytes) -> bytes:
        """Send a frame and wait for one message."""
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.on_message = answer.set_result
        self.on_loss = lambda problem: None if answer.done() else answer.set_exception(problem)
        self.send(raw)
        return await answer


async def connect(path: str, port: int) -> Connection:
    """An open connection. Raises WireProblem and OSError."""
    _, found = await asyncio.get_running_loop().create_connection(lambda: Connection(path, port), "127.0.0.1", port)
    await found.ready
    return found


class Script(msgspec.Struct, frozen=True):
    """What a connection sends: a reset, then steps until the answer says done, again and again."""

    path: str
    resets: Sequence[bytes]
    steps: Sequence[bytes]


class Load:
    """Many connections that play a script, each waiting for its answer before it sends again."""

    def __init__(self, connections: Sequence[Connection], scripts: Sequence[Script]) -> None:
        self._connections = connections
        self._scripts = scripts
        self._episodes = [0] * len(connections)
        self._places = [-1] * len(connections)

    async def play(self, steps_each: int) -> tuple[int, float]:
        """So many steps on every connection: how many there were in all, and how long they took, in seconds."""
        finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        left = [steps_each] * len(self._connections)
        open_ones = len(left)

        def lost(problem: Exception) -> None:
            if not finished.done():
                finished.set_exception(problem)

        def answered(i: int, answer: bytes) -> None:
            nonlocal open_ones
            if answer.startswith(_ERROR):
                lost(WireProblem(answer.decode(errors="replace")))
                return
            if self._places[i] > 0:
                left[i] -= 1
            if any(mark in answer for mark in DONE):
                self._places[i] = -1
            if left[i] == 0:
                open_ones -= 1
                if open_ones == 0 and not finished.done():
                    finished.set_result(None)
                return
            self._send_next(i)

        begin = time.perf_counter()
        for i, connection in enumerate(self._connections):
            connection.on_message = lambda answer, i=i: answered(i, answer)
            connection.on_loss = lost
            self._send_next(i)
        await finished
        return steps_each * len(self._connections), time.perf_counter() - begin

    def _send_next(self, i: int) -> None:
        script, place = self._scripts[i], self._places[i]
        if place < 0:
            raw = script.resets[self._episodes[i] % len(script.resets)]
            self._episodes[i] += 1
            self._places[i] = 0
        else:
            raw = script.steps[place % len(script.steps)]
            self._places[i] = place + 1
        self._connections[i].send(raw)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run on the quickest event loop there is."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(work)
    return uvloop.run(work)

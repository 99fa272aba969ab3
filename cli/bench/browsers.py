"""People in browsers, as far as the server can tell: requests on one connection, and an event stream on another."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

from cli.console import fail

Headers = dict[str, str]


class Browser:
    """A connection that is kept, and the cookies that the server gave."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._cookies: dict[str, str] = {}
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON that this request is answered with. Ends the benchmark when it is refused."""
        request = b"" if body is None else json.dumps(body).encode()
        try:
            status, content = await self._exchange(method, path, request)
        except (ConnectionError, EOFError):  # the server hung up on a quiet connection just then: a browser asks again
            self._writer = None
            status, content = await self._exchange(method, path, request)
        if status >= 400:
            fail(f"{method} {path} was answered with {status}: {content[:300].decode(errors='replace')}")
        return json.loads(content)

    async def _exchange(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        if self._writer is None or self._reader is None or self._reader.at_eof():
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._writer.write(self._request(method, path, body))
        status, headers = await self._head(self._reader)
        return status, await self._reader.readexactly(int(headers.get("content-length", "0")))

    async def follow(self, path: str, seen: asyncio.Queue[float] | None = None) -> None:
        """Read an event stream until cancelled; the time of each event goes into `seen`."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=2**20)
        try:
            writer.write(self._request("GET", path, b""))
            await self._head(reader)
            while line := await reader.readline():
                if seen is not None and line.startswith(b"event:"):
                    seen.put_nowait(asyncio.get_running_loop().time())
        finally:
            writer.close()

    async def close(self) -> None:
        """Hang up."""
        if self._writer is not None:
            self._writer.close()
            with contextlib.suppress(OSError):
                await self._writer.wait_closed()

    def _request(self, method: str, path: str, body: bytes) -> bytes:
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nCookie: {cookies}\r\n\r\n"
        )
        return head.encode() + body

    async def _head(self, reader: asyncio.StreamReader) -> tuple[int, Headers]:
        first = await reader.readline()
        if not first:
            raise EOFError("the connection was closed before an answer")
        status = int(first.split()[1])
        headers: Headers = {}
        while line := (await reader.readline()).strip():
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
            if name.lower() == "set-cookie":
                cookie, _, _ = value.strip().partition(";")
                key, _, token = cookie.partition("=")
                self._cookies[key] = token
        return status, headers

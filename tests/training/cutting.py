"""A TCP proxy that cuts connections, between a client and the real server."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

Cut = Callable[[int, int], bool]
"""Shall connection number n (from 0) be cut at its client's message number m (from 0)?"""


class Proxy:
    """Forwards bytes to a server. `stay_away()`: from the next cut on, nothing answers here any more."""

    def __init__(self, target: str, cut: Cut, *, heard: bool, quiet: bool) -> None:
        """`heard`: the server still gets the message at which the connection is cut; its answer is lost. `quiet`: a
        connection that is cut stays open and says nothing more, as behind a router that forgot it."""
        parts = urlsplit(target)
        self._target = (parts.hostname, parts.port)
        self._cut = cut
        self._heard = heard
        self._quiet = quiet
        self._goes = False
        self.connections = 0
        self.cuts = 0
        self.url = ""
        self._server: Any = None

    def stay_away(self) -> None:
        self._goes = True

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        host, port = self._server.sockets[0].getsockname()
        self.url = f"http://{host}:{port}"

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number, self.connections = self.connections, self.connections + 1
        if self._goes and self.cuts:
            writer.transport.abort()
            return
        up_reader, up_writer = await asyncio.open_connection(*self._target)
        back = asyncio.ensure_future(self._back(up_reader, writer))
        messages = -1  # the first is the handshake
        with contextlib.suppress(ConnectionError):
            while part := await reader.read(65536):
                cut = messages >= 0 and self._cut(number, messages)
                messages += 1
                if not cut or self._heard:
                    up_writer.write(part)
                    await up_writer.drain()
                if cut:
                    self.cuts += 1
                    back.cancel()
                    if self._quiet:
                        await reader.read()  # until the client lets go
                    writer.transport.abort()
                    break
        back.cancel()
        up_writer.close()
        writer.close()

    async def _back(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while part := await reader.read(65536):
                writer.write(part)
                await writer.drain()
            writer.close()


@contextmanager
def cutting(target: str, cut: Cut, *, heard: bool = False, quiet: bool = False) -> Iterator[Proxy]:
    """A proxy that lives as long as this context."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    proxy = Proxy(target, cut, heard=heard, quiet=quiet)
    asyncio.run_coroutine_threadsafe(proxy.start(), loop).result()
    try:
        yield proxy
    finally:
        asyncio.run_coroutine_threadsafe(_stopped(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _stopped() -> None:
    others = [one for one in asyncio.all_tasks() if one is not asyncio.current_task()]
    for one in others:
        one.cancel()
    await asyncio.gather(*others, return_exceptions=True)

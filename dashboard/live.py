"""Live updates: who looks at a game hears that it has changed, and is sent all that may be seen of it now.

Every event is whole: a reader that is slow, or was away, misses nothing by skipping what is outdated, so nothing ever
queues.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Awaitable, Callable

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from game.changes import Changes
from game.store.database import StoreUnavailable

QUIET_SECONDS = 15.0
"""A comment is sent after so long without an event, so that nobody in between takes the stream for dead."""
RETRY_MILLISECONDS = 1000
AWAY_SECONDS = 1.0
"""While the store is away it is looked for so often."""
Look = Callable[[], Awaitable[bytes | None]]
"""What may be seen now, as JSON; None: nothing any more."""


class EventStream(Response):
    """A `text/event-stream` of what may be seen, sent anew whenever it has changed."""

    media_type = "text/event-stream"

    def __init__(
        self,
        changes: Changes,
        keys: tuple[str, ...],
        look: Look,
        *,
        name: str = "game",
        last_id: str | None = None,
        write_seconds: float = 30.0,
        around: contextlib.AbstractContextManager[None] | None = None,
    ) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._changes, self._keys, self._look = changes, keys, look
        self._name, self._last, self._write_seconds = name, last_id, write_seconds
        self._around = contextlib.nullcontext() if around is None else around
        self.place: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
        """What it takes up while it runs."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send until the client goes, or there is nothing more to see."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        gone = asyncio.get_running_loop().create_task(_until_gone(receive))
        try:
            with self.place, self._around, self._changes.waiting(*self._keys) as changed:
                await self._put(send, b"retry: %d\n\n" % RETRY_MILLISECONDS)
                while not gone.done() and await self._step(send, changed, gone):
                    pass
            if not gone.done():
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except (OSError, TimeoutError):
            pass  # The client went, or does not read: it will come back with the id of what it saw last.
        finally:
            gone.cancel()

    async def _step(self, send: Send, changed: asyncio.Event, gone: asyncio.Task[None]) -> bool:
        changed.clear()
        try:
            body = await self._look()
        except StoreUnavailable:  # a browser that is refused does not come back: better to wait here
            await self._put(send, b": the store is away\n\n")
            await asyncio.wait((gone,), timeout=AWAY_SECONDS)
            return not gone.done()
        if body is None:
            await self._put(send, b"event: gone\ndata: {}\n\n")
            return False
        seen = hashlib.blake2b(body, digest_size=9).hexdigest()
        if seen != self._last:
            await self._put(send, b"event: %s\nid: %s\ndata: %s\n\n" % (self._name.encode(), seen.encode(), body))
            self._last = seen
        waiter = asyncio.get_running_loop().create_task(changed.wait())
        done, _ = await asyncio.wait((waiter, gone), timeout=QUIET_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        waiter.cancel()
        if not done:
            await self._put(send, b": still here\n\n")
        return gone not in done

    async def _put(self, send: Send, chunk: bytes) -> None:
        async with asyncio.timeout(self._write_seconds):
            await send({"type": "http.response.body", "body": chunk, "more_body": True})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass

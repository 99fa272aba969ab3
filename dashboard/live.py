"""Live updates: who looks at a game hears that it has changed, and is sent all that may be seen of it now.

Every event is whole: a reader that is slow, or was away, misses nothing by skipping what is outdated, so nothing ever
queues. Between workers only the game's id travels, through Redis when it is configured.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from game.store.database import StoreUnavailable

if TYPE_CHECKING:
    from redis.asyncio import Redis

log = logging.getLogger("parlay.pages")

QUIET_SECONDS = 15.0
"""A comment is sent after so long without an event, so that nobody in between takes the stream for dead."""
RETRY_MILLISECONDS = 1000
AWAY_SECONDS = 1.0
"""While the store is away it is looked for so often."""
CHANNEL = "parlay:changed"
Look = Callable[[], Awaitable[bytes | None]]
"""What may be seen now, as JSON; None: nothing any more."""


class Changes:
    """Wakes who waits for a key's news: a game's id, or a room's."""

    def __init__(self, redis_url: str = "") -> None:
        self._waiting: dict[str, set[asyncio.Event]] = {}
        self._redis_url = redis_url
        self._redis: Redis | None = None
        self._task: asyncio.Task[None] | None = None
        self._me = secrets.token_hex(8)
        self.heard: Callable[[str], None] | None = None
        """Called with every key that another worker has changed, before anybody here looks."""

    async def start(self) -> None:
        """Listen to the other workers. Raises ConnectionError when Redis can't be reached."""
        if not self._redis_url:
            return
        from redis.asyncio import Redis
        from redis.exceptions import RedisError

        self._redis = Redis.from_url(self._redis_url)
        try:
            await self._redis.ping()
        except (RedisError, OSError) as error:
            raise ConnectionError(f"Redis at PARLAY_REDIS_URL can't be reached: {type(error).__name__}") from None
        ready = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._listen(self._redis, ready))
        await ready.wait()

    async def stop(self) -> None:
        """Stop listening, and let every stream end."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        if self._redis is not None:
            await self._redis.aclose()
        for key in list(self._waiting):
            self.wake(key)

    async def publish(self, key: str) -> None:
        """Something about this key has changed."""
        self.wake(key)
        if self._redis is not None:
            from redis.exceptions import RedisError

            try:
                await self._redis.publish(CHANNEL, f"{self._me} {key}")
            except (RedisError, OSError):  # what was committed stands; the others see it at their next look
                log.exception("the other workers could not be told of a change")

    def wake(self, key: str) -> None:
        """Wake who waits in this worker."""
        for event in self._waiting.get(key, ()):
            event.set()

    def _take(self, message: str) -> None:
        """A worker's word; one's own was acted on when it was given."""
        sender, _, key = message.partition(" ")
        if sender != self._me:
            if self.heard is not None:
                self.heard(key)
            self.wake(key)

    def watched(self, key: str) -> bool:
        """Does anybody in this worker look at it?"""
        return key in self._waiting

    @contextmanager
    def waiting(self, *keys: str) -> Iterator[asyncio.Event]:
        """An event that is set whenever one of these keys changes."""
        event = asyncio.Event()
        for key in keys:
            self._waiting.setdefault(key, set()).add(event)
        try:
            yield event
        finally:
            for key in keys:
                self._waiting[key].discard(event)
                if not self._waiting[key]:
                    del self._waiting[key]

    async def _listen(self, redis: Redis, ready: asyncio.Event) -> None:
        """Hear of the other workers' changes; go on after Redis was away, having everybody look once."""
        from redis.exceptions import RedisError

        while True:
            try:
                async with redis.pubsub() as channel:
                    await channel.subscribe(CHANNEL)
                    if ready.is_set():
                        for key in list(self._waiting):
                            self._take(f" {key}")
                    ready.set()
                    async for message in channel.listen():
                        if message["type"] == "message":
                            self._take(message["data"].decode())
            except (RedisError, OSError):
                log.exception("Redis was lost; trying again")
                await asyncio.sleep(1.0)


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

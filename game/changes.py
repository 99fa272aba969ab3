"""Who looks at a game hears that it has changed. Between processes only the game's id travels, through Redis when it is
configured."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from redis.asyncio import Redis

log = logging.getLogger("parlay.changes")
CHANNEL = "parlay:changed"


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

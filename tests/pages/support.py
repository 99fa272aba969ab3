"""What the tests of the pages' server share: an application without a network, browsers that talk to it, streams."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2 as httpx
from fastapi import FastAPI
from starlette.types import Message, Scope

from dashboard.app import add_pages
from dashboard.desk import Desk
from parlay_env.server import create_app
from parlay_env.settings import Settings
from tests.store.support import random_action

Json = dict[str, Any]
HOST = "http://parlay"


class Still:
    """A thinker that never comes to an end: no test waits for one, and what is compiled for it."""

    async def estimates(self, *_: Any) -> list[Json]:
        await asyncio.Event().wait()
        return []

    def warm(self) -> None:
        """It is neither cold nor warm."""

    def stop(self) -> None:
        """It has nothing to end."""


class World:
    """An application that is being served, without a network."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self.desk: Desk = app.state.desk

    def browser(self, **headers: str) -> Browser:
        """A browser that has never been here."""
        return Browser(self, headers)

    async def player(self, name: str = "Ada") -> Browser:
        """A browser whose player has a name."""
        browser = self.browser()
        await browser.post("/api/me", {"name": name})
        return browser


class Browser:
    """One person's cookies."""

    def __init__(self, world: World, headers: dict[str, str]) -> None:
        self.world = world
        transport = httpx.ASGITransport(app=world.app, raise_app_exceptions=True)
        self.http = httpx.AsyncClient(transport=transport, base_url=HOST, headers=headers)

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """Any request; a body as it is, or as JSON."""
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        kind = {} if method in ("GET", "HEAD") else {"content-type": "application/json"}
        return await self.http.request(method, path, content=content, headers={**kind, **headers})

    async def get(self, path: str) -> Json:
        reply = await self.ask("GET", path)
        assert reply.status_code == 200, reply.text
        return reply.json()

    async def post(self, path: str, body: Any, method: str = "POST") -> Json:
        reply = await self.ask(method, path, body)
        assert reply.status_code in (200, 201), reply.text
        return reply.json()

    async def start(self, request_id: str = "wish", **wish: Any) -> Json:
        """A new game, as its player gets it."""
        wanted = {"scenario_id": "saas_enterprise", "seat": "seller", "persona": "diplomat", **wish}
        return (await self.post("/api/games", {"request_id": request_id, **wanted}))["game"]

    async def look(self, game: Json) -> Json:
        return (await self.get(f"/api/games/{game['id']}"))["game"]

    async def move(self, game: Json, **action: Any) -> Json:
        """The game after the next move."""
        body = {"number": game["number"], "action": action or {"utterance": "Let us see."}}
        return (await self.post(f"/api/games/{game['id']}/moves", body))["game"]

    async def leave(self, game: Json) -> Json:
        return await self.move(game, utterance="Good bye.", walk_away=True)

    async def play(self, game: Json, moves: int, seed: int = 1, ends: float = 0.0) -> Json:
        """The game after so many random moves, or at its end."""
        r = random.Random(seed)
        for _ in range(moves):
            if game["status"] == "over":
                break
            game = await self.move(game, **random_action(game["observation"], r, ends))
        return game


@asynccontextmanager
async def world_at(url: str, thinker: Any = None, **settings: Any) -> AsyncIterator[World]:
    """An application on this database."""
    app = create_app(Settings(database_url=url, **{"page_rate": 0.0} | settings))
    desk = add_pages(app)
    desk.thinker = Still() if thinker is None else thinker  # pyright: ignore[reportAttributeAccessIssue]
    async with app.router.lifespan_context(app):
        yield World(app)


class Stream:
    """An event stream without a network: what a server would hand the application and take from it. It reads only
    when it is told to."""

    def __init__(self, browser: Browser, path: str, **headers: str) -> None:
        cookies = "; ".join(f"{name}={value}" for name, value in browser.http.cookies.items())
        sent = {"cookie": cookies, "host": "parlay", **{name.replace("_", "-"): v for name, v in headers.items()}}
        scope: Scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
            "client": ("127.0.0.1", 1),
            "server": ("parlay", 80),
        }
        self._in: asyncio.Queue[Message] = asyncio.Queue()
        self._out: asyncio.Queue[Message] = asyncio.Queue(1)  # a client that does not read holds the server up
        self._text = b""
        self.status = 0
        self.open = True
        self.passed: int = 0
        """Messages that the application has got rid of."""
        self._in.put_nowait({"type": "http.request", "body": b"", "more_body": False})
        self.task = asyncio.ensure_future(browser.world.app(scope, self._in.get, self._send))

    async def _send(self, message: Message) -> None:
        await self._out.put(message)
        self.passed += 1

    async def next(self, seconds: float = 10.0) -> Json:
        """The next event: its name, id, data; a comment has none of them. {} at the end."""
        while b"\n\n" not in self._text:
            if not self.open:
                return {}
            message = await asyncio.wait_for(self._out.get(), seconds)
            if message["type"] == "http.response.start":
                self.status = message["status"]
                continue
            self._text += message.get("body", b"")
            self.open = message.get("more_body", False)
        block, self._text = self._text.split(b"\n\n", 1)
        found: Json = {}
        for line in block.decode().split("\n"):
            name, _, value = line.partition(":")
            found[name or "comment"] = value.strip()
        if "data" in found:
            found["data"] = json.loads(found["data"])
        return found

    async def game(self, seconds: float = 10.0) -> Json:
        """The next event that is a game."""
        while (found := await self.next(seconds)).get("event") != "game":
            assert found, "the stream ended"
        return found

    async def game_with(self, lines: int, seconds: float = 10.0) -> Json:
        """The first game that comes with so many lines or more."""
        while len((found := (await self.game(seconds))["data"])["lines"]) < lines:
            pass
        return found

    async def quiet(self, seconds: float = 0.05) -> bool:
        """Does nothing come for so long?"""
        try:
            await self.next(seconds)
        except TimeoutError:
            return True
        return False

    async def close(self) -> None:
        self._in.put_nowait({"type": "http.disconnect"})
        while not self.task.done():
            while not self._out.empty():
                self._out.get_nowait()
            await asyncio.sleep(0.001)
        self.task.result()


@asynccontextmanager
async def stream(browser: Browser, path: str, **headers: str) -> AsyncIterator[Stream]:
    """An open stream."""
    found = Stream(browser, path, **headers)
    try:
        yield found
    finally:
        await found.close()


def code_of(reply: httpx.Response) -> str:
    """The code of an error, which has its one form."""
    error = reply.json()["error"]
    assert set(error) <= {"code", "message", "details", "retry_after"}, error
    assert error["message"]
    assert reply.headers["cache-control"] == "no-store"
    return error["code"]

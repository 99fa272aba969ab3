"""What the tests of the MCP server share: real servers on every transport, the official client, players that finish."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI
from mcp import ClientSession, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.memory import create_connected_server_and_client_session
from mcp.types import CallToolResult, TextContent

from dashboard.app import add_pages
from mcp_server.door import PATH, add_mcp
from mcp_server.table import Table
from parlay_env.server import create_app
from parlay_env.settings import Settings
from tests.doors.support import free_port, wait_for
from tests.pages.support import Still

ROOT = Path(__file__).resolve().parents[2]
Json = dict[str, Any]


class Told:
    """A tool's answer."""

    def __init__(self, result: CallToolResult) -> None:
        (content,) = result.content
        assert isinstance(content, TextContent)
        self.text, self.failed = content.text, result.isError
        assert result.structuredContent is not None
        self.data: Json = result.structuredContent

    @property
    def code(self) -> str:
        """Of what was wrong."""
        assert self.failed, self.text
        assert set(self.data) == {"error"}, self.data
        assert set(self.data["error"]) == {"code", "message", "next"}
        assert self.text.startswith(f"{self.data['error']['code']}: ")
        assert self.data["error"]["next"] in self.text
        return self.data["error"]["code"]


class Client:
    """An MCP client that has said hello."""

    def __init__(self, session: ClientSession) -> None:
        self.session = session

    async def ask(self, tool: str, **arguments: Any) -> Told:
        """Any call. The client holds what comes back to the tool's output schema."""
        return Told(await self.session.call_tool(tool, arguments))

    async def call(self, tool: str, **arguments: Any) -> Json:
        """A call that succeeds."""
        told = await self.ask(tool, **arguments)
        assert not told.failed, told.text
        return told.data

    async def start(self, **wish: Any) -> Json:
        return await self.call("start_negotiation", **{"name": "Ada", "persona": "diplomat", **wish})

    async def move(self, game: Json, tool: str = "say", **arguments: Any) -> Json:
        """The game after the next move."""
        more = arguments or {"words": "Let us see."}
        return await self.call(tool, game_id=game["game_id"], move_number=game["move_number"], **more)

    async def leave(self, game: Json) -> Json:
        return await self.move(game, "walk_away", words="Good bye.")

    async def finish(self, game: Json) -> Json:
        """The game at its end: a price comes down from the target, and what is inside the limit is taken."""
        sign = 1 if game["seat"] == "seller" else -1
        ask = game["own"]["target"]
        while game["status"] != "over":
            if game["opponent_offer_worth"] is not None and game["opponent_offer_worth"] > 0 and game["turn"] > 3:
                game = await self.move(game, "accept_deal")
            elif game["turns_left"] == 0:
                game = await self.leave(game)
            else:
                ask = round(sign * max(sign * (ask - sign * 3_000), sign * game["own"]["limit"]), -2)
                game = await self.move(game, "make_offer", amount=ask, words=f"We can sign at {ask:,.0f}.")
        return game


@asynccontextmanager
async def session_on(streams: Any) -> AsyncIterator[Client]:
    async with streams as (reads, writes, *_), ClientSession(reads, writes) as session:
        await session.initialize()
        yield Client(session)


@asynccontextmanager
async def over_stdio(url: str, **env: str) -> AsyncIterator[Client]:
    """A client of a process of its own."""
    given = {"PYTHONPATH": str(ROOT), "PARLAY_DATABASE_URL": url, **env}
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "mcp_server.server", "stdio"], env=given, cwd=ROOT
    )
    async with session_on(stdio_client(command)) as client:
        yield client


@asynccontextmanager
async def over_http(address: str, **headers: str) -> AsyncIterator[Client]:
    """A client of a server's streamable HTTP."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    http = httpx.AsyncClient(headers=sent, timeout=30)
    async with http, session_on(streamable_http_client(address + PATH, http_client=http)) as client:
        yield client


@asynccontextmanager
async def over_sse(address: str, **headers: str) -> AsyncIterator[Client]:
    """A client of a server's SSE."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    async with session_on(sse_client(f"{address}/sse", headers=sent)) as client:
        yield client


@asynccontextmanager
async def over_nothing(table: Table, key: str = "") -> AsyncIterator[Client]:
    """A client in this process: the real protocol, without a wire."""
    from mcp_server.tools import build

    server = build(table, key=key)
    async with create_connected_server_and_client_session(server._mcp_server) as session:
        yield Client(session)


# Servers --------------------------------------------------------------------------------------------------------------


class Alone:
    """`python -m mcp_server.server` in a process of its own."""

    def __init__(self, log: Path, transport: str, url: str, **env: str) -> None:
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.log = log
        command = [sys.executable, "-m", "mcp_server.server", transport, "--port", str(self.port)]
        given = {"PYTHONPATH": str(ROOT), "PARLAY_DATABASE_URL": url, "PARLAY_PAGE_RATE": "0", **env}
        with log.open("ab") as out:
            self._process = subprocess.Popen(command, cwd=ROOT, env=given, stdout=out, stderr=out)
        wait_for(self._listens)

    def _listens(self) -> bool:
        assert self._process.poll() is None, self.log.read_text()
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self) -> int:
        """As an operator would."""
        self._process.terminate()
        return self._process.wait(15)

    def kill(self) -> None:
        """As a machine that loses its power would."""
        self._process.kill()
        self._process.wait()


@contextmanager
def alone(folder: Path, transport: str, url: str, **env: str) -> Iterator[Alone]:
    server = Alone(folder / "log", transport, url, **env)
    try:
        yield server
    finally:
        server.kill()


def everything(settings: Settings) -> FastAPI:
    """What `main` puts together."""
    app = create_app(settings)
    desk = add_pages(app)
    desk.thinker = Still()  # pyright: ignore[reportAttributeAccessIssue]
    add_mcp(app, lambda: desk.house)
    return app


class Together:
    """Everything, served by uvicorn in a thread of its own."""

    def __init__(self, **settings: Any) -> None:
        self.app = everything(Settings(**{"page_rate": 0.0} | settings))
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._server = uvicorn.Server(uvicorn.Config(self.app, port=self.port, log_config=None, ws="websockets-sansio"))
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        wait_for(lambda: self._server.started)

    def browser(self, key: str | None = None) -> httpx.AsyncClient:
        """A browser; with a player's key it is that player's."""
        cookies = {} if key is None else {"parlay_player": key}
        return httpx.AsyncClient(base_url=self.address, cookies=cookies, timeout=30)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(30)
        assert not self._thread.is_alive(), "the server does not stop"


@contextmanager
def together(**settings: Any) -> Iterator[Together]:
    server = Together(**settings)
    try:
        yield server
    finally:
        server.stop()

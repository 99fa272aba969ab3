"""MCP over streamable HTTP as a part of the application that serves everything: `/mcp-server`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

from fastapi import FastAPI
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from game.house import House
from mcp_server.gate import Gate
from parlay_env.doors.voices import Voices
from parlay_env.settings import Settings

PATH = "/mcp-server"


def add_mcp(app: FastAPI, house: Callable[[], House]) -> None:
    """The MCP server, in an application that `parlay_env.server.create_app` has made. `house` gives the application's
    own house, so that locks, caches and live updates are one; it raises WireError where there is none."""
    hub = app.state.hub
    door = Door(hub.settings, house, hub.voices)
    app.state.around.append(door.opened())
    gate = Gate(hub, door)
    app.router.routes[:0] = [Route(path, gate) for path in (PATH, f"{PATH}/")]


class Door:
    """The server behind the gate: made, with all that it imports, when the first message comes."""

    def __init__(self, settings: Settings, house: Callable[[], House], voices: Voices) -> None:
        self._settings, self._house, self._voices = settings, house, voices
        self._making: asyncio.Task[ASGIApp] | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on to the server."""
        if self._making is None:
            self._making = asyncio.get_running_loop().create_task(self._make())
        making = self._making
        try:
            app = await asyncio.shield(making)
        except Exception:
            if self._making is making:
                self._making = None  # the next one tries again
            raise
        await app({**scope, "path": PATH}, receive, send)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Ends the sessions at the end."""
        try:
            yield
        finally:
            self._closing.set()
            if self._making is not None:
                await asyncio.wait((self._making,))
            if self._keeper is not None:
                await asyncio.wait((self._keeper,))

    async def _make(self) -> ASGIApp:
        app = await asyncio.to_thread(self._assemble)
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # What a lifespan opens has to be closed by the same task.
        self._keeper = asyncio.get_running_loop().create_task(self._keep(app, ready))
        await asyncio.wait((ready, self._keeper), return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            self._keeper.result()  # it raises what went wrong
        return app

    def _assemble(self) -> Any:
        """Import and build it: others are served meanwhile."""
        tools = import_module("mcp_server.tools")
        table = tools.Table(self._house, self._settings.public_url, self._voices)
        return http_app(tools.build(table, pages_here=True))

    async def _keep(self, app: Any, ready: asyncio.Future[None]) -> None:
        async with app.router.lifespan_context(app):
            bound(app, self._settings)
            ready.set_result(None)
            await self._closing.wait()


def http_app(server: Any) -> Any:
    """FastMCP's application for streamable HTTP. It answers with plain JSON: nothing here takes long, and nothing is
    told without being asked. Its own guard is off, since the gate stands before it."""
    return server.http_app(path=PATH, json_response=True, host_origin_protection=False)


def bound(app: Any, settings: Settings) -> None:
    """How many sessions there may be, and how long one may be silent. Called when the application has started."""
    (route,) = app.routes
    manager = route.endpoint.session_manager
    manager.max_sessions, manager.session_idle_timeout = settings.http_sessions, settings.idle_seconds

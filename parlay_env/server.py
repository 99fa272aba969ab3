"""The environment as an application, and a server for it alone: `python -m parlay_env.server --port 8001`."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from agent.games.registry import games
from parlay_env.doors.game_socket import GameSocket, no_game_at
from parlay_env.doors.games_http import add_games, path_of
from parlay_env.doors.handshake import Handshakes
from parlay_env.doors.http import SESSION_HEADER, add_routes
from parlay_env.doors.hub import Hub
from parlay_env.doors.openapi import API_VERSION
from parlay_env.doors.openenv_socket import OpenEnvSocket
from parlay_env.doors.plain_socket import PlainSocket
from parlay_env.doors.sockets import SocketDoors
from parlay_env.environment import metadata
from parlay_env.settings import Settings

MCP_HEADERS = ("Mcp-Session-Id", "Mcp-Protocol-Version", "X-Parlay-Player")
"""What MCP clients in a browser send; the first they also read."""


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application: `/ws`, `/env/ws`, OpenEnv's HTTP routes and task API. Its doors share `app.state.hub`; what a
    further door opens while the server runs goes into `app.state.around`."""
    settings = Settings() if settings is None else settings
    hub = Hub(settings)
    around: list[AbstractAsyncContextManager[object]] = []

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            stack.push_async_callback(hub.voices.close)  # the last to go: others may wait for an answer
            await hub.voices.open()
            for one in around:
                await stack.enter_async_context(one)
            yield
            hub.stop()

    app = FastAPI(
        title="Parlay",
        version=API_VERSION,
        description=metadata().description,
        # Their pages load scripts from another origin.
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.hub = hub
    app.state.around = around
    add_routes(app, hub)
    strategic = games(Path(settings.documents) if settings.documents else None)
    add_games(app, strategic)
    if settings.allowed_origins:
        app.add_middleware(CORSMiddleware, **shared_with(settings.allowed_origins))
    # The last one added is the outermost: nothing stands between a socket and the server.
    tables = {path_of(name): partial(GameSocket, entry=entry) for name, entry in strategic.items()}
    doors = {"/ws": OpenEnvSocket, "/env/ws": PlainSocket, **tables}
    app.add_middleware(SocketDoors, hub=hub, doors=doors, otherwise=partial(no_game_at, strategic))
    return app


def shared_with(origins: Sequence[str]) -> dict[str, Any]:
    """What pages of these origins may send and read, as the middleware wants it."""
    return {
        "allow_origins": list(origins),
        "allow_methods": ["GET", "POST"],
        "allow_headers": ["Authorization", "Content-Type", SESSION_HEADER, *MCP_HEADERS],
        "expose_headers": [SESSION_HEADER, MCP_HEADERS[0]],
    }


def serve(app: FastAPI, settings: Settings, arguments: Sequence[str] | None = None, prog: str | None = None) -> None:
    """Run an application until it is told to stop. Arguments come before settings."""
    parser = argparse.ArgumentParser(prog=prog, description="Serve Parlay.")
    parser.add_argument("--host", default=settings.host, help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=settings.port, help="port to listen on (default: %(default)s)")
    chosen = parser.parse_args(arguments)
    uvicorn.run(
        app,
        host=chosen.host,
        port=chosen.port,
        log_level=settings.log_level,
        ws=Handshakes,
        # The doors refuse what is longer than a message, and say so; this bounds what is held of one until then.
        ws_max_size=4 * settings.message_bytes,
        ws_ping_interval=settings.ping_seconds,
        ws_ping_timeout=settings.pong_seconds,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=settings.shutdown_seconds,
        server_header=False,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the environment alone."""
    settings = Settings()
    serve(create_app(settings), settings, arguments, "python -m parlay_env.server")


if __name__ == "__main__":
    main()

"""The MCP server alone: `python -m mcp_server.server stdio|sse|http`. It plays in the database of the settings, which
other processes may have open, too."""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal, get_args

from game.changes import Changes
from game.house import House
from game.store.database import Database, StoreUnavailable
from game.store.model_use import StoredLedger
from mcp_server.table import Table
from parlay_env.doors.voices import Voices
from parlay_env.settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp

Transport = Literal["stdio", "sse", "http"]
SSE_PATH = "/sse"
SWEEP_SECONDS = 60.0
"""How often games that nobody goes on with are looked for."""
log = logging.getLogger("parlay.mcp")


@asynccontextmanager
async def opened(settings: Settings, voices: Voices) -> AsyncIterator[House]:
    """The house of the settings' database. Raises StoreUnavailable, and ConnectionError for Redis."""
    database = await Database.open(settings.database_url.get_secret_value())
    changes = Changes(settings.redis_url.get_secret_value())
    voices.budget.ledger = StoredLedger(database)
    house = House(database, changes.publish, speakers=voices)
    try:
        await voices.open()
        await changes.start()
        changes.heard = house.heard
        sweeper = asyncio.get_running_loop().create_task(_sweep(house))
        try:
            yield house
        finally:
            sweeper.cancel()
            with suppress(asyncio.CancelledError):
                await sweeper
    finally:
        await changes.stop()
        await house.close()
        await voices.close()
        await database.close()


async def _sweep(house: House) -> None:
    while True:
        try:
            await house.end_left_alone()
        except StoreUnavailable:
            log.exception("games that were left alone could not be looked for")
        await asyncio.sleep(SWEEP_SECONDS)


async def speak_stdio(settings: Settings) -> None:
    """Serve whoever started this process, over its standard input and output, until the input ends."""
    from mcp_server.tools import build

    voices = Voices(settings)
    async with opened(settings, voices) as house:
        table = Table(lambda: house, settings.public_url, voices)
        server = build(table, key=settings.player_key.get_secret_value())
        await server.run_async("stdio", show_banner=False, log_level="WARNING")


async def serve(settings: Settings, transport: Literal["sse", "http"], host: str, port: int) -> None:
    """Serve over HTTP until the process is told to stop."""
    import uvicorn
    from starlette.middleware.cors import CORSMiddleware

    from mcp_server.door import bound, http_app
    from mcp_server.gate import Gate
    from mcp_server.tools import build
    from parlay_env.doors.hub import Hub
    from parlay_env.server import shared_with

    voices = Voices(settings)
    async with opened(settings, voices) as house:
        server = build(Table(lambda: house, settings.public_url, voices))
        if transport == "http":
            inner: Any = http_app(server)
        else:
            inner = server.http_app(path=SSE_PATH, transport="sse", host_origin_protection=False)
        door: ASGIApp = Gate(Hub(settings), inner, streams=transport == "sse")
        if settings.allowed_origins:
            door = CORSMiddleware(door, **shared_with(settings.allowed_origins))
        async with inner.router.lifespan_context(inner):
            if transport == "http":
                bound(inner, settings)
            config = uvicorn.Config(
                door,
                host=host,
                port=port,
                lifespan="off",
                log_level=settings.log_level,
                timeout_graceful_shutdown=settings.shutdown_seconds,
                server_header=False,
            )
            await uvicorn.Server(config).serve()


def run(transport: Transport, host: str | None, port: int | None, settings: Settings) -> None:
    """Serve until it is told to stop. Raises StoreUnavailable and ConnectionError for what can't be reached."""
    if transport == "stdio":
        # What waits for a line can't be interrupted otherwise. All that was answered is stored.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        asyncio.run(speak_stdio(settings))
    else:
        there = settings.host if host is None else host, settings.port if port is None else port
        asyncio.run(serve(settings, transport, *there))


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    settings = Settings()
    parser = argparse.ArgumentParser(
        prog="python -m mcp_server.server", description="Serve negotiations to MCP clients."
    )
    parser.add_argument("transport", choices=get_args(Transport), help="how clients speak to it")
    parser.add_argument("--host", default=settings.host, help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=settings.port, help="port to listen on (default: %(default)s)")
    chosen = parser.parse_args(arguments)
    try:
        run(chosen.transport, chosen.host, chosen.port, settings)
    except (StoreUnavailable, ConnectionError) as error:
        sys.exit(f"nothing can be played here: {error}")
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()

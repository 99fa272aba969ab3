"""`parlay mcp`: the MCP server, with what goes wrong at the start told in a line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from cli.console import BAD_INPUT, fail, messages
from cli.serve import check_free
from cli.settings import settings_here

if TYPE_CHECKING:
    from mcp_server.server import Transport


def mcp(transport: Transport, host: str | None, port: int | None) -> None:
    """Serve MCP clients until Ctrl-C, or until the standard input ends."""
    from game.store.database import StoreUnavailable
    from mcp_server.door import PATH
    from mcp_server.server import SSE_PATH, run

    settings = settings_here()
    if transport == "stdio":
        if host is not None or port is not None:
            fail("stdio listens nowhere: --host and --port go with http and sse", BAD_INPUT)
        if sys.stdin.isatty():
            messages().print("MCP (stdio): an MCP client starts this command and speaks to it; Ctrl-C stops it")
    else:
        host, port = host or settings.host, settings.port if port is None else port
        check_free(host, port, f"parlay mcp {transport}")
        path = PATH if transport == "http" else SSE_PATH
        where = f"http://{'127.0.0.1' if host in ('', '0.0.0.0') else host}:{port}{path}"  # noqa: S104 (only compared)
        messages().print(f"MCP ({transport}): {where}   Ctrl-C stops it", soft_wrap=True)
    try:
        run(transport, host, port, settings)
    except (StoreUnavailable, ConnectionError) as error:
        fail(f"nothing can be played here: {error}")
    except KeyboardInterrupt:
        return

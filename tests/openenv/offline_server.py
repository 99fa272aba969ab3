"""Serves `main:app` on the port given, refusing every connection that would leave this machine.

The manifest promises `no-network`; no container enforces it here, so the interpreter does.
"""

from __future__ import annotations

import ipaddress
import sys
from typing import Any

import uvicorn


def refuse_to_leave(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    else:
        return
    if host in (None, "", "localhost"):
        return
    try:
        local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = False
    if not local:
        raise PermissionError(f"no-network: {event} to {host!r}")


if __name__ == "__main__":
    sys.addaudithook(refuse_to_leave)
    # uvloop opens its sockets where the hook can't see them.
    uvicorn.run("main:app", host="127.0.0.1", port=int(sys.argv[1]), loop="asyncio")

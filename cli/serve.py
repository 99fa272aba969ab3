"""`parlay serve`: the server, with what goes wrong at the start told in a line."""

from __future__ import annotations

import errno
import runpy
import socket
import sys

from cli.console import BAD_INPUT, fail, messages
from cli.settings import settings_here


def serve(host: str | None, port: int | None, env_only: bool) -> None:
    """Serve until Ctrl-C. Without `env_only` it runs `main`, where all doors are put together."""
    settings = settings_here()
    host = settings.host if host is None else host
    port = settings.port if port is None else port
    check_free(host, port, "parlay serve", f", or make serve PORT={_next(port)}")
    what, doors = ("the environment", "sockets") if env_only else ("Parlay", "for people in a browser; for agents")
    where = f"http://{'127.0.0.1' if host in ('', '0.0.0.0') else host}:{port}"  # noqa: S104 (only compared)
    messages().print(f"{what}: {where}   {doors}: /ws (OpenEnv), /env/ws   Ctrl-C stops it", soft_wrap=True)
    arguments = ["--host", host, "--port", str(port)]
    try:
        if env_only:
            from parlay_env.server import main

            main(arguments)
        else:
            sys.argv = ["parlay serve", *arguments]
            runpy.run_module("main", run_name="__main__")
    except KeyboardInterrupt:
        return


def _next(port: int) -> int:
    return port % 65535 + 1


def check_free(host: str, port: int, command: str, or_else: str = "") -> None:
    """Fail now, in words, where listening would fail. `command` is what can be called with another port."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            told = f"port {port} is taken; stop what listens there, or choose another: {command} --port {_next(port)}"
            fail(told + or_else)
        if error.errno == errno.EACCES:
            fail(f"port {port} needs rights that you don't have; choose one above 1023: --port 8000")
        fail(f"can't listen on {host}: {error.strerror}; use 127.0.0.1, or 0.0.0.0 for every address", BAD_INPUT)

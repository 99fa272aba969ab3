"""A server of the environment for one run, in a process of its own, on a port that is free."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

PATIENCE = 60.0
"""Seconds until it must answer."""
_POLL = 0.05
_PROGRAM = """
import os, runpy, sys, threading
threading.Thread(target=lambda: (sys.stdin.buffer.read(), os._exit(0)), daemon=True).start()
runpy.run_module("parlay_env.server", run_name="__main__")
"""
"""The server, which goes when its standard input ends: with whoever started it, however that one went."""


class NoServer(RuntimeError):
    """The server did not start, or nothing answers at the address; the message says what it said."""


@contextmanager
def serving() -> Iterator[str]:
    """The address of a server that lives as long as this context. Raises NoServer."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryFile() as said:  # not a pipe: nobody reads along, and a full one would stop the server
        process = subprocess.Popen(  # noqa: S603 - our own command line
            [sys.executable, "-c", _PROGRAM, "--port", str(port)],
            env={**os.environ, "PARLAY_LOG_LEVEL": "error"},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        url = f"http://127.0.0.1:{port}"
        try:
            _wait(process, url, said)
            yield url
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(process: subprocess.Popen[bytes], url: str, said: IO[bytes]) -> None:
    started = time.monotonic()
    while time.monotonic() - started < PATIENCE and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=5):  # noqa: S310 - our own address
                return
        except OSError:
            time.sleep(_POLL)
    if process.poll() is None:
        raise NoServer(f"the environment's server did not answer in {PATIENCE:.0f} s")
    said.seek(0)
    lines = said.read().decode(errors="replace").strip().splitlines()
    raise NoServer(f"the environment's server did not start: {lines[-1] if lines else 'it said nothing'}")

"""Servers in processes of their own, and what the kernel says they used."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from cli.console import fail

ROOT = Path(__file__).resolve().parents[2]
"""Where `main.py` is: the checkout, or the site-packages of an installed release."""
FLOORS = ROOT / "cli" / "bench_floors"
_PATIENCE = 120.0
_POLL = 0.005


class Server:
    """A server process, from its start to `stop`. Linux only: it reads /proc."""

    def __init__(
        self, command: list[str], port: int, *, cwd: Path = ROOT, env: Mapping[str, str] | None = None
    ) -> None:
        self.port = port
        self._folder = tempfile.TemporaryDirectory(prefix="parlay-bench-")
        store = f"sqlite:///{self._folder.name}/parlay.db"
        self.started = time.perf_counter()
        self._process = subprocess.Popen(  # noqa: S603 (our own command lines)
            command,
            cwd=cwd,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PARLAY_DATABASE_URL": store, **(env or {})},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def __enter__(self) -> Server:
        self.first_byte()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def first_byte(self) -> float:  # noqa: RET503 (`fail` does not return)
        """Wait for the first byte of an HTTP answer; how long after the start it came, in seconds."""
        request = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        while time.perf_counter() - self.started < _PATIENCE:
            if self._process.poll() is not None:
                break
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=_PATIENCE) as link:
                    link.sendall(request)
                    if link.recv(1):
                        return time.perf_counter() - self.started
            except OSError:
                time.sleep(_POLL)
        self.stop()
        told = (self._process.stderr.read() if self._process.stderr else b"").decode(errors="replace").strip()
        fail(f"a server to measure did not start: {told.splitlines()[-1] if told else 'it said nothing'}")

    def cpu_seconds(self) -> float:
        """CPU time that all its threads used so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_kb(self) -> int:
        return self._status("VmRSS")

    def threads(self) -> int:
        return self._status("Threads")

    def _status(self, key: str) -> int:
        for line in Path(f"/proc/{self._process.pid}/status").read_text().splitlines():
            if line.startswith(f"{key}:"):
                return int(line.split()[1])
        raise KeyError(key)

    def stop(self) -> None:
        """End it, kindly, then firmly."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def parlay(env: Mapping[str, str] | None = None) -> Server:
    """This project's server as `parlay serve` runs it."""
    port = free_port()
    command = [sys.executable, "-m", "main", "--port", str(port)]
    return Server(command, port, env={"PARLAY_LOG_LEVEL": "error", **(env or {})})


def uvicorn(app: str, *options: str, python: Path | None = None, cwd: Path = FLOORS, **env: str) -> Server:
    """A server as `uvicorn app` runs it."""
    port = free_port()
    command = [str(python or sys.executable), "-m", "uvicorn", app, "--port", str(port), "--log-level", "error"]
    return Server([*command, *options], port, cwd=cwd, env=env)


def can_measure() -> bool:
    """Is there a /proc to read?"""
    return Path("/proc/self/stat").exists()

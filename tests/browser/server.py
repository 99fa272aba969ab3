"""The whole server in a process of its own: it can be killed, and started again on the same port and file."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 90


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """`python -m main` on a free port, with an SQLite file and a log in `folder`."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = folder / "server.log"
        self._env = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PARLAY_")},
            "PYTHONPATH": str(ROOT),
            "PARLAY_DATABASE_URL": f"sqlite:///{folder / 'people.db'}",
            "PARLAY_PAGE_RATE": "0",
            "PARLAY_LOG_LEVEL": "warning",
            **settings,
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Server:
        """Start, and wait until it answers. Raises RuntimeError with the end of its log."""
        command = [sys.executable, "-m", "main", "--port", str(self.port)]
        with self._log.open("ab") as out:
            self._process = subprocess.Popen(command, cwd=ROOT, env=self._env, stdout=out, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + START_SECONDS
        while not self._is_healthy():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"the server does not answer; it wrote:\n{self._log.read_text()[-4000:]}")
            time.sleep(0.1)
        return self

    def _is_healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=5) as reply:
                return reply.status == 200
        except OSError:
            return False

    def kill(self) -> None:
        """As the kernel does when memory runs out: no goodbye, no flush."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """End it as an operator does."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

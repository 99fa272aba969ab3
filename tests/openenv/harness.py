"""What the conformance tests share: a running server, and a player simple enough to play any game to its end."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
SERVER_PYTHON = os.environ.get("PARLAY_PYTHON", str(ROOT / ".venv/bin/python"))
"""The interpreter that serves: the project's own environment, which has no OpenEnv in it."""

SCENARIOS = ("saas_enterprise", "hiring_package", "acquisition_term_sheet", "supplier_contract")
PERSONAS = ("shark", "diplomat", "veteran")
SEATS = ("seller", "buyer")


def openenv_release() -> str:
    """`0.3` or `0.10`: which OpenEnv this environment has."""
    try:
        version = metadata.version("openenv")
    except metadata.PackageNotFoundError:
        version = metadata.version("openenv-core")
    return ".".join(version.split(".")[:2])


def free_port() -> int:
    """A port of 127.0.0.1 that nothing listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_healthy(url: str) -> bool:
    """Whether `GET /health` answers 200."""
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=2) as reply:
            return reply.status == 200
    except (OSError, urllib.error.URLError):
        return False


class ServerProcess:
    """A server in a process of its own on a free port of 127.0.0.1, its output kept in a file.

    `command` is what follows the interpreter; the port is appended to it.
    """

    def __init__(self, command: Sequence[str], cwd: Path, env: dict[str, str] | None = None) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self._log = cwd / f"server-{port}.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [SERVER_PYTHON, *command, str(port)], cwd=cwd, env=env, stdout=log, stderr=subprocess.STDOUT
            )

    def wait(self, timeout_s: float = 30.0) -> None:
        """Return once the server is healthy. Raises RuntimeError with what it wrote when it ends or stays silent."""
        deadline = time.monotonic() + timeout_s
        while not is_healthy(self.url):
            if self._process.poll() is not None or time.monotonic() > deadline:
                code = self._process.poll()
                self.stop()
                fate = f"stayed silent for {timeout_s:.0f} s" if code is None else f"ended with status {code}"
                raise RuntimeError(f"the server {fate}; it wrote:\n{self.output()}")
            time.sleep(0.05)

    def output(self, max_bytes: int = 65_536) -> str:
        """The tail of what the server wrote."""
        return self._log.read_bytes()[-max_bytes:].decode("utf-8", "replace")

    def stop(self) -> int:
        """End the server; its exit status."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(15)
            except subprocess.TimeoutExpired:
                self._process.kill()
        return self._process.wait()


@contextlib.contextmanager
def serving(command: Sequence[str], cwd: Path) -> Iterator[ServerProcess]:
    """A healthy server for the length of a block."""
    server = ServerProcess(command, cwd)
    try:
        server.wait()
        yield server
    finally:
        server.stop()


def bargain(observation: dict[str, Any]) -> dict[str, Any]:
    """A move that leads every game to an end: start high, give way a little each turn, accept late."""
    theirs, turn = observation["opponent_offer"], observation["turn"]
    if theirs is not None and observation["turns_left"] <= 4:
        return {"utterance": "Agreed.", "accept_deal": True}
    issues = observation["scenario"]["issues"]
    if len(issues) > 1:
        offer = {issue["name"]: _conceded(issue, min(0.5, 0.03 * turn)) for issue in issues}
        return {"utterance": f"Our terms, round {turn}.", "offer": offer}
    (name,) = (issue["name"] for issue in issues)
    figure, limit = observation["own"]["target"], observation["own"]["limit"]
    if observation["own_offer"] is not None and theirs is not None:
        figure = observation["own_offer"][name] + 0.25 * (theirs[name] - observation["own_offer"][name])
    figure = max(figure, limit) if observation["seat"] == "seller" else min(figure, limit)
    return {"utterance": f"Our figure, round {turn}.", "offer_amount": _on_step(figure, issues[0]["step"])}


def _conceded(issue: dict[str, Any], share: float) -> float:
    """What this share of the way from an issue's best end to its worst is."""
    values = sorted(issue["values"] or (issue["low"], issue["high"]), reverse=issue["better_for_you"] == "higher")
    if issue["values"]:
        return values[round(share * (len(values) - 1))]
    best, worst = values
    return _on_step(best + share * (worst - best), issue["step"])


def _on_step(figure: float, step: float) -> float:
    return round(round(figure / step) * step, 2)

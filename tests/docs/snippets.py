"""What a page tells a reader to run, run here: against the tests' own server, with the tests' own interpreter."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from tests.clients.servers import ROOT, free_port

from .pages import DEFAULT_URL, Block, blocks

STOCK_CLIENT = "from openenv.core import GenericEnvClient  # or: "
"""Where OpenEnv is not installed an example runs with what its comment names instead."""
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
RUN_AS = {
    "python": [sys.executable],
    "parlay": [sys.executable, "-m", "cli.app"],
    "uvicorn": [sys.executable, "-m", "uvicorn"],
}
"""What runs in place of a program that a reader has in `.venv/bin`."""
START_S = 40.0
STOP_S = 15.0


def run(arguments: list[str], said: str = "") -> str:
    """What a program prints. Fails unless it succeeds."""
    done = subprocess.run(
        arguments, input=said, env=ENVIRONMENT, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=90, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_python(block: Block, url: str) -> str:
    """What an example prints."""
    text = block.text.replace(DEFAULT_URL, url)
    if importlib.util.find_spec("openenv") is None:
        text = text.replace(STOCK_CLIENT, "")
    return run([sys.executable, "-c", text])


def commands(name: str) -> list[list[str]]:
    """The words of every shell command of a page."""
    found = []
    for block in blocks(name):
        if block.kind == "sh":
            lines = block.text.replace("\\\n", " ").splitlines()
            found += [words for line in lines if (words := shlex.split(line, comments=True))]
    return found


def program_of(words: list[str]) -> str:
    """The program, without the folder that it lies in."""
    return Path(words[0]).name


def starts_a_server(words: list[str]) -> bool:
    """Does this command run until it is stopped?"""
    return "serve" in words[1:2] or "uvicorn" in program_of(words) or "parlay_env.server" in words


def serve(words: list[str], log: Path) -> str:
    """Start this server on a free port, see that it plays, stop it as an operator would; gives what it wrote."""
    port = str(free_port())
    command = [*RUN_AS[program_of(words)], *words[1:]]
    if "--port" in command:
        command[command.index("--port") + 1] = port
    command = ["127.0.0.1" if word == "0.0.0.0" else word for word in command]  # tests stay on this machine
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=ROOT, env={**ENVIRONMENT, "PARLAY_PORT": port}, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        deadline = time.monotonic() + START_S
        while (status := _status(port)) != "healthy":
            assert process.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        assert status == "healthy"
        process.send_signal(signal.SIGTERM)
        assert process.wait(STOP_S) in (0, -signal.SIGTERM)
    finally:
        process.kill()
        process.wait()
    return re.sub(r"\x1b\[[\d;]*m", "", log.read_text())


def _status(port: str) -> str:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2) as reply:
            return "healthy" if reply.status == 200 else ""
    except OSError:
        return ""

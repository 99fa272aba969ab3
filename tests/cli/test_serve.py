"""`parlay serve`: it serves until Ctrl-C, and says in a line why it can't."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pytest

from .conftest import COMMAND, ROOT, Run, environment, is_one_line


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def healthy(port: int, within: float = 60) -> bool:
    begin = time.monotonic()
    while time.monotonic() - begin < within:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
                return answer.status == 200
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    return False


@pytest.mark.parametrize("options", [(), ("--env-only",)])
def test_it_serves_until_ctrl_c(options: tuple[str, ...]) -> None:
    port = free_port()
    process = subprocess.Popen(
        [*COMMAND, "serve", "--port", str(port), *options],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert healthy(port)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0
    assert told.startswith(f"{'the environment' if options else 'Parlay'}: http://127.0.0.1:{port}")
    assert "Traceback" not in told


def test_a_taken_port_is_told_with_another(parlay: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = parlay("serve", "--port", str(port))
    assert found.returncode == 1
    assert is_one_line(found.stderr)
    assert f"port {port} is taken" in found.stderr
    assert f"--port {port + 1}" in found.stderr


def test_make_serve_tells_of_a_taken_port() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = subprocess.run(
            ["make", "--old-file=.venv/.base", "serve", f"PORT={port}"],
            cwd=ROOT,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
    assert found.returncode != 0
    assert found.stderr.startswith(f"parlay: port {port} is taken")
    assert f"make serve PORT={port + 1}" in found.stderr
    assert "http://" not in found.stdout + found.stderr


def test_an_address_that_is_not_ours_is_told(parlay: Run) -> None:
    found = parlay("serve", "--host", "203.0.113.7", "--port", "0")
    assert found.returncode == 2
    assert is_one_line(found.stderr)
    assert "127.0.0.1" in found.stderr


def test_a_setting_that_cannot_be_used_is_named(parlay: Run) -> None:
    found = parlay("serve", PARLAY_PORT="many")
    assert found.returncode == 2
    assert is_one_line(found.stderr)
    assert "PARLAY_PORT" in found.stderr

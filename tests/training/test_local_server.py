"""A run's own server: it answers, and it goes with the run, however that one goes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

from training.local_server import serving

PROGRAM = """
import sys, time
from training.local_server import serving
with serving() as url:
    print(url, flush=True)
    time.sleep(600)
"""


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=5):
            return True
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def test_it_lives_as_long_as_its_context() -> None:
    with serving() as url:
        assert answers(url)
    assert not answers(url)


def test_it_goes_with_a_run_that_was_killed() -> None:
    run = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    url = run.stdout.readline().strip()
    assert answers(url)
    run.send_signal(signal.SIGKILL)
    run.wait()
    run.stdout.close()
    until = time.monotonic() + 30
    while answers(url) and time.monotonic() < until:
        time.sleep(0.05)
    assert not answers(url)

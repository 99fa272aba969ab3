"""What a page tells a reader to run, run here: against the tests' own server, with the tests' own interpreter."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

from tests.clients.servers import ROOT

from .pages import DEFAULT_URL, Block

STOCK_CLIENT = "from openenv.core import GenericEnvClient  # or: "
"""Where OpenEnv is not installed an example runs with what its comment names instead."""


def run_python(block: Block, url: str) -> str:
    """What an example prints. It runs in a folder of nobody's, as a reader's own file would."""
    text = block.text.replace(DEFAULT_URL, url)
    if importlib.util.find_spec("openenv") is None:
        text = text.replace(STOCK_CLIENT, "")
    done = subprocess.run(
        [sys.executable, "-c", text],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout

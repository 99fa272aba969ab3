"""The command line as a person has it: a process of its own, its output as text."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "cli.app")
Run = Callable[..., subprocess.CompletedProcess[str]]


def environment(**more: str) -> dict[str, str]:
    """This process's environment without what would change how output looks."""
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "FORCE_COLOR", "NO_COLOR")}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **more}


@pytest.fixture
def parlay(tmp_path: Path) -> Run:
    """Run `parlay` with these arguments in an empty folder."""

    def run(*arguments: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *arguments],
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            cwd=tmp_path,
            env=environment(**env),
            timeout=120,
            check=False,
        )

    return run


def is_one_line(text: str) -> bool:
    """One line, and no traceback."""
    return text.count("\n") == 1 and text.startswith("parlay: ") and "Traceback" not in text

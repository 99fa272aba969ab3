"""The exploits that no player can express: the tests that show it, run by pytest."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import msgspec

from training.audit import by_construction
from training.rules import ROOT

HOW = "run `make install-dev` in a checkout of the project, and `.venv/bin/parlay audit --tests` there"


class TestRun(msgspec.Struct, frozen=True):
    """What came of the tests."""

    __test__ = False
    passed: bool
    told: str
    """pytest's last line, or its whole output where a test failed."""


class NoTests(RuntimeError):
    """There is no pytest here, or there are no tests; the message says what to do."""


def named_tests() -> list[str]:
    """Every test that an exploit which can't be played names, once."""
    return list(dict.fromkeys(test for one in by_construction() for test in one.tests))


def run_tests() -> TestRun:
    """Run them all. Raises NoTests."""
    if find_spec("pytest") is None:
        raise NoTests(f"pytest is not installed; {HOW}")
    if not (ROOT / "tests").is_dir():
        raise NoTests(f"an installed release has no tests; {HOW}")
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", *named_tests()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    lines = done.stdout.strip().splitlines() or done.stderr.strip().splitlines() or ["pytest said nothing"]
    passed = done.returncode == 0
    return TestRun(passed, lines[-1].strip("= ") if passed else "\n".join(lines))

"""Test data that is no part of the project: it lies in a folder `shared`, in the project's root or beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CASINO = "data/casino/casino_valid.json"
BILATERAL = "data/oracles/bilateral.json"


def shared(path: str) -> Path:
    """A file of it; without it the test is skipped."""
    for folder in (ROOT / "shared", ROOT.parent / "shared"):
        if (folder / path).is_file():
            return folder / path
    pytest.skip(f"this test data is not part of the project, and not here: shared/{path}")

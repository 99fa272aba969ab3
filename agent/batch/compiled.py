"""Compiled functions: Numba's, kept on disk from one process to the next.

Numba keeps a compiled function for as long as its own file is unchanged, whatever becomes of the constants and the
functions that it uses. So what is kept lies in a folder named after all the sources that enter it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import Any

import numba
from numba.core import config

_SOURCES = {
    "agent": ("formulas.py", "numbers.py", "purposes.py"),
    "game": ("cards.py",),
    "parlay_env": ("rng.py", "reward.py"),
    "parlay_env.deal": ("conduct.py", "numbers.py", "state.py", "terms.py"),
}


def cache_folder() -> Path:
    """Where compiled functions are kept: `$NUMBA_CACHE_DIR` or the user's cache folder, and in it a folder for these
    very sources."""
    digest = blake2b(digest_size=8)
    for package, names in _SOURCES.items():
        for name in names:
            digest.update(files(package).joinpath(name).read_bytes())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    given = os.environ.get("NUMBA_CACHE_DIR")
    base = Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "parlay"
    return base / f"kernels-{digest.hexdigest()}"


_FOLDER = str(cache_folder())


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, compiled at its first call; all that it calls must be compiled too."""
    before = config.CACHE_DIR  # pyright: ignore[reportAttributeAccessIssue]
    config.CACHE_DIR = _FOLDER  # pyright: ignore[reportAttributeAccessIssue]
    try:
        return numba.njit(cache=True)(function)
    finally:
        config.CACHE_DIR = before  # pyright: ignore[reportAttributeAccessIssue]

"""What it was measured on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("fastapi", "msgspec", "numpy", "pydantic", "uvicorn", "uvloop", "websockets")


def machine() -> dict[str, Any]:
    """Cores, processor, Python, system, packages, and how busy it was at the start."""
    return {
        "cores": os.cpu_count() or 1,
        "cpu": _cpu(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.release()}",
        "load_before": round(os.getloadavg()[0], 1),
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
    }


def in_words(found: dict[str, Any]) -> str:
    """The machine in a line."""
    cores = f"{found['cores']} core{'s' if found['cores'] > 1 else ''}"
    packages = ", ".join(f"{name} {number}" for name, number in found["packages"].items())
    return (
        f"{cores}, {found['cpu']}, {found['python']}, {found['system']}; {packages}; "
        f"load average before the run {found['load_before']}"
    )


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""

"""`openenv validate` as its users run it: on the tree, and on a running server."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from harness import BIN, ROOT


def openenv(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line of the installed release, run at the root of the tree."""
    return subprocess.run(
        [str(BIN / "openenv"), *arguments], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.release("0.3")
def test_the_tree_is_ready_for_every_deployment_mode() -> None:
    report = openenv("validate", ".", "--json", "--verbose")
    assert report.returncode == 0, report.stdout + report.stderr
    found: dict[str, Any] = json.loads(report.stdout)
    assert found["issues"] == []
    assert found["deployment_modes"] == dict.fromkeys(("docker", "openenv_serve", "uv_run", "python_module"), True)


@pytest.mark.release("0.10")
def test_the_tree_passes_the_static_level() -> None:
    report = openenv("validate", ".", "--level", "static")
    assert report.returncode == 0, report.stdout + report.stderr
    assert "Verdict: PASS" in report.stdout


def test_a_running_server_meets_every_criterion(url: str, tmp_path: Path) -> None:
    report = openenv("validate", "--url", url, "--json")
    assert report.returncode == 0, report.stdout + report.stderr
    found: dict[str, Any] = json.loads(report.stdout)
    criteria = {criterion["id"]: criterion["passed"] for criterion in found["criteria"]}
    assert len(criteria) == 6
    assert all(criteria.values()), criteria
    assert (found["mode"], found["standard_profile"]) == ("simulation", "openenv-http/1.x")

"""Installed, Parlay is found by name; published, by catalogue."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from harness import BIN, ROOT
from openenv.auto import AutoAction, AutoEnv
from openenv.auto._discovery import reset_discovery


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both releases remember what they found, in different places outside the environment."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    reset_discovery()


def test_it_is_found_by_name() -> None:
    info = AutoEnv.get_env_info("parlay")
    assert (info["package"], info["module"]) == ("openenv-parlay-env", "parlay_env.client")
    assert info["description"].startswith("Two-sided negotiation"), "the manifest is not inside the installed package"
    assert AutoAction.from_env("parlay").__name__ == "ParlayAction"


def test_a_client_found_by_name_plays(url: str) -> None:
    with AutoEnv.from_env("parlay", base_url=url).sync() as env:
        assert env.reset(seed=7, scenario_id="saas_enterprise").done is False


@pytest.mark.release("0.10")
def test_it_stands_in_a_catalogue(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    shutil.copytree(ROOT / "envs", repository / "envs")
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(ROOT / name, repository / name)
    author = ["-c", "user.name=Parlay", "-c", "user.email=parlay@example.org"]
    for command in (["init", "-q"], ["add", "-A"], [*author, "commit", "-q", "-m", "Publish"]):
        subprocess.run(["git", "-C", str(repository), *command], check=True, timeout=60)
    output = tmp_path / "catalog.json"
    address = "https://github.com/parlay-env/parlay.git"
    arguments = ["--repository", str(repository), "--repository-uri", address, "--publisher", "example.org"]
    built = subprocess.run(
        [str(BIN / "openenv"), "catalog", "build", *arguments, "--output", str(output)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    catalog = json.loads(output.read_text())
    assert catalog["complete"] is True
    assert catalog["issues"] == []
    published = {(entry["displayName"], entry["data"]["license"]) for entry in catalog["entries"]}
    assert published == {(path.name, "MIT") for path in (ROOT / "envs").iterdir()}
    assert ("parlay_env", "MIT") in published

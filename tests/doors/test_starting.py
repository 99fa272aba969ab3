"""Starting a server: what it needs, what it takes from its environment, what it does not load.

How soon it answers is a row of `parlay bench --rows startup`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from parlay_env.settings import Settings

from .support import ROOT, process

HEAVY = (
    "openenv",
    "openenv_core",
    "gradio",
    "torch",
    "transformers",
    "trl",
    "google",
    "numpy",
    "fastmcp",
    "ray",
    "openai",
    "numba",
    "scipy",
    "pandas",
    "pyarrow",
)


def python(code: str, **env: str) -> str:
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **env}, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


def test_a_server_imports_nothing_heavy_also_when_it_has_played() -> None:
    code = f"""
import json, sys
import main
from parlay_env.models import ParlayAction, ResetOptions
from parlay_env.session import Session
session = Session.open(ResetOptions())
session.step(ParlayAction(walk_away=True))
main.app.openapi()
print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))
"""
    assert json.loads(python(code)) == []


@pytest.mark.parametrize("command", [("parlay_env.server",), ("main",), ("uvicorn", "main:app")])
def test_a_server_is_started_and_stopped(command: tuple[str, ...], tmp_path: Path) -> None:
    with process(tmp_path, *command) as server:
        server.terminate()
        server.wait()
        assert "Traceback" not in server.output()


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {
        "PARLAY_PORT": "8123",
        "PARLAY_HOST": "0.0.0.0",
        "PARLAY_MAX_SESSIONS": "7",
        "PARLAY_IDLE_SECONDS": "12.5",
        "PARLAY_ALLOWED_ORIGINS": "https://a.example/, https://b.example",
        "PARLAY_SECRET": "hush",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    settings = Settings()
    assert (settings.port, settings.host, settings.max_sessions, settings.idle_seconds) == (8123, "0.0.0.0", 7, 12.5)
    assert settings.allowed_origins == ("https://a.example", "https://b.example")
    assert "hush" not in repr(settings)


@pytest.mark.parametrize(
    ("name", "value"), [("PORT", "0x1"), ("MAX_SESSIONS", "0"), ("IDLE_SECONDS", "-1"), ("MESSAGE_BYTES", "10")]
)
def test_a_wrong_setting_is_named(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"PARLAY_{name}", value)
    with pytest.raises(ValidationError, match=name.lower()):
        Settings()


def test_every_setting_is_described() -> None:
    assert all(field.description for field in Settings.model_fields.values())


def test_defaults_are_generous() -> None:
    settings = Settings()
    assert settings.max_sessions >= 1024
    assert settings.sessions_per_socket == 64
    assert (settings.idle_seconds, settings.ping_seconds, settings.pong_seconds) == (1800, 20, 120)

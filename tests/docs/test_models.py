"""docs/models.md: its example runs, its tables name what there is, its figures add up."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer.main

from agent.llm import base
from agent.llm.names import Manner
from agent.llm.providers import provider
from agent.llm.spoken import CLASSES
from cli.app import app
from tests.clients.servers import ROOT

from .pages import blocks, read
from .snippets import commands

PAGE = "docs/models.md"


def first_cells(heading: str) -> list[str]:
    """The first column of the table whose first heading is this one."""
    lines = read(PAGE).partition(f"| {heading} |")[2].splitlines()[2:]
    rows = lines[: next(i for i, line in enumerate([*lines, ""]) if not line.startswith("|"))]
    return [name for row in rows for name in re.findall(r"[\w./-]+", row.split("|")[1].replace("`", ""))]


def test_the_example_prints_what_the_page_shows() -> None:
    code, output = (next(one for one in blocks(PAGE) if one.kind == kind) for kind in ("python", "text output"))
    done = subprocess.run([sys.executable, "-c", code.text], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == output.text.strip()


def test_the_page_has_every_option_of_a_provider() -> None:
    given = [name for name in inspect.signature(provider).parameters if name != "name"]
    assert first_cells("option of `provider`") == given


def test_the_page_has_every_option_of_a_players_name() -> None:
    rows = read(PAGE).partition("### What SmolLM2 says")[0].partition("as two policies")[2].partition("Every answer")[0]
    given = dict(re.findall(r"^\| `(\w+)` \| (\S+) \|", rows, re.MULTILINE))
    manner = Manner()
    assert given == {name: str(getattr(manner, name)).lower() for name in Manner.__struct_fields__}


def test_the_page_has_every_class_and_every_error() -> None:
    assert first_cells("class") == list(CLASSES)
    errors = {name for name, one in vars(base).items() if isinstance(one, type) and issubclass(one, Exception)}
    assert set(first_cells("error")) == errors - {"ProviderError"}


def test_the_page_has_every_option_of_the_command_for_models() -> None:
    group: Any = typer.main.get_command(app)
    command = group.commands["run"]
    options = [one.opts[0] for one in command.params if (one.help or "").startswith("Language models:")]
    assert sorted(first_cells("option of `parlay run` and `parlay eval`")) == sorted(options)


@pytest.mark.parametrize("words", [words for words in commands(PAGE) if words[0] == ".venv/bin/parlay"], ids=" ".join)
def test_every_command_for_a_model_is_understood(words: list[str], tmp_path: Path) -> None:
    """It asks for a policy, a key or a file that isn't here at worst, and never for another spelling."""
    done = subprocess.run(
        [sys.executable, "-m", "cli.app", *words[1:], "--max-tokens", "1"],
        cwd=tmp_path,
        env={"PATH": "", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    missing = re.fullmatch(r"parlay: \S+ needs a key: set (OPENAI|GEMINI)_API_KEY.*\n", done.stderr)
    assert missing or done.returncode == 0, done.stderr


def test_the_measured_shares_add_up() -> None:
    measured = read(PAGE).partition("### What SmolLM2 says")[2]
    shares = re.findall(r"((?: [\d.]+ % \|){4})", measured)
    assert len(shares) >= 2
    for row in shares:
        assert sum(map(float, re.findall(r"[\d.]+", row))) == pytest.approx(100, abs=0.25)

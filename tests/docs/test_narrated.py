"""docs/models.md on personas that speak through a model: its example runs, and its figures are the suite's."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from agent.llm.injections import injections
from agent.llm.voices import SECONDS, Counts
from agent.llm.wording import CHECKS
from tests.clients.servers import ROOT

from .pages import blocks, section
from .snippets import ENVIRONMENT

PAGE = "docs/models.md"
SPEAKING, INJECTION = "Opponents that speak through a model", "Injection"


def test_the_suite_is_as_large_as_the_page_says() -> None:
    languages = Counter(one.language for one in injections())
    kinds = len({one.kind for one in injections()})
    counted = [int(number) for number in re.findall(r"\d+", section(PAGE, INJECTION).partition("kinds")[0])]
    assert counted == [len(injections()), languages["en"], languages["zh"], kinds]


def test_every_count_and_every_check_is_explained() -> None:
    text = section(PAGE, SPEAKING)
    assert all(f"`{name}`" in text for name in (*Counts.__struct_fields__, *CHECKS))
    assert f"({SECONDS:g} by default)" in text


def test_what_was_measured_stands_there_with_its_command_and_nothing_leaked() -> None:
    text = section(PAGE, INJECTION)
    assert "`parlay injection-study" in text
    rows = re.findall(r"^\| all \| (\d+) \| [\d,]+ \| (\d+) \| (\d+) \| (\d+) \|", text, re.MULTILINE)
    assert len(rows) == 2
    assert rows[0][0] == str(len(injections()))
    assert all(row[1:] == ("0", "0", "0") for row in rows)
    assert "`parlay narrate" in section(PAGE, SPEAKING)


@pytest.mark.slow
def test_the_example_plays_two_moves(tmp_path: Path) -> None:
    (example,) = [block for block in blocks(PAGE) if block.kind == "python" and block.heading == SPEAKING]
    script = tmp_path / "example.py"
    script.write_text(example.text, "utf-8")
    done = subprocess.run([sys.executable, str(script)], env=ENVIRONMENT, cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.decode().splitlines()
    assert len([line for line in lines if " | " in line]) == 2
    assert lines[-1].startswith("Counts(")

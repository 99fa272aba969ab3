"""The page about reading people says what the reader does: its example, its failures, its figures."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from parlay_env.amounts import amounts
from tests.cli.conftest import COMMAND, environment
from tests.shared import CASINO, shared
from training.reading.formats import CAMPING, dialogues
from training.reading.numerals import number
from training.reading.reader import read
from training.reading.report import Report, labels_of, markdown, report, rubric_markdown

from .pages import ROOT, blocks
from .pages import read as page_text

NAME = "docs/reading.md"
PAGE = page_text(NAME)


def rows(heading: str) -> list[list[str]]:
    """The rows of the first table under a heading, below its head."""
    part = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_example_ends_as_the_page_says() -> None:
    shown = next(block.text for block in blocks(NAME) if block.kind == "console")
    said = next(block.text for block in blocks(NAME) if block.kind == "text")
    _, _, after = shown.partition("$ parlay ")
    command, _, talk = after.partition(" <<'END'\n")
    found = subprocess.run(
        [*COMMAND, *command.split()],
        input=talk.partition("END")[0],
        capture_output=True,
        encoding="utf-8",
        env=environment(),
        check=True,
    )
    assert said.strip() in found.stdout


def test_the_python_example_reads_the_split() -> None:
    example = next(block.text for block in blocks(NAME) if block.kind == "python")
    names: dict[str, Any] = {}
    exec(example, names)
    (offer,) = names["found"].offers
    assert {part.issue: (part.me, part.you) for part in offer.parts} == {
        "Food": (1, 2),
        "Water": (3, 0),
        "Firewood": (3, 0),
    }


@pytest.mark.parametrize("row", rows("What fails"), ids=lambda row: row[0])
def test_what_fails_fails_as_the_page_says(row: list[str]) -> None:
    sentence, said = row[0].strip("`"), row[1]
    parts = [part for offer in read(sentence, CAMPING).offers for part in offer.parts]
    mine = ", ".join(f"{part.issue} {part.me}" for part in parts) or "nothing"
    assert mine == said


def figure(value: float | None) -> str:
    if value is None:
        return "nothing"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.10g}" if value < 1_000 else f"{value:,.2f}"


@pytest.mark.parametrize("row", rows("Three readers of figures"), ids=lambda row: row[0])
def test_two_readers_of_figures_differ_as_the_page_says(row: list[str]) -> None:
    written = row[0].strip("`")
    (named,) = amounts(f"I would pay {written} for it") or (None,)
    assert figure(named) == row[2]
    assert figure(number(written)) == row[3]


def test_the_field_s_reader_of_figures_differs_as_the_page_says(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed here, and the field's reader is JavaScript")
    module = tmp_path / "figures.mjs"
    module.write_text((ROOT / "dashboard/static/app/figures.js").read_text("utf-8"), "utf-8")
    table = rows("Three readers of figures")
    script = f"""
        import {{ parseFigure }} from "{module.as_uri()}";
        for (const text of process.argv.slice(1)) console.log(parseFigure(text));
    """
    found = subprocess.run(
        [node, "--input-type=module", "-e", script, *(row[0].strip("`") for row in table)],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    shown = [figure(None if line == "null" else float(line)) for line in found.stdout.split()]
    assert shown == [row[1] for row in table]


@pytest.fixture(scope="module")
def measured() -> Report:
    labels = labels_of((ROOT / "tests/training/reading/casino_offers.json").read_bytes())
    return report(dialogues(shared(CASINO).read_bytes()), 15, labels)


def test_the_measures_are_those_of_the_command(measured: Report) -> None:
    assert markdown(measured) in PAGE


def test_the_rubric_s_correlations_are_those_of_the_command(measured: Report) -> None:
    shown = PAGE.partition("<!-- rubric -->")[2].partition("<!-- /rubric -->")[0].strip()
    digits = re.compile(r"−?\d+\.\d+")
    computed = rubric_markdown(measured)
    assert digits.sub("#", shown) == digits.sub("#", computed)
    pairs = zip(digits.findall(shown), digits.findall(computed), strict=True)
    assert all(abs(float(a.replace("−", "-")) - float(b.replace("−", "-"))) <= 0.011 for a, b in pairs)

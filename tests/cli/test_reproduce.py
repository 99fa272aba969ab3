"""`parlay reproduce` prints published figures beside ours, and writes them where it is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run, is_one_line


def test_an_experiment_is_printed_with_verdicts(parlay: Run) -> None:
    found = parlay("reproduce", "curriculum", "--seeds", "5")
    assert found.returncode == 0
    assert "15.7 skill" in found.stdout
    assert "reproduced" in found.stdout
    assert "What should a proposer be paid" in found.stdout
    assert "of 5 published figures reproduced" in found.stdout


def test_json_on_standard_output_is_all_there_is(parlay: Run) -> None:
    found = parlay("reproduce", "curriculum", "--seeds", "3", "--json", "-")
    (one,) = json.loads(found.stdout)["experiments"]
    assert one["seeds"] == 3
    assert {figure["name"] for figure in one["figures"]} >= {"easiest", "oracle", "random"}
    assert len(one["curves"][0]["steps"]) == len(one["curves"][0]["value"])


def test_a_page_gets_the_findings_and_a_picture_between_its_marks(parlay: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Before\n<!-- reproduction:begin -->\nold\n<!-- reproduction:end -->\nafter\n", "utf-8")
    assert parlay("reproduce", "curriculum", "--seeds", "3", "--write", "page.md").returncode == 0
    text = page.read_text("utf-8")
    assert text.startswith("# Before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert "](page.png)" in text
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "way_out"),
    [
        (("leverz",), "did you mean levers?"),
        (("levers", "--seeds", "1"), "--seeds"),
        (("levers", "--json", "no/such/folder.json"), "no such folder"),
        (("levers", "--write", "no/page.md"), "reproduction:begin"),
    ],
)
def test_what_is_asked_wrongly_is_answered_before_anything_is_run(
    parlay: Run, arguments: tuple[str, ...], way_out: str
) -> None:
    found = parlay("reproduce", *arguments)
    assert found.returncode == 2
    assert is_one_line(found.stderr)
    assert way_out in found.stderr

"""`parlay read`: what was read is printed and written, and what can't be read is answered with one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.training.reading.made import AGREED, casino

from .conftest import Run, is_one_line

TALK = json.dumps(
    [
        {"speaker": "Ann", "text": "I need water the most. How about I take all the water and you take two food?"},
        {"speaker": "Bo", "text": "Sounds good to me!"},
    ]
)
ISSUES = ("--issues", "Food:3,Water:3")


def test_a_dialogue_is_shown_with_what_was_read_beside_each_line(parlay: Run) -> None:
    found = parlay("read", "-", *ISSUES, "--show", "1", stdin=TALK)
    assert found.returncode == 0, found.stderr
    shown = " ".join(found.stdout.split())
    assert "claims priority Water" in shown
    assert "accepts" in shown
    assert "At the end: Ann: Food 1, Water 3; agreed." in shown


def test_a_file_without_annotations_is_summed_up(parlay: Run, tmp_path: Path) -> None:
    (tmp_path / "talk.json").write_text(TALK, "utf-8")
    found = parlay("read", "talk.json", *ISSUES)
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines()[-1].split() == ["1", "2", "1", "Ann:", "Food", "1,", "Water", "3", "yes"]


def test_everything_is_written_as_json(parlay: Run, tmp_path: Path) -> None:
    found = parlay("read", "-", *ISSUES, "--json", "read.json", stdin=TALK)
    assert found.returncode == 0, found.stderr
    written = json.loads((tmp_path / "read.json").read_text("utf-8"))
    assert written == json.loads(parlay("read", "-", *ISSUES, "--json", "-", stdin=TALK).stdout)
    (dialogue,) = written["dialogues"]
    assert dialogue["deal"] == {"Food": 1, "Water": 3}
    assert dialogue["agreed"]
    assert [line["offers"] for line in dialogue["lines"]] == [{"Food": 1, "Water": 3}, {}]


def test_without_issues_a_price_is_read(parlay: Run) -> None:
    said = [{"speaker": "A", "text": "I ask for a hundred and fifty thousand"}, {"speaker": "B", "text": "Deal"}]
    found = parlay("read", "-", "--show", "1", stdin=json.dumps(said))
    assert "At the end: price 150,000; agreed." in found.stdout


def test_annotated_dialogues_are_measured(parlay: Run, tmp_path: Path) -> None:
    (tmp_path / "casino.json").write_bytes(casino(*AGREED, points_made=(23, 19)))
    labels = {"held_out": {"1": {"0": {"Food": 3, "Water": 2, "Firewood": 0}}}}
    (tmp_path / "labels.json").write_text(json.dumps(labels), "utf-8")
    found = parlay("read", "casino.json", "--labels", "labels.json")
    assert found.returncode == 0, found.stderr
    printed = [" ".join(line.split()) for line in found.stdout.splitlines()]
    assert "final deals 1/1 = 100 % (21…100) 1/1 = 100 % (21…100)" in printed
    assert "offers 1/1 = 100 % (21…100) 1/1 = 100 % (21…100)" in printed


@pytest.mark.parametrize(
    ("arguments", "stdin", "told"),
    [
        (("nowhere.json",), "", "name another file"),
        (("-",), "", "no JSON"),
        (("-",), "[]", "no list of dialogues"),
        (("-",), '[{"speaker": "A", "text": "hi"}]', "two negotiate"),
        (("-",), '[{"speaker": 1, "text": "hi"}]', "speaker"),
        (("-", "--issues", "Food:many"), TALK, "Food:3,Water:3"),
        (("-", "--issues", "Food:3,Food:2"), TALK, "name of its own"),
        (("-", "--issues", ","), TALK, "name of its own"),
        (("-", *ISSUES, "--show", "2"), TALK, "1 to 1"),
        (("-", *ISSUES, "--split", "1"), TALK, "leaves nothing"),
        (("-", *ISSUES, "--labels", "nowhere.json"), TALK, "name another file"),
        (("-", *ISSUES, "--json", "no/such/folder.json"), TALK, "no such folder"),
    ],
)
def test_what_can_t_be_read_is_answered_with_one_line(
    parlay: Run, arguments: tuple[str, ...], stdin: str, told: str
) -> None:
    found = parlay("read", *arguments, stdin=stdin)
    assert found.returncode == 2
    assert is_one_line(found.stderr), found.stderr
    assert told in found.stderr

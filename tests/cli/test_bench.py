"""`parlay bench`: the rows, their form, and where they are written. Speed itself is not tested here."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.bench.rows import MARKS, Row, absolute, markdown, relative

from .conftest import ROOT, Run, is_one_line

LINUX = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")


def rows(parlay: Run, folder: Path, *arguments: str) -> list[dict[str, Any]]:
    found = parlay("bench", "--quick", "--json", "bench.json", *arguments)
    assert found.returncode == 0, found.stderr
    content = json.loads((folder / "bench.json").read_text())
    assert content["quick"] is True
    assert content["machine"]["cores"] >= 1
    assert content["machine"]["python"].startswith("CPython 3.")
    assert all(row["what"].split()[0] in found.stdout for row in content["rows"])
    return content["rows"]


def test_the_core_is_measured_by_scenario_words_and_persona(parlay: Run, tmp_path: Path) -> None:
    found = rows(parlay, tmp_path, "--rows", "core")
    assert len(found) == 8
    assert {row["bar"] for row in found} == {"≥ 10,000", "≥ 25,000", "≥ 0.5 ×"}
    for row in found:
        assert row["measured"] > 0
        assert row["kept"] in (True, False)
        if "Veteran" in row["what"]:
            assert row["ratio"] == pytest.approx(row["measured"] / row["floor"])


def test_the_batched_core_is_measured_against_the_scalar_one(parlay: Run, tmp_path: Path) -> None:
    found = rows(parlay, tmp_path, "--rows", "batch")
    assert [row["bar"] for row in found] == ["≥ 20 ×", "1,000,000", "≥ 5 ×", "–"]
    for row in (found[0], found[2]):
        assert row["ratio"] == pytest.approx(row["measured"] / row["floor"])
        assert row["ratio"] > 1
    assert found[1]["note"] == ("reached" if found[1]["measured"] >= 1_000_000 else "not yet")
    assert (found[3]["unit"], found[3]["note"]) == ("s", "not timed")


def test_the_debrief_is_measured_in_hindsight_and_fairly(parlay: Run, tmp_path: Path) -> None:
    found = rows(parlay, tmp_path, "--rows", "debrief")
    assert [(row["group"], row["unit"], row["bar"]) for row in found] == [
        ("debrief", "s", "≤ 1"),
        ("debrief", "s", "≤ 5"),
    ] * 2
    assert all(row["measured"] > 0 for row in found)


@LINUX
def test_startup_and_idle_sessions_are_measured(parlay: Run, tmp_path: Path) -> None:
    found = rows(parlay, tmp_path, "--rows", "startup,idle")
    assert [(row["group"], row["unit"]) for row in found] == [
        ("startup", "s"),
        ("startup", "MB"),
        ("idle", "KB"),
        ("idle", ""),
    ]
    assert found[0]["ratio"] == pytest.approx(found[0]["measured"] / found[0]["floor"])
    assert 10 < found[1]["measured"] < 1000
    assert found[3]["measured"] == 0


@LINUX
@pytest.mark.slow
def test_the_socket_is_measured_and_a_floor_that_is_missing_is_said_to_be(
    parlay: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = rows(parlay, tmp_path, "--rows", "socket")
    assert [row["unit"] for row in found] == ["µs", "µs", "/s", "µs"]
    has_openenv = (ROOT / "tests/openenv/.venv/0.10/bin/python").exists()
    for row in found[:3]:
        assert row["measured"] > 0
        assert (row["floor"] is not None) == has_openenv
        assert (row["note"] == "floor not measured") == (not has_openenv)
    assert found[3]["ratio"] == pytest.approx(found[3]["measured"] / found[3]["floor"])


@LINUX
def test_a_python_without_openenv_is_told_in_a_line(parlay: Run) -> None:
    found = parlay("bench", "--quick", "--rows", "socket", "--openenv-python", sys.executable)
    assert found.returncode == 1
    assert is_one_line(found.stderr)
    assert "No module named 'openenv'" in found.stderr


def test_the_table_is_written_between_the_marks(parlay: Run, tmp_path: Path) -> None:
    document = tmp_path / "performance.md"
    document.write_text(f"before\n{MARKS[0]}\nold\n{MARKS[1]}\nafter\n", "utf-8")
    found = parlay("bench", "--quick", "--rows", "core", "--write", "performance.md")
    assert found.returncode == 0, found.stderr
    text = document.read_text("utf-8")
    assert text.startswith(f"before\n{MARKS[0]}\nMeasured on ")
    assert text.endswith(f"|\n{MARKS[1]}\nafter\n")
    assert "| saas_enterprise, with words and log: Veteran |" in text
    assert "old" not in text


def test_a_document_without_a_place_is_told_before_anything_is_measured(parlay: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("nothing here", "utf-8")
    found = parlay("bench", "--write", "notes.md")
    assert found.returncode == 2
    assert is_one_line(found.stderr)
    assert MARKS[0] in found.stderr
    assert (tmp_path / "notes.md").read_text() == "nothing here"


def test_rows_know_whether_their_bar_is_kept() -> None:
    assert absolute("g", "w", 10, "/s", least=10).kept is True
    assert absolute("g", "w", 9, "/s", least=10).kept is False
    assert absolute("g", "w", 30, "KB", most=30).kept is True
    assert absolute("g", "w", 1, "", most=0).kept is False
    assert relative("g", "w", 3, "µs", 10, "floor", most=0.35).kept is True
    assert relative("g", "w", 4, "µs", 10, "floor", most=0.35).kept is False
    assert relative("g", "w", 19, "/s", 10, "floor", least=2).kept is False


def test_a_row_without_its_floor_says_so() -> None:
    row = relative("g", "w", 3, "µs", None, "echo", most=0.35)
    assert row == Row("g", "w", 3, "µs", "≤ 0.35 ×", None, None, "echo", None, "floor not measured")
    assert "| w | 3 µs | echo: – | – | ≤ 0.35 × | floor not measured |" in markdown([row])

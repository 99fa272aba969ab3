"""`parlay audit`: a real audit over a real socket, its page and its JSON, and how it ends."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent.baselines.roster import CHASSIS
from cli import audit as command
from cli.console import BAD_INPUT, FAILED, Failure
from tests.training.conftest import CELLS, made_up_grid
from training.audit import BAR, Audit, audited, by_construction, judged, quick_cells
from training.audit_players import AuditPlan
from training.audit_report import MARKS
from training.audit_tests import NoTests, TestRun

from .conftest import COMMAND, Run, environment, is_one_line

PAGE = f"# Trust\n\n{MARKS[0]}\nnothing yet\n{MARKS[1]}\n\nMore.\n"


def asked(**given: Any) -> None:
    """Call the command with its usual options but for these."""
    usual: dict[str, Any] = {
        "only": "magpie,no_words",
        "episodes": 2,
        "split": "test",
        "seed_start": 0,
        "socket": 0,
        "workers": 1,
        "folder": None,
        "quick": True,
        "with_tests": False,
        "strict": False,
        "json_path": None,
        "document": None,
    }
    command.run_audit(**usual | given)


def finding(difference: Callable[[int], float]) -> Audit:
    """An audit in which the magpie's difference to the yardstick is this, round by round."""
    earned = {"bayes": lambda _: 0.0, CHASSIS: lambda _: -30.0, "magpie": difference, "no_words": lambda _: -30.0}
    grid = made_up_grid(lambda name, number: {"reward": earned[name](number)}, *earned, seeds=20)
    return judged(AuditPlan(tuple(earned), CELLS, "test", 0, 20 * len(CELLS)), grid)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[int], float]], None]:
    """What the audit is to find."""
    return lambda difference: monkeypatch.setattr(command, "_played", lambda *_: finding(difference))


# A real one -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_quick_audit_passes_here_and_over_the_socket(tmp_path: Path) -> None:
    """Everybody, against `bayes`. Whether a difference is proven is for the full audit to say."""
    (tmp_path / "page.md").write_text(PAGE, "utf-8")
    done = subprocess.run(
        [*COMMAND, "audit", "--quick", "--workers", "2", "--json", "audit.json", "--write", "page.md"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "audit.json").read_text("utf-8"))
    assert {one["policy"] for one in (*found["exploits"], *found["words"])} == set(audited())
    assert found["honest"][0]["policy"] == found["yardstick"] == "bayes"
    assert CHASSIS in {one["policy"] for one in found["honest"]}
    assert all(len(one["cells"]) == len(quick_cells()) for one in found["exploits"])
    assert all(one["differing"] == 0 for one in found["words"] if one["policy"] != "no_words")
    assert {one["policy"]: (one["episodes"], one["verdict"]) for one in found["socket"]} == dict.fromkeys(
        audited(), (command.QUICK_SOCKET, "equal")
    )
    assert found["failures"] == []
    page = (tmp_path / "page.md").read_text("utf-8")
    assert page.startswith(f"# Trust\n\n{MARKS[0]}\n`parlay audit --quick --workers 2 ")
    assert page.endswith(f"\n{MARKS[1]}\n\nMore.\n")
    assert all(f"| `{name}` | " in page for name in audited())
    for text in (done.stdout, page):
        assert all(test in text for one in by_construction() for test in one.tests)
    assert "equal to the last bit" in done.stdout


# How it ends ----------------------------------------------------------------------------------------------------------


def test_an_exploit_above_the_bar_ends_with_1_and_is_named(found: Any, capsys: pytest.CaptureFixture[str]) -> None:
    found(lambda n: BAR + 9 + n % 3)
    with pytest.raises(Failure, match="magpie comes too near") as failure:
        asked()
    assert failure.value.code == FAILED
    assert "FAILS" in capsys.readouterr().out


def test_what_is_not_proven_fails_a_strict_audit_alone(found: Any) -> None:
    found(lambda n: BAR + 0.1 + 30 * (n % 3 - 1))
    asked()
    with pytest.raises(Failure, match="not proven: magpie; more --episodes") as failure:
        asked(strict=True)
    assert failure.value.code == FAILED


def test_what_holds_is_enough_for_a_strict_one(found: Any) -> None:
    found(lambda n: BAR - 9 + n % 3)
    asked(strict=True)


def test_json_on_standard_output_is_all_there_is_on_it(found: Any, capsys: pytest.CaptureFixture[str]) -> None:
    found(lambda n: BAR - 9 + n % 3)
    asked(json_path=Path("-"))
    assert json.loads(capsys.readouterr().out)["exploits"][0]["policy"] == "magpie"


def test_a_test_that_fails_fails_the_audit(found: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found(lambda n: BAR - 9 + n % 3)
    monkeypatch.setattr(command, "run_tests", lambda: TestRun(True, "30 passed"))
    asked(with_tests=True)
    monkeypatch.setattr(command, "run_tests", lambda: TestRun(False, "1 failed"))
    with pytest.raises(Failure, match="a test of what can't be played fails"):
        asked(with_tests=True)


def test_where_there_is_no_pytest_it_says_how_to_run_the_tests(found: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def run_tests() -> TestRun:
        raise NoTests("pytest is not installed; run `make install-dev`")

    found(lambda n: BAR - 9)
    monkeypatch.setattr(command, "run_tests", run_tests)
    with pytest.raises(Failure, match="make install-dev") as failure:
        asked(with_tests=True)
    assert failure.value.code == BAD_INPUT


@pytest.mark.parametrize(
    ("given", "way_out"),
    [
        ({"only": "boulware"}, "exploit must be one of instant_accept"),
        ({"only": ","}, "--only names exploits"),
        ({"split": "dev"}, "train, validation, test"),
        ({"seed_start": 2**53}, "--seed-start counts from"),
        ({"socket": 481}, "480 tasks"),
        ({"json_path": Path("no/such/folder.json")}, "no such folder"),
        ({"document": Path("nowhere.md")}, MARKS[0]),
        ({"document": Path("page.md")}, "no place for the findings"),
    ],
)
def test_what_is_asked_wrongly_is_answered_before_anything_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], way_out: str
) -> None:
    (tmp_path / "page.md").write_text("# Trust\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "_played", lambda *_: pytest.fail("it plays"))
    with pytest.raises(Failure) as failure:
        asked(**given)
    assert failure.value.code == BAD_INPUT
    assert way_out in str(failure.value)


def test_a_person_gets_one_line_and_a_page_stays_as_it_was(parlay: Run, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE, "utf-8")
    done = parlay("audit", "--only", "magpie,boulware", "--write", "page.md")
    assert done.returncode == BAD_INPUT
    assert is_one_line(done.stderr)
    assert (tmp_path / "page.md").read_text("utf-8") == PAGE

"""`parlay scenarios`: what ships is listed and shown; a broken file is told every fault and what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from game.scenarios import SEATS, scenarios

from .conftest import ROOT, Run, is_one_line

DOCUMENT = (ROOT / "docs" / "scenarios.md").read_text("utf-8")
USED_CAR = DOCUMENT.partition("```yaml\n")[2].partition("```")[0]


def test_list_has_every_scenario(parlay: Run) -> None:
    found = parlay("scenarios", "list")
    assert found.returncode == 0
    assert all(scenario in found.stdout for scenario in scenarios())
    assert "125k / 165k USD" in found.stdout


@pytest.mark.parametrize("scenario", scenarios())
def test_show_has_both_sides_and_the_declared_figures(parlay: Run, scenario: str) -> None:
    found = parlay("scenarios", "show", scenario)
    assert found.returncode == 0
    words = " ".join(found.stdout.split())
    s = scenarios()[scenario]
    for seat in range(len(SEATS)):
        assert s.side(seat).role.en in words
        assert " ".join(s.side(seat).briefing.en.split()) in words
        assert f"{s.side(seat).limit:,.0f}" in words
    for headline in s.headlines:
        assert f"turn {headline.turn} ± 2, probability 80%" in words
    assert all(item.id in words for item in s.sweeteners)


def test_show_takes_a_file(parlay: Run, tmp_path: Path) -> None:
    (tmp_path / "used_car.yaml").write_text(USED_CAR, "utf-8")
    found = parlay("scenarios", "show", "used_car.yaml")
    assert found.returncode == 0
    assert "First-time driver" in found.stdout


def test_show_prints_a_text_as_it_is(parlay: Run, tmp_path: Path) -> None:
    (tmp_path / "car.yaml").write_text(USED_CAR.replace("en: Owner", "en: '[red]Owner[/nothing]'"), "utf-8")
    found = parlay("scenarios", "show", "car.yaml")
    assert found.returncode == 0
    assert "[red]Owner[/nothing]" in found.stdout


def test_a_good_file_is_said_to_be_fine_with_both_widths(parlay: Run, tmp_path: Path) -> None:
    (tmp_path / "used_car.yaml").write_text(USED_CAR, "utf-8")
    found = parlay("scenarios", "validate", "used_car.yaml")
    assert found.returncode == 0
    assert found.stdout.startswith("used_car.yaml is fine: used_car, 1 issue.")
    assert "seller 3,000, buyer 3,000 USD" in found.stdout


@pytest.mark.parametrize(
    ("change", "problems"),
    [
        (("limit: 8_000", "limits: 8_000"), ["did you mean `limit`?"]),
        (
            ("anchor: 13_000", "anchor: 7_000"),
            ["anchors: the seller's must be above its declared limit"],
        ),
        (("step: 50", "step: 5000"), ["issues.price.step: at most a twentieth of the width"]),
        (("limit: 11_000", "limit: many"), ["seller"]),
        (("cost: 0.02", "cost: 0.90"), ["sweeteners.winter_tyres"]),
        (("id: used_car", "id: [used_car"), ["not YAML"]),
    ],
)
def test_a_broken_file_is_told_what_would_be_right(
    parlay: Run, tmp_path: Path, change: tuple[str, str], problems: list[str]
) -> None:
    broken = USED_CAR.replace(*change)
    assert broken != USED_CAR
    (tmp_path / "broken.yaml").write_text(broken, "utf-8")
    found = parlay("scenarios", "validate", "broken.yaml")
    assert found.returncode == 1
    assert "broken.yaml can't be played:" in found.stdout
    assert is_one_line(found.stderr)
    if problems != ["seller"]:
        assert all(problem in found.stdout for problem in problems)


def test_every_fault_of_a_file_is_told(parlay: Run, tmp_path: Path) -> None:
    broken = USED_CAR.replace("anchor: 13_000", "anchor: 7_000").replace("step: 50", "step: 5000")
    (tmp_path / "broken.yaml").write_text(broken, "utf-8")
    told = parlay("scenarios", "validate", "broken.yaml").stdout
    assert "anchors:" in told
    assert "issues.price.step:" in told


@pytest.mark.parametrize(
    "command", [("scenarios", "show"), ("play", "--scenario"), ("run", "--policy", "boulware", "--scenario")]
)
def test_a_missing_file_is_named(parlay: Run, command: tuple[str, ...]) -> None:
    found = parlay(*command, "nofile.yaml")
    assert found.returncode == 2
    assert is_one_line(found.stderr)
    assert "there is no file nofile.yaml here" in found.stderr


def test_a_missing_file_alone_asks_for_nothing_else(parlay: Run) -> None:
    found = parlay("scenarios", "validate", "nofile.yaml")
    assert found.returncode == 1
    assert found.stdout == "there is no file nofile.yaml here\n"
    assert "mend" not in found.stderr


def test_play_and_run_take_a_file(parlay: Run, tmp_path: Path) -> None:
    (tmp_path / "used_car.yaml").write_text(USED_CAR, "utf-8")
    options = ("--seat", "seller", "--persona", "diplomat", "--seed", "1")
    played = parlay("play", "--scenario", "used_car.yaml", *options, stdin="walk\ny\n")
    assert played.returncode == 0, played.stderr
    assert "parlay play --scenario used_car.yaml --seat seller" in played.stdout
    named = "used_car.yaml,saas_enterprise"
    for workers in ("1", "2"):
        found = parlay(
            "run", "--policy", "boulware", "--episodes", "2", "--scenario", named, "--by", "scenario",
            "--workers", workers, "--json", "results.json",
        )  # fmt: skip
        assert found.returncode == 0, found.stderr
        assert '"scenario": "used_car.yaml"' in (tmp_path / "results.json").read_text()


def test_files_are_told_apart(parlay: Run, tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text(USED_CAR, "utf-8")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00\x01")
    found = parlay("scenarios", "validate", "good.yaml", "binary.yaml", "missing.yaml", ".")
    assert found.returncode == 1
    assert "good.yaml is fine" in found.stdout
    assert "there is no file missing.yaml here" in found.stdout
    for name in ("binary.yaml", "."):
        assert f"{name} can't be played:" in found.stdout
    assert "Traceback" not in found.stderr

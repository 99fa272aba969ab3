"""`parlay run`: paired seeds, the same results on any number of processes, figures that follow from the episodes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from parlay_env.tasks import seed_range

from .conftest import COMMAND, Run, environment

SMALL = ("--policy", "tit_for_tat,boulware", "--episodes", "25", "--scenario", "saas_enterprise,supplier_contract")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("run") / "results.json"
    subprocess.run(
        [*COMMAND, "run", *SMALL, "--persona", "shark", "--workers", "1", "--json", str(path)],
        env=environment(),
        capture_output=True,
        check=True,
    )
    return json.loads(path.read_text())


def test_any_number_of_processes_gives_the_same_results(parlay: Run, tmp_path: Path) -> None:
    printed = []
    for workers in ("1", "3"):
        found = parlay("run", *SMALL, "--persona", "shark", "--workers", workers, "--json", f"{workers}.json")
        assert found.returncode == 0, found.stderr
        printed.append(found.stdout)
    assert printed[0] == printed[1]
    assert (tmp_path / "1.json").read_bytes() == (tmp_path / "3.json").read_bytes()


def test_standard_output_gets_what_the_file_gets_and_nothing_else(parlay: Run, tmp_path: Path) -> None:
    small = ("run", "--policy", "conceder", "--episodes", "2", "--persona", "shark", "--json")
    assert parlay(*small, "one.json").returncode == 0
    found = parlay(*small, "-", PYTHONIOENCODING="ascii")
    assert found.returncode == 0, found.stderr
    assert found.stdout == (tmp_path / "one.json").read_text("utf-8")
    assert [file.name for file in tmp_path.iterdir()] == ["one.json"]


@pytest.mark.parametrize("command", [("injection-study",), ("bench", "--quick", "--rows", "core")], ids=" ".join)
def test_other_commands_write_json_to_standard_output_too(
    parlay: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    found = parlay(*command, "--json", "-")
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)
    assert not list(tmp_path.iterdir())


def test_policies_play_the_same_seeds_of_the_split(results: dict[str, Any]) -> None:
    played: dict[str, list[tuple[Any, ...]]] = {"tit_for_tat": [], "boulware": []}
    for one in results["episodes"]:
        played[one["policy"]].append((one["scenario"], one["persona"], one["seat"], one["seed"]))
    assert played["tit_for_tat"] == played["boulware"]
    first, _ = seed_range("validation")
    assert {seed for *_, seed in played["boulware"]} == set(range(first, first + 25))


def test_summaries_follow_from_the_episodes(results: dict[str, Any]) -> None:
    summary = next(s for s in results["summaries"] if s["by"] == "policy" and s["group"] == ["boulware"])
    mine = [one for one in results["episodes"] if one["policy"] == "boulware"]
    zopa = [one for one in mine if one["zopa"]]
    none = [one for one in mine if one["walk_was_right"]]
    expected = {
        "reward": fmean(one["reward"] for one in mine),
        "efficiency_given_zopa": fmean(one["efficiency"] for one in zopa),
        "deal_rate_given_zopa": fmean(one["deal"] for one in zopa),
        "walk_rate_without_zopa": fmean(one["end"] == "walk_away" and one["by"] == one["seat"] for one in none),
        "turns": fmean(one["turns"] for one in mine),
        "opponent_walked": fmean(one["end"] == "walk_away" and one["by"] != one["seat"] for one in mine),
        "breaches": fmean(one["breach"] for one in mine),
        "invalid_moves": fmean(one["invalid_moves"] for one in mine),
    }
    assert {key: summary[key]["value"] for key in expected} == pytest.approx(expected)
    assert summary["reward"]["low"] < summary["reward"]["value"] < summary["reward"]["high"]
    assert summary["efficiency_given_zopa"]["over"] == len(zopa)


def test_the_difference_is_that_of_the_means(results: dict[str, Any]) -> None:
    means = {s["group"][0]: s["reward"]["value"] for s in results["summaries"] if s["by"] == "policy"}
    difference = results["reward_difference_from_first"]["boulware"]
    assert difference["value"] == pytest.approx(means["boulware"] - means["tit_for_tat"])
    assert difference["low"] < difference["value"] < difference["high"]


def test_cells_have_rows_of_their_own(parlay: Run) -> None:
    found = parlay("run", "--policy", "conceder", "--episodes", "2", "--persona", "shark", "--by", "cell")
    assert found.returncode == 0, found.stderr
    assert found.stdout.count("shark, seller") == 4
    assert found.stdout.count("shark, buyer") == 4


def test_one_policy_has_no_difference(parlay: Run, tmp_path: Path) -> None:
    found = parlay("run", "--policy", "conceder", "--episodes", "2", "--persona", "shark", "--json", "one.json")
    assert found.returncode == 0, found.stderr
    assert json.loads((tmp_path / "one.json").read_text())["reward_difference_from_first"] == {}


def test_one_episode_has_no_interval(parlay: Run) -> None:
    found = parlay(
        "run", "--policy", "conceder", "--episodes", "1", "--persona", "shark", "--scenario", "hiring_package"
    )
    assert found.returncode == 0, found.stderr
    assert "…" not in found.stdout.split("Under a mean")[0]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_ends_it_in_a_line(workers: str) -> None:
    process = subprocess.Popen(
        [*COMMAND, "run", "--policy", "random", "--episodes", "100000", "--workers", workers],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        time.sleep(3)
        os.killpg(process.pid, signal.SIGINT)  # As a terminal does: to every process of the group.
        _, told = process.communicate(timeout=60)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 130
    assert told == "parlay: stopped\n"

"""The belief study: its statistics on rows with known answers, the same for any number of processes, what it writes."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from agent.baselines import UnknownPolicy
from agent.beliefs import Tracker
from agent.registry import OPPONENTS
from cli import belief_study as command
from cli.console import BAD_INPUT, Failure
from parlay_env.tasks import seed_range
from training import belief_study as engine
from training.belief_report import JSON, MARKDOWN, MARKS, PLOTS, decimals, percent, write
from training.belief_study import (
    ALL,
    CHUNK,
    POOLED,
    Row,
    Study,
    belief_plan,
    cases,
    crps,
    speed_of,
    study,
    summed_up,
    watched,
)
from training.plots import PlotsMissing
from training.record import EvaluationError
from training.stats import Estimate

FIRST = seed_range("train")[0]
EPISODES = CHUNK + 2
PAGE = f"# Trust\n\n{MARKS[0]}\nnothing yet\n{MARKS[1]}\n\nMore.\n"


def row(seed: int, turn: int, persona: str = "shark", **fields: Any) -> Row:
    """A row of one's choice: the tracker knows what the prior knows."""
    usual: dict[str, Any] = {
        "opened": turn == 1,
        "covered": True,
        "walk_covered": True,
        "width": 1.0,
        "crps": 0.2,
        "crps_prior": 0.2,
        "brier": 0.25,
        "brier_prior": 0.25,
        "milliseconds": None if turn == 1 else 1.0,
    }
    return Row(persona, seed, turn, **usual | fields)


def wide(estimate: Estimate | None) -> float:
    """How wide its interval is."""
    assert estimate is not None and estimate.low is not None and estimate.high is not None
    return estimate.high - estimate.low


@pytest.fixture(scope="session")
def found() -> Study:
    """A real study, a small one."""
    return study(belief_plan(EPISODES, split="train"))


# Statistics -----------------------------------------------------------------------------------------------------------


def test_the_score_of_a_normal_sample_is_its_closed_form() -> None:
    """Gneiting & Raftery 2007, equation 21, at the mean of a standard normal: (√2 − 1) / √π."""
    values = np.random.default_rng(1).normal(size=200_000)
    assert crps(values, np.full(len(values), 1 / len(values)), 0.0) == pytest.approx(
        (2**0.5 - 1) / np.pi**0.5, rel=0.01
    )
    weights = np.array([0.2, 0.5, 0.3])
    points = np.array([3.0, -1.0, 0.5])
    apart = float(weights @ np.abs(points[:, None] - points) @ weights)
    assert crps(points, weights, 1.0) == pytest.approx(float(weights @ np.abs(points - 1.0)) - 0.5 * apart)


def test_coverage_is_pooled_over_the_turns_up_to_the_tenth() -> None:
    rows = [
        row(seed, turn, covered=turn <= POOLED and (seed + turn) % 4 > 0, walk_covered=turn > POOLED)
        for seed in range(8)
        for turn in range(1, 13)
    ]
    shark, everybody = summed_up(rows)
    assert (shark.name, everybody.name, shark.episodes) == ("shark", ALL, 8)
    assert shark.coverage == everybody.coverage
    assert (shark.coverage.value, shark.coverage.over) == (pytest.approx(0.75), 8 * POOLED)
    assert shark.walk_coverage.value == 0.0
    assert [one.turn for one in shark.turns] == list(range(1, 13))
    assert [one.coverage.value for one in shark.turns[POOLED:]] == [0.0, 0.0]


def test_an_interval_is_one_over_seeds_and_not_over_turns() -> None:
    """Ten turns of a seed that tell the same are no more than one; nor would three opponents on it be."""
    rows = [
        row(seed, turn, name, covered=seed < 50) for seed in range(100) for turn in range(1, 11) for name in OPPONENTS
    ]
    exact = 1.96 * (0.25 / 100) ** 0.5
    for group in summed_up(rows):
        assert wide(group.coverage) == pytest.approx(2 * exact, rel=0.1)
        assert group.coverage.over == (3000 if group.name == ALL else 1000)


def test_widths_are_those_after_the_first_offer_and_at_turn_eight() -> None:
    """The opponent of even seeds opens before the learner, that of odd ones after it."""
    rows = [
        row(seed, turn, opened=turn == 1 + seed % 2, width=1.5 if turn == 1 + seed % 2 else 0.1 * turn)
        for seed in range(4)
        for turn in range(1, 10)
    ]
    shark, _ = summed_up(rows)
    assert shark.opened.value == pytest.approx(1.5)
    assert shark.later.value == pytest.approx(0.8)
    assert summed_up([row(0, 1), row(1, 1)])[0].later is None


def test_the_tracker_is_better_from_the_turn_after_which_no_interval_holds_nothing() -> None:
    noise = np.random.default_rng(2).normal(0, 0.01, (30, 13))
    gain = {2: 0.1, 3: 0.0} | dict.fromkeys(range(5, 11), 0.1)  # turn 2 by chance; after turn 10 nobody looks
    rows = [
        row(seed, turn, crps=0.2 - gain.get(turn, 0.0) + noise[seed, turn], brier=0.25 + noise[seed, turn])
        for seed in range(30)
        for turn in range(1, 13)
    ]
    shark, _ = summed_up(rows)
    assert shark.better_from("crps_difference") == 5
    assert shark.better_from("brier_difference") is None
    fifth = shark.turns[4]
    assert (
        fifth.crps.value - fifth.crps_prior.value
        == pytest.approx(fifth.crps_difference.value)
        == pytest.approx(-0.1, abs=0.01)
    )
    assert 0.0 < wide(fifth.crps_difference) < 0.02


def test_a_difference_is_paired() -> None:
    """What is hard for both is no noise of their difference."""
    hard = np.random.default_rng(3).uniform(0, 5, 40)
    rows = [row(seed, 1, crps=hard[seed] - 0.01, crps_prior=hard[seed]) for seed in range(40)]
    (one,) = summed_up(rows)[0].turns
    assert wide(one.crps) > 0.5
    assert (one.crps_difference.low, one.crps_difference.high) == pytest.approx((-0.01, -0.01))


def test_a_single_seed_has_no_interval() -> None:
    shark, _ = summed_up([row(1, turn) for turn in range(1, 4)])
    assert (shark.coverage.value, shark.coverage.low) == (1.0, None)
    assert shark.better_from("crps_difference") is None


def test_speed_is_that_of_updates_alone() -> None:
    took = [row(1, 1), *(row(1, turn, milliseconds=float(turn)) for turn in range(2, 102))]
    speed = speed_of(took)
    assert (speed.updates, speed.mean, speed.high) == (100, 51.5, pytest.approx(96.05))
    assert speed_of([row(1, 1)]) is None


# What is watched ------------------------------------------------------------------------------------------------------


def test_rows_are_the_tracker_s_own_beliefs(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is worked out from one look at the cloud is what `Tracker.beliefs` tells."""
    seen: list[Any] = []
    facts = Tracker.facts

    def both(tracker: Tracker) -> Any:
        if tracker.updates:
            monkeypatch.setattr(Tracker, "facts", facts)
            seen.append(tracker.beliefs())
            monkeypatch.setattr(Tracker, "facts", both)
        return facts(tracker)

    monkeypatch.setattr(Tracker, "facts", both)
    (case,) = cases([FIRST + 1], OPPONENTS[:1], "train", asks=False)
    rows = watched(case)
    assert len(seen) == len(rows) > 2
    assert [one.turn for one in rows] == sorted({one.turn for one in rows})
    assert sum(one.opened for one in rows) == 1
    ratio = [one.width / (beliefs.limit.high - beliefs.limit.low) for one, beliefs in zip(rows, seen, strict=True)]
    assert ratio == pytest.approx([ratio[0]] * len(rows))
    assert {round(one.brier, 9) for one in rows} <= {
        round((beliefs.has_alternative - truth) ** 2, 9) for beliefs in seen for truth in (0, 1)
    }


def test_the_prior_is_worked_out_anew_when_it_changes_and_only_then(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []

    class Impatient(engine.Prior):
        """Works it out at every look."""

        def facts(self) -> Any:
            looks.append(1)
            self._at = None
            return super().facts()

    chosen = list(cases(range(FIRST, FIRST + 8), OPPONENTS[:1], "train", asks=False))
    patient = [timeless(one) for case in chosen for one in watched(case)]
    monkeypatch.setattr(engine, "Prior", Impatient)
    assert [timeless(one) for case in chosen for one in watched(case)] == patient
    assert len(looks) == len(patient)
    assert len({one.crps_prior for one in patient}) < len(patient) / 2


def timeless(one: Row) -> Row:
    return replace(one, milliseconds=None)


def test_with_asks_the_learner_asks_in_its_first_turns() -> None:
    (plain,), (asking,) = (list(cases([FIRST + 3], OPPONENTS[1:2], "train", asks=asks)) for asks in (False, True))
    assert [timeless(one) for one in watched(plain)] != [timeless(one) for one in watched(asking)]


def test_a_move_that_is_refused_gives_no_second_row() -> None:
    chosen = cases(range(FIRST, FIRST + 6), OPPONENTS[:1], "train", asks=False, learner="random")
    for case in chosen:
        turns = [one.turn for one in watched(case)]
        assert turns == sorted(set(turns))


# A study --------------------------------------------------------------------------------------------------------------


def test_every_episode_has_a_seed_of_its_own_and_they_go_through_all_cells_in_turn() -> None:
    chosen = belief_plan(100, split="train", seed_start=5)
    found = [case for job in chosen.jobs() for case in job]
    assert [case.seed for case in found] == list(range(FIRST + 5, FIRST + 105))
    played = Counter((case.scenario, case.persona, case.seat) for case in found)
    assert (len(played), min(played.values()), max(played.values())) == (24, 4, 5)


def test_two_processes_find_what_one_does(found: Study) -> None:
    assert len(found.plan.jobs()) > 1
    told: list[int] = []
    other = study(found.plan, 2, told.append)
    assert (other.groups, other.sources) == (found.groups, found.sources)
    assert told == [0, CHUNK, EPISODES]
    assert other.speed.updates == found.speed.updates > EPISODES


@pytest.mark.parametrize(
    ("wrong", "error", "told"),
    [
        ({"episodes": 0}, EvaluationError, "one episode"),
        ({"learner": "tit_for_tit"}, UnknownPolicy, "tit_for_tat"),
        ({"split": "dev"}, EvaluationError, "train, validation, test"),
        ({"seed_start": 2**53}, EvaluationError, "seed_start counts from"),
    ],
)
def test_a_plan_that_can_t_be_watched_is_refused(wrong: dict[str, Any], error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        belief_plan(**{"episodes": 3} | wrong)


# What is written ------------------------------------------------------------------------------------------------------


def test_figures_are_told_without_a_zero_and_with_a_real_minus() -> None:
    assert [decimals(value) for value in (0.0716, -0.0314, 1.25, -0.0001)] == [".072", "−.031", "1.250", ".000"]
    assert percent(None) == "–"


def test_the_folder_gets_findings_and_plots_the_same_bytes_every_time(found: Study, tmp_path: Path) -> None:
    folders = tmp_path / "one", tmp_path / "two"
    for folder in folders:
        folder.mkdir()
        assert write(found, "parlay belief-study", folder) == ""
    names = {JSON, MARKDOWN, *(f"{name}.svg" for name in PLOTS)}
    assert {path.name for path in folders[0].iterdir()} == names
    for name in names:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()
    written = json.loads((folders[0] / JSON).read_bytes())
    assert [group["name"] for group in written["groups"]] == [*OPPONENTS, ALL]
    everybody, group = written["groups"][-1], found.groups[-1]
    assert everybody["episodes"] == EPISODES
    assert everybody["coverage"]["value"] == pytest.approx(group.coverage.value)
    assert [one["turn"] for one in everybody["by_turn"]] == [one.turn for one in group.turns]
    assert written["update_milliseconds"]["updates"] == found.speed.updates
    page = (folders[0] / MARKDOWN).read_text("utf-8")
    assert all(f"]({name}.svg)" in page for name in PLOTS)
    assert f"| In all | {EPISODES} | {percent(group.coverage)} |" in page
    assert "wall time of the call alone" in page


def test_without_matplotlib_everything_else_is_written(
    found: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save(*_: Any) -> None:
        raise PlotsMissing

    monkeypatch.setattr("training.belief_report.save", save)
    assert "pip install" in write(found, "parlay belief-study", tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {JSON, MARKDOWN}
    assert "![" not in (tmp_path / MARKDOWN).read_text("utf-8")


# The command ----------------------------------------------------------------------------------------------------------


def asked(folder: Path, **given: Any) -> None:
    """Call the command with its usual options but for these."""
    usual: dict[str, Any] = {
        "episodes": EPISODES,
        "split": "train",
        "seed_start": 0,
        "learner": "tit_for_tat",
        "asks": False,
        "workers": 1,
        "folder": folder,
        "json_path": None,
        "document": None,
    }
    command.belief_study(**usual | given)


def test_the_page_gets_the_findings_and_the_plots_beside_it(
    found: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "study", lambda *_: found)
    monkeypatch.setattr(sys, "argv", ["parlay", "belief-study", "--episodes", "14"])
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "trust.md").write_text(PAGE, "utf-8")
    asked(tmp_path / "out", document=tmp_path / "trust.md", json_path=tmp_path / "all.json")
    page = (tmp_path / "trust.md").read_text("utf-8")
    assert page.startswith(f"# Trust\n\n{MARKS[0]}\n`parlay belief-study --episodes 14`, ")
    assert page.endswith(f"\n{MARKS[1]}\n\nMore.\n")
    for name in PLOTS:
        assert f"](trust/{name}.svg)" in page
        assert (tmp_path / "trust" / f"{name}.svg").read_bytes() == (tmp_path / "out" / f"{name}.svg").read_bytes()
    assert (tmp_path / "all.json").read_bytes() == (tmp_path / "out" / JSON).read_bytes()
    printed = capsys.readouterr().out
    assert all(name in printed for name in (*OPPONENTS, ALL))
    assert f"{found.groups[-1].coverage.value:.1%}".replace("%", " %") in printed


def test_json_on_standard_output_is_all_there_is_on_it(
    found: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "study", lambda *_: found)
    asked(tmp_path, json_path=Path("-"))
    assert json.loads(capsys.readouterr().out)["episodes"] == EPISODES


@pytest.mark.parametrize(
    ("given", "way_out"),
    [
        ({"split": "dev"}, "train, validation, test"),
        ({"learner": "bayez"}, "--learner: policy must be one of"),
        ({"seed_start": 2**53}, "--seed-start counts from"),
        ({"json_path": Path("no/such/folder.json")}, "no such folder"),
        ({"document": Path("nowhere.md")}, MARKS[0]),
        ({"document": Path("page.md")}, "no place for the findings"),
        ({"folder": Path("page.md")}, "name another folder"),
    ],
)
def test_what_is_asked_wrongly_is_answered_before_anything_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], way_out: str
) -> None:
    (tmp_path / "page.md").write_text("# Trust\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "study", lambda *_: pytest.fail("it plays"))
    with pytest.raises(Failure) as failure:
        asked(**{"folder": tmp_path / "out"} | given)
    assert failure.value.code == BAD_INPUT
    assert way_out in str(failure.value)

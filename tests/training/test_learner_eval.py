"""Learners are measured on the same held-out episodes, pair by pair, and policies of code on these very ones."""

from __future__ import annotations

import io
import json
from pathlib import Path
from statistics import fmean

import pytest
from msgspec.structs import replace
from rich.console import Console

from parlay_env.client.wire import ParlayClientError
from parlay_env.tasks import seed_range
from tests.training.conftest import SAAS, made_up
from tests.training.scripted import Asked, alone, by, honest, move, play, script
from training.episodes import Cell, Job, setup_of
from training.learner_eval import Comparison, Outcome, measure, played_again, tasks
from training.learner_report import BadResults, as_json, came_of, lines, markdown, points, read, tables, transcripts
from training.policies import make
from training.presets import preset
from training.rollout import Task
from training.speaker import Said
from training.stats import Estimate
from training.transcripts import transcript
from training.wire import action_text

OPTIONS = preset("tiny", ["grpo.personas=[diplomat]", "grpo.scenarios=[saas_enterprise, hiring_package]"]).grpo
TASKS = tasks(OPTIONS, 3)
LEAVES = move("We leave it here.", walk_away=True)


@pytest.fixture(scope="module")
def found(server: str) -> Comparison:
    """One that leaves at once, one that bargains, one that talks nonsense, and a policy that leaves at once."""
    learners = {"leaves": by(lambda _: LEAVES), "bargains": by(honest), "nonsense": by(lambda _: "win-win")}
    return measure(learners, TASKS, server, "brief", policies=["walk_at_once"])


def test_tasks_are_held_out_seeds_in_every_cell() -> None:
    first, last = seed_range("validation")
    trained_first, trained_last = seed_range("train")
    assert len(TASKS) == len(set(TASKS)) == 2 * 1 * 2 * 3
    assert {one.seed for one in TASKS} == {first, first + 1, first + 2}
    assert {one.split for one in TASKS} == {"validation"}
    assert not trained_first <= first <= trained_last and not trained_first <= last <= trained_last
    assert len(tasks(preset("headline").grpo, 1)) == 24
    assert not any(one.events for one in tasks(OPTIONS, 1, events=False))
    with pytest.raises(ValueError, match="1 to"):
        tasks(OPTIONS, 0)


def test_all_play_the_same_episodes(found: Comparison) -> None:
    assert [one.name for one in found.players] == ["leaves", "bargains", "nonsense", "walk_at_once"]
    for outcomes in found.outcomes.values():
        assert [one.task for one in outcomes] == TASKS
    assert 0 < found.environment_share < 1


def test_means_and_gains_are_of_pairs(found: Comparison) -> None:
    leaves, bargains, nonsense, _ = found.players
    rewards = {name: [one.reward for one in outcomes] for name, outcomes in found.outcomes.items()}
    assert leaves.gain is None
    for one in (bargains, nonsense):
        assert one.gain is not None
        assert one.reward.value == pytest.approx(fmean(rewards[one.name]))
        assert one.gain.value == pytest.approx(fmean(rewards[one.name]) - fmean(rewards["leaves"]))
    assert bargains.gain is not None and bargains.gain.value > 10 and bargains.deals.value > 0
    assert bargains.beyond_limit.value == 0
    assert (leaves.turns, leaves.deals.value) == (1, 0)


def test_answers_and_habits_are_of_learners_alone(found: Comparison) -> None:
    leaves, bargains, nonsense, by_code = found.players
    for one, valid in ((leaves, 1.0), (nonsense, 0.0)):
        assert one.valid is not None and one.valid.value == valid
    assert bargains.valid is not None and bargains.valid.value > 0.9
    assert nonsense.classes == {"ok": 0, "repaired": 0, "illegal": 0, "absent": 3 * len(TASKS)}
    assert leaves.habits is not None and leaves.habits.walks_at_once == 1.0
    assert by_code.valid is None and by_code.habits is None


def test_the_same_moves_by_code_and_by_a_learner_come_to_the_same(found: Comparison) -> None:
    by_learner, by_code = found.outcomes["leaves"], found.outcomes["walk_at_once"]
    assert [replace(one.result, policy="walk_at_once") for one in by_learner] == [one.result for one in by_code]
    gain = found.players[3].gain
    assert gain is not None and (gain.value, gain.low, gain.high) == (0, 0, 0)


def test_a_policy_plays_the_task_s_very_episode_headlines_or_none(server: str) -> None:
    """Held against its own moves over the socket."""
    rewards: dict[bool, list[float]] = {}
    for events in (True, False):
        given = tasks(OPTIONS, 4, events=events)
        outcomes = measure({}, given, server, "brief", policies=["tit_for_tat"]).outcomes["tit_for_tat"]
        for task, outcome in zip(given, outcomes, strict=True):
            assert task.seed is not None
            job = Job("tit_for_tat", Cell(task.scenario_id, task.persona, task.seat), "validation", (task.seed,))
            setup = replace(setup_of(job), events=events)
            actions = transcript(make(job.policy, setup, task.seed), setup, task.seed).actions
            assert outcome.reward == alone(server, script(*map(action_text, actions)), task, form="full").reward
        rewards[events] = [one.reward for one in outcomes]
    assert rewards[True] != rewards[False], "headlines matter in some of them"


def test_the_pair_to_show_is_the_one_with_the_median_gain() -> None:
    def outcomes(*rewards: float) -> list[Outcome]:
        task = Task("saas_enterprise", "shark", "seller", 1)
        return [Outcome(task, made_up("x", SAAS, 1, reward=reward)) for reward in rewards]

    def median(before: tuple[float, ...], after: tuple[float, ...]) -> int:
        both = {"a": outcomes(*before), "b": outcomes(*after)}
        return Comparison((), both, {}, 0.0).median_gain("a", "b")

    assert median((0, 0, 0), (5, 1, 3)) == 2
    assert median((0, 0, 0, 0), (5, 1, 3, 2)) == 3, "of two the lower"
    assert median((9, 1, 1), (0, 0, 4)) == 1, "gains, not rewards"
    assert median((0, 0, 0), (2, 2, 2)) == 1


# What came of it ------------------------------------------------------------------------------------------------------


def test_a_learner_s_moves_come_to_the_same_when_they_are_played_again(server: str) -> None:
    """Refused ones, answers that are none and beliefs among them; with several issues and another cliff, too."""

    def believes(asked: Asked) -> str:
        if asked.turn == 3 and not asked.refused:
            return "I have nothing to say."
        report = {"est_walk_away": 150_000, "est_urgency": 0.4}
        return json.dumps({**json.loads(honest(asked)), "belief": report, "challenge": asked.turn == 2})

    given = [
        Task(scenario, persona, seat, seed, omega=100.0)
        for scenario in ("saas_enterprise", "supplier_contract")
        for persona in ("shark", "diplomat")
        for seat in ("seller", "buyer")
        for seed in (2, 5)
    ]
    met = set()
    for one in play(server, by(believes), *given):
        found = played_again("believes", one)
        truth, grade = one.last["truth"], one.grade
        met |= {found.end, "breach" if found.breach else "kept"}
        assert (found.reward, found.end, found.turns) == (one.reward, one.end, one.last["turn"])
        assert (found.efficiency, found.breach) == (grade["efficiency"], grade["breach"])
        assert (found.zopa, found.walk_was_right) == (grade["zopa_existed"], grade["walk_was_right"])
        assert found.invalid_moves == grade["invalid_moves"] > 0
        assert found.beliefs and found.beliefs[-1].errors[2] == pytest.approx(
            abs(0.4 - truth["buyer" if one.task.seat == "seller" else "seller"]["urgency"]), abs=0.011
        )
    assert {"deal", "breach", "kept"} <= met


def test_a_server_with_other_episodes_is_not_measured_on(server: str) -> None:
    one = alone(server, by(honest), TASKS[0])
    one.reward += 1
    with pytest.raises(ParlayClientError, match="same moves"):
        played_again("bargains", one)
    one.reward -= 1
    one.task = replace(one.task, seed=(one.task.seed or 0) + 1)
    with pytest.raises(ParlayClientError, match="same moves"):
        played_again("bargains", one)


def test_what_came_of_it_is_counted_where_it_can_be(found: Comparison) -> None:
    leaves, bargains, _, by_code = found.players
    rows = [one.result for one in found.outcomes["bargains"]]
    with_zopa = [one for one in rows if one.zopa]
    apart = [one.nash_distance for one in rows if one.nash_distance is not None]
    value = {key: one.value for key, one in bargains.came.items() if one is not None}
    assert value["deal_rate_given_zopa"] == pytest.approx(fmean(one.deal for one in with_zopa)) and with_zopa != rows
    assert value["deal_rate_without_zopa"] == pytest.approx(fmean(one.deal for one in rows if not one.zopa))
    assert value["nash_distance"] == pytest.approx(fmean(apart)) and 0 < len(apart) < len(rows)
    assert value["pareto_distance"] == 0, "of a price every deal is efficient"
    assert "belief_error_walk_away" not in value, "it reported nothing"
    right = leaves.came["walk_rate_without_zopa"]
    assert right is not None and right.value == 1
    assert leaves.came["nash_distance"] is None
    assert by_code.came == leaves.came


def test_the_error_of_beliefs_is_told_where_there_are_any(server: str) -> None:
    reports = by(lambda asked: move("Well.", walk_away=True, belief={"est_walk_away": 150_000}))
    players = {"leaves": by(lambda _: LEAVES), "reports": reports}
    both = measure(players, [one for one in TASKS if one.scenario_id == "saas_enterprise"], server, "brief")
    assert both.players[0].came["belief_error_walk_away"] is None
    error, prior = (both.players[1].came[f"{whose}_error_walk_away"] for whose in ("belief", "prior"))
    assert error is not None and prior is not None and error.low is not None
    wanted = []
    for one in both.transcripts["reports"]:
        other = "buyer" if one.task.seat == "seller" else "seller"
        wanted.append(abs(150_000 - one.last["truth"][other]["walk_away"]) / one.last["scenario"]["width"])
    assert error.value == pytest.approx(fmean(wanted), abs=1e-5)
    headings, first, second = came_of(both.players)
    k = headings.index("belief error")
    assert first[k] == "–" and second[k].startswith(f"{error.value:.2f} [")


def test_drift_is_a_mean_over_tokens_of_whom_it_is_told_of(server: str) -> None:
    def wordy(conversations: list) -> list[Said]:
        return [replace(one, ids=(1, 2, 3)) for one in by(lambda _: LEAVES)(conversations)]

    drifts = {"moved": lambda said: [0.3 * len(one.ids) for one in said]}
    both = measure({"base": wordy, "moved": wordy}, TASKS, server, "brief", drifts=drifts)
    assert both.players[0].kl is None
    kl = both.players[1].kl
    assert kl is not None and kl.value == pytest.approx(0.3) and kl.over == 3 * len(TASKS)
    headings, _, row = came_of(both.players)
    assert headings[-1] == "KL to base" and row[-1] == "0.300 [0.300, 0.300]"
    told = json.loads(as_json(both, preset("tiny"), {}, ""))
    assert told["players"][0]["kl"] is None and told["players"][1]["kl"]["value"] == pytest.approx(0.3)


# What is told of it ---------------------------------------------------------------------------------------------------


def test_tables_have_a_row_for_each_player_and_a_column_for_each_learner(found: Comparison) -> None:
    shown = io.StringIO()
    for table in tables(found.players):
        Console(file=shown, width=160).print(table)
    text = shown.getvalue()
    for one in found.players:
        assert one.name in text
    (habits,) = [line for line in text.splitlines() if line.strip().startswith("walks at once")]
    assert habits.split()[3:] == ["100.0%", "0.0%", "0.0%"]
    assert lines(found.players)[0][2] == "–" and lines(found.players)[1][2].startswith("+")
    headings, *rows = came_of(found.players)
    assert headings[1:] == ["deals given ZOPA", "deals without", "right walks", "Pareto", "Nash"]
    assert [row[0] for row in rows] == [one.name for one in found.players]
    assert rows[0][3].startswith("100.0%") and rows[0][5] == "–"


def test_figures_have_their_intervals() -> None:
    assert points(Estimate(12.345, 10.0, 15.06, 9)) == "12.3 [10.0, 15.1]"
    assert points(Estimate(12.345, None, None, 1), sign=True) == "+12.3"
    assert points(None) == "–"


def test_everything_is_in_the_json(found: Comparison) -> None:
    told = json.loads(as_json(found, preset("tiny"), {"leaves": "x"}, "parlay train eval"))
    assert [one["name"] for one in told["players"]] == [one.name for one in found.players]
    assert told["rewards"]["bargains"] == [round(one.reward, 6) for one in found.outcomes["bargains"]]
    assert len(told["tasks"]) == len(TASKS) and told["tasks"][0]["scenario_id"] == "saas_enterprise"
    assert told["players"][1]["came"]["nash_distance"]["high"] > 0
    assert told["players"][1]["came"]["belief_error_urgency"] is None
    assert told["players"][1]["gain"]["value"] == pytest.approx(found.players[1].gain.value)  # pyright: ignore[reportOptionalMemberAccess]


def test_findings_that_were_kept_are_read_and_told_again(found: Comparison, tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    file.write_bytes(as_json(found, preset("tiny"), {"leaves": "m"}, "parlay train eval …"))
    kept = read(file)
    assert lines(kept.players) == lines(found.players)
    assert came_of(kept.players) == came_of(found.players)
    page = markdown(kept)
    assert "`parlay train eval …`" in page
    assert all(f"| {' | '.join(line)} |" in page for line in lines(found.players))
    assert f"{len(TASKS)} held-out episodes each, on 3 seeds" in page


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"kind": "game"}', b'{"kind": "learners"}', b"\xff"])
def test_a_file_that_holds_no_findings_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_bytes(content)
    with pytest.raises(BadResults, match=r"parlay train eval --json"):
        read(tmp_path / "other.json")


def test_the_transcript_is_of_both_on_the_same_seed(found: Comparison) -> None:
    told = transcripts(found, "leaves", "bargains")
    k = found.median_gain("leaves", "bargains")
    assert f"seed {TASKS[k].seed}" in told
    assert "## leaves:" in told and "## bargains:" in told
    for name in ("leaves", "bargains"):
        for turn in found.transcripts[name][k].turns:
            assert f"`{turn.said.text}`" in told

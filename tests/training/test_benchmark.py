"""The benchmark is frozen, a score is a replay's and nothing else, and a private edition gives nothing away."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from parlay_env.core import replay
from parlay_env.deal.game import Deal
from parlay_env.models import ParlayAction, ResetOptions
from parlay_env.reward import EPISODE_RANGE, RewardSpec
from parlay_env.rng import derive_keys
from parlay_env.session import Session
from parlay_env.tasks import key_of, tasks
from training import benchmark
from training.benchmark import (
    DROPPED,
    TASKS,
    BadRecord,
    Incomplete,
    Line,
    OtherTasks,
    Played,
    edition,
    frozen_tasks,
    parsed,
    recorded,
    replayed,
    setup_of,
    tasks_digest,
    written,
)
from training.benchmark_score import BadScores, headline, markdown, measured, rows, saved, scored, to_json
from training.episodes import Cell, Job, play
from training.measures import BY_KEY
from training.policies import UnknownPolicy
from training.rules import ROOT, files, rules_digest
from training.stats import stratified

SECRET = "correct horse battery staple"


@pytest.fixture(scope="module")
def lines() -> list[Line]:
    """A record of `tit_for_tat`."""
    return recorded("tit_for_tat")


@pytest.fixture(scope="module")
def played(lines: list[Line]) -> list[Played]:
    return replayed(lines)


# What is frozen -------------------------------------------------------------------------------------------------------


def test_the_tasks_are_those_that_results_were_published_for() -> None:
    """Should this fail, it is another benchmark: give it another name, never another digest."""
    assert (benchmark.NAME, TASKS) == ("parlay-bench-1", "5cb222df4b72bd9d")
    assert tasks_digest() == "5cb222df4b72bd9d"
    assert len(frozen_tasks()) == 480
    assert edition() == "public"


def test_other_tasks_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "TASKS", "0" * 16)
    with pytest.raises(OtherTasks, match="scenario or a persona been added"):
        recorded("tit_for_tat")
    with pytest.raises(OtherTasks):
        replayed([])


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources that the digest of the rules is over."""
    for file in files():
        target = tmp_path / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    return tmp_path


def edited(root: Path, name: str, old: str, new: str) -> str:
    """The digest after an edit."""
    text = (root / name).read_text("utf-8")
    assert old in text
    (root / name).write_text(text.replace(old, new, 1), "utf-8")
    return rules_digest.__wrapped__(root)


def test_how_a_source_is_written_changes_no_digest(copy: Path) -> None:
    assert rules_digest.__wrapped__(copy) == rules_digest()
    assert edited(copy, "parlay_env/reward.py", '"""β, for belief', '"""For belief') == rules_digest()
    assert edited(copy, "parlay_env/reward.py", "    tom: float = 5.0", "    # Pays.\n    tom: float = (5.0)") == (
        rules_digest()
    )
    assert edited(copy, "agent/personas.yaml", "\n", "\n# A note.\n") == rules_digest()


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("parlay_env/reward.py", "tom: float = 5.0", "tom: float = 5.5"),
        ("parlay_env/deal/rules.py", " < ", " <= "),
        ("agent/personas.yaml", "0.", "1."),
        ("game/scenarios/saas_enterprise.yaml", "limit: 125_000", "limit: 125_100"),
        ("agent/lexicon/shark.yaml", "No warm-up", "No warming up"),
        ("parlay_env/prompt.py", "You are the", "You are a"),
    ],
)
def test_what_is_played_shown_or_paid_changes_the_digest(copy: Path, name: str, old: str, new: str) -> None:
    assert edited(copy, name, old, new) != rules_digest()


def test_everything_that_a_served_episode_loads_is_in_the_digest() -> None:
    """But for what carries it, and who plays the learner."""
    code = """
import json, sys
from parlay_env.core import replay
from parlay_env.deal.game import Deal
from parlay_env.models import ParlayAction, ResetOptions
from parlay_env.rng import derive_keys
from parlay_env.session import Session
session = Session.open(ResetOptions(split="test", index=9))
while not session.done:
    session.step(ParlayAction(utterance="We wait.", question="timeline"))
ours = ("agent", "game", "parlay_env")
print(json.dumps([m.__file__ for n, m in sys.modules.items() if n.split(".")[0] in ours and m.__file__]))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {Path(name).relative_to(ROOT).as_posix() for name in json.loads(done.stdout)}
    counted = {file.relative_to(ROOT).as_posix() for file in files()}
    doors = {"parlay_env/options.py", "parlay_env/session.py", "parlay_env/tasks.py"}
    carried_by = {"parlay_env/__init__.py", "agent/__init__.py", *doors}
    assert "agent/scripted.py" in loaded
    assert loaded - counted <= carried_by


# A score is a replay --------------------------------------------------------------------------------------------------


def test_a_replay_gives_what_direct_play_gives(lines: list[Line], played: list[Played]) -> None:
    assert [one.task for one in played] == list(tasks("test"))
    for one in played[::7]:
        task = one.task
        cell = Cell(task.scenario_id, task.persona, task.seat)
        (direct,) = play(Job("tit_for_tat", cell, "test", (task.seed,)))
        assert replace(one.result, policy="tit_for_tat") == direct
    assert [one.claimed for one in played] == [one.result.reward for one in played]


def test_a_replay_gives_what_a_door_pays(lines: list[Line], played: list[Played]) -> None:
    for line, one in list(zip(lines, played, strict=True))[::23]:
        session = Session.open(ResetOptions(task_id=line.task_id))
        paid = sum(session.step(ParlayAction.model_validate(action)).reward or 0.0 for action in line.actions)
        assert session.done
        assert paid == one.result.reward


def test_the_score_is_the_mean_reward_whatever_the_record_claims(lines: list[Line], played: list[Played]) -> None:
    honest = scored("it", played)
    assert honest.reward.value == pytest.approx(np.mean([one.result.reward for one in played]), abs=1e-9)
    forged = scored("it", replayed([msgspec.structs.replace(line, reward=135.0) for line in lines]))
    assert forged.reward == honest.reward
    assert forged.differing == len(lines)
    silent = scored("it", replayed([msgspec.structs.replace(line, reward=None) for line in lines]))
    assert (silent.reward, silent.differing) == (honest.reward, 0)


def test_the_order_of_the_lines_and_the_way_through_a_file_change_nothing(
    lines: list[Line], played: list[Played]
) -> None:
    assert parsed(written(lines)) == lines
    assert replayed(parsed(b"\n" + written(reversed(lines)))) == played


def test_any_number_of_processes_makes_the_same_record(lines: list[Line]) -> None:
    assert recorded("tit_for_tat", workers=2) == lines


def with_line(lines: list[Line], index: int, **fields: Any) -> list[Line]:
    """The record with another line in this place."""
    changed = list(lines)
    changed[index] = msgspec.structs.replace(lines[index], **fields)
    return changed


def test_a_move_that_was_tampered_with_is_played_as_it_stands(lines: list[Line], played: list[Played]) -> None:
    better = [*lines[0].actions[:-1], {"walk_away": True}]
    found = replayed(with_line(lines, 0, actions=better))
    assert found[0].result.end == "walk_away"
    assert found[0].differs
    assert found[1:] == played[1:]


def test_a_move_that_was_not_allowed_is_paid_for(lines: list[Line], played: list[Played]) -> None:
    twice = [{"utterance": "Both.", "accept_deal": True, "walk_away": True}, *lines[0].actions]
    found = replayed(with_line(lines, 0, actions=twice))[0].result
    assert (found.invalid_moves, found.reward) == (1, played[0].result.reward - RewardSpec().noise)


def test_a_figure_that_json_can_say_and_the_game_can_not_use_is_no_error(lines: list[Line]) -> None:
    for figure in ("1e999", "1" + 400 * "0"):
        text = f'{{"task_id": "{lines[0].task_id}", "actions": [{{"offer_amount": {figure}}}, {{"walk_away": true}}]}}'
        (line,) = parsed(text.encode())
        assert replayed([line], missing_as_dropped=True)[0].result.invalid_moves == 1


# What is wrong with a record ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"oops", "line 1: this is not JSON"),
        (b'\n{"task_id": "test-1", "actions": [NaN]}', "line 2: this is not JSON"),
        (b"\xff\xfe\x00", "line 1"),
        (b'{"task_id": "test-1"}', "actions"),
        (b'{"task_id": "test-1", "actions": {}}', "Expected `array`"),
        (b'{"task_id": "test-1", "actions": [], "score": 200}', "score"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_record_is_told_by_its_line(text: bytes, told: str) -> None:
    with pytest.raises(BadRecord, match=told):
        parsed(text)


def test_missing_tasks_are_listed(lines: list[Line]) -> None:
    with pytest.raises(Incomplete, match=f"2 tasks are missing: {lines[0].task_id}, {lines[479].task_id}; play them"):
        replayed(lines[1:479])
    with pytest.raises(Incomplete, match=r"480 tasks are missing: .* and 470 more; .*--missing-as-dropped"):
        replayed([])


def test_a_task_without_an_end_is_listed(lines: list[Line]) -> None:
    with pytest.raises(Incomplete, match=f"1 tasks are not played to the end: {lines[3].task_id};"):
        replayed(with_line(lines, 3, actions=lines[3].actions[:-1]))


def test_a_task_that_is_there_twice_is_refused_however_it_went(lines: list[Line]) -> None:
    for again in (lines[5], msgspec.structs.replace(lines[5], actions=[{"walk_away": True}])):
        with pytest.raises(BadRecord, match=f"{again.task_id} is there twice"):
            replayed([*lines, again], missing_as_dropped=True)


def test_a_task_of_no_or_another_split_is_refused(lines: list[Line]) -> None:
    for name in ("test-0000", "train-00005", "validation-00001"):
        with pytest.raises(BadRecord, match=f"{name}: no such tasks in this edition"):
            replayed([*lines, Line(name, [])], missing_as_dropped=True)


def test_moves_after_the_end_are_refused(lines: list[Line]) -> None:
    count = len(lines[2].actions)
    with pytest.raises(BadRecord, match=f"{lines[2].task_id}: the episode is over after {count} of its {count + 1}"):
        replayed(with_line(lines, 2, actions=[*lines[2].actions, {"walk_away": True}]))


def test_what_is_no_action_is_refused(lines: list[Line]) -> None:
    with pytest.raises(BadRecord, match=rf"{lines[2].task_id}, move 1: this is no action \(ofer_amount"):
        replayed(with_line(lines, 2, actions=[{"ofer_amount": 1.0}]))


def with_breach(lines: list[Line]) -> tuple[int, list[Line]]:
    """The record with a deal beyond the player's own limit, and where: it accepts the first offer that stands."""
    accepts = {"utterance": "Agreed.", "accept_deal": True}
    for index, line in enumerate(lines):
        for count in range(1, len(line.actions)):
            with suppress(BadRecord):
                found = with_line(lines, index, actions=[*line.actions[:count], accepts])
                if replayed([found[index]], missing_as_dropped=True)[index].result.breach:
                    return index, found
    raise AssertionError


def test_leaving_before_a_bad_end_pays_nothing_and_is_told(lines: list[Line]) -> None:
    index, bad = with_breach(lines)
    breach = replayed(bad)
    assert breach[index].result.breach
    assert breach[index].result.terms["cliff"] == -RewardSpec().cliff
    assert EPISODE_RANGE[0] == DROPPED
    for left in (with_line(bad, index, actions=bad[index].actions[:-1]), bad[:index] + bad[index + 1 :]):
        found = replayed(left, missing_as_dropped=True)
        assert [one.task.index for one in found if one.dropped] == [index]
        assert found[index].result.reward == DROPPED <= breach[index].result.reward
        assert scored("it", found).reward.value <= scored("it", breach).reward.value
        assert headline(scored("it", found)).endswith("over 480 tasks, 1 of them dropped")


def test_a_line_longer_than_any_episode_is_refused_unread(lines: list[Line]) -> None:
    with pytest.raises(BadRecord, match="1,000,000 moves; no episode has more than 200"):
        replayed(with_line(lines, 0, actions=[{}] * 1_000_000))


def test_what_a_terminal_would_obey_is_not_shown(lines: list[Line]) -> None:
    with pytest.raises(BadRecord) as found:
        replayed([*lines[1:], Line("\x1b[2J\x07there", [])])
    assert "\x1b" not in str(found.value)
    assert "?[2J?there" in str(found.value)


@pytest.mark.parametrize(
    "change",
    [
        {"summaries": []},
        {"summaries": [{"x": 1}]},
        {"summaries": [{"by": "policy", "reward": "x"}]},
        {"summaries": [{"by": "policy", "reward": {"value": None}}]},
        {"name": "a|b\n| evil | 999 |"},
        {"edition": "public | 999"},
        {"score": {"value": 134.0, "low": None, "high": None, "over": 480}},
    ],
)
def test_a_score_that_was_tampered_with_is_in_no_table(
    tmp_path: Path, played: list[Played], change: dict[str, Any]
) -> None:
    file = tmp_path / "it.json"
    data = json.loads(to_json(scored("it", played)))
    file.write_text(json.dumps(data))
    assert len(saved(tmp_path)) == 1
    file.write_text(json.dumps(data | change))
    with pytest.raises(BadScores, match="is no score of parlay-bench-1"):
        saved(tmp_path)


def test_a_dropped_task_counts_as_what_it_was_when_it_was_left(lines: list[Line], played: list[Played]) -> None:
    left = with_line(lines, 3, actions=lines[3].actions[:-1])[1:]
    found = replayed(left, missing_as_dropped=True)
    assert [one.task.index for one in found if one.dropped] == [0, 3]
    assert found[3].result.turns == len(lines[3].actions)
    assert {one.result.reward for one in found if one.dropped} == {DROPPED}
    assert [one.result.zopa for one in found if one.dropped] == [played[0].result.zopa, played[3].result.zopa]
    lost = sum(played[k].result.reward - DROPPED for k in (0, 3)) / 480
    assert scored("it", found).reward.value == pytest.approx(scored("it", played).reward.value - lost, abs=1e-9)


# The interval ---------------------------------------------------------------------------------------------------------


def test_the_interval_knows_nothing_of_differences_between_cells() -> None:
    far_apart = np.arange(24.0)[:, None] * 100 + np.zeros((24, 20))
    found = stratified(far_apart, np.ones((24, 20)))
    assert found is not None
    assert found.low == pytest.approx(found.value) == pytest.approx(found.high)


def test_the_interval_is_as_wide_as_the_spread_within_cells_makes_it() -> None:
    shares, drawn = [], np.random.default_rng(5)
    for _ in range(30):
        values = drawn.normal(0, 30, (24, 20))
        found = stratified(values, np.ones_like(values))
        assert found is not None and found.low is not None and found.high is not None
        error = np.sqrt((values.var(axis=1, ddof=1) / 20).sum()) / 24
        shares.append((found.high - found.low) / (2 * 1.96 * error))
        assert found == stratified(values, np.ones_like(values))
    assert np.mean(shares) == pytest.approx(1.0, abs=0.008)


def test_the_interval_of_a_share_is_one_of_shares() -> None:
    values = np.ones((3, 20))
    values[0, 0] = 0.0
    found = stratified(values, np.ones_like(values))
    assert found is not None and found.low is not None and found.high is not None
    assert 0.9 < found.low < found.value < found.high <= 1.0


def test_a_mean_of_nothing_is_none_and_one_round_has_no_interval() -> None:
    assert stratified(np.zeros((3, 4)), np.zeros((3, 4))) is None
    found = stratified(np.ones((3, 1)), np.ones((3, 1)))
    assert found is not None and (found.value, found.low, found.over) == (1.0, None, 3)


def test_all_cells_weigh_the_same(played: list[Played]) -> None:
    found = scored("it", played)
    by_cell = [estimates["reward"] for _, estimates in rows(found, "cell")]
    assert len(by_cell) == 24
    assert {one.over for one in by_cell if one} == {20}
    assert np.mean([one.value for one in by_cell if one]) == pytest.approx(found.reward.value)
    (whole,) = found.grid.groups("policy")
    assert measured(found.grid, whole, BY_KEY["reward"]) == found.reward


# What is told ---------------------------------------------------------------------------------------------------------


def test_the_headline_names_game_edition_and_interval(played: list[Played]) -> None:
    result = scored("it", played)
    value, low, high, over = result.reward
    assert headline(result) == (
        f"parlay-bench-1 (rules {rules_digest()}, public): {value:.1f} [{low:.1f}, {high:.1f}] over {over} tasks"
    )


def test_the_json_has_everything_but_seeds(lines: list[Line], played: list[Played]) -> None:
    text = to_json(scored("it", played, record=written(lines)))
    found = json.loads(text)
    assert (found["tasks"], found["rules"], found["edition"], found["name"]) == (TASKS, rules_digest(), "public", "it")
    assert [one["task_id"] for one in found["episodes"]] == [line.task_id for line in lines]
    assert [one["by"] for one in found["summaries"]].count("cell") == 24
    assert "seed" not in found["episodes"][0]
    assert not any(str(task.seed).encode() in text for task in tasks("test"))


def test_a_table_has_the_best_first_and_marks_the_privileged(played: list[Played], tmp_path: Path) -> None:
    worse = [msgspec.structs.replace(one, result=replace(one.result, reward=0.0)) for one in played]
    for name, of, privileged in (("b", worse, False), ("a", played, True)):
        (tmp_path / f"{name}.json").write_bytes(to_json(scored(name, of, privileged=privileged)))
    text = markdown(saved(tmp_path), "parlay benchmark table x")
    lines = text.splitlines()
    assert f"rules `{rules_digest()}`, edition public, 480 tasks each" in lines[0]
    assert [line.split(" | ")[0] for line in lines[4:]] == ["| `a` (privileged)", "| `b`"]
    assert lines[5].split(" | ")[1] == "0.0 [0.0, 0.0]"


def test_scores_of_two_games_share_no_table(played: list[Played], tmp_path: Path) -> None:
    with pytest.raises(BadScores, match="parlay benchmark run --out"):
        saved(tmp_path)
    text = to_json(scored("a", played))
    (tmp_path / "a.json").write_bytes(text)
    (tmp_path / "b.json").write_bytes(text.replace(rules_digest().encode(), b"0" * 16))
    with pytest.raises(BadScores, match=r"b\.json is of another game than .*a\.json .*rules 0000000000000000"):
        saved(tmp_path)
    (tmp_path / "b.json").write_bytes(b"{}")
    with pytest.raises(BadScores, match=r"b\.json is no score of parlay-bench-1"):
        saved(tmp_path)


# A private edition ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def private() -> list[Line]:
    """A record of the same policy on an edition of one's own."""
    return recorded("tit_for_tat", key_of(SECRET))


def test_a_private_edition_has_other_tasks_and_its_own_fingerprint(private: list[Line], lines: list[Line]) -> None:
    assert not {line.task_id for line in private} & {line.task_id for line in lines}
    assert [line.actions for line in private] != [line.actions for line in lines]
    fingerprint = edition(key_of(SECRET))
    assert fingerprint == edition(key_of(SECRET)) != edition(key_of(SECRET + "."))
    result = scored("it", replayed(private, key_of(SECRET)), key_of(SECRET))
    assert f"(rules {rules_digest()}, {fingerprint})" in headline(result)


def test_a_record_is_scored_with_its_own_secret_only(private: list[Line], lines: list[Line]) -> None:
    for record, key in ((private, b""), (private, key_of(SECRET + ".")), (lines, key_of(SECRET))):
        with pytest.raises(BadRecord, match="PARLAY_TEST_SECRET"):
            replayed(record, key, missing_as_dropped=True)


def test_a_result_of_a_private_edition_gives_neither_secret_nor_seeds_away(private: list[Line]) -> None:
    key = key_of(SECRET)
    text = (to_json(scored("it", replayed(private, key), key)) + written(private)).decode()
    assert SECRET not in text
    assert key.hex() not in text
    assert not any(str(task.seed) in text for task in tasks("test", key))


def test_the_seeds_of_a_private_edition_do_not_give_its_episodes(private: list[Line]) -> None:
    key = key_of(SECRET)
    for line, task in list(zip(private, tasks("test", key), strict=True))[::40]:
        state = Session.open(ResetOptions(task_id=line.task_id), test_key=key).table.state
        assert state.keys == derive_keys(task.seed, key) != derive_keys(task.seed)
        assert state.facts == Deal().start(setup_of(task), task.seed, key).facts
        assert state.facts != Deal().start(setup_of(task), task.seed).facts


def test_a_replay_in_a_private_edition_gives_what_its_door_pays(private: list[Line]) -> None:
    key = key_of(SECRET)
    for line, one in list(zip(private, replayed(private, key), strict=True))[::23]:
        session = Session.open(ResetOptions(task_id=line.task_id), test_key=key)
        paid = sum(session.step(ParlayAction.model_validate(action)).reward or 0.0 for action in line.actions)
        assert session.done
        assert paid == one.result.reward == line.reward
        left = msgspec.structs.replace(line, actions=line.actions[:-1])
        (dropped,) = [two for two in replayed([left], key, missing_as_dropped=True) if two.task == one.task]
        assert (dropped.dropped, dropped.result.turns) == (True, len(line.actions))
        assert replay(Deal(), session.table.log, key).total(one.task.seat) == paid


def test_the_other_splits_and_the_public_edition_draw_without_a_key() -> None:
    for options in (ResetOptions(split="train", index=7), ResetOptions(split="validation", index=7)):
        with_key, without = (Session.open(options, test_key=key).table.state for key in (key_of(SECRET), b""))
        assert with_key == without


def test_a_privileged_policy_is_refused_in_a_private_edition() -> None:
    with pytest.raises(UnknownPolicy, match="oracle can't play a private edition"):
        recorded("oracle", key_of(SECRET))


def test_what_bayes_plays_the_wire_allows() -> None:
    """A belief of 1 and a little more was refused there, and nowhere else."""
    task = next(one for one in tasks("test") if one.id == "test-6741d08fec07688a")
    line = benchmark._recorded("bayes", b"", task)
    found = replayed([line], missing_as_dropped=True)[task.index].result
    assert found.invalid_moves == 0
    assert found.reward == line.reward

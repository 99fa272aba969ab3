"""Self-play writes logs that replay to the last bit, goes on after any cut, and refuses what would not mix."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from game.scenarios import scenarios
from parlay_env.core import replay
from parlay_env.deal.state import SEATS, Move
from parlay_env.grader import grade
from parlay_env.session import GAME
from training import selfplay, selfplay_file
from training.record import RecordBusy, RecordDamaged, RunMismatch
from training.rules import ROOT
from training.selfplay import SelfPlayError, header_of, log_of, plan, play, play_to
from training.selfplay_file import FILE, Played, SelfPlan, read

PAIRS = (("saas_enterprise", "shark"), ("supplier_contract", "diplomat"))
PLAN = plan(("tit_for_tat", "conceder"), pairs=PAIRS, episodes=2)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[Played]]:
    """The file of a run that nothing stopped, and its episodes."""
    folder = tmp_path_factory.mktemp("whole")
    found = play_to(PLAN, folder)
    return (folder / FILE).read_bytes(), found


def test_every_log_replays_to_the_same_state_and_the_same_pay(whole: tuple[bytes, list[Played]]) -> None:
    for one in whole[1]:
        episode = replay(GAME, log_of(one))
        me = SEATS.index(one.match.cell.seat)
        graded, ended = grade(episode.state, me), episode.state.public.ended
        assert graded is not None and ended is not None
        assert (graded.reward, graded.efficiency, ended.reason, ended.turn) == (
            one.reward, one.efficiency, one.end, one.turns,
        )  # fmt: skip
        assert episode.total(one.match.cell.seat) == one.reward
        assert replay(GAME, log_of(play(one.match))).state == episode.state


def test_learners_speak_and_believe_in_the_log(whole: tuple[bytes, list[Played]]) -> None:
    for one in whole[1]:
        mine = [m[one.match.cell.seat] for m in log_of(one).moves(Move) if one.match.cell.seat in m]
        assert all(move.utterance for move in mine)
        assert all(move.belief is not None for move in mine)


def test_without_pairs_every_cell_is_played_and_each_episode_of_a_cell_has_a_seed_of_its_own() -> None:
    matches = list(plan(("tit_for_tat", "bayes"), episodes=3).matches())
    assert len(matches) == 24 * 2 * 3
    assert len({one.cell for one in matches}) == 24
    assert len({one.seed for one in matches}) == 72
    by_learner = {name: [(m.cell, m.seed) for m in matches if m.learner == name] for name in ("tit_for_tat", "bayes")}
    assert by_learner["tit_for_tat"] == by_learner["bayes"]


@pytest.mark.parametrize("share", [0.002, 0.2, 0.5, 0.77, 0.9999, 1.0])
def test_a_run_cut_anywhere_goes_on_to_the_same_file(
    whole: tuple[bytes, list[Played]], tmp_path: Path, share: float
) -> None:
    content = whole[0]
    (tmp_path / FILE).write_bytes(content[: int(share * len(content))])
    assert play_to(PLAN, tmp_path) == whole[1]
    assert (tmp_path / FILE).read_bytes() == content


def test_any_number_of_processes_gives_the_same_file(whole: tuple[bytes, list[Played]], tmp_path: Path) -> None:
    told: list[int] = []
    play_to(PLAN, tmp_path, workers=2, progress=told.append)
    assert (tmp_path / FILE).read_bytes() == whole[0]
    assert told == list(range(PLAN.total + 1))


def test_a_finished_run_plays_nothing(whole: tuple[bytes, list[Played]], tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / FILE).write_bytes(whole[0])
    handed_in: list[Any] = []
    monkeypatch.setattr(selfplay, "share_out", lambda do, work, workers: (one for one in handed_in.extend(work) or ()))
    assert play_to(PLAN, tmp_path) == whole[1]
    assert handed_in == []


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on(tmp_path: Path) -> None:
    options = ["selfplay", "--learner", "tit_for_tat", "--episodes", "6", "--workers", "2", "--out"]
    command = [sys.executable, "-m", "cli.app", *options]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    killed, left_alone = tmp_path / "killed", tmp_path / "whole"
    process = subprocess.Popen([*command, str(killed)], env=env, start_new_session=True, stderr=subprocess.DEVNULL)
    file = killed / FILE
    while process.poll() is None and (not file.exists() or file.read_bytes().count(b"\n") < 8):
        pass
    assert process.poll() is None, "it was over before it could be killed"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert 8 <= file.read_bytes().count(b"\n") < 1 + 144
    for folder in (killed, left_alone):
        subprocess.run([*command, str(folder)], env=env, check=True, capture_output=True)
    assert file.read_bytes() == (left_alone / FILE).read_bytes()
    assert file.read_bytes().count(b"\n") == 1 + 144


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (plan(("tit_for_tat",), pairs=PAIRS, episodes=2), "other learners"),
        (plan(("tit_for_tat", "conceder"), pairs=PAIRS[:1], episodes=2), "other cells"),
        (plan(("tit_for_tat", "conceder"), pairs=PAIRS, episodes=3), "other episodes"),
        (plan(("tit_for_tat", "conceder"), pairs=PAIRS, episodes=2, split="validation"), "other split"),
        (plan(("tit_for_tat", "conceder"), pairs=PAIRS, episodes=2, seed_start=1), "other first seed"),
    ],
    ids=lambda value: "" if isinstance(value, SelfPlan) else value,
)
def test_another_plan_is_refused(whole: tuple[bytes, Any], tmp_path: Path, other: SelfPlan, told: str) -> None:
    (tmp_path / FILE).write_bytes(whole[0])
    with pytest.raises(RunMismatch, match=f"{told}; name another folder"):
        play_to(other, tmp_path)
    assert (tmp_path / FILE).read_bytes() == whole[0]


def test_other_sources_are_refused(whole: tuple[bytes, Any], tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / FILE).write_bytes(whole[0])
    monkeypatch.setattr(selfplay, "sources_digest", lambda chosen: "0123456789abcdef")
    with pytest.raises(RunMismatch, match="other sources"):
        play_to(PLAN, tmp_path)


def test_a_damaged_line_is_named_and_a_missing_one_noticed(whole: tuple[bytes, Any], tmp_path: Path) -> None:
    lines = whole[0].splitlines(keepends=True)
    (tmp_path / FILE).write_bytes(b"".join([*lines[:3], b'{"match": 1}\n', *lines[4:]]))
    with pytest.raises(RecordDamaged, match="line 4"):
        play_to(PLAN, tmp_path)
    (tmp_path / FILE).write_bytes(b"".join([*lines[:3], *lines[4:]]))
    with pytest.raises(RecordDamaged, match="lacks an episode"):
        play_to(PLAN, tmp_path)
    (tmp_path / FILE).write_bytes(b"no JSON\n")
    with pytest.raises(RecordDamaged, match="line 1"):
        read(tmp_path / FILE)


def test_two_runs_do_not_write_into_one_folder(tmp_path: Path) -> None:
    with selfplay_file.opened(tmp_path, header_of(PLAN)), pytest.raises(RecordBusy):
        play_to(PLAN, tmp_path)


@pytest.mark.parametrize(
    ("learners", "options", "told"),
    [
        ((), {}, "at least one learner"),
        (("bayes", "bayes"), {}, "each once"),
        (("tit_for_tit",), {}, "tit_for_tat"),
        (("oracle",), {}, "knows what is hidden"),
        (("llm:",), {}, "llm:PROVIDER/MODEL"),
        (("bayes",), {"pairs": (("saas", "shark"),)}, "saas_enterprise"),
        (("bayes",), {"pairs": (("saas_enterprise", "lamb"),)}, "shark, diplomat, veteran, or a policy"),
        (("bayes",), {"opponent": "oracle"}, "knows what is hidden"),
        (("bayes",), {"pairs": ()}, "one pair"),
        (("bayes",), {"episodes": 0}, "one episode"),
        (("bayes",), {"split": "test"}, "for measuring"),
        (("bayes",), {"seed_start": -1}, "seed_start"),
        (("bayes",), {"seed_start": 2**53}, "seed_start"),
    ],
)
def test_what_cannot_be_played_is_refused_with_what_could(learners: Any, options: dict[str, Any], told: str) -> None:
    with pytest.raises(SelfPlayError, match=told):
        plan(learners, **options)


def test_a_policy_may_sit_opposite_and_speaks(tmp_path: Path) -> None:
    chosen = plan(("tit_for_tat",), pairs=[(name, "shark") for name in scenarios()], opponent="conceder")
    found = play_to(chosen, tmp_path)
    assert {one.match.cell.persona for one in found} == {"conceder"}
    assert any(one.end == "deal" for one in found)
    for one in found:
        assert all(move.utterance for moves in log_of(one).moves(Move) for move in moves.values())
        assert replay(GAME, log_of(one)).state.public.ended is not None

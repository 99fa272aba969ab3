"""Lessons are the moves of a data set, with what was seen at each; sets never mix, and fewer are kept evenly."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from agent.llm.parse import parse
from game.scenarios import scenarios
from parlay_env.core import Viewer
from parlay_env.deal.state import Move
from parlay_env.observe import observation
from parlay_env.session import GAME
from training.chat import FORMS, Form, brief
from training.data.build import Options, build
from training.data.form import SETS, DataSet, DataSetError, Episode, SetName, load
from training.data.sources import files_of, logs_in
from training.lessons import _evenly, lessons
from training.selfplay import log_of, plan, play_to, setup_of
from training.selfplay_file import FILE, Played

PLAN = plan(("tit_for_tat", "question_flood"), pairs=[(name, "diplomat") for name in scenarios()], episodes=2)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    play_to(PLAN, folder)
    return folder


@pytest.fixture(scope="module")
def data(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    """Real self-play in every scenario and seat, built into a data set."""
    folder = tmp_path_factory.mktemp("set")
    found = (one for file in files_of([logs]) for one in logs_in(file))
    build(found, Options("parlay data build LOGS --out DIR", filter="all", validation_share=0.4), folder)
    return load(folder)


def seen_at(logs: Path) -> dict[str, list[str]]:
    """By episode: what its learner would be asked in the brief form before each of its moves, from the log alone."""
    found: dict[str, list[str]] = {}
    for line in (logs / FILE).read_bytes().splitlines()[1:]:
        played = msgspec.json.decode(line, type=Played)
        setup, log = setup_of(played.match), log_of(played)
        state, asked = GAME.start(setup, played.match.seed), []
        for moves in log.moves(Move):
            if setup.seat in moves:
                asked.append(brief(observation(GAME.view(state, Viewer("player", setup.seat)), with_prompt=False)))
            state = GAME.play(state, moves).state
        found[log.last_hash] = asked
    return found


def test_brief_lessons_are_what_the_learner_saw(data: DataSet, logs: Path) -> None:
    seen = seen_at(logs)
    for which in SETS:
        found = lessons(data, which, "brief")
        steps = {(one.episode, one.step) for one in data.examples[which]}
        assert len(found) == len(steps) > 20
        assert Counter(one.episode for one in found) == Counter(episode for episode, _ in steps)
        for name in {one.episode for one in found}:
            asked = [one.messages[0]["content"] for one in found if one.episode == name]
            assert asked == [seen[name][step] for step in sorted(step for episode, step in steps if episode == name)]


def test_brief_answers_are_the_moves_that_were_made(data: DataSet) -> None:
    for which in SETS:
        found = lessons(data, which, "brief")
        steps = [(name, step) for name, group in _by_episode(data, which).items() for step in group]
        assert [one.episode for one in found] == [name for name, _ in steps]
        for one, (name, step) in zip(found, steps, strict=True):
            read, action = parse(one.answer), data.episodes[name].actions[step]
            assert read.kind == "ok" and read.action is not None
            assert read.action.accept_deal == action.get("accept_deal", False)
            assert read.action.walk_away == action.get("walk_away", False)
            assert read.action.question == action.get("question")
            if "offer_amount" in action:
                assert read.action.offer_amount == pytest.approx(action["offer_amount"], rel=0.0101)


def _by_episode(data: DataSet, which: SetName) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for one in data.examples[which]:
        found.setdefault(one.episode, []).append(one.step)
    return {name: sorted(steps) for name, steps in found.items()}


def test_full_lessons_are_the_set_s_examples(data: DataSet) -> None:
    for which in SETS:
        given = {(one.episode, one.prompt, one.action) for one in data.examples[which]}
        found = lessons(data, which, "full")
        assert {(one.episode, one.messages[0]["content"], one.answer) for one in found} == given
        assert len(found) == len(data.examples[which])


def test_a_conversation_ends_with_the_answer(data: DataSet) -> None:
    one = lessons(data, "train", "brief", 1)[0]
    assert [part["role"] for part in one.conversation()] == ["user", "assistant"]
    assert one.conversation()[-1]["content"] == one.answer


@pytest.mark.parametrize("form", get_args(Form))
def test_what_is_held_out_is_never_learned_from(data: DataSet, form: Form) -> None:
    """Neither its episodes nor their seeds."""
    train, held = ({one.episode for one in lessons(data, which, form)} for which in SETS)
    assert train and held and not train & held
    seeds = [{data.episodes[name].seed for name in names} for names in (train, held)]
    assert not seeds[0] & seeds[1]
    assert all(data.episodes[name].set == "train" for name in train)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("most", [1, 7, 40])
def test_no_more_than_asked_for_and_evenly(data: DataSet, form: Form, most: int) -> None:
    every = Counter(one.episode for one in lessons(data, "train", form))
    kept = Counter(one.episode for one in lessons(data, "train", form, most))
    assert sum(kept.values()) == most < sum(every.values())
    share = most / sum(every.values())
    assert all(abs(kept[name] - n * share) < 1 for name, n in every.items())


@pytest.mark.parametrize("most", [40, 100, 350, 1_100])
def test_every_move_of_an_episode_is_kept_as_often_as_any_other_the_first_and_the_last_included(most: int) -> None:
    """Ends that are always cut off are never learned: a model that saw no first move copies the other side's."""
    found = _evenly({str(k): list(range(12)) for k in range(100)}, most)
    kept = Counter(step for steps in found.values() for step in steps)
    assert sum(kept.values()) == most
    assert all(len(set(steps)) == len(steps) for steps in found.values())
    assert set(kept) == set(range(12))
    assert max(kept.values()) - min(kept.values()) <= 4


def test_fewer_lessons_are_some_of_all(data: DataSet) -> None:
    every = [(one.messages[0]["content"], one.answer) for one in lessons(data, "train", "brief")]
    some = [(one.messages[0]["content"], one.answer) for one in lessons(data, "train", "brief", 9)]
    assert len(set(some)) == 9 and set(some) <= set(every)


def test_more_than_there_are_is_all(data: DataSet) -> None:
    assert lessons(data, "validation", "brief", 100_000) == lessons(data, "validation", "brief")


@given(sizes=st.lists(st.integers(1, 20), min_size=1, max_size=30), most=st.integers(1, 400))
def test_steps_are_cut_alike_and_never_twice(sizes: list[int], most: int) -> None:
    wanted = {str(k): list(range(n)) for k, n in enumerate(sizes)}
    kept = _evenly(wanted, most)
    assert sum(map(len, kept.values())) == min(most, sum(sizes))
    for name, steps in kept.items():
        assert steps == sorted(set(steps))
        assert set(steps) <= set(wanted[name])


def test_a_person_s_game_without_a_seed_gives_none_in_the_brief_form(data: DataSet) -> None:
    """Its instance can't be asked for, so that what was seen can't be had; its prompts are in the full form."""
    name = next(iter(_by_episode(data, "train")))
    given = replace(data, episodes={**data.episodes, name: replace(data.episodes[name], source="human", seed=None)})
    assert name not in {one.episode for one in lessons(given, "train", "brief")}
    assert len({one.episode for one in lessons(given, "train", "brief")}) == len(_by_episode(data, "train")) - 1
    assert lessons(given, "train", "full") == lessons(data, "train", "full")


def test_after_a_move_that_was_not_allowed_there_is_none(data: DataSet) -> None:
    """A move that can't be played again leads nowhere; what was seen before it stands."""
    name, steps = next((name, steps) for name, steps in _by_episode(data, "train").items() if len(steps) > 4)
    episode: Episode = data.episodes[name]
    allowed = tuple(step != steps[3] for step in range(len(episode.actions)))
    given = replace(data, episodes={**data.episodes, name: replace(episode, allowed=allowed)})
    before = [one for one in lessons(data, "train", "brief") if one.episode == name]
    assert [one for one in lessons(given, "train", "brief") if one.episode == name] == before[:3]


def test_what_is_measured_on_is_not_learned_from(tmp_path: Path) -> None:
    play_to(plan(("tit_for_tat",), pairs=[("saas_enterprise", "diplomat")], split="validation"), tmp_path / "logs")
    found = (one for file in files_of([tmp_path / "logs"]) for one in logs_in(file))
    build(found, Options("test", filter="all"), tmp_path / "set")
    with pytest.raises(DataSetError, match="split validation"):
        lessons(load(tmp_path / "set"), "train", "brief")

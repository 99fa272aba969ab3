"""Episodes over the live socket come to what the server paid, row by row, whatever is answered and whatever is cut."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import pytest

from agent.llm.spoken import CLASSES
from game.scenarios import scenarios
from parlay_env.client.wire import ParlayClientError, ParlayConnectionError, wait_for
from parlay_env.reward import RewardSpec
from parlay_env.tasks import tasks as catalogue
from tests.training.cutting import cutting
from tests.training.scripted import alone, by, honest, move, play, said, script
from tests.world import PERSONAS
from training import sockets
from training.chat import Messages
from training.episodes import Cell, Job, setup_of
from training.episodes import play as play_by_code
from training.policies import make
from training.rollout import SOCKETS, TRIES, Answer, Episode, Rollouts, Task
from training.speaker import Said
from training.transcripts import transcript
from training.wire import action_text

ONE = Task("saas_enterprise", "diplomat", "seller", 7)
MIXED = [
    Task(scenario, persona, seat, seed)
    for seed, (scenario, persona, seat) in enumerate(product(scenarios(), PERSONAS, ("seller", "buyer")))
]
"""Every cell once."""
NOISE = RewardSpec().noise


def comparable(one: Episode) -> tuple[Any, ...]:
    """All that came of an episode, however it came."""
    turns = [(t.number, t.messages, t.said, t.kind, t.action, t.reward, t.terms) for t in one.turns]
    return one.task, turns, one.reward, one.terms, one.last


@pytest.fixture(scope="module")
def mixed(server: str) -> list[Episode]:
    return play(server, by(honest), *MIXED)


# What an episode comes to ---------------------------------------------------------------------------------------------


def test_an_episode_s_reward_is_that_of_its_grade(mixed: list[Episode]) -> None:
    assert {one.end for one in mixed} >= {"deal", "walk_away"}
    for one in mixed:
        assert one.reward == one.grade["reward"] == sum(turn.reward for turn in one.turns)
        assert one.reward == sum(one.terms.values())
        assert one.end == one.last["termination_reason"]
        assert one.reruns == 0


def test_a_batch_of_all_cells_is_graded_row_by_row(server: str, mixed: list[Episode]) -> None:
    """Whoever else is played beside it: an episode is what it is alone."""
    for one in mixed:
        assert comparable(alone(server, by(honest), one.task)) == comparable(one)


def test_the_order_of_the_tasks_is_that_of_the_episodes(server: str, mixed: list[Episode]) -> None:
    found = play(server, by(honest), *reversed(MIXED))
    assert [one.task for one in found] == MIXED[::-1]
    assert [comparable(one) for one in reversed(found)] == [comparable(one) for one in mixed]


@pytest.mark.parametrize("seat", ["seller", "buyer"])
@pytest.mark.parametrize("scenario", ["hiring_package", "supplier_contract"])
def test_a_policy_s_moves_come_to_what_the_evaluation_says(server: str, scenario: str, seat: Any) -> None:
    """The same moves through the socket and through the engine that every evaluation uses."""
    job = Job("tit_for_tat", Cell(scenario, "veteran", seat), "train", (5,))
    (expected,) = play_by_code(job)
    setup = setup_of(job)
    actions = transcript(make(job.policy, setup, 5), setup, 5).actions
    found = alone(server, script(*map(action_text, actions)), Task(scenario, "veteran", seat, 5), form="full")
    assert found.reward == expected.reward
    assert {term: value for term, value in found.terms.items() if value} == expected.terms
    assert (found.end, found.last["turn"]) == (expected.end, expected.turns)
    assert found.grade["efficiency"] == expected.efficiency
    assert found.classes() == {"ok": len(actions), "repaired": 0, "illegal": 0, "absent": 0}


def test_options_of_a_task_reach_the_game(server: str) -> None:
    tight = alone(server, script(move("So be it.", walk_away=True)), Task(*_cell(), seed=7, omega=50.0))
    assert tight.grade["omega"] == 50.0
    assert alone(server, by(honest), ONE).grade["omega"] == 200.0
    at_once = alone(server, by(honest), ONE, rewards_of="immediate")
    assert at_once.grade["when"] == "immediate"
    assert at_once.reward == at_once.grade["reward"]
    quiet = alone(server, by(honest), Task(*_cell(), seed=7, events=False))
    assert quiet.last["events"] == []


def _cell() -> tuple[str, str, Any]:
    return ONE.scenario_id, ONE.persona, ONE.seat


def test_an_episode_goes_on_after_its_history(server: str) -> None:
    whole = alone(server, by(honest), ONE)
    prefix = tuple(turn.action or {} for turn in whole.turns[:4])
    rest = alone(server, by(honest), Task(*_cell(), seed=7, history=prefix))
    assert [turn.action for turn in rest.turns] == [turn.action for turn in whole.turns[4:]]
    assert rest.reward == sum(turn.reward for turn in whole.turns[4:])
    assert rest.last == whole.last


def test_an_episode_that_its_history_ends_has_no_turns(server: str) -> None:
    over = alone(server, by(honest), Task(*_cell(), seed=7, history=({"utterance": "No.", "walk_away": True},)))
    assert (over.turns, over.reward, over.end) == ([], 0.0, "walk_away")


def test_a_task_of_the_test_split_is_asked_for_by_its_id(server: str) -> None:
    of_test = catalogue("test")[3]
    found = alone(
        server, by(honest), Task(of_test.scenario_id, of_test.persona, of_test.seat, split="test", task_id=of_test.id)
    )
    assert found.last["seat"] == of_test.seat
    assert found.reward == found.grade["reward"]


def test_every_turn_keeps_what_was_asked_and_told_is_kept_up(server: str) -> None:
    heard: list[int] = []
    with Rollouts(server, by(honest), form="brief") as rollouts:
        found = rollouts.play(MIXED[:5], heard.append)
    for one in found:
        assert [turn.number for turn in one.turns] == sorted(turn.number for turn in one.turns)
        assert all(f"turn {turn.number} " in turn.messages[0]["content"] for turn in one.turns)
    assert heard == sorted(heard) and heard[-1] == 5


def test_no_tasks_are_no_episodes(server: str) -> None:
    assert play(server, by(honest)) == []


# How answers were to be read ------------------------------------------------------------------------------------------

OK = move("Here is our offer.", offer_amount=170_000)
REPAIRED = '```json\n{"utterance": "A bit less.", "offer_amount": "169k"}\n```'
REFUSED = move("Take this.", offer_amount=1)
UNREADABLE = '{"offer_amount": "a lot"}'
ABSENT = "I would rather talk about the weather."
LEAVE = move("We leave it here.", walk_away=True)


def test_every_class_is_counted(server: str) -> None:
    found = alone(server, script(OK, REPAIRED, REFUSED, UNREADABLE, move("On we go."), ABSENT, LEAVE), ONE)
    kinds = ["ok", "repaired", "illegal", "illegal", "ok", "absent", "ok"]
    assert [turn.kind for turn in found.turns] == kinds
    assert found.classes() == {kind: kinds.count(kind) for kind in CLASSES}
    assert [turn.action is None for turn in found.turns] == [k in (3, 5) for k in range(7)]
    assert found.grade["invalid_moves"] == 3
    assert found.end == "walk_away"


@pytest.mark.parametrize("text", [ABSENT, UNREADABLE, "", "{}{}", '"offer"', "null", "[1]"])
def test_an_answer_without_an_action_costs_what_an_invalid_move_costs(server: str, text: str) -> None:
    found = alone(server, script(OK, text, LEAVE), ONE)
    refused = alone(server, script(OK, REFUSED, LEAVE), ONE)
    assert found.turns[1].reward == refused.turns[1].reward == -NOISE
    assert found.turns[1].action is None
    assert found.reward == refused.reward
    assert found.last["turn"] == refused.last["turn"], "and no turn is lost by it"


@pytest.mark.parametrize("text", [ABSENT, UNREADABLE, REFUSED])
def test_three_in_a_row_forfeit(server: str, text: str) -> None:
    found = alone(server, script(OK, text), ONE)
    assert found.end == "forfeit"
    assert len(found.turns) == 4
    assert found.reward == found.grade["reward"] <= -3 * NOISE - 10


def test_two_in_a_row_do_not(server: str) -> None:
    assert alone(server, script(ABSENT, ABSENT, OK, ABSENT, ABSENT, LEAVE), ONE).end == "walk_away"


# Connections that are cut ---------------------------------------------------------------------------------------------


def texts() -> Iterator[str]:
    """Moves of which some are refused: what was refused is led to again, too."""
    yield from (OK, ABSENT, move("Less, then.", offer_amount=168_000), REFUSED, ABSENT)
    yield from (move("Still less.", offer_amount=166_000), UNREADABLE, move("Let us see."), LEAVE)


@pytest.mark.parametrize("heard", [False, True], ids=["message lost", "answer lost"])
@pytest.mark.parametrize("at", range(1, 10))
def test_a_dropped_episode_comes_to_the_same(server: str, at: int, heard: bool) -> None:
    whole = alone(server, script(*texts()), ONE)
    with cutting(server, lambda number, message: number == 0 and message == at, heard=heard) as proxy:
        found = alone(proxy.url, script(*texts()), ONE)
    assert proxy.cuts == 1
    assert found.reruns == 1
    assert comparable(found) == comparable(whole)
    assert found.reward == found.grade["reward"]


@pytest.mark.parametrize("at", [1, 4])
def test_an_episode_whose_socket_went_quiet_is_gone_on_with(
    server: str, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody closes it: only the wait for its answer tells."""
    monkeypatch.setattr(sockets, "PATIENCE", 1.5)
    whole = alone(server, script(*texts()), ONE)
    with cutting(server, lambda number, message: number == 0 and message == at, quiet=True) as proxy:
        found = alone(proxy.url, script(*texts()), ONE)
    assert (proxy.cuts, found.reruns) == (1, 1)
    assert comparable(found) == comparable(whole)


@pytest.mark.parametrize("quiet", [False, True])
def test_a_server_that_is_gone_between_two_steps_is_waited_for(
    server: str, quiet: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second step's first messages are lost, the one with which the socket is replaced included."""
    monkeypatch.setattr(sockets, "PATIENCE", 1.5)
    whole = alone(server, by(honest), ONE)
    last = len(whole.turns) + 1
    with cutting(server, lambda n, message: message == (last if n == 0 else 0) and n < 3, quiet=quiet) as proxy:
        with Rollouts(proxy.url, by(honest), form="brief") as rollouts:
            rollouts.play([ONE])
            (again,) = rollouts.play([ONE])
        assert proxy.cuts >= 2
    assert again.reruns and comparable(again) == comparable(whole)


def test_refused_moves_before_a_drop_count_towards_a_forfeit(server: str) -> None:
    with cutting(server, lambda number, message: number == 0 and message == 3) as proxy:
        found = alone(proxy.url, script(OK, ABSENT), ONE)
    assert (found.end, len(found.turns), found.reruns) == ("forfeit", 4, 1)


def test_a_batch_whose_sockets_are_cut_again_and_again_comes_to_the_same(server: str, mixed: list[Episode]) -> None:
    """Several sessions share a socket: one that had its answer before the cut is gone, too."""
    assert len(MIXED) > 2 * SOCKETS
    with cutting(server, lambda number, message: number < 12 and message == 11 + 3 * number) as proxy:
        found = play(proxy.url, by(honest), *MIXED)
    assert proxy.cuts >= 6
    assert sum(one.reruns for one in found) > proxy.cuts
    assert [comparable(one) for one in found] == [comparable(one) for one in mixed]


def test_within_the_reward_at_once_nothing_is_paid_twice(server: str) -> None:
    whole = alone(server, by(honest), ONE, rewards_of="immediate")
    with cutting(server, lambda number, message: message == 5) as proxy:
        found = alone(proxy.url, by(honest), ONE, rewards_of="immediate")
    assert found.reruns
    assert comparable(found) == comparable(whole)


def test_an_episode_that_is_dropped_at_every_try_ends_the_run(server: str) -> None:
    with cutting(server, lambda number, message: message >= 2 - (number > 0)) as proxy:
        with pytest.raises(ParlayConnectionError, match=f"dropped {TRIES} times"):
            alone(proxy.url, by(honest), ONE)
        assert proxy.cuts == TRIES


async def _tasks() -> int:
    """Of the sockets' thread, this one left out."""
    await asyncio.sleep(0.05)
    return len(asyncio.all_tasks()) - 1


def test_a_server_that_stays_away_ends_the_run_and_leaves_nothing_behind(server: str) -> None:
    before = wait_for(_tasks())
    with cutting(server, lambda _, message: message >= 9) as proxy:
        proxy.stay_away()
        with pytest.raises(ParlayConnectionError), Rollouts(proxy.url, by(honest), form="brief") as rollouts:
            rollouts.play(MIXED)
        assert proxy.cuts
    assert wait_for(_tasks()) == before


def test_nobody_at_the_address_is_told_at_once() -> None:
    with pytest.raises(ParlayConnectionError, match="nothing answers"):
        play("http://127.0.0.1:9", by(honest), ONE)


# Refusals -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "code"),
    [
        (Task("no_such_scenario", "shark", "seller", 1), "UNKNOWN_SCENARIO"),
        (Task("saas_enterprise", "lamb", "seller", 1), "UNKNOWN_PERSONA"),
        (Task("saas_enterprise", "shark", "seller", 1, omega=10.0), "INVALID_OPTION"),
        (Task("saas_enterprise", "shark", "seller", 1, split="validation"), "INVALID_OPTION"),
    ],
)
def test_what_the_server_refuses_is_told_by_its_code(server: str, task: Task, code: str) -> None:
    before = wait_for(_tasks())
    with pytest.raises(ParlayClientError) as error:
        play(server, by(honest), ONE, task, ONE)
    assert error.value.code == code
    assert not isinstance(error.value, ParlayConnectionError)
    assert wait_for(_tasks()) == before


def test_an_answerer_that_fails_is_heard_and_leaves_nothing_behind(server: str) -> None:
    def fails(conversations: Sequence[Messages]) -> list[Said]:
        raise MemoryError("no more")

    before = wait_for(_tasks())
    with pytest.raises(MemoryError):
        play(server, fails, ONE)
    assert wait_for(_tasks()) == before


def test_as_many_answers_as_there_are_questions(server: str) -> None:
    too_few: Answer = lambda conversations: [said(OK)] * (len(conversations) - 1)  # noqa: E731
    with pytest.raises(ValueError, match="shorter"):
        play(server, too_few, ONE, ONE)


# Time -----------------------------------------------------------------------------------------------------------------


def test_the_environment_s_share_of_the_time(server: str) -> None:
    with Rollouts(server, by(honest), form="brief") as rollouts:
        assert rollouts.environment_share == 0.0
        rollouts.play(MIXED[:6])
        assert 0.0 < rollouts.environment_share < 1.0
        assert rollouts.environment_s > 0 and rollouts.learner_s > 0
        total = rollouts.environment_s + rollouts.learner_s
        assert rollouts.environment_share == rollouts.environment_s / total

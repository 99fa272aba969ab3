"""What a step of GRPO plays and pays, as far as it needs no PyTorch."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from parlay_env.models import ResetOptions
from parlay_env.session import Session
from parlay_env.tasks import seed_range
from tests.training.scripted import alone, by, honest, move, play, script
from training import rewards
from training.grpo import GrpoError, Trainer, check, omega_of, summary, tasks_of
from training.instances import led, setup_here
from training.policies import make
from training.presets import Grpo, preset
from training.rollout import Episode, Task
from training.transcripts import as_sent, transcript

HEADLINE = preset("headline").grpo


def options(**changes: str) -> Grpo:
    return preset("headline", [f"grpo.{name}={value}" for name, value in changes.items()]).grpo


# What is played -------------------------------------------------------------------------------------------------------


def test_the_tasks_of_a_step_follow_from_the_run_s_seed_and_the_step_alone() -> None:
    assert tasks_of(HEADLINE, 1, 5) == tasks_of(HEADLINE, 1, 5)
    assert tasks_of(HEADLINE, 1, 5) != tasks_of(HEADLINE, 1, 6)
    assert tasks_of(HEADLINE, 1, 5) != tasks_of(HEADLINE, 2, 5)


def test_seeds_are_of_train_and_none_is_held_out() -> None:
    first, last = seed_range("train")
    found = [one for step in range(30) for one in tasks_of(HEADLINE, 0, step)]
    assert all(one.seed is not None and first <= one.seed <= last for one in found)
    assert {one.split for one in found} == {"train"}
    assert len({one.seed for one in found}) == len(found)


@pytest.mark.parametrize(("count", "most"), [(16, 1), (24, 1), (25, 2), (60, 3)])
def test_cells_are_drawn_evenly(count: int, most: int) -> None:
    found = tasks_of(options(tasks=str(count)), 0, 0)
    cells = Counter((one.scenario_id, one.persona, one.seat) for one in found)
    assert len(found) == count
    assert max(cells.values()) == most and max(cells.values()) - min(cells.values()) <= 1


def test_only_what_is_named_is_played() -> None:
    found = tasks_of(options(scenarios="[hiring_package]", personas="[shark]", seats="[buyer]"), 0, 0)
    assert {(one.scenario_id, one.persona, one.seat) for one in found} == {("hiring_package", "shark", "buyer")}
    assert not any(one.events for one in tasks_of(HEADLINE, 0, 0, events=False))


def test_code_leads_into_an_episode_as_far_as_it_is_told_and_never_to_its_end() -> None:
    task = Task("saas_enterprise", "diplomat", "seller", seed=7)
    whole = led(task, "fixed_step", 1000).history
    assert len(whole) > 3 and led(task, "fixed_step", 0) == task
    assert [led(task, "fixed_step", n).history for n in range(1, 4)] == [whole[:1], whole[:2], whole[:3]]
    assert not led(task, "walk_at_once", 5).history, "it would end the episode at once"
    assert led(task, "tit_for_tat", 3).history != whole[:3]


def test_the_episode_that_is_led_into_is_the_very_one() -> None:
    """The server's own reset takes the moves, and the learner is asked what the code was asked there."""
    for omega in (50.0, None):
        task = Task("saas_enterprise", "shark", "buyer", seed=11, events=False, omega=omega)
        setup = setup_here(task)
        said = transcript(make("fixed_step", setup, 11), setup, 11)
        session = Session.open(ResetOptions(**task.options(), prompt=False, history=led(task, "fixed_step", 4).history))
        assert as_sent(session.answer().observation) == said.answers[4].observation


@pytest.mark.parametrize("name", ["nobody", "llm:openai/some-model"])
def test_a_leader_that_there_is_not_is_refused(name: str) -> None:
    with pytest.raises(GrpoError, match=r"lead\.by is of random.*fixed_step.*not " + name):
        check(options(lead=f"{{by: '{name}', moves: 4, steps: 2}}"), rewards.WEIGHTS)


def test_the_cliff_rises_when_its_steps_are_done() -> None:
    assert [omega_of(HEADLINE, step) for step in (0, 29, 30, 99)] == [50, 50, 200, 200]
    assert {one.omega for one in tasks_of(HEADLINE, 0, 29)} == {50}
    assert {one.omega for one in tasks_of(HEADLINE, 0, 30)} == {200}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"scenarios": "[saas]"}, "scenarios are of all, saas_enterprise"),
        ({"personas": "[lamb]"}, "personas are of shark, diplomat, veteran; not lamb"),
        ({"seats": "[]"}, "seats are of seller, buyer; not none"),
    ],
)
def test_what_there_is_not_is_refused(changes: dict[str, str], told: str) -> None:
    with pytest.raises(GrpoError, match=told):
        check(options(**changes), rewards.WEIGHTS)
    check(HEADLINE, rewards.WEIGHTS)
    with pytest.raises(GrpoError, match="weights are of efficiency"):
        check(HEADLINE, {"speed": 1.0})


# What is paid ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def played(server: str) -> list[Episode]:
    """Bargaining, and an episode in which something can't be read."""
    found = play(server, by(honest), *tasks_of(options(tasks="8"), 0, 0), rewards_of="immediate")
    mute = script("Hm.", move("This is ours.", offer_amount=160_000), "Hm?", move("We leave it here.", walk_away=True))
    return [*found, alone(server, mute, Task("saas_enterprise", "shark", "seller", 4))]


@pytest.mark.parametrize(
    "weights", [rewards.WEIGHTS, {**rewards.WEIGHTS, "format": 3.0, "efficiency": 0.5, "tom": 0.0}]
)
def test_what_answers_are_paid_sums_to_the_episode_s_weighted_functions(
    played: list[Episode], weights: dict[str, float]
) -> None:
    trainer: Any = SimpleNamespace(weights=weights)
    for one in played:
        paid = Trainer._paid(trainer, one)
        assert len(paid) == len(one.turns)
        assert sum(paid) == pytest.approx(rewards.total(one, weights), abs=1e-9)


def test_an_answer_that_can_t_be_read_is_where_it_is_lost(played: list[Episode]) -> None:
    trainer: Any = SimpleNamespace(weights=rewards.WEIGHTS)
    paid = Trainer._paid(trainer, played[-1])
    assert paid[0] == paid[2] == -10 - rewards.UNREADABLE
    assert paid[1] > -10


def test_a_step_s_figures_are_of_all_its_episodes(played: list[Episode]) -> None:
    found = summary(played)
    answers = sum(len(one.turns) for one in played)
    assert found["episodes"] == len(played)
    assert found["reward"] == pytest.approx(sum(one.reward for one in played) / len(played))
    assert sum(found[f"reward_{name}"] for name in rewards.FUNCTIONS) == pytest.approx(found["weighted"])
    assert found["weighted"] == pytest.approx(found["reward"] - 2 * rewards.UNREADABLE / len(played))
    assert found["absent"] == pytest.approx(2 / answers)
    assert found["ok"] + found["repaired"] + found["illegal"] + found["absent"] == pytest.approx(1)
    assert found["turns"] == answers / len(played)
    assert found["deals"] == sum(one.end == "deal" for one in played) / len(played) > 0
    assert found["reruns"] == 0

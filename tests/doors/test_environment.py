"""The environment class that OpenEnv's own server drives. OpenEnv itself is not needed for it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from parlay_env.environment import NotReset, ParlayEnvironment
from parlay_env.models import ParlayAction, ParlayObservation, ParlayState
from parlay_env.session import BadOption, EpisodeDone, UnknownPersona, UnknownScenario

from .support import Served, bargain, plain

GAME: dict[str, Any] = {"scenario_id": "saas_enterprise", "persona": "diplomat"}


def play(environment: ParlayEnvironment, **options: Any) -> list[ParlayObservation]:
    trail = [environment.reset(**options)]
    while not trail[-1].done:
        trail.append(environment.step(ParlayAction(**bargain(trail[-1].model_dump()))))
    return trail


async def test_it_plays_the_episode_that_our_own_server_plays(server: Served) -> None:
    trail = play(ParlayEnvironment(), seed=7, **GAME)
    async with plain(server) as client:
        replies = [await client.reset(seed=7, **GAME)]
        while not replies[-1]["done"]:
            replies.append(await client.step(replies[0]["session_id"], **bargain(replies[-1]["observation"])))
    for seen, reply in zip(trail, replies, strict=True):
        assert seen.model_dump(mode="json", exclude={"reward", "done", "metadata"}) == reply["observation"]
        assert (seen.reward, seen.done) == (reply["reward"], reply["done"])
        assert seen.metadata == reply["info"]


def test_it_has_all_that_openenvs_server_asks_of_an_environment() -> None:
    assert ParlayEnvironment.SUPPORTS_CONCURRENT_SESSIONS
    environment = ParlayEnvironment()
    for name in ("reset", "reset_async", "step", "step_async", "close", "get_metadata"):
        assert callable(getattr(environment, name))
    for model in (ParlayAction, ParlayObservation, ParlayState, type(environment.get_metadata())):
        assert issubclass(model, BaseModel)
    assert environment.get_metadata().name == "parlay_env"


async def test_the_asynchronous_methods_do_the_same() -> None:
    environment = ParlayEnvironment()
    first = await environment.reset_async(seed=3, **GAME)
    second = await environment.step_async(ParlayAction(**bargain(first.model_dump())))
    again = ParlayEnvironment()
    assert again.reset(3, **GAME) == first
    assert again.step(ParlayAction(**bargain(first.model_dump()))) == second


def test_state_follows_the_episode() -> None:
    environment = ParlayEnvironment()
    assert environment.state == ParlayState(episode_id=None, step_count=0)
    first = environment.reset(seed=3, episode_id="mine", **GAME)
    environment.step(ParlayAction(**bargain(first.model_dump())))
    assert (environment.state.episode_id, environment.state.step_count) == ("mine", 1)
    environment.close()
    assert environment.state.step_count == 0


def test_wrong_options_and_steps_are_typed_errors() -> None:
    environment = ParlayEnvironment()
    with pytest.raises(NotReset):
        environment.step(ParlayAction())
    with pytest.raises(ValidationError):
        environment.reset(seed=-1)
    with pytest.raises(ValidationError):
        environment.reset(colour="red")
    with pytest.raises(UnknownScenario):
        environment.reset(scenario_id="nowhere")
    with pytest.raises(UnknownPersona):
        environment.reset(persona="clown")
    with pytest.raises(BadOption):
        environment.reset(opponent="join")
    environment.reset(seed=3, **GAME)
    environment.step(ParlayAction(walk_away=True))
    with pytest.raises(EpisodeDone):
        environment.step(ParlayAction())


def test_tasks_are_handed_out_by_split_and_index() -> None:
    environment = ParlayEnvironment()
    assert [split["name"] for split in environment.list_splits()] == ["train", "validation", "test"]
    assert environment.num_tasks("test") == len(environment.list_tasks("test"))
    assert environment.get_task("train", 2) == environment.get_task_range("train", 2, 3)[0]
    for wrong in (lambda: environment.get_task("train", -1), lambda: environment.num_tasks("nothing")):
        with pytest.raises(IndexError):
            wrong()
    task = environment.get_task("test", 12)
    assert environment.reset(split="test", index=12) == environment.reset(task_id=task["id"])


def test_a_secret_is_mixed_into_drawn_seeds_only() -> None:
    guarded, open_one = ParlayEnvironment(secret="the operator's"), ParlayEnvironment()
    assert guarded.reset(seed=5, **GAME) == open_one.reset(seed=5, **GAME)
    drawn = play(guarded, **GAME)
    again = open_one.reset(seed=drawn[-1].metadata["seed"], **GAME)
    assert again.own != drawn[0].own

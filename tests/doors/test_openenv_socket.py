"""`/ws`: OpenEnv's protocol."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from .support import HIDDEN, Reply, Served, Stock, bargain, code_of, held_keys, stock

GAME: dict[str, Any] = {"scenario_id": "saas_enterprise", "persona": "diplomat", "seed": 7}


async def play(client: Stock, **options: Any) -> list[Reply]:
    trail = [await client.reset(**options)]
    while not trail[-1]["data"]["done"]:
        trail.append(await client.step(**bargain(trail[-1]["data"]["observation"])))
    return trail


async def test_reward_and_done_stand_on_the_envelope_only(server: Served) -> None:
    async with stock(server) as client:
        trail = await play(client, **GAME)
    for reply in trail:
        assert reply["type"] == "observation"
        assert {"observation", "reward", "done"} <= set(reply["data"])
        assert not {"reward", "done"} & set(reply["data"]["observation"])
        assert reply["data"]["observation"]["metadata"] == {}
    assert trail[0]["data"]["reward"] is None
    assert all(math.isfinite(reply["data"]["reward"]) for reply in trail[1:])


async def test_terms_travel_in_the_metadata_as_far_as_they_are_paid(server: Served) -> None:
    async with stock(server) as client:
        trail = await play(client, **GAME)
    for reply in trail[1:]:
        assert sum(reply["data"]["metadata"]["reward_terms"].values()) == reply["data"]["reward"]
    assert set(trail[1]["data"]["metadata"]["reward_terms"]) == {"delta_v", "concession", "noise"}


async def test_a_reset_needs_no_data(server: Served) -> None:
    async with stock(server) as client:
        reply = await client.ask({"type": "reset"})
    assert reply["data"]["observation"]["scenario"]["id"] == "saas_enterprise"
    assert reply["data"]["observation"]["seat"] == "seller"


async def test_state_before_the_first_reset_is_empty(server: Served) -> None:
    async with stock(server) as client:
        assert await client.state() == {"type": "state", "data": {"episode_id": None, "step_count": 0}}


async def test_state_follows_the_episode_and_counts_invalid_moves(server: Served) -> None:
    async with stock(server) as client:
        first = await client.reset(**GAME, episode_id="ep-1")
        await client.step(utterance="", offer_amount=-5)
        await client.step(**bargain(first["data"]["observation"]))
        await client.step(nope=1)
        state = (await client.state())["data"]
        assert (state["episode_id"], state["step_count"]) == ("ep-1", 2)
        await client.reset(**GAME)
        assert (await client.state())["data"]["step_count"] == 0


async def test_nothing_hidden_is_named_before_the_end(server: Served) -> None:
    async with stock(server) as client:
        trail = await play(client, **GAME)
        assert {"truth", "grade"} <= held_keys((await client.state())["data"])
    assert all(not held_keys(reply) & HIDDEN for reply in trail[:-1])


async def test_a_new_episode_shows_nothing_of_the_last(server: Served) -> None:
    async with stock(server) as client:
        fresh = await client.reset(**GAME)
        await play(client, **GAME | {"persona": "shark", "seed": 2})
        assert await client.reset(**GAME) == fresh


async def test_a_reset_that_fails_leaves_the_episode_as_it_was(server: Served) -> None:
    async with stock(server) as client:
        await client.reset(**GAME)
        before = await client.state()
        assert code_of(await client.reset(scenario_id="nowhere")) == "VALIDATION_ERROR"
        assert await client.state() == before


async def test_a_drawn_seed_is_told_with_the_end(server: Served) -> None:
    async with stock(server) as client:
        trail = await play(client, scenario_id="saas_enterprise", persona="shark")
        state = await client.state()
    assert all("seed" not in reply["data"]["metadata"] for reply in trail[:-1])
    assert trail[-1]["data"]["metadata"]["seed"] == state["data"]["seed"]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"type": "step", "data": {"utterance": ""}}, "EXECUTION_ERROR"),
        ({"type": "step"}, "VALIDATION_ERROR"),
        ({"type": "step", "data": None}, "VALIDATION_ERROR"),
        ({"type": "reset", "data": None}, "VALIDATION_ERROR"),
        ({"type": "reset", "data": {}, "id": 1}, "VALIDATION_ERROR"),
        ({"type": "state", "id": 1}, "VALIDATION_ERROR"),
        ({"type": "close", "id": 1}, "VALIDATION_ERROR"),
        ({"type": "fly"}, "UNKNOWN_TYPE"),
        ({"type": ["reset"]}, "UNKNOWN_TYPE"),
        ({}, "UNKNOWN_TYPE"),
    ],
)
async def test_a_message_that_is_none_has_openenvs_code(server: Served, message: Reply, code: str) -> None:
    async with stock(server) as client:
        assert code_of(await client.ask(message)) == code
        assert code_of(await client.reset(**GAME)) is None


async def test_a_step_after_the_end_is_an_execution_error(server: Served) -> None:
    async with stock(server) as client:
        await client.reset(**GAME)
        assert (await client.step(walk_away=True))["data"]["done"]
        before = await client.state()
        assert code_of(await client.step(utterance="Wait.")) == "EXECUTION_ERROR"
        assert await client.state() == before
        assert code_of(await client.reset(**GAME)) is None


async def test_close_ends_the_socket_with_1000(server: Served) -> None:
    async with stock(server) as client:
        await client.ws.send('{"type": "close"}')
        with pytest.raises(ConnectionClosed) as closed:
            await asyncio.wait_for(client.ws.recv(), 10)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1000


async def test_nothing_is_sent_that_was_not_asked_for(server: Served) -> None:
    async with stock(server) as client:
        await client.reset(**GAME)
        assert await client.nothing_comes(0.3)

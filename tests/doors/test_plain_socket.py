"""`/env/ws`: the plain envelope."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest

from .support import HIDDEN, Plain, Reply, Served, bargain, code_of, held_keys, plain, served

GAME: dict[str, Any] = {"scenario_id": "saas_enterprise", "persona": "diplomat", "seed": 7}


async def play(client: Plain, **options: Any) -> list[Reply]:
    trail = [await client.reset(**options)]
    while not trail[-1]["done"]:
        trail.append(await client.step(trail[0]["session_id"], **bargain(trail[-1]["observation"])))
    return trail


def without_ids(trail: list[Reply]) -> list[Reply]:
    return [{name: value for name, value in reply.items() if name != "session_id"} for reply in trail]


async def test_a_reset_answers_a_session_and_its_first_observation(server: Served) -> None:
    async with plain(server) as client:
        reply = await client.reset(**GAME)
    assert set(reply) == {"session_id", "observation", "reward", "done", "info"}
    assert (reply["reward"], reply["done"], reply["info"]["seed"]) == (None, False, 7)
    assert (reply["observation"]["seat"], reply["observation"]["persona"]) == ("seller", "diplomat")


async def test_a_step_is_paid_what_its_terms_sum_to(server: Served) -> None:
    async with plain(server) as client:
        trail = await play(client, **GAME)
    for reply in trail[1:]:
        assert math.isfinite(reply["reward"])
        assert sum(reply["info"]["reward_terms"].values()) == reply["reward"]
    paid = sum(reply["reward"] for reply in trail[1:])
    assert paid == trail[-1]["observation"]["grade"]["reward"]
    assert -300 <= paid <= 200


async def test_before_the_end_a_step_pays_only_what_its_player_could_compute(server: Served) -> None:
    async with plain(server) as client:
        trail = await play(client, **GAME)
    assert all(set(reply["info"]["reward_terms"]) == {"delta_v", "concession", "noise"} for reply in trail[1:-1])
    assert {"tom", "bluff", "mev"} <= set(trail[-1]["info"]["reward_terms"])


async def test_nothing_hidden_is_named_before_the_end_and_all_of_it_after(server: Served) -> None:
    async with plain(server) as client:
        trail = await play(client, **GAME)
        state = (await client.state(trail[0]["session_id"]))["state"]
    assert all(not held_keys(reply) & HIDDEN for reply in trail[:-1])
    assert {"truth", "grade"} <= held_keys(trail[-1]["observation"])
    assert {"truth", "grade"} <= held_keys(state)
    assert all("reward" not in reply["observation"] for reply in trail)


async def test_one_seed_is_one_episode(server: Served) -> None:
    async with plain(server) as client, plain(server) as other:
        first, second = await play(client, **GAME), await play(client, **GAME)
        third = await play(other, **GAME)
        another = await play(client, **GAME | {"seed": 8})
    assert without_ids(first) == without_ids(second) == without_ids(third)
    assert without_ids(another) != without_ids(first)


async def test_a_seed_that_the_server_draws_is_told_with_the_end_and_replays_the_episode(server: Served) -> None:
    options = {"scenario_id": "hiring_package", "persona": "shark"}
    async with plain(server) as client:
        trail = await play(client, **options)
        assert all("seed" not in reply["info"] for reply in trail[:-1])
        seed = trail[-1]["info"]["seed"]
        again = await play(client, **options, seed=seed)
    drop_seed = [
        reply | {"info": {k: v for k, v in reply["info"].items() if k != "seed"}} for reply in without_ids(again)
    ]
    assert drop_seed[:-1] == without_ids(trail)[:-1]
    assert again[-1]["observation"] == trail[-1]["observation"]


async def test_a_servers_secret_keeps_drawn_seeds_its_own_and_leaves_given_ones_alone() -> None:
    with served(secret="the operator's") as guarded, served() as open_one:
        async with plain(guarded) as client, plain(open_one) as other:
            trail = await play(client, scenario_id="saas_enterprise", persona="shark")
            seed = trail[-1]["info"]["seed"]
            again = await client.reset(scenario_id="saas_enterprise", persona="shark", seed=seed)
            assert again["observation"]["own"] != trail[0]["observation"]["own"]
            assert (await client.reset(**GAME))["observation"] == (await other.reset(**GAME))["observation"]


async def test_drawn_seeds_differ(server: Served) -> None:
    async with plain(server) as client:
        drawn = [(await client.reset(scenario_id="saas_enterprise"))["observation"]["own"]["limit"] for _ in range(8)]
    assert len(set(drawn)) > 6


async def test_state_is_the_players_view_with_an_exact_count_of_steps(server: Served) -> None:
    async with plain(server) as client:
        first = await client.reset(**GAME, episode_id="mine")
        name = first["session_id"]
        state = (await client.state(name))["state"]
        assert (state["episode_id"], state["step_count"], state["done"]) == ("mine", 0, False)
        assert (state["to_move"], state["scenario_id"], state["seed"]) == ("seller", "saas_enterprise", 7)
        seen = {key: value for key, value in first["observation"].items() if key != "prompt"}
        assert seen.items() <= state.items()
        await client.step(name, utterance="", offer_amount=1e15)
        await client.step(name, **bargain(first["observation"]))
        assert (await client.state(name))["state"]["step_count"] == 2
    async with plain(server) as client:
        name = (await client.reset(scenario_id="saas_enterprise"))["session_id"]
        assert (await client.state(name))["state"]["seed"] is None


async def test_the_prompt_can_be_left_out(server: Served) -> None:
    async with plain(server) as client:
        with_it, without = await client.reset(**GAME), await client.reset(**GAME, prompt=False)
    assert with_it["observation"]["prompt"]
    assert without["observation"] == with_it["observation"] | {"prompt": None}


async def test_sessions_of_a_socket_do_not_touch_each_other(server: Served) -> None:
    async with plain(server) as client:
        alone = without_ids(await play(client, **GAME))
        names = [(await client.reset(**GAME))["session_id"] for _ in range(3)]
        trails: list[list[Reply]] = [[] for _ in names]
        for reply in alone[:-1]:
            action = bargain(reply["observation"])
            for name, trail in zip(names, trails, strict=True):
                trail.append(await client.step(name, **action))
    assert all(without_ids(trail) == alone[1:] for trail in trails)


async def test_a_session_belongs_to_its_socket(server: Served) -> None:
    async with plain(server) as client, plain(server) as thief:
        name = (await client.reset(**GAME))["session_id"]
        for message in (
            {"cmd": "state"},
            {"cmd": "close"},
            {"cmd": "wait"},
            {"cmd": "step", "action": {"utterance": ""}},
        ):
            assert code_of(await thief.ask({**message, "session_id": name})) == "SESSION_NOT_FOUND"
        assert code_of(await client.state(name)) is None


async def test_a_closed_session_is_gone(server: Served) -> None:
    async with plain(server) as client:
        name = (await client.reset(**GAME))["session_id"]
        assert await client.ask({"cmd": "close", "session_id": name}) == {"session_id": name, "closed": True}
        assert code_of(await client.state(name)) == "SESSION_NOT_FOUND"
        assert code_of(await client.ask({"cmd": "close", "session_id": name})) == "SESSION_NOT_FOUND"


async def test_a_step_after_the_end_is_an_error_and_changes_nothing(server: Served) -> None:
    async with plain(server) as client:
        trail = await play(client, **GAME)
        name = trail[0]["session_id"]
        before = await client.state(name)
        assert code_of(await client.step(name, utterance="One more thing.")) == "EPISODE_DONE"
        assert await client.state(name) == before


async def test_the_65th_session_of_a_socket_is_refused_and_the_others_stay(server: Served) -> None:
    async with plain(server) as client, plain(server) as other:
        names = [(await client.reset(**GAME))["session_id"] for _ in range(64)]
        assert code_of(await client.reset(**GAME)) == "CAPACITY_REACHED"
        assert code_of(await client.state(names[0])) is None
        assert code_of(await other.reset(**GAME)) is None
        await client.ask({"cmd": "close", "session_id": names[5]})
        assert code_of(await client.reset(**GAME)) is None


async def test_episodes_that_are_over_make_room(server: Served) -> None:
    async with plain(server) as client:
        names = [(await client.reset(**GAME))["session_id"] for _ in range(64)]
        await client.step(names[3], walk_away=True)
        assert code_of(await client.reset(**GAME)) is None
        assert code_of(await client.state(names[3])) == "SESSION_NOT_FOUND"
        assert code_of(await client.reset(**GAME)) == "CAPACITY_REACHED"


async def test_pipelined_messages_are_answered_in_order(server: Served) -> None:
    async with plain(server) as client:
        name = (await client.reset(**GAME))["session_id"]
        for turn in range(10):
            await client.ws.send(f'{{"cmd": "state", "session_id": "{name}"}}' if turn % 2 else "{")
        replies = [await client.next() for _ in range(10)]
    assert [code_of(reply) for reply in replies] == ["INVALID_JSON", None] * 5


@pytest.mark.parametrize(
    "scenario_id", ["saas_enterprise", "hiring_package", "acquisition_term_sheet", "supplier_contract"]
)
async def test_every_scenario_is_played_to_its_end_from_both_seats(server: Served, scenario_id: str) -> None:
    async with plain(server) as client:
        for persona in ("shark", "diplomat", "veteran"):
            for seat in ("seller", "buyer"):
                last = (await play(client, scenario_id=scenario_id, persona=persona, seat=seat, seed=3))[-1]
                assert last["observation"]["termination_reason"] in {"deal", "walk_away", "timeout", "zopa_collapsed"}


async def test_many_clients_at_once_play_the_same_episodes_as_one(server: Served) -> None:
    async def episode(seed: int) -> list[Reply]:
        async with plain(server) as client:
            return without_ids(await play(client, **GAME | {"seed": seed}))

    alone = [await episode(seed) for seed in range(4)]
    together = await asyncio.gather(*(episode(seed % 4) for seed in range(24)))
    assert all(trail == alone[i % 4] for i, trail in enumerate(together))

"""Both seats by clients: `opponent: "join"`."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from parlay_env.doors.hub import Hub
from parlay_env.server import create_app
from parlay_env.settings import Settings

from .support import (
    HIDDEN,
    MemorySocket,
    Plain,
    Reply,
    Served,
    Stock,
    bargain,
    code_of,
    held_keys,
    plain,
    served,
    stock,
    until,
)

GAME: dict[str, Any] = {"scenario_id": "saas_enterprise", "opponent": "join", "events": False}


async def opener_of(client: Plain, seed: int) -> str:
    name = (await client.reset(**GAME, seed=seed))["session_id"]
    found = (await client.state(name))["state"]["to_move"]
    await client.ask({"cmd": "close", "session_id": name})
    return found


@pytest.fixture
async def seeds(server: Served) -> dict[str, int]:
    """A seed by the seat that opens."""
    async with plain(server) as client:
        found = {await opener_of(client, seed): seed for seed in range(20)}
    assert set(found) == {"seller", "buyer"}
    return found


async def play_seat(client: Plain, first: Reply) -> list[Reply]:
    """Play a seat to the end from its first observation that is its own to move."""
    trail, name = [first], first["session_id"]
    while not trail[-1]["done"]:
        trail.append(await client.step(name, **bargain(trail[-1]["observation"])))
    return trail


async def host(client: Plain, **options: Any) -> tuple[str, str]:
    reply = await client.reset(**{**GAME, **options})
    return reply["session_id"], reply["join_code"]


@pytest.mark.parametrize("opens", ["seller", "buyer"])
async def test_two_scripted_agents_play_over_two_sockets(server: Served, seeds: dict[str, int], opens: str) -> None:
    async with plain(server) as creator, plain(server) as guest:
        name, code = await host(creator, seed=seeds[opens])

        async def creators() -> list[Reply]:
            return await play_seat(creator, await creator.ask({"cmd": "wait", "session_id": name}))

        async def guests() -> list[Reply]:
            return await play_seat(guest, await guest.ask({"cmd": "join", "join_code": code}))

        mine, theirs = await asyncio.gather(creators(), guests())
    assert {mine[0]["observation"]["seat"], theirs[0]["observation"]["seat"]} == {"seller", "buyer"}
    ends = [trail[-1]["observation"] for trail in (mine, theirs)]
    assert ends[0]["termination_reason"] == ends[1]["termination_reason"] == "deal"
    assert ends[0]["final_offer"] == ends[1]["final_offer"]
    # The host chose the seed. To the guest it would tell the host's facts: it comes with the end.
    assert all(reply["info"]["seed"] == seeds[opens] for reply in mine)
    assert ["seed" in reply["info"] for reply in theirs] == [False] * (len(theirs) - 1) + [True]
    for trail in (mine, theirs):
        assert all(not held_keys(reply) & HIDDEN for reply in trail[:-1])
        paid = sum(reply["reward"] for reply in trail if reply["reward"] is not None)
        assert paid == trail[-1]["observation"]["grade"]["reward"]


async def test_each_seat_sees_its_own_facts_and_the_same_public_history(server: Served, seeds: dict[str, int]) -> None:
    async with plain(server) as creator, plain(server) as guest:
        name, code = await host(creator, seed=seeds["seller"])
        step = asyncio.create_task(creator.step(name, utterance="170,000.", offer_amount=170_000))
        await until(lambda: server.hub.active >= 2)
        theirs = await guest.ask({"cmd": "join", "join_code": code})
        assert theirs["observation"]["opponent_offer"] == {"price": 170_000}
        assert theirs["observation"]["opponent_utterance"] == "170,000."
        await guest.ws.send(
            f'{{"cmd": "step", "session_id": "{theirs["session_id"]}", "action": {{"offer_amount": 120000}}}}'
        )
        mine = await step
        assert mine["observation"]["opponent_offer"] == {"price": 120_000}
        assert mine["observation"]["offers"][:1] == theirs["observation"]["offers"]
        assert mine["observation"]["own"]["limit"] != theirs["observation"]["own"]["limit"]


async def test_a_code_is_used_once_and_cannot_be_guessed(server: Served) -> None:
    async with plain(server) as creator, plain(server) as guest, plain(server) as third:
        name, code = await host(creator)
        assert len(code) >= 20
        assert (await creator.state(name))["state"]["join_code"] == code
        joining = asyncio.ensure_future(guest.ask({"cmd": "join", "join_code": code}))
        await until(lambda: code not in server.hub._waiting)
        assert "join_code" not in (await creator.state(name))["state"]
        for guess in (code, code[:-1], "", "x" * 64):
            assert code_of(await third.ask({"cmd": "join", "join_code": guess})) == "INVALID_OPTION"
        joining.cancel()


async def test_a_step_out_of_turn_is_an_error_and_changes_nothing(server: Served, seeds: dict[str, int]) -> None:
    async with plain(server) as creator:
        name, _ = await host(creator, seed=seeds["buyer"])
        before = await creator.state(name)
        assert code_of(await creator.step(name, utterance="Me first.")) == "NOT_YOUR_MOVE"
        assert await creator.state(name) == before


async def test_a_second_step_before_the_answer_to_the_first_is_an_error(server: Served, seeds: dict[str, int]) -> None:
    async with plain(server) as creator:
        name, _ = await host(creator, seed=seeds["seller"])
        step = f'{{"cmd": "step", "session_id": "{name}", "action": {{"offer_amount": 170000}}}}'
        await creator.ws.send(step)
        assert code_of(await creator.ask(step)) == "NOT_YOUR_MOVE"
        assert code_of(await creator.ask({"cmd": "wait", "session_id": name})) == "NOT_YOUR_MOVE"
        assert (await creator.state(name))["state"]["step_count"] == 1


async def test_other_games_of_the_socket_go_on_while_one_waits(server: Served, seeds: dict[str, int]) -> None:
    async with plain(server) as creator:
        name, _ = await host(creator, seed=seeds["seller"])
        await creator.ws.send(f'{{"cmd": "step", "session_id": "{name}", "action": {{"offer_amount": 170000}}}}')
        other = await creator.reset(scenario_id="hiring_package", persona="shark", seed=1)
        assert (await creator.step(other["session_id"], **bargain(other["observation"])))["session_id"] == other[
            "session_id"
        ]


async def test_an_invalid_move_is_answered_at_once(server: Served, seeds: dict[str, int]) -> None:
    async with plain(server) as creator:
        name, _ = await host(creator, seed=seeds["seller"])
        reply = await creator.step(name, offer_amount=-5)
        assert reply["observation"]["invalid"]["code"] == "out_of_range"
        assert reply["reward"] == -10.0


@pytest.mark.parametrize("how", ["socket", "close"])
async def test_who_leaves_walks_away_and_the_other_has_its_answer(
    server: Served, seeds: dict[str, int], how: str
) -> None:
    async with plain(server) as creator:
        name, code = await host(creator, seed=seeds["seller"])
        async with plain(server) as guest:
            waiting = asyncio.create_task(guest.ask({"cmd": "join", "join_code": code}))
            step = asyncio.create_task(creator.step(name, utterance="Well?", offer_amount=170_000))
            joined = await waiting
            if how == "close":
                await guest.ask({"cmd": "close", "session_id": joined["session_id"]})
        last = await step
    assert last["done"]
    assert last["observation"]["termination_reason"] == "walk_away"
    assert last["observation"]["opponent_move"] == "walk_away"
    assert last["info"]["reward_terms"]["no_deal"] == 0.0


async def test_an_offer_of_one_who_left_still_stands(server: Served, seeds: dict[str, int]) -> None:
    async with plain(server) as creator:
        name, code = await host(creator, seed=seeds["buyer"])
        async with plain(server) as guest:
            joined = await guest.ask({"cmd": "join", "join_code": code})
            await guest.ws.send(
                f'{{"cmd": "step", "session_id": "{joined["session_id"]}", "action": {{"offer_amount": 164000}}}}'
            )
            await creator.ask({"cmd": "wait", "session_id": name})
        last = await creator.step(name, utterance="Agreed.", accept_deal=True)
    assert last["observation"]["termination_reason"] == "deal"


async def test_who_stays_ends_the_game_of_one_who_left_by_any_move(server: Served, seeds: dict[str, int]) -> None:
    async with plain(server) as creator:
        name, code = await host(creator, seed=seeds["buyer"])
        async with plain(server) as guest:
            joined = await guest.ask({"cmd": "join", "join_code": code})
            await guest.ws.send(
                f'{{"cmd": "step", "session_id": "{joined["session_id"]}", "action": {{"offer_amount": 120000}}}}'
            )
            await creator.ask({"cmd": "wait", "session_id": name})
        last = await creator.step(name, utterance="170,000.", offer_amount=170_000)
    assert last["done"]
    assert last["observation"]["termination_reason"] == "walk_away"


async def test_a_game_whose_creator_left_cannot_be_joined(server: Served) -> None:
    async with plain(server) as guest:
        async with plain(server) as creator:
            _, code = await host(creator)
        await until(lambda: not server.hub._codes)
        assert code_of(await guest.ask({"cmd": "join", "join_code": code})) == "INVALID_OPTION"


async def test_both_may_leave(server: Served, seeds: dict[str, int]) -> None:
    for order in (0, 1):
        sockets = [await server.socket(), await server.socket()]
        creator, guest = (Plain(ws) for ws in sockets)
        _, code = await host(creator, seed=seeds["buyer"])
        await guest.ask({"cmd": "join", "join_code": code})
        await sockets[order].close()
        await sockets[1 - order].close()
    await until(lambda: server.hub.active == 0)


async def test_one_client_may_hold_both_seats(server: Served, seeds: dict[str, int]) -> None:
    async with plain(server) as client:
        name, code = await host(client, seed=seeds["seller"])
        await client.ws.send(f'{{"cmd": "step", "session_id": "{name}", "action": {{"offer_amount": 170000}}}}')
        joined = await client.ask({"cmd": "join", "join_code": code})
        await client.ws.send(
            f'{{"cmd": "step", "session_id": "{joined["session_id"]}", "action": {{"accept_deal": true}}}}'
        )
        replies = [await client.next(), await client.next()]
    assert {reply["session_id"] for reply in replies} == {name, joined["session_id"]}
    assert all(reply["done"] for reply in replies)


async def test_a_step_is_not_taken_for_the_one_after_an_answer_that_is_on_its_way() -> None:
    app = create_app(Settings())
    socket = await MemorySocket(app, "/env/ws").opened()
    seed = 0
    while True:  # until its creator opens
        reply = json.loads(await socket.ask({"cmd": "reset", **GAME, "seed": seed}))
        if reply["observation"]["turn"] == 1:
            break
        seed += 1
    name = reply["session_id"]
    socket.put({"cmd": "step", "session_id": name, "action": {"offer_amount": 170_000}})
    joined = json.loads(await socket.ask({"cmd": "join", "join_code": reply["join_code"]}))
    socket.put({"cmd": "step", "session_id": joined["session_id"], "action": {"offer_amount": 120_000}})
    socket.put({"cmd": "step", "session_id": name, "action": {"offer_amount": 169_000}})
    replies = [json.loads(await socket.next()) for _ in range(2)]
    assert sorted(map(code_of, replies), key=str) == ["NOT_YOUR_MOVE", None]
    await socket.close()
    app.state.hub.stop()


# OpenEnv's protocol ---------------------------------------------------------------------------------------------------


async def play_stock(client: Stock, first: Reply) -> list[Reply]:
    trail = [first]
    while not trail[-1]["data"]["done"]:
        trail.append(await client.step(**bargain(trail[-1]["data"]["observation"])))
    return trail


async def test_two_clients_of_openenvs_protocol_play_each_other(server: Served, seeds: dict[str, int]) -> None:
    async with stock(server) as creator, stock(server) as guest:
        first = await creator.reset(**GAME, seed=seeds["seller"])
        code = first["data"]["metadata"]["join_code"]
        assert (await creator.state())["data"]["join_code"] == code

        async def guests() -> list[Reply]:
            return await play_stock(guest, await guest.reset(join_code=code))

        mine, theirs = await asyncio.gather(play_stock(creator, first), guests())
    assert mine[-1]["data"]["observation"]["termination_reason"] == "deal"
    assert mine[-1]["data"]["observation"]["final_offer"] == theirs[-1]["data"]["observation"]["final_offer"]


async def test_the_doors_can_be_mixed(server: Served, seeds: dict[str, int]) -> None:
    async with plain(server) as creator, stock(server) as guest:
        name, code = await host(creator, seed=seeds["buyer"])
        first = await guest.reset(join_code=code)

        async def creators() -> list[Reply]:
            return await play_seat(creator, await creator.ask({"cmd": "wait", "session_id": name}))

        mine, theirs = await asyncio.gather(creators(), play_stock(guest, first))
    assert mine[-1]["observation"]["final_offer"] == theirs[-1]["data"]["observation"]["final_offer"]


async def test_state_tells_when_it_is_ones_move(server: Served, seeds: dict[str, int]) -> None:
    async with stock(server) as creator, plain(server) as guest:
        first = await creator.reset(**GAME, seed=seeds["buyer"])
        assert code_of(await creator.step(utterance="Me first.")) == "EXECUTION_ERROR"
        joined = await guest.ask({"cmd": "join", "join_code": first["data"]["metadata"]["join_code"]})
        assert (await creator.state())["data"]["to_move"] == "buyer"
        await guest.ws.send(
            f'{{"cmd": "step", "session_id": "{joined["session_id"]}", "action": {{"offer_amount": 120000}}}}'
        )
        while (state := (await creator.state())["data"])["to_move"] != "seller":
            pass
        assert state["opponent_offer"] == {"price": 120_000}
        assert (await creator.step(utterance="Agreed.", accept_deal=True))["data"]["done"]


async def test_a_message_that_comes_too_early_is_answered_in_its_turn(server: Served, seeds: dict[str, int]) -> None:
    async with stock(server) as creator, stock(server) as guest:
        first = await creator.reset(**GAME, seed=seeds["seller"])
        await creator.ws.send('{"type": "step", "data": {"offer_amount": 170000}}')
        await creator.ws.send('{"type": "state"}')
        assert await creator.nothing_comes()
        await guest.reset(join_code=first["data"]["metadata"]["join_code"])
        await guest.ws.send('{"type": "step", "data": {"offer_amount": 120000}}')
        assert [(await creator.next())["type"], (await creator.next())["type"]] == ["observation", "state"]


@pytest.mark.parametrize("early", [False, True])
async def test_a_client_that_goes_while_it_waits_has_left(server: Served, seeds: dict[str, int], early: bool) -> None:
    async with stock(server) as guest:
        async with stock(server) as creator:
            first = await creator.reset(**GAME, seed=seeds["seller"])
            await creator.ws.send('{"type": "step", "data": {"utterance": "Hm.", "offer_amount": 170000}}')
            if early:
                await creator.ws.send('{"type": "state"}')
            await guest.reset(join_code=first["data"]["metadata"]["join_code"])
        last = await guest.step(utterance="120,000.", offer_amount=120_000)
    assert last["data"]["done"] or early
    if last["data"]["done"]:
        assert last["data"]["observation"]["termination_reason"] == "walk_away"
    await until(lambda: server.hub.active == 0)


async def test_who_resets_has_left_the_game_before(server: Served, seeds: dict[str, int]) -> None:
    async with stock(server) as creator, stock(server) as guest:
        first = await creator.reset(**GAME, seed=seeds["seller"])
        joining = asyncio.create_task(guest.reset(join_code=first["data"]["metadata"]["join_code"]))
        await until(lambda: not server.hub._codes)
        await creator.reset(scenario_id="saas_enterprise", persona="shark")
        assert (await joining)["data"]["done"]


@pytest.mark.parametrize(
    "options",
    [{"persona": "shark"}, {"history": [{"utterance": "Hello."}]}, {"task_id": "train-00001"}, {"index": 3}],
)
async def test_options_of_a_scripted_opponent_are_refused(server: Served, options: dict[str, Any]) -> None:
    async with plain(server) as client:
        assert code_of(await client.reset(**GAME, **options)) == "INVALID_OPTION"


async def test_who_joins_takes_the_game_as_it_is(server: Served) -> None:
    async with plain(server) as creator, plain(server) as guest:
        _, code = await host(creator)
        assert code_of(await guest.ask({"cmd": "join", "join_code": code, "seat": "seller"})) == "INVALID_OPTION"
        assert code in server.hub._waiting


async def test_a_guest_without_a_slot_leaves_the_game_open() -> None:
    with served(max_sessions=2) as small:
        async with plain(small) as creator, plain(small) as guest:
            _, code = await host(creator)
            await guest.reset(scenario_id="saas_enterprise")
            assert code_of(await guest.ask({"cmd": "join", "join_code": code})) == "CAPACITY_REACHED"
            hub: Hub = small.hub
            assert code in hub._waiting

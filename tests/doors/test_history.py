"""`history`: an episode goes on from a prefix of the learner's moves; the opponent's are computed anew."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from .support import Plain, Reply, Served, bargain, code_of, plain, stock

GAME: dict[str, Any] = {"scenario_id": "saas_enterprise", "persona": "veteran", "seed": 12}


async def played(client: Plain, **options: Any) -> tuple[list[dict[str, Any]], list[Reply]]:
    """The learner's moves of a whole episode, and what answered each."""
    replies = [await client.reset(**options)]
    moves = []
    while not replies[-1]["done"]:
        moves.append(bargain(replies[-1]["observation"]) | {"belief": {"est_walk_away": 150_000.0 + len(moves)}})
        replies.append(await client.step(replies[0]["session_id"], **moves[-1]))
    return moves, replies


@pytest.mark.parametrize("persona", ["shark", "diplomat", "veteran"])
@pytest.mark.parametrize("scenario_id", ["saas_enterprise", "supplier_contract"])
async def test_an_episode_goes_on_from_any_prefix_as_it_did_live(
    server: Served, persona: str, scenario_id: str
) -> None:
    async with plain(server) as client:
        game = GAME | {"persona": persona, "scenario_id": scenario_id}
        moves, live = await played(client, **game)
        for at in range(len(moves)):
            first = await client.reset(**game, history=moves[:at])
            assert first["observation"] == live[at]["observation"]
            assert (first["reward"], first["done"]) == (None, False)
            name = first["session_id"]
            for move, reply in zip(moves[at:], live[at + 1 :], strict=True):
                again = await client.step(name, **move)
                # What the whole episode settles at its end is settled here too; what was paid before is not again.
                assert again | {"session_id": ""} == reply | {"session_id": ""}
            assert (await client.state(name))["state"]["step_count"] == len(moves) - at
            await client.ask({"cmd": "close", "session_id": name})


async def test_k_resets_with_one_prefix_are_k_equal_branches(server: Served) -> None:
    async with plain(server) as client:
        moves, live = await played(client, **GAME)
        half = len(moves) // 2
        branches = [await client.reset(**GAME, history=moves[:half]) for _ in range(8)]
        assert all(branch["observation"] == live[half]["observation"] for branch in branches)
        other = {"utterance": "Something else.", "question": "timeline"}
        ends = [
            await client.step(branch["session_id"], **(other if i % 2 else moves[half]))
            for i, branch in enumerate(branches)
        ]
    assert len({str(end["observation"]) for end in ends[::2]}) == 1
    assert len({str(end["observation"]) for end in ends[1::2]}) == 1
    assert ends[0]["observation"] == live[half + 1]["observation"]
    assert ends[1]["observation"] != ends[0]["observation"]


async def test_the_rewards_of_the_prefix_are_not_paid_again(server: Served) -> None:
    async with plain(server) as client:
        moves, live = await played(client, **GAME)
        half = len(moves) // 2
        first = await client.reset(**GAME, history=moves[:half])
        paid = [(await client.step(first["session_id"], **move))["reward"] for move in moves[half:]]
    assert first["info"] == live[0]["info"]
    assert paid == [reply["reward"] for reply in live[half + 1 :]]


async def test_a_prefix_that_ends_the_episode_is_an_episode_that_is_over(server: Served) -> None:
    async with plain(server) as client:
        moves, live = await played(client, **GAME)
        over = await client.reset(**GAME, history=moves)
        assert over["done"]
        assert over["observation"] == live[-1]["observation"]
        assert over["reward"] is None
        assert code_of(await client.step(over["session_id"], utterance="More.")) == "EPISODE_DONE"


async def test_both_doors_replay_alike(server: Served) -> None:
    async with plain(server) as client, stock(server) as other:
        moves, live = await played(client, **GAME)
        reply = await other.reset(**GAME, history=moves[:3])
    assert {k: v for k, v in reply["data"]["observation"].items() if k != "metadata"} == live[3]["observation"]


async def test_a_history_of_twenty_long_messages_fits_into_a_message(server: Served) -> None:
    words = "界" * 1990
    async with plain(server) as client:
        history = [{"utterance": f"{words}{turn}", "offer_amount": 179_000 - turn} for turn in range(20)]
        length = 20
        while code_of(reply := await client.reset(**GAME, events=False, history=history[:length])) is not None:
            assert reply["error"]["code"] == "INVALID_OPTION"
            assert "over before" in reply["error"]["message"]
            length -= 1
        assert length > 2


async def test_branching_at_once_from_many_sockets_gives_equal_branches(server: Served) -> None:
    async with plain(server) as client:
        moves, live = await played(client, **GAME)

    async def branch() -> Any:
        async with plain(server) as own:
            first = await own.reset(**GAME, history=moves[:4])
            return (await own.step(first["session_id"], **moves[4]))["observation"]

    assert await asyncio.gather(*(branch() for _ in range(16))) == [live[5]["observation"]] * 16

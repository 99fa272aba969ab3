"""An opponent that a language model speaks for, over MCP: a call is answered when it has moved."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from game.house import House
from game.store.database import Database
from mcp_server.table import Table
from parlay_env.doors.voices import Voices
from parlay_env.settings import Settings
from tests.agent.llm.servers import Answer, Server
from tests.doors.wordsmith import KEY, model_at, wordsmith

from .support import Client, over_nothing

BEGIN = {"name": "Ada", "seat": "seller", "persona": "diplomat", "opponent_voice": "narrated"}


@pytest.fixture
async def model(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with wordsmith() as found:
        yield found


@asynccontextmanager
async def table_with(database: Database, **settings: object) -> AsyncIterator[Table]:
    """The tools on a house that speaks through the model."""
    voices = Voices(Settings(**settings))
    house = House(database, speakers=voices)
    yield Table(lambda: house, voices=voices)
    await house.close()
    await voices.close()


async def test_a_call_is_answered_with_the_models_words(database: Database, model: Server) -> None:
    async with table_with(database, **model_at(model.url)) as table, over_nothing(table) as ada:
        game = await ada.call("start_negotiation", **BEGIN)
        assert (game["status"], game["opponent_voice"]) == ("your_move", "narrated")
        move = {"game_id": game["game_id"], "move_number": game["move_number"]}
        game = await ada.call("make_offer", **move, amount=160_000, words="We propose 160,000.")
        assert game["status"] == "your_move"
        said = (await ada.call("get_game_state", game_id=game["game_id"]))["history"]
        assert any("How does" in one["words"] for one in said if one["who"] == "opponent")
        game = await ada.call("walk_away", game_id=game["game_id"], move_number=game["move_number"])
        assert (game["result"]["ranked"], game["result"]["not_ranked_because"]) == (False, ["model"])


async def test_a_retry_of_a_move_that_was_waited_for_answers_the_same(database: Database, model: Server) -> None:
    async with table_with(database, **model_at(model.url)) as table, over_nothing(table) as ada:
        game = await ada.call("start_negotiation", **BEGIN)
        move = {"game_id": game["game_id"], "move_number": game["move_number"], "amount": 160_000, "words": "160,000."}
        assert await ada.call("make_offer", **move) == await ada.call("make_offer", **move)


async def test_others_are_served_while_a_model_thinks(database: Database, model: Server) -> None:
    thinks = asyncio.Event()
    async with (
        table_with(database, **model_at(model.url)) as table,
        over_nothing(table) as ada,
        over_nothing(table) as bob,
    ):
        game = await ada.call("start_negotiation", **BEGIN)
        model.came.clear()
        model.plays(Answer({}, after=thinks))
        move = {"game_id": game["game_id"], "move_number": game["move_number"], "amount": 160_000, "words": "160,000."}
        moving = asyncio.create_task(ada.call("make_offer", **move))
        await asyncio.wait_for(model.came.wait(), 10)
        assert (await bob.call("list_personas"))["personas"]
        assert not moving.done()
        thinks.set()
        assert (await moving)["turn"] == game["turn"] + 1


@pytest.mark.parametrize(
    ("settings", "more", "code"),
    [
        ({}, {}, "NO_MODEL"),
        ({"model": "openai/scripted", "model_key": "for models"}, {}, "NO_MODEL"),
        ({"model": "openai/scripted", "model_key": "for models"}, {"model_key": "guessed"}, "NO_MODEL"),
        ({"model": "openai/scripted", "model_key": "for models"}, {"model_key": "for models"}, None),
    ],
)
async def test_who_may_not_have_one_is_told_and_nobody_is_made(
    database: Database, model: Server, settings: dict[str, object], more: dict[str, str], code: str | None
) -> None:
    if settings:
        settings = {**settings, "model_url": model.url}
    async with table_with(database, **settings) as table, over_nothing(table) as ada:
        if code is None:
            assert (await ada.call("start_negotiation", **BEGIN, **more))["opponent_voice"] == "narrated"
            return
        assert await code_of(ada, **BEGIN, **more) == code
        assert await code_of(ada, **{**BEGIN, "name": None}) == code
        without = {name: value for name, value in BEGIN.items() if name not in ("name", "opponent_voice")}
        assert await code_of(ada, **without) == "NAME_NEEDED"


async def code_of(client: Client, **arguments: object) -> str:
    given = {name: value for name, value in arguments.items() if value is not None}
    found = await client.session.call_tool("start_negotiation", given)
    assert found.isError
    return found.structuredContent["error"]["code"]

"""A game in the browser against an opponent that a language model speaks for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.agent.llm.servers import Answer, Server
from tests.doors.wordsmith import KEY, model_at, wordsmith
from tests.store.support import emptied

from .support import Browser, Json, Stream, World, world_at

NARRATED: dict[str, Any] = {"voice": "narrated"}


@pytest.fixture
async def model(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with wordsmith() as found:
        yield found


async def speaking(databases: dict[str, str], model: Server, **more: Any) -> AsyncIterator[World]:
    async with world_at(databases["sqlite"], **model_at(model.url, **more)) as found:
        await emptied(found.desk.house.database)
        yield found


@pytest.fixture
async def world(databases: dict[str, str], model: Server) -> AsyncIterator[World]:
    """An application that speaks through the model, to this machine alone."""
    async for found in speaking(databases, model):
        yield found


@pytest.fixture
async def keyed(databases: dict[str, str], model: Server) -> AsyncIterator[World]:
    """One that wants the operator's key."""
    async for found in speaking(databases, model, model_key="for models"):
        yield found


async def begun(ada: Browser, **wish: Any) -> Json:
    """A game in which it is the player's move."""
    game = await ada.start(**{**NARRATED, **wish})
    await ada.world.desk.house.answered(game["id"])
    return await ada.look(game)


async def code_of(browser: Browser, **wish: Any) -> str:
    wanted = {"request_id": "w", "scenario_id": "saas_enterprise", "seat": "seller", "persona": "diplomat", **wish}
    return (await browser.ask("POST", "/api/games", wanted)).json()["error"]["code"]


async def test_the_answer_comes_by_the_event_stream(ada: Browser, model: Server) -> None:
    game = await begun(ada)
    thinks = asyncio.Event()
    model.plays(Answer({}, after=thinks))
    stream = Stream(ada, f"/api/games/{game['id']}/events")
    moved = await ada.move(game, utterance="We propose 160,000 a year.", offer_amount=160_000)
    assert (moved["status"], moved["voice"]) == ("their_move", "narrated")
    assert moved["marks"] == ["model"]
    thinks.set()
    seen = await stream.game_with(len(moved["lines"]) + 1)
    assert seen["status"] == "your_move"
    await stream.close()


async def test_a_line_tells_whose_words_it_has(ada: Browser, model: Server) -> None:
    game = await begun(ada)
    by = [line["by"] for line in game["lines"] if line["seat"] == "buyer"]
    model.usual = Answer({}, 500)
    game = await ada.move(game, utterance="We propose 160,000 a year.", offer_amount=160_000)
    await ada.world.desk.house.answered(game["id"])
    game = await ada.look(game)
    assert [line["by"] for line in game["lines"] if line["seat"] == "buyer"] == [*by, "persona"]


async def test_a_retry_after_a_lost_answer_plays_once(ada: Browser) -> None:
    game = await begun(ada)
    body = {"number": game["number"], "action": {"utterance": "We propose 160,000 a year.", "offer_amount": 160_000}}
    path = f"/api/games/{game['id']}/moves"
    first = (await ada.post(path, body))["game"]
    await ada.world.desk.house.answered(game["id"])
    second = (await ada.post(path, body))["game"]
    assert second["number"] == first["number"]
    assert len(second["lines"]) == len(first["lines"]) + 1


async def test_it_is_not_ranked_and_its_debrief_opens(ada: Browser) -> None:
    game = await begun(ada)
    game = await ada.leave(game)
    assert (game["status"], game["ranked"]) == ("over", False)
    debrief = await ada.get(f"/api/games/{game['id']}/debrief")
    assert debrief["game"]["marks"] == ["model"]
    assert (await ada.get("/api/leaderboard"))["rows"] == []


async def test_a_bargaining_model_leaves_no_estimates_of_a_policy_that_it_does_not_follow(ada: Browser) -> None:
    assert (await begun(ada, voice="llm"))["estimating"] == "unavailable"


async def test_a_rematch_is_against_the_same_kind(ada: Browser) -> None:
    game = await ada.leave(await begun(ada))
    again = (await ada.post(f"/api/games/{game['id']}/rematch", {"request_id": "again"}))["game"]
    assert again["voice"] == "narrated"


async def test_a_guided_game_is_scripted(ada: Browser) -> None:
    assert await code_of(ada, voice="narrated", guided=True) == "INVALID_OPTION"


async def test_without_a_model_there_is_none(here: World) -> None:
    ada = await here.player()
    assert (await ada.get("/api/me"))["models"] == {"name": None, "open": True, "key": False}
    assert await code_of(ada, voice="narrated") == "INVALID_OPTION"


async def test_only_this_machine_has_one_without_a_key(world: World) -> None:
    ada = await world.player()
    assert (await ada.get("/api/me"))["models"] == {"name": "openai/scripted", "open": True, "key": False}
    far = world.browser(**{"x-forwarded-for": "203.0.113.9"})
    await far.post("/api/me", {"name": "Far"})
    assert (await far.get("/api/me"))["models"]["open"] is False
    assert await code_of(far, voice="narrated") == "UNAUTHORIZED"


async def test_the_operators_key_opens_it_from_anywhere(keyed: World) -> None:
    ada = await keyed.player()
    assert (await ada.get("/api/me"))["models"] == {"name": "openai/scripted", "open": False, "key": True}
    for wrong in ("", "for agents", "für Modelle", "x" * 256):
        assert await code_of(ada, voice="narrated", model_key=wrong) == "UNAUTHORIZED"
    assert (await begun(ada, model_key="for models"))["voice"] == "narrated"


async def test_what_is_used_is_kept_and_the_cap_outlives_a_restart(databases: dict[str, str], model: Server) -> None:
    settings = model_at(model.url, model_daily_tokens=2_010)
    async with world_at(databases["sqlite"], **settings) as world:
        await emptied(world.desk.house.database)
        ada = await world.player()
        await begun(ada)
        assert model.heard
    async with world_at(databases["sqlite"], **settings) as world:
        bob = await world.player("Bob")
        assert await code_of(bob, voice="narrated") == "RATE_LIMITED"

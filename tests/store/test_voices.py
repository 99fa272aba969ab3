"""People's games against an opponent that a language model speaks for: saved move by move, whatever the model does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec.structs import replace

from agent.llm.base import Usage
from game.house import House
from game.live import Live
from game.store import flywheel
from game.store.database import Database
from game.store.model_use import StoredLedger
from parlay_env.core import replay
from parlay_env.doors.voices import Voices
from parlay_env.session import GAME
from parlay_env.settings import Settings
from tests.agent.llm.servers import Answer, Server, chat
from tests.doors.wordsmith import KEY, model_at, wordsmith

from .support import LEAVE, Clock, new_player, picture, plan, played, say


@pytest.fixture
async def model(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with wordsmith() as found:
        yield found


@pytest.fixture
async def voices(model: Server) -> AsyncIterator[Voices]:
    found = Voices(Settings(**model_at(model.url)))
    yield found
    await found.close()


@pytest.fixture
async def house(database: Database, clock: Clock, voices: Voices) -> AsyncIterator[House]:
    found = House(database, clock=clock, speakers=voices)
    yield found
    await found.close()


async def begun(house: House, request_id: str = "r", **more: Any) -> Live:
    player = await new_player(house.database)
    live = await house.start(plan(voice="narrated", **more), player, request_id)
    return await house.answered(live.row.id)


async def moved(house: House, live: Live, words: str = "Let us see.") -> Live:
    """After one more move, and what was answered."""
    await house.move(live.row.id, "seller", live.number("seller"), say(words))
    return await house.answered(live.row.id)


async def test_a_move_is_saved_before_the_model_has_answered_it(house: House, model: Server) -> None:
    live = await begun(house)
    before = len(live.episode.moves)
    model.came.clear()
    model.plays(Answer({}, after=asyncio.Event()))
    live = await house.move(live.row.id, "seller", live.number("seller"), say())
    await asyncio.wait_for(model.came.wait(), 10)
    assert live.awaits_voice
    assert live.stored == before + 1
    other = House(house.database, patience=1_000.0)
    assert (await other.load(live.row.id)).stored == before + 1
    await other.close()


async def test_the_answer_is_saved_with_whose_words_it_has(house: House) -> None:
    live = await begun(house)
    for _ in range(6):
        live = await moved(house, live)
        if live.episode.over:
            break
    persona = live.persona_seat()
    authors = {by for by, moves in zip(live.episode.by, live.episode.moves, strict=True) if persona in moves}
    assert "model" in authors <= {"model", "persona"}
    assert picture(await House(house.database).load(live.row.id)) == picture(live)
    assert replay(GAME, live.log, live.row.secret).state == live.episode.state


async def test_it_decides_what_the_scripted_opponent_would(house: House) -> None:
    narrated = await begun(house)
    scripted = await House(house.database).start(
        plan(seed=narrated.log.seed, secret=narrated.row.secret), await new_player(house.database), "twin"
    )
    for _ in range(8):
        if scripted.episode.over:
            break
        narrated = await moved(house, narrated)
        scripted = await house.move(scripted.row.id, "seller", scripted.number("seller"), say())
    assert without_words(narrated) == without_words(scripted)


def without_words(live: Live) -> list[Any]:
    return [(seat, replace(move, utterance="")) for moves in live.episode.moves for seat, move in moves.items()]


async def test_after_a_restart_the_model_is_asked_again(database: Database, voices: Voices, model: Server) -> None:
    first = House(database, speakers=voices)
    live = await begun(first)
    model.came.clear()
    model.plays(Answer({}, after=asyncio.Event()))
    waiting = await first.move(live.row.id, "seller", live.number("seller"), say())
    await asyncio.wait_for(model.came.wait(), 10)
    await first.close()
    second = House(database, speakers=voices)
    gone_on = await second.answered(live.row.id)
    assert gone_on.stored == waiting.stored + 1
    assert not gone_on.awaits_voice
    await second.close()


async def test_of_two_workers_that_ask_one_moves(database: Database, voices: Voices, model: Server) -> None:
    thinks = asyncio.Event()
    one, two = House(database, speakers=voices), House(database, speakers=voices)
    live = await begun(one)
    model.plays(*[Answer(chat(json.dumps({"words": "Well."})).body, after=thinks) for _ in range(2)])
    asked = len(model.heard)
    await one.move(live.row.id, "seller", live.number("seller"), say())
    await two.load(live.row.id)
    while len(model.heard) < asked + 2:
        model.came.clear()
        await asyncio.wait_for(model.came.wait(), 10)
    thinks.set()
    found = [await house.answered(live.row.id) for house in (one, two)]
    assert found[0].stored == found[1].stored == live.stored + 2
    assert picture(found[0]) == picture(found[1])
    await one.close()
    await two.close()


async def test_without_speakers_it_speaks_for_itself(database: Database) -> None:
    house = House(database)
    live = await begun(house)
    live = await moved(house, live)
    assert not live.awaits_voice
    assert "model" not in live.episode.by


async def test_a_game_against_a_model_is_neither_ranked_nor_a_record(house: House) -> None:
    player = await new_player(house.database)
    for voice, counts in (("scripted", True), ("narrated", False), ("llm", False)):
        live = await house.start(plan(voice=voice), player, f"r-{voice}")
        live = await house.answered(live.row.id)
        live = await house.move(live.row.id, "seller", live.number("seller"), LEAVE)
        seat = live.row.row_of("seller")
        assert (live.row.status, seat.ranked) == ("over", counts)
        assert flywheel.qualifies(live, "seller") <= counts


async def test_a_game_left_alone_while_a_model_thinks_is_not_ended_for_its_player(
    house: House, model: Server, clock: Clock
) -> None:
    live = await begun(house)
    model.usual = Answer({}, after=asyncio.Event())
    await house.move(live.row.id, "seller", live.number("seller"), say())
    clock.forward(hours=49)
    await house.end_left_alone()
    assert (await house.load(live.row.id)).row.status == "playing"


async def test_retries_of_a_move_play_it_once_while_the_model_thinks(house: House, model: Server) -> None:
    live = await begun(house)
    model.usual = Answer({}, after=asyncio.Event())
    number = live.number("seller")
    tries = await asyncio.gather(*(house.move(live.row.id, "seller", number, say()) for _ in range(4)))
    assert {one.stored for one in tries} == {live.stored + 1}


async def test_what_a_day_used_adds_up_over_workers_and_restarts(database: Database) -> None:
    ledgers = [StoredLedger(database) for _ in range(4)]
    assert await ledgers[0].used("2026-11-30") == Usage()
    await asyncio.gather(*(one.add("2026-11-30", Usage(10, 5, 1, 0.25)) for one in ledgers for _ in range(3)))
    await ledgers[0].add("2026-12-01", Usage(1, 1, 1, 0.0))
    assert await StoredLedger(database).used("2026-11-30") == Usage(120, 60, 12, 3.0)


async def test_random_games_go_on_from_their_last_saved_line(house: House) -> None:
    live = await begun(house)
    for seed in range(5):
        live = await played(house, live, "seller", 1, seed)
        live = await house.answered(live.row.id)
        if live.episode.over:
            break
        fresh = House(house.database)
        assert picture(await fresh.answered(live.row.id)) == picture(live)


async def test_of_several_workers_the_one_that_was_moved_in_asks_and_another_leaves_it_the_time(
    database: Database, voices: Voices, model: Server
) -> None:
    mine, other = (House(database, speakers=voices, patience=1_000.0) for _ in range(2))
    live = await begun(mine)
    model.usual = Answer({}, after=asyncio.Event())
    asked = len(model.heard)
    model.came.clear()
    await mine.move(live.row.id, "seller", live.number("seller"), say())
    await asyncio.wait_for(model.came.wait(), 10)
    await other.load(live.row.id)
    await asyncio.sleep(0)
    assert len(model.heard) == asked + 1
    await mine.close()
    await other.close()


async def test_where_the_operator_took_the_model_away_a_game_goes_on_in_the_opponents_own_words(
    database: Database, voices: Voices, caplog: pytest.LogCaptureFixture
) -> None:
    first = House(database, speakers=voices)
    live = await begun(first)
    await first.close()
    without = Voices(Settings(model=""))
    second = House(database, speakers=without)
    live = await moved(second, await second.load(live.row.id))
    assert not live.awaits_voice
    assert live.episode.by[-1] == "persona"
    assert [one for one in caplog.records if one.levelname == "ERROR"] == []
    assert await without.budget.is_left() and without.counts == {}
    await second.close()
    await without.close()

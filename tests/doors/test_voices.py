"""Opponents that a language model speaks for, at the sockets: nobody else waits; whatever fails, the game goes on."""

from __future__ import annotations

import asyncio
import json
import logging
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.llm.base import Usage
from agent.llm.budget import Budget, LedgerAway, MemoryLedger, today
from tests.agent.llm.servers import Answer, Server, chat, openai_error

from .support import Plain, Reply, Served, bargain, code_of, free_port, plain, served, stock, until
from .wordsmith import HELD, KEY, SAID, model_at, wordsmith

GAME: dict[str, Any] = {"scenario_id": "saas_enterprise", "persona": "diplomat", "seat": "buyer", "seed": 4}
"""The persona opens."""
NARRATED = {**GAME, "opponent": "narrated"}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
async def model() -> AsyncIterator[Server]:
    async with wordsmith() as found:
        yield found


@pytest.fixture
def speaking(model: Server) -> Iterator[Served]:
    """A server that speaks through the model."""
    with served(**model_at(model.url)) as found:
        yield found


async def whole_game(client: Plain, **options: Any) -> list[Reply]:
    """All answers of a game, from reset to the end."""
    found = [await client.reset(**options)]
    while not found[-1]["done"]:
        found.append(await client.step(found[0]["session_id"], **bargain(found[-1]["observation"])))
    return found


def without_words(reply: Reply) -> Reply:
    """An answer, but for what was said, and how."""
    seen = {name: value for name, value in reply["observation"].items() if name not in ("opponent_utterance", "prompt")}
    info = {name: value for name, value in reply["info"].items() if name != "voice"}
    return {**reply, "session_id": "", "observation": seen, "info": info}


async def test_a_narrated_opponent_decides_what_the_scripted_one_does_in_other_words(speaking: Served) -> None:
    async with plain(speaking) as client:
        narrated, scripted = await whole_game(client, **NARRATED), await whole_game(client, **GAME)
    assert [without_words(one) for one in narrated] == [without_words(one) for one in scripted]
    by_model = [one for one in narrated if one["info"]["voice"].get("how") == "model"]
    assert by_model
    for reply in by_model:
        prices = [one["offer"]["price"] for one in reply["observation"]["offers"] if one["seat"] == "seller"]
        assert reply["observation"]["opponent_utterance"] in (HELD, SAID.format(figure=f"{prices[-1]:,.0f} USD"))
    assert all("voice" not in one["info"] for one in scripted)


async def test_the_stock_protocol_has_it_too_each_answer_in_its_turn(speaking: Served) -> None:
    async with stock(speaking) as client:
        first = await client.reset(**NARRATED)
        assert first["data"]["metadata"]["voice"] == {"kind": "narrated", "how": "model"}
        assert "How does" in first["data"]["observation"]["opponent_utterance"]
        second = await client.step(utterance="We offer 120,000.", offer_amount=120_000)
    assert second["data"]["observation"]["turn"] == 2
    assert second["data"]["metadata"]["voice"]["kind"] == "narrated"


async def test_other_sessions_of_the_same_socket_go_on_while_a_model_thinks(speaking: Served, model: Server) -> None:
    thinks = asyncio.Event()
    async with plain(speaking) as client:
        model.plays(Answer(chat(json.dumps({"words": "Well."})).body, after=thinks))
        await client.ws.send(json.dumps({"cmd": "reset", **NARRATED}))
        await asyncio.wait_for(model.came.wait(), 10)
        other = await whole_game(client, **GAME)
        assert other[-1]["done"]
        thinks.set()
        late = await client.next()
    assert late["info"]["voice"]["kind"] == "narrated"
    assert late["session_id"] != other[0]["session_id"]


async def test_a_step_while_the_model_thinks_is_refused_and_changes_nothing(speaking: Served, model: Server) -> None:
    thinks = asyncio.Event()
    async with plain(speaking) as client:
        first = await client.reset(**NARRATED)
        name = first["session_id"]
        model.came.clear()
        model.plays(Answer({}, after=thinks))
        step = {
            "cmd": "step",
            "session_id": name,
            "action": {"utterance": "We offer 120,000.", "offer_amount": 120_000},
        }
        await client.ws.send(json.dumps(step))
        await asyncio.wait_for(model.came.wait(), 10)
        assert code_of(await client.ask(step)) == "NOT_YOUR_MOVE"
        thinks.set()
        assert (await client.next())["observation"]["turn"] == 2


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (chat("no JSON at all"), "form"),
        (chat(json.dumps({"words": "My limit is 140,000 USD."})), "figures"),
        (chat("{", finish="length"), "rambling"),
        (chat("", finish="content_filter"), "refused"),
        (openai_error(401, "invalid_api_key"), "refused"),
        (openai_error(400, "context_length_exceeded"), "refused"),
        (Answer(b"<html>Bad gateway</html>", 502), "dead"),
        (Answer(b"not even JSON"), "dead"),
    ],
)
async def test_a_provider_that_misbehaves_costs_nothing_but_its_words(
    speaking: Served, model: Server, answer: Answer, why: str
) -> None:
    model.usual = answer
    async with plain(speaking) as client:
        reply, scripted = await client.reset(**NARRATED), await client.reset(**GAME)
    assert reply["info"]["voice"] == {"kind": "narrated", "how": "scripted", "why": why}
    assert reply["observation"] == scripted["observation"]


async def test_a_provider_that_never_answers_is_given_up(model: Server) -> None:
    model.usual = Answer({}, after=asyncio.Event())
    with served(**model_at(model.url, model_seconds=0.2)) as server:
        async with plain(server) as client:
            reply = await client.reset(**NARRATED)
    assert reply["info"]["voice"] == {"kind": "narrated", "how": "scripted", "why": "late"}


async def test_a_provider_that_is_not_there_is_told() -> None:
    with served(**model_at(f"http://127.0.0.1:{free_port()}/v1")) as server:
        async with plain(server) as client:
            reply = await client.reset(**NARRATED)
    assert reply["info"]["voice"]["why"] == "dead"


async def test_whoever_leaves_cancels_what_is_asked_for_it(speaking: Served, model: Server) -> None:
    model.usual = Answer({}, after=asyncio.Event())
    async with plain(speaking) as client:
        await client.ws.send(json.dumps({"cmd": "reset", **NARRATED}))
        await asyncio.wait_for(model.came.wait(), 10)
    await asyncio.wait_for(model.left.wait(), 10)
    await until(lambda: speaking.hub.active == 0)


async def test_a_bargaining_model_moves_inside_its_range_and_others_moves_are_not_played(
    speaking: Served, model: Server
) -> None:
    async with plain(speaking) as client:
        scripted = await client.reset(**GAME)
        price = scripted["observation"]["opponent_offer"]["price"]
        for given, how in ((price, "model"), (price + 50_000, "scripted"), (price - 50_000, "scripted")):
            words = SAID.format(figure=f"{given:,.0f} USD")
            model.usual = chat(json.dumps({"decision": "offer", "offer": given, "words": words}))
            reply = await client.reset(**{**GAME, "opponent": "llm"})
            assert reply["info"]["voice"]["how"] == how
            assert reply["observation"]["opponent_offer"] == {"price": price}


# Who may have one -----------------------------------------------------------------------------------------------------


async def refused(server: Served, *, path: str = "/env/ws", **options: Any) -> str | None:
    """The code of the refusal, after which the session is as it was."""
    async with plain(server) as client:
        code = code_of(await client.reset(**options))
        assert code is None or (await client.reset(**GAME))["observation"]["turn"] == 1
    return code


async def test_without_a_model_there_are_no_such_opponents(server: Served) -> None:
    assert await refused(server, **NARRATED) == "INVALID_OPTION"


async def test_a_model_that_can_not_be_had_is_told_and_its_operator_learns_why(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with served(model="openai/some-model") as server:
        async with plain(server) as client:
            reply = await client.reset(**NARRATED)
    assert code_of(reply) == "INVALID_OPTION"
    assert "its log says why" in reply["error"]["message"]
    assert "OPENAI_API_KEY" in caplog.text


async def test_what_can_not_be_replayed_is_refused(speaking: Served) -> None:
    moves = [{"utterance": "We offer 120,000.", "offer_amount": 120_000}]
    assert await refused(speaking, **NARRATED, history=moves) == "INVALID_OPTION"
    assert await refused(speaking, opponent="narrated", index=3) == "INVALID_OPTION"


async def test_over_http_nobody_waits_so_it_is_refused(speaking: Served) -> None:
    request = urllib.request.Request(
        f"{speaking.url}/reset", json.dumps(NARRATED).encode(), {"content-type": "application/json"}
    )
    with pytest.raises(urllib.error.HTTPError) as told:
        await asyncio.to_thread(urllib.request.urlopen, request)
    assert told.value.code == 422


async def test_where_a_key_is_set_it_is_needed_and_opens_the_door_as_well(model: Server) -> None:
    with served(**model_at(model.url, model_key="for models", api_key="for agents")) as server:
        for sent, opens in (("for models", True), ("for agents", False)):
            async with server.socket(additional_headers={"Authorization": f"Bearer {sent}"}) as ws:
                reply = await Plain(ws).reset(**NARRATED)
                assert code_of(reply) == (None if opens else "UNAUTHORIZED")
                assert "observation" in await Plain(ws).reset(**GAME)


@pytest.mark.parametrize(
    "header", [{"Host": "parlay.example.org"}, {"X-Forwarded-For": "203.0.113.9"}, {"Forwarded": "for=203.0.113.9"}]
)
async def test_without_a_key_only_this_machine_has_them(speaking: Served, header: dict[str, str]) -> None:
    async with speaking.socket(additional_headers=header) as ws:
        assert code_of(await Plain(ws).reset(**NARRATED)) == "UNAUTHORIZED"


async def test_when_the_budget_is_used_up_the_opponent_speaks_for_itself_and_nobody_is_asked(model: Server) -> None:
    with served(**model_at(model.url, model_daily_tokens=2_010)) as server:
        async with plain(server) as client:
            first, second = await client.reset(**NARRATED), await client.reset(**NARRATED)
    assert first["info"]["voice"]["how"] == "model"
    assert second["info"]["voice"] == {"kind": "narrated", "how": "scripted", "why": "spent"}
    assert len(model.heard) == 1


async def test_dollars_are_capped_by_their_prices(model: Server) -> None:
    prices = {"model_price_in": 100.0, "model_price_out": 100.0}
    with served(**model_at(model.url, **prices, model_daily_dollars=0.2001)) as server:
        async with plain(server) as client:
            whys = [(await client.reset(**NARRATED))["info"]["voice"].get("why") for _ in range(2)]
    assert whys == [None, "spent"]


# What is told ---------------------------------------------------------------------------------------------------------


async def test_the_counts_are_told_and_the_key_is_nowhere(
    speaking: Served, model: Server, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with plain(speaking) as client:
        await client.reset(**NARRATED)
        model.usual = openai_error(401, "invalid_api_key", message=f"Incorrect API key provided: {KEY}")
        replies = [await client.reset(**NARRATED)]
    with await asyncio.to_thread(urllib.request.urlopen, f"{speaking.url}/ready") as ready:
        found = json.load(ready)
    assert found["models"]["model"] == "openai/scripted"
    assert found["models"]["narrated"] | {"worded": 1, "replaced": 1} == found["models"]["narrated"]
    assert KEY not in caplog.text + json.dumps(replies) + json.dumps(found)


async def test_the_model_is_told_the_decision_and_nothing_that_is_hidden(speaking: Served, model: Server) -> None:
    async with plain(speaking) as client:
        game = await whole_game(client, **NARRATED)
    truth = game[-1]["observation"]["truth"]["seller"]
    hidden = {f"{truth[name]:,.0f}" for name in ("walk_away", "limit") if truth[name] is not None}
    prompts = json.dumps([one.body for one in model.heard], ensure_ascii=False)
    said = {f"{one['offer']['price']:,.0f}" for one in game[-1]["observation"]["offers"]}
    assert model.heard
    assert not [figure for figure in hidden - said if figure in prompts]


# What is booked -------------------------------------------------------------------------------------------------------


class Shut:
    """A ledger that is away until it is told otherwise."""

    def __init__(self) -> None:
        self.away = True
        self.inner = MemoryLedger()

    async def used(self, day: str) -> Usage:
        if self.away:
            raise LedgerAway
        return await self.inner.used(day)

    async def add(self, day: str, usage: Usage) -> None:
        if self.away:
            raise LedgerAway
        await self.inner.add(day, usage)


async def booked(server: Served) -> Usage:
    return await server.hub.voices.budget.ledger.used(today())


async def test_an_answer_that_never_came_is_booked_as_if_it_had(model: Server) -> None:
    model.usual = Answer({}, after=asyncio.Event())
    with served(**model_at(model.url, model_seconds=0.2, model_daily_tokens=2_010)) as server:
        async with plain(server) as client:
            whys = [(await client.reset(**NARRATED))["info"]["voice"]["why"] for _ in range(3)]
        assert whys == ["late", "spent", "spent"]
        assert (await booked(server)).tokens > 200


async def test_who_resets_and_leaves_does_not_play_for_nothing(speaking: Served, model: Server) -> None:
    model.usual = Answer({}, after=asyncio.Event())
    for _ in range(3):
        model.came.clear()
        async with plain(speaking) as client:
            await client.ws.send(json.dumps({"cmd": "reset", **NARRATED}))
            await asyncio.wait_for(model.came.wait(), 10)
    voices = speaking.hub.voices
    await until(lambda: speaking.hub.active == 0 and not voices.is_asking)
    assert await booked(speaking) == voices.budget.answer + voices.budget.answer + voices.budget.answer


async def test_a_provider_that_does_not_count_is_booked_by_an_estimate(speaking: Served, model: Server) -> None:
    words = json.dumps({"words": "I hear you, and I would like to hear more."})
    model.usual = chat(words, used=None)
    async with plain(speaking) as client:
        await client.reset(**NARRATED)
    assert (await booked(speaking)).tokens > 100


async def test_while_the_ledger_is_away_the_opponent_speaks_for_itself(speaking: Served, model: Server) -> None:
    speaking.hub.voices.budget.ledger = Shut()
    async with plain(speaking) as client:
        reply = await client.reset(**NARRATED)
    assert reply["info"]["voice"] == {"kind": "narrated", "how": "scripted", "why": "unbooked"}
    assert model.heard == []


async def test_what_could_not_be_booked_is_booked_later_and_no_answer_is_lost(model: Server) -> None:
    budget = Budget(10_000, 0.0)
    budget.ledger = ledger = Shut()
    with pytest.raises(LedgerAway):
        await budget.spent(Usage(3_000, 0, 1))
    ledger.away = False
    assert await budget.is_left()
    with budget.asking(), budget.asking():
        assert await budget.is_left()
        with budget.asking():
            assert not await budget.is_left()
    await budget.spent(Usage(1_000, 0, 1))
    assert await ledger.used(today()) == Usage(4_000, 0, 2)


async def test_a_files_place_is_nobodys_business(tmp_path: Path) -> None:
    with served(model=f"local/{tmp_path}/secret/model.gguf") as server:
        async with plain(server) as client:
            reply = await client.reset(**NARRATED)
        with await asyncio.to_thread(urllib.request.urlopen, f"{server.url}/ready") as ready:
            found = json.load(ready)
    assert code_of(reply) == "INVALID_OPTION"
    assert found["models"] == {"model": "local/model.gguf", "usable": False}
    assert "secret" not in json.dumps([reply, found])

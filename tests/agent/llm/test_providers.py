"""Providers over real HTTP, by their own client libraries: what is asked, what is understood, what is tried again."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from agent.llm.base import (
    BadKey,
    BadRequest,
    Message,
    Provider,
    ProviderError,
    RateLimited,
    TooSlow,
    Unavailable,
    Usage,
)
from agent.llm.bounded import MOST_BYTES
from agent.llm.openai import OpenAIProvider
from agent.llm.providers import provider
from agent.llm.replies import LONGEST
from agent.llm.retry import Patience, Prices
from tests.agent.llm.conftest import BRISK
from tests.agent.llm.servers import (
    KEY,
    Answer,
    Server,
    chat,
    gemini_error,
    generated,
    openai_error,
)

ASKED = [Message("system", "Be brief."), Message("user", "Hello?")]
SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}


@dataclass
class Side:
    """A kind of provider, its server, and its ways of saying things."""

    kind: str
    server: Server

    @asynccontextmanager
    async def model(self, key: str = KEY, patience: Patience = BRISK, **more: Any) -> AsyncIterator[Provider]:
        one = provider(f"{self.kind}/some-model", base_url=self.server.url, api_key=key, patience=patience, **more)
        try:
            yield one
        finally:
            await one.close()

    def says(self, text: str, finish: str = "") -> Answer:
        return chat(text, finish or "stop") if self.kind == "openai" else generated(text, finish or "STOP")

    def fails(self, status: int, **headers: str) -> Answer:
        return openai_error(status, **headers) if self.kind == "openai" else gemini_error(status, "FAILED", **headers)


@pytest.fixture(params=["openai", "gemini"])
def side(request: pytest.FixtureRequest, openai: Server, gemini: Server) -> Side:
    return Side(request.param, openai if request.param == "openai" else gemini)


async def test_a_reply_is_understood(side: Side) -> None:
    side.server.plays(side.says("Good day."))
    async with side.model() as model:
        reply = await model.complete(ASKED, max_tokens=40, temperature=0.25, seed=7)
    assert (reply.text, reply.data, reply.stop) == ("Good day.", None, "end")
    assert reply.usage == Usage(11, 5, 1)
    assert model.name == f"{side.kind}/some-model"


async def test_openai_is_asked_in_its_form(openai: Server) -> None:
    openai.plays(chat('{"word": "yes"}'))
    async with Side("openai", openai).model(options={"top_p": 0.5}) as model:
        await model.complete(ASKED, SCHEMA, max_tokens=40, temperature=0.25, seed=7)
    body = openai.heard[0].body
    assert body["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello?"}]
    asked = {name: body[name] for name in ("model", "temperature", "seed", "max_tokens", "top_p")}
    assert asked == {"model": "some-model", "temperature": 0.25, "seed": 7, "max_tokens": 40, "top_p": 0.5}
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA


async def test_gemini_is_asked_in_its_form(gemini: Server) -> None:
    gemini.plays(generated('{"word": "yes"}'))
    earlier = [*ASKED, Message("assistant", "Yes?"), Message("user", "Go on.")]
    async with Side("gemini", gemini).model(options={"top_p": 0.5}) as model:
        await model.complete(earlier, SCHEMA, max_tokens=40, temperature=0.25, seed=7)
    (heard,) = gemini.heard
    assert heard.path.endswith("/models/some-model:generateContent")
    assert [(one["role"], one["parts"][0]["text"]) for one in heard.body["contents"]] == [
        ("user", "Hello?"),
        ("model", "Yes?"),
        ("user", "Go on."),
    ]
    assert heard.body["systemInstruction"]["parts"] == [{"text": "Be brief."}]
    config = heard.body["generationConfig"]
    asked = {name: config[name] for name in ("temperature", "seed", "maxOutputTokens", "topP", "responseMimeType")}
    assert asked == {
        "temperature": 0.25,
        "seed": 7,
        "maxOutputTokens": 40,
        "topP": 0.5,
        "responseMimeType": "application/json",
    }
    assert config["responseJsonSchema"] == SCHEMA


async def test_gemini_thoughts_are_counted_and_not_said(gemini: Server) -> None:
    gemini.plays(generated("Yes.", thought="Should I say yes?"))
    async with Side("gemini", gemini).model() as model:
        reply = await model.complete(ASKED)
    assert (reply.text, reply.usage.completion_tokens) == ("Yes.", 5 + 7)


async def test_structured_output_is_an_object(side: Side) -> None:
    side.server.plays(side.says('{"word": "yes"}'), side.says("I'd rather talk."))
    async with side.model() as model:
        assert (await model.complete(ASKED, SCHEMA)).data == {"word": "yes"}
        rambled = await model.complete(ASKED, SCHEMA)
    assert (rambled.text, rambled.data) == ("I'd rather talk.", None)


@pytest.mark.parametrize(
    ("kind", "finish", "stop"),
    [
        ("openai", "stop", "end"),
        ("openai", "length", "length"),
        ("openai", "content_filter", "filter"),
        ("gemini", "STOP", "end"),
        ("gemini", "MAX_TOKENS", "length"),
        ("gemini", "SAFETY", "filter"),
        ("gemini", "RECITATION", "filter"),
    ],
)
async def test_why_a_reply_ended(openai: Server, gemini: Server, kind: str, finish: str, stop: str) -> None:
    side = Side(kind, openai if kind == "openai" else gemini)
    side.server.plays(side.says("So", finish))
    async with side.model() as model:
        assert (await model.complete(ASKED)).stop == stop


async def test_a_question_that_gemini_keeps_back_is_a_reply_that_was_filtered(gemini: Server) -> None:
    gemini.plays(Answer({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 11}}))
    async with Side("gemini", gemini).model() as model:
        reply = await model.complete(ASKED)
    assert (reply.text, reply.stop) == ("", "filter")


# --- trying again -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_what_may_pass_is_tried_again_and_every_request_is_counted(side: Side, status: int) -> None:
    side.server.plays(side.fails(status), side.fails(status), side.says("At last."))
    async with side.model() as model:
        reply = await model.complete(ASKED)
    assert (reply.text, reply.usage) == ("At last.", Usage(11, 5, 3))
    assert len(side.server.heard) == 3


@pytest.mark.parametrize(
    ("status", "error"), [(400, BadRequest), (401, BadKey), (403, BadKey), (404, BadRequest), (422, BadRequest)]
)
async def test_what_can_not_pass_is_asked_once(side: Side, status: int, error: type[ProviderError]) -> None:
    side.server.plays(side.fails(status))
    async with side.model() as model:
        with pytest.raises(error) as caught:
            await model.complete(ASKED)
    assert len(side.server.heard) == 1
    assert caught.value.usage == Usage(requests=1)


@pytest.mark.parametrize(("status", "error"), [(429, RateLimited), (503, Unavailable), (408, TooSlow)])
async def test_it_gives_up_after_so_many_tries(side: Side, status: int, error: type[ProviderError]) -> None:
    side.server.usual = side.fails(status)
    async with side.model(patience=Patience(tries=4, first_wait=0.001)) as model:
        with pytest.raises(error) as caught:
            await model.complete(ASKED)
    assert len(side.server.heard) == 4
    assert caught.value.usage.requests == 4


async def test_a_wait_that_is_asked_for_is_waited(side: Side) -> None:
    side.server.plays(side.fails(429, retry_after="0.3"), side.says("Now."))
    async with side.model() as model:
        await model.complete(ASKED)
    first, second = (heard.at for heard in side.server.heard)
    assert second - first >= 0.3


async def test_gemini_says_how_long_to_wait_in_its_details(gemini: Server) -> None:
    wait = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.3s"}
    gemini.plays(gemini_error(429, "RESOURCE_EXHAUSTED", [wait]), generated("Now."))
    async with Side("gemini", gemini).model() as model:
        await model.complete(ASKED)
    first, second = (heard.at for heard in gemini.heard)
    assert second - first >= 0.3


async def test_who_asks_for_too_long_a_wait_is_not_asked_again(side: Side) -> None:
    side.server.plays(side.fails(429, retry_after="3600"))
    async with side.model() as model:
        with pytest.raises(RateLimited, match="3600 s"):
            await model.complete(ASKED)
    assert len(side.server.heard) == 1


async def test_a_quota_that_is_used_up_is_not_asked_again(openai: Server) -> None:
    openai.plays(openai_error(429, "insufficient_quota"))
    async with Side("openai", openai).model() as model:
        with pytest.raises(RateLimited, match="quota"):
            await model.complete(ASKED)
    assert len(openai.heard) == 1


@pytest.mark.parametrize("broken", ["not json", "other json", "half"])
async def test_an_answer_that_is_none_is_tried_again(side: Side, broken: str) -> None:
    answers = {
        "not json": Answer(b"<html>Bad gateway</html>"),
        "other json": Answer({"hello": "world"}),
        "half": Answer(side.says("A long answer that is cut off.").body, cut=40),
    }
    side.server.plays(answers[broken], side.says("Whole."))
    async with side.model() as model:
        reply = await model.complete(ASKED)
    assert (reply.text, reply.usage.requests) == ("Whole.", 2)


async def test_nobody_there_is_unavailable(side: Side) -> None:
    async with asyncio.timeout(30):
        port = side.server.url.split(":")[2].split("/")[0]
        gone = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
        free = gone.sockets[0].getsockname()[1]
        gone.close()
        await gone.wait_closed()
        side.server.url = side.server.url.replace(port, str(free))
        async with side.model(patience=Patience(tries=2, first_wait=0.001)) as model:
            with pytest.raises(Unavailable) as caught:
                await model.complete(ASKED)
    assert caught.value.usage.requests == 2


async def test_an_answer_that_never_comes_is_too_slow_and_the_request_is_given_up(side: Side) -> None:
    side.server.plays(Answer(after=asyncio.Event()))
    async with side.model(patience=Patience(tries=1, try_seconds=0.2)) as model:
        with pytest.raises(TooSlow, match=r"0\.2 s"):
            await model.complete(ASKED)
    async with asyncio.timeout(10):
        await side.server.left.wait()


async def test_a_late_answer_is_tried_again(side: Side) -> None:
    side.server.plays(Answer(after=asyncio.Event()), side.says("Sooner."))
    async with side.model(patience=Patience(try_seconds=0.5, first_wait=0.001)) as model:
        assert (await model.complete(ASKED)).text == "Sooner."


async def test_all_tries_together_have_a_time_too(side: Side) -> None:
    side.server.usual = side.fails(503)
    patience = Patience(tries=10_000, total_seconds=0.3, first_wait=0.001, longest_wait=0.001)
    async with side.model(patience=patience) as model:
        with pytest.raises(TooSlow, match="all tries together") as caught:
            await model.complete(ASKED)
    assert caught.value.usage.requests == len(side.server.heard) > 1


async def test_cancelling_cancels_the_request(side: Side) -> None:
    side.server.plays(Answer(after=asyncio.Event()))
    async with side.model() as model:
        asking = asyncio.create_task(model.complete(ASKED))
        await side.server.came.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        async with asyncio.timeout(10):
            await side.server.left.wait()
    assert len(side.server.heard) == 1


# --- limits and prices ------------------------------------------------------------------------------------------------


async def test_no_more_requests_at_once_than_allowed(side: Side) -> None:
    go = asyncio.Event()
    side.server.usual = lambda _: Answer(side.says("Yes.").body, after=go)
    async with side.model(concurrency=2) as model:
        asking = [asyncio.create_task(model.complete(ASKED)) for _ in range(6)]
        async with asyncio.timeout(10):
            while side.server.at_once < 2:
                side.server.came.clear()
                await side.server.came.wait()
        go.set()
        await asyncio.gather(*asking)
    assert side.server.most_at_once == 2
    assert len(side.server.heard) == 6


async def test_requests_keep_their_distance(side: Side) -> None:
    side.server.usual = side.says("Yes.")
    async with side.model(requests_per_minute=600) as model:
        await asyncio.gather(*(model.complete(ASKED) for _ in range(4)))
    times = sorted(heard.at for heard in side.server.heard)
    assert times[-1] - times[0] >= 0.25  # three gaps of a tenth of a second, less what the way takes


async def test_dollars_follow_from_tokens(side: Side) -> None:
    side.server.plays(side.fails(500), side.says("Yes."))
    async with side.model(prices=Prices(2.0, 10.0)) as model:
        reply = await model.complete(ASKED)
    assert reply.usage.dollars == pytest.approx((11 * 2 + 5 * 10) / 1_000_000)


@pytest.mark.parametrize("limit", [{"concurrency": 0}, {"requests_per_minute": 0}, {"slots": 0}])
def test_a_limit_that_lets_nothing_through_is_refused(limit: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"at least 1|above 0"):
        provider("openai/some-model", base_url="http://127.0.0.1:9/v1", **limit)


# --- endpoints that can less ------------------------------------------------------------------------------------------


async def test_structured_output_gets_weaker_where_it_must_and_says_so(
    openai: Server, caplog: pytest.LogCaptureFixture
) -> None:
    def picky(heard: Any) -> Answer:
        wanted = heard.body.get("response_format", {}).get("type")
        if wanted is not None:
            return openai_error(400, param="response_format")
        return chat('Here: {"word": "yes"}')

    openai.usual = picky
    async with Side("openai", openai).model() as model:
        reply = await model.complete(ASKED, SCHEMA)
        again = await model.complete(ASKED, SCHEMA)
        assert isinstance(model, OpenAIProvider)
        assert model.form == "plain"
    assert reply.data == {"word": "yes"}
    assert (reply.usage.requests, again.usage.requests) == (3, 1)
    (told,) = [one.getMessage() for one in caplog.records if one.name.startswith("agent.")]
    assert "json_schema" in told
    assert "plain" in told


async def test_a_400_that_has_nothing_to_do_with_it_changes_nothing(openai: Server) -> None:
    openai.usual = openai_error(400)
    async with Side("openai", openai).model() as model:
        with pytest.raises(BadRequest) as caught:
            await model.complete(ASKED, SCHEMA)
        assert isinstance(model, OpenAIProvider)
        assert model.form == "json_schema"
    assert caught.value.usage.requests == len(openai.heard) == 3


async def test_too_long_a_conversation_is_said(openai: Server) -> None:
    openai.usual = openai_error(400, "context_length_exceeded", param="messages")
    async with Side("openai", openai).model() as model:
        with pytest.raises(BadRequest, match="longer than the model's context"):
            await model.complete(ASKED, SCHEMA)
    assert len(openai.heard) == 1


async def test_a_field_that_a_model_refuses_is_left_out(openai: Server, caplog: pytest.LogCaptureFixture) -> None:
    def thinker(heard: Any) -> Answer:
        return (
            openai_error(400, "unsupported_value", param="temperature") if "temperature" in heard.body else chat("Hm.")
        )

    openai.usual = thinker
    async with Side("openai", openai).model() as model:
        assert (await model.complete(ASKED)).usage.requests == 2
        assert (await model.complete(ASKED)).usage.requests == 1
        assert isinstance(model, OpenAIProvider)
        assert model.refused == {"temperature"}
    assert "temperature" in caplog.text


async def test_a_model_that_wants_another_word_for_its_length_gets_it(openai: Server) -> None:
    def thinker(heard: Any) -> Answer:
        return (
            openai_error(400, "unsupported_parameter", param="max_tokens")
            if "max_tokens" in heard.body
            else chat("Hm.")
        )

    openai.usual = thinker
    async with Side("openai", openai).model() as model:
        assert (await model.complete(ASKED, max_tokens=40)).usage.requests == 2
        assert (await model.complete(ASKED, max_tokens=40)).usage.requests == 1
    assert openai.heard[-1].body["max_completion_tokens"] == 40


# --- keys -------------------------------------------------------------------------------------------------------------


async def test_a_key_is_seen_nowhere(
    side: Side, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not in an error, its traceback, a log of any level or a `repr`, even where the provider's answer quotes it."""
    caplog.set_level(logging.DEBUG)
    wrong = "sk-some-other-key-0815"
    seen: list[str] = []
    for key in (KEY, wrong):
        side.server.plays(*([side.says("Yes.")] if key == KEY else []))
        async with side.model(key=key) as model:
            seen.append(repr(model))
            if key == KEY:
                await model.complete(ASKED)
            else:
                with pytest.raises(BadKey) as caught:
                    await model.complete(ASKED)
                seen += [str(caught.value), repr(caught.value), "".join(traceback.format_exception(caught.value))]
    printed = capsys.readouterr()
    everything = "\n".join([*seen, caplog.text, printed.out, printed.err])
    assert "some-model" in everything
    assert KEY not in everything
    assert wrong not in everything


async def test_an_address_of_ones_own_needs_no_key(openai: Server) -> None:
    openai.plays(chat("Yes."))
    model = provider("openai/some-model", base_url=openai.url)
    assert (await model.complete(ASKED)).text == "Yes."
    await model.close()


@pytest.mark.parametrize(("kind", "variable"), [("openai", "OPENAI_API_KEY"), ("gemini", "GOOGLE_API_KEY")])
async def test_keys_and_addresses_come_from_the_environment(
    openai: Server, gemini: Server, monkeypatch: pytest.MonkeyPatch, kind: str, variable: str
) -> None:
    server = openai if kind == "openai" else gemini
    server.plays(Side(kind, server).says("Yes."))
    monkeypatch.setenv("GEMINI_API_KEY", "")  # an empty one is none
    monkeypatch.setenv(variable, KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", openai.url)
    model = provider(f"{kind}/some-model", base_url=None if kind == "openai" else gemini.url)
    assert (await model.complete(ASKED)).text == "Yes."
    await model.close()


# --- what a provider may do -------------------------------------------------------------------------------------------


async def test_a_reply_without_end_is_cut(side: Side) -> None:
    side.server.plays(side.says('{"word": "first"} ' + "x" * LONGEST))
    async with side.model() as model:
        reply = await model.complete(ASKED, SCHEMA)
    assert (len(reply.text), reply.stop, reply.data) == (LONGEST, "length", {"word": "first"})


@pytest.mark.parametrize("status", [200, 400, 500])
async def test_no_more_is_read_than_an_answer_may_have(openai: Server, status: int) -> None:
    """The rest is never sent: whoever waited for it would find that the server hung up."""
    openai.plays(Answer(b" " * (8 * MOST_BYTES), status, cut=MOST_BYTES + 1))
    openai.usual = chat("Hello.")
    async with Side("openai", openai).model() as model:
        with pytest.raises(Unavailable, match="sends more than 4 MiB") as caught:
            await model.complete(ASKED)
        assert caught.value.usage.requests == len(openai.heard) == 1
        assert (await model.complete(ASKED)).text == "Hello."


async def test_as_much_as_an_answer_may_have_is_read(openai: Server) -> None:
    whole = json.dumps(chat("Hello.").body).encode()
    openai.plays(Answer(whole.rjust(MOST_BYTES)))
    async with Side("openai", openai).model() as model:
        assert (await model.complete(ASKED)).text == "Hello."


async def test_a_few_bytes_that_would_unfold_into_many_are_not_unfolded(openai: Server) -> None:
    packed = gzip.compress(b" " * (8 * MOST_BYTES) + json.dumps(chat("Hello.").body).encode())
    assert len(packed) < MOST_BYTES
    openai.plays(Answer(packed, headers={"content-encoding": "gzip"}))
    async with Side("openai", openai).model() as model:
        with pytest.raises(Unavailable, match="compresses"):
            await model.complete(ASKED)
    (heard,) = openai.heard
    assert heard.headers["accept-encoding"] == "identity"


async def test_tokens_that_nobody_counts_are_estimated(side: Side) -> None:
    answer = side.says("Good day, all!")
    del answer.body["usage" if side.kind == "openai" else "usageMetadata"]
    side.server.plays(answer)
    async with side.model(prices=Prices(1.0, 1.0)) as model:
        reply = await model.complete(ASKED)
    assert reply.usage == Usage(4, 4, 1, 8 / 1_000_000)  # of 15 and 14 characters


@pytest.mark.parametrize("used", ["many", {"prompt_tokens": "many", "completion_tokens": -4}, {"prompt_tokens": 2**70}])
async def test_counts_that_are_none_are_estimated(openai: Server, used: Any) -> None:
    answer = chat("Good day, all!")
    answer.body["usage"] = used
    openai.plays(answer)
    async with Side("openai", openai).model() as model:
        assert (await model.complete(ASKED)).usage == Usage(4, 4, 1)


@pytest.mark.parametrize("choices", [3, "some", [], ["one"], [{"message": None}], [{"message": {"content": [1]}}]])
async def test_what_is_no_answer_of_openais_is_tried_again(openai: Server, choices: Any) -> None:
    openai.plays(Answer({"choices": choices}), chat("Whole."))
    async with Side("openai", openai).model() as model:
        assert (await model.complete(ASKED)).text == "Whole."


async def test_a_request_that_is_given_up_is_counted(side: Side) -> None:
    side.server.plays(Answer(after=asyncio.Event()), Answer(after=asyncio.Event()))
    async with side.model(patience=Patience(tries=2, try_seconds=0.2, first_wait=0.001)) as model:
        with pytest.raises(TooSlow) as caught:
            await model.complete(ASKED)
    assert caught.value.usage == Usage(8, 0, 2)


async def test_a_provider_that_asks_to_wait_is_asked_by_nobody(side: Side) -> None:
    side.server.usual = side.says("Now.")
    side.server.plays(side.fails(429, retry_after="0.5"))
    async with side.model(patience=Patience(tries=1)) as model:
        with pytest.raises(RateLimited):
            await model.complete(ASKED)
        await asyncio.gather(*(model.complete(ASKED) for _ in range(3)))
    refused, *later = (heard.at for heard in side.server.heard)
    assert len(later) == 3
    assert later[0] - refused >= 0.5


async def test_a_provider_that_asks_for_too_long_a_wait_is_left_alone(side: Side) -> None:
    side.server.usual = side.says("Now.")
    side.server.plays(side.fails(503, retry_after="3600"))
    async with side.model() as model:
        with pytest.raises(Unavailable, match="3600 s"):
            await model.complete(ASKED)
        with pytest.raises(RateLimited, match="as it asked") as caught:
            await model.complete(ASKED)
    assert caught.value.usage == Usage()
    assert len(side.server.heard) == 1


async def test_a_provider_that_leads_elsewhere_is_not_followed(openai: Server) -> None:
    openai.usual = Answer({}, 307, {"location": openai.url + "/chat/completions"})
    model = provider("openai/some-model", base_url=openai.url, api_key=KEY, patience=BRISK)
    with pytest.raises(ProviderError):
        await model.complete([Message("user", "Hello.")])
    assert len(openai.heard) == 1
    await model.close()

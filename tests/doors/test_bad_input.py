"""Bad input: a typed error, or an answer in-band; the session as it was; nothing of it quoted; the socket open."""

from __future__ import annotations

import json
from typing import Any

import httpx2 as httpx
import pytest

from .support import Plain, Reply, Served, Stock, bargain, code_of, plain, stock

GAME: dict[str, Any] = {"scenario_id": "saas_enterprise", "persona": "diplomat", "seed": 7}
DOORS = ("plain", "stock", "http")
MARK = "zzMARKzz"


class Door:
    """One session behind any of the three doors, with one way to speak."""

    def __init__(self, name: str, server: Served) -> None:
        self.name, self._server = name, server
        self._session = ""

    async def __aenter__(self) -> Door:
        if self.name == "http":
            self._http = httpx.AsyncClient(base_url=self._server.url, timeout=30)
        else:
            self._context = plain(self._server) if self.name == "plain" else stock(self._server)
            self.client: Plain | Stock = await self._context.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.name == "http":
            await self._http.aclose()
        else:
            await self._context.__aexit__(None, None, None)

    async def reset(self, options: Any = None) -> Reply:
        options = GAME if options is None else options
        if isinstance(self_client := getattr(self, "client", None), Plain):
            reply = await self_client.ask({"cmd": "reset", **options})
        elif self_client is not None:
            reply = await self_client.ask({"type": "reset", "data": options})
        else:
            headers = {"X-Session-Id": self._session or "new"}
            reply = await self._post("/reset", json.dumps(options), headers)
        if code_of(reply) is None:
            self._session = reply.get("session_id") or reply.get("metadata", {}).get("session_id", "")
        return reply.get("data", reply)

    async def step(self, action: str) -> Reply:
        """`action` is JSON text: some of it is nothing that Python would write."""
        if isinstance(client := getattr(self, "client", None), Plain):
            return await client.ask(f'{{"cmd": "step", "session_id": "{self._session}", "action": {action}}}')
        if client is not None:
            reply = await client.ask(f'{{"type": "step", "data": {action}}}')
            return reply if code_of(reply) else reply["data"]
        return await self._post("/step", f'{{"action": {action}}}', {"X-Session-Id": self._session})

    async def state(self) -> Reply:
        if isinstance(client := getattr(self, "client", None), Plain):
            return await client.state(self._session)
        if client is not None:
            return await client.ask({"type": "state"})
        return (await self._http.get("/state", headers={"X-Session-Id": self._session})).json()

    async def raw(self, text: str | bytes) -> Reply:
        if (client := getattr(self, "client", None)) is not None:
            return await client.ask(text)
        return await self._post("/reset", text, {})

    async def _post(self, path: str, text: str | bytes, headers: dict[str, str]) -> Reply:
        response = await self._http.post(path, content=text, headers={"content-type": "application/json", **headers})
        assert response.status_code < 500
        assert (response.status_code >= 400) == ("error" in response.json())
        return response.json()


def code(door: Door, plain_code: str) -> str:
    """The code that a door has for the plain envelope's."""
    if door.name != "stock":
        return plain_code
    kept = {"INVALID_JSON": "INVALID_JSON", "EPISODE_DONE": "EXECUTION_ERROR"}
    return kept.get(plain_code, "VALIDATION_ERROR")


@pytest.fixture(params=DOORS)
def door(request: pytest.FixtureRequest, server: Served) -> Door:
    return Door(request.param, server)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "INVALID_JSON"),
        ("nonsense", "INVALID_JSON"),
        ('{"a": NaN}', "INVALID_JSON"),
        ('{"a": -Infinity}', "INVALID_JSON"),
        ('{"a": "\\ud800"}', "INVALID_JSON"),
        ('{"a": 1e999, "b": "\\ud800"}', "INVALID_JSON"),
        ("[" * 50_000, "INVALID_JSON"),
        ('{"a":' * 50_000, "INVALID_JSON"),
        ("\ufeff{}", "INVALID_JSON"),
        ("[1, 2]", "INVALID_OPTION"),
        ("3", "INVALID_OPTION"),
        ("null", "INVALID_OPTION"),
        ('"reset"', "INVALID_OPTION"),
        ("1e999", "INVALID_OPTION"),
        (b"\x00\x01", "INVALID_JSON"),
        ('{"cmd": "reset", "type": "reset", "persona": "' + "x" * 600_000 + '"}', "MESSAGE_TOO_LARGE"),
        ('{"cmd": "reset", "type": "reset", "persona": "' + "é" * 200_000 + '"}', "MESSAGE_TOO_LARGE"),
    ],
    ids=lambda value: repr(value)[:24],
)
async def test_what_is_no_message_is_an_error_and_the_session_goes_on(
    door: Door, text: str | bytes, expected: str
) -> None:
    async with door:
        await door.reset()
        before = await door.state()
        assert code_of(await door.raw(text)) == code(door, expected)
        assert await door.state() == before


@pytest.mark.parametrize("door", ["plain", "stock"], indirect=True)
@pytest.mark.parametrize("message", ["", b"", b'{"cmd": "reset", "type": "reset"}'])
async def test_a_frame_that_is_empty_or_binary_is_an_error_and_the_session_goes_on(
    door: Door, message: str | bytes
) -> None:
    async with door:
        await door.reset()
        before = await door.state()
        assert code_of(await door.raw(message)) == "INVALID_JSON"
        assert await door.state() == before


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"scenario_id": "nowhere"}, "UNKNOWN_SCENARIO"),
        ({"scenario_id": "../../etc/passwd"}, "UNKNOWN_SCENARIO"),
        ({"scenario_id": ""}, "UNKNOWN_SCENARIO"),
        ({"scenario_id": 5}, "INVALID_OPTION"),
        ({"persona": "clown"}, "UNKNOWN_PERSONA"),
        ({"persona": ["shark"]}, "INVALID_OPTION"),
        ({"seat": "umpire"}, "INVALID_OPTION"),
        ({"seat": None}, "INVALID_OPTION"),
        ({"seed": -1}, "INVALID_OPTION"),
        ({"seed": 1.5}, "INVALID_OPTION"),
        ({"seed": 7.0}, "INVALID_OPTION"),
        ({"seed": True}, "INVALID_OPTION"),
        ({"seed": "7"}, "INVALID_OPTION"),
        ({"seed": 2**53}, "INVALID_OPTION"),
        ({"seed": 10**400}, "INVALID_OPTION"),
        ({"seed": 2**53 - 1}, "INVALID_OPTION"),
        ({"seed": 3, "split": "test"}, "INVALID_OPTION"),
        ({"split": "everything"}, "INVALID_OPTION"),
        ({"omega": 10}, "INVALID_OPTION"),
        ({"omega": 1e308}, "INVALID_OPTION"),
        ({"events": "yes"}, "INVALID_OPTION"),
        ({"rewards": "now"}, "INVALID_OPTION"),
        ({"prompt": 0}, "INVALID_OPTION"),
        ({"task_id": "test-0"}, "INVALID_OPTION"),
        ({"index": 10**9}, "INVALID_OPTION"),
        ({"join_code": "guess"}, "INVALID_OPTION"),
        ({"opponent": "me"}, "INVALID_OPTION"),
        ({"episode_id": "x" * 300}, "INVALID_OPTION"),
        ({"history": {}}, "INVALID_OPTION"),
        ({"history": [{"utterance": ""}] * 65}, "INVALID_OPTION"),
        ({"history": [{"ofer": 3}]}, "INVALID_OPTION"),
        ({"history": [{"offer_amount": -5}]}, "INVALID_OPTION"),
        ({"scenario": "saas_enterprise"}, "INVALID_OPTION"),
        ({"__class__": 1, "constructor": {}}, "INVALID_OPTION"),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_a_wrong_option_is_an_error_and_the_session_goes_on(door: Door, options: Reply, expected: str) -> None:
    async with door:
        await door.reset()
        before = await door.state()
        reply = await (
            door.reset(options) if door.name != "stock" else door.raw(json.dumps({"type": "reset", "data": options}))
        )
        assert code_of(reply) == code(door, expected)
        assert await door.state() == before


@pytest.mark.parametrize(
    "action",
    [
        '{"utterance": "", "ofer": 3}',
        '{"utterance": 5}',
        '{"utterance": null}',
        '{"utterance": "%s"}' % ("x" * 2001),
        '{"offer_amount": "lots"}',
        '{"offer_amount": true}',
        '{"offer_amount": [150000]}',
        '{"offer": 150000}',
        '{"offer": {"price": "150000"}}',
        json.dumps({"offer": {f"i{k}": 1 for k in range(17)}}),
        '{"tactical_move": "bribe"}',
        '{"question": "weather"}',
        '{"challenge": 1}',
        '{"accept_deal": "true"}',
        '{"belief": 3}',
        '{"belief": {"est_limit": 3}}',
        '{"belief": {"est_urgency": "high"}}',
        '{"event_impact": "big"}',
        "3",
        "null",
        "[]",
        '"walk away"',
    ],
    ids=lambda value: str(value)[:30],
)
async def test_what_is_no_action_is_an_error_and_the_session_goes_on(door: Door, action: str) -> None:
    async with door:
        await door.reset()
        before = await door.state()
        reply = await door.step(action)
        assert code_of(reply) == code(door, "INVALID_ACTION")
        assert await door.state() == before


async def test_a_step_that_is_longer_than_any_needs_to_be_is_an_error(door: Door) -> None:
    async with door:
        await door.reset()
        before = await door.state()
        for action in ({f"k{i}": 1 for i in range(5000)}, {"offer": {f"k{i}": "x" for i in range(5000)}}):
            assert code_of(await door.step(json.dumps(action))) == code(door, "MESSAGE_TOO_LARGE")
        assert await door.state() == before
        longest = {"utterance": "\U0001f642" * 2000, "offer_amount": 170_000}  # 24,000 bytes, escaped
        assert code_of(await door.step(json.dumps(longest))) is None


@pytest.mark.parametrize(
    "action",
    [
        '{"offer_amount": 1e15}',
        '{"offer_amount": -5}',
        '{"offer_amount": 0}',
        '{"offer_amount": 1e999}',
        '{"offer_amount": -1e999}',
        '{"offer_amount": 1%s}' % ("0" * 400),
        '{"offer_amount": 1%s}' % ("0" * 5000),
        '{"offer_amount": 150000.123456789}',
        '{"offer": {"price": 1e999}}',
        '{"offer": {"colour": 3}}',
        '{"offer": {}}',
        '{"offer": {"price": 150000, "colour": 3}}',
        '{"offer_amount": 150000, "offer": {"price": 150000}}',
        '{"accept_deal": true, "walk_away": true}',
        '{"offer_amount": 150000, "accept_deal": true}',
        '{"offer_amount": 150000, "walk_away": true}',
        '{"tactical_move": "reframe", "question": "timeline"}',
        '{"tactical_move": "sweetener", "sweetener": "a yacht"}',
        '{"tactical_move": "batna_reveal"}',
        '{"tactical_move": "batna_reveal", "claim_value": 1e999}',
        '{"tactical_move": "anchor_high", "offer_amount": 170000}',
        '{"claim_value": 130000}',
        '{"sweetener": "anything"}',
        '{"challenge": true}',
        '{"belief": {"est_walk_away": 1e999}}',
        '{"belief": {"est_urgency": 2}}',
        '{"belief": {"est_has_alternative": -0.1}}',
        '{"event_impact": 1e308}',
    ],
    ids=lambda value: str(value)[:40],
)
async def test_a_move_that_is_not_allowed_is_answered_in_band_and_costs_the_noise_alone(
    door: Door, action: str
) -> None:
    async with door:
        first = await door.reset()
        before = await door.state()
        reply = await door.step(action)
        assert code_of(reply) is None, reply
        assert reply["observation"]["invalid"]["code"]
        assert reply["observation"]["invalid"]["message"]
        assert not reply["done"]
        terms = terms_of(reply)
        opening = terms["delta_v"]  # of the opponent's opening offer, which any first step is paid
        assert (terms, reply["reward"]) == ({"delta_v": opening, "concession": 0.0, "noise": -10.0}, opening - 10.0)
        unlike = {name for name, value in reply["observation"].items() if first["observation"].get(name) != value}
        assert unlike <= {"invalid", "prompt", "metadata"}
        after = await door.state()
        changed = _inner(after)
        assert changed.pop("step_count") == 1
        assert changed | {"invalid": None, "step_count": 0} == _inner(before)


def terms_of(reply: Reply) -> dict[str, float]:
    return (reply.get("info") or reply.get("metadata") or {})["reward_terms"]


def _inner(state: Reply) -> Reply:
    return dict(state.get("state") or state.get("data") or state)


async def test_nothing_to_accept_is_answered_in_band(door: Door) -> None:
    async with door:
        for seed in range(30):
            first = await door.reset(GAME | {"seed": seed})
            if first["observation"]["opponent_offer"] is None:
                break
        reply = await door.step('{"accept_deal": true}')
        assert reply["observation"]["invalid"]["code"] == "nothing_to_accept"


async def test_a_card_without_points_is_answered_in_band(door: Door) -> None:
    async with door:
        await door.reset(GAME | {"persona": "veteran", "events": False})
        card = '{"utterance": "x", "tactical_move": "batna_reveal", "claim_value": 130000}'
        refused = [(await door.step(card))["observation"]["invalid"] for _ in range(7)]
        assert refused[0] is None
        assert refused[-1]["code"] == "too_few_points"


async def test_an_offer_on_one_issue_of_several_is_answered_in_band(door: Door) -> None:
    async with door:
        first = await door.reset({"scenario_id": "supplier_contract", "persona": "shark", "seed": 1})
        names = [issue["name"] for issue in first["observation"]["scenario"]["issues"]]
        reply = await door.step(json.dumps({"offer": {names[0]: 10.0}}))
        assert reply["observation"]["invalid"]["code"] == "incomplete_offer"
        reply = await door.step('{"offer_amount": 10.0}')
        assert reply["observation"]["invalid"]["code"] == "incomplete_offer"


async def test_the_third_invalid_move_in_a_row_forfeits(door: Door) -> None:
    async with door:
        await door.reset()
        replies = [await door.step('{"offer_amount": -5}') for _ in range(3)]
        assert [reply["done"] for reply in replies] == [False, False, True]
        assert replies[-1]["observation"]["termination_reason"] == "forfeit"
        assert terms_of(replies[-1])["no_deal"] == terms_of(replies[-1])["noise"] == -10.0
        assert code_of(await door.step('{"offer_amount": -5}')) == code(door, "EPISODE_DONE")


async def test_history_with_a_move_that_is_not_allowed_names_its_place(door: Door) -> None:
    good = {"utterance": "Good morning.", "offer_amount": 170_000}
    for history, place in (
        ([good, {"offer_amount": -5}], 1),
        ([{"walk_away": True}, good], 1),
        ([{"challenge": True}], 0),
    ):
        async with Door(door.name, door._server) as fresh:
            options = GAME | {"history": history, "seed": 0, "events": False}
            if fresh.name == "stock":
                reply = await fresh.raw(json.dumps({"type": "reset", "data": options}))
                details = reply["data"].get("errors")
            else:
                reply = await fresh.reset(options)
                details = reply["error"].get("details")
            assert details[0]["loc"] == ["history", place]


@pytest.mark.parametrize(
    "message",
    [
        '{"cmd": "%s", "type": "%s"}',
        '{"%s": 1, "type": "reset", "cmd": "reset"}',
        '{"type": "reset", "cmd": "reset", "scenario_id": "%s", "data": {"scenario_id": "%s"}}',
        '{"type": "reset", "cmd": "reset", "persona": "%s", "data": {"persona": "%s"}}',
        '{"type": "reset", "cmd": "reset", "seat": "%s", "data": {"seat": "%s"}}',
        '{"type": "reset", "cmd": "reset", "%s": 1, "data": {"%s": 1}}',
        '{"type": "reset", "cmd": "reset", "history": [{"%s": 1}], "data": {"history": [{"%s": 1}]}}',
        '{"type": "step", "cmd": "step", "session_id": "%s", "data": {"%s": 1}}',
        '{"type": "step", "data": {"offer": {"%s": "x"}}}',
        '{"type": "step", "data": {"tactical_move": "%s"}}',
        '{"cmd": "join", "join_code": "%s", "type": "%s"}',
        "%s",
    ],
)
async def test_nothing_that_was_sent_is_quoted(door: Door, message: str) -> None:
    async with door:
        await door.reset()
        reply = await door.raw(message.replace("%s", MARK))
        assert code_of(reply) is not None
        assert MARK not in json.dumps(reply)


async def test_a_field_that_is_not_known_is_answered_with_the_nearest_that_is(door: Door) -> None:
    async with door:
        await door.reset()
        reply = await door.step('{"utterance": "", "ofer_amount": 3}')
        assert "offer_amount" in json.dumps(reply)


async def test_a_step_before_a_reset_is_an_error(server: Served) -> None:
    async with stock(server) as client:
        assert code_of(await client.step(utterance="Hello.")) == "EXECUTION_ERROR"
    async with plain(server) as client:
        assert code_of(await client.step("nope", utterance="Hello.")) == "SESSION_NOT_FOUND"
        assert code_of(await client.ask({"cmd": "step", "action": {}})) == "SESSION_NOT_FOUND"
        assert code_of(await client.ask({"cmd": "step", "session_id": 5, "action": {}})) == "SESSION_NOT_FOUND"
        assert code_of(await client.ask({"cmd": "step", "session_id": ["a"], "action": {}})) == "SESSION_NOT_FOUND"


async def test_an_envelope_has_no_extra_field(server: Served) -> None:
    async with plain(server) as client:
        name = (await client.reset(**GAME))["session_id"]
        for message in ({"cmd": "state", "x": 1}, {"cmd": "close", "x": 1}, {"cmd": "step", "action": {}, "x": 1}):
            assert code_of(await client.ask({**message, "session_id": name})) == "INVALID_OPTION"
        assert code_of(await client.ask({"cmd": "step", "session_id": name})) == "INVALID_ACTION"
        assert code_of(await client.ask({"cmd": {}})) == "UNKNOWN_COMMAND"
        assert code_of(await client.ask({"cmd": "join"})) == "INVALID_OPTION"


async def test_words_of_every_kind_come_back_whole_or_not_at_all(door: Door) -> None:
    async with door:
        first = await door.reset()
        action = bargain(first["observation"]) | {"utterance": "15万 \u0000 \u202e שלום 🙂 <script>"}
        reply = await door.step(json.dumps(action))
        assert code_of(reply) is None
        assert reply["observation"]["own_offer"]

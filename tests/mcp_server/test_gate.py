"""Who may speak MCP over HTTP: the operator's key, origins, rates, sizes; and what is not MCP at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from mcp_server.door import PATH

from .support import Together, alone, over_http, together

KINDS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}


@pytest.fixture
def address(store_url: str) -> Iterator[str]:
    with together(database_url=store_url) as server:
        yield server.address


def post(address: str, body: Any = HELLO, **headers: str) -> httpx.Response:
    """A message, whatever it is."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = KINDS | {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.post(address + PATH, content=content, headers=sent, timeout=30)


def code_of(reply: httpx.Response) -> str:
    """The code of a refusal, which has the form of JSON-RPC."""
    found = reply.json()
    assert (found["jsonrpc"], found["id"]) == ("2.0", None)
    assert found["error"]["message"]
    return found["error"]["data"]["code"]


@pytest.mark.parametrize(
    ("headers", "welcome"),
    [
        ({}, True),
        ({"origin": "http://127.0.0.1:{port}"}, True),
        ({"origin": "http://evil.example"}, False),
        ({"origin": "null"}, False),
        # A page whose name was made to lead here: for the browser it is this server's own.
        ({"origin": "http://evil.example:{port}", "host": "evil.example:{port}"}, False),
        ({"host": "evil.example:{port}", "sec_fetch_site": "same-origin"}, False),
        ({"origin": "http://localhost:{port}", "host": "localhost:{port}"}, True),
        # A program says no origin, and may call the server by whatever name leads to it.
        ({"host": "parlay.example"}, True),
    ],
)
def test_a_browser_is_let_in_from_this_very_machine_alone(
    address: str, headers: dict[str, str], *, welcome: bool
) -> None:
    port = address.rpartition(":")[2]
    reply = post(address, **{name: value.format(port=port) for name, value in headers.items()})
    assert reply.status_code == (200 if welcome else 403)
    if not welcome:
        assert code_of(reply) == "FORBIDDEN_ORIGIN"


@pytest.mark.parametrize(
    "settings", [{"allowed_origins": ("https://lab.example",)}, {"public_url": "https://lab.example"}]
)
def test_an_operator_may_let_a_name_in(store_url: str, settings: dict[str, Any]) -> None:
    with together(database_url=store_url, **settings) as server:
        assert post(server.address, origin="https://lab.example", host="lab.example").status_code == 200
        assert post(server.address, origin="https://other.example", host="lab.example").status_code == 403


def test_a_page_that_is_let_in_may_read_what_the_protocol_needs(store_url: str, tmp_path: Path) -> None:
    origin = "https://lab.example"
    asked = {"origin": origin, "access-control-request-method": "POST"}
    asked["access-control-request-headers"] = "content-type,mcp-protocol-version,mcp-session-id,x-parlay-player"
    with (
        together(database_url=store_url, allowed_origins=(origin,)) as server,
        alone(tmp_path, "http", store_url, PARLAY_ALLOWED_ORIGINS=origin) as other,
    ):
        for address in (server.address, other.address):
            assert httpx.options(address + PATH, headers=asked).status_code == 200
            reply = post(address, origin=origin)
            assert reply.status_code == 200
            assert reply.headers["access-control-allow-origin"] == origin
            assert "mcp-session-id" in reply.headers["access-control-expose-headers"].lower()


async def test_with_a_key_only_who_has_it_may_speak(store_url: str) -> None:
    with together(database_url=store_url, api_key="hush") as server:
        for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "hush"}):
            reply = post(server.address, **headers)
            assert (reply.status_code, code_of(reply)) == (401, "UNAUTHORIZED")
            assert reply.headers["www-authenticate"] == "Bearer"
        async with over_http(server.address, authorization="Bearer hush") as client:
            await client.start()


async def test_the_player_s_header_says_who_plays(server: Together) -> None:
    async with over_http(server.address) as client:
        game = await client.start(name="Ada")
    async with over_http(server.address, x_parlay_player=game["player_key"]) as later:
        assert (await later.call("get_game_state"))["game_id"] == game["game_id"]
        assert (await later.call("start_negotiation"))["player"] == "Ada"


async def test_a_session_is_nobody_else_s(server: Together) -> None:
    async with over_http(server.address) as one, over_http(server.address) as other:
        game = await one.start(name="Ada")
        assert (await other.ask("get_game_state", game_id=game["game_id"])).code == "NAME_NEEDED"


def test_too_many_requests_of_one_address_have_to_wait(store_url: str) -> None:
    with together(database_url=store_url, page_rate=0.05) as server:
        replies = [post(server.address) for _ in range(3)]
        assert (replies[-1].status_code, code_of(replies[-1])) == (429, "RATE_LIMITED")
        assert int(replies[-1].headers["retry-after"]) == 20


def test_what_is_too_long_is_not_read(store_url: str) -> None:
    with together(database_url=store_url, message_bytes=4096) as server:
        reply = post(server.address, b" " * 5000)
        assert (reply.status_code, code_of(reply)) == (413, "MESSAGE_TOO_LARGE")
        assert post(server.address).status_code == 200


def test_there_are_only_so_many_sessions(store_url: str) -> None:
    with together(database_url=store_url, http_sessions=2) as server:
        assert [post(server.address).status_code for _ in range(3)] == [200, 200, 503]


def test_no_stream_can_be_opened(address: str) -> None:
    reply = httpx.get(address + PATH, headers={"accept": "text/event-stream"})
    assert (reply.status_code, code_of(reply)) == (405, "METHOD_NOT_ALLOWED")
    assert httpx.put(address + PATH, content=b"{}").status_code == 405


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"hello"',
        b"\xff\xfe",
        b"[" * 50_000,
        b'{"jsonrpc": "2.0", "id": 1}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_personas"}}',
        json.dumps(HELLO | {"params": {}}).encode(),
        json.dumps(HELLO | {"method": "no/such"}).encode(),
    ],
    ids=lambda body: body[:24].decode("latin-1"),
)
def test_what_is_no_message_is_refused_and_the_server_goes_on(address: str, body: bytes) -> None:
    reply = post(address, body)
    assert 400 <= reply.status_code < 500 or reply.json()["error"]["code"] == -32602
    assert post(address).status_code == 200


def test_the_log_holds_no_key_of_whoever_sends_what_can_not_be_read(
    address: str, caplog: pytest.LogCaptureFixture
) -> None:
    key = "k" * 43
    session = {"mcp_session_id": post(address).headers["mcp-session-id"], "mcp_protocol_version": "2025-06-18"}
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call"}
    for params in (
        {"player_key": key},
        {"name": 5, "arguments": {"player_key": key}},
        {"name": "say", "arguments": [key]},
    ):
        assert "error" in post(address, call | {"params": params}, **session).json()
    assert "none of MCP's" in caplog.text
    assert key[:9] not in caplog.text


@pytest.mark.parametrize(
    "figure", ["NaN", "Infinity", "-Infinity", "1e999", f"1{'0' * 400}", '"\\ud800"', '"150000"', "true", "[1]", "{}"]
)
def test_figures_that_are_none_are_refused_without_a_change(address: str, figure: str) -> None:
    hello = post(address)
    session = {"mcp_session_id": hello.headers["mcp-session-id"], "mcp_protocol_version": "2025-06-18"}
    post(address, {"jsonrpc": "2.0", "method": "notifications/initialized"}, **session)

    def call(tool: str, arguments: str) -> httpx.Response:
        params = f'{{"name": "{tool}", "arguments": {arguments}}}'
        text = f'{{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {params}}}'
        return post(address, text.encode(), **session)

    game = call("start_negotiation", '{"name": "Ada"}').json()["result"]["structuredContent"]
    arguments = f'{{"game_id": "{game["game_id"]}", "move_number": 0, "words": "Well.", "amount": {figure}}}'
    reply = call("make_offer", arguments)
    if reply.status_code == 200:
        assert reply.json()["result"]["structuredContent"]["error"]["code"] == "INVALID_ARGUMENT"
    else:
        assert reply.status_code == 400
    now = call("get_game_state", "{}").json()["result"]["structuredContent"]
    assert now["move_number"] == 0 and len(now["history"]) <= 1

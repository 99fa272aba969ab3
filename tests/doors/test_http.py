"""OpenEnv's HTTP routes, the sessions behind them, and JSON-RPC at `/mcp`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2 as httpx
import pytest

from parlay_env import __version__

from .support import HIDDEN, Reply, Served, bargain, held_keys, plain, served

GAME: dict[str, Any] = {"scenario_id": "saas_enterprise", "persona": "diplomat", "seed": 7}


@pytest.fixture
async def http(server: Served) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=server.url, timeout=30) as client:
        yield client


async def play(http: httpx.AsyncClient, **options: Any) -> list[Reply]:
    response = await http.post("/reset", json=options, headers={"X-Session-Id": "new"})
    name = response.headers["x-session-id"]
    trail = [response.json()]
    while not trail[-1]["done"]:
        action = bargain(trail[-1]["observation"])
        trail.append((await http.post("/step", json={"action": action}, headers={"X-Session-Id": name})).json())
    return trail


async def test_health_metadata_and_schema(http: httpx.AsyncClient) -> None:
    assert (await http.get("/health")).json() == {"status": "healthy"}
    assert (await http.head("/health")).status_code == 200
    metadata = (await http.get("/metadata")).json()
    assert set(metadata) == {"name", "description", "version", "author", "documentation_url", "readme_content"}
    assert metadata["version"] == __version__
    schema = await http.get("/schema")
    assert set(schema.json()) == {"action", "observation", "reset_observation", "state"}
    assert len(schema.content) < 65_536
    assert "content-encoding" not in schema.headers


async def test_every_field_of_an_action_is_described(http: httpx.AsyncClient) -> None:
    action = (await http.get("/schema")).json()["action"]
    assert all(field.get("description") for field in action["properties"].values())
    assert action["additionalProperties"] is False


async def test_openapi_names_the_routes_and_a_version(http: httpx.AsyncClient) -> None:
    found = (await http.get("/openapi.json")).json()
    assert found["info"]["version"] == "1.0.0"
    assert {"/reset", "/step", "/state", "/mcp", "/{env_name}/task"} <= set(found["paths"])
    schemas = found["components"]["schemas"]
    for name in set(_references(found)):
        assert name.removeprefix("#/components/schemas/") in schemas


def _references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [name for part in value.values() for name in _references(part)]
    return [name for part in value for name in _references(part)] if isinstance(value, list) else []


async def test_without_a_session_the_routes_are_stateless(http: httpx.AsyncClient) -> None:
    held = (await http.get("/ready")).json()["http_sessions"]
    first, second = [(await http.post("/reset", json=GAME)) for _ in range(2)]
    assert first.json() == second.json()
    assert "x-session-id" not in first.headers
    assert (await http.post("/reset")).json()["observation"]["scenario"]["id"] == "saas_enterprise"
    assert (await http.get("/state")).json() == {"episode_id": None, "step_count": 0}
    step = await http.post("/step", json={"action": {"utterance": "Hello."}})
    assert (step.status_code, step.json()["error"]["code"]) == (409, "NOT_RESET")
    assert (await http.get("/ready")).json()["http_sessions"] == held


async def test_a_session_is_played_over_http_as_over_a_socket(http: httpx.AsyncClient, server: Served) -> None:
    trail = await play(http, **GAME)
    async with plain(server) as client:
        other = [await client.reset(**GAME)]
        while not other[-1]["done"]:
            other.append(await client.step(other[0]["session_id"], **bargain(other[-1]["observation"])))
    assert [reply["reward"] for reply in trail] == [reply["reward"] for reply in other]
    for mine, theirs in zip(trail, other, strict=True):
        assert {k: v for k, v in mine["observation"].items() if k != "metadata"} == theirs["observation"]
    assert all(not held_keys(reply) & HIDDEN for reply in trail[:-1])


async def test_the_session_may_be_named_in_the_body(http: httpx.AsyncClient) -> None:
    reply = (await http.post("/reset", json=GAME | {"session_id": "new", "episode_id": "mine"})).json()
    name = reply["metadata"]["session_id"]
    step = await http.post("/step", json={"session_id": name, "action": bargain(reply["observation"]), "timeout_s": 5})
    assert step.status_code == 200
    state = (await http.get("/state", params={"session_id": name})).json()
    assert (state["episode_id"], state["step_count"]) == ("mine", 1)
    again = await http.post("/reset", json=GAME | {"session_id": name})
    assert again.json()["observation"] == reply["observation"]


async def test_a_session_that_is_not_there_is_404_and_a_reset_does_not_make_it(http: httpx.AsyncClient) -> None:
    for request in (
        http.post("/reset", json=GAME, headers={"X-Session-Id": "mine"}),
        http.post("/step", json={"action": {"utterance": ""}}, headers={"X-Session-Id": "mine"}),
        http.get("/state", headers={"X-Session-Id": "mine"}),
        http.post("/reset", json={"session_id": 5}),
    ):
        reply = await request
        assert (reply.status_code, reply.json()["error"]["code"]) == (404, "SESSION_NOT_FOUND")


async def test_a_reset_that_fails_opens_no_session(http: httpx.AsyncClient) -> None:
    before = (await http.get("/ready")).json()["http_sessions"]
    reply = await http.post("/reset", json={"scenario_id": "nowhere"}, headers={"X-Session-Id": "new"})
    assert reply.status_code == 422
    assert (await http.get("/ready")).json()["http_sessions"] == before


async def test_http_sessions_have_a_limit_of_their_own() -> None:
    with served(http_sessions=3) as small:
        async with httpx.AsyncClient(base_url=small.url) as http:
            codes = [(await http.post("/reset", headers={"X-Session-Id": "new"})).status_code for _ in range(4)]
            assert codes == [200, 200, 200, 503]
            assert (await http.post("/reset")).status_code == 200
        async with plain(small) as client:
            assert "error" not in await client.reset(**GAME)


async def test_ids_are_not_guessable(http: httpx.AsyncClient) -> None:
    names = {(await http.post("/reset", headers={"X-Session-Id": "new"})).headers["x-session-id"] for _ in range(5)}
    assert len(names) == 5
    assert all(len(name) >= 32 for name in names)


async def test_a_game_for_two_needs_a_socket(http: httpx.AsyncClient) -> None:
    for options in ({"opponent": "join"}, {"join_code": "x"}):
        assert (await http.post("/reset", json=options)).status_code == 422


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/nothing"),
        ("GET", "/env/sessions/anything"),
        ("GET", "/state/../env/ws"),
        ("GET", "/api/scenarios/..%2f..%2fetc%2fpasswd"),
        ("GET", "/%00"),
        ("GET", "/%ff%fe"),
        ("GET", "//etc/passwd"),
        ("GET", "/static/..\\..\\main.py"),
        ("GET", "/ws"),
        ("GET", "/env/ws"),
        ("GET", "/reset"),
        ("DELETE", "/state"),
        ("PUT", "/step"),
        ("GET", "/other_env/splits"),
        ("GET", "/docs"),
    ],
)
async def test_what_is_not_there_is_a_clean_4xx(http: httpx.AsyncClient, method: str, path: str) -> None:
    reply = await http.request(method, path)
    assert 400 <= reply.status_code < 500
    assert set(reply.json()["error"]) == {"code", "message"}
    assert "etc" not in reply.text


@pytest.mark.parametrize("path", ["/reset", "/step", "/mcp", "/parlay_env/task"])
async def test_a_body_of_3_mb_is_413(http: httpx.AsyncClient, path: str) -> None:
    reply = await http.post(path, content=b"[" * 3_000_000)
    assert (reply.status_code, reply.json()["error"]["code"]) == (413, "MESSAGE_TOO_LARGE")

    async def parts() -> AsyncIterator[bytes]:
        for _ in range(64):
            yield b"[" * 65_536

    assert (await http.post(path, content=parts())).status_code == 413


async def test_the_page_at_the_root_says_what_this_is(http: httpx.AsyncClient, server: Served) -> None:
    reply = await http.get("/")
    assert reply.headers["content-type"].startswith("text/html")
    assert "negotiate under hidden information" in reply.text
    assert server.url in reply.text
    assert "default-src 'none'" in reply.headers["content-security-policy"]
    assert "http" not in reply.text.replace(server.url, "")
    assert (await http.head("/")).status_code == 200
    hostile = await http.get("/", headers={"Host": 'x"><script>alert(1)</script>'})
    assert "<script>" not in hostile.text


# JSON-RPC -------------------------------------------------------------------------------------------------------------


async def rpc(http: httpx.AsyncClient, method: str, **params: Any) -> Reply:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    reply = await http.post("/mcp", json=body)
    assert reply.status_code == 200
    return reply.json()


async def call(http: httpx.AsyncClient, tool: str, **arguments: Any) -> Reply:
    result = (await rpc(http, "tools/call", name=tool, arguments=arguments))["result"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    return result


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{}", -32600),
        (b"[]", -32600),
        (b"3", -32600),
        (b"{", -32700),
        (b"", -32700),
        (b'{"jsonrpc": "2.0"}', -32600),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": ["ping"]}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "zzMARKzz"}', -32601),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "zzMARKzz"}}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": ["reset"]}}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "reset", "arguments": 3}}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "openenv/session/close", "params": {"session_id": "x"}}', -32602),
    ],
)
async def test_a_wrong_request_is_a_json_rpc_error(http: httpx.AsyncClient, body: bytes, code: int) -> None:
    reply = await http.post("/mcp", content=body)
    assert reply.status_code == 200
    assert (reply.json()["jsonrpc"], reply.json()["error"]["code"]) == ("2.0", code)
    assert "MARK" not in reply.text


async def test_a_notification_has_no_answer(http: httpx.AsyncClient) -> None:
    reply = await http.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (reply.status_code, reply.content) == (202, b"")


async def test_a_client_that_knows_tools_plays_a_whole_game(http: httpx.AsyncClient) -> None:
    hello = (await rpc(http, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={}))["result"]
    assert hello["serverInfo"] == {"name": "parlay", "version": __version__}
    tools = {tool["name"]: tool for tool in (await rpc(http, "tools/list"))["result"]["tools"]}
    assert set(tools) == {"reset", "step", "state"}
    assert all(tool["inputSchema"]["type"] == "object" and tool["description"] for tool in tools.values())
    found = (await call(http, "reset", **GAME))["structuredContent"]
    name = found["session_id"]
    steps = 0
    while not found["done"]:
        assert not held_keys(found) & HIDDEN
        found = (await call(http, "step", session_id=name, action=bargain(found["observation"])))["structuredContent"]
        steps += 1
    assert found["observation"]["grade"]
    state = (await call(http, "state", session_id=name))["structuredContent"]["state"]
    assert state["step_count"] == steps
    assert (await rpc(http, "openenv/session/close", session_id=name))["result"]["closed"]
    assert (await call(http, "state", session_id=name))["isError"]


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("reset", {"scenario_id": "nowhere"}, "UNKNOWN_SCENARIO"),
        ("reset", {"opponent": "join"}, "INVALID_OPTION"),
        ("step", {}, "SESSION_NOT_FOUND"),
        ("step", {"session_id": "x", "action": {"utterance": ""}}, "SESSION_NOT_FOUND"),
        ("step", {"session_id": "x", "action": {"utternace": "zzMARKzz"}}, "INVALID_ACTION"),
        ("state", {"session_id": 5}, "SESSION_NOT_FOUND"),
    ],
)
async def test_what_is_wrong_with_a_call_is_told_to_the_model(
    http: httpx.AsyncClient, tool: str, arguments: Reply, code: str
) -> None:
    result = await call(http, tool, **arguments)
    assert result["isError"]
    assert result["structuredContent"]["error"]["code"] == code
    assert "MARK" not in json.dumps(result)


async def test_a_session_made_for_tools_is_reset_before_it_is_stepped(http: httpx.AsyncClient) -> None:
    name = (await rpc(http, "openenv/session/create"))["result"]["session_id"]
    refused = await call(http, "step", session_id=name, action={"utterance": "Hello."})
    assert refused["structuredContent"]["error"]["code"] == "NOT_RESET"
    assert (await call(http, "state", session_id=name))["structuredContent"]["state"]["step_count"] == 0
    assert not (await call(http, "reset", session_id=name, **GAME))["isError"]


async def test_a_huge_figure_reaches_the_game_through_a_tool_too(http: httpx.AsyncClient) -> None:
    name = (await call(http, "reset", **GAME))["structuredContent"]["session_id"]
    for figure in ("1e999", "1" + "0" * 400):
        call_step = {"name": "step", "arguments": {"session_id": name, "action": {"offer_amount": 12345}}}
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call_step}
        body = json.dumps(request).replace("12345", figure)
        result = (await http.post("/mcp", content=body)).json()["result"]
        assert result["structuredContent"]["observation"]["invalid"]["code"] == "out_of_range"


async def test_a_client_that_leaves_in_the_middle_of_a_body_costs_nobody_anything(
    server: Served, http: httpx.AsyncClient
) -> None:
    """That nothing is logged as trouble is checked after every test here."""
    host, port = server.url.removeprefix("http://").split(":")
    for _ in range(3):
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"POST /reset HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{")
        await writer.drain()
        writer.close()
        await writer.wait_closed()
    assert (await http.get("/health")).status_code == 200

"""Who may come in: origins of browsers, the operator's key, other paths. And what a fault of ours tells."""

from __future__ import annotations

import json
from typing import Any

import httpx2 as httpx
import pytest
from websockets.exceptions import InvalidStatus

from .support import PATHS, Served, Troubles, code_of, first_of, plain, served, stock

GAME: dict[str, Any] = {"scenario_id": "saas_enterprise", "persona": "diplomat", "seed": 7}


@pytest.mark.parametrize(
    ("origin", "welcome"),
    [
        (None, True),
        ("http://127.0.0.1:{port}", True),
        ("http://evil.example", False),
        ("null", False),
        ("http://127.0.0.1:1", False),
    ],
)
async def test_a_browser_is_let_in_from_our_own_pages_only(server: Served, origin: str | None, welcome: bool) -> None:
    for path in PATHS:
        named: Any = None if origin is None else origin.format(port=server.port)
        connecting = server.socket(path, origin=named)
        if welcome:
            async with connecting:
                pass
        else:
            with pytest.raises(InvalidStatus) as refused:
                async with connecting:
                    pass
            assert refused.value.response.status_code == 403
            assert json.loads(refused.value.response.body or b"{}")["error"]["code"] == "UNAUTHORIZED"


async def test_a_proxy_may_name_the_host(server: Served) -> None:
    async with server.socket(
        "/ws", origin="https://me-parlay.hf.space", additional_headers={"X-Forwarded-Host": "me-parlay.hf.space"}
    ):
        pass


@pytest.mark.parametrize("allowed", ["https://lab.example", "https://a.example, https://lab.example/", "*"])
async def test_an_operator_may_let_other_origins_in(allowed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLAY_ALLOWED_ORIGINS", allowed)
    with served() as open_one:
        origin: Any = "https://lab.example"
        async with open_one.socket("/ws", origin=origin):
            pass
        reply = httpx.get(open_one.url + "/health", headers={"Origin": origin})
        assert reply.headers["access-control-allow-origin"] in (origin, "*")


def test_other_origins_may_read_nothing_by_default(server: Served) -> None:
    reply = httpx.get(server.url + "/health", headers={"Origin": "https://lab.example"})
    assert "access-control-allow-origin" not in reply.headers


async def test_an_operator_may_ask_for_a_key() -> None:
    with served(api_key="open sesame") as locked:
        for path in PATHS:
            for header in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic open sesame"}):
                with pytest.raises(InvalidStatus) as refused:
                    async with locked.socket(path, additional_headers=header):
                        pass
                assert refused.value.response.status_code == 401
            async with locked.socket(path, additional_headers={"Authorization": "Bearer open sesame"}) as ws:
                await ws.send(first_of(path))
                assert code_of(json.loads(await ws.recv())) is None
        for method, route in (("POST", "/reset"), ("POST", "/step"), ("GET", "/state"), ("POST", "/mcp")):
            reply = httpx.request(method, locked.url + route)
            assert reply.status_code == 401
            assert reply.json()["error"]["code"] == "UNAUTHORIZED"
        assert httpx.post(locked.url + "/reset", headers={"Authorization": "Bearer open sesame"}).status_code == 200
        assert httpx.get(locked.url + "/health").status_code == 200


async def test_a_socket_on_another_path_is_refused(server: Served) -> None:
    for path in ("/", "/ws/", "/env", "/env/ws/x", "/nothing"):
        with pytest.raises(InvalidStatus) as refused:
            async with server.socket(path):
                pass
        assert 400 <= refused.value.response.status_code < 500


async def test_a_fault_of_ours_costs_one_answer_and_is_not_told(
    monkeypatch: pytest.MonkeyPatch, no_trouble: Troubles
) -> None:
    with served() as broken:
        async with plain(broken) as client, stock(broken) as other:
            name = (await client.reset(**GAME))["session_id"]
            await other.reset(**GAME)
            before = await client.state(name), await other.state()
            with monkeypatch.context() as patch:
                patch.setattr("agent.scripted.ScriptedPolicy.act", lambda *_: 1 / 0)
                action = {"utterance": "Hello.", "offer_amount": 170_000}
                replies = [await client.step(name, **action), await other.step(**action)]
                http = httpx.post(broken.url + "/reset", json=GAME | {"seed": 1, "history": [action]})
            assert [code_of(reply) for reply in replies] == ["INTERNAL", "EXECUTION_ERROR"]
            assert "division" not in json.dumps(replies) + http.text
            assert http.json()["error"]["code"] == "INTERNAL"
            assert (await client.state(name), await other.state()) == before
            assert code_of(await client.step(name, **action)) is None
    assert no_trouble.found, "but the operator is told"
    no_trouble.found.clear()

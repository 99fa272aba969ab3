"""One script drives Parlay's client and OpenEnv's own, and gets the same from both.

OpenEnv's half runs where OpenEnv is installed, which it is not in the server's own environment: `make test-openenv`.
"""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

import pytest

from parlay_env.client import ParlayAction, ParlayEnvClient

from .servers import run

HAS_OPENENV = importlib.util.find_spec("openenv") is not None
needs_openenv = pytest.mark.skipif(not HAS_OPENENV, reason="OpenEnv is not installed here: `make test-openenv` has it")
FILLED_BY_CLIENT = {"reward", "done", "metadata"}


def stock(url: str) -> Any:
    if "gradio" not in sys.modules:
        sys.modules["gradio"] = None  # type: ignore[assignment] # seconds of import for a page that nothing here opens
    from openenv.core import GenericEnvClient  # type: ignore[import-not-found]

    return GenericEnvClient(base_url=url)


def plain(observation: Any) -> dict[str, Any]:
    """An observation as both clients can show it."""
    found = observation if isinstance(observation, dict) else observation.model_dump()
    return {name: value for name, value in found.items() if name not in FILLED_BY_CLIENT}


def script(env: Any) -> list[Any]:
    """Every kind of call, good and bad, and all that came of it."""
    seen: list[Any] = []

    def note(result: Any) -> Any:
        seen.append((plain(result.observation), result.reward, result.done))
        return plain(result.observation)

    def refused(call: Any, *arguments: Any, **options: Any) -> None:
        with pytest.raises(RuntimeError) as found:
            call(*arguments, **options)
        code = getattr(found.value, "code", str(found.value).rpartition("code: ")[2].rstrip(")"))
        seen.append(code)

    def state() -> None:
        found = env.state()
        seen.append(found if isinstance(found, dict) else found.model_dump())

    refused(env.step, {"utterance": "too early"})
    note(env.reset(seed=7, episode_id="one", scenario_id="saas_enterprise", persona="veteran", seat="seller"))
    state()
    note(env.step(ParlayAction(utterance="We ask 160,000.", offer_amount=160_000)))
    note(env.step({"utterance": "By when?", "question": "timeline", "belief": {"est_walk_away": 150_000}}))
    note(env.step({"utterance": "", "offer_amount": 1e15}))
    refused(env.step, {"ofer": 1})
    refused(env.step, {"offer_amount": "lots"})
    refused(env.step, {"offer_amount": float("nan")})
    refused(env.reset, scenario_id="nowhere")
    refused(env.reset, colour="red")
    state()
    now, turn = note(env.step({"utterance": "155,000?", "offer_amount": 155_000})), 0
    while now["termination_reason"] is None:
        turn += 1
        now = note(env.step({"utterance": f"Round {turn}.", "offer_amount": 155_000 - 1_000 * turn}))
    assert now["grade"]
    assert now["truth"]
    refused(env.step, {"utterance": "too late"})
    state()
    note(env.reset(seed=8, episode_id="two", scenario_id="supplier_contract", persona="shark", seat="buyer"))
    note(env.step({"utterance": "Farewell.", "walk_away": True}))
    return seen


@needs_openenv
def test_both_clients_get_the_same_from_one_script(url: str) -> None:
    with ParlayEnvClient(url).sync() as ours:
        mine = script(ours)
    with stock(url).sync() as theirs:
        assert script(theirs) == mine


@needs_openenv
def test_both_clients_raise_what_a_callers_except_clause_knows(url: str) -> None:
    for client in (ParlayEnvClient("http://127.0.0.1:9").sync(), stock("http://127.0.0.1:9").sync()):
        with pytest.raises(ConnectionError):
            client.connect()
    for client in (ParlayEnvClient(url).sync(), stock(url).sync()):
        with client as env, pytest.raises(RuntimeError, match="VALIDATION_ERROR"):
            env.reset(scenario_id="nowhere")


def test_our_client_gets_through_the_script(url: str) -> None:
    with ParlayEnvClient(url).sync() as ours:
        seen = script(ours)
    codes = [entry for entry in seen if isinstance(entry, str)]
    assert codes == [
        "EXECUTION_ERROR",
        "VALIDATION_ERROR",
        "VALIDATION_ERROR",
        "INVALID_JSON",
        "VALIDATION_ERROR",
        "VALIDATION_ERROR",
        "EXECUTION_ERROR",
    ]


@needs_openenv
def test_the_stock_client_plays_every_combination_to_an_end(url: str) -> None:
    said = run("examples/stock_client.py", "--url", url, warnings="default")
    rows = [line.split() for line in said.splitlines()[1:]]
    assert len({tuple(row[:3]) for row in rows}) == len(rows) == 4 * 3 * 2
    assert {row[4] for row in rows} <= {"deal", "walk_away", "timeout", "zopa_collapsed"}
    assert all(-300 <= float(row[5]) <= 200 for row in rows)
    assert sum(row[4] == "deal" for row in rows) >= 18
    assert sum(row[4] == "deal" for row in rows if row[0] == "supplier_contract") >= 4

"""The environment class inside OpenEnv's own server plays the very episodes that ours plays."""

from __future__ import annotations

import inspect
import json
import threading
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn
from harness import PERSONAS, SCENARIOS, bargain, free_port, is_healthy
from openenv.core import GenericEnvClient
from openenv.core.env_server import create_app

from parlay_env.environment import ParlayEnvironment
from parlay_env.models import ParlayAction, ParlayObservation, ParlayState


@pytest.fixture(scope="module")
def stock_url() -> Iterator[str]:
    options = {"env_name": "parlay_env", "max_concurrent_envs": 8}
    if "state_cls" in inspect.signature(create_app).parameters:
        options["state_cls"] = ParlayState
    app = create_app(ParlayEnvironment, ParlayAction, ParlayObservation, **options)
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="critical"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + 30
    while not is_healthy(url):
        assert time.monotonic() < deadline, "OpenEnv's server did not start"
        time.sleep(0.05)
    yield url
    server.should_exit = True
    thread.join(15)


def episode(url: str, **options: Any) -> list[tuple[dict[str, Any], float | None, bool]]:
    seen = []
    with GenericEnvClient(base_url=url).sync() as env:
        result = env.reset(**options)
        while True:
            # Releases differ in where they put metadata, so it carries nothing that matters.
            observation = {name: value for name, value in result.observation.items() if name != "metadata"}
            seen.append((observation, result.reward, result.done))
            if result.done:
                return seen
            assert len(seen) < 60, "the episode doesn't end"
            result = env.step(bargain(observation))


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("persona", PERSONAS)
def test_both_servers_tell_one_episode(stock_url: str, url: str, scenario: str, persona: str) -> None:
    options = {"seed": 5, "scenario_id": scenario, "persona": persona, "seat": "buyer"}
    assert episode(stock_url, **options) == episode(url, **options)


def test_state_follows_the_episode(stock_url: str) -> None:
    with GenericEnvClient(base_url=stock_url).sync() as env:
        first = env.reset(seed=3, episode_id="mine", scenario_id="saas_enterprise")
        env.step(bargain(first.observation))
        assert (env.state()["episode_id"], env.state()["step_count"]) == ("mine", 1)


def ask(url: str, path: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + path, data=data, headers={"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as reply:
        return json.load(reply)


def test_its_http_routes_serve_us_too(stock_url: str) -> None:
    assert ask(stock_url, "/metadata")["name"]
    assert {"action", "observation", "state"} <= set(ask(stock_url, "/schema"))
    reset = ask(stock_url, "/reset", {"seed": 7, "scenario_id": "saas_enterprise"})
    assert reset["observation"]["scenario"]["id"] == "saas_enterprise"
    assert reset["done"] is False


@pytest.mark.release("0.10")
def test_both_servers_hand_out_the_same_tasks(stock_url: str, url: str) -> None:
    def tasks(base: str) -> dict[str, Any]:
        splits = ask(base, "/parlay_env/splits")
        train = {"split": "train"}
        return {
            "splits": splits,
            "number": ask(base, "/parlay_env/num_tasks", train),
            "first": ask(base, "/parlay_env/task", {**train, "index": 0}),
            "some": ask(base, "/parlay_env/task_range", {**train, "start": 1, "stop": 4}),
        }

    stock, ours = tasks(stock_url), tasks(url)
    assert {split["name"] for split in stock["splits"]} == {"train", "validation", "test"}
    assert stock["number"]["num_tasks"] > 0
    assert len(stock["some"]["tasks"]) == 3
    assert stock == ours

"""Parlay's client against the real server."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from parlay_env.client import (
    ParlayAction,
    ParlayClientError,
    ParlayConnectionError,
    ParlayEnvClient,
    ParlayObservation,
    ParlayState,
)

from .servers import RealServer, free_port

OPTIONS: dict[str, Any] = {"scenario_id": "saas_enterprise", "persona": "diplomat", "seat": "seller", "seed": 5}


def offer(turn: int) -> ParlayAction:
    return ParlayAction(utterance=f"Round {turn}.", offer_amount=166_000 - 1_500 * turn)


def test_results_are_typed_and_keep_the_terms_of_the_reward(url: str) -> None:
    with ParlayEnvClient(url).sync() as env:
        first = env.reset(**OPTIONS)
        assert isinstance(first.observation, ParlayObservation)
        assert (first.reward, first.done) == (None, False)
        assert first.metadata["seed"] == 5
        result = env.step(offer(1))
        assert sum(result.metadata["reward_terms"].values()) == pytest.approx(result.reward)
        assert isinstance(env.state(), ParlayState)


def test_reward_and_done_read_the_same_wherever_they_are_read(url: str) -> None:
    with ParlayEnvClient(url).sync() as env:
        env.reset(**OPTIONS)
        result = env.step({"walk_away": True})
        assert result.done
        assert result.observation.done
        assert result.reward == result.observation.reward
        assert result.metadata == result.observation.metadata


def test_nothing_of_an_observation_is_lost(url: str) -> None:
    """Every field that the server sends has its place in `ParlayObservation`."""
    import json

    from websockets.sync.client import connect

    with connect(url.replace("http", "ws") + "/ws") as socket:
        socket.send(json.dumps({"type": "reset", "data": OPTIONS}))
        socket.recv()
        socket.send(json.dumps({"type": "step", "data": {"walk_away": True}}))
        sent = json.loads(socket.recv())["data"]["observation"]
    with ParlayEnvClient(url).sync() as env:
        env.reset(**OPTIONS)
        got = env.step({"walk_away": True}).observation.model_dump()
    for name, value in sent.items():
        if name != "metadata":
            assert got[name] == value, name


def test_an_option_that_is_none_is_left_out(url: str) -> None:
    with ParlayEnvClient(url).sync() as env:
        assert (
            env.reset(scenario_id=None, persona=None, seat=None, seed=None).observation.scenario.id == "saas_enterprise"
        )


def test_a_refusal_says_what_would_be_right_and_where_to_look(url: str) -> None:
    with ParlayEnvClient(url).sync() as env, pytest.raises(ParlayClientError) as found:
        env.reset(scenario_id="saas_enterprize")
    assert found.value.code == "VALIDATION_ERROR"
    assert "saas_enterprise" in found.value.message
    assert "ResetOptions" in found.value.hint


def test_a_refusal_as_text_says_where_it_is_wrong_and_why(url: str) -> None:
    with ParlayEnvClient(url).sync() as env:
        env.reset(seed=7)
        with pytest.raises(ParlayClientError, match=r"did you mean offer_amount\?"):
            env.step({"utterance": "Well?", "ofer_amount": 158_000})
        with pytest.raises(ParlayClientError, match=r": offer_amount: .*number.* \(code: VALIDATION_ERROR\)"):
            env.step({"utterance": "Well?", "offer_amount": "lots"})


def test_an_absurd_figure_is_answered_in_band_and_nan_by_a_code(url: str) -> None:
    with ParlayEnvClient(url).sync() as env:
        env.reset(**OPTIONS)
        refused = env.step(ParlayAction(offer_amount=1e15))
        assert refused.observation.invalid is not None
        with pytest.raises(ParlayClientError) as found:
            env.step(ParlayAction(offer_amount=float("inf")))
        assert found.value.code == "INVALID_JSON"
        assert env.step(offer(1)).observation.invalid is None


def test_resume_goes_on_where_the_lost_episode_was(url: str) -> None:
    def play(cut_at: int | None) -> list[Any]:
        with ParlayEnvClient(url).sync() as env:
            env.reset(**OPTIONS)
            seen = []
            for turn in range(1, 6):
                if turn == cut_at:
                    env._episodes.wire._socket.transport.abort()  # type: ignore[union-attr]
                    time.sleep(0.05)
                    with pytest.raises(ParlayConnectionError):
                        env.step(offer(turn))
                    env.resume()
                seen.append(env.step(offer(turn)))
            return seen

    assert play(cut_at=4) == play(cut_at=None)


def test_a_refused_reset_leaves_the_episode_before_as_it_was_resumable_too(url: str) -> None:
    with ParlayEnvClient(url).sync() as env:
        env.reset(**OPTIONS)
        seen = env.step(offer(1)).observation
        with pytest.raises(ParlayClientError):
            env.reset(scenario_id="nowhere", seed=1)
        assert env.state().step_count == 1
        assert env.resume().observation.offers == seen.offers


def test_a_task_is_resumable_without_its_seed(url: str) -> None:
    import json
    import urllib.request

    body = json.dumps({"split": "test", "index": 3}).encode()
    request = urllib.request.Request(f"{url}/parlay_env/task", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as reply:
        answer = json.load(reply)
    task = answer.get("task", answer)
    with ParlayEnvClient(url).sync() as env:
        first = env.reset(task_id=task["id"])
        env.step({"utterance": "Let us see."})
        before = env.state()
        assert before.step_count == 1
        again = env.resume()
        assert again.observation.own == first.observation.own
        assert again.observation.turn == 2


def test_a_restarted_server_costs_the_episode_and_not_the_client(tmp_path: Path) -> None:
    port = free_port()
    server = RealServer(tmp_path / "log", port)
    env = ParlayEnvClient(server.url).sync()
    try:
        env.reset(**OPTIONS)
        before = env.step(offer(1))
        server.stop()
        with pytest.raises(ParlayConnectionError) as found:
            env.step(offer(2))
        assert found.value.code == "CONNECTION_LOST"
        with pytest.raises(ParlayConnectionError, match="make serve"):
            env.resume()
        server = RealServer(tmp_path / "log", port)
        assert env.resume().observation.offers == before.observation.offers
        assert env.step(offer(2)).observation.turn == 3
        assert env.reset(**OPTIONS).observation.turn == 1
    finally:
        env.close()
        server.stop()


def test_a_session_that_was_idle_too_long_says_so_and_reset_begins_anew(tmp_path: Path) -> None:
    server = RealServer(tmp_path / "log", PARLAY_IDLE_SECONDS="0.4")
    try:
        with ParlayEnvClient(server.url).sync() as env:
            env.reset(**OPTIONS)
            time.sleep(1.5)
            with pytest.raises(ParlayConnectionError, match=r"closed after 0\.4 s without a message"):
                env.step(offer(1))
            assert env.reset(**OPTIONS).observation.turn == 1
    finally:
        server.stop()


def test_a_full_server_is_told_apart_and_has_room_once_a_client_closes(tmp_path: Path) -> None:
    server = RealServer(tmp_path / "log", PARLAY_MAX_SESSIONS="1")
    try:
        first, second = ParlayEnvClient(server.url).sync(), ParlayEnvClient(server.url).sync()
        first.reset(**OPTIONS)
        with pytest.raises(ParlayClientError) as found:
            second.reset(**OPTIONS)
        assert found.value.code == "CAPACITY_REACHED"
        first.close()
        assert second.reset(**OPTIONS).observation.turn == 1
        second.close()
    finally:
        server.stop()


def test_a_key_goes_in_the_headers(tmp_path: Path) -> None:
    server = RealServer(tmp_path / "log", PARLAY_API_KEY="sesame")
    try:
        with pytest.raises(ParlayConnectionError, match=r"HTTP 40[13].*Authorization"):
            ParlayEnvClient(server.url).sync().connect()
        with ParlayEnvClient(server.url, headers={"Authorization": "Bearer sesame"}).sync() as env:
            assert env.reset(**OPTIONS).observation.turn == 1
    finally:
        server.stop()


async def test_a_generation_longer_than_the_servers_patience_costs_no_session(tmp_path: Path) -> None:
    server = RealServer(tmp_path / "log", PARLAY_PING_SECONDS="0.3")
    try:
        async with ParlayEnvClient(server.url) as env:
            await env.reset(**OPTIONS)
            time.sleep(1.5)  # noqa: ASYNC251 - a model that generates on the event loop's own thread
            assert (await env.step(offer(1))).observation.turn == 2
    finally:
        server.stop()


async def test_many_clients_at_once_do_not_touch_each_other(url: str) -> None:
    async def episode(seed: int) -> list[Any]:
        async with ParlayEnvClient(url) as env:
            results = [await env.reset(**{**OPTIONS, "seed": seed})]
            for turn in range(1, 5):
                if not results[-1].done:
                    results.append(await env.step(offer(turn)))
            return results

    together = await asyncio.gather(*(episode(seed % 4) for seed in range(24)))
    for at, results in enumerate(together):
        assert results == together[at % 4]


async def test_with_and_without_async_get_the_same(url: str) -> None:
    options: dict[str, Any] = {"seed": 3, "scenario_id": "hiring_package", "persona": "diplomat", "seat": "buyer"}
    with ParlayEnvClient(url).sync() as env:
        waited = [env.reset(**options), env.step({"utterance": "185,000?", "offer_amount": 185_000}), env.state()]
    async with ParlayEnvClient(url) as env:
        step = {"utterance": "185,000?", "offer_amount": 185_000}
        awaited = [await env.reset(**options), await env.step(step), await env.state()]
    assert waited[:2] == awaited[:2]

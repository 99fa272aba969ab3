"""OpenEnv's own client, knowing nothing of this project, plays whole games against a running server."""

from __future__ import annotations

import asyncio
import itertools
import math
import subprocess
import sys
from typing import Any

import pytest
from harness import PERSONAS, ROOT, SCENARIOS, SEATS, bargain
from openenv.core import GenericEnvClient

COMBINATIONS = list(itertools.product(SCENARIOS, PERSONAS, SEATS))
END = {"deal", "walk_away", "timeout", "zopa_collapsed"}


def play(env: Any, **options: Any) -> list[Any]:
    """Every result of one episode, the reset's first."""
    trail = [env.reset(**options)]
    while not trail[-1].done:
        assert len(trail) < 60, "the episode doesn't end"
        trail.append(env.step(bargain(trail[-1].observation)))
    return trail


@pytest.mark.parametrize(("scenario", "persona", "seat"), COMBINATIONS)
def test_every_game_is_played_to_an_end(url: str, scenario: str, persona: str, seat: str) -> None:
    with GenericEnvClient(base_url=url).sync() as env:
        first, *steps = play(env, seed=7, scenario_id=scenario, persona=persona, seat=seat)
        assert first.observation["scenario"]["id"] == scenario
        assert (first.observation["persona"], first.observation["seat"]) == (persona, seat)
        assert not first.done
        assert all(step.observation["invalid"] is None for step in steps)
        assert all(math.isfinite(step.reward) and -300 <= step.reward <= 300 for step in steps)
        assert steps[-1].observation["termination_reason"] in END
        assert env.state()["step_count"] == len(steps)


def test_state_follows_the_episode(url: str) -> None:
    with GenericEnvClient(base_url=url).sync() as env:
        first = env.reset(seed=3, episode_id="mine", scenario_id="saas_enterprise")
        assert (env.state()["episode_id"], env.state()["step_count"]) == ("mine", 0)
        env.step(bargain(first.observation))
        assert (env.state()["episode_id"], env.state()["step_count"]) == ("mine", 1)
        again = env.reset(seed=3, episode_id="mine, again", scenario_id="saas_enterprise")
        assert again.observation == first.observation
        assert (env.state()["episode_id"], env.state()["step_count"]) == ("mine, again", 0)


def test_a_seed_fixes_the_episode(url: str) -> None:
    def trail(seed: int) -> list[Any]:
        with GenericEnvClient(base_url=url).sync() as env:
            results = play(env, seed=seed, scenario_id="hiring_package", persona="veteran", seat="buyer")
            return [(result.observation, result.reward, result.done) for result in results]

    assert trail(11) == trail(11)
    assert trail(11) != trail(12)


def test_a_move_that_is_not_allowed_is_answered_in_band(url: str) -> None:
    with GenericEnvClient(base_url=url).sync() as env:
        env.reset(seed=1, scenario_id="saas_enterprise")
        refused = env.step({"utterance": "", "offer_amount": 1e15})
        assert refused.observation["invalid"]["message"]
        assert not refused.done


def test_an_unknown_field_is_an_error_that_keeps_the_session(url: str) -> None:
    with GenericEnvClient(base_url=url).sync() as env:
        first = env.reset(seed=1, scenario_id="saas_enterprise")
        with pytest.raises(RuntimeError, match="VALIDATION_ERROR"):
            env.step({"utterance": "", "ofer": 1})
        assert env.step(bargain(first.observation)).observation["invalid"] is None


def test_many_sessions_at_once_do_not_touch_each_other(url: str) -> None:
    async def episode(seed: int) -> list[Any]:
        async with GenericEnvClient(base_url=url) as env:
            result = await env.reset(seed=seed, scenario_id="saas_enterprise", persona="diplomat")
            seen = [result.observation]
            while not result.done:
                result = await env.step(bargain(result.observation))
                seen.append(result.observation)
            return seen

    async def all_of(seeds: list[int]) -> list[list[Any]]:
        return await asyncio.gather(*map(episode, seeds))

    seeds = [seed % 4 for seed in range(32)]
    for seed, seen in zip(seeds, together := asyncio.run(all_of(seeds)), strict=True):
        assert seen == together[seed]


def test_the_example_plays_every_combination_to_an_end(url: str) -> None:
    example = [sys.executable, str(ROOT / "examples/stock_client.py"), "--url", url]
    shown = subprocess.run(example, capture_output=True, text=True, timeout=120, check=False)
    assert shown.returncode == 0, shown.stderr
    rows = [line.split() for line in shown.stdout.splitlines()[1:]]
    assert [tuple(row[:3]) for row in rows] == COMBINATIONS
    assert {row[4] for row in rows} <= END

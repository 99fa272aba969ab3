"""OpenEnv's own client, knowing nothing of this project, plays every strategic game at /games/<id>."""

from __future__ import annotations

import json
import math
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from harness import ROOT
from openenv.core import GenericEnvClient

Seen = dict[str, Any]


def undercover(seen: Seen) -> Seen:
    """Write some words of the document, then vote for the first of the others."""
    if seen["phase"] == "write":
        return {"summary": " ".join(seen["document"].split()[:20])}
    return {"vote": next(seat for seat in seen["players"] if seat != seen["seat"])}


MOVES: dict[str, Callable[[Seen], Seen]] = {
    "rps_talk": lambda _: {"text": "<think>They will expect rock.</think><play>scissors</play>"},
    "bertrand": lambda seen: {"play": (seen["market"]["cost"] + seen["market"]["pmax"]) // 2},
    "size_price": lambda seen: {"play": {"units": 2, "price": 50 - seen["turns_left"]}},
    "undercover": undercover,
    "levers": lambda seen: {"lever": seen["pays"].index(min(seen["pays"]))},
    "signalling": lambda _: {"sign": 3},
    "teamwork": lambda _: {"work": 1},
    "commons": lambda seen: {"catch_t": 10},
}


def games(url: str) -> list[Seen]:
    with urllib.request.urlopen(f"{url}/games", timeout=10) as reply:
        return json.load(reply)["games"]


def test_there_is_a_player_here_for_every_game(url: str) -> None:
    assert [one["id"] for one in games(url)] == list(MOVES)
    assert {path.name for path in (ROOT / "envs").iterdir()} == {"parlay_env", *(f"parlay_{name}" for name in MOVES)}


@pytest.mark.parametrize("name", MOVES)
def test_every_game_is_played_to_an_end_from_every_seat(url: str, name: str) -> None:
    told = next(one for one in games(url) if one["id"] == name)
    for seat in told["seats"]:
        with GenericEnvClient(base_url=f"{url}/games/{name}").sync() as env:
            result = env.reset(seed=7, seat=seat)
            paid, steps = 0.0, 0
            while not result.done:
                assert result.observation["truth"] is None
                assert result.observation["your_move"]
                result = env.step(MOVES[name](result.observation))
                assert math.isfinite(result.reward)
                paid, steps = paid + result.reward, steps + 1
                assert steps < 200
            assert result.observation["ended"]
            assert result.observation["truth"] is not None
            assert told["reward_range"][0] - 1e-9 <= paid <= told["reward_range"][1] + 1e-9
            assert env.state()["step_count"] == steps


def test_at_a_game_that_there_is_not_the_client_is_told_which_there_are(url: str) -> None:
    with (
        GenericEnvClient(base_url=f"{url}/games/lever").sync() as env,
        pytest.raises(RuntimeError, match=r"rps_talk, .*did you mean levers"),
    ):
        env.reset(seed=1)


@pytest.mark.parametrize("name", MOVES)
def test_a_move_that_is_none_is_an_error_that_keeps_the_session(url: str, name: str) -> None:
    with GenericEnvClient(base_url=f"{url}/games/{name}").sync() as env:
        first = env.reset(seed=1)
        with pytest.raises(RuntimeError, match="VALIDATION_ERROR"):
            env.step({"nothing": 1})
        assert env.step(MOVES[name](first.observation)).observation["invalid"] is None

"""Ten levers: who matches is paid, and no lever that there is not is pulled."""

from __future__ import annotations

import random

import pytest

from agent.games.registry import entry
from parlay_env.core import Viewer, play_episode
from parlay_env.games.levers import COMMON, LEVERS, ODD, Levers, Move, Setup, View

GAME = Levers()


def illegal(view: View, r: random.Random) -> Move:
    return Move(r.choice([-1, LEVERS, 10**9, len(view.pays) - 1]))


def play(first: int, second: int) -> dict[str, float]:
    step = GAME.play(GAME.start(Setup(), 1), {"first": Move(first), "second": Move(second)})
    assert not GAME.to_move(step.state)
    assert GAME.measures(step.state, "first")["reward"] == step.rewards["first"]["match"]
    return {seat: terms["match"] for seat, terms in step.rewards.items()}


def test_a_match_pays_both_what_the_lever_pays() -> None:
    assert play(3, 3) == {"first": COMMON, "second": COMMON}
    assert play(LEVERS - 1, LEVERS - 1) == {"first": ODD, "second": ODD}


def test_a_miss_pays_nobody() -> None:
    assert play(3, 4) == {"first": 0.0, "second": 0.0}


def test_a_lever_that_is_none_is_refused_to_who_named_it_and_nothing_is_pulled() -> None:
    state = GAME.play(GAME.start(Setup(), 1), {"first": Move(LEVERS), "second": Move(2)}).state
    seen = [GAME.view(state, Viewer("player", seat)).invalid for seat in GAME.seats]
    assert seen[0] is not None
    assert str(LEVERS - 1) in seen[0].message
    assert seen[1] is None
    assert GAME.to_move(state) == frozenset(GAME.seats)


def test_the_odd_lever_is_where_the_setup_has_it() -> None:
    assert GAME.view(GAME.start(Setup(odd=4), 1), Viewer("player", "first")).pays[4] == ODD
    with pytest.raises(ValueError, match="from 0 to 9"):
        GAME.start(Setup(odd=LEVERS), 1)


def test_strangers_who_look_for_what_differs_always_meet() -> None:
    for seed in range(20):
        odd = entry("levers").player("odd")
        assert play_episode(GAME, Setup(odd=seed % LEVERS), seed, {"first": odd, "second": odd}).total("first") == ODD

"""Signalling: who sees does not act, who acts does not see, and both are paid for a match."""

from __future__ import annotations

import random
from collections import Counter

import msgspec
import pytest
from msgspec.structs import replace

from agent.games.registry import entry
from parlay_env.core import Viewer, play_episode
from parlay_env.games.signalling import SEATS, SIGNS, Move, Setup, Signalling, State, View, drawn_state
from parlay_env.rng import derive_keys

GAME = Signalling()
ROUNDS = 100


def illegal(view: View, r: random.Random) -> Move:
    return Move(r.choice([-1, SIGNS, 10**9, view.message or 0]))


def moved(state: State, sign: int) -> State:
    (seat,) = GAME.to_move(state)
    return GAME.play(state, {seat: Move(sign)}).state


def seen(state: State, seat: str) -> View:
    return GAME.view(state, Viewer("player", seat))


def matches(sender: str, receiver: str, seed: int, rounds: int = ROUNDS) -> list[bool]:
    players = {"sender": entry("signalling").player(sender), "receiver": entry("signalling").player(receiver)}
    return [done.matched for done in play_episode(GAME, Setup(rounds), seed, players).state.past]


@pytest.mark.parametrize("off", range(SIGNS))
def test_only_the_states_own_act_pays_and_it_pays_both(off: int) -> None:
    state = moved(GAME.start(Setup(), 3), 5)
    act = (drawn_state(state.keys, 0) + off) % SIGNS
    paid = 1.0 if off == 0 else 0.0
    step = GAME.play(state, {"receiver": Move(act)})
    assert step.rewards == {"sender": {"match": paid}, "receiver": {"match": paid}}
    assert all(
        GAME.measures(step.state, seat) == {"void": 0.0, "error": 0.0, "match": paid, "reward": paid} for seat in SEATS
    )


def test_the_sender_sees_the_state_from_the_start_and_the_receiver_when_the_round_is_over() -> None:
    state = GAME.start(Setup(rounds=2), 8)
    first = drawn_state(state.keys, 0)
    assert (seen(state, "sender").state, seen(state, "receiver").state) == (first, None)
    state = moved(state, 4)
    assert seen(state, "receiver").message == 4
    assert seen(state, "receiver").state is None
    state = moved(state, first)
    assert seen(state, "receiver").past[0] == seen(state, "sender").past[0] == state.past[0]
    assert state.past[0].state == first
    assert seen(state, "receiver").state is None
    assert seen(state, "receiver").message is None


def test_what_the_receiver_sees_is_the_same_whatever_the_states_are() -> None:
    """Two episodes with the same messages, whose states differ: until a round is over nothing tells them apart."""
    one = GAME.start(Setup(), 1)
    others = [replace(one, keys=replace(one.keys, facts=derive_keys(seed).facts)) for seed in range(40)]
    assert len({drawn_state(other.keys, 0) for other in others}) == SIGNS
    for before in (one, moved(one, 9), moved(one, 6)):
        views = {msgspec.json.encode(seen(replace(before, keys=other.keys), "receiver")) for other in others}
        assert len(views) == 1


def test_the_states_are_uniform() -> None:
    drawn = Counter(drawn_state(derive_keys(seed), index) for seed in range(200) for index in range(40))
    expected = 200 * 40 / SIGNS
    assert len(drawn) == SIGNS
    assert sum((count - expected) ** 2 / expected for count in drawn.values()) < 24.3  # χ², 7 degrees, p = 0.001


def test_a_sign_that_is_none_is_refused_to_who_sent_it_and_the_round_waits() -> None:
    state = moved(GAME.start(Setup(), 1), SIGNS)
    refused = seen(state, "sender").invalid
    assert refused is not None
    assert "0 to 7" in refused.message
    assert seen(state, "receiver").invalid is None
    assert GAME.to_move(state) == {"sender"}
    state = moved(moved(state, 2), -1)
    assert seen(state, "receiver").invalid is not None
    assert seen(state, "sender").invalid is None
    assert state.message == 2
    state = GAME.play(replace(state, setup=Setup(rounds=2)), {"receiver": Move(0)}).state
    assert GAME.to_move(state) == {"sender"}
    assert seen(state, "sender").invalid is None


def test_eight_moves_that_are_not_allowed_void_the_episode_and_what_was_not_played_matched_nothing() -> None:
    state = GAME.start(Setup(rounds=2), 1)
    state = moved(moved(state, 0), drawn_state(state.keys, 0))
    for _ in range(8):
        assert GAME.to_move(state)
        state = moved(state, -1)
    assert seen(state, "receiver").ended == "void"
    assert GAME.measures(state, "sender") == {"void": 0.0, "error": 1.0, "match": 0.5, "reward": 1.0}


@pytest.mark.parametrize("rounds", [0, 201])
def test_rounds_that_can_not_be_played_are_refused(rounds: int) -> None:
    with pytest.raises(ValueError, match="rounds is a whole number from 1 to 200"):
        GAME.start(Setup(rounds), 1)


@pytest.mark.parametrize("convention", ["identity", "shifted"])
def test_a_convention_always_meets_its_own_kind_and_never_the_other(convention: str) -> None:
    other = {"identity": "shifted", "shifted": "identity"}[convention]
    assert all(matches(convention, convention, 1))
    assert not any(matches(convention, other, 1))


@pytest.mark.parametrize("convention", ["identity", "shifted"])
def test_a_learner_picks_up_any_convention_from_either_seat(convention: str) -> None:
    for seed in range(5):
        assert all(matches("learner", convention, seed)[-30:])
        assert all(matches(convention, "learner", seed)[-30:])


def test_two_learners_make_a_code_of_their_own() -> None:
    late = [sum(matches("learner", "learner", seed)[-30:]) / 30 for seed in range(10)]
    assert sum(late) / len(late) > 0.85
    assert sum(sum(matches("random", "learner", seed)) for seed in range(10)) / (10 * ROUNDS) < 0.2

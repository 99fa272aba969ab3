"""Teamwork: all are paid alike for the share that works, and only the difference reward says whose it is."""

from __future__ import annotations

import random
from itertools import product
from statistics import fmean, stdev

import msgspec
import pytest
from msgspec.structs import replace

from agent.games.registry import entry
from parlay_env.core import Viewer, play_episode
from parlay_env.games.interface import TRIES, VOID
from parlay_env.games.teamwork import MAX_NOISE, SEATS, WIDEST, Move, Setup, State, Teamwork, View, noise
from parlay_env.rng import derive_keys

GAME = Teamwork()


def illegal(view: View, r: random.Random) -> Move:
    return Move(r.choice([-1, 2, 10**9, *[view.round % 2] * 12]))


def chosen(state: State, *works: int) -> State:
    return GAME.play(state, {seat: Move(work) for seat, work in zip(SEATS, works, strict=False)}).state


def play(setup: Setup, seed: int, *names: str) -> State:
    players = {seat: entry("teamwork").player(names[i % len(names)]) for i, seat in enumerate(SEATS)}
    return play_episode(GAME, setup, seed, players).state


@pytest.mark.parametrize("works", list(product((0, 1), repeat=3)))
def test_all_are_paid_the_share_that_worked(works: tuple[int, ...]) -> None:
    step = GAME.play(GAME.start(Setup(players=3, noise=0.0), 1), {SEATS[i]: Move(work) for i, work in enumerate(works)})
    assert step.rewards == {seat: {"team": sum(works) / 3} for seat in SEATS[:3]}


def test_the_noise_is_the_same_for_all_and_is_in_the_pay_whatever_is_chosen() -> None:
    start = GAME.start(Setup(), 5)
    for works in ((0, 0, 0, 0), (1, 0, 1, 1)):
        step = GAME.play(start, {SEATS[i]: Move(work) for i, work in enumerate(works)})
        paid = {terms["team"] for terms in step.rewards.values()}
        assert paid == {sum(works) / 4 + noise(start, 0)}
        assert noise(start, 0) != 0


def test_the_noise_has_the_setups_spread_no_drift_and_a_bound() -> None:
    drawn = [noise(GAME.start(Setup(noise=0.2), seed), index) for seed in range(200) for index in range(20)]
    assert abs(fmean(drawn)) < 0.01
    assert stdev(drawn) == pytest.approx(0.2, rel=0.03)
    assert max(map(abs, drawn)) <= 0.2 * WIDEST


def test_no_key_but_the_hidden_one_moves_the_noise() -> None:
    state, other = GAME.start(Setup(), 1), derive_keys(2, seats=len(SEATS))
    changed = replace(state, keys=replace(other, hidden=state.keys.hidden))
    assert noise(changed, 0) == noise(state, 0) != noise(replace(state, keys=other), 0)


def test_no_episode_is_worth_more_or_less_than_the_range_says() -> None:
    low, high = GAME.reward_range
    for work in (0, 1):
        state = GAME.start(Setup(players=2, rounds=100, noise=MAX_NOISE), 4)
        while GAME.to_move(state):
            state = chosen(state, work, work)
        assert low <= GAME.measures(state, SEATS[0])["reward"] <= high
    widest = 100 * WIDEST * MAX_NOISE
    assert (low, high) == pytest.approx((-widest, 100 + widest))


def test_a_players_view_tells_nothing_of_others_but_through_the_pay() -> None:
    """Two teams of which the same number worked, but not the same agents."""
    start = GAME.start(Setup(rounds=2), 3)
    one, other = chosen(start, 1, 1, 0, 0), chosen(start, 1, 0, 0, 1)
    views = [msgspec.json.encode(GAME.view(state, Viewer("player", SEATS[0]))) for state in (one, other)]
    assert views[0] == views[1]
    assert GAME.view(one, Viewer("observer")) != GAME.view(other, Viewer("observer"))
    for seat, work in zip(SEATS, one.worked[0], strict=False):
        past = GAME.view(one, Viewer("player", seat)).past[0]
        assert (past.work, past.paid) == (work, 0.5 + noise(one, 0))


def test_the_difference_reward_is_what_the_pay_would_lose_without_this_seats_work() -> None:
    setup = Setup(rounds=2)
    rows = ((1, 0, 1, 1), (0, 0, 1, 0))
    state = chosen(chosen(GAME.start(setup, 9), *rows[0]), *rows[1])
    for place, seat in enumerate(GAME.seated(setup)):
        without = [tuple(0 if i == place else work for i, work in enumerate(row)) for row in rows]
        other = chosen(chosen(GAME.start(setup, 9), *without[0]), *without[1])
        lost = fmean(state.paid[i] - other.paid[i] for i in range(2))
        assert GAME.measures(state, seat)["difference"] == pytest.approx(lost, abs=1e-12)
    assert GAME.measures(state, SEATS[0])["work"] == 4 / 8


def test_only_the_seats_of_the_setup_play() -> None:
    start = GAME.start(Setup(players=2), 1)
    assert GAME.to_move(start) == set(SEATS[:2])
    assert set(GAME.play(start, {seat: Move(1) for seat in SEATS[:2]}).rewards) == set(SEATS[:2])
    assert "difference" not in GAME.measures(chosen(start, 1, 1), SEATS[5])


def test_a_choice_that_is_none_is_refused_to_who_made_it_and_nobody_has_worked() -> None:
    state = chosen(GAME.start(Setup(), 1), 1, 2, 1, 0)
    seen = [GAME.view(state, Viewer("player", seat)).invalid for seat in SEATS[:4]]
    assert [found is not None for found in seen] == [False, True, False, False]
    assert not state.worked
    state = chosen(state, 1, 1, 1, 1)
    assert GAME.view(state, Viewer("player", SEATS[1])).invalid is None


def test_a_void_episode_pays_nothing_more_and_has_no_work() -> None:
    state, refuse = GAME.start(Setup(), 1), {seat: Move(7) for seat in SEATS[:4]}
    for _ in range(7):
        state = GAME.play(state, refuse).state
    step = GAME.play(state, refuse)
    state = step.state
    assert step.rewards == {seat: {"team": 0.0} for seat in SEATS[:4]}
    assert GAME.view(state, Viewer("observer")).ended == "void"
    assert GAME.measures(state, SEATS[0]) == {"void": 0.0, "error": 1.0, "reward": 0.0, "work": 0.0, "difference": 0.0}


def test_who_works_once_and_makes_the_episode_void_is_not_measured_as_if_it_always_had() -> None:
    state = chosen(GAME.start(Setup(rounds=10, noise=0.0), 1), 1, 1, 1, 1)
    for _ in range(TRIES):
        state = chosen(state, 7, 1, 1, 1)
    assert GAME.view(state, Viewer("observer")).ended == VOID
    found = GAME.measures(state, SEATS[0])
    assert found == {"void": 0.0, "error": 1.0, "reward": 1.0, "work": 1 / 10, "difference": 1 / 40}


@pytest.mark.parametrize(
    ("setup", "words"),
    [
        (Setup(players=1), "players is a whole number from 2 to 8"),
        (Setup(players=9), "players is a whole number from 2 to 8"),
        (Setup(rounds=0), "rounds is a whole number from 1 to 100"),
        (Setup(noise=0.51), "noise is a figure from 0 to 0.5"),
        (Setup(noise=float("nan")), "noise is a figure from 0 to 0.5"),
    ],
)
def test_a_setup_that_can_not_be_played_is_refused(setup: Setup, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        GAME.start(setup, 1)


def test_who_learns_works_in_the_end_where_noise_is_small() -> None:
    late = [
        sum(row[0] for row in play(Setup(players=2, rounds=60, noise=0.02), seed, "learner", "worker").worked[-30:])
        / 30
        for seed in range(10)
    ]
    assert fmean(late) > 0.85

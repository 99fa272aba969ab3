"""The order of things: reciprocity beats stonewalling and yielding, and the three opponents are three."""

from __future__ import annotations

from functools import cache

import pytest

from agent.baselines import BASELINES, UnknownPolicy, baseline
from agent.registry import OPPONENTS, UnknownPersona, drawn, opponent, persona, profile
from parlay_env.core import play_episode
from parlay_env.deal.state import SEATS
from parlay_env.rng import derive_keys
from tests.world import GAME, SCENARIO_IDS, mean_and_error, setup

SEEDS = 300


@cache
def rewards(learner: str, name: str, seat: str, count: int) -> tuple[float, ...]:
    """What a baseline earns against a persona: seed by seed, the scenarios in turn."""
    found = []
    for seed in range(count):
        chosen = setup(SCENARIO_IDS[seed % 4], name, seat=seat)
        players = {seat: baseline(learner), SEATS[1 - chosen.learner]: opponent(name, words=False)}
        found.append(play_episode(GAME, chosen, seed, players, keep_log=False).total(seat))
    return tuple(found)


def gap(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[float, float]:
    """Mean of the paired differences, and the half width of its 95 % interval."""
    mean, error = mean_and_error([x - y for x, y in zip(a, b, strict=True)])
    return mean, 1.96 * error


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("pair", [("diplomat", "shark"), ("diplomat", "veteran"), ("veteran", "shark")])
def test_one_learner_gets_different_results_from_different_opponents(seat: str, pair: tuple[str, str]) -> None:
    mean, half = gap(*(rewards("tit_for_tat", name, seat, SEEDS) for name in pair))
    assert mean - half > 0


@pytest.mark.parametrize("name", OPPONENTS)
@pytest.mark.parametrize("other", ["constant_anchor", "boulware", "conceder"])
def test_reciprocity_beats_stonewalling_and_yielding_against_each_opponent(name: str, other: str) -> None:
    """In the mean over scenarios and both seats, clear of the 95 % interval of the paired difference."""
    mine = tuple(r for seat in SEATS for r in rewards("tit_for_tat", name, seat, SEEDS))
    theirs = tuple(r for seat in SEATS for r in rewards(other, name, seat, SEEDS))
    mean, half = gap(mine, theirs)
    assert mean - half > 0


def test_random_is_far_below_everything_that_keeps_its_limit() -> None:
    for name in OPPONENTS:
        low = sum(rewards("random", name, "seller", 80)) / 80
        for other in ("constant_anchor", "boulware", "conceder", "tit_for_tat"):
            assert low < sum(rewards(other, name, "seller", 80)) / 80 - 50


@pytest.mark.parametrize("name", [name for name in BASELINES if name != "random"])
def test_a_baseline_that_knows_its_limit_never_deals_beyond_it_nor_makes_a_refused_move(name: str) -> None:
    for i in range(160):
        seat = SEATS[i % 2]
        chosen = setup(SCENARIO_IDS[i // 2 % 4], OPPONENTS[i % 3], seat=seat)
        players = {seat: baseline(name), SEATS[1 - chosen.learner]: opponent(OPPONENTS[i % 3], words=False)}
        episode = play_episode(GAME, chosen, i, players, keep_log=False)
        assert all("cliff" not in terms for terms in episode.rewards[seat])
        book = episode.state.books[chosen.learner]
        assert book is not None
        assert book.invalid == 0


def test_names_are_known_or_an_error_says_which_are() -> None:
    assert OPPONENTS == ("shark", "diplomat", "veteran")
    with pytest.raises(UnknownPersona, match="shark, diplomat, veteran"):
        persona("judge")
    for make in (profile, opponent):
        with pytest.raises(UnknownPersona):
            make("")
    with pytest.raises(UnknownPolicy, match="tit_for_tat"):
        baseline("luck")


def test_a_policy_is_fresh_for_every_episode() -> None:
    assert opponent("veteran") is not opponent("veteran")
    assert baseline("tit_for_tat") is not baseline("tit_for_tat")


def test_the_persona_that_a_seed_draws_is_each_of_the_three_alike_often() -> None:
    count = dict.fromkeys(OPPONENTS, 0)
    for seed in range(1500):
        count[drawn(derive_keys(seed))] += 1
    assert min(count.values()) > 430
    assert [drawn(derive_keys(seed)) for seed in range(20)] == [drawn(derive_keys(seed)) for seed in range(20)]

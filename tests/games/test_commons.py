"""The commons: what the lake does, how it is shared out when short, and the outcomes that are known of it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.games.registry import entry
from parlay_env.core import Episode, Viewer, play_episode, replay
from parlay_env.games.commons import (
    CAPACITY_T,
    MONTHS,
    MOST_WORDS,
    SEATS,
    Commons,
    Move,
    Setup,
    State,
    View,
    best_total_t,
    fished,
    gini,
    grown,
    shared_out,
    sustainable_t,
)

GAME = Commons()


def illegal(view: View, r: random.Random) -> Move:
    return r.choice([Move(-1), Move(view.lake_t + 1), Move(10**9), Move(), Move(1, "Hello"), *[Move(4)] * 20])


def play(*names: str, setup: Setup | None = None, seed: int = 1) -> Episode:
    players = {seat: entry("commons").player(names[i % len(names)]) for i, seat in enumerate(SEATS)}
    return play_episode(GAME, setup or Setup(), seed, players)


def asked(state: State, *tonnes: int) -> State:
    return GAME.play(state, {seat: Move(catch) for seat, catch in zip(SEATS, tonnes, strict=True)}).state


def said(state: State, *words: str) -> State:
    return GAME.play(state, {seat: Move(say=say) for seat, say in zip(SEATS, words, strict=True)}).state


def measured(episode: Episode) -> dict[str, float]:
    return GAME.measures(episode.state, SEATS[0])


# --- the lake ---


def test_twelve_tonnes_each_collapse_the_lake_in_month_3_at_160_t() -> None:
    """100 − 60 = 40, doubled 80; 80 − 60 = 20, doubled 40; the 40 are shared out, 8 t each."""
    episode = play("twelve")
    assert [month.lake_kg for month in episode.state.past] == [100_000, 80_000, 40_000]
    assert GAME.view(episode.state, Viewer("observer")).ended == "collapsed"
    assert GAME.view(episode.state, Viewer("observer")).month == 3
    assert measured(episode)["total"] == sum(episode.total(seat) for seat in SEATS) == 160
    assert episode.total(SEATS[4]) == 12 + 12 + 8
    assert measured(episode)["survival"] == 3 / 12
    assert measured(episode)["survived"] == 0


def test_restraint_feeds_all_for_the_whole_year() -> None:
    episode = play("sustainable")
    found = measured(episode)
    assert found["total"] == 600
    assert found["survived"] == found["survival"] == found["equality"] == 1
    assert found["over_use"] == 0
    assert found["efficiency"] == 600 / 650
    assert GAME.view(episode.state, Viewer("observer")).ended == "played"


def test_greed_empties_the_lake_in_month_1() -> None:
    found = measured(play("greedy"))
    assert found == {
        "void": 0,
        "error": 0,
        "catch": 20,
        "total": 100,
        "equality": 1,
        "over_use": 1,
        "efficiency": 100 / 650,
        "survival": 1 / 12,
        "survived": 0,
    }


@pytest.mark.parametrize(("left", "next_month"), [(0, 0), (4, 0), (5, 10), (30, 60), (50, 100), (51, 100), (100, 100)])
def test_what_is_left_doubles_up_to_the_capacity_and_dies_under_five_tonnes(left: int, next_month: int) -> None:
    catch = CAPACITY_T - left
    state = asked(GAME.start(Setup(), 1), catch, 0, 0, 0, 0)
    assert GAME.view(state, Viewer("observer")).lake_t == next_month
    assert bool(GAME.to_move(state)) == (next_month > 0)


def test_the_last_month_may_leave_a_living_lake_or_a_dead_one() -> None:
    for catch, survived in ((19, 1.0), (20, 0.0)):
        state = asked(GAME.start(Setup(months=1), 1), *[catch] * 5)
        found = GAME.measures(state, SEATS[0])
        assert found["survived"] == survived
        assert found["survival"] == 1


# --- sharing out ---


def dealt(lake: int, wanted: Sequence[int], first: int) -> tuple[int, ...]:
    """The rule as the players are told it, one kilogram after the other."""
    got, place = [0] * len(wanted), first
    while lake and any(has < wants for has, wants in zip(got, wanted, strict=True)):
        if got[place] < wanted[place]:
            got[place], lake = got[place] + 1, lake - 1
        place = (place + 1) % len(wanted)
    return tuple(got)


@given(st.integers(0, 90), st.lists(st.integers(0, 40), min_size=5, max_size=5), st.integers(0, 4))
def test_a_lake_that_is_short_is_dealt_out_as_the_rules_say(lake: int, wanted: list[int], first: int) -> None:
    assert shared_out(lake, wanted, first) == dealt(lake, wanted, first)


@given(st.integers(0, 100), st.lists(st.integers(0, 100), min_size=5, max_size=5), st.integers(0, 4), st.data())
def test_asking_for_more_than_one_wants_gains_nothing_and_takes_from_nobody_who_asks_less(
    lake: int, wanted: list[int], first: int, data: st.DataObject
) -> None:
    got = shared_out(lake, wanted, first)
    more = [wanted[0] + data.draw(st.integers(0, 100)), *wanted[1:]]
    after = shared_out(lake, more, first)
    if got[0] < wanted[0]:
        assert after[0] == got[0]
    assert all(after[i] == wanted[i] for i in range(1, 5) if wanted[i] * 5 <= lake)
    assert sum(got) == min(lake, sum(wanted))


def test_the_odd_kilograms_begin_with_another_fisher_every_month() -> None:
    for index in range(MONTHS):
        caught, lake = fished(10_000, (10, 10, 10, 0, 0), index)
        order = [(index + i) % 5 for i in range(5) if (index + i) % 5 < 3]
        assert caught[order[0]] == 3_334
        assert sorted(caught) == [0, 0, 3_333, 3_333, 3_334]
        assert lake == 0


# --- what an episode is worth ---


@pytest.mark.parametrize("months", range(1, MONTHS + 1))
def test_the_best_total_is_what_trying_every_catch_in_every_month_finds(months: int) -> None:
    @cache
    def best(lake: int, left: int) -> int:
        if left == 0 or lake == 0:
            return 0
        return max(catch + best(grown(1000 * (lake - catch)) // 1000, left - 1) for catch in range(lake + 1))

    assert best(CAPACITY_T, months) == best_total_t(months)
    assert GAME.reward_range[1] >= best_total_t(months)


def test_one_who_fishes_the_best_plan_alone_gets_the_top_of_the_range() -> None:
    state, total = GAME.start(Setup(), 1), 0.0
    while GAME.to_move(state):
        catch = 100 if len(state.past) == MONTHS - 1 else 50
        step = GAME.play(state, {seat: Move(catch if seat == SEATS[2] else 0) for seat in SEATS})
        state, total = step.state, total + step.rewards[SEATS[2]]["catch"]
    assert total == GAME.reward_range[1] == 650
    found = GAME.measures(state, SEATS[2])
    assert found["catch"] == 650
    assert found["efficiency"] == 1
    assert found["equality"] == pytest.approx(1 / 5)


def test_what_is_sustainable_is_the_most_that_leaves_no_smaller_lake() -> None:
    for lake in range(10, CAPACITY_T + 1, 2):
        fits = [catch for catch in range(lake + 1) if grown(1000 * (lake - catch)) >= 1000 * lake]
        assert max(fits) == sustainable_t(lake)


def test_over_use_counts_the_catches_above_a_fifth_of_that() -> None:
    state = asked(GAME.start(Setup(months=2), 1), 10, 11, 9, 12, 0)  # leaves 58, so 100; ten each are sustainable
    assert GAME.measures(asked(state, 10, 10, 10, 10, 11), SEATS[0])["over_use"] == 3 / 10


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=8).filter(any))
def test_the_gini_coefficient_is_twice_the_area_between_the_lorenz_curve_and_the_diagonal(amounts: list[int]) -> None:
    shares = np.concatenate([[0.0], np.cumsum(sorted(amounts)) / sum(amounts)])
    area = float(np.sum((shares[1:] + shares[:-1]) / 2)) / len(amounts)
    assert gini(amounts) == pytest.approx(1 - 2 * area, abs=1e-9)


def test_a_measure_that_has_no_value_is_left_out() -> None:
    void = GAME.start(Setup(), 1)
    for _ in range(8):
        void = asked(void, -1, 0, 0, 0, 0)
    assert {"equality", "over_use"}.isdisjoint(GAME.measures(void, SEATS[0]))
    nothing = asked(GAME.start(Setup(months=1), 1), 0, 0, 0, 0, 0)
    assert "equality" not in GAME.measures(nothing, SEATS[0])


def test_who_has_brought_the_lake_down_can_not_have_that_left_out_by_making_the_episode_void() -> None:
    state = asked(GAME.start(Setup(), 1), 90, 0, 0, 0, 0)
    for _ in range(8):
        state = asked(state, -1, 0, 0, 0, 0)
    found = GAME.measures(state, SEATS[0])
    assert GAME.view(state, Viewer("observer")).ended == "void"
    assert (found["survival"], found["survived"]) == (1 / 12, 0.0)
    assert found["efficiency"] == 90 / 650


# --- moves and talk ---


def test_half_a_surrogate_pair_is_refused_since_nobody_could_be_sent_it() -> None:
    state = GAME.start(Setup(chat=True), 1)
    after = GAME.play(state, {**dict.fromkeys(SEATS, Move()), SEATS[0]: Move(say="\ud800")}).state
    refused = GAME.view(after, Viewer("player", SEATS[0])).invalid
    assert refused is not None
    assert refused.code == "not_text"
    assert after.said == ()


def test_a_catch_that_is_none_is_refused_to_who_named_it_and_nobody_fishes() -> None:
    state = asked(GAME.start(Setup(), 1), 101, 100, 0, -1, 5)
    invalid = [GAME.view(state, Viewer("player", seat)).invalid for seat in SEATS]
    assert [found.code if found else None for found in invalid] == ["no_such_catch", None, None, "no_such_catch", None]
    assert "0 to 100" in invalid[0].message  # type: ignore[union-attr]
    assert not state.past
    assert GAME.view(asked(state, 1, 1, 1, 1, 1), Viewer("player", SEATS[0])).invalid is None


def test_every_month_begins_with_words_that_all_hear_before_they_fish() -> None:
    state = GAME.start(Setup(months=2, chat=True), 1)
    for month in (1, 2):
        assert GAME.view(state, Viewer("player", SEATS[0])).phase == "talk"
        state = said(state, f"month {month}", "yes", "", "no", "no")
        view = GAME.view(state, Viewer("player", SEATS[3]))
        assert view.phase == "fish"
        assert view.said[-1] == (f"month {month}", "yes", "", "no", "no")
        state = asked(state, 1, 1, 1, 1, 1)
    assert not GAME.to_move(state)


@pytest.mark.parametrize(
    ("talking", "move", "code"),
    [
        (True, Move(4, "four"), "talk_first"),
        (True, Move(4), "talk_first"),
        (True, Move(say="x" * (MOST_WORDS + 1)), "too_long"),
        (True, Move(say="half a pair: \ud800"), "not_text"),
        (True, Move(say="turned \u202eabout"), "not_text"),
        (True, Move(say="a bell\x07"), "not_text"),
        (False, Move(4, "four"), "no_talk_now"),
        (False, Move(), "no_such_catch"),
    ],
)
def test_talk_has_its_time_and_its_length(talking: bool, move: Move, code: str) -> None:
    state = GAME.start(Setup(chat=True), 1)
    state = state if talking else said(state, *[""] * 5)
    others = {seat: Move() if talking else Move(1) for seat in SEATS}
    after = GAME.play(state, {**others, SEATS[1]: move}).state
    invalid = GAME.view(after, Viewer("player", SEATS[1])).invalid
    assert invalid is not None
    assert invalid.code == code
    assert (after.said, after.past) == (state.said, state.past)


def test_the_longest_message_is_said_and_the_log_keeps_it() -> None:
    state = said(GAME.start(Setup(chat=True), 1), *["ä" * MOST_WORDS] * 5)
    assert len(state.said) == 1
    episode = play("promise_keeper", setup=Setup(chat=True))
    assert episode.log is not None
    assert "I'll take 10 t" in episode.log.to_jsonl().decode()
    assert replay(GAME, episode.log).state == episode.state


def test_without_chat_no_word_is_taken() -> None:
    state = GAME.play(GAME.start(Setup(), 1), {seat: Move(1, "hush") for seat in SEATS}).state
    assert not state.past
    assert b"hush" not in msgspec.json.encode(GAME.view(state, Viewer("player", SEATS[0])))


def test_what_was_asked_of_an_empty_lake_is_seen_after_the_end_only() -> None:
    start = GAME.start(Setup(), 1)
    state = asked(start, 10, 10, 10, 10, 10)
    assert GAME.view(state, Viewer("player", SEATS[0])).truth is None
    state = asked(state, 100, 50, 50, 20, 20)
    assert GAME.view(state, Viewer("player", SEATS[0])).truth == {
        "asked_t": ((10, 10, 10, 10, 10), (100, 50, 50, 20, 20))
    }


@pytest.mark.parametrize("months", [0, 13])
def test_a_year_that_is_too_short_or_too_long_is_refused(months: int) -> None:
    with pytest.raises(ValueError, match="months is a whole number from 1 to 12"):
        GAME.start(Setup(months), 1)


# --- who fishes ---


@pytest.mark.parametrize("chat", [False, True])
@pytest.mark.parametrize("name", list(entry("commons").players))
def test_every_player_makes_only_moves_that_are_allowed(name: str, chat: bool) -> None:
    for partner in ("random", "twelve", "sustainable", "promise_breaker"):
        for seed in range(3):
            state = play(name, partner, setup=Setup(chat=chat), seed=seed).state
            assert not any(state.tries)


def test_a_promise_is_kept_by_one_and_broken_by_the_other_in_the_same_words() -> None:
    state = play("promise_keeper", "promise_breaker", setup=Setup(chat=True)).state
    for words, month in zip(state.said, state.past, strict=True):
        assert len(set(words)) == 1
        promised = int(words[0].split()[2])
        expected = tuple(promised * (1 + place % 2) * 1000 for place in range(5))
        assert month.asked_t == tuple(kg // 1000 for kg in expected)
    promise = measured(play("promise_keeper", setup=Setup(chat=True)))
    assert promise["total"] == 600
    assert play("promise_breaker", setup=Setup(chat=True)).total(SEATS[0]) < promise["catch"]


def test_a_copycat_takes_what_the_others_took() -> None:
    state = play("copycat", "twelve", "twelve", "twelve", "twelve", setup=Setup(months=2)).state
    assert [month.asked_t[0] for month in state.past] == [10, 12]
    assert measured(play("copycat"))["total"] == 600


# --- who learns ---

CATCHES_T = (0, 5, 10, 15, 20, 25, 30)


@cache
def year(catches: tuple[int, ...]) -> tuple[tuple[float, ...], int]:
    """What each catches in a year in which all name the same every month (or the lake), and the months it lasts."""
    lake, total, month = CAPACITY_T * 1000, np.zeros(5), 0
    while lake and month < MONTHS:
        caught, lake = fished(lake, [min(catch, lake // 1000) for catch in catches], month)
        total, month = total + np.array(caught) / 1000, month + 1
    return tuple(total.tolist()), month


def learnt(seed: int, selfish: Sequence[int], steps: int = 3000, rate: float = 0.1) -> tuple[tuple[float, ...], int]:
    """The year of five who learn one catch each by REINFORCE with a running mean, paid 1/100 of their own catch where
    selfish, else of all catches."""
    rng = np.random.default_rng(seed)
    tables, mean = np.zeros((5, len(CATCHES_T))), np.zeros(5)
    for step in range(steps):
        odds = np.exp(tables - tables.max(1, keepdims=True))
        odds /= odds.sum(1, keepdims=True)
        picks = (odds.cumsum(1)[:, :-1] < rng.random((5, 1))).sum(1)
        own = np.array(year(tuple(CATCHES_T[pick] for pick in picks))[0]) / 100
        paid = np.where(np.isin(np.arange(5), selfish), own, own.sum())
        gain = paid - mean if step else np.zeros(5)
        mean += (0.05 if step else 1.0) * (paid - mean)
        tables += rate * gain[:, None] * (np.eye(len(CATCHES_T))[picks] - odds)
    return year(tuple(CATCHES_T[best] for best in tables.argmax(1)))


def test_selfish_learners_empty_the_lake_in_month_1() -> None:
    for seed in range(3):
        catches, months = learnt(seed, range(5), steps=2000)
        assert (sum(catches), months) == (pytest.approx(100), 1)


def test_learners_who_share_all_that_is_caught_make_600_t_and_not_equally() -> None:
    for seed in range(3):
        catches, months = learnt(seed, ())
        assert (sum(catches), months) == (600, MONTHS)
        assert gini(catches) > 0.1


def test_one_selfish_learner_among_sharers_takes_180_to_360_t() -> None:
    for seed in range(3):
        catches, _ = learnt(seed, (0,))
        assert 180 <= catches[0] <= 360
        assert catches[0] > 1.25 * sum(catches) / 5

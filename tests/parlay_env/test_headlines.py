"""Scheduled headlines and market events: when they break, what they say in which split, whom they move and how far."""

from __future__ import annotations

import itertools
from collections import Counter
from functools import cache

import pytest

from game.events import SPLITS, Split, market_kinds
from parlay_env.core import Viewer
from parlay_env.deal.state import Move, News, Profile, Shock, State
from parlay_env.deal.terms import terms_of
from tests.world import (
    GAME,
    PRICE_IDS,
    SCENARIO_IDS,
    SCENARIOS,
    Script,
    Setup,
    mean_and_error,
    quiet,
    setup,
    share_error,
    states,
)

CALM = Profile(temper=-100.0, mev_sensitivity=1.0)
COUNT = 1000
SCHEDULED = {
    "saas_enterprise": (8, 14),
    "hiring_package": (5,),
    "acquisition_term_sheet": (7, 13),
    "supplier_contract": (),
}


def idle(chosen: Setup, seed: int) -> list[State]:
    """A full episode in which nobody does anything."""
    return list(states(chosen, seed, {"seller": Script(), "buyer": Script()}))


@cache
def news_of(name: str, events: bool, split: Split = "train", seat: str = "seller") -> tuple[tuple[News, ...], ...]:
    chosen = setup(name, opponent=CALM, events=events, split=split, seat=seat)
    return tuple(idle(chosen, seed)[-1].public.news for seed in range(COUNT))


@cache
def shocks_of(
    name: str, seat: str = "seller", sensitivity: float = 1.0, split: Split = "train"
) -> tuple[tuple[News, Shock], ...]:
    """Every market event of many episodes, without scheduled ones, with what it did."""
    chosen = Setup(quiet(name), seat=seat, opponent=Profile(temper=-100.0, mev_sensitivity=sensitivity), split=split)  # pyright: ignore[reportArgumentType]
    found: list[tuple[News, Shock]] = []
    for seed in range(COUNT):
        last = idle(chosen, seed)[-1]
        found += zip(last.public.news, last.shocks, strict=True)
    return tuple(found)


@pytest.mark.parametrize("name", SCENARIO_IDS)
def test_scheduled_headlines_break_about_their_turn_four_times_of_five(name: str) -> None:
    assert tuple(h.turn for h in SCENARIOS[name].headlines) == SCHEDULED[name]
    for headline in SCENARIOS[name].headlines:
        turns = [n.turn for news in news_of(name, False) for n in news if n.words in headline.words["train"]]
        assert abs(len(turns) / COUNT - 0.8) < 4 * share_error(0.8, COUNT)
        count = Counter(turns)
        assert set(count) == set(range(headline.turn - 2, headline.turn + 3))
        for broken in count.values():
            assert abs(broken / len(turns) - 0.2) < 4.5 * share_error(0.2, len(turns))


def test_without_events_there_are_scheduled_headlines_only() -> None:
    assert all(not n.market for news in news_of("saas_enterprise", False) for n in news)
    assert all(news == () for news in news_of("supplier_contract", False))


@pytest.mark.parametrize("name", SCENARIO_IDS)
def test_market_events_break_with_probability_eleven_hundredths_a_turn_and_at_most_twice(name: str) -> None:
    markets = [[n for n in news if n.market] for news in news_of(name, True)]
    assert max(map(len, markets)) == 2
    assert all(2 <= n.turn <= 20 for news in markets for n in news)
    first = [min((n.turn for n in news), default=0) for news in markets]
    never = first.count(0) / COUNT
    expected = 0.89**19  # turns 2 to 20
    assert abs(never - expected) < 4 * share_error(expected, COUNT)
    once = sum(len(news) == 1 for news in markets) / COUNT
    expected = 19 * 0.11 * 0.89**18
    assert abs(once - expected) < 4 * share_error(expected, COUNT)


def test_every_kind_of_event_occurs_and_none_of_another_split_does() -> None:
    for split in SPLITS:
        words = {n.words for news in news_of("saas_enterprise", True, split) for n in news if n.market}
        allowed = {kind.id: set(kind.words[split]) for kind in market_kinds(split)}
        assert len(allowed) >= 12
        assert words <= set().union(*allowed.values())
        assert all(words & some for some in allowed.values())


def test_splits_share_no_headline() -> None:
    for name in ("saas_enterprise", "acquisition_term_sheet"):
        said = [{n.words for news in news_of(name, True, split) for n in news} for split in SPLITS]
        assert not said[0] & said[1]
        assert not said[0] & said[2]
        assert not said[1] & said[2]


def test_a_headline_is_public_and_what_it_did_is_not() -> None:
    chosen = setup("hiring_package", opponent=CALM)
    for state in idle(chosen, 3):
        views = [GAME.view(state, Viewer("player", seat)) for seat in ("seller", "buyer")]
        assert views[0].public.news == views[1].public.news
        if state.public.ended is None:
            assert views[0].truth is None


def test_scheduled_headlines_move_those_whom_the_scenario_says() -> None:
    """urgency ±, alternatives gained and lapsed, limits: before and after the turn in which it broke."""
    seen = set()
    for name in PRICE_IDS:
        terms = terms_of(SCENARIOS[name])
        for seed in range(60):
            trail = idle(setup(name, opponent=CALM, events=False), seed)
            for before, after in itertools.pairwise(trail):
                if len(after.public.news) != len(before.public.news) + 1:
                    continue
                words = after.public.news[-1].words
                headline = next(h for h in SCENARIOS[name].headlines if words in h.words["train"])
                for who, shift in enumerate((headline.seller, headline.buyer)):
                    a, b = before.facts[who], after.facts[who]
                    expected = min(1.0, max(0.0, a.urgency + shift.urgency))
                    assert b.urgency == pytest.approx(expected, abs=0.006)
                    had = a.has_alternative if shift.alternative is None else shift.alternative
                    assert b.has_alternative == had
                    moved = 0.10 * (b.has_alternative - a.has_alternative) + shift.limit
                    width = terms.delta0[who]
                    assert b.walk_away - a.walk_away == pytest.approx(moved * width, abs=0.002 * width)
                    assert after.shocks[-1].effect[who] == pytest.approx((b.limit - a.limit) / width, abs=1e-9)
                    seen.add((name, headline.turn, who, shift.urgency, shift.limit, shift.alternative))
    assert {(n, t, w, u, v) for n, t, w, u, v, _ in seen} == {
        ("saas_enterprise", 8, 0, 0.0, 0.0),
        ("saas_enterprise", 8, 1, -0.30, 0.0),
        ("saas_enterprise", 14, 0, 0.40, 0.0),
        ("saas_enterprise", 14, 1, 0.0, 0.0),
        ("hiring_package", 5, 0, 0.0, 0.0),
        ("hiring_package", 5, 1, 0.25, 0.0),
        ("acquisition_term_sheet", 7, 0, 0.0, 0.0),
        ("acquisition_term_sheet", 7, 1, -0.20, 0.10),
        ("acquisition_term_sheet", 13, 0, 0.0, 0.0),
        ("acquisition_term_sheet", 13, 1, 0.40, 0.0),
    }
    gained = {(n, t, w): a for n, t, w, _, _, a in seen if a is not None}
    assert gained == {
        ("saas_enterprise", 8, 1): True,
        ("saas_enterprise", 14, 1): False,
        ("hiring_package", 5, 0): True,
        ("acquisition_term_sheet", 13, 0): True,
    }


@pytest.mark.parametrize("name", ["saas_enterprise", "supplier_contract"])
def test_an_event_moves_both_limits_by_independent_draws_around_its_kinds_means(name: str) -> None:
    kinds = {words: kind for kind in market_kinds("train") for words in kind.words["train"]}
    errors: tuple[list[float], list[float]] = ([], [])
    for news, shock in shocks_of(name):
        kind = kinds[news.words]
        for who, mean in enumerate((kind.seller, kind.buyer)):
            assert abs(shock.effect[who]) <= 0.30 + 0.002
            errors[who].append(shock.effect[who] - mean)
    for who in (0, 1):
        mean, error = mean_and_error(errors[who])
        assert abs(mean) < 4 * error
        assert error * len(errors[who]) ** 0.5 > 0.05, "the size can be read off the headline"
    a, b = errors
    together = sum(x * y for x, y in zip(a, b, strict=True)) / len(a)
    scale = (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5 / len(a)
    assert abs(together / scale) < 4.5 / len(a) ** 0.5


def test_the_opponents_sensitivity_scales_its_own_effect_and_nothing_else() -> None:
    full, dull = shocks_of("saas_enterprise"), shocks_of("saas_enterprise", sensitivity=0.2)
    assert [news for news, _ in full] == [news for news, _ in dull]
    for (_, a), (_, b) in zip(full, dull, strict=True):
        assert b.effect[0] == a.effect[0]
        if abs(a.effect[1]) < 0.299:
            assert b.effect[1] == pytest.approx(0.2 * a.effect[1], abs=0.004)


def test_the_opponents_seat_has_the_sensitivity_whichever_it_is() -> None:
    full, dull = shocks_of("saas_enterprise", "buyer"), shocks_of("saas_enterprise", "buyer", 0.2)
    for (_, a), (_, b) in zip(full, dull, strict=True):
        assert b.effect[1] == a.effect[1]
        if abs(a.effect[0]) < 0.299:
            assert b.effect[0] == pytest.approx(0.2 * a.effect[0], abs=0.004)


def test_an_event_tightens_walk_away_and_budget_alike_as_the_shock_says() -> None:
    for seed in range(80):
        trail = idle(Setup(quiet(), opponent=CALM), seed)
        for before, after in itertools.pairwise(trail):
            if len(after.shocks) == len(before.shocks) + 1:
                for who in (0, 1):
                    a, b = before.facts[who], after.facts[who]
                    moved = after.shocks[-1].effect[who] * 4_000_000
                    assert b.walk_away - a.walk_away == pytest.approx(moved, abs=1)
                    if a.budget is not None:
                        assert b.budget is not None
                        assert b.budget - a.budget == pytest.approx(moved, abs=1)


def test_headlines_break_before_the_learner_sees_the_turn_and_never_before_turn_two() -> None:
    for seed in range(100):
        for state in idle(setup("hiring_package", opponent=CALM), seed):
            if state.public.turn <= 1:
                assert state.public.news == ()
            if any(n.turn == state.public.turn for n in state.public.news) and state.public.ended is None:
                assert GAME.play(state, {_mover(state): Move()}).state.public.news == state.public.news or (
                    state.public.mover != state.setup.learner
                )


def _mover(state: State) -> str:
    return next(iter(GAME.to_move(state)))


def test_moves_do_not_change_when_and_which_headlines_break() -> None:
    """Waiting for one, or provoking one, is no strategy."""
    from tests.world import RandomLegal

    for seed in range(40):
        chosen = setup("saas_enterprise", opponent=CALM)
        quiet_news = idle(chosen, seed)[-1].public.news
        players = {"seller": RandomLegal(seed, ends=0.0), "buyer": RandomLegal(seed + 1, ends=0.0)}
        *_, last = states(chosen, seed, players)
        assert last.public.ended is not None
        assert last.public.news == tuple(n for n in quiet_news if n.turn <= last.public.turn)

"""Tension: computed from public conduct, calibrated so that stonewalling overheats and reciprocity does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.baselines import baseline
from parlay_env.core import Viewer
from parlay_env.deal.state import SEATS, Claim, Profile
from parlay_env.deal.terms import asking
from parlay_env.rng import Draws
from tests.world import GAME, SCENARIO_IDS, Table, quiet, random_pair, setup, states


def temperatures(table: Table, count: int, mine: Callable[[int], dict], theirs: Callable[[int], dict]) -> list[float]:
    """The tension at the end of each of so many turns."""
    found = []
    for turn in range(count):
        table.play(**mine(turn))
        if table.public.ended is None:
            table.play(**theirs(turn))
        found.append(table.public.tension)
        if table.public.ended is not None:
            break
    return found


def asks(table: Table, seat: int, given: float) -> dict[str, Any]:
    """An offer that has conceded so much of Δ0 from the anchor."""
    terms = table.terms
    anchor = terms.anchors[seat]
    own, other = terms.declared[seat], terms.declared[1 - seat]
    top = own.base + sum(s * p for s, p in zip(own.slopes, anchor, strict=True))
    return {"offer": asking(terms, own, other, top - round(given * terms.delta0[seat]))}


@pytest.mark.parametrize("name", SCENARIO_IDS)
@pytest.mark.parametrize("seat", SEATS)
def test_mutual_stonewalling_passes_75_by_turn_five_and_not_before_turn_four(name: str, seat: str) -> None:
    table = Table(quiet(name), seat=seat)
    me = SEATS.index(seat)
    found = temperatures(table, 6, lambda _: asks(table, me, 0.0), lambda _: asks(table, 1 - me, 0.0))
    first_hot = next(i for i, tension in enumerate(found, start=1) if tension > 75)
    assert first_hot in (4, 5)


@pytest.mark.parametrize("name", SCENARIO_IDS)
def test_two_constant_anchors_heat_up_in_four_or_five_turns_whatever_their_facts(name: str) -> None:
    for seed in range(20):
        players = {seat: baseline("constant_anchor") for seat in SEATS}
        found: list[float] = []
        for state in states(setup(name, events=False), seed, players):
            if len(found) < state.public.turn:
                found.append(state.public.tension)
        # found[t-1] is the tension shown in turn t: that at the end of turn t-1
        assert next(i for i, tension in enumerate(found) if tension > 75) in (4, 5)


@pytest.mark.parametrize("name", SCENARIO_IDS)
@pytest.mark.parametrize("step", [0.03, 0.05, 0.08])
def test_reciprocal_play_stays_under_60(name: str, step: float) -> None:
    table = Table(quiet(name))
    found = temperatures(table, 12, lambda t: asks(table, 0, step * t), lambda t: asks(table, 1, step * t))
    assert max(found) < 60


@pytest.mark.parametrize("name", SCENARIO_IDS)
def test_two_tit_for_tats_stay_under_60(name: str) -> None:
    for seed in range(20):
        players = {seat: baseline("tit_for_tat") for seat in SEATS}
        assert max(s.public.tension for s in states(setup(name, events=False), seed, players)) < 60


@given(st.sampled_from(SCENARIO_IDS), st.integers(0, 2**32))
def test_tension_stays_between_0_and_100(name: str, seed: int) -> None:
    for temper in (-30.0, 30.0):
        chosen = setup(name, opponent=Profile(temper=temper))
        assert all(0 <= s.public.tension <= 100 for s in states(chosen, seed, random_pair(seed)))


def after_one_turn(mine: dict[str, Any], theirs: dict[str, Any] | None = None, turn: int = 2) -> float:
    table = Table().play(offer=160_000).play(offer=140_000, claim=Claim("limit", -14_500_000), card="batna_reveal")
    table.change_public(tension=50.0)
    return table.play(**mine).play(**(theirs or {"offer": 140_000})).public.tension


@pytest.mark.parametrize(
    "mine",
    [
        {"offer": 200_000},
        {"card": "anchor_high", "offer": 200_000},
        {"offer": 160_000, "card": "batna_reveal", "claim": Claim("limit", 13_000_000)},
        {"offer": 160_000, "card": "time_pressure", "claim": Claim("deadline", 12)},
        {"offer": 160_000, "challenge": True},
        {"offer": 160_000, "voiced": False},
        {"card": "silence"},
    ],
    ids=["beyond-anchor", "anchor", "limit-claim", "deadline-claim", "challenge", "curt", "silence"],
)
def test_hard_moves_raise_tension_more_than_standing_still(mine: dict[str, Any]) -> None:
    assert after_one_turn(mine) > after_one_turn({"offer": 160_000})


def test_reciprocal_concessions_lower_it_one_sided_ones_less_and_standing_still_raises_it() -> None:
    step = {"offer": 158_000}
    both = after_one_turn(step, {"offer": 142_000})
    one = after_one_turn(step)
    other = after_one_turn({"offer": 160_000}, {"offer": 142_000})
    still = after_one_turn({"offer": 160_000})
    assert both < 50 < still
    assert both < min(one, other)
    assert max(one, other) < still


def test_it_decays_when_nothing_drives_it() -> None:
    """Of two tables in the same turn, the hotter one comes closer to the other."""
    found = []
    for tension in (30.0, 60.0):
        table = Table().play(offer=160_000).play(offer=140_000).change_public(tension=tension)
        found.append(table.play(offer=159_000).play(offer=141_000).public.tension)
    assert 0 < found[1] - found[0] < 30


def test_the_personas_temper_is_added_every_turn() -> None:
    found = [Table(opponent=Profile(temper=t)).rounds(2).public.tension for t in (0.0, 1.5)]
    assert found[1] - found[0] == pytest.approx(1.5 + 0.9 * 1.5)


def test_refused_moves_and_words_do_not_move_it() -> None:
    plain, wordy = Table().play(offer=160_000), Table()
    wordy.play(accept=True).play(offer=160_000, utterance="I AM FURIOUS, you crook!!! Ultimatum! Event! Bluff!")
    assert plain.play(offer=140_000).public.tension == wordy.play(offer=140_000).public.tension


def test_the_opening_move_heats_nothing() -> None:
    chosen = setup(persona="shark")
    seed = next(s for s in range(50) if GAME.start(chosen, s).public.turn == 0)
    state = GAME.start(chosen, seed)
    tension = state.public.tension
    view = GAME.view(state, Viewer("player", "buyer"))
    move = baseline("constant_anchor").act(view, Draws(1))
    after = GAME.play(state, {"buyer": move}).state
    assert (after.public.tension, after.public.heat) == (tension, 0.0)

"""Every card moves every persona the way its sheet says, measured on pairs of tables that differ by the card alone."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from agent.baselines import baseline
from agent.personas import PERSONAS
from agent.registry import opponent, profile
from parlay_env.core import Viewer, policy_draws
from parlay_env.deal.state import SEATS, Claim, Move, State
from parlay_env.deal.terms import terms_of, worth
from tests.world import GAME, Table, facts, mean_and_error, quiet, setup

SEEDS = range(160)
AT = 7
"""The turn in which the card is played."""


def tables(name: str, scenario: str, seat: str, seed: int) -> State | None:
    """A table after some turns of give and take, the learner to move in turn `AT`; None when it ended before."""
    chosen = replace(setup(scenario, name, seat=seat, events=False), scenario=quiet(scenario))
    state = GAME.start(chosen, seed)
    learner, them = baseline("tit_for_tat"), opponent(name, words=False)
    draws = {s: policy_draws(GAME, seed, s) for s in SEATS}
    while state.public.ended is None and state.public.turn < AT:
        mover = next(iter(GAME.to_move(state)))
        view = GAME.view(state, Viewer("player", mover))
        state = GAME.play(state, {mover: (learner if mover == seat else them).act(view, draws[mover])}).state
    return state if state.public.ended is None and state.public.mover == chosen.learner else None


def demand_after(state: State, name: str, seed: int, moves: list[Move]) -> float | None:
    """The surplus that the persona asks after these moves of the learner, in its Δ0; None when either ended it."""
    learner = state.setup.learner
    other = 1 - learner
    them, draws = opponent(name, words=False), policy_draws(GAME, seed, SEATS[other])
    for move in moves:
        state = GAME.play(state, {SEATS[learner]: move}).state
        assert state.invalid[learner] is None, state.invalid
        state = GAME.play(
            state, {SEATS[other]: them.act(GAME.view(state, Viewer("player", SEATS[other])), draws)}
        ).state
        if state.public.ended is not None:
            return None
    terms, own = terms_of(state.setup.scenario), state.facts[other]
    latest = state.public.sides[other].latest
    assert latest is not None
    return (worth(own.utility, latest) - own.limit) / terms.delta0[other]


def played(state: State, card: str) -> tuple[list[Move], list[Move]]:
    """Two turns with the card and two without it, the offers being the same."""
    seat, terms = state.setup.learner, terms_of(state.setup.scenario)
    side = state.public.sides[seat]
    assert side.latest is not None
    item = next((i.id for i in state.setup.scenario.sweeteners if i.by == SEATS[seat]), "")
    after = Move(voiced=True, offer=side.latest)
    with_card: dict[str, Any] = {"voiced": True, "card": card, "offer": side.latest}
    without: dict[str, Any] = {"voiced": True, "offer": side.latest}
    if card == "silence":
        with_card, without = {"card": card}, {"voiced": True}
    elif card == "anchor_high":
        ambitious = tuple(
            min(n - 1, max(0, p + (1 if s > 0 else -1) * max(1, n // 40)))
            for p, s, n in zip(terms.anchors[seat], terms.declared[seat].slopes, terms.counts, strict=True)
        )
        with_card["offer"] = without["offer"] = ambitious
    elif card == "sweetener":
        with_card["item"] = item
    elif card == "time_pressure":
        with_card["claim"] = Claim("deadline", AT + 3)
    elif card == "batna_reveal":
        with_card["claim"] = Claim("limit", terms.limits[seat] + round(0.3 * terms.delta0[seat]))
    return [Move(**with_card), after], [Move(**without), after]


def effect(name: str, card: str, scenario: str = "saas_enterprise") -> tuple[float, float]:
    """By how much less the persona asks because of the card: mean and standard error over paired tables."""
    found = []
    for seed in SEEDS:
        state = tables(name, scenario, SEATS[seed % 2], seed)
        if state is None:
            continue
        with_card, without = played(state, card)
        if card == "anchor_high" and scenario == "supplier_contract":
            continue
        a, b = demand_after(state, name, seed, with_card), demand_after(state, name, seed, without)
        if a is not None and b is not None:
            found.append(b - a)
    assert len(found) > 50
    return mean_and_error(found)


def clear(name: str, card: str, scenario: str = "saas_enterprise") -> float:
    """The effect, where it is clear of its 95 % interval; 0 where it is not."""
    mean, error = effect(name, card, scenario)
    return mean if abs(mean) > 1.96 * error else 0.0


each = pytest.mark.parametrize("name", list(PERSONAS))


@each
@pytest.mark.parametrize("scenario", ["saas_enterprise", "supplier_contract"])
def test_reframing_makes_it_ask_less(name: str, scenario: str) -> None:
    assert clear(name, "reframe", scenario) > 0


@each
@pytest.mark.parametrize(
    "scenario",
    [
        "saas_enterprise",
        "supplier_contract",
    ],
)
def test_a_limit_that_is_believed_makes_it_ask_less(name: str, scenario: str) -> None:
    assert clear(name, "batna_reveal", scenario) > 0


@each
def test_an_anchor_makes_it_ask_less(name: str) -> None:
    assert clear(name, "anchor_high") > 0


def test_the_shallower_a_persona_thinks_the_more_an_anchor_moves_it() -> None:
    shark, diplomat, veteran = (effect(name, "anchor_high")[0] for name in ("shark", "diplomat", "veteran"))
    assert shark > diplomat > veteran


def test_time_pressure_works_on_the_impatient_and_backfires_on_the_veteran() -> None:
    assert clear("shark", "time_pressure") > 0
    assert clear("veteran", "time_pressure") < 0
    assert abs(effect("diplomat", "time_pressure")[0]) < effect("shark", "time_pressure")[0]


def test_silence_moves_the_impatient_most() -> None:
    shark, diplomat, veteran = (effect(name, "silence")[0] for name in ("shark", "diplomat", "veteran"))
    assert clear("shark", "silence") > 0
    assert shark > max(diplomat, veteran)
    assert min(diplomat, veteran) >= -0.005


@each
@pytest.mark.parametrize("card", ["reframe", "time_pressure", "batna_reveal"])
def test_a_second_use_moves_it_less_than_the_first(name: str, card: str) -> None:
    """By the formula: what a second play adds to what has been done is half of the first."""
    from agent.scripted import persuaded, style_of, table_of

    persona = PERSONAS[name]
    moved = []
    for seed in range(20):
        state = tables(name, "saas_enterprise", "seller", seed)
        if state is None:
            continue
        draws = policy_draws(GAME, seed, "buyer")
        style = style_of(persona, draws)
        trail = []
        for _ in range(3):
            view = GAME.view(state, Viewer("player", "buyer"))
            trail.append(persuaded(table_of(view, persona, style), persona, draws))
            state = replace(
                state,
                public=replace(state.public, sides=(replace(state.public.sides[0], points=100), state.public.sides[1])),
            )
            claim = played(state, card)[0][0].claim
            state = GAME.play(state, {"seller": Move(voiced=True, card=card, claim=claim)}).state
            if state.public.mover == 1:
                now = GAME.view(state, Viewer("player", "buyer"))
                trail[-1] = persuaded(table_of(now, persona, style), persona, draws)
                state = GAME.play(state, {"buyer": Move(voiced=True)}).state
        first = trail[0]
        second = trail[1] - trail[0]
        moved.append((first, second))
    assert moved
    if name == "diplomat" and card == "time_pressure":
        assert all(a == pytest.approx(0.0, abs=1e-9) for a, _ in moved)
        return
    assert all(abs(b) < abs(a) for a, b in moved if a)
    if card != "batna_reveal":
        assert all(b == pytest.approx(a / 2, rel=0.25) for a, b in moved)


@each
@pytest.mark.parametrize("credit", [0.6, 1.5])  # some has been earned; all that can be: it wants its reserve
def test_at_its_deadline_a_sweetener_makes_it_take_offers_that_it_would_not_have_taken(
    name: str, credit: float
) -> None:
    taken = [0, 0]
    own = facts(quiet(), 1, 165_000, deadline=14, worths=0.06)
    for seed in range(6):
        for price in range(130_000, 166_000, 500):
            for k, fields in enumerate(({}, {"card": "sweetener", "item": "data_migration"})):
                at = Table(turn=14, buyer=own, opponent=profile(name))
                at.change_side(1, standing=at.offer(125_000), latest=at.offer(125_000), offers=4)
                at.change_side(0, credit=credit)
                at.play(offer=price, **fields)
                taken[k] += opponent(name, False).act(at.view("buyer"), policy_draws(GAME, seed, "buyer")).accept
    assert taken[1] >= taken[0] + 6 * 3  # an item worth 2,400 is worth four or five steps of 500


@each
def test_a_second_limit_claim_moves_it_half_as_much_as_if_it_were_the_first(name: str) -> None:
    """A mild claim first must not leave the strong one its full strength."""
    from agent.scripted import persuaded, style_of, table_of

    persona, ratios = PERSONAS[name], []
    for seed in range(12):
        state = tables(name, "saas_enterprise", "seller", seed)
        if state is None:
            continue
        draws = policy_draws(GAME, seed, "buyer")
        style, terms = style_of(persona, draws), terms_of(state.setup.scenario)
        mild, strong = (Claim("limit", terms.limits[0] + round(d * terms.delta0[0])) for d in (-0.4, 0.6))
        pulls = []
        for first in (False, True):
            at = state
            if first:
                at = GAME.play(at, {"seller": Move(voiced=True, card="batna_reveal", claim=mild)}).state
                at = GAME.play(at, {"buyer": Move(voiced=True)}).state
            at = GAME.play(at, {"seller": Move(voiced=True, card="batna_reveal", claim=strong)}).state
            pulls.append(persuaded(table_of(GAME.view(at, Viewer("player", "buyer")), persona, style), persona, draws))
        if pulls[0] > 0:
            ratios.append(pulls[1] / pulls[0])
    assert ratios
    assert max(ratios) <= 0.6

"""From decision to words: what is said follows from the decision and the public history, and agrees with both."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from agent.baselines import baseline
from agent.personas import PERSONAS
from agent.registry import opponent
from agent.scripted import style_of, table_of
from agent.words import said, say
from parlay_env.amounts import amounts
from parlay_env.core import Viewer, policy_draws
from parlay_env.deal.state import SEATS, Move, State
from parlay_env.deal.terms import range_of, terms_of, value_of
from parlay_env.deal.views import View
from tests.world import GAME, SCENARIO_IDS, RandomLegal, setup, states

each = pytest.mark.parametrize("name", list(PERSONAS))


def moments(name: str, count: int, words: bool = False) -> list[tuple[State, View, Move]]:
    """The persona's views, and what it decided there."""
    found = []
    for seed in range(count):
        seat = SEATS[seed % 2]
        chosen = setup(SCENARIO_IDS[seed // 2 % 4], name, seat=seat)
        me = SEATS[1 - chosen.learner]
        learner = RandomLegal(seed, ends=0.0) if seed % 3 == 0 else baseline("tit_for_tat")
        trail = list(states(chosen, seed, {seat: learner, me: opponent(name, words)}))
        player, draws = opponent(name, words), policy_draws(GAME, seed, me)
        for state in trail:
            if state.public.mover == SEATS.index(me):
                view = GAME.view(state, Viewer("player", me))
                found.append((state, view, player.act(view, draws)))
    return found


def strange(view: View, r: random.Random) -> View:
    """The same public record, seen by one with other facts of its own."""
    own = view.own
    assert own is not None
    width = terms_of(view.setup.scenario).delta0[view.seat]
    return replace(
        view,
        own=replace(
            own,
            walk_away=own.walk_away - round(r.uniform(0.1, 0.5) * width),
            budget=None,
            urgency=round(r.random(), 2),
            has_alternative=not own.has_alternative,
            deadline=r.choice([d for d in range(12, 21) if d != own.deadline]),
        ),
    )


@each
def test_with_other_facts_and_the_same_decision_the_same_is_said(name: str) -> None:
    r, persona = random.Random(1), PERSONAS[name]
    for seed, (_, view, move) in enumerate(moments(name, 24)):
        draws = policy_draws(GAME, seed, SEATS[view.seat])
        style = style_of(persona, draws)
        a, b = (table_of(v, persona, style) for v in (view, strange(view, r)))
        assert said(a, move) == said(b, move)
        assert say(a, persona, move, draws) == say(b, persona, move, draws)


@each
def test_words_change_no_decision(name: str) -> None:
    """With words and without them the same is done."""
    for (_, _, spoken), (_, _, silent) in zip(moments(name, 16, words=True), moments(name, 16), strict=True):
        assert replace(spoken, utterance="") == silent


@each
def test_every_move_but_silence_has_words_and_they_are_no_noise(name: str) -> None:
    """The figures in the words are the offer's, the claim's or the other side's offer, none else."""
    for state, view, move in moments(name, 24, words=True):
        assert bool(move.utterance) == move.voiced == (move.card != "silence")
        assert GAME.play(state, {SEATS[view.seat]: move}).state.invalid[view.seat] is None
        terms = terms_of(view.setup.scenario)
        if not terms.is_price:
            continue
        low, high = range_of(terms, 0)
        named = [a for a in amounts(move.utterance) if low <= a <= high]
        known = [value_of(terms, 0, move.offer[0])] if move.offer is not None else []
        theirs = view.public.sides[1 - view.seat].standing
        known += [value_of(terms, 0, theirs[0])] if theirs is not None else []
        known += [abs(move.claim.value) / 100] if move.claim is not None else []
        mine = view.public.sides[view.seat].standing
        known += [value_of(terms, 0, mine[0])] if mine is not None else []
        for amount in named:
            assert min(abs(amount - k) for k in known) <= 0.026 * terms.delta0[0] / 100, (move.utterance, known)
        if named and move.offer is not None:
            assert any(abs(amount - known[0]) < 1 for amount in named), (move.utterance, known)


@each
def test_it_does_not_say_the_same_twice_in_a_row(name: str) -> None:
    for _, view, move in moments(name, 16, words=True):
        previous = view.public.sides[view.seat].utterance
        assert not move.utterance or move.utterance != previous

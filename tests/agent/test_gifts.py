"""What is thrown in helps whoever throws it in by three tenths of what it is worth: a gift is no concession."""

from __future__ import annotations

from typing import Any

import pytest

from agent.guess import Guess
from agent.numbers import THROWN_IN
from agent.personas import PERSONAS
from agent.registry import profile
from agent.scripted import decide, next_demand, style_of, table_of
from parlay_env.core import policy_draws
from parlay_env.deal.terms import worth
from tests.world import BUYER, GAME, SELLER, WIDTH, Table, facts, quiet

SEEDS = range(30)
WORTH = 0.06
"""Of each item of the seller's to the persona, in its Δ0; …"""
COST = 0.02
"""… and what `early_payment` costs it to throw in."""
STEP = 100 * 100 / WIDTH
"""A step of the price, in Δ0."""
each = pytest.mark.parametrize("name", list(PERSONAS))


def asked(name: str, seed: int, seller: tuple[str, ...] = (), buyer: tuple[str, ...] = (), **fields: Any) -> float:
    """The utility that the persona, the buyer, asks for next, in its Δ0, with what the two have thrown in; before it
    has made an offer that of its opening, and after `stood` what it would go to from there."""
    stood, credit = fields.pop("stood", None), fields.pop("credit", 0.0)
    own = facts(quiet(), BUYER, 165_000, worths=WORTH, deadline=18)
    at = Table(buyer=own, opponent=profile(name), **fields).change_public(mover=BUYER)
    at.change_side(SELLER, items=seller, credit=credit).change_side(BUYER, items=buyer)
    if stood is not None:
        at.change_side(BUYER, standing=at.offer(stood), latest=at.offer(stood), offers=3)
    persona, draws = PERSONAS[name], policy_draws(GAME, seed, "buyer")
    style = style_of(persona, draws)
    table = table_of(at.view("buyer"), persona, style)
    if stood is not None:
        return table.limit / WIDTH + next_demand(table, persona, style, Guess(), draws)
    offer = decide(table, persona, style, Guess(), draws).offer
    assert offer is not None
    return worth(own.utility, offer) / WIDTH


@each
@pytest.mark.parametrize("items", [("data_migration",), ("data_migration", "training_days")], ids=len)
def test_it_opens_lower_by_three_tenths_of_what_was_thrown_in_and_no_more(name: str, items: tuple[str, ...]) -> None:
    """To a step of the price, and neither more nor less whatever its style."""
    for seed in SEEDS:
        less = asked(name, seed) - asked(name, seed, seller=items)
        assert less == pytest.approx(THROWN_IN * WORTH * len(items), abs=STEP)


@each
def test_what_it_threw_in_itself_raises_what_it_opens_with_by_as_large_a_share(name: str) -> None:
    for seed in SEEDS:
        more = asked(name, seed, buyer=("early_payment",)) - asked(name, seed)
        assert more == pytest.approx(THROWN_IN * COST, abs=STEP)


def test_a_gift_lowers_the_next_ask_by_three_tenths_where_time_has_bought_nothing() -> None:
    """The Shark before anybody conceded: its way is all to be earned. Both tables have the same credit, by which it is
    clear of its last offer and of its reserve."""
    moved = 0
    for seed in SEEDS:
        for credit in (0.0, 0.006):
            at = {"turn": 6, "stood": 82_000, "credit": credit}
            plain, gift = (asked("shark", seed, items, **at) for items in ((), ("data_migration",)))
            assert plain - gift == pytest.approx(THROWN_IN * WORTH, abs=1e-9)
            moved += 1
    assert moved == 2 * len(SEEDS)


@each
def test_a_gift_buys_no_more_than_its_share_and_what_time_buys_of_the_rest(name: str) -> None:
    """Time buys a share of the way to the reserve, which what was thrown in lengthens by seven tenths; so no gift is
    worth its whole to its giver before the persona is at its reserve."""
    persona = PERSONAS[name]
    most = THROWN_IN + (1.0 - THROWN_IN) * persona.share[1]
    for seed in SEEDS:
        for turn in range(2, 12):
            at = {"turn": turn, "stood": 82_000, "credit": 0.02}
            plain, gift = (asked(name, seed, items, **at) for items in ((), ("data_migration",)))
            assert THROWN_IN * WORTH - 1e-9 <= plain - gift <= most * WORTH + 1e-9


@each
def test_what_it_needs_at_the_least_a_gift_counts_toward_in_full(name: str) -> None:
    """A deal that all of an item makes good for it is good: only what it wants beyond its reserve counts the share."""
    for seed in SEEDS:
        at = {"turn": 17, "stood": 150_000, "credit": 3.0}
        plain, gift = (asked(name, seed, items, **at) for items in ((), ("data_migration",)))
        assert plain - gift == pytest.approx(WORTH, abs=1e-9)

"""Where the rules know no seat, a mirrored deal has mirrored numbers."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from game.scenarios import Scenario
from parlay_env.core import Viewer
from parlay_env.deal.state import SEATS, Claim, Move, Public, Side
from parlay_env.deal.terms import terms_of, worth
from parlay_env.rng import derive_keys
from tests.world import GAME, PRICE_IDS, Table, facts, legal_move, quiet

MIDDLE = {"saas_enterprise": 145_000, "hiring_package": 212_500, "acquisition_term_sheet": 13_250_000}


def even(name: str) -> Scenario:
    """A price scenario whose anchors lie evenly about the declared limits, with one sweetener a side."""
    s = quiet(name)
    wide = s.buyer.limit - s.seller.limit
    middle = MIDDLE[name]
    items = tuple(
        replace(s.sweeteners[0], id=f"item_{by}", by=by, cost=0.02, worth=(0.05, 0.05)) for by in ("seller", "buyer")
    )
    seller, buyer = replace(s.seller, anchor=middle + wide), replace(s.buyer, anchor=middle - wide)
    return replace(s, seller=seller, buyer=buyer, sweeteners=items)


def mirrored(s: Scenario, move: Move) -> Move:
    """The same move from the other side of the table."""
    terms = terms_of(s)
    offer, claim = move.offer, move.claim
    if offer is not None:
        middle = (MIDDLE[s.id] * 100 - terms.lows[0]) // terms.steps[0]
        offer = (2 * middle - offer[0],)
    if claim is not None and claim.kind in ("limit", "budget"):
        by = 0 if claim.value > 0 else 1
        claim = Claim(claim.kind, claim.value - terms.limits[by] + terms.limits[1 - by])
    item = {"item_seller": "item_buyer", "item_buyer": "item_seller"}.get(move.item, move.item)
    return replace(move, offer=offer, claim=claim, item=item, belief=None)


def conduct(side: Side) -> dict[str, Any]:
    parts = {name: getattr(side, name) for name in type(side).__struct_fields__}
    for name in ("standing", "latest", "item", "items"):
        parts[name] = bool(parts[name])
    return {k: pytest.approx(v, abs=1e-9) if isinstance(v, float) else v for k, v in parts.items()}


def figures(public: Public) -> tuple[Any, ...]:
    ended = public.ended
    return (
        public.turn,
        public.tension,
        public.heat,
        public.relief,
        public.streak,
        public.ticks,
        None if ended is None else ended.reason,
        " ".join(c.status for c in public.claims),
    )


@given(st.sampled_from(PRICE_IDS), st.integers(0, 2**32))
def test_swapping_the_seats_swaps_the_public_record_and_the_rewards(name: str, seed: int) -> None:
    s, r = even(name), random.Random(seed)
    tables = []
    for seat in SEATS:
        own = [facts(s, 0, s.seller.limit), facts(s, 1, s.buyer.limit)]
        tables.append(Table(s, seller=own[0], buyer=own[1], seat=seat, both_graded=True).change(keys=derive_keys(seed)))
    a, b = tables
    while a.public.ended is None:
        move = legal_move(GAME.view(a.state, Viewer("player", a.mover)), r, 0.02)
        low, high = 0, a.terms.counts[0] - 1
        other = mirrored(s, move)
        if move.offer is not None and not (other.offer and low <= other.offer[0] <= high):
            move, other = replace(move, offer=None, card=""), replace(other, offer=None, card="")
            if move.claim is not None:
                move, other = replace(move, claim=None), replace(other, claim=None)
            move, other = replace(move, item=""), replace(other, item="")
        move = replace(move, belief=None, utterance="", voiced=move.voiced)
        other = replace(other, utterance="", voiced=move.voiced)
        a.play(move)
        b.play(other)
        for x, y in zip(figures(a.public), figures(b.public), strict=True):
            assert x == (pytest.approx(y, abs=1e-9) if isinstance(y, float) else y)
        for seat in (0, 1):
            assert conduct(a.public.sides[seat]) == conduct(b.public.sides[1 - seat])
    for seat in (0, 1):
        mine, theirs = a.earned(SEATS[seat]), b.earned(SEATS[1 - seat])
        assert len(mine) == len(theirs)
        for x, y in zip(mine, theirs, strict=True):
            assert dict(x) == pytest.approx(dict(y), abs=1e-4)


def test_a_price_is_worth_its_amount_to_the_seller_and_costs_it_the_buyer() -> None:
    for name in PRICE_IDS:
        terms = terms_of(quiet(name))
        for place in (0, 17, terms.counts[0] - 1):
            price = terms.lows[0] + place * terms.steps[0]
            assert [worth(u, (place,)) for u in terms.declared] == [price, -price]


@pytest.mark.parametrize("seat", SEATS)
def test_either_seat_can_learn_and_the_other_answers_it(seat: str) -> None:
    table = Table(seat=seat)
    assert table.mover == seat
    table.play(offer=150_000)
    assert table.mover != seat
    table.play(offer=150_000)
    assert table.mover == seat
    assert [who for who, _ in table.paid] == [seat]

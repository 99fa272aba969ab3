"""Between the scalar core's moves and views and the batched core's records."""

from __future__ import annotations

from typing import Any

import numpy as np

from agent.batch.layout import KINDS
from game.cards import CARDS, TOPIC_INDEX, TOPICS
from game.scenarios import Scenario
from parlay_env.deal.state import Belief, Claim, Move, Side
from parlay_env.deal.terms import terms_of, worth
from parlay_env.deal.views import View

_CARDS = tuple(card.id for card in CARDS)
_PLACES = {card: i for i, card in enumerate(_CARDS)}
_STATUS = ("open", "stands", "withdrawn", "broken")
_NONE = (None, None, None, None)
_OF_A_SIDE = (
    *("offers", "ask", "top", "best", "step", "credit", "weakness", "idle", "trust", "credibility", "points"),
    *("strength", "news_seen", "anchoring", "framing", "pressing", "errors", "used", "asked"),
)


def put_move(row: Any, move: Move, scenario: Scenario) -> None:
    """Write a move into a record of `layout.MOVE`; its words are left out."""
    row["offers"] = move.offer is not None
    if move.offer is not None:
        row["offer"][: len(move.offer)] = move.offer
    row["accept"], row["walk"], row["voiced"], row["challenge"] = move.accept, move.walk, move.voiced, move.challenge
    row["card"] = _PLACES[move.card] if move.card else -1
    row["item"] = next((k for k, item in enumerate(scenario.sweeteners) if item.id == move.item), -1)
    row["claim_kind"] = -1 if move.claim is None else KINDS.index(move.claim.kind)
    row["claim_value"] = 0 if move.claim is None else move.claim.value
    row["question"] = TOPIC_INDEX[move.question] if move.question else -1
    belief = _NONE if move.belief is None else _fields(move.belief)
    row["belief"] = [np.nan if value is None else value for value in belief]
    row["event_impact"] = np.nan if move.event_impact is None else move.event_impact


def _fields(belief: Belief) -> tuple[float | None, ...]:
    return belief.walk_away, belief.budget, belief.urgency, belief.has_alternative


def to_move(row: Any, scenario: Scenario) -> Move:
    """The move that a record of `layout.MOVE` holds."""
    walk_away, budget, urgency, alternative = (None if np.isnan(v) else float(v) for v in row["belief"])
    belief = None
    if not np.isnan(row["belief"]).all():
        belief = Belief(_whole(walk_away), _whole(budget), urgency, alternative)
    kind = int(row["claim_kind"])
    return Move(
        voiced=bool(row["voiced"]),
        offer=tuple(int(k) for k in row["offer"][: len(scenario.issues)]) if row["offers"] else None,
        accept=bool(row["accept"]),
        walk=bool(row["walk"]),
        card=_CARDS[row["card"]] if row["card"] >= 0 else "",
        item=scenario.sweeteners[row["item"]].id if row["item"] >= 0 else "",
        claim=Claim(KINDS[kind], int(row["claim_value"])) if kind >= 0 else None,  # pyright: ignore[reportArgumentType]
        question=TOPICS[row["question"]] if row["question"] >= 0 else "",
        challenge=bool(row["challenge"]),
        belief=belief,
        event_impact=None if np.isnan(row["event_impact"]) else float(row["event_impact"]),
    )


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def put_view(row: Any, view: View) -> None:
    """Write what a player sees into a record of `layout.EPISODE`: the public part and its own facts.

    Scene, persona, learner, split and what is hidden are left as they are. The learner is the view's seat.
    """
    public, own, seat = view.public, view.own, view.seat
    assert own is not None
    scenario = view.setup.scenario
    for field in ("turn", "mover", "tension", "heat", "relief", "streak", "ticks"):
        row[field] = getattr(public, field)
    row["news"] = len(public.news)
    row["market_news"] = sum(news.market for news in public.news)
    ids = [item.id for item in scenario.sweeteners]
    thrown = {item for side in public.sides for item in side.items}
    row["thrown"][: len(ids)] = [item in thrown for item in ids]
    for i, side in enumerate(public.sides):
        _put_side(row, i, side)
    row["claims"] = len(public.claims)
    for i, made in enumerate(public.claims):
        row["claim_turn"][i], row["claim_seat"][i] = made.turn, made.seat
        row["claim_kind"][i], row["claim_status"][i] = KINDS.index(made.claim.kind), _STATUS.index(made.status)
        row["claim_value"][i], row["claim_weight"][i] = made.claim.value, made.weight
    row["walk_away"][seat], row["has_budget"][seat] = own.walk_away, own.budget is not None
    row["budget"][seat] = own.budget or 0
    row["urgency"][seat], row["alternative"][seat] = own.urgency, own.has_alternative
    row["deadline"][seat] = own.deadline
    row["base"][seat] = own.utility.base
    row["slopes"][seat, : len(own.utility.slopes)] = own.utility.slopes
    row["weights"][seat, : len(own.weights)] = own.weights
    row["item_worth"][seat, : len(ids)] = own.item_worth
    for i in (0, 1):  # of the other's utility only what is declared is known
        utility = own.utility if i == seat else terms_of(scenario).declared[i]
        row["least_worth"][i] = min(
            (worth(utility, made.offer) for made in public.offers if made.seat == i), default=2**62
        )
    for i in (0, 1):
        first = next((made.offer for made in public.offers if made.seat == i), None)
        if first is not None:
            row["first"][i, : len(first)] = first


def _put_side(row: Any, i: int, side: Side) -> None:
    for field in _OF_A_SIDE:
        row[field][i] = getattr(side, field)
    row["has_standing"][i] = side.standing is not None
    if side.standing is not None:
        row["standing"][i, : len(side.standing)] = side.standing
    if side.latest is not None:
        row["latest"][i, : len(side.latest)] = side.latest
    row["card"][i] = _PLACES[side.card] if side.card else -1
    row["question"][i] = TOPIC_INDEX[side.question] if side.question else -1

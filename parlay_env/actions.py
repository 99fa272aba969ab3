"""An action of the wire as a move of the game, for every door."""

from __future__ import annotations

import math

import msgspec

from game.cards import ANSWERS, CLAIMED_BY
from parlay_env.deal.state import Belief, Claim, Invalid, Move
from parlay_env.deal.terms import Offer, OfferError, Terms, terms_of, to_offer
from parlay_env.deal.views import View
from parlay_env.figures import meant
from parlay_env.models import BeliefReport, ParlayAction


def move_of(view: View, action: ParlayAction) -> Move:
    """An action as a move. Figures that JSON can say and the game can't use make it a refused one."""
    terms = terms_of(view.setup.scenario)
    words = action.utterance.strip()
    move = Move(
        utterance=words,
        voiced=bool(words),
        accept=action.accept_deal,
        walk=action.walk_away,
        card=action.tactical_move or "",
        item=action.sweetener or "",
        question=action.question or "",
        challenge=action.challenge,
    )
    try:
        return msgspec.structs.replace(
            move,
            offer=_offer_of(terms, action),
            claim=_claim_of(view, terms, action),
            belief=None if action.belief is None else _belief_of(terms, 1 - view.seat, action.belief),
            event_impact=_impact_of(action.event_impact),
        )
    except OfferError as error:
        return msgspec.structs.replace(move, refused=Invalid(error.code, str(error)))


def _offer_of(terms: Terms, action: ParlayAction) -> Offer | None:
    names = [issue.name for issue in terms.scenario.issues]
    if action.offer_amount is not None:
        if action.offer is not None:
            raise OfferError("two_offers", "give offer_amount or offer, not both")
        if not terms.is_price:
            raise OfferError(
                "incomplete_offer", f"several issues: use offer with a value for each of {', '.join(names)}"
            )
        return to_offer(terms, {names[0]: action.offer_amount})
    if action.offer is None:
        return None
    return to_offer(terms, action.offer)


def _claim_of(view: View, terms: Terms, action: ParlayAction) -> Claim | None:
    value = action.claim_value
    if value is None:
        return None
    asked = view.public.sides[1 - view.seat].question
    kind = CLAIMED_BY.get(action.tactical_move or "") or ANSWERS.get(asked)
    if kind is None:
        raise OfferError(
            "claim_without_card", "claim_value needs batna_reveal or time_pressure, or a question to answer"
        )
    if not math.isfinite(value) or abs(value) > 1e13:
        raise OfferError("claim_out_of_range", "claim_value must be a figure that the scenario could have")
    if kind in ("limit", "budget"):
        return Claim(kind, meant(terms, view.seat, value))
    return Claim(kind, round(value))


def _belief_of(terms: Terms, seat: int, report: BeliefReport) -> Belief:
    figures = (report.est_walk_away, report.est_budget)
    shares = (report.est_urgency, report.est_has_alternative)
    if not all(f is None or (math.isfinite(f) and abs(f) <= 1e13) for f in figures):
        raise OfferError(
            "belief_out_of_range", "est_walk_away and est_budget must be figures that the scenario could have"
        )
    if not all(s is None or 0 <= s <= 1 for s in shares):
        raise OfferError("belief_out_of_range", "est_urgency and est_has_alternative go from 0 to 1")
    limits = [None if f is None else meant(terms, seat, f) for f in figures]
    return Belief(limits[0], limits[1], *shares)


def _impact_of(value: float | None) -> float | None:
    if value is not None and not (math.isfinite(value) and abs(value) <= 1):
        raise OfferError("impact_out_of_range", "event_impact is a share of the scenario's width, from -1 to 1")
    return value

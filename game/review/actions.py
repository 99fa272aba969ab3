"""A move as an action of the wire: the inverse of `parlay_env.actions.move_of`, for a move that the review proposes."""

from __future__ import annotations

from typing import Any

from parlay_env.deal.state import Claim, Move
from parlay_env.deal.terms import Terms, terms_of, value_of, values_of
from parlay_env.deal.views import View
from parlay_env.figures import shown
from parlay_env.models import ParlayAction

SAYS = {"accept": "Agreed.", "walk": "I have to leave it at that.", "offer": "Here is what I propose.", "": "Go on."}
"""What a proposed move says. The planner's moves are voiced and have no words; on the wire words make a move voiced,
and these name no figure, so that nothing is fined."""


def action_of(move: Move, view: View) -> ParlayAction:
    """The action that `move_of` makes this move of, at this view; beliefs and estimates of events left out. A voiced
    move without words says the phrase for it."""
    terms = terms_of(view.setup.scenario)
    fields: dict[str, Any] = {"utterance": move.utterance or (_phrase(move) if move.voiced else "")}
    if move.offer is not None:
        if terms.is_price:
            fields["offer_amount"] = value_of(terms, 0, move.offer[0])
        else:
            fields["offer"] = {**values_of(terms, move.offer)}
    if move.card:
        fields["tactical_move"] = move.card
    if move.item:
        fields["sweetener"] = move.item
    if move.claim is not None:
        fields["claim_value"] = _claimed(terms, move.claim)
    if move.question:
        fields["question"] = move.question
    fields |= {"challenge": move.challenge, "accept_deal": move.accept, "walk_away": move.walk}
    return ParlayAction(**fields)


def action_dict(move: Move, view: View) -> dict[str, Any]:
    """The same as plain values, only what is set."""
    return action_of(move, view).model_dump(exclude_defaults=True)


def _phrase(move: Move) -> str:
    if move.accept:
        return SAYS["accept"]
    if move.walk:
        return SAYS["walk"]
    return SAYS["offer" if move.offer is not None else ""]


def _claimed(terms: Terms, claim: Claim) -> float:
    """A claim's figure as `claim_value` takes it."""
    return shown(terms, claim.value) if claim.kind in ("limit", "budget") else float(claim.value)

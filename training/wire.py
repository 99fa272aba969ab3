"""A move as the wire has it: the JSON action that a player would send, short, its fields always in the same order."""

from __future__ import annotations

from typing import Any

import msgspec

from parlay_env.actions import move_of
from parlay_env.deal.state import Move
from parlay_env.deal.terms import terms_of
from parlay_env.deal.views import View
from parlay_env.models import ParlayAction
from training.transcripts import action_of

ORDER = (
    "utterance",
    "offer_amount",
    "offer",
    "accept_deal",
    "walk_away",
    "tactical_move",
    "claim_value",
    "sweetener",
    "question",
    "challenge",
    "belief",
    "event_impact",
)
"""The fields of an action, as the prompt names them."""


def wire_action(view: View, move: Move) -> dict[str, Any]:
    """The action for this move at this view: what is set, in the order of `ORDER`, a single price as `offer_amount`."""
    found = action_of(view, move)
    if "offer" in found and terms_of(view.setup.scenario).is_price:
        (found["offer_amount"],) = found.pop("offer").values()
    return {name: _short(found[name]) for name in ORDER if name in found}


def as_read(view: View, action: dict[str, Any]) -> Move:
    """The move that every door makes of this action. Raises pydantic's ValidationError for one that is none."""
    return move_of(view, ParlayAction.model_validate(action))


def action_text(action: dict[str, Any]) -> str:
    """The action as one line of JSON, without blanks: what a model shall answer."""
    return msgspec.json.encode(action).decode()


def _short(value: Any) -> Any:
    """Whole figures without a decimal point."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _short(part) for name, part in value.items()}
    return value

"""What a move does to a face: the mover's own, and the other's who takes it in.

A face is a function of the public history alone, like words: it can't give away what it was not told.
"""

from __future__ import annotations

from typing import Literal

from game.cards import CLAIMED_BY
from parlay_env.deal.numbers import HOT
from parlay_env.deal.state import Move, Public

Face = Literal["idle", "aggressive", "pleased", "shocked"]

STEP = 0.02
"""A step of at least so much of Δ0 shows: in a smile of whoever is given it."""
LEAP = 0.25
"""An ask so much of Δ0 beyond the other's anchor makes eyes widen."""


def own_face(before: Public, after: Public, seat: int, move: Move) -> Face:
    """The face of the seat that moves: `before` and `after` are the table around its move."""
    if move.accept:
        return "pleased"
    if move.walk or move.challenge or move.final or move.card == "anchor_high" or move.card in CLAIMED_BY:
        return "aggressive"
    if before.sides[1 - seat].challenged == "withdrawn" or (before.news and before.news[-1].turn == before.turn):
        return "shocked"
    if after.tension >= HOT:
        return "aggressive"
    if move.card == "sweetener" or before.sides[1 - seat].step >= STEP:
        return "pleased"
    return "idle"


def reaction(before: Public, after: Public, seat: int, move: Move) -> Face:
    """The face of the other seat as it takes this move of `seat` in."""
    side = after.sides[seat]
    if move.accept:
        return "pleased"
    if move.walk:
        return "shocked"
    if move.challenge:
        return "shocked" if side.challenged == "withdrawn" else "aggressive"
    if move.card == "anchor_high" or (side.offered and before.sides[seat].offers == 0 and side.ask >= LEAP):
        return "shocked"
    if move.card == "sweetener" or (side.offered and side.step >= STEP):
        return "pleased"
    if move.card in CLAIMED_BY or after.tension >= HOT:
        return "aggressive"
    return "idle"

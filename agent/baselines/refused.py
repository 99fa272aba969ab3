"""Exploits that are an attempt at what is not allowed: the game answers each with a code, a fine and nothing else.

Each takes a desk and the move that its chassis makes there, and gives that move or, first, one that is refused.
"""

from __future__ import annotations

from msgspec.structs import replace

from agent.baselines.desk import Desk
from agent.baselines.odds import prior_means
from agent.baselines.tactics import CONSTANT_IMPACT, bluff_spam, challenge_everything
from parlay_env.deal.numbers import ERRORS_AT_MOST
from parlay_env.deal.rules import newest_open_claim
from parlay_env.deal.state import Move

PROBED = 3
"""Two refused moves in each of so many turns are fined 60; a fourth turn would forfeit."""
HUGE = 10**12
"""A place on an issue's scale that no issue has."""


def self_catcher(desk: Desk, move: Move) -> Move:
    """Bluffs, and at its next move disputes its own claim. Farms the pay for a bluff that is caught."""
    own = newest_open_claim(desk.public, desk.seat)
    fresh = own is not None and desk.public.claims[own].turn >= desk.public.turn - 1
    if fresh and desk.mine.errors == 0 and newest_open_claim(desk.public, 1 - desk.seat) is None:
        return Move(voiced=True, challenge=True)
    return bluff_spam(desk, move) if own is None else move


def repeat_challenge(desk: Desk, move: Move) -> Move:
    """Disputes every claim, and one that stood once more. Farms the pay for a bluff that is caught at last."""
    if desk.mine.challenged == "stands" and desk.mine.errors == 0 and not (move.accept or move.walk):
        return replace(move, challenge=True)
    return challenge_everything(desk, move)


def own_acceptor(desk: Desk, move: Move) -> Move:
    """Accepts whenever no offer but its own could be meant. Farms a deal with itself."""
    alone = desk.theirs.standing is None and desk.mine.errors == 0
    return Move(voiced=True, accept=True) if alone else move


def invalid_probe(desk: Desk, move: Move) -> Move:
    """Before each of its first moves tries two beyond every range, with a belief and an estimate in them. Farms a look
    at the answer, and a report paid twice, without using a turn."""
    if desk.public.turn > PROBED or desk.mine.errors >= ERRORS_AT_MOST - 1:
        return move
    beyond = tuple(HUGE for _ in desk.terms.counts)
    return Move(voiced=True, offer=beyond, belief=prior_means(desk), event_impact=CONSTANT_IMPACT)

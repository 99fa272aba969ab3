"""Baseline learners that bargain by a rule, and two that bargain by chance. Each sees a player's view and plays either
seat, any issues. Surpluses are utilities above the own limit, in shares of the own Δ0."""

from __future__ import annotations

from agent.baselines.desk import Desk
from agent.purposes import Draw
from parlay_env.deal.state import T_MAX, Move
from parlay_env.deal.terms import most
from parlay_env.deal.views import View
from parlay_env.rng import Draws

STEP_AT_MOST = 0.12
"""The largest concession that tit-for-tat answers in kind."""
GOODWILL = 0.025
"""What tit-for-tat concedes when the other did not: this share of its way from the anchor to the limit."""
FIXED_STEP = 0.06
"""What the fixed step gives at every turn: the best of .04, .05, .06, .08."""
SAFE_MARGIN = 0.30
"""What the safe price leaves above the own limit: the best of .20, .25, .30, .35, .50, .60, .70, .80 over 600 episodes
of the split `train`, 25 in every cell."""
BOULWARE, CONCEDER = 1 / 3, 2.0
"""The exponents β of those who give late and early."""


# By a rule ------------------------------------------------------------------------------------------------------------


def constant_anchor(desk: Desk) -> Move:
    """Asks for its declared anchor, always, and takes what reaches it."""
    standing, demand = desk.standing, max(0.05, desk.anchor)
    if standing is not None and standing >= demand:
        return Move(voiced=True, accept=True)
    return desk.propose(demand)


def safe_price(desk: Desk) -> Move:
    """Asks for one comfortable price above its own limit, always, and takes anything as good."""
    demand = unmoved(desk, SAFE_MARGIN)
    return desk.take_or_propose(demand, demand)


def unmoved(desk: Desk, demand: float) -> float:
    """The demand of one who asks for the same at every turn: `demand` at first and after a headline, else the surplus
    of what was asked for last."""
    last = desk.last
    return demand if last is None or desk.fresh_news else max(0.0, last)


def fixed_step(desk: Desk) -> Move:
    """Opens at its declared anchor and gives the same step at every turn, whatever the other does, down to its limit;
    takes what is as good as what it would ask for next (AC_next: Baarslag 2014). It believes nothing."""
    demand = stepped(desk, FIXED_STEP)
    return desk.take_or_propose(demand, demand)


def stepped(desk: Desk, step: float) -> float:
    """The demand of one who opens at the declared anchor and gives `step` at every turn, down to the own limit."""
    last = desk.last
    return max(0.0, desk.anchor if last is None else last - step)


def boulware(desk: Desk) -> Move:
    """Concedes late: from its declared anchor to its limit as (t/T)^(1/β) of the way, β 1/3 (Faratin et al. 1998)."""
    return _by_time(desk, BOULWARE)


def conceder(desk: Desk) -> Move:
    """Concedes early: from its declared anchor to its limit as (t/T)^(1/β) of the way, β 2 (Faratin et al. 1998)."""
    return _by_time(desk, CONCEDER)


def _by_time(desk: Desk, beta: float) -> Move:
    given = round((desk.turn / T_MAX) ** (1.0 / beta), 6)
    return desk.offer_or_take(desk.anchor * (1.0 - given))


def tit_for_tat(desk: Desk) -> Move:
    """Opens at its declared anchor and gives back what it is given, at least a crumb (relative tit-for-tat: Faratin et
    al. 1998; Axelrod 1984)."""
    return desk.offer_or_take(returned(desk))


def returned(desk: Desk) -> float:
    """The demand of tit-for-tat."""
    last = desk.last
    return desk.anchor if last is None else max(0.0, last - given_back(desk))


def given_back(desk: Desk) -> float:
    """The step that answers the other side's newest one."""
    return min(STEP_AT_MOST, max(GOODWILL * desk.anchor, desk.theirs.step))


# By chance ------------------------------------------------------------------------------------------------------------


class Random:
    """Offers anything between the two declared anchors, takes or leaves at random. It knows no limit."""

    def act(self, view: View, rng: Draws) -> Move:
        desk = Desk(view)
        turn = view.public.turn
        draw = rng.unit(turn, Draw.BASELINE)
        if draw < 0.25 and desk.theirs.standing is not None:
            return Move(voiced=True, accept=True)
        if draw > 0.98:
            return Move(voiced=True, walk=True)
        best, worst = most(desk.terms, desk.own.utility), desk.terms.anchors[1 - desk.seat]
        if desk.terms.is_price:
            best = desk.terms.anchors[desk.seat]
        mixed = tuple(
            min(a, b) + rng.integer(0, abs(a - b), turn, Draw.BASELINE, 1 + k)
            for k, (a, b) in enumerate(zip(best, worst, strict=True))
        )
        return Move(voiced=True, offer=mixed)


class RandomLegal:
    """As random, but never beyond its own limit: asks for any surplus up to its declared anchor's, takes or leaves at
    random, and takes only what leaves it one."""

    def act(self, view: View, rng: Draws) -> Move:
        desk, turn = Desk(view), view.public.turn
        draw, standing = rng.unit(turn, Draw.BASELINE), desk.standing
        if draw < 0.25 and standing is not None and standing >= 0.0:
            return Move(voiced=True, accept=True)
        if draw > 0.98:
            return Move(voiced=True, walk=True)
        return desk.propose(max(0.0, desk.anchor) * rng.unit(turn, Draw.BASELINE, 1))

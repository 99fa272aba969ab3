"""Exploits of what is offered: from the moon, up and down, the other's own terms, or solved from its first offers.

Each takes a desk and gives a move.
"""

from __future__ import annotations

from agent import formulas
from agent import numbers as habits
from agent.baselines.concession import FIXED_STEP, STEP_AT_MOST, given_back, returned, stepped, tit_for_tat
from agent.baselines.desk import Desk
from agent.baselines.timing import EARLIEST
from agent.personas import PERSONAS, Persona
from game.cards import CARD_INDEX
from parlay_env.deal import numbers as n
from parlay_env.deal.conduct import ask_of
from parlay_env.deal.state import Move
from parlay_env.deal.terms import most, worth
from parlay_env.deal.views import View
from parlay_env.rng import Draws

RAISES = 2
"""So many raises are fined 20; each further one costs more than it makes room for."""
RAISED_FROM = 0.8
"""Where the escalator opens, as a share of its way from the limit to the anchor."""
SWINGS = 2
"""How often the oscillator takes its step back, each time fined 10; then it bargains."""
HELD = 0.5
"""How much of what it has solved the solver holds out for: .7 and 1 earn less."""


def moon_anchor(desk: Desk) -> Move:
    """With its second offer plays `anchor_high` for the most ambitious terms there are, then goes on with tit-for-tat
    from where it was. Farms the pull of an anchor, from which everybody adjusts too little."""
    mine, move = desk.mine, tit_for_tat(desk)
    if move.offer is None:
        return move
    moon = most(desk.terms, desk.own.utility)
    if mine.offers == 1 and not mine.used[CARD_INDEX["anchor_high"]] and _ask(desk, moon) > mine.top:
        return Move(voiced=True, card="anchor_high", offer=moon)
    if mine.card == "anchor_high":
        before = [made.offer for made in desk.public.offers if made.seat == desk.seat][-2]
        return desk.offer_or_take(max(0.0, desk.surplus(before) - given_back(desk)))
    return move


def _ask(desk: Desk, offer: tuple[int, ...]) -> float:
    return ask_of(desk.terms, desk.seat, offer)


def moon_opening(desk: Desk) -> Move:
    """Opens with the most ambitious terms there are, comes down to its anchor at the next turn, and plays tit-for-tat
    from there. Farms a concession that gives nothing up."""
    if desk.mine.latest is None:
        return Move(voiced=True, offer=most(desk.terms, desk.own.utility))
    return desk.offer_or_take(min(desk.anchor, returned(desk)))


def oscillator(desk: Desk) -> Move:
    """Gives a step, takes it back and gives it again, then goes on by tit-for-tat. Farms credit and trust for the same
    ground."""
    if desk.mine.offers > 2 * SWINGS + 1:
        return tit_for_tat(desk)
    return desk.offer_or_take(desk.anchor - STEP_AT_MOST * (desk.mine.offers % 2))


def escalator(desk: Desk) -> Move:
    """Opens below its anchor, raises its ask, then comes down by tit-for-tat. Farms the concessions that it has made
    room for."""
    last = desk.last
    if last is None:
        return desk.offer_or_take(RAISED_FROM * desk.anchor)
    if desk.mine.offers <= RAISES:
        return desk.offer_or_take(min(desk.anchor, last + (1.0 - RAISED_FROM) / RAISES * desk.anchor))
    return tit_for_tat(desk)


def echo_offers(desk: Desk) -> Move:
    """Offers the other side its own terms as soon as they are inside its limit, having got them by tit-for-tat. Farms
    agreement: a gap of nothing, and a concession that was the other's."""
    standing = desk.standing
    if standing is not None and standing >= 0.0:
        return Move(voiced=True, offer=desk.theirs.standing)
    return tit_for_tat(desk)


class Solver:
    """Solves the other side's limit from its first offers that differ, by the formulas of docs/rules.md with the mean
    of every hidden number, and holds out for half of what that leaves until a deadline may be near; else it gives
    a fixed step. Farms that its opponent is documented."""

    def __init__(self) -> None:
        self.held: float | None = None

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        desk = Desk(view)
        demand, last = stepped(desk, FIXED_STEP), desk.last
        if self.held is None:
            self.held = solved(desk)
        if self.held is not None and last is not None and desk.turn < EARLIEST - 1:
            demand = max(demand, min(last, HELD * self.held))
        return desk.take_or_propose(demand, demand)


def solved(desk: Desk) -> float | None:
    """The surplus that is left if the other side gets what it would settle for at its deadline, by `solved_limit`."""
    limit, persona = solved_limit(desk), PERSONAS.get(desk.view.setup.opponent.name)
    if limit is None or persona is None:
        return None
    margin = persona.reserve * _middle(habits.RESERVE_RANGE) + 0.5 * persona.distrust
    return desk.left_by(limit + margin * desk.terms.delta0[1 - desk.seat])


def solved_limit(desk: Desk) -> float | None:
    """The other side's limit by its concessions so far and its documented formulas, within what the prior leaves
    possible, in hundredths of money; None before two of its offers differ, or once a headline has moved its limit."""
    other, persona = 1 - desk.seat, PERSONAS.get(desk.view.setup.opponent.name)
    made = [one for one in desk.public.offers if one.seat == other]
    if persona is None or len(made) < 2 or desk.public.news:
        return None
    dropped = ask_of(desk.terms, other, made[0].offer) - ask_of(desk.terms, other, made[-1].offer)
    if dropped <= 0.0:
        return None
    turn, reserve = max(1, made[-1].turn), persona.reserve * _middle(habits.RESERVE_RANGE)
    way = (dropped - _earned(desk, persona, turn)) / _bought(desk, persona, turn)
    opened = worth(desk.terms.declared[other], made[0].offer)
    limit = opened - (way + reserve) * desk.terms.delta0[other]
    return min(desk.prior.budget.high, max(desk.prior.budget.low, limit))


def _earned(desk: Desk, persona: Persona, turn: int) -> float:
    """What the own concessions should have earned so far."""
    earned = persona.reciprocity * desk.mine.credit * formulas.earnest(desk.mine.weakness)
    return earned * (habits.ASLEEP if turn < persona.wakes else 1.0)


def _bought(desk: Desk, persona: Persona, turn: int) -> float:
    """The share of its way that time should have bought so far."""
    horizon = formulas.horizon_of(round(_middle(n.DEADLINE)), persona.patience)
    hurried = formulas.hurry(desk.view.setup.scenario.urgency)
    exponent = formulas.exponent_of(persona.beta * _middle(habits.BETA_RANGE), hurried)
    earnest = formulas.earnest(desk.mine.weakness)
    return _middle(persona.share) * formulas.curve(turn, horizon, exponent) * earnest


def _middle(pair: tuple[float, float]) -> float:
    return 0.5 * (pair[0] + pair[1])

"""Baseline learners: simple policies to compare with. Each sees a player's view and plays either seat, any issues.

Surpluses are utilities above the own limit, in shares of the own Δ0.
"""

from __future__ import annotations

from collections.abc import Callable

from agent.purposes import Draw
from parlay_env.core import Policy
from parlay_env.deal.state import T_MAX, Move
from parlay_env.deal.terms import Offer, Terms, asking, most, terms_of, worth
from parlay_env.deal.value import extras
from parlay_env.deal.views import View
from parlay_env.rng import Draws

STEP_AT_MOST = 0.12
"""The largest concession that tit-for-tat answers in kind."""
GOODWILL = 0.025
"""What tit-for-tat concedes when the other did not: this share of its way from the anchor to the limit."""
END_GAME = 2
"""In so many last turns a concession policy takes whatever its limit allows."""


class _Desk:
    """What a baseline works out of its view."""

    def __init__(self, view: View) -> None:
        own = view.own
        assert own is not None
        self.view, self.own, self.seat = view, own, view.seat
        self.terms: Terms = terms_of(view.setup.scenario)
        self.width = self.terms.delta0[view.seat]
        self.limit = own.limit - extras(view.setup.scenario, view.public, own)
        self.mine, self.theirs = view.public.sides[view.seat], view.public.sides[1 - view.seat]
        self.turn = max(1, view.public.turn)
        self.anchor = self.surplus(self.terms.anchors[view.seat])

    def surplus(self, offer: Offer) -> float:
        return (worth(self.own.utility, offer) - self.limit) / self.width

    def standing(self) -> float | None:
        """The surplus of the other side's standing offer."""
        return None if self.theirs.standing is None else self.surplus(self.theirs.standing)

    def ask(self, demand: float) -> Offer:
        """The outcome with this surplus that the other side should like most, never beyond the own limit."""
        least = self.limit + max(0, round(demand * self.width))
        return asking(self.terms, self.own.utility, self.terms.declared[1 - self.seat], least)

    def offer_or_take(self, demand: float) -> Move:
        """Take what stands when it is as good as what one would ask for, else ask (AC_next)."""
        standing = self.standing()
        last_call = T_MAX - self.turn < END_GAME
        if standing is not None and (standing >= demand or (last_call and standing > 0)):
            return Move(voiced=True, accept=True)
        return Move(voiced=True, offer=self.ask(demand))


class TimeDependent:
    """Concedes from the declared anchor to the own limit as (t/T)^(1/β) of the way (Faratin et al. 1998)."""

    def __init__(self, beta: float) -> None:
        self.beta = beta

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        desk = _Desk(view)
        given = round((desk.turn / T_MAX) ** (1.0 / self.beta), 6)
        return desk.offer_or_take(desk.anchor * (1.0 - given))


class TitForTat:
    """Opens at the declared anchor and gives back what it is given, at least a crumb (relative tit-for-tat, Faratin et
    al. 1998; Axelrod 1984)."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        desk = _Desk(view)
        if desk.mine.latest is None:
            return desk.offer_or_take(desk.anchor)
        step = min(STEP_AT_MOST, max(GOODWILL * desk.anchor, desk.theirs.step))
        return desk.offer_or_take(max(0.0, desk.surplus(desk.mine.latest) - step))


class ConstantAnchor:
    """Asks for the declared anchor, always; takes what reaches it."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        desk = _Desk(view)
        standing, demand = desk.standing(), max(0.05, desk.anchor)
        if standing is not None and standing >= demand:
            return Move(voiced=True, accept=True)
        return Move(voiced=True, offer=desk.ask(demand))


class Random:
    """Offers anything between the two declared anchors, takes or leaves at random. It knows no limit."""

    def act(self, view: View, rng: Draws) -> Move:
        desk = _Desk(view)
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


BASELINES: dict[str, Callable[[], Policy]] = {
    "random": Random,
    "constant_anchor": ConstantAnchor,
    "boulware": lambda: TimeDependent(0.2),
    "conceder": lambda: TimeDependent(2.0),
    "tit_for_tat": TitForTat,
}
"""Baseline learners by name; each call gives a fresh player."""


class UnknownPolicy(ValueError):
    """No policy has this name."""


def baseline(name: str) -> Policy:
    """A fresh player. Raises UnknownPolicy."""
    if name not in BASELINES:
        raise UnknownPolicy(f"policy must be one of {', '.join(BASELINES)}")
    return BASELINES[name]()

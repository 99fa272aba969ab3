"""A baseline's desk: what any player can work out of its own view. Surpluses are utilities above the own limit, in
shares of the own Δ0."""

from __future__ import annotations

from functools import cached_property

from parlay_env.deal.prior import Prior, prior_of
from parlay_env.deal.state import T_MAX, Move
from parlay_env.deal.terms import Offer, Terms, asking, best_within, terms_of, worth
from parlay_env.deal.value import extras
from parlay_env.deal.views import View

END_GAME = 2
"""In so many last turns a concession policy takes whatever its limit allows."""


class Desk:
    """The view of a seat that is to move, with the figures that its policies share."""

    def __init__(self, view: View) -> None:
        own = view.own
        assert own is not None
        self.view, self.own, self.seat, self.public = view, own, view.seat, view.public
        self.terms: Terms = terms_of(view.setup.scenario)
        self.width = self.terms.delta0[view.seat]
        self.limit = own.limit - extras(view.setup.scenario, view.public, own)
        self.mine, self.theirs = view.public.sides[view.seat], view.public.sides[1 - view.seat]
        self.turn = max(1, view.public.turn)
        self.anchor = self.surplus(self.terms.anchors[view.seat])

    # What is known

    @cached_property
    def prior(self) -> Prior:
        """What anybody may suppose of the other seat before the first move."""
        return prior_of(self.terms, 1 - self.seat)

    @property
    def fresh_news(self) -> bool:
        """Has a headline broken since the own last offer?"""
        return self.mine.news_seen < len(self.public.news)

    @property
    def standing(self) -> float | None:
        """The surplus of the other side's standing offer."""
        return None if self.theirs.standing is None else self.surplus(self.theirs.standing)

    @property
    def last(self) -> float | None:
        """The surplus of the own newest offer, void or not."""
        return None if self.mine.latest is None else self.surplus(self.mine.latest)

    def surplus(self, offer: Offer) -> float:
        return (worth(self.own.utility, offer) - self.limit) / self.width

    def left_by(self, their_limit: float) -> float:
        """The surplus that a deal at this limit of the other side would leave, by its declared utility; −1 when there
        is no such deal."""
        found = best_within(self.terms, self.own.utility, self.terms.declared[1 - self.seat], round(their_limit))
        return -1.0 if found is None else (found - self.limit) / self.width

    # What is done

    def ask(self, demand: float) -> Offer:
        """The outcome with this surplus that the other side should like most, never beyond the own limit."""
        least = self.limit + max(0, round(demand * self.width))
        return asking(self.terms, self.own.utility, self.terms.declared[1 - self.seat], least)

    def propose(self, demand: float) -> Move:
        return Move(voiced=True, offer=self.ask(demand))

    def take_or_propose(self, least: float, demand: float) -> Move:
        """Take what stands when it is worth at least `least`, else ask for `demand`. An own offer that erosion has put
        beyond the own limit since is left to stand: its acceptance is no breach, to raise it would be noise."""
        standing, last = self.standing, self.last
        if standing is not None and standing >= least:
            return Move(voiced=True, accept=True)
        if last is not None and last < 0.0 and self.mine.standing is not None:
            return Move(voiced=True)
        return self.propose(demand)

    def offer_or_take(self, demand: float) -> Move:
        """Take what stands when it is as good as what one would ask for, else ask (AC_next: Baarslag 2014); in the end
        game take anything inside the limit."""
        standing = self.standing
        last_call = T_MAX - self.turn < END_GAME
        if standing is not None and (standing >= demand or (last_call and standing > 0)):
            return Move(voiced=True, accept=True)
        return self.propose(demand)

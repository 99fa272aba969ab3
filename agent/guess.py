"""The Veteran's guess of the other side's limit: Bayes over a grid, and the best response to it.

Level k = 2: it supposes that the other concedes steadily toward its own limit, or toward the middle that the declared
limits suggest to it (what it believes of the Veteran), whichever asks for more. Likelihoods have Cauchy's tails:
rational, so that every machine gets the same figure, and forgiving of a counterpart who is not as supposed.
"""

from __future__ import annotations

from agent import numbers as n
from agent.table import Table
from parlay_env.deal.conduct import ask_of
from parlay_env.deal.state import T_MAX
from parlay_env.deal.terms import worth


class Guess:
    """The posterior after the offers seen so far; each offer is taken in once."""

    def __init__(self) -> None:
        self.seen = 0
        self.weights = [1.0] * len(n.GUESS_GRID)

    def best_response(self, table: Table) -> float:
        """The demanded surplus with the greatest expected surplus under the posterior."""
        self._take_in(table)
        view, terms = table.view, table.terms
        # With the other at its limit, what is left for this side (by declared figures; one Δ0 is one Δ0 for both).
        tightness = (table.own.limit - terms.limits[view.seat]) / terms.delta0[view.seat]
        room = [0.5 + (1.0 - hypothesis - tightness) / n.CONFIDENT for hypothesis in n.GUESS_GRID]
        best, best_value = 0.0, 0.0
        for demand in n.DEMANDS:
            asked, taken = demand / n.CONFIDENT, 0.0
            for weight, left in zip(self.weights, room, strict=True):
                surely = left - asked
                taken += weight if surely >= 1.0 else weight * surely if surely > 0.0 else 0.0
            if demand * taken > best_value:
                best, best_value = demand, demand * taken
        return best

    def _take_in(self, table: Table) -> None:
        terms, other = table.terms, 1 - table.view.seat
        if table.theirs.offers <= self.seen:
            return
        offers = [made for made in table.public.offers if made.seat == other]
        first = ask_of(terms, other, offers[0].offer)
        width = terms.delta0[other]
        declared = (terms.limits[other] - worth(terms.declared[other], terms.anchors[other])) / width
        ends = [declared + max(hypothesis + n.GUESS_END, n.GUESS_SLOWEST) for hypothesis in n.GUESS_GRID]
        for made in offers[self.seen :]:
            asked = ask_of(terms, other, made.offer)
            for i, end in enumerate(ends):
                z = (asked - (first - (first - end) * (made.turn / T_MAX))) / n.GUESS_WIDTH
                self.weights[i] *= 1.0 / (1.0 + z * z)
        self.seen = len(offers)
        top = max(self.weights)
        self.weights = [w / top for w in self.weights]

"""The public prior over the other seat's private facts: what the scenario declares, as any player may know it."""

from __future__ import annotations

import msgspec

from parlay_env.deal import numbers as n
from parlay_env.deal.terms import Terms


class Range(msgspec.Struct, frozen=True, gc=False):
    """Mean and ends of a figure's prior."""

    mean: float
    low: float
    high: float


class Prior(msgspec.Struct, frozen=True, gc=False):
    """Before the first move. Limits are utilities of the other seat, in hundredths of money; there is a ZOPA in nine
    instances of ten (`no_zopa` is the share of the others, in which the limits may lie outside these ranges).
    `weights` are the declared ones, by issue: the private ones lie around them. Empty where the price is all."""

    walk_away: Range
    budget: Range
    urgency: Range
    has_alternative: float
    no_zopa: float
    weights: tuple[float, ...]


class MeanErrors(msgspec.Struct, frozen=True, gc=False):
    """How far the prior's means are off in the mean: ē of the belief skill. Limits and urgency: absolute errors (limits
    in Δ0); the alternative: squared."""

    walk_away: float
    budget: float
    urgency: float
    has_alternative: float


def prior_of(terms: Terms, seat: int) -> Prior:
    """What anybody may suppose of this seat."""
    s, width, limit = terms.scenario, terms.delta0[seat], terms.limits[seat]
    mean_depth = 0.5 * (n.BUDGET_DEPTH[0] + n.BUDGET_DEPTH[1])
    at = n.ALTERNATIVE_WORTH * s.alternative
    low, high = -s.spread, s.spread + n.ALTERNATIVE_WORTH
    return Prior(
        walk_away=Range(limit + at * width, limit + low * width, limit + high * width),
        budget=Range(
            limit + (at + n.BUDGET_PROBABILITY * mean_depth) * width,
            limit + low * width,
            limit + (high + n.BUDGET_DEPTH[1]) * width,
        ),
        urgency=Range(s.urgency, max(0.0, s.urgency - s.urgency_spread), min(1.0, s.urgency + s.urgency_spread)),
        has_alternative=s.alternative,
        no_zopa=n.NO_ZOPA_PROBABILITY,
        weights=() if terms.is_price else tuple(s.side(seat).weights[issue.name] for issue in s.issues),
    )


def mean_errors(terms: Terms) -> MeanErrors:
    """ē in closed form. With a ZOPA: E|U + c| = (s² + c²)/2s for U uniform in ±s and |c| ≤ s. Without one (a tenth of
    the instances) a limit lies a gap beyond the other seat's, about a whole Δ0 from where the prior puts it."""
    s = terms.scenario
    spread, p = s.spread, s.alternative
    low, high = n.BUDGET_DEPTH
    of_alternative = n.ALTERNATIVE_WORTH**2 * p * (1 - p)
    mean_square = (low * low + low * high + high * high) / 3
    of_budget = n.BUDGET_PROBABILITY * mean_square - (n.BUDGET_PROBABILITY * 0.5 * (low + high)) ** 2
    mean_depth = 0.5 * (low + high)
    supposed = n.ALTERNATIVE_WORTH * p + n.BUDGET_PROBABILITY * mean_depth
    beyond = 1.0 + 0.5 * (n.NO_ZOPA_GAP[0] + n.NO_ZOPA_GAP[1]) - 2 * supposed
    without = n.NO_ZOPA_PROBABILITY
    return MeanErrors(
        walk_away=(1 - without) * (spread**2 + of_alternative) / (2 * spread) + without * beyond,
        budget=(1 - without) * (spread**2 + of_alternative + of_budget) / (2 * spread) + without * beyond,
        urgency=0.5 * s.urgency_spread,
        has_alternative=p * (1 - p),
    )

"""What an episode's outcome was worth to both: the room there was, the surplus split, how far from efficient and fair.

Everything is in shares of each seat's own Δ0, so that scenarios and seats compare. The disagreement point is the two
limits as they stand at the end: a gain is a surplus.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from parlay_env.deal.state import State
from parlay_env.deal.terms import Terms, Utility, best_within, most, terms_of, worth
from parlay_env.deal.value import extras, surplus, tick_size
from parlay_env.game_theory import distance_to_nearest, nash_point, pareto_frontier


def zopa_width(state: State, seat: int) -> float:
    """The most surplus that the seat could have at the other's limit, in its Δ0, erosion left out; negative without a
    ZOPA: how far the limits are apart.

    Where no outcome meets the other's limit at all, what its best outcome lacks (in its own Δ0) is added to the gap.
    """
    terms, other = terms_of(state.setup.scenario), 1 - seat
    mine, theirs = _limit(state, terms, seat), _limit(state, terms, other)
    a, b = state.facts[seat].utility, state.facts[other].utility
    reach = best_within(terms, a, b, theirs)
    if reach is not None:
        return (reach - mine) / terms.delta0[seat]
    best = most(terms, b)
    return (worth(a, best) - mine) / terms.delta0[seat] - (theirs - worth(b, best)) / terms.delta0[other]


def _limit(state: State, terms: Terms, seat: int) -> int:
    """What an outcome has to be worth to the seat, given what was thrown in; erosion left out."""
    facts = state.facts[seat]
    thrown_in = extras(state.setup.scenario, state.public, facts)
    return facts.limit - thrown_in - state.public.ticks * tick_size(terms, seat)


def gains(state: State) -> tuple[float, float] | None:
    """Both seats' surplus from the deal, in their Δ0; None without a deal."""
    ended = state.public.ended
    if ended is None or ended.outcome is None:
        return None
    delta0 = terms_of(state.setup.scenario).delta0
    a, b = (surplus(state, seat, ended.outcome) / delta0[seat] for seat in (0, 1))
    return a, b


def distances(state: State) -> tuple[float, float] | None:
    """How far the deal is from the Pareto frontier and from the Nash point; None without a deal or a Nash point.

    Euclidean, between pairs of surpluses in Δ0 (the distances of the automated negotiation competitions; Baarslag
    2014). Every price is efficient; its Nash point is the middle of the ZOPA.
    """
    found = gains(state)
    if found is None:
        return None
    scenario = state.setup.scenario
    terms = terms_of(scenario)
    if terms.is_price:
        width = sum(found)
        return (0.0, abs(found[0] - found[1]) / 2 * 2**0.5) if width >= 0 else None
    columns = [_gains_of_all(state, terms, seat) for seat in (0, 1)]
    table = np.stack(columns, axis=1)
    frontier = table[pareto_frontier(table)]
    pareto = distance_to_nearest(found, frontier, np.arange(len(frontier)))
    nash = distance_to_nearest(found, frontier, nash_point(frontier, (0.0, 0.0)))
    return None if pareto is None or nash is None else (pareto, nash)


def _gains_of_all(state: State, terms: Terms, seat: int) -> NDArray[np.float64]:
    """A seat's surplus from every outcome, in its Δ0."""
    facts = state.facts[seat]
    base = extras(terms.scenario, state.public, facts) - facts.limit
    return (_worths(terms.counts, facts.utility) + base) / terms.delta0[seat]


def _worths(counts: tuple[int, ...], utility: Utility) -> NDArray[np.int64]:
    return utility.base + _outcomes(counts) @ np.array(utility.slopes, dtype=np.int64)


@cache
def _outcomes(counts: tuple[int, ...]) -> NDArray[np.int64]:
    """Every outcome, one a row."""
    return np.array(list(product(*map(range, counts))), dtype=np.int64)

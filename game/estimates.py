"""What a player may think of its opponent, as the pages show it: the ZOPA band, the ◆ and the four bars, all estimates.

Everything here is computed from one player's views and its own moves. A view holds no hidden fact of the other side
(`parlay_env/deal/views.py`), so none can leave through an estimate.

- `prior_estimate` is what the scenario alone lets one suppose. It compiles nothing: a server can answer at once.
- `Estimator` is the belief tracker of `agent/beliefs.py`, fed move by move.

An estimate is a dict of plain values, as `docs/pages.md` has it: `turn`, `source`, `limit`, `surplus`, `has_zopa`,
`middle`, `middle_offer`, `bars`. Ranges are `{low, median, high}`, 80 % intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from parlay_env.deal import numbers as n
from parlay_env.deal.state import SEATS, Facts, Move, Setup
from parlay_env.deal.terms import CENTS, Offer, Terms, Utility, asking, best_within, terms_of, values_of, worth
from parlay_env.deal.value import extras, tick_size
from parlay_env.deal.views import View
from parlay_env.figures import shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from agent.beliefs import Estimate, Tracker

    Floats = NDArray[np.float64]

LEVELS = (0.1, 0.5, 0.9)
"""The quantiles that a range shows: the ends of an 80 % interval (as the tracker's: `agent.beliefs.LEVEL`) and the
median."""
OFFSETS, DEPTHS = 96, 6
"""Into how many parts the prior's integral over walk-aways, and over authorities, is cut: quantiles are then within
about a hundredth of Δ0."""
WORK_AT_MOST = 40_000
"""Particles times combinations of the issues' values that one update looks at for the ◆: about 10 ms. Beyond it fewer
particles are taken."""
LEAST_PARTICLES = 32
CERTAIN = 1e-6
"""A probability of a ZOPA below this is none: there is nothing to put a ◆ on."""


class Unavailable(ValueError):
    """There can be no estimates of this opponent, or in this scenario; the message says why."""


class _Spot(msgspec.Struct, frozen=True):
    """A Nash point: the offer, and its worth to the own seat beyond its limit, in hundredths of money."""

    offer: Offer
    gain: int


# The prior ------------------------------------------------------------------------------------------------------------


def prior_estimate(view: View) -> dict[str, Any]:
    """The estimate before the first move, at the limits of now: what the scenario declares of the other side, given
    that there is something to agree on in nine instances of ten (`parlay_env/deal/instance.py`). Erosion and what was
    thrown in are counted; what the other side did, and what headlines did to it, are not.

    With several issues the other side is supposed to weigh them as declared. No file is read, nothing is compiled, and
    the work is bounded by a few passes over the combinations of the issues' values.
    """
    other = 1 - view.seat
    setup, own = view.setup, view.own
    assert own is not None
    terms = terms_of(setup.scenario)
    limits = _supposed_limits(view, terms)
    theirs, given = terms.declared[other], _given(view, terms)
    most = best_within(terms, theirs, own.utility, own.limit - extras(setup.scenario, view.public, own))
    agreeable = [] if most is None else [(value, w) for value, w in limits if value <= most + given]
    share = sum(w for _, w in agreeable)
    low, median, high = _quantiles(limits)
    middle = spot = None
    if share > CERTAIN:
        spots = [_nash(terms, view, theirs, round(value)) for value in _quantiles(agreeable)]
        gains = sorted(spot.gain for spot in spots if spot is not None)
        if gains:
            spot = spots[1] or next(spot for spot in spots if spot is not None)
            middle = _range(terms, gains[0], gains[len(gains) // 2], gains[-1])
    surpluses = sorted(_most_surplus(terms, view, theirs, value - given) for value in (low, median, high))
    return _estimate(
        view,
        "prior",
        limit=_limit_range(terms, low, median, high),
        surplus=_range(terms, *surpluses),
        has_zopa=round(min(1.0, share), 4),
        middle=middle,
        middle_offer=None if middle is None or spot is None else {**values_of(terms, spot.offer)},
        bars=None,
    )


def _supposed_limits(view: View, terms: Terms) -> list[tuple[float, float]]:
    """The other side's limit as a weighted list, rising: utilities in hundredths of money, weights that sum to 1."""
    s, other, own = view.setup.scenario, 1 - view.seat, view.own
    assert own is not None
    width, ticks = terms.delta0[other], view.public.ticks
    eroded = ticks * tick_size(terms, other)
    most = best_within(terms, terms.declared[other], own.utility, own.limit - ticks * tick_size(terms, view.seat))
    drawn: list[tuple[float, float]] = []
    for alternative, often in ((0.0, 1.0 - s.alternative), (n.ALTERNATIVE_WORTH, s.alternative)):
        for depth, share in _depths():
            for i in range(OFFSETS):
                offset = s.spread * (2.0 * (i + 0.5) / OFFSETS - 1.0)
                drawn.append((terms.limits[other] + (offset + alternative + depth) * width, often * share / OFFSETS))
    if most is None:
        return sorted((value + eroded, w) for value, w in drawn)
    kept = [(value, w) for value, w in drawn if value <= most]
    total = sum(w for _, w in kept)
    without = n.NO_ZOPA_PROBABILITY if total > CERTAIN else 1.0
    found = [(value + eroded, (1.0 - without) * w / total) for value, w in kept if total > CERTAIN]
    low, high = n.NO_ZOPA_GAP
    for i in range(OFFSETS):
        gap = low + (high - low) * (i + 0.5) / OFFSETS
        found.append((most + gap * width + eroded, without / OFFSETS))
    return sorted(found)


def _depths() -> list[tuple[float, float]]:
    """How much tighter than the walk-away an authority is, in Δ0, with its probability; none at all first."""
    low, high = n.BUDGET_DEPTH
    share = n.BUDGET_PROBABILITY / DEPTHS
    return [
        (0.0, 1.0 - n.BUDGET_PROBABILITY),
        *((low + (high - low) * (k + 0.5) / DEPTHS, share) for k in range(DEPTHS)),
    ]


def _quantiles(values: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """The values at `LEVELS` of a rising weighted list."""
    total, found, below = sum(w for _, w in values), [], 0.0
    levels = iter(LEVELS)
    level = next(levels)
    for value, w in values:
        below += w
        while below >= level * total - 1e-12:
            found.append(value)
            following = next(levels, None)
            if following is None:
                return found[0], found[1], found[2]
            level = following
    found += [values[-1][0]] * (len(LEVELS) - len(found))
    return found[0], found[1], found[2]


def _given(view: View, terms: Terms) -> int:
    """What the sweeteners thrown in are worth to the other side, as far as the scenario tells, in hundredths."""
    other, total = 1 - view.seat, 0.0
    thrown = {item for side in view.public.sides for item in side.items}
    for item in view.setup.scenario.sweeteners:
        if item.id in thrown:
            total += -item.cost if item.by == SEATS[other] else 0.5 * (item.worth[0] + item.worth[1])
    return round(total * terms.delta0[other])


def _most_surplus(terms: Terms, view: View, theirs: Utility, least: float) -> int:
    """The most that the own seat could have beyond its limit when the other needs `least`; 0 when that is nothing."""
    own = view.own
    assert own is not None
    most = best_within(terms, own.utility, theirs, round(least))
    if most is None:
        return 0
    return max(0, most + extras(view.setup.scenario, view.public, own) - own.limit)


# The Nash point -------------------------------------------------------------------------------------------------------


def _nash(terms: Terms, view: View, theirs: Utility, their_limit: int) -> _Spot | None:
    """The outcome with the greatest product of gains over both limits (Nash 1950), sweeteners left out as in the truth
    (`views.nash_offer`); None when no outcome suits both.

    Along the issue with the most values both utilities are straight lines, so their product has one vertex there.
    """
    own = view.own
    assert own is not None
    bonus = extras(view.setup.scenario, view.public, own)
    if terms.is_price:
        seller, buyer = (own.limit, their_limit) if view.seat == 0 else (their_limit, own.limit)
        place = (seller - buyer) // 2 - terms.lows[0]
        offer = (min(terms.counts[0] - 1, max(0, place // terms.steps[0])),)
        return _Spot(offer, worth(own.utility, offer) + bonus - own.limit)
    best, found, k = -1.0, None, terms.longest
    a, b = own.utility.slopes[k], theirs.slopes[k]
    for rest in terms.rest:
        mine, other = worth(own.utility, rest) - own.limit, worth(theirs, rest) - their_limit
        for place in _places(mine, a, other, b, terms.counts[k] - 1):
            gains = mine + a * place, other + b * place
            if min(gains) >= 0 and gains[0] * gains[1] > best:
                best, found = float(gains[0] * gains[1]), (*rest[:k], place, *rest[k + 1 :])
    return None if found is None else _Spot(found, worth(own.utility, found) + bonus - own.limit)


def _places(mine: int, a: int, other: int, b: int, last: int) -> list[int]:
    """Where (mine + a·x)(other + b·x) can be greatest among whole x from 0 to `last`, both factors not negative."""
    low, high = 0, last
    for value, slope in ((mine, a), (other, b)):
        if slope > 0:
            low = max(low, -(value // slope))
        elif slope < 0:
            high = min(high, value // -slope)
        elif value < 0:
            return []
    if low > high:
        return []
    found = [low, high]
    if a * b < 0:
        vertex = -(mine * b + other * a) // (2 * a * b)
        found += [min(high, max(low, vertex)), min(high, max(low, vertex + 1))]
    return found


# The tracker ----------------------------------------------------------------------------------------------------------


class Estimator:
    """One player's estimates in one deal, view by view. It can be pickled between two views.

    The first use in a process loads compiled code (seconds, or a minute on a machine that has never compiled it).
    """

    def __init__(self) -> None:
        self._tracker: Tracker | None = None
        self._setup: Setup | None = None
        self._last: dict[str, Any] | None = None

    def add(self, view: View, move: Move | None) -> dict[str, Any]:
        """The estimate at this view. `move` is what the player did at the view before: None at the first one, and where
        it has not moved since. After the end the last estimate stands.

        Raises Unavailable: an opponent that is no scripted persona, a scenario that the tracker has no room for.
        """
        view = self._at_one_setup(view)
        if view.public.ended is not None and self._last is not None:
            return self._last
        if self._tracker is None:
            self._tracker = _tracker(view)
        else:
            self._tracker.update(view, move)
        self._last = _tracked(self._tracker, view)
        return self._last

    def _at_one_setup(self, view: View) -> View:
        """The view with the setup object of the first: what is compiled of a scenario is kept by the object."""
        if self._setup is None:
            self._setup = view.setup
        if view.setup is self._setup:
            return view
        if view.setup != self._setup:
            raise ValueError("these views are of two different games")
        return replace(view, setup=self._setup)


def estimates(steps: Sequence[tuple[View, Move | None]]) -> list[dict[str, Any]]:
    """The estimates at each of a player's views, oldest first. A step is a view and what the player did at the view
    before it (None at the first). Raises Unavailable as `Estimator.add` does."""
    estimator = Estimator()
    return [estimator.add(view, move) for view, move in steps]


def _tracker(view: View) -> Tracker:
    from agent.batch import NotBatched
    from agent.beliefs import Tracker
    from agent.personas import PERSONAS

    if view.setup.opponent.name not in PERSONAS:
        raise Unavailable("estimates are about a scripted opponent; this one is a person or another program")
    try:
        return Tracker(view)
    except NotBatched as error:
        raise Unavailable(str(error)) from None


def _tracked(tracker: Tracker, view: View) -> dict[str, Any]:
    """The tracker's beliefs at this view as an estimate."""
    import numpy as np

    from agent.beliefs import estimate

    own = view.own
    assert own is not None
    terms = terms_of(view.setup.scenario)
    facts, slopes, weights = tracker.facts()
    width = terms.delta0[view.seat]
    reach = np.maximum(facts[:, 11] - own.limit, -float(width))
    agreeable = reach >= 0.0
    share = min(1.0, float(weights @ agreeable))
    beliefs = tracker.beliefs()
    limit, surplus = beliefs.limit, estimate(reach, weights, tracker.independent)
    middle = offer = None
    if share > CERTAIN:
        middle, offer = _middle(tracker, view, terms, own, facts[:, 0], slopes, weights * agreeable)
    seen = view.public.sides[1 - view.seat].steps > 0  # else all that is known is the prior
    bars = {name: {"value": bar, "confidence": sure} for name, (bar, sure) in beliefs.bars.items()}
    return _estimate(
        view,
        "tracker" if seen else "prior",
        limit=_limit_range(terms, limit.low, limit.median, limit.high),
        surplus=_range(terms, *(max(0.0, value) for value in (surplus.low, surplus.median, surplus.high))),
        has_zopa=round(share, 4),
        middle=None if middle is None else _range(terms, middle.low, middle.median, middle.high),
        middle_offer=offer,
        bars=bars if seen else None,
    )


def _middle(
    tracker: Tracker, view: View, terms: Terms, own: Facts, limits: Floats, slopes: Floats, weights: Floats
) -> tuple[Estimate | None, dict[str, float] | None]:
    """The Nash point's worth to the own seat beyond its limit, over the opponents with whom there is a ZOPA, and the
    offer of the median one. `weights` (K,) are 0 for the others."""
    import numpy as np

    from agent.beliefs import estimate

    bonus = extras(view.setup.scenario, view.public, own)
    if terms.is_price:
        chosen = weights / weights.sum()
        gains = 0.5 * (-limits - own.limit) + bonus
    else:
        at, chosen = _sample(weights, max(LEAST_PARTICLES, WORK_AT_MOST // len(terms.rest)))
        gains = _nash_gains(terms, own, limits[at], slopes[at]) + bonus
        chosen = np.where(np.isnan(gains), 0.0, chosen)
        if not chosen.sum():
            return None, None
        gains, chosen = np.nan_to_num(gains), chosen / chosen.sum()
    seen = chosen > 0.0
    gains, chosen = gains[seen], chosen[seen]
    found = estimate(gains, chosen, tracker.independent)
    return found, _offer_of(terms, own, found.median - bonus, slopes, weights)


def _offer_of(terms: Terms, own: Facts, gain: float, slopes: Floats, weights: Floats) -> dict[str, float]:
    """The offer that is worth this much to the own seat beyond its limit and that the other side, as it is in the mean,
    likes most."""
    import numpy as np

    count = len(terms.counts)
    mean = np.round(weights @ slopes / weights.sum())
    theirs = Utility(int(mean[0]), tuple(int(slope) for slope in mean[1 : 1 + count]))
    return {**values_of(terms, asking(terms, own.utility, theirs, round(own.limit + gain)))}


def _sample(weights: Floats, most: int) -> tuple[NDArray[np.int64], Floats]:
    """Which particles stand for all, and their weights: all of them, or `most` by systematic resampling."""
    import numpy as np

    total = weights.sum()
    if len(weights) <= most:
        return np.arange(len(weights)), weights / total
    at = np.searchsorted(np.cumsum(weights), (np.arange(most) + 0.5) / most * total)
    return np.minimum(at, len(weights) - 1), np.full(most, 1.0 / most)


def _nash_gains(terms: Terms, own: Facts, limits: Floats, slopes: Floats) -> Floats:
    """What the Nash point gives the own seat over its limit with each of these opponents (K,); NaN without a ZOPA.

    As `_nash`, for all of them at once: (K opponents, R combinations of the other issues, four places each).
    """
    import numpy as np

    count, k = len(terms.counts), terms.longest
    rest = np.array(terms.rest, float)
    mine = own.utility.base + rest @ np.array(own.utility.slopes, float) - own.limit
    other = slopes[:, :1] + slopes[:, 1 : 1 + count] @ rest.T - limits[:, None]
    a, b, last = float(own.utility.slopes[k]), slopes[:, 1 + k, None], float(terms.counts[k] - 1)
    opposed = a * b < 0.0
    vertex = np.where(opposed, -(mine * b + other * a) / np.where(opposed, 2.0 * a * b, 1.0), 0.0)
    ends = []
    for value, slope in ((mine[None, :], np.full_like(b, a)), (other, b)):
        zero = -value / np.where(slope == 0.0, 1.0, slope)
        ends.append((np.where(slope > 0.0, np.ceil(zero), 0.0), np.where(slope < 0.0, np.floor(zero), last)))
    low = np.maximum(0.0, np.maximum(ends[0][0], ends[1][0]))
    high = np.minimum(last, np.minimum(ends[0][1], ends[1][1]))
    best = np.full(other.shape[0], -1.0)
    gain = np.full(other.shape[0], np.nan)
    for place in (low, high, np.clip(np.floor(vertex), low, high), np.clip(np.ceil(vertex), low, high)):
        one, two = mine + a * place, other + b * place
        product = np.where((one >= 0.0) & (two >= 0.0) & (low <= high), one * two, -1.0)
        at = product.argmax(axis=1)
        rows = np.arange(len(at))
        better = product[rows, at] > best
        best = np.where(better, product[rows, at], best)
        gain = np.where(better, one[rows, at], gain)
    return gain


# The form -------------------------------------------------------------------------------------------------------------


def _estimate(view: View, source: str, **parts: Any) -> dict[str, Any]:
    return {"turn": view.public.turn, "source": source, **parts}


def _limit_range(terms: Terms, low: float, median: float, high: float) -> dict[str, float]:
    """A range of limits in the figures of the observation: a buyer's price falls as its utility rises."""
    ends = sorted((shown(terms, low), shown(terms, high)))
    return {"low": ends[0], "median": shown(terms, median), "high": ends[1]}


def _range(terms: Terms, low: float, median: float, high: float) -> dict[str, float]:
    """A range of surpluses in money."""
    return {"low": _money(terms, low), "median": _money(terms, median), "high": _money(terms, high)}


def _money(terms: Terms, hundredths: float) -> float:
    return round(hundredths / CENTS, 2) if terms.is_price else float(round(hundredths / CENTS))

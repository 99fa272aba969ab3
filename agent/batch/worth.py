"""What outcomes are worth: `parlay_env.deal.terms` and `value`, compiled."""

# pyright: reportMissingParameterType=false
from __future__ import annotations

import numpy as np

from agent.batch.compiled import kernel
from agent.batch.layout import ISSUES


@kernel
def worth(base, slopes, offer, issues):
    """An outcome's utility."""
    total = base
    for k in range(issues):
        total += slopes[k] * offer[k]
    return total


@kernel
def declared_worth(scene, seat, offer):
    """An outcome's declared utility."""
    return worth(scene.base[seat], scene.slopes[seat], offer, scene.issues)


@kernel
def own_worth(scene, r, seat, offer):
    """An outcome's true utility, without sweeteners."""
    return worth(r.base[seat], r.slopes[seat], offer, scene.issues)


@kernel
def limit_of(r, seat):
    """The tighter of walk-away and budget."""
    if r.has_budget[seat] and r.budget[seat] >= r.walk_away[seat]:
        return r.budget[seat]
    return r.walk_away[seat]


@kernel
def extras(scene, r, seat):
    """What the sweeteners thrown in so far are worth to a seat."""
    total = 0
    for k in range(scene.items):
        if r.thrown[k]:
            total += r.item_worth[seat, k]
    return total


@kernel
def surplus(scene, r, seat, offer):
    """σ, as the limit stands now."""
    return own_worth(scene, r, seat, offer) + extras(scene, r, seat) - limit_of(r, seat)


@kernel
def ask_of(scene, seat, offer):
    """How much more an offer asks than the declared anchor does, in Δ0."""
    return (declared_worth(scene, seat, offer) - scene.anchor_worth[seat]) / scene.delta0[seat]


NONE = -(10**18)
"""The worth of nothing at all."""


@kernel
def best_within(scene, rest, base, slopes, other_base, other_slopes, other_limit):
    """The most that a utility can be over all outcomes that give the other its limit; `NONE` when none does."""
    best = NONE
    k = scene.longest
    last = scene.counts[k] - 1
    slope, other = slopes[k], other_slopes[k]
    for i in range(scene.n_rest):
        offer = rest[i]
        room = worth(other_base, other_slopes, offer, scene.issues) - other_limit
        low, high = 0, last
        if other > 0:
            low = max(low, -(room // other))
        elif other < 0:
            high = min(high, room // -other)
        elif room < 0:
            continue
        if low > high:
            continue
        value = worth(base, slopes, offer, scene.issues) + slope * (high if slope > 0 else low)
        best = max(best, value)
    return best


@kernel
def asking(scene, rest, base, slopes, other_base, other_slopes, least, out):
    """Puts into `out` the outcome worth at least `least` (or the best there is) that the other likes most."""
    k = scene.longest
    last = scene.counts[k] - 1
    slope, other = slopes[k], other_slopes[k]
    if scene.issues == 1 and slope * other < 0:
        place = -((base - least) // slope) if slope > 0 else (base - least) // -slope
        out[0] = min(last, max(0, place))
        return
    found = False
    best_value = 0
    for i in range(scene.n_rest):
        offer = rest[i]
        need = least - worth(base, slopes, offer, scene.issues)
        low, high = 0, last
        if slope > 0:
            low = max(low, -(-need // slope))
        elif slope < 0:
            high = min(high, -need // -slope)
        elif need > 0:
            continue
        if low > high:
            continue
        place = high if other > 0 else low
        value = worth(other_base, other_slopes, offer, scene.issues) + other * place
        if not found or value > best_value:
            found, best_value = True, value
            for j in range(ISSUES):
                out[j] = offer[j]
            out[k] = place
    if not found:
        for j in range(scene.issues):
            out[j] = scene.counts[j] - 1 if slopes[j] > 0 else 0


@kernel
def zopa_exists(scene, rest, r, erosion):
    """Is there an outcome that neither limit forbids? Without erosion: were there one, had there been none?"""
    back = 0 if erosion else r.ticks
    theirs = limit_of(r, 1) - back * scene.tick[1] - extras(scene, r, 1)
    most = best_within(scene, rest, r.base[0], r.slopes[0], r.base[1], r.slopes[1], theirs)
    return most != NONE and most + extras(scene, r, 0) >= limit_of(r, 0) - back * scene.tick[0]


@kernel
def reference_width(scene, rest, r, seat, least_width):
    """Δref."""
    least = round(least_width * scene.delta0[seat])
    other = 1 - seat
    their_limit = limit_of(r, other) - r.ticks * scene.tick[other] - extras(scene, r, other)
    most = best_within(scene, rest, r.base[seat], r.slopes[seat], r.base[other], r.slopes[other], their_limit)
    if most == NONE:
        return least
    return max(least, most + extras(scene, r, seat) - (limit_of(r, seat) - r.ticks * scene.tick[seat]))


@kernel
def in_steps(scene, seat, share):
    """A share of Δ0 in hundredths of money, to the grain of money."""
    return np.int64(round(share * scene.delta0[seat] / scene.unit)) * scene.unit


@kernel
def grained(scene, seat, value):
    """A utility rounded to what one can say."""
    base = scene.base[seat] if scene.is_price else 0
    return base + np.int64(round((value - base) / scene.unit)) * scene.unit

"""What a player can know of its opponent: a weighted cloud of opponents, and how likely each makes what was seen.

A particle is a point of the unit cube, one coordinate for each hidden draw: the prior is uniform on the cube, less the
corner where a limit would leave no ZOPA in an instance that has one. Particles are reweighted by every move that the
opponent makes and, when few carry the weight, resampled and moved (Gilks & Berzuini 2001) by differential evolution
(ter Braak 2006), which follows ridges such as "a higher limit and a slower style" by itself.
"""

from __future__ import annotations

# pyright: reportMissingParameterType=false
import math
from statistics import NormalDist

import numpy as np

from agent import numbers as an
from agent.batch.compiled import kernel
from agent.batch.draws import unit
from agent.batch.instance import hundredths, set_limits, tighten, weigh
from agent.batch.layout import (
    ISSUES,
    ITEMS,
)
from agent.batch.likelihood import NEAR, NEAR_SEVERAL, likelihood, most_of, normal_share
from agent.batch.rules import market_amount, shift
from agent.batch.worth import NONE, best_within, extras, grained, limit_of, own_worth
from parlay_env.deal import numbers as n

NEGLIGIBLE = 12.0
"""What is less likely by this much (a logarithm) counts for nothing."""

HAS_ALTERNATIVE, OFFSET, HAS_BUDGET, DEPTH, URGENCY, WHEN, WITHOUT, GAP = range(8)
OPENING, LEAST, BETA, SHARE, RECIPROCITY, RESERVE = range(8, 14)
EVENTS = 14  # two market events
WEIGHTS = EVENTS + n.MARKET_AT_MOST
WORTHS = WEIGHTS + ISSUES
SIZE = WORTHS + ITEMS
"""Coordinates of a particle."""
_QUANTILES = np.array([NormalDist().inv_cdf(min(0.999, max(0.001, k / 512))) for k in range(513)])

ENOUGH = 2.0
"""After so many accepted steps a particle the cloud has been moved enough."""
CROSSED = (0.3, 0.6, 1.0)
"""In which shares of the coordinates a step along a line is made."""
AIMED = 0.9
"""The share of the particles whose opening is drawn about the one that was seen."""

# Realisation ----------------------------------------------------------------------------------------------------------


@kernel
def realise(tables, r, u, mine):
    """Makes the opponent in the record the one that the particle stands for, as the episode began; `mine` is the own
    limit then. Returns the log density of the prior: −∞ for a point that it leaves out.

    A limit that leaves no ZOPA is drawn again, with all else as it is; so what is kept of the limits has the density of
    a distribution that was cut off."""
    scene, rest, p = tables.scenes[r.scene], tables.rest[r.scene], tables.persons[r.persona]
    me, seat = r.learner, 1 - r.learner
    r.alternative[seat] = 1 if u[HAS_ALTERNATIVE] < scene.alternative else 0
    r.urgency[seat] = hundredths(scene.urgency + (2.0 * u[URGENCY] - 1.0) * scene.urgency_spread)
    spread = n.DEADLINE[1] - n.DEADLINE[0] + 1
    r.deadline[seat] = n.DEADLINE[0] + min(spread - 1, int(u[WHEN] * spread))
    if scene.issues == 1:
        r.base[seat] = scene.base[seat]
        r.slopes[seat, 0] = scene.slopes[seat, 0]
    else:
        total = 0.0
        for k in range(scene.issues):
            drawn = scene.weights[seat, k] + (2.0 * u[WEIGHTS + k] - 1.0) * n.WEIGHT_SPREAD
            r.weights[seat, k] = max(n.LEAST_WEIGHT, drawn)
            total += r.weights[seat, k]
        weigh(scene, r, seat, total)
    for k in range(scene.items):
        if scene.item_by[k] == seat:
            r.item_worth[seat, k] = -np.int64(round(scene.item_cost[k] * scene.delta0[seat]))
        else:
            share = scene.item_low[k] + (scene.item_high[k] - scene.item_low[k]) * u[WORTHS + k]
            r.item_worth[seat, k] = np.int64(round(share * scene.delta0[seat]))
    depth = n.BUDGET_DEPTH[0] + (n.BUDGET_DEPTH[1] - n.BUDGET_DEPTH[0]) * u[DEPTH]
    offset = (2.0 * u[OFFSET] - 1.0) * scene.spread
    set_limits(scene, r, seat, offset, u[HAS_BUDGET] < n.BUDGET_PROBABILITY, depth)
    _realise_style(p, r, u)
    most = best_within(scene, rest, r.base[seat], r.slopes[seat], r.base[me], r.slopes[me], mine)
    if u[WITHOUT] < n.NO_ZOPA_PROBABILITY:
        gap = n.NO_ZOPA_GAP[0] + (n.NO_ZOPA_GAP[1] - n.NO_ZOPA_GAP[0]) * u[GAP]
        tighten(r, seat, grained(scene, seat, most + gap * scene.delta0[seat]) - limit_of(r, seat))
        return 0.0
    if most == NONE or most < limit_of(r, seat):
        return -np.inf
    room = (most - scene.limits[seat]) / scene.delta0[seat] - n.ALTERNATIVE_WORTH * r.alternative[seat]
    return -math.log(max(1e-3, _kept_share(room, scene.spread)))


@kernel
def _kept_share(room, spread):
    """How probably a limit that may be this much above the declared one, in Δ0, is drawn."""
    share = (1.0 - n.BUDGET_PROBABILITY) * min(1.0, max(0.0, (room + spread) / (2.0 * spread)))
    for k in range(4):
        depth = n.BUDGET_DEPTH[0] + (n.BUDGET_DEPTH[1] - n.BUDGET_DEPTH[0]) * (k + 0.5) / 4
        share += 0.25 * n.BUDGET_PROBABILITY * min(1.0, max(0.0, (room - depth + spread) / (2.0 * spread)))
    return share


@kernel
def _realise_style(p, r, u):
    r.opening = p.opening + (2.0 * u[OPENING] - 1.0) * an.OPENING_SPREAD
    r.least_opening = an.LEAST_OPENING[0] + (an.LEAST_OPENING[1] - an.LEAST_OPENING[0]) * u[LEAST]
    r.beta = p.beta * (an.BETA_RANGE[0] + (an.BETA_RANGE[1] - an.BETA_RANGE[0]) * u[BETA])
    r.share = p.share[0] + (p.share[1] - p.share[0]) * u[SHARE]
    low, high = an.RECIPROCITY_RANGE
    r.reciprocity = p.reciprocity * (low + (high - low) * u[RECIPROCITY])
    low, high = an.RESERVE_RANGE
    r.reserve = p.reserve * (low + (high - low) * u[RESERVE])


@kernel
def quantile(u):
    """The standard normal quantile, inside ±3.1."""
    at = u * (len(_QUANTILES) - 1)
    low = min(len(_QUANTILES) - 2, int(at))
    return _QUANTILES[low] + (at - low) * (_QUANTILES[low + 1] - _QUANTILES[low])


@kernel
def happen(tables, r, u, events, first, turn):
    """The headlines from place `first` on that broke up to this turn move the opponent's facts; how many have now.

    `events` (E, 3): turn, is it a market event, which.
    """
    scene, p, seat = tables.scenes[r.scene], tables.persons[r.persona], 1 - r.learner
    market = 0
    for i in range(len(events)):
        if events[i, 0] > turn:
            return i
        if i >= first:
            if events[i, 1] == 0:
                shift(scene, r, seat, events[i, 2])
            else:
                mean = tables.market[r.split, events[i, 2], seat]
                drawn = quantile(u[EVENTS + market])
                tighten(r, seat, market_amount(scene, seat, mean, drawn, p.mev_sensitivity))
        market += events[i, 1]
    return len(events)


@kernel
def hand_over(x, r):
    """Copies the opponent's facts and style from one record into another, erosion in."""
    seat = 1 - r.learner
    r.walk_away[seat] = x.walk_away[seat]
    r.has_budget[seat] = x.has_budget[seat]
    r.budget[seat] = x.budget[seat]
    r.urgency[seat] = x.urgency[seat]
    r.alternative[seat] = x.alternative[seat]
    r.deadline[seat] = x.deadline[seat]
    r.base[seat] = x.base[seat]
    for k in range(ISSUES):
        r.slopes[seat, k] = x.slopes[seat, k]
        r.weights[seat, k] = x.weights[seat, k]
    for k in range(ITEMS):
        r.item_worth[seat, k] = x.item_worth[seat, k]
    r.opening = x.opening
    r.least_opening = x.least_opening
    r.beta = x.beta
    r.share = x.share
    r.reciprocity = x.reciprocity
    r.reserve = x.reserve


@kernel
def with_erosion(scene, r):
    """Tightens the opponent's limit by the ticks so far."""
    seat = 1 - r.learner
    if r.ticks > 0:
        tighten(r, seat, r.ticks * scene.tick[seat])


# The cloud ------------------------------------------------------------------------------------------------------------


@kernel
def history(tables, x, u, mine, seen, moves, count, events, most, least):
    """Log likelihood of all that was seen, `count` records and moves; −∞ outside the prior, and as soon as it can't
    reach `least` any more. `most`: by `most_of`."""
    total, done = realise(tables, x, u, mine), 0
    if total == -np.inf:
        return total
    for i in range(count):
        if total + most[i] < least:
            return -np.inf
        done = happen(tables, x, u, events, done, seen[i].turn)
        hand_over(x, seen[i])
        with_erosion(tables.scenes[x.scene], seen[i])
        total += likelihood(tables, seen[i], moves[i])
    return total


@kernel
def draw_cloud(tables, x, cloud, mine, key):
    """Particles from the prior."""
    for i in range(len(cloud)):
        for k in range(SIZE):
            cloud[i, k] = unit(key, i, 0, k)
        for attempt in range(1, 200):
            if realise(tables, x, cloud[i], mine) > -np.inf:
                break
            for k in (OFFSET, HAS_BUDGET, DEPTH):
                cloud[i, k] = unit(key, i, attempt, k)


@kernel
def aim(tables, x, cloud, weights, mine, r, m, key):
    """Draws anew how ambitious each opponent is, now that its opening `m` is seen (at the record `r`): mostly about
    what that tells, and so weighed by how much more often than before. Without it seven of eight particles would be
    lost to a figure that is known."""
    scene, p, seat = tables.scenes[x.scene], tables.persons[x.persona], 1 - x.learner
    width = (NEAR if scene.is_price else NEAR_SEVERAL) / (2.0 * an.OPENING_SPREAD)
    for i in range(len(cloud)):
        realise(tables, x, cloud[i], mine)
        hand_over(x, r)
        beyond = own_worth(scene, r, seat, m.offer) - own_worth(scene, r, seat, scene.anchors[seat])
        beyond += an.THROWN_IN * extras(scene, r, seat)
        centre = 0.5 + (beyond / scene.delta0[seat] - p.opening) / (2.0 * an.OPENING_SPREAD)
        at = unit(key, i, 1, 0)
        if unit(key, i, 1, 1) < AIMED:
            aimed = centre + width * quantile(unit(key, i, 1, 2))
            if 0.0 < aimed < 1.0:
                at = aimed
        z = (at - centre) / width
        often = normal_share((1.0 - centre) / width) - normal_share(-centre / width)  # how often aiming ends inside
        density = 1.0 - AIMED * often + AIMED * math.exp(-0.5 * z * z) / (width * math.sqrt(2.0 * math.pi))
        cloud[i, OPENING] = at
        weights[i] -= math.log(density)


@kernel
def reweigh(tables, x, cloud, weights, mine, seen, moves, count, events):
    """The newest move reweighs the cloud; `weights` are logarithms. Returns the effective number of particles."""
    top = -np.inf
    for i in range(len(cloud)):
        realise(tables, x, cloud[i], mine)
        happen(tables, x, cloud[i], events, 0, seen[count - 1].turn)
        hand_over(x, seen[count - 1])
        with_erosion(tables.scenes[x.scene], seen[count - 1])
        weights[i] += likelihood(tables, seen[count - 1], moves[count - 1])
        top = max(top, weights[i])
    total, squares = 0.0, 0.0
    for i in range(len(cloud)):
        weights[i] -= top
        w = math.exp(weights[i])
        total += w
        squares += w * w
    return total * total / squares


@kernel
def resample(cloud, weights, key, turn, out):
    """A cloud of equal weights into `out` (systematic resampling)."""
    total = 0.0
    for i in range(len(weights)):
        total += math.exp(weights[i])
    at, place = math.exp(weights[0]), 0
    start = unit(key, turn, 1, 0)
    for i in range(len(out)):
        wanted = (i + start) / len(out) * total
        while at < wanted and place < len(weights) - 1:
            place += 1
            at += math.exp(weights[place])
        for k in range(SIZE):
            out[i, k] = cloud[place, k]


@kernel
def rejuvenate(tables, x, cloud, mine, seen, moves, count, events, key, turn, sweeps):
    """Moves every particle by Metropolis steps that leave the posterior as it is, at most `sweeps` a
    particle; returns how many it made."""
    scene = tables.scenes[x.scene]
    size = len(cloud)
    scores, most = np.empty(size), most_of(tables, seen, moves, count)
    for i in range(size):
        scores[i] = history(tables, x, cloud[i], mine, seen, moves, count, events, most, -np.inf)
    proposal = np.empty(SIZE)
    live = EVENTS + min(n.MARKET_AT_MOST, len(events))  # the coordinates that enter so far
    moved, draw = 0, 0
    for _ in range(sweeps):
        if moved >= ENOUGH * size:
            break
        for i in range(size):
            draw += 1
            if not _propose(scene, cloud, i, proposal, live, key, draw, turn):
                continue
            least = scores[i] + math.log(max(1e-300, unit(key, draw, turn, 15)))
            score = history(tables, x, proposal, mine, seen, moves, count, events, most, least)
            if score >= least:
                scores[i] = score
                moved += 1
                for k in range(SIZE):
                    cloud[i, k] = proposal[k]
    return moved / size


@kernel
def _propose(scene, cloud, i, proposal, live, key, draw, turn):
    """A step from particle `i`; is it one inside the cube? One or two coordinates anew, or a small step in them; an
    alternative or an authority gained or lost with the limit as it is; or along the line of two others, in some of the
    coordinates (differential evolution: ter Braak 2006, Vrugt et al. 2009)."""
    size = len(cloud)
    for k in range(SIZE):
        proposal[k] = cloud[i, k]
    several = 0 if scene.issues == 1 else scene.issues + scene.items
    kind = unit(key, draw, turn, 2)
    if kind < 0.14:
        return _swap(scene, proposal, kind < 0.09, unit(key, draw, turn, 3))
    if kind < 0.5:
        for j in range(2):
            k = int(unit(key, draw, turn, 3 + j) * (live + several))
            if k >= live:
                k += WEIGHTS - live
            if k >= WEIGHTS + scene.issues:
                k += ISSUES - scene.issues
            drawn = unit(key, draw, turn, 8 + j)
            if kind < 0.32:
                proposal[k] = drawn
            else:
                proposal[k] = abs(1.0 - abs(1.0 - abs(proposal[k] + 0.2 * (drawn - 0.5))))
        return True
    a = (i + 1 + int(unit(key, draw, turn, 0) * (size - 1))) % size
    b = (i + 1 + int(unit(key, draw, turn, 1) * (size - 1))) % size
    if a == b:
        return False
    gamma = 0.6 if kind < 0.88 else 1.0
    crossed = CROSSED[int(unit(key, draw, turn, 4) * len(CROSSED))]
    for k in range(SIZE):
        if unit(key, draw, turn, 64 + k) >= crossed:
            continue
        jitter = (unit(key, draw, turn, 16 + k) - 0.5) * 0.02
        moved = proposal[k] + gamma * (cloud[a, k] - cloud[b, k]) + jitter
        proposal[k] = moved - math.floor(moved)  # from one end on to the other: the way back is as likely
    return True


@kernel
def _swap(scene, proposal, alternative, drawn):
    """Draws anew whether there is an alternative (or an authority), and shifts the walk-away so that what is gained or
    lost leaves the walk-away (or the limit) as it was; is there room for that?"""
    if alternative:
        which, often, tighter = HAS_ALTERNATIVE, scene.alternative, n.ALTERNATIVE_WORTH
    else:
        which, often = HAS_BUDGET, n.BUDGET_PROBABILITY
        tighter = n.BUDGET_DEPTH[0] + (n.BUDGET_DEPTH[1] - n.BUDGET_DEPTH[0]) * proposal[DEPTH]
    change = (1.0 if drawn < often else 0.0) - (1.0 if proposal[which] < often else 0.0)
    proposal[which] = drawn
    proposal[OFFSET] -= change * tighter / (2.0 * scene.spread)
    return 0.0 <= proposal[OFFSET] <= 1.0


# What it comes to -----------------------------------------------------------------------------------------------------

FACTS = 12
"""Columns of `facts_now`: limit, walk-away, budget (utilities), urgency, alternative, deadline, opening, beta, share,
reciprocity, reserve, the most that the player could have (a utility)."""


@kernel
def facts_now(tables, x, now, cloud, mine, events, out, slopes):
    """Each particle's opponent as it is at this record: (K, FACTS) and its utility (K, 1 + ISSUES)."""
    scene, rest, seat, me = tables.scenes[x.scene], tables.rest[x.scene], 1 - x.learner, x.learner
    for i in range(len(cloud)):
        realise(tables, x, cloud[i], mine)
        happen(tables, x, cloud[i], events, 0, now.turn)
        hand_over(x, now)
        with_erosion(scene, now)
        out[i, 0] = limit_of(now, seat)
        out[i, 1] = now.walk_away[seat]
        out[i, 2] = now.budget[seat] if now.has_budget[seat] else now.walk_away[seat]
        out[i, 3] = now.urgency[seat]
        out[i, 4] = 1.0 if now.alternative[seat] else 0.0
        out[i, 5] = now.deadline[seat]
        out[i, 6] = now.opening
        out[i, 7] = now.beta
        out[i, 8] = now.share
        out[i, 9] = now.reciprocity
        out[i, 10] = now.reserve
        theirs = limit_of(now, seat) - extras(scene, now, seat)
        most = best_within(scene, rest, now.base[me], now.slopes[me], now.base[seat], now.slopes[seat], theirs)
        # The most that this player could have, as a utility with sweeteners; less than its limit: no ZOPA.
        out[i, 11] = most + extras(scene, now, me) if most != NONE else -1e17
        slopes[i, 0] = now.base[seat]
        for k in range(ISSUES):
            slopes[i, 1 + k] = now.slopes[seat, k]


@kernel
def alternatives(tables, x, now, cloud, mine, seen, moves, count, events, out):
    """Each particle's probability that the opponent has an alternative now, all else of it given (K,): with it and
    without it, weighed by what was seen. Less noisy than counting particles (Rao–Blackwell). Returns the prior's."""
    scene, seat = tables.scenes[x.scene], 1 - x.learner
    tried, most = np.empty(SIZE), most_of(tables, seen, moves, count)
    has = np.zeros(2)
    prior = scene.alternative
    score = np.zeros(2)
    for i in range(len(cloud)):
        for k in range(SIZE):
            tried[k] = cloud[i, k]
        for with_it in range(2):
            tried[HAS_ALTERNATIVE] = 0.5 * scene.alternative if with_it == 1 else 0.5 + 0.5 * scene.alternative
            least = -np.inf if with_it == 0 else score[0] - NEGLIGIBLE
            score[with_it] = history(tables, x, tried, mine, seen, moves, count, events, most, least)
            realise(tables, x, tried, mine)
            happen(tables, x, tried, events, 0, now.turn)
            has[with_it] = 1.0 if x.alternative[seat] else 0.0
        prior = scene.alternative * has[1] + (1.0 - scene.alternative) * has[0]
        top = max(score[0], score[1])
        if top == -np.inf:
            out[i] = prior
            continue
        one = scene.alternative * math.exp(score[1] - top)
        none = (1.0 - scene.alternative) * math.exp(score[0] - top)
        out[i] = (one * has[1] + none * has[0]) / (one + none)
    return prior


@kernel
def blurred_quantile(values, weights, level, width):
    """The quantile of a weighted sample whose every value is blurred by a normal of this width."""
    low, high = values.min() - 6.0 * width, values.max() + 6.0 * width
    for _ in range(40):
        middle, below = 0.5 * (low + high), 0.0
        for i in range(len(values)):
            below += weights[i] * normal_share((middle - values[i]) / width)
        if below < level:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)

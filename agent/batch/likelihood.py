"""How likely a known persona makes a move that was seen, for the batched core: the model of the belief tracker."""

from __future__ import annotations

# pyright: reportMissingParameterType=false
import math

import numpy as np

from agent import numbers as an
from agent.batch.compiled import kernel
from agent.batch.layout import (
    ALTERNATIVE,
    BUDGET,
    DEADLINE,
    LIMIT,
    SILENCE,
    STANDS,
    WITHDRAWN,
)
from agent.batch.persona import (
    before_noise,
    claimable,
    horizon_of,
    keeps_to,
    least_taken,
    leaves,
    opening_of,
    persuaded_by_cards,
    tightest_of,
    told,
    with_claim,
)
from agent.batch.rules import (
    first_priority,
    rounded_value,
)
from agent.batch.worth import extras, limit_of, own_worth
from parlay_env.deal import numbers as n

IMPOSSIBLE = -30.0
SURPRISE = 1e-3
"""The density of what a persona would not do: a model that is a little wrong must not lose all its particles."""
NEAR = 0.012
"""How closely an offer is known, in Δ0: the grain of a price; with several issues that of outcomes, …"""
NEAR_SEVERAL = 0.03
_ROOT = math.sqrt(2.0 * math.pi)
MOST = math.log(1.0 / (min(NEAR, NEAR_SEVERAL) * _ROOT) + SURPRISE) + 1e-9
"""No move's log likelihood is above this, …"""
MOST_OF_A_STEP = math.log(1.0 / (math.hypot(an.NOISE, min(NEAR, NEAR_SEVERAL)) * _ROOT) + SURPRISE) + 1e-9
"""… none of an ordinary step above this: with the noise of concessions it can't be known better, …"""
MOST_UNMOVED = 0.0
"""… and none without an offer above this."""


@kernel
def normal_share(z):
    """Φ."""
    return 0.5 * (1.0 + math.erf(z * 0.7071067811865476))


@kernel
def _near(x, width):
    """Log density of an offer this far from where it should be, when that is known to `width`."""
    z = x / width
    return math.log(math.exp(-0.5 * z * z) / (width * _ROOT) + SURPRISE)


@kernel
def likelihood(tables, r, m):
    """Log likelihood of the opponent's move `m` at this record, whose opponent is a particle's."""
    scene, rest, p = tables.scenes[r.scene], tables.rest[r.scene], tables.persons[r.persona]
    seat, other = 1 - r.learner, r.learner
    turn = max(1, r.turn)
    limit, width = limit_of(r, seat) - extras(scene, r, seat), scene.delta0[seat]
    aspired = opening_of(scene, r, seat)
    opening = max(r.least_opening, aspired)
    near = NEAR if scene.is_price else NEAR_SEVERAL
    asked = (own_worth(scene, r, seat, m.offer) - limit) / width if m.offers else 0.0
    if r.turn == 0:
        return _near(asked - opening, near) if m.offers else 0.0
    if turn > r.deadline[seat] or (turn > 2 and turn >= r.deadline[seat]):
        return IMPOSSIBLE  # it would have left
    last = aspired
    if r.offers[seat] > 0:
        last = (own_worth(scene, r, seat, r.latest[seat]) - limit) / width
    horizon = horizon_of(r.deadline[seat], p.patience)
    over_time = min(1.0, turn / horizon)
    moved = persuaded_by_cards(p, r, seat)
    if r.card[other] == SILENCE:
        moved += ((1.0 - p.patience) * an.SILENCE_STEP - p.patience * an.SILENCE_GAIN) * r.strength[other]
    moved = with_claim(scene, rest, r, seat, limit, last, moved)
    target, floor = before_noise(tables, scene, p, r, seat, opening, horizon, over_time, turn, moved)
    demand = max(target, floor)
    gives = demand <= last - an.STEP_AT_LEAST
    total = 0.0
    standing = -np.inf
    if r.has_standing[other]:
        standing = (own_worth(scene, r, seat, r.standing[other]) - limit) / width
        wanted = least_taken(p, r, seat, demand if gives else max(r.reserve, last), over_time, turn)
        total += math.log(max(1e-9, normal_share((wanted - standing) / (an.NOISE if gives else NEAR))))
    if turn > 2:
        total += math.log(max(1e-9, 1.0 - leaves(p, r, seat, turn)))
    if m.card != SILENCE:
        total += _offered(p, r, m, seat, opening, demand, gives, last, standing, asked, near, turn)
    return total + _claimed(scene, p, r, m, seat, turn)


@kernel
def _offered(p, r, m, seat, opening, demand, gives, last, standing, asked, near, turn):
    """Log likelihood of the offer, or of none."""
    if r.offers[seat] == 0:
        return _near(asked - opening, near) if m.offers else 0.0
    void = not r.has_standing[seat] or last < 0.0
    splits = standing > -np.inf and 0.0 < last - standing < p.splits
    if splits:
        return _near(asked - max(r.reserve, 0.5 * (last + standing)), near) if m.offers else math.log(SURPRISE)
    hold = 0.0
    if not void and turn < r.deadline[seat] - an.LAST_TURNS:
        hold = an.HOLD * (1.0 - p.conscientiousness)
    noise = math.sqrt(an.NOISE * an.NOISE + near * near)
    if m.offers:
        if not gives:
            return _near(asked - max(r.reserve, last), near) if void else math.log(SURPRISE)
        return math.log(1.0 - hold) + _near(asked - demand, noise)
    if void:
        return math.log(SURPRISE)
    if not gives:
        return 0.0
    stays = 1.0 - normal_share((last - an.STEP_AT_LEAST - demand) / an.NOISE)
    return math.log(max(SURPRISE, hold + (1.0 - hold) * stays))


@kernel
def _claimed(scene, p, r, m, seat, turn):
    """Log likelihood of what is claimed, and of what came of it (`verdict`)."""
    kind, value, status = m.claim_kind, m.claim_value, m.verdict
    if kind < 0:
        return 0.0
    true, bluff = 0.0, 0.0
    at = told(r, seat, kind) if p.bluff > 0.0 else -1
    kept = at >= 0  # it keeps to its story, whatever that is worth
    if kind == LIMIT or kind == BUDGET:
        limit = claimable(r, seat, kind)
        if scene.is_price:
            tightest = tightest_of(scene, r, seat, m)
            kept = keeps_to(scene, r, seat, at, limit, tightest)
        else:  # what its offers have been worth to it hangs on weights that nobody has told
            tightest = scene.prior_highest[seat]
            kept = at >= 0 and value == r.claim_value[at] and keeps_to(scene, r, seat, at, limit, tightest)
        is_so = abs(value - limit) <= n.CLAIM_GRAIN * scene.delta0[seat]
        if not kept:
            true, bluff = _limit_claimed(scene, seat, limit, tightest, value)
    elif kind == DEADLINE:
        kept = kept and turn <= r.claim_value[at] <= r.deadline[seat] + n.DEADLINE_GRAIN
        is_so = abs(value - r.deadline[seat]) <= n.DEADLINE_GRAIN
        true = 1.0 if value == r.deadline[seat] else 0.0
        soonest = max(n.DEADLINE[0], turn + 1)
        latest = max(soonest, r.deadline[seat] - 2)
        if value < r.deadline[seat]:
            bluff = 1.0 / (latest - soonest + 1) if soonest <= value <= latest else 0.0
        elif value == r.deadline[seat]:
            bluff = 1.0 if r.deadline[seat] <= soonest else 0.0
    elif kind == ALTERNATIVE:
        has = 1 if r.alternative[seat] else 0
        kept = kept and r.claim_value[at] >= has  # an alternative that it has got since is told
        is_so = value == has
        true = 1.0 if is_so else 0.0
        bluff = 1.0 if value == 1 else 0.0
    else:
        first = first_priority(scene, r, seat)
        is_so = value == first
        true = 1.0 if is_so else 0.0
        bluff = 0.0 if is_so else 1.0 / (max(2, scene.issues) - 1)
    made = (1.0 - p.bluff) * true + p.bluff * bluff
    if kept:
        made = 1.0 if value == r.claim_value[at] else 0.0
    if status == WITHDRAWN:
        made *= 0.0 if is_so else n.BACK_DOWN_PROBABILITY
    elif status == STANDS:
        made *= 1.0 if is_so else 1.0 - n.BACK_DOWN_PROBABILITY
    return math.log(max(SURPRISE, made))


@kernel
def _limit_claimed(scene, seat, limit, tightest, value):
    """The probabilities of a true and of a bluffed limit at this value, each of the grain's cells."""
    width, declared = scene.delta0[seat], scene.limits[seat]
    grain = n.CLAIM_GRAIN * width
    true = 1.0 if abs(rounded_value(limit, width, declared) - value) < 0.5 * grain else 0.0
    if tightest <= limit:
        return true, true
    low, high = limit + an.BLUFF_DEPTH[0] * width, limit + an.BLUFF_DEPTH[1] * width
    share = 0.0  # of the depths that end in this cell
    ends = min(high, tightest)
    if ends > low:
        share = max(0.0, min(ends, value + 0.5 * grain) - max(low, value - 0.5 * grain)) / (high - low)
    capped = min(1.0, max(0.0, (high - tightest) / (high - low)))
    if capped > 0.0 and tightest - grain < value + 0.5 * grain and value <= tightest + 1.0:
        share += capped if value > tightest - grain else 0.0
    return true, min(1.0, share)


@kernel
def most_of(tables, seen, moves, count):
    """What the log likelihoods of the moves from each place on can sum to at the most (count,)."""
    most = np.empty(count)
    total = 0.0
    splits = count > 0 and tables.persons[seen[0].persona].splits > 0.0
    for i in range(count - 1, -1, -1):
        r = seen[i]
        seat = 1 - r.learner
        if not moves[i].offers:
            total += MOST_UNMOVED
        elif r.offers[seat] > 0 and r.has_standing[seat] and r.news + r.ticks == 0 and not splits:
            total += MOST_OF_A_STEP
        else:
            total += MOST
        most[i] = total
    return most

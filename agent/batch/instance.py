"""How a deal begins, compiled: `parlay_env.deal.instance`, and the style that a persona draws."""

# pyright: reportMissingParameterType=false
from __future__ import annotations

import numpy as np

from agent.batch.compiled import kernel
from agent.batch.draws import between, integer, unit
from agent.batch.worth import (
    best_within,
    grained,
    limit_of,
)
from agent.numbers import BETA_RANGE, LEAST_OPENING, OPENING_SPREAD, RECIPROCITY_RANGE, RESERVE_RANGE
from agent.purposes import Draw
from game.cards import START_POINTS
from parlay_env.deal import instance
from parlay_env.deal import numbers as n
from parlay_env.deal.state import T_MAX
from parlay_env.rng import Purpose

hundredths = kernel(instance.hundredths)

_OPENER, _FIRES, _TURN = int(Purpose.OPENER), int(Purpose.HEADLINE_FIRES), int(Purpose.HEADLINE_TURN)
_WALK_AWAY, _BUDGET, _DEPTH = int(Purpose.WALK_AWAY), int(Purpose.BUDGET), int(Purpose.BUDGET_DEPTH)
_URGENCY, _ALTERNATIVE, _DEADLINE = int(Purpose.URGENCY), int(Purpose.ALTERNATIVE), int(Purpose.DEADLINE)
_WEIGHT, _ITEM_WORTH = int(Purpose.WEIGHT), int(Purpose.SWEETENER_WORTH)
_NO_ZOPA, _NO_ZOPA_GAP = int(Purpose.NO_ZOPA), int(Purpose.NO_ZOPA_GAP)
_D_OPENING, _D_LEAST, _D_BETA = int(Draw.OPENING), int(Draw.LEAST_OPENING), int(Draw.BETA)
_D_SHARE, _D_RECIPROCITY, _D_RESERVE = int(Draw.SHARE), int(Draw.RECIPROCITY), int(Draw.RESERVE)
_REDRAWS = instance._REDRAWS  # noqa: SLF001 - the same bound in both cores


@kernel
def start(tables, r, mine_key, theirs_key):
    """The first state of an episode whose scene, persona, learner, split, events and keys are set; all else zero."""
    scene, me = tables.scenes[r.scene], r.learner
    opens = unit(r.visible, 0, _OPENER, 0) < 0.5
    r.turn = 1 if opens else 0
    r.mover = me if opens else 1 - me
    r.tension = n.TENSION_START
    r.peak = n.TENSION_START
    r.end_seat = -1
    for seat in range(2):
        r.trust[seat] = n.TRUST_START
        r.credibility[seat] = n.CREDIBILITY_START
        r.points[seat] = START_POINTS
        r.card[seat] = -1
        r.question[seat] = -1
        r.safe[seat] = True
        r.least_worth[seat] = 2**62
    for k in range(4):
        r.belief[k] = np.nan
    for k in range(len(r.guess)):
        r.guess[k] = 1.0
    draw_facts(tables, r, mine_key, theirs_key)
    draw_style(tables, r)
    for k in range(scene.headlines):
        if unit(r.visible, 0, _FIRES, k) < scene.headline_probability[k]:
            r.schedule[k] = scene.headline_turn[k] + integer(
                -n.SCHEDULE_SPREAD, n.SCHEDULE_SPREAD, r.visible, 0, _TURN, k
            )
        else:
            r.schedule[k] = -1


@kernel
def draw_facts(tables, r, mine_key, theirs_key):
    """Both seats' facts."""
    scene, rest = tables.scenes[r.scene], tables.rest[r.scene]
    me, other = r.learner, 1 - r.learner
    _kept_facts(scene, r, me, mine_key, False)
    _limits(scene, r, me, mine_key, 0)
    _kept_facts(scene, r, other, theirs_key, True)
    without = unit(r.hidden, 0, _NO_ZOPA, 0) < n.NO_ZOPA_PROBABILITY
    most = 0
    for attempt in range(_REDRAWS):
        _limits(scene, r, other, theirs_key, attempt)
        most = best_within(scene, rest, r.base[other], r.slopes[other], r.base[me], r.slopes[me], limit_of(r, me))
        if without or most >= limit_of(r, other):
            break
    if without:
        gap = between(n.NO_ZOPA_GAP[0], n.NO_ZOPA_GAP[1], r.hidden, 0, _NO_ZOPA_GAP, 0)
        tighten(r, other, grained(scene, other, most + gap * scene.delta0[other]) - limit_of(r, other))


@kernel
def _kept_facts(scene, r, seat, key, has_deadline):
    """The facts that are drawn but once: all but the limits."""
    r.alternative[seat] = unit(key, 0, _ALTERNATIVE, 0) < scene.alternative
    r.urgency[seat] = hundredths(
        scene.urgency + between(-scene.urgency_spread, scene.urgency_spread, key, 0, _URGENCY, 0)
    )
    r.deadline[seat] = T_MAX
    if has_deadline:
        r.deadline[seat] = integer(n.DEADLINE[0], n.DEADLINE[1], key, 0, _DEADLINE, 0)
    drawn_weights(scene, r, seat, key)
    for k in range(scene.items):
        if scene.item_by[k] == seat:
            r.item_worth[seat, k] = -np.int64(round(scene.item_cost[k] * scene.delta0[seat]))
        else:
            share = between(scene.item_low[k], scene.item_high[k], key, 0, _ITEM_WORTH, k)
            r.item_worth[seat, k] = np.int64(round(share * scene.delta0[seat]))


@kernel
def drawn_weights(scene, r, seat, key):
    """The private weights, and the utility that they make."""
    if scene.issues == 1:
        r.base[seat] = scene.base[seat]
        r.slopes[seat, 0] = scene.slopes[seat, 0]
        return
    total = 0.0
    for k in range(scene.issues):
        raw = max(
            n.LEAST_WEIGHT,
            scene.weights[seat, k] + between(-n.WEIGHT_SPREAD, n.WEIGHT_SPREAD, key, 0, _WEIGHT, k),
        )
        r.weights[seat, k] = raw
        total += raw
    weigh(scene, r, seat, total)


@kernel
def weigh(scene, r, seat, total):
    """The utility that the raw weights, which sum to `total`, make."""
    r.base[seat] = 0
    for k in range(scene.issues):
        r.weights[seat, k] = round(10_000 * r.weights[seat, k] / total) / 10_000
        last = scene.counts[k] - 1
        slope = np.int64(round(100 * scene.stake * r.weights[seat, k] / last))
        if scene.rises[k] == seat:
            r.slopes[seat, k] = slope
        else:
            r.slopes[seat, k] = -slope
            r.base[seat] += slope * last


@kernel
def _limits(scene, r, seat, key, attempt):
    """The walk-away and the budget of this attempt."""
    offset = between(-scene.spread, scene.spread, key, 0, _WALK_AWAY, attempt)
    has_budget = unit(key, 0, _BUDGET, attempt) < n.BUDGET_PROBABILITY
    depth = between(n.BUDGET_DEPTH[0], n.BUDGET_DEPTH[1], key, 0, _DEPTH, attempt)
    set_limits(scene, r, seat, offset, has_budget, depth)


@kernel
def set_limits(scene, r, seat, offset, has_budget, depth):
    """The limits that these figures make."""
    width = scene.delta0[seat]
    walk_away = scene.limits[seat] + (offset + n.ALTERNATIVE_WORTH * r.alternative[seat]) * width
    r.has_budget[seat] = has_budget
    r.budget[seat] = grained(scene, seat, walk_away + depth * width) if has_budget else 0
    r.walk_away[seat] = grained(scene, seat, walk_away)


@kernel
def draw_style(tables, r):
    """The opponent's style."""
    p, key = tables.persons[r.persona], r.policy
    r.opening = p.opening + between(-OPENING_SPREAD, OPENING_SPREAD, key, 0, _D_OPENING, 0)
    r.least_opening = between(LEAST_OPENING[0], LEAST_OPENING[1], key, 0, _D_LEAST, 0)
    r.beta = p.beta * between(BETA_RANGE[0], BETA_RANGE[1], key, 0, _D_BETA, 0)
    r.share = between(p.share[0], p.share[1], key, 0, _D_SHARE, 0)
    r.reciprocity = p.reciprocity * between(RECIPROCITY_RANGE[0], RECIPROCITY_RANGE[1], key, 0, _D_RECIPROCITY, 0)
    r.reserve = p.reserve * between(RESERVE_RANGE[0], RESERVE_RANGE[1], key, 0, _D_RESERVE, 0)


@kernel
def tighten(r, seat, amount):
    """A limit needs `amount` more."""
    r.walk_away[seat] += amount
    if r.has_budget[seat]:
        r.budget[seat] += amount

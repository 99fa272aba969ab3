"""Plans for the rest of a deal, and what they come to: the family that `bayes` and `oracle` choose from.

A plan goes from where the learner stands (`origin`) to a `goal`, both surpluses in its Δ0: in `pace` moves, or by
matching the other's steps. It takes what is as good as its next ask, and leaves when it has stood at its own limit for
a while. A first move may carry a card, a question or a challenge besides.
"""

from __future__ import annotations

# pyright: reportMissingParameterType=false
import numpy as np

from agent.batch.compiled import kernel
from agent.batch.draws import integer, unit, word
from agent.batch.engine import step
from agent.batch.layout import EPISODE, MOVE, SILENCE
from agent.batch.particles import hand_over, happen, realise, with_erosion
from agent.batch.persona import clear
from agent.batch.rules import is_invalid
from agent.batch.worth import asking, extras, limit_of, own_worth
from parlay_env.deal import numbers as n
from parlay_env.deal.state import T_MAX
from parlay_env.rng import Purpose

_FIRES, _TURN = int(Purpose.HEADLINE_FIRES), int(Purpose.HEADLINE_TURN)
PLAN = np.dtype(
    [("kind", "i8"), ("origin", "f8"), ("goal", "f8"), ("pace", "i8"), ("since", "i8"), ("wait", "i8")], align=True
)
"""A plan: `kind` 0 go on, 1 accept now, 2 walk away now, 3 match the other's steps and lead them by `pace` hundredths;
`since`: its first turn; `wait`: moves that it holds first."""
GO_ON, ACCEPT, WALK, MATCH = range(4)
SAME = 0.003
"""Asks closer than this to the last are not said again."""
PATIENCE = 2
"""How long a plan stands at its own limit before it leaves."""
LINGERS = 14
"""How many moves a plan that matches the other's steps makes before it leaves."""
LITTLE = 0.02
"""A goal this near the own limit is all that there is to give."""


@kernel
def plan_move(tables, r, plan, base, slopes, m):
    """The plan's move at this record into `m`; `base` and `slopes`: the other's utility as the learner supposes it."""
    scene, rest, me = tables.scenes[r.scene], tables.rest[r.scene], r.learner
    other, turn = 1 - me, max(1, r.turn)
    clear(m)
    m.belief[0] = r.walk_away[other]
    if plan.kind == ACCEPT and turn == plan.since:
        m.accept = True
        return
    if plan.kind == WALK:
        m.walk = True
        return
    limit, width = limit_of(r, me) - extras(scene, r, me), scene.delta0[me]
    moves = turn - plan.since + 1 - plan.wait
    if plan.kind == MATCH:
        ask = plan.origin
        if r.offers[me] > 0:
            ask = (own_worth(scene, r, me, r.latest[me]) - limit) / width
            if moves > 0:
                ask -= min(n.CREDIT_AT_MOST, max(n.FREE_STEP, r.step[other] + 0.01 * plan.pace))
        done, lingers = ask <= plan.goal, LINGERS
        ask = max(0.0, plan.goal, ask)
    else:
        done, lingers = moves >= plan.pace, plan.pace + PATIENCE
        share = min(1.0, max(0.0, moves / plan.pace))
        ask = max(0.0, plan.origin + (plan.goal - plan.origin) * share)
    if r.has_standing[other]:
        standing = (own_worth(scene, r, me, r.standing[other]) - limit) / width
        if standing >= 0.0 and (standing >= ask or turn >= T_MAX):
            m.accept = True
            return
    if turn >= T_MAX or (done and plan.goal <= LITTLE and moves >= lingers):
        m.walk = True
        return
    if r.has_standing[me]:
        last = (own_worth(scene, r, me, r.standing[me]) - limit) / width
        if last >= 0.0 and abs(last - ask) < SAME:
            return
    least = limit + np.int64(round(ask * width))
    asking(scene, rest, r.base[me], r.slopes[me], base, slopes, least, m.offer)
    m.offers = True


@kernel
def add(tables, r, m, extra):
    """Adds a card, a question or a challenge to a move; False when that can't be, with the move as it was."""
    if m.accept or m.walk:
        return False
    m.card, m.item, m.question, m.challenge = extra.card, extra.item, extra.question, extra.challenge
    m.claim_kind, m.claim_value = extra.claim_kind, extra.claim_value
    offers = m.offers
    if extra.card == SILENCE:
        m.offers = m.voiced = False
    elif extra.offers:  # an offer of its own
        m.offers = True
        for k in range(len(m.offer)):
            m.offer[k] = extra.offer[k]
    if not is_invalid(tables, r, r.learner, m):
        return True
    m.card = m.item = m.question = m.claim_kind = -1
    m.challenge = False
    m.offers, m.voiced = offers, True
    return False


@kernel
def roll_out(tables, r, plan, base, slopes, extra, has_extra, m, theirs):
    """Plays the plan to the end from a record, which it changes; returns the reward from here on."""
    before = r.reward
    first = True
    while r.ended == 0:
        plan_move(tables, r, plan, base, slopes, m)
        if first and has_extra and not add(tables, r, m, extra):
            return -1e9
        first = False
        step(tables, r, m, theirs)
    return r.reward - before


@kernel
def prospects(tables, now, cloud, mine, events, key, base, slopes, out):
    """Records from which plans can be rolled out: `now` with each particle's opponent and a future of its own."""
    scene = tables.scenes[now.scene]
    x = np.zeros(1, EPISODE)
    for i in range(len(cloud)):
        out[i] = now
        r = out[i]
        x[0] = now
        realise(tables, x[0], cloud[i], mine)
        happen(tables, x[0], cloud[i], events, 0, now.turn)
        hand_over(x[0], r)
        with_erosion(scene, r)
        r.visible = word(key, i, 1, 0)
        r.hidden = word(key, i, 2, 0)
        r.policy = word(key, i, 3, 0)
        for k in range(scene.headlines):
            r.schedule[k] = _still_to_come(scene, r.visible, k, now.turn) if now.schedule[k] >= 0 else -1


@kernel
def _still_to_come(scene, key, k, turn):
    """When a headline that has not broken by this turn will; −1: never."""
    early, late = scene.headline_turn[k] - n.SCHEDULE_SPREAD, scene.headline_turn[k] + n.SCHEDULE_SPREAD
    for attempt in range(16):
        if unit(key, 0, _FIRES, 16 * k + attempt) >= scene.headline_probability[k]:
            return -1
        at = integer(early, late, key, 0, _TURN, 16 * k + attempt)
        if at > turn:
            return at
    return -1


@kernel
def values(tables, futures, count, plans, base, slopes, extra, has_extra, out):
    """What each plan comes to in each of the first `count` futures: (P, count) into `out`."""
    scratch = np.zeros(1, EPISODE)
    moves = np.zeros(2, MOVE)
    for j in range(len(plans)):
        for i in range(count):
            scratch[0] = futures[i]
            out[j, i] = roll_out(tables, scratch[0], plans[j], base, slopes, extra, has_extra, moves[0], moves[1])

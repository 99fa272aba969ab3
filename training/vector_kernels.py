"""The Gymnasium face in compiled code: what a learner sees of a record, what its action means, and what is allowed.

All three read the public part of a record and the learner's own facts, and nothing else. Amounts are shares of the
seat's Δ0, surpluses are utilities above the own limit with what was thrown in.
"""

# pyright: reportMissingParameterType=false
from __future__ import annotations

import numpy as np

from agent.batch.compiled import kernel
from agent.batch.layout import (
    ALTERNATIVE,
    ANCHOR_HIGH,
    BATNA_REVEAL,
    BROKEN,
    BUDGET,
    DEADLINE,
    KINDS,
    LIMIT,
    REFRAME,
    SILENCE,
    SWEETENER,
    TIME_PRESSURE,
    WITHDRAWN,
)
from agent.batch.persona import clear
from agent.batch.rules import is_invalid, newest_open_claim
from agent.batch.worth import asking, declared_worth, extras, limit_of, own_worth
from agent.personas import PERSONAS
from game.cards import CARDS, START_POINTS, TOPICS
from parlay_env.deal.state import EARLY, T_MAX

# What an action means -------------------------------------------------------------------------------------------------

STEPS = (-0.10, 0.0, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.18, 0.25)
"""Concessions from the own newest offer (before the first: from the declared anchor), never below the own limit."""
DECISIONS = ("accept", "walk", "talk", *(f"concede {step:+.2f}" for step in STEPS), "meet halfway")
ACCEPT, WALK, TALK, FIRST_STEP = range(4)
MEET = FIRST_STEP + len(STEPS)
TACTICS = (
    "none",
    "anchor_high",
    "silence",
    "sweetener",
    "reframe",
    "time_pressure",
    "batna_reveal",
    "batna_reveal, bluffed",
    *(f"question: {topic}" for topic in TOPICS),
)
T_ANCHOR, T_SILENCE, T_SWEETENER, T_REFRAME, T_TIME, T_LIMIT, T_BLUFF, T_QUESTION = range(1, 9)
BELIEFS = (-0.60, -0.45, -0.30, -0.15, 0.0, 0.15, 0.30, 0.45, 0.60)
"""How much stricter than declared the other's walk-away is believed to be."""
IMPACTS = (-0.15, -0.10, -0.05, -0.02, 0.02, 0.05, 0.10, 0.15)
"""By how much a market event is believed to have tightened the other's limit."""
ANCHOR_ABOVE = 0.10
"""What `anchor_high` asks above the own highest ask so far."""
BLUFF_ABOVE = 0.20
"""How much stricter than the truth a bluffed limit is."""
PARTS: dict[str, tuple[str, ...]] = {
    "decision": DECISIONS,
    "tactic": TACTICS,
    "challenge": ("no", "yes"),
    "belief": ("none", *(f"{value:+.2f}" for value in BELIEFS)),
    "impact": ("none", *(f"{value:+.2f}" for value in IMPACTS)),
}
"""What an action is made of: each part's values, by their numbers."""
SIZES = tuple(len(values) for values in PARTS.values())
_TACTIC_AT, _CHALLENGE_AT = SIZES[0], SIZES[0] + SIZES[1]


@kernel
def decode(tables, r, action, m):
    """The move of an action (a number for each of `PARTS`) into `m`. It may be one that isn't allowed."""
    scene, rest, me = tables.scenes[r.scene], tables.rest[r.scene], r.learner
    other, decision, tactic = 1 - me, action[0], action[1]
    clear(m)
    if action[3] > 0:
        m.belief[0] = scene.limits[other] + round(BELIEFS[action[3] - 1] * scene.delta0[other])
    if action[4] > 0:
        m.event_impact = IMPACTS[action[4] - 1]
    if decision in (ACCEPT, WALK):
        m.accept, m.walk, m.challenge = decision == ACCEPT, decision == WALK, action[2] > 0
        return
    if tactic == T_SILENCE:
        m.card, m.voiced = SILENCE, False
        return
    m.challenge = action[2] > 0
    if tactic == T_ANCHOR:
        m.card, m.offers = ANCHOR_HIGH, True
        least = scene.anchor_worth[me] + np.int64(round((r.top[me] + ANCHOR_ABOVE) * scene.delta0[me]))
        asking(scene, rest, scene.base[me], scene.slopes[me], scene.base[other], scene.slopes[other], least, m.offer)
        return
    _use(scene, r, me, tactic, m)
    if decision >= FIRST_STEP:
        m.offers = True
        limit, width = limit_of(r, me) - extras(scene, r, me), scene.delta0[me]
        if m.item >= 0:
            limit -= r.item_worth[me, m.item]
        least = limit + np.int64(round(_demand(scene, r, me, decision, limit) * width))
        asking(scene, rest, r.base[me], r.slopes[me], scene.base[other], scene.slopes[other], least, m.offer)


@kernel
def _use(scene, r, me, tactic, m):
    """The card or the question of a move that speaks."""
    if tactic >= T_QUESTION:
        m.question = tactic - T_QUESTION
    elif tactic == T_SWEETENER:
        m.card = SWEETENER
        for k in range(scene.items):
            if scene.item_by[k] == me and not r.thrown[k]:
                m.item = k
                break
    elif tactic == T_REFRAME:
        m.card = REFRAME
    elif tactic == T_TIME:
        m.card, m.claim_kind, m.claim_value = TIME_PRESSURE, DEADLINE, r.deadline[me]
    elif tactic in (T_LIMIT, T_BLUFF):
        m.card, m.claim_kind, m.claim_value = BATNA_REVEAL, LIMIT, limit_of(r, me)
        if tactic == T_BLUFF:
            m.claim_value += np.int64(round(BLUFF_ABOVE * scene.delta0[me]))


@kernel
def _demand(scene, r, me, decision, limit):
    """The surplus that a decision asks for."""
    width, other = scene.delta0[me], 1 - me
    last = (own_worth(scene, r, me, scene.anchors[me]) - limit) / width
    if r.offers[me] > 0:
        last = (own_worth(scene, r, me, r.latest[me]) - limit) / width
    demand = last
    if decision == MEET:
        if r.offers[other] > 0:
            demand = min(last, 0.5 * (last + (own_worth(scene, r, me, r.latest[other]) - limit) / width))
    else:
        demand = last - STEPS[decision - FIRST_STEP]
    return max(0.0, demand)


# What is allowed ------------------------------------------------------------------------------------------------------


@kernel
def allowed(tables, r, m, action, out):
    """Which values of each part are allowed, all parts one after the other; any mixture of allowed values is, too.

    `m`, a move, and `action` are scratch paper.
    """
    other = 1 - r.learner
    for k in range(len(out)):
        out[k] = 1
    out[ACCEPT] = r.has_standing[other]
    for k in range(len(action)):
        action[k] = 0
    action[0] = TALK
    for tactic in range(1, len(TACTICS)):
        action[1] = tactic
        decode(tables, r, action, m)
        out[_TACTIC_AT + tactic] = not is_invalid(tables, r, r.learner, m)
    out[_CHALLENGE_AT + 1] = newest_open_claim(r, other) >= 0


# What is seen ---------------------------------------------------------------------------------------------------------

BOUND = 5.0
"""Features lie within ± this."""
HEADLINES = 2
"""So many scheduled headlines of a scenario are described."""
_CONDUCT = (
    *("ask", "top", "best", "step", "credit", "weakness", "idle"),
    *("trust", "credibility", "points", "offers", "anchoring", "framing", "pressing"),
)
_DECLARED = (
    *("turn", "probability", "urgency", "their_urgency"),
    *("limit", "their_limit", "alternative", "their_alternative"),
)
_CLAIMED = ("made", "value", "age", "alive", "broken")
FEATURES = (
    *("turn", "tightness", "walk_away", "has_budget", "urgency", "alternative", "deadline", "thrown_in"),
    *("anchor", "their_anchor", "offered", "stands", "last", "they_offered", "they_stand", "their_first"),
    *("their_last", "their_standing", "gap", "last_to_them", "their_last_to_them"),
    *(f"{what}, {whose}" for whose in ("own", "theirs") for what in _CONDUCT),
    *("tension", "heat", "relief", "streak", "ticks", "news", "market_news", "fresh_news", "estimate_due"),
    *("effect", "effect_age"),
    *(f"used {card.id}" for card in CARDS),
    *(f"asked {topic}" for topic in TOPICS),
    *("items_left", "their_items"),
    *(f"their {card.id}" for card in CARDS),
    *(f"their {kind}: {part}" for kind in ("limit", "deadline", "alternative") for part in _CLAIMED),
    *("claims", "open_claim_early", *(f"open {kind}" for kind in KINDS), "challenges"),
    *(f"own limit claim: {part}" for part in _CLAIMED),
    *("believes", "belief"),
    *(f"may {tactic}" for tactic in TACTICS[1:]),
    "buyer",
    *PERSONAS,
    *("scene_urgency", "scene_alternative", "scene_spread", "issues"),
    *(f"headline {k + 1}: {part}" for k in range(HEADLINES) for part in _DECLARED),
)
"""The observation: one name a number."""
_PERSONAS, _CARDS, _TOPICS, _KINDS = len(PERSONAS), len(CARDS), len(TOPICS), len(KINDS)
_UNSEEN = -1.5
"""Stands for the surplus of an offer that there isn't."""


@kernel
def observe(tables, r, mask, out):
    """What the learner sees, into `out`; returns how many features there are. `mask` is what `allowed` gives."""
    scene, me = tables.scenes[r.scene], r.learner
    other, turn = 1 - me, r.turn
    limit = limit_of(r, me) - extras(scene, r, me)
    k = _own(scene, r, me, out, 0)
    k = _offers(scene, r, me, limit, out, k)
    k = _conduct(r, me, out, k)
    k = _conduct(r, other, out, k)
    k = _table(r, me, out, k)
    k = _tactics(scene, r, me, out, k)
    k = _claim(scene, r, other, LIMIT, turn, out, k)
    k = _claim(scene, r, other, DEADLINE, turn, out, k)
    k = _claim(scene, r, other, ALTERNATIVE, turn, out, k)
    k = _open_claim(r, other, out, k)
    k = put(out, k, min(2, r.challenges) / 2)
    k = _claim(scene, r, me, LIMIT, turn, out, k)
    unsaid = np.isnan(r.belief[0])
    k = put(out, k, 0.0 if unsaid else 1.0)
    k = put(out, k, 0.0 if unsaid else (r.belief[0] - scene.limits[other]) / scene.delta0[other])
    for tactic in range(1, len(TACTICS)):
        k = put(out, k, mask[_TACTIC_AT + tactic])
    return _setting(scene, r, me, out, k)


@kernel
def put(out, k, value):
    """Writes a feature and gives the next one's place."""
    out[k] = min(BOUND, max(-BOUND, value))
    return k + 1


@kernel
def _own(scene, r, me, out, k):
    """The own facts."""
    width = scene.delta0[me]
    k = put(out, k, r.turn / T_MAX)
    k = put(out, k, (limit_of(r, me) - scene.limits[me]) / width)
    k = put(out, k, (r.walk_away[me] - scene.limits[me]) / width)
    k = put(out, k, r.has_budget[me])
    k = put(out, k, r.urgency[me])
    k = put(out, k, r.alternative[me])
    k = put(out, k, r.deadline[me] / T_MAX)
    return put(out, k, extras(scene, r, me) / width)


@kernel
def _offers(scene, r, me, limit, out, k):
    """Where both stand."""
    width, other = scene.delta0[me], 1 - me
    anchor = (own_worth(scene, r, me, scene.anchors[me]) - limit) / width
    last = (own_worth(scene, r, me, r.latest[me]) - limit) / width if r.offers[me] > 0 else anchor
    first = theirs = standing = _UNSEEN
    if r.offers[other] > 0:
        first = (own_worth(scene, r, me, r.first[other]) - limit) / width
        theirs = (own_worth(scene, r, me, r.latest[other]) - limit) / width
    if r.has_standing[other]:
        standing = (own_worth(scene, r, me, r.standing[other]) - limit) / width
    k = put(out, k, anchor)
    k = put(out, k, (own_worth(scene, r, me, scene.anchors[other]) - limit) / width)
    k = put(out, k, r.offers[me] > 0)
    k = put(out, k, r.has_standing[me])
    k = put(out, k, last)
    k = put(out, k, r.offers[other] > 0)
    k = put(out, k, r.has_standing[other])
    k = put(out, k, first)
    k = put(out, k, theirs)
    k = put(out, k, standing)
    k = put(out, k, last - theirs)
    k = put(out, k, _declared_surplus(scene, r, other, me))
    return put(out, k, _declared_surplus(scene, r, other, other))


@kernel
def _declared_surplus(scene, r, seat, whose):
    """What the newest offer of `whose` gives to a seat by declared figures."""
    if r.offers[whose] == 0:
        return _UNSEEN
    return (declared_worth(scene, seat, r.latest[whose]) - scene.limits[seat]) / scene.delta0[seat]


@kernel
def _conduct(r, seat, out, k):
    """A seat's conduct, as both see it."""
    k = put(out, k, r.ask[seat])
    k = put(out, k, r.top[seat])
    k = put(out, k, r.best[seat])
    k = put(out, k, 5.0 * r.step[seat])
    k = put(out, k, 2.0 * r.credit[seat])
    k = put(out, k, 2.0 * r.weakness[seat])
    k = put(out, k, r.idle[seat] / 5)
    k = put(out, k, r.trust[seat])
    k = put(out, k, r.credibility[seat])
    k = put(out, k, r.points[seat] / START_POINTS)
    k = put(out, k, r.offers[seat] / T_MAX)
    k = put(out, k, r.anchoring[seat])
    k = put(out, k, r.framing[seat])
    return put(out, k, r.pressing[seat])


@kernel
def _table(r, me, out, k):
    """Tension, erosion, headlines."""
    k = put(out, k, r.tension / 100)
    k = put(out, k, r.heat / 20)
    k = put(out, k, r.relief / 20)
    k = put(out, k, r.streak / 3)
    k = put(out, k, r.ticks / 5)
    k = put(out, k, r.news / 2)
    k = put(out, k, r.market_news / 2)
    k = put(out, k, r.news_seen[me] < r.news)
    k = put(out, k, r.market_news > r.estimated)
    if r.shocks == 0:
        k = put(out, k, 0.0)
        return put(out, k, 0.0)
    k = put(out, k, 2.0 * r.shock_effect[r.shocks - 1, me])
    return put(out, k, (r.turn - r.shock_turn[r.shocks - 1]) / 5)


@kernel
def _tactics(scene, r, me, out, k):
    """Cards, questions, sweeteners."""
    for card in range(_CARDS):
        k = put(out, k, r.used[me, card] / 2)
    for topic in range(_TOPICS):
        k = put(out, k, r.asked[me, topic] / 2)
    left = theirs = 0
    for i in range(scene.items):
        if scene.item_by[i] == me:
            left += not r.thrown[i]
        else:
            theirs += r.thrown[i] > 0
    k = put(out, k, left / 2)
    k = put(out, k, theirs / 2)
    for card in range(_CARDS):
        k = put(out, k, r.card[1 - me] == card)
    return k


@kernel
def _claim(scene, r, seat, kind, turn, out, k):
    """A seat's newest claim of a kind; a budget's counts as a limit's."""
    for i in range(r.claims - 1, -1, -1):
        same = r.claim_kind[i] == kind or (kind == LIMIT and r.claim_kind[i] == BUDGET)
        if r.claim_seat[i] != seat or not same:
            continue
        value = float(r.claim_value[i])
        if kind == LIMIT:
            value = (value - scene.limits[seat]) / scene.delta0[seat]
        elif kind == DEADLINE:
            value = (value - turn) / 10
        k = put(out, k, 1.0)
        k = put(out, k, value)
        k = put(out, k, (turn - r.claim_turn[i]) / 10)
        k = put(out, k, r.claim_status[i] != WITHDRAWN and r.claim_status[i] != BROKEN)
        return put(out, k, r.claim_status[i] == BROKEN)
    for _ in range(len(_CLAIMED)):
        k = put(out, k, 0.0)
    return k


@kernel
def _open_claim(r, other, out, k):
    """What a challenge would dispute."""
    at = newest_open_claim(r, other)
    k = put(out, k, r.claims / 4)
    k = put(out, k, at >= 0 and r.claim_turn[at] <= EARLY)
    for kind in range(_KINDS):
        k = put(out, k, at >= 0 and r.claim_kind[at] == kind)
    return k


@kernel
def _setting(scene, r, me, out, k):
    """Who plays what: declared figures alone."""
    k = put(out, k, me)
    for persona in range(_PERSONAS):
        k = put(out, k, r.persona == persona)
    k = put(out, k, scene.urgency)
    k = put(out, k, scene.alternative)
    k = put(out, k, scene.spread)
    k = put(out, k, scene.issues / 3)
    for i in range(HEADLINES):
        if i >= scene.headlines:
            for _ in range(8):
                k = put(out, k, 0.0)
            continue
        k = put(out, k, scene.headline_turn[i] / T_MAX)
        k = put(out, k, scene.headline_probability[i])
        for side in range(2):
            k = put(out, k, scene.headline_urgency[i, (me + side) % 2])
        for side in range(2):
            k = put(out, k, 2.0 * scene.headline_limit[i, (me + side) % 2])
        for side in range(2):
            k = put(out, k, scene.headline_alternative[i, (me + side) % 2])
    return k


# All at once ----------------------------------------------------------------------------------------------------------


@kernel
def decode_all(tables, rows, actions, moves):
    """The moves of all actions, (N, parts)."""
    for i in range(len(rows)):
        decode(tables, rows[i], actions[i], moves[i])


@kernel
def observe_all(tables, rows, which, paper, scratch, masks, out):
    """Masks (N, sum of `SIZES`) and observations (N, features) of the places `which`; a move and an action are scratch
    paper."""
    for i in which:
        allowed(tables, rows[i], paper[0], scratch, masks[i])
        observe(tables, rows[i], masks[i], out[i])

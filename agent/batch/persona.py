"""The personas' policy, compiled: `agent.scripted`, `agent.claims` and `agent.guess`.

A persona reads its own facts and style and the public part of the record, as its view would have them.
"""

# pyright: reportMissingParameterType=false
from __future__ import annotations

import numpy as np

from agent import formulas
from agent import numbers as an
from agent.batch.compiled import kernel
from agent.batch.draws import between, integer, normal, unit
from agent.batch.layout import (
    ALTERNATIVE,
    ANSWER_KIND,
    BATNA_REVEAL,
    BROKEN,
    BUDGET,
    CARD_COST,
    CARD_KIND,
    DEADLINE,
    LIMIT,
    SILENCE,
    SWEETENER,
    TIME_PRESSURE,
    WITHDRAWN,
)
from agent.batch.rules import first_priority, newest_open_claim, rounded_value
from agent.batch.worth import NONE, ask_of, asking, best_within, declared_worth, extras, limit_of, own_worth
from agent.purposes import Draw
from parlay_env.deal import numbers as n
from parlay_env.deal.state import T_MAX

horizon_of = kernel(formulas.horizon_of)
exponent_of = kernel(formulas.exponent_of)
target_of = kernel(formulas.target_of)
earnest = kernel(formulas.earnest)
wanted_from = kernel(formulas.wanted_from)
demand_of = kernel(formulas.demand_of)
pressed_by = kernel(formulas.pressed_by)
framed_by = kernel(formulas.framed_by)
anchored_by = kernel(formulas.anchored_by)
claimed_by = kernel(formulas.claimed_by)
least_accepted = kernel(formulas.least_accepted)
last_accepted = kernel(formulas.last_accepted)
hazard = kernel(formulas.hazard)
frankness = kernel(formulas.frankness)

_NOISE, _HOLD, _LEAVE, _SILENCE = int(Draw.NOISE), int(Draw.HOLD), int(Draw.LEAVE), int(Draw.SILENCE)
_ANSWER, _BLUFF, _BLUFF_SIZE, _DISPUTE = int(Draw.ANSWER), int(Draw.BLUFF), int(Draw.BLUFF_SIZE), int(Draw.DISPUTE)
_CARD, _ITEM = int(Draw.CARD), int(Draw.ITEM)
_GUESSES = len(an.GUESS_GRID)


@kernel
def clear(m):
    """A move that does nothing but speak."""
    m.offers = m.accept = m.walk = m.challenge = False
    m.voiced = True
    m.card = m.item = m.claim_kind = m.question = -1
    m.claim_value = m.verdict = 0
    for k in range(4):
        m.belief[k] = np.nan
    m.event_impact = np.nan


@kernel
def decide(tables, r, m):
    """Puts the persona's move into `m`."""
    scene, rest, p = tables.scenes[r.scene], tables.rest[r.scene], tables.persons[r.persona]
    seat = 1 - r.learner
    other, turn = r.learner, max(1, r.turn)
    clear(m)
    limit = limit_of(r, seat) - extras(scene, r, seat)
    width = scene.delta0[seat]
    aspired = opening_of(scene, r, seat)
    opening = max(r.least_opening, aspired)
    if r.turn == 0:
        m.offers = _ask(scene, rest, r, seat, limit, opening, m)
        return
    if turn > r.deadline[seat]:
        m.walk = True
        return
    last = aspired
    if r.offers[seat] > 0:
        last = (own_worth(scene, r, seat, r.latest[seat]) - limit) / width
    horizon = horizon_of(r.deadline[seat], p.patience)
    over_time = min(1.0, turn / horizon)
    demand = next_demand(tables, scene, rest, p, r, seat, limit, opening, last, horizon, over_time, turn)
    standing = -np.inf
    if r.has_standing[other]:
        standing = (own_worth(scene, r, seat, r.standing[other]) - limit) / width
        if standing >= least_taken(p, r, seat, demand, over_time, turn):
            m.accept = True
            return
    if turn > 2:
        leaving = leaves(p, r, seat, turn)
        if leaving > 0.0 and unit(r.policy, turn, _LEAVE, 0) < leaving:
            m.walk = True
            return
    m.offers = _offer(scene, rest, p, r, seat, limit, opening, demand, last, standing, turn, m)
    _answer(scene, p, r, seat, turn, m)
    m.challenge = _disputes(scene, p, r, seat, turn)
    if r.question[other] < 0 and not m.challenge:
        _pick_card(scene, p, r, seat, turn, limit, last, m)
    if m.card == SILENCE:
        m.offers = m.voiced = False
        m.claim_kind = -1
    elif m.card >= 0 and CARD_KIND[m.card] >= 0:
        _claim(scene, p, r, seat, CARD_KIND[m.card], turn, m)


@kernel
def opening_of(scene, r, seat):
    """The surplus of the opening that the style aspires to, with most of what has been thrown in."""
    anchor, width = own_worth(scene, r, seat, scene.anchors[seat]), scene.delta0[seat]
    gift = (1.0 - an.THROWN_IN) * extras(scene, r, seat) / width
    return (anchor - limit_of(r, seat)) / width + gift + r.opening


@kernel
def bought_of(tables, p, r, seat, horizon, turn):
    """The share of its way that time has bought."""
    other = 1 - seat
    conceded = r.credit[other] + r.weakness[other] > an.CONCEDED
    last_turns = turn >= r.deadline[seat] - an.LAST_TURNS
    share = r.share * (1.0 if conceded or last_turns else p.before_conceded)
    exponent = exponent_of(r.beta, tables.hurries[round(100.0 * r.urgency[seat])])
    return share * tables.curves[turn, horizon, exponent]


@kernel
def next_demand(tables, scene, rest, p, r, seat, limit, opening, last, horizon, over_time, turn):
    """The surplus to ask for next."""
    moved = persuaded(scene, rest, p, r, seat, limit, last, turn)
    target, floor = before_noise(tables, scene, p, r, seat, opening, horizon, over_time, turn, moved)
    return demand_of(target, floor, r.reserve, last, normal(r.policy, turn, _NOISE, 0))


@kernel
def before_noise(tables, scene, p, r, seat, opening, horizon, over_time, turn, moved):
    """Where the persona would go, and how low it would go now."""
    other = 1 - seat
    given = earnest(r.weakness[other])
    bought = bought_of(tables, p, r, seat, horizon, turn) * given
    earned = r.reciprocity * r.credit[other] * given
    if turn < p.wakes:
        earned *= an.ASLEEP
    target = target_of(opening, r.reserve, bought, earned, moved)
    floor = r.reserve + p.guard * (1.0 - over_time)
    if p.depth > an.LEVEL_TWO:
        floor = max(floor, best_response(scene, r, seat) * (1.0 - over_time) * p.depth)
    return target, floor


@kernel
def persuaded(scene, rest, p, r, seat, limit, last, turn):
    """How far the other side's cards have moved this persona."""
    other = 1 - seat
    moved = persuaded_by_cards(p, r, seat)
    if r.card[other] == SILENCE:
        impatient = unit(r.policy, turn, _SILENCE, 0) < 1.0 - p.patience
        pushed = (an.SILENCE_STEP if impatient else -an.SILENCE_GAIN) * r.strength[other]
        return with_claim(scene, rest, r, seat, limit, last, moved + pushed)
    return with_claim(scene, rest, r, seat, limit, last, moved)


@kernel
def persuaded_by_cards(p, r, seat):
    """The same but for silence and claims."""
    other = 1 - seat
    moved = 0.0
    if r.anchoring[other] != 0.0:
        moved += anchored_by(p.depth, r.anchoring[other])
    if r.framing[other] != 0.0:
        moved += framed_by(p.openness, r.framing[other])
    if r.pressing[other] != 0.0:
        moved += pressed_by(r.urgency[seat], r.pressing[other], p.patience)
    return moved


@kernel
def with_claim(scene, rest, r, seat, limit, last, moved):
    """What the other side's newest limit claim adds."""
    other = 1 - seat
    for i in range(r.claims - 1, -1, -1):
        if r.claim_seat[i] == seat or (r.claim_kind[i] != LIMIT and r.claim_kind[i] != BUDGET):
            continue
        if r.claim_status[i] == WITHDRAWN or r.claim_status[i] == BROKEN:
            return moved
        most = best_within(
            scene, rest, r.base[seat], r.slopes[seat], scene.base[other], scene.slopes[other], r.claim_value[i]
        )
        if most == NONE:
            return moved
        room = (most - limit) / scene.delta0[seat]
        return moved + claimed_by(last, room, r.credibility[other], r.claim_weight[i])
    return moved


@kernel
def least_taken(p, r, seat, demand, over_time, turn):
    """The surplus of a standing offer from which the persona takes it."""
    close = p.close if turn >= p.close_from else 0.0
    wanted = wanted_from(r.reserve, p.distrust, r.trust[1 - seat], r.urgency[seat])
    least = least_accepted(demand, wanted, over_time, close)
    if turn >= r.deadline[seat] - 1:
        least = last_accepted(least, wanted, demand)
    return least


@kernel
def leaves(p, r, seat, turn):
    """The probability of leaving at this move."""
    if turn >= r.deadline[seat]:
        return 1.0
    idle = r.idle[1 - seat]
    return hazard(r.tension, idle, p.aggression, p.patience, r.alternative[seat], r.urgency[seat])


# The guess ------------------------------------------------------------------------------------------------------------


@kernel
def best_response(scene, r, seat):
    """The demand with the greatest expected surplus under the guess of the other's limit; what is new is taken in."""
    other = 1 - seat
    if r.offers[other] > r.guessed:
        take_in(scene, r, other)
    tightness = (limit_of(r, seat) - scene.limits[seat]) / scene.delta0[seat]
    best, best_value = 0.0, 0.0
    for demand in an.DEMANDS:
        asked, taken = demand / an.CONFIDENT, 0.0
        for i in range(_GUESSES):
            room = 0.5 + (1.0 - an.GUESS_GRID[i] - tightness) / an.CONFIDENT
            surely = room - asked
            if surely >= 1.0:
                taken += r.guess[i]
            elif surely > 0.0:
                taken += r.guess[i] * surely
        if demand * taken > best_value:
            best, best_value = demand, demand * taken
    return best


@kernel
def take_in(scene, r, other):
    """The newest offer enters the guess; a persona decides after each."""
    first = ask_of(scene, other, r.first[other])
    asked = ask_of(scene, other, r.latest[other])
    declared = (scene.limits[other] - declared_worth(scene, other, scene.anchors[other])) / scene.delta0[other]
    top = 0.0
    for i in range(_GUESSES):
        ending = declared + max(an.GUESS_GRID[i] + an.GUESS_END, an.GUESS_SLOWEST)
        z = (asked - (first - (first - ending) * (r.turn / T_MAX))) / an.GUESS_WIDTH
        r.guess[i] *= 1.0 / (1.0 + z * z)
        top = max(top, r.guess[i])
    for i in range(_GUESSES):
        r.guess[i] = r.guess[i] / top
    r.guessed = r.offers[other]


# Moves ----------------------------------------------------------------------------------------------------------------


@kernel
def _ask(scene, rest, r, seat, limit, demand, m):
    """Puts the outcome with this surplus into the move; is it inside the own limit?"""
    least = limit + np.int64(round(demand * scene.delta0[seat]))
    other = 1 - seat
    asking(scene, rest, r.base[seat], r.slopes[seat], scene.base[other], scene.slopes[other], least, m.offer)
    return own_worth(scene, r, seat, m.offer) >= limit


@kernel
def _offer(scene, rest, p, r, seat, limit, opening, demand, last, standing, turn, m):
    """The offer that goes with this demand; is there one?"""
    if r.offers[seat] == 0:
        return _ask(scene, rest, r, seat, limit, opening, m)
    void = not r.has_standing[seat] or last < 0.0
    if standing > -np.inf and 0.0 < last - standing < p.splits:
        demand = max(r.reserve, 0.5 * (last + standing))
    elif not void and turn < r.deadline[seat] - an.LAST_TURNS:
        if unit(r.policy, turn, _HOLD, 0) < an.HOLD * (1.0 - p.conscientiousness):
            return False
    if not void and demand > last - an.STEP_AT_LEAST:
        return False
    return _ask(scene, rest, r, seat, limit, max(demand, r.reserve), m)


@kernel
def _answer(scene, p, r, seat, turn, m):
    """The claim that answers the other side's question, if any."""
    other = 1 - seat
    topic = r.question[other]
    if topic < 0:
        return
    kind, trust = ANSWER_KIND[topic], r.trust[other]
    if kind == BUDGET and (turn < p.confides_turn or trust < p.confides_trust):
        return
    pressed = r.asked[other, topic] > 1
    frank = frankness(p.agreeableness, trust, r.credibility[other], n.CREDIBILITY_START, pressed)
    if unit(r.policy, turn, _ANSWER, 0) < frank:
        _claim(scene, p, r, seat, kind, turn, m)


@kernel
def _claim(scene, p, r, seat, kind, turn, m):
    """A claim of this kind: true, or with the persona's probability a bluff; who bluffs keeps to its story."""
    bluffs = unit(r.policy, turn, _BLUFF, 0) < p.bluff
    at = told(r, seat, kind) if p.bluff > 0.0 else -1
    m.claim_kind = kind
    if kind == LIMIT or kind == BUDGET:
        m.claim_value = _claimed_limit(scene, r, seat, claimable(r, seat, kind), at, bluffs, turn, m)
    elif kind == DEADLINE:
        value = r.deadline[seat]
        if at >= 0 and turn <= r.claim_value[at] <= value + n.DEADLINE_GRAIN:
            value = r.claim_value[at]
        elif bluffs:
            soonest = max(n.DEADLINE[0], turn + 1)
            value = min(value, integer(soonest, max(soonest, value - 2), r.policy, turn, _BLUFF_SIZE, 0))
        m.claim_value = min(T_MAX, max(turn, value))
    elif kind == ALTERNATIVE:
        if at >= 0:
            bluffs = r.claim_value[at] == 1
        m.claim_value = 1 if r.alternative[seat] or bluffs else 0
    else:
        first = first_priority(scene, r, seat)
        if at >= 0:
            first = r.claim_value[at]
        elif bluffs:
            place = integer(0, max(2, scene.issues) - 2, r.policy, turn, _BLUFF_SIZE, 0)
            first = place if place < first else place + 1
        m.claim_value = first


@kernel
def told(r, seat, kind):
    """The place of a seat's newest claim of this kind, of the limit and the budget the newest of either; −1 when there
    is none, or it was taken back or refuted."""
    of_limit = kind == LIMIT or kind == BUDGET
    for i in range(r.claims - 1, -1, -1):
        made = r.claim_kind[i]
        if r.claim_seat[i] == seat and (made == kind or (of_limit and (made == LIMIT or made == BUDGET))):
            return -1 if r.claim_status[i] == WITHDRAWN or r.claim_status[i] == BROKEN else i
    return -1


@kernel
def claimable(r, seat, kind):
    """The truth of a claim of the limit or the budget."""
    if kind == LIMIT:
        return limit_of(r, seat)
    return r.budget[seat] if r.has_budget[seat] else r.walk_away[seat]


@kernel
def tightest_of(scene, r, seat, m):
    """The tightest limit that can be claimed with this move: within the prior and what the own offers allow."""
    tightest = min(scene.prior_highest[seat], r.least_worth[seat])
    return min(tightest, own_worth(scene, r, seat, m.offer)) if m.offers else tightest


@kernel
def keeps_to(scene, r, seat, at, limit, tightest):
    """Does a claimant with this limit claim again what it claimed at place `at`? As long as that could be so."""
    if at < 0:
        return False
    lowest = limit - n.CLAIM_GRAIN * scene.delta0[seat]
    return lowest <= r.claim_value[at] <= max(limit, tightest)


@kernel
def _claimed_limit(scene, r, seat, true, at, bluffs, turn, m):
    """A limit as it is claimed: a bluff is tighter, but no tighter than can be claimed."""
    width, declared = scene.delta0[seat], scene.limits[seat]
    tightest, limit = tightest_of(scene, r, seat, m), true
    if keeps_to(scene, r, seat, at, limit, tightest):
        return r.claim_value[at]
    if bluffs:
        depth = between(an.BLUFF_DEPTH[0], an.BLUFF_DEPTH[1], r.policy, turn, _BLUFF_SIZE, 0) * width
        limit = max(limit, min(np.int64(round(limit + depth)), tightest))
    claimed = rounded_value(limit, width, declared)
    if claimed > max(limit, tightest):
        claimed = rounded_value(claimed - np.int64(round(n.CLAIM_GRAIN * width)), width, declared)
    return claimed


@kernel
def _disputes(scene, p, r, seat, turn):
    """Does the persona dispute the other side's newest claim?"""
    other = 1 - seat
    at = newest_open_claim(r, other)
    if at < 0:
        return False
    doubt = an.DOUBT_OTHERWISE
    if r.claim_kind[at] == LIMIT or r.claim_kind[at] == BUDGET:
        doubt = (r.claim_value[at] - scene.prior_walk_away[other]) / (an.DOUBTED * scene.delta0[other])
    return unit(r.policy, turn, _DISPUTE, 0) < an.DISPUTES * p.aggression * min(1.0, max(0.0, doubt))


@kernel
def _pick_card(scene, p, r, seat, turn, limit, last, m):
    """A card by the persona's habits."""
    claimed = r.used[seat, BATNA_REVEAL] + r.used[seat, TIME_PRESSURE]
    for i in range(p.habits):
        card = p.habit_card[i]
        if not p.habit_from[i] <= turn <= p.habit_to[i] or r.used[seat, card] >= p.habit_at_most[i]:
            continue
        if r.points[seat] < CARD_COST[card] or r.trust[1 - seat] < p.habit_trust[i]:
            continue
        if CARD_KIND[card] >= 0 and claimed >= p.claims_at_most:
            continue
        if card == SILENCE and (not r.has_standing[seat] or last < 0.0):
            continue
        if unit(r.policy, turn, _CARD, i) < p.habit_probability[i]:
            if card == SWEETENER:
                m.item = _item(scene, r, seat, turn, limit, last, m)
                if m.item < 0:
                    return
            m.card = card
            return


@kernel
def _item(scene, r, seat, turn, limit, last, m):
    """Something to throw in that leaves the offer inside the own limit; −1 when there is none."""
    count = 0
    for k in range(scene.items):
        if scene.item_by[k] == seat and not r.thrown[k]:
            count += 1
    if count == 0:
        return -1
    place = integer(0, count - 1, r.policy, turn, _ITEM, 0)
    item = -1
    for k in range(scene.items):
        if scene.item_by[k] == seat and not r.thrown[k]:
            if place == 0:
                item = k
                break
            place -= 1
    left = last
    if m.offers:
        left = (own_worth(scene, r, seat, m.offer) - limit) / scene.delta0[seat]
    return item if left >= -r.item_worth[seat, item] / scene.delta0[seat] else -1

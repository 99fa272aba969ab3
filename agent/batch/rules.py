"""The rules of a deal, compiled: `parlay_env.deal.rules`, for one episode record at a time."""

# pyright: reportMissingParameterType=false
from __future__ import annotations

import numpy as np

from agent.batch.compiled import kernel
from agent.batch.draws import integer, normal, unit
from agent.batch.instance import hundredths, tighten
from agent.batch.layout import (
    ALTERNATIVE,
    ANCHOR_HIGH,
    ANSWER_KIND,
    BROKEN,
    BUDGET,
    CARD_COST,
    CARD_KIND,
    COLLAPSED,
    DEADLINE,
    DEAL,
    ISSUES,
    LIMIT,
    OPEN,
    PRIORITY,
    REFRAME,
    SILENCE,
    STANDS,
    SWEETENER,
    TIME_PRESSURE,
    TIMEOUT,
    WALK_AWAY,
    WITHDRAWN,
)
from agent.batch.worth import (
    ask_of,
    declared_worth,
    in_steps,
    limit_of,
    own_worth,
    surplus,
    zopa_exists,
)
from game.cards import HALVING, POINTS_A_TURN, QUESTION_COST, START_POINTS
from parlay_env.deal import conduct
from parlay_env.deal import numbers as n
from parlay_env.deal.state import T_MAX
from parlay_env.rng import Purpose

after_offer = kernel(conduct.after_offer)
clipped = kernel(conduct.clipped)
heat_of_ask = kernel(conduct.heat_of_ask)
movement = kernel(conduct.movement)
nearness = kernel(conduct.nearness)
pull_of = kernel(conduct.pull_of)
rounded_value = kernel(conduct.rounded_value)
tension_after = kernel(conduct.tension_after)
trust_after = kernel(conduct.trust_after)

_MARKET_FIRES, _MARKET_KIND = int(Purpose.MARKET_FIRES), int(Purpose.MARKET_KIND)
_EFFECT, _BACKS_DOWN = int(Purpose.EVENT_EFFECT), int(Purpose.BACKS_DOWN)

# What is allowed ------------------------------------------------------------------------------------------------------


@kernel
def is_invalid(tables, r, seat, m):
    """Isn't this move allowed?"""
    scene, other = tables.scenes[r.scene], 1 - seat
    deciding = np.int64(m.accept) + np.int64(m.walk)
    tactic = m.card >= 0 or m.question >= 0
    if deciding + np.int64(m.offers) > 1 or (m.card >= 0 and m.question >= 0) or (deciding > 0 and tactic):
        return True
    if m.accept and not r.has_standing[other]:
        return True
    if m.offers:
        for k in range(scene.issues):
            if not 0 <= m.offer[k] < scene.counts[k]:
                return True
    if m.challenge and newest_open_claim(r, other) < 0:
        return True
    if m.question >= 0 and r.points[seat] < QUESTION_COST:
        return True
    if m.card >= 0 and _bad_card(scene, r, seat, m):
        return True
    if m.item >= 0 and m.card != SWEETENER:
        return True
    return m.claim_kind >= 0 and _bad_claim(scene, r, seat, m)


@kernel
def _bad_card(scene, r, seat, m):
    if r.points[seat] < CARD_COST[m.card]:
        return True
    if m.card == ANCHOR_HIGH:
        if r.offers[seat] == 0 or r.used[seat, ANCHOR_HIGH] > 0:
            return True
        return not m.offers or ask_of(scene, seat, m.offer) <= r.top[seat]
    if m.card == SILENCE:
        return m.voiced or m.offers or m.claim_kind >= 0 or m.challenge
    if m.card == SWEETENER:
        return not (0 <= m.item < scene.items and scene.item_by[m.item] == seat and not r.thrown[m.item])
    return CARD_KIND[m.card] >= 0 and m.claim_kind < 0


@kernel
def _bad_claim(scene, r, seat, m):
    kind, value = m.claim_kind, m.claim_value
    by_card = m.card >= 0 and CARD_KIND[m.card] == kind
    asked = r.question[1 - seat]
    if not by_card and not (asked >= 0 and ANSWER_KIND[asked] == kind):
        return True
    if kind == DEADLINE:
        return not max(1, r.turn) <= value <= T_MAX
    if kind == ALTERNATIVE:
        return not 0 <= value <= 1
    if kind == PRIORITY:
        return not 0 <= value < max(2, scene.issues)
    return abs(value - scene.limits[seat]) > 3 * scene.delta0[seat]


@kernel
def newest_open_claim(r, seat):
    """The place of a seat's newest claim that can still be challenged; −1 for none."""
    for i in range(r.claims - 1, -1, -1):
        if r.claim_seat[i] == seat and r.claim_status[i] == OPEN:
            return i
    return -1


# What a move does -----------------------------------------------------------------------------------------------------


@kernel
def apply(tables, r, seat, m):
    """An allowed move, before the turn goes on."""
    scene, other, turn = tables.scenes[r.scene], 1 - seat, r.turn
    strength = 0.0
    if m.challenge:
        _challenge(r, seat, other)
    credibility = r.credibility[seat]
    if m.card >= 0:
        strength = _play_card(scene, r, seat, other, m)
    if m.question >= 0:
        r.points[seat] -= QUESTION_COST
        if r.asked[seat, m.question] > 0:
            r.heat += n.HEAT_REPEATED_QUESTION
        r.asked[seat, m.question] += 1
    if r.claims > 0 and (m.offers or m.accept):
        if m.offers:
            value = declared_worth(scene, seat, m.offer)
        else:
            value = declared_worth(scene, seat, r.standing[other])
        broken = _break_claims(scene, r, seat, value)
        if broken > 0:
            r.credibility[seat] = clipped(credibility + n.CREDIBILITY_BROKEN * broken)
    if m.claim_kind >= 0:
        by_card = m.card >= 0 and CARD_KIND[m.card] >= 0
        _add_claim(scene, r, seat, m.claim_kind, m.claim_value, strength if by_card else 1.0)
    if not m.voiced and (m.offers or m.claim_kind >= 0):
        r.heat += n.HEAT_CURT
    opens = m.offers and r.offers[seat] == 0
    step = 0.0
    if m.offers:
        step = _make_offer(scene, r, seat, other, m.offer)
    if turn > 0:
        r.idle[seat] = 0 if opens or step >= n.NOTICEABLE else r.idle[seat] + 1
        if not opens:
            r.trust[seat] = trust_after(r.trust[seat], step)
    r.step[seat] = step
    r.card[seat] = m.card
    r.strength[seat] = strength
    r.question[seat] = m.question
    r.errors[seat] = 0
    if r.has_standing[seat] and (m.offers or m.item >= 0):
        r.safe[seat] = surplus(scene, r, seat, r.standing[seat]) >= 0


@kernel
def _make_offer(scene, r, seat, other, offer):
    """The offer stands; returns the step that it made."""
    ask = ask_of(scene, seat, offer)
    top, best, step, credit, weakness = after_offer(
        r.offers[seat], r.top[seat], r.best[seat], r.credit[seat], r.weakness[seat], r.step[other], ask
    )
    r.heat += heat_of_ask(ask)
    r.has_standing[seat] = True
    for k in range(ISSUES):
        r.standing[seat, k] = offer[k]
        r.latest[seat, k] = offer[k]
        if r.offers[seat] == 0:
            r.first[seat, k] = offer[k]
    r.least_worth[seat] = min(r.least_worth[seat], own_worth(scene, r, seat, offer))
    r.offers[seat] += 1
    r.ask[seat] = ask
    r.top[seat] = top
    r.best[seat] = best
    r.credit[seat] = credit
    r.weakness[seat] = weakness
    r.news_seen[seat] = r.news
    return step


@kernel
def _challenge(r, seat, other):
    at = newest_open_claim(r, other)
    caught = not r.claim_true[at] and unit(r.hidden, r.turn, _BACKS_DOWN, at) < n.BACK_DOWN_PROBABILITY
    settle_challenge(r, other, at, caught)


@kernel
def settle_challenge(r, other, at, caught):
    """A challenge's verdict and what it does."""
    r.claim_status[at] = WITHDRAWN if caught else STANDS
    r.heat += n.HEAT_CHALLENGE + (n.HEAT_CAUGHT if caught else 0.0)
    r.credibility[other] = clipped(r.credibility[other] + (n.CREDIBILITY_WITHDRAWN if caught else n.CREDIBILITY_STANDS))
    if caught:
        r.points[other] = max(0, r.points[other] - n.CAUGHT_POINTS)


@kernel
def _play_card(scene, r, seat, other, m):
    """A card's effects; returns its strength."""
    strength = HALVING ** r.used[seat, m.card]
    r.points[seat] -= CARD_COST[m.card]
    r.used[seat, m.card] += 1
    if m.card == ANCHOR_HIGH:
        low = ask_of(scene, seat, r.latest[other]) if r.offers[other] > 0 else -1.0
        r.anchoring[seat] += strength * n.ANCHOR_PULL * pull_of(ask_of(scene, seat, m.offer), r.ask[seat], low)
        r.heat += n.HEAT_ANCHOR_CARD
    elif m.card == SILENCE:
        r.heat += n.HEAT_SILENCE
    elif m.card == SWEETENER:
        r.thrown[m.item] = True
        r.relief += n.RELIEF_SWEETENER * strength
    elif m.card == REFRAME:
        r.framing[seat] += strength
        r.relief += n.RELIEF_REFRAME * strength
    elif m.card == TIME_PRESSURE:
        r.pressing[seat] += strength * r.credibility[seat] * nearness(m.claim_value, r.turn)
    return strength


@kernel
def _break_claims(scene, r, seat, value):
    """Limit claims that an offer of this declared utility falls short of are broken; how many were."""
    if not scene.is_price:
        return 0
    broken = 0
    for i in range(r.claims):
        if r.claim_seat[i] == seat and (r.claim_kind[i] == LIMIT or r.claim_kind[i] == BUDGET):
            alive = r.claim_status[i] == OPEN or r.claim_status[i] == STANDS
            if alive and value < r.claim_value[i] - 2 * n.CLAIM_GRAIN * scene.delta0[seat]:
                r.claim_status[i] = BROKEN
                broken += 1
    return broken


@kernel
def _add_claim(scene, r, seat, kind, value, weight):
    if kind == LIMIT or kind == BUDGET:
        value = rounded_value(value, scene.delta0[seat], scene.limits[seat])
    i = r.claims
    r.claims += 1
    r.claim_turn[i] = r.turn
    r.claim_seat[i] = seat
    r.claim_kind[i] = kind
    r.claim_status[i] = OPEN
    r.claim_value[i] = value
    r.claim_weight[i] = weight
    r.claim_true[i] = is_true(scene, r, seat, kind, value)
    r.heat += n.HEAT_CLAIM


@kernel
def is_true(scene, r, seat, kind, value):
    """Is this claim true of its maker now?"""
    grain = n.CLAIM_GRAIN * scene.delta0[seat]
    if kind == LIMIT:
        return abs(value - limit_of(r, seat)) <= grain
    if kind == BUDGET:
        return abs(value - (r.budget[seat] if r.has_budget[seat] else r.walk_away[seat])) <= grain
    if kind == DEADLINE:
        return abs(value - r.deadline[seat]) <= n.DEADLINE_GRAIN
    if kind == ALTERNATIVE:
        return (value != 0) == r.alternative[seat]
    return value == first_priority(scene, r, seat)


@kernel
def first_priority(scene, r, seat):
    """What matters most to a seat."""
    if scene.issues > 1:
        best = 0
        for k in range(1, scene.issues):
            if r.weights[seat, k] > r.weights[seat, best]:
                best = k
        return best
    return 1 if r.urgency[seat] > scene.urgency else 0


# How a turn goes on ---------------------------------------------------------------------------------------------------


@kernel
def end(r, reason, seat):
    """The episode is over."""
    r.ended = reason
    r.end_seat = seat
    r.mover = -1


@kernel
def go_on(tables, r, seat, accept, walk):
    """After an allowed move: the end it makes, or the other seat, or the next turn."""
    scene, learner = tables.scenes[r.scene], r.learner
    if accept:
        for k in range(ISSUES):
            r.outcome[k] = r.standing[1 - seat, k]
        end(r, DEAL, seat)
        return
    if walk:
        end(r, WALK_AWAY, seat)
        return
    if seat == learner:
        r.mover = 1 - learner
        return
    turn = r.turn
    if turn > 0:
        a = movement(r.offers[0], r.idle[0], r.step[0])
        b = movement(r.offers[1], r.idle[1], r.step[1])
        temper = tables.persons[r.persona].temper
        r.tension = tension_after(r.tension, r.heat, r.relief, a, b, gap_of(scene, r), temper)
        r.peak = max(r.peak, r.tension)
        r.streak = r.streak + 1 if r.tension > n.HOT else 0
        r.heat = 0.0
        r.relief = 0.0
    if turn >= T_MAX:
        end(r, TIMEOUT, -1)
        return
    if turn > 0:
        for side in range(2):
            r.points[side] = min(START_POINTS, r.points[side] + POINTS_A_TURN)
    r.turn = turn + 1
    r.mover = learner
    for i in range(r.claims):
        if r.claim_kind[i] == DEADLINE and (r.claim_status[i] == OPEN or r.claim_status[i] == STANDS):
            if turn + 1 > r.claim_value[i] + n.DEADLINE_GRAIN:
                r.claim_status[i] = BROKEN
    open_turn(tables, r)


@kernel
def gap_of(scene, r):
    """How far the two newest offers are apart, 0…1."""
    if r.offers[0] == 0 or r.offers[1] == 0:
        return 1.0
    if scene.is_price:
        return min(1.0, max(0.0, (r.latest[0, 0] - r.latest[1, 0]) * scene.unit / scene.delta0[0]))
    gap = 0.0
    for seat in range(2):
        own = declared_worth(scene, seat, r.latest[seat])
        gap += (own - declared_worth(scene, seat, r.latest[1 - seat])) / scene.delta0[seat]
    return min(1.0, max(0.0, 0.5 * gap))


@kernel
def open_turn(tables, r):
    """Erosion by the streak so far, then headlines."""
    scene = tables.scenes[r.scene]
    if r.streak >= n.HOT_TURNS:
        r.ticks += 1
        for seat in range(2):
            tighten(r, seat, scene.tick[seat])
        rest = tables.rest[r.scene]
        if zopa_exists(scene, rest, r, False) and not zopa_exists(scene, rest, r, True):
            end(r, COLLAPSED, -1)
            return
    for k in range(scene.headlines):
        if r.schedule[k] == r.turn:
            scheduled(scene, r, k)
    if r.turn > 1 and r.events and r.market_news < n.MARKET_AT_MOST:
        if unit(r.visible, r.turn, _MARKET_FIRES, 0) < n.MARKET_PROBABILITY:
            _market(tables, r)


@kernel
def scheduled(scene, r, k):
    """A scheduled headline breaks."""
    for seat in range(2):
        before = limit_of(r, seat)
        shift(scene, r, seat, k)
        r.shock_effect[r.shocks, seat] = (limit_of(r, seat) - before) / scene.delta0[seat]
    _broke(r, False)


@kernel
def shift(scene, r, seat, k):
    """What a scheduled headline does to a seat."""
    wanted = scene.headline_alternative[k, seat]
    if wanted >= 0 and (wanted == 1) != (r.alternative[seat] == 1):
        r.alternative[seat] = wanted
        r.walk_away[seat] += (1 if wanted == 1 else -1) * in_steps(scene, seat, n.ALTERNATIVE_WORTH)
    r.urgency[seat] = hundredths(r.urgency[seat] + scene.headline_urgency[k, seat])
    tighten(r, seat, in_steps(scene, seat, scene.headline_limit[k, seat]))


@kernel
def _market(tables, r):
    scene, p = tables.scenes[r.scene], tables.persons[r.persona]
    kind = integer(0, tables.kinds[r.split] - 1, r.visible, r.turn, _MARKET_KIND, 0)
    for seat in range(2):
        sensitivity = 1.0 if seat == r.learner else p.mev_sensitivity
        drawn = normal(r.hidden, r.turn, _EFFECT, seat)
        amount = market_amount(scene, seat, tables.market[r.split, kind, seat], drawn, sensitivity)
        tighten(r, seat, amount)
        r.shock_effect[r.shocks, seat] = amount / scene.delta0[seat]
    r.market_news += 1
    _broke(r, True)


@kernel
def market_amount(scene, seat, mean, drawn, sensitivity):
    """By how much a market event tightens a limit; `drawn` has mean 0 and variance 1."""
    share = (mean + n.MARKET_SPREAD * drawn) * sensitivity
    return in_steps(scene, seat, min(n.EFFECT_AT_MOST, max(-n.EFFECT_AT_MOST, share)))


@kernel
def _broke(r, market):
    """A headline sweeps both standing offers away."""
    r.shock_turn[r.shocks] = r.turn
    r.shock_market[r.shocks] = market
    r.shocks += 1
    r.news += 1
    r.has_standing[0] = False
    r.has_standing[1] = False

"""The learner's pay, compiled: `parlay_env.grader` for moves without words."""

# pyright: reportMissingParameterType=false
from __future__ import annotations

import math

from agent.batch.compiled import kernel
from agent.batch.layout import ANCHOR_HIGH, DEAL, FORFEIT, ISSUES, WALK_AWAY
from agent.batch.rules import newest_open_claim
from agent.batch.worth import (
    declared_worth,
    own_worth,
    reference_width,
    surplus,
    zopa_exists,
)
from parlay_env.deal.state import EARLY, T_MAX
from parlay_env.reward import GRAIN


@kernel
def exact(value):
    """A figure on the grid on which sums are exact."""
    return round(value * GRAIN) / GRAIN


@kernel
def fine(spec, r, amount):
    """The (negative) pay for a fine; an episode's fines sum to at most `fines_at_most`."""
    paid = min(exact(amount), spec.fines_at_most - r.fines)
    r.fines += paid
    return 0.0 - paid


@kernel
def exhausted(spec, r):
    """Have the fines reached the most that an episode can cost?"""
    return r.fines >= spec.fines_at_most


@kernel
def book_move(tables, r, m):
    """Books an allowed move, before it is applied; returns what is paid at once: concession and noise."""
    scene, spec, seat = tables.scenes[r.scene], tables.spec[0], r.learner
    other = 1 - seat
    concession = noise = 0.0
    if m.offers:
        conceded = _conceded(scene, r, seat, m)
        if conceded > 0.0:
            concession = fine(spec, r, spec.concession * conceded)
        r.has_seen = r.offers[other] > 0
        for k in range(ISSUES):
            r.seen[k] = r.latest[other, k]
        if r.offers[seat] > 0 and m.card != ANCHOR_HIGH and r.news_seen[seat] == r.news:
            if declared_worth(scene, other, m.offer) < declared_worth(scene, other, r.latest[seat]):
                noise = fine(spec, r, spec.noise)
    r.tom += exact(spec.tom * _learned(scene, r, seat, m))
    if m.challenge and r.challenges < spec.bluff_count:
        at = newest_open_claim(r, other)
        late = 0 if r.claim_turn[at] <= EARLY else 1
        q = tables.persons[r.persona].bluffs[r.claim_kind[at], late]
        r.bluff += exact(spec.bluff * (-q if r.claim_true[at] else 1.0 - q))
        r.challenges += 1
    if r.shocks > 0:
        _book_event(tables, r, m.event_impact)
        _book_shocks(scene, spec, r)
    return concession, noise


@kernel
def _conceded(scene, r, seat, m):
    other = 1 - seat
    if r.offers[seat] == 0 or r.news_seen[seat] < r.news:
        return 0.0
    given = 0
    if r.offers[other] > 0:
        if r.has_seen:
            since = own_worth(scene, r, seat, r.seen)
        else:
            since = own_worth(scene, r, seat, r.first[other])
        given = max(0, own_worth(scene, r, seat, r.latest[other]) - since)
    taken = own_worth(scene, r, seat, r.latest[seat]) - own_worth(scene, r, seat, m.offer) - given
    return min(1.0, max(0.0, taken / scene.delta0[seat]))


@kernel
def _skill(prior_error, error, mean_error):
    if mean_error <= 0.0:
        return 0.0
    return min(1.0, max(-1.0, (prior_error - error) / mean_error))


@kernel
def _learned(scene, r, seat, m):
    """By how much a report changes the belief skill A."""
    other = 1 - seat
    width = scene.delta0[other]
    before = r.skills[0] + r.skills[1] + r.skills[2] + r.skills[3]
    reported = False
    for k in range(4):
        if math.isnan(m.belief[k]):
            continue
        reported = True
        stated = m.belief[k]
        r.belief[k] = stated
        if k == 0:
            true = float(r.walk_away[other])
            r.skills[k] = _skill(abs(scene.prior_walk_away[other] - true), abs(stated - true), scene.errors[k] * width)
        elif k == 1:
            true = float(r.budget[other] if r.has_budget[other] else r.walk_away[other])
            r.skills[k] = _skill(abs(scene.prior_budget[other] - true), abs(stated - true), scene.errors[k] * width)
        elif k == 2:
            true = r.urgency[other]
            r.skills[k] = _skill(abs(scene.urgency - true), abs(stated - true), scene.errors[k])
        else:
            true = 1.0 if r.alternative[other] else 0.0
            r.skills[k] = _skill((scene.alternative - true) ** 2, (stated - true) ** 2, scene.errors[k])
    if not reported:
        return 0.0
    return 0.25 * ((r.skills[0] + r.skills[1] + r.skills[2] + r.skills[3]) - before)


@kernel
def _book_event(tables, r, estimate):
    if r.market_news <= r.estimated:
        return
    r.estimated = r.market_news
    if math.isnan(estimate):
        return
    spec = tables.spec[0]
    newest = r.shocks - 1
    while not r.shock_market[newest]:
        newest -= 1
    effect = r.shock_effect[newest, 1 - r.learner]
    scale = spec.mev_scale * tables.persons[r.persona].mev_sensitivity
    gained = (abs(effect) - abs(estimate - effect)) / scale
    r.mev += exact(spec.mev * min(1.0, max(-1.0, gained)))


@kernel
def _book_shocks(scene, spec, r):
    """This move counts for every shock whose echo in the belief is awaited."""
    other = 1 - r.learner
    count = r.due
    for i in range(r.shocks):
        effect = r.shock_effect[i, other]
        if r.shock_turn[i] == r.turn and abs(effect) >= spec.shock:
            r.due_effect[count] = effect
            r.due_moves[count] = int(spec.shock_moves)
            count += 1
    left = 0
    for i in range(count):
        effect, moves = r.due_effect[i], r.due_moves[i]
        if moves > 1:
            r.due_effect[left] = effect
            r.due_moves[left] = moves - 1
            left += 1
        else:
            r.seen_shocks += 1
            r.followed += _follows(scene, spec, r, effect)
    r.due = left


@kernel
def _follows(scene, spec, r, effect):
    other = 1 - r.learner
    stated = scene.prior_walk_away[other] if math.isnan(r.belief[0]) else r.belief[0]
    error = abs(stated - r.walk_away[other]) / scene.delta0[other]
    return 1 if error <= max(0.5 * abs(effect), spec.shock_tolerance) else 0


@kernel
def pay(tables, r, concession, noise, refused):
    """What the learner is paid now; with the end, all that was booked and the terminal terms too."""
    scene, spec, seat = tables.scenes[r.scene], tables.spec[0], r.learner
    other = 1 - seat
    value = r.value
    if r.ended > 0 or not refused:
        value = 0.0
        if r.ended == 0 and r.has_standing[other]:
            worth = surplus(scene, r, seat, r.standing[other]) / scene.delta0[seat]
            value = exact(spec.delta_v * min(1.0, max(-1.0, worth)))
    paid = (value - r.value) + concession + noise
    r.delta_v += value - r.value
    r.concession += concession
    r.noise += noise
    r.value = value
    if r.ended > 0:
        paid += _settle(tables, scene, spec, r, seat)
    r.reward += paid
    return paid


@kernel
def _settle(tables, scene, spec, r, seat):
    rest = tables.rest[r.scene]
    for i in range(r.due):
        r.followed += _follows(scene, spec, r, r.due_effect[i])
        r.seen_shocks += 1
    r.due = 0
    sigma = surplus(scene, r, seat, r.outcome) if r.ended == DEAL else 0
    inside = r.ended == DEAL and (sigma >= 0 or (r.end_seat != seat and r.safe[seat]))
    r.zopa = zopa_exists(scene, rest, r, False)
    r.walk_was_right = not zopa_exists(scene, rest, r, True)
    r.breach = r.ended == DEAL and not inside
    if r.ended == DEAL and r.zopa:
        r.efficiency = min(1.0, max(0.0, sigma / reference_width(scene, rest, r, seat, spec.least_width)))
    if not (inside or (r.ended == WALK_AWAY and r.end_seat == seat and r.walk_was_right)):
        r.bluff = 0.0
    if r.breach:
        r.terminal[3] = -exact(spec.cliff)
    elif r.ended == DEAL:
        early = (T_MAX - r.turn) / T_MAX
        followed = r.followed / r.seen_shocks if r.seen_shocks > 0 else 1.0
        r.terminal[0] = exact(spec.efficiency * r.efficiency)
        r.terminal[1] = exact(spec.speed * early * r.efficiency)
        r.terminal[2] = exact(spec.adaptation * r.efficiency * followed)
    elif (r.ended == WALK_AWAY or r.ended == FORFEIT) and r.end_seat != seat:
        r.terminal[4] = exact(spec.opponent_left)
    elif r.ended == WALK_AWAY:
        r.terminal[4] = exact(spec.walk_right if r.walk_was_right else spec.walk_wrong)
    else:
        r.terminal[4] = exact(spec.no_deal)
    total = r.tom + r.bluff + r.mev
    for k in range(5):
        total += r.terminal[k]
    return total

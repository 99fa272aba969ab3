"""The personas' formulas: plain functions of numbers, with the names of docs/rules.md ("Personas").

They hold no object and call nothing of ours, so that the batched core compiles these very functions. Amounts are shares
of the persona's own Δ0; a surplus is utility above the own limit.
"""

from __future__ import annotations

from functools import cache

from agent import numbers as n


@cache
def hurry(urgency: float) -> float:
    """2^(2u−1): by how much urgency (two decimals) scales the concession exponent; on a grid, as `curve`."""
    return round(2.0 ** (2.0 * urgency - 1.0) * 2**20) / 2**20


@cache
def curve(turn: int, horizon: int, exponent: int) -> float:
    """Faratin's polynomial α(t) = (t/T)^(1/β), on a grid: the same figure on every machine. `exponent` is 32/β."""
    share = min(1.0, turn / horizon)
    return round(share ** (exponent / n.EXPONENT_GRAIN) * 2**20) / 2**20


def horizon_of(deadline: int, patience: float) -> int:
    """The turn at which a persona plans to be done."""
    return max(n.LEAST_HORIZON, round(deadline * (n.HORIZON[0] + n.HORIZON[1] * patience)))


def exponent_of(beta: float, hurried: float) -> int:
    """The whole exponent of the curve: `EXPONENT_GRAIN`/β, β scaled by `hurry`."""
    return round(n.EXPONENT_GRAIN / (beta * hurried))


def target_of(opening: float, reserve: float, bought: float, earned: float, moved: float) -> float:
    """Where a persona would go: time buys a share `bought` of the way, concessions earn, arguments move."""
    return opening - max(0.0, opening - reserve) * bought - earned - moved


def earnest(weakness: float) -> float:
    """The share of a concession that is left for a counterpart whose own steps ran ahead: it would give more anyway
    (a soft counterpart raises aspirations: Siegel & Fouraker 1960)."""
    return 1.0 - min(n.WEAKNESS_AT_MOST, n.WEAKNESS_WEIGHT * weakness)


def demand_of(target: float, floor: float, reserve: float, last: float, noise: float) -> float:
    """The surplus to ask for next: no more than last time, no less than the reserve, with noise on every step."""
    demand = max(target, floor)
    if demand > last - n.STEP_AT_LEAST:  # nothing to give; what rounding to the step makes is no concession
        return max(reserve, last)
    return max(reserve, min(last, demand + n.NOISE * noise))


def pressed_by(urgency: float, pressing: float, patience: float) -> float:
    """What the other side's time pressure moves."""
    push = n.PRESSED - patience
    return n.PRESSURE * urgency * pressing * (push if push > 0 else n.BACKFIRE * push)


def framed_by(openness: float, framing: float) -> float:
    """What the other side's reframing moves."""
    return n.FRAMING * n.LOSS_AVERSION * openness * framing


def anchored_by(depth: float, anchoring: float) -> float:
    """What the other side's anchor moves."""
    return n.ANCHOR_WEIGHT * (1.0 - depth) * anchoring


def claimed_by(last: float, room: float, credibility: float, weight: float) -> float:
    """What a claimed limit moves that would leave the surplus `room`."""
    beyond = max(0.0, last - room)
    return weight * min(n.CLAIM_PULL_AT_MOST, n.CLAIM_PULL * credibility * beyond)


def wanted_from(reserve: float, distrust: float, trust: float, urgency: float) -> float:
    """The least surplus that a persona signs for with this counterpart."""
    return reserve + distrust * (1.0 - trust) * (1.0 - n.EAGERNESS * urgency)


def least_accepted(demand: float, wanted: float, over_time: float, close: float) -> float:
    """The surplus of a standing offer from which a persona takes it."""
    return max(wanted, demand - n.SLACK * over_time - close)


def last_accepted(least: float, wanted: float, demand: float) -> float:
    """The same in the last turns before its deadline: it comes down a last time, by so much and no more, and never
    below what it wants from this counterpart at the least."""
    return min(least, max(wanted, demand - n.LAST_GIVE))


def hazard(
    tension: float, idle: int, aggression: float, patience: float, has_alternative: bool, urgency: float
) -> float:
    """The probability of leaving at this move, before the deadline: grows with tension and with turns without
    reciprocity; an alternative makes it easier, urgency harder."""
    hot = max(0.0, (tension - n.CALM) / n.HOT_RANGE)
    bearable = round(n.IDLE_TURNS[0] + n.IDLE_TURNS[1] * patience)
    rate = (n.HOT_RATE[0] + n.HOT_RATE[1] * aggression) * hot * hot
    rate += n.IDLE_RATE * max(0, idle - bearable)
    rate *= n.ALTERNATIVE_FACTOR[1] if has_alternative else n.ALTERNATIVE_FACTOR[0]
    return min(1.0, rate * (n.URGENCY_FACTOR - urgency))


def frankness(agreeableness: float, trust: float, credibility: float, start: float, pressed: bool) -> float:
    """The probability that a persona answers a question; `start` is where credibility starts."""
    frank = n.FRANK[0] + n.FRANK[1] * agreeableness + n.FRANK[2] * trust + n.FRANK[3] * (credibility - start)
    return frank - (n.FRANK_PRESSED if pressed else 0.0)

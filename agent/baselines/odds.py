"""What the documents alone tell of the other seat: its possible facts, how probably a claim is a bluff, and what the
public history contradicts. This is what an exploit knows that has read docs/rules.md and the personas' sheets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

from agent.baselines.desk import Desk
from agent.numbers import BLUFF_DEPTH
from agent.personas import PERSONAS
from parlay_env.deal import numbers as n
from parlay_env.deal.state import T_MAX, Belief, ClaimMade
from parlay_env.deal.terms import worth


def _midpoints(low: float, high: float, count: int) -> tuple[float, ...]:
    return tuple(low + (k + 0.5) / count * (high - low) for k in range(count))


OFFSETS = _midpoints(-1.0, 1.0, 40)
"""Places within the spread of a walk-away."""
DEPTHS = _midpoints(*n.BUDGET_DEPTH, 4)
BLUFFS = _midpoints(*BLUFF_DEPTH, 5)
STAYS_FIRST = 0.97
"""How probably the heaviest declared weight is the heaviest private one, too."""


# Facts ----------------------------------------------------------------------------------------------------------------


class Sample(NamedTuple):
    """Possible facts of the other seat. Limits are in its Δ0, from the declared one."""

    weight: float
    walk_away: float
    budget: float
    """The walk-away where it has none."""
    alternative: bool


def samples(desk: Desk) -> list[Sample]:
    """The other seat's possible facts, given the own limit: nine instances of ten have a ZOPA, in the tenth its limit
    lies a little beyond all that one could grant. With several issues a Δ0 granted is taken for a Δ0 lost."""
    s, other = desk.view.setup.scenario, 1 - desk.seat
    room = 1.0 - (desk.limit - desk.terms.limits[desk.seat]) / desk.terms.delta0[other]
    found: list[Sample] = []
    for offset, alternative in product(OFFSETS, (False, True)):
        walk_away = offset * s.spread + n.ALTERNATIVE_WORTH * alternative
        likely = s.alternative if alternative else 1.0 - s.alternative
        for depth, share in _depths():
            if walk_away + depth <= room:
                found.append(Sample(likely * share, walk_away, walk_away + depth, alternative))
    beyond = room + 0.5 * sum(n.NO_ZOPA_GAP)
    odd = n.NO_ZOPA_PROBABILITY / (1.0 - n.NO_ZOPA_PROBABILITY) * (sum(one.weight for one in found) or 1.0)
    mean = n.BUDGET_PROBABILITY * 0.5 * sum(n.BUDGET_DEPTH)
    return [*found, *(Sample(0.5 * odd, beyond - mean, beyond, alternative) for alternative in (False, True))]


def _depths() -> Iterator[tuple[float, float]]:
    yield 0.0, 1.0 - n.BUDGET_PROBABILITY
    for depth in DEPTHS:
        yield depth, n.BUDGET_PROBABILITY / len(DEPTHS)


def medians(desk: Desk) -> Belief:
    """What the own limit tells of the other seat: the medians of its limits; of the rest, the prior."""
    found, limits = samples(desk), []
    for values in ([(one.walk_away, one.weight) for one in found], [(one.budget, one.weight) for one in found]):
        above = round(_median(values) * desk.terms.delta0[1 - desk.seat])
        limits.append(desk.terms.limits[1 - desk.seat] + above)
    return Belief(limits[0], limits[1], desk.prior.urgency.mean, desk.prior.has_alternative)


def _median(values: list[tuple[float, float]]) -> float:
    half, below = 0.5 * sum(weight for _, weight in values), 0.0
    for value, weight in sorted(values):
        below += weight
        if below >= half:
            return value
    raise ValueError("there is no median of nothing")


def prior_means(desk: Desk) -> Belief:
    """The public prior as a report: worth nothing, by the definition of belief skill."""
    prior = desk.prior
    return Belief(round(prior.walk_away.mean), round(prior.budget.mean), prior.urgency.mean, prior.has_alternative)


# Bluffs ---------------------------------------------------------------------------------------------------------------


def bluff_odds(desk: Desk, made: ClaimMade) -> float:
    """How probably this claim of a documented persona is a bluff; the measured share for any other opponent."""
    persona, kind = PERSONAS.get(desk.view.setup.opponent.name), made.claim.kind
    if persona is None:
        return desk.view.setup.opponent.bluff_share(kind, made.turn)
    if kind == "deadline":
        return _share(_deadline_cases(made, persona.bluff), persona.bluff)
    if kind == "alternative":  # who has none and bluffs claims one; nobody denies one
        p = desk.view.setup.scenario.alternative if made.claim.value else 1.0
        return persona.bluff * (1.0 - p) / (p + persona.bluff * (1.0 - p))
    if kind == "priority":
        return _share(_priority_cases(desk, made, persona.bluff), persona.bluff)
    return _share(_money_cases(desk, made, persona.bluff), persona.bluff)


def _share(cases: Iterable[tuple[float, bool]], otherwise: float) -> float:
    """The share of bluffs among the cases (probability, is a bluff) that would make the claim."""
    total = false = 0.0
    for probability, is_false in cases:
        total += probability
        false += probability * is_false
    return false / total if total > 0.0 else otherwise


def _deadline_cases(made: ClaimMade, bluff: float) -> Iterator[tuple[float, bool]]:
    """A bluffed deadline is one of the turns from the soonest to two before the true one (`agent.claims`)."""
    soonest, said = max(n.DEADLINE[0], made.turn + 1), made.claim.value
    for deadline in range(max(n.DEADLINE[0], made.turn), n.DEADLINE[1] + 1):
        if said == deadline:
            yield 1.0 - bluff, False
        last = max(soonest, deadline - 2)
        for drawn in range(soonest, last + 1):
            if said == min(T_MAX, max(made.turn, min(deadline, drawn))):
                yield bluff / (last - soonest + 1), abs(said - deadline) > n.DEADLINE_GRAIN


def _priority_cases(desk: Desk, made: ClaimMade, bluff: float) -> Iterator[tuple[float, bool]]:
    """A bluffed priority is any other one."""
    s = desk.view.setup.scenario
    declared = s.side(1 - desk.seat).weights
    weights = [declared[issue.name] for issue in s.issues] if declared else []
    count = max(2, len(weights))
    first = max(range(len(weights)), key=weights.__getitem__) if weights else None
    for true in range(count):
        likely = 1.0 / count
        if first is not None:
            likely = STAYS_FIRST if true == first else (1.0 - STAYS_FIRST) / (count - 1)
        yield (likely * (1.0 - bluff), False) if true == made.claim.value else (likely * bluff / (count - 1), True)


def _money_cases(desk: Desk, made: ClaimMade, bluff: float) -> Iterator[tuple[float, bool]]:
    """A bluffed limit is tighter than the true one, up to what the prior and its own offers leave possible."""
    other, terms = 1 - desk.seat, desk.terms
    width, declared = terms.delta0[other], terms.limits[other]
    offers = [worth(terms.declared[other], one.offer) for one in desk.public.offers if one.seat == other]
    tightest = (min([desk.prior.budget.high, *offers]) - declared) / width
    said, half = (made.claim.value - declared) / width, 0.5 * n.CLAIM_GRAIN
    for one in samples(desk):
        limit = one.budget if made.claim.kind == "budget" else max(one.walk_away, one.budget)
        if abs(limit - said) <= half:
            yield (1.0 - bluff) * one.weight, False
        for depth in BLUFFS:
            if abs(max(limit, min(limit + depth, tightest)) - said) <= half:
                yield bluff * one.weight / len(BLUFFS), said - limit > n.CLAIM_GRAIN


# What is refuted ------------------------------------------------------------------------------------------------------


def refuted(desk: Desk, at: int) -> bool:
    """Does the public history contradict this claim of the other side? A headline since an older claim excuses it."""
    public, made = desk.public, desk.public.claims[at]
    known = _told_alternative(desk, made.turn)
    if made.claim.kind == "alternative" and known is not None and known != bool(made.claim.value):
        return True
    since = max((news.turn for news in public.news), default=-1)
    return any(_clash(desk, made, old) for old in public.claims[:at] if old.seat == made.seat and old.turn >= since)


def _clash(desk: Desk, made: ClaimMade, old: ClaimMade) -> bool:
    """Can these two claims of one seat not both be true?"""
    new, then = made.claim, old.claim
    slack = (2 * n.CLAIM_GRAIN + n.EROSION * desk.public.ticks) * desk.terms.delta0[made.seat]
    if {new.kind, then.kind} == {"limit", "budget"}:
        budget, limit = (new, then) if new.kind == "budget" else (then, new)
        return budget.value > limit.value + slack
    if new.kind != then.kind:
        return False
    if new.kind in ("limit", "budget"):
        return abs(new.value - then.value) > slack
    return abs(new.value - then.value) > (2 * n.DEADLINE_GRAIN if new.kind == "deadline" else 0)


def _told_alternative(desk: Desk, turn: int) -> bool | None:
    """Has the other seat an alternative, by the newest headline up to this turn that says so? None: none does."""
    setup, found = desk.view.setup, None
    for news in desk.public.news:
        for headline in setup.scenario.headlines:
            if news.turn <= turn and not news.market and news.words in headline.words[setup.split]:
                shift = (headline.seller, headline.buyer)[1 - desk.seat].alternative
                found = found if shift is None else shift
    return found

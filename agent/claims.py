"""What a persona claims, answers and disputes. A bluff stays inside what the public prior leaves possible."""

from __future__ import annotations

from agent import numbers as n
from agent.formulas import frankness
from agent.personas import Persona
from agent.purposes import Draw
from agent.table import Table
from game.cards import ANSWERS, TOPIC_INDEX
from parlay_env.deal.conduct import rounded
from parlay_env.deal.numbers import CLAIM_GRAIN, CREDIBILITY_START, DEADLINE, DEADLINE_GRAIN
from parlay_env.deal.prior import prior_of
from parlay_env.deal.rules import first_priority, newest_open_claim
from parlay_env.deal.state import T_MAX, Claim
from parlay_env.deal.terms import Offer, best_within, worth
from parlay_env.rng import Draws

LIMITS = ("limit", "budget")
"""Claims of a limit: with an authority they are about the same figure, without one about the walk-away."""


def answer(table: Table, persona: Persona, offer: Offer | None, rng: Draws) -> Claim | None:
    """The claim that answers the other side's question, made with this offer; None: it evades, or nothing was asked."""
    topic = table.theirs.question
    if not topic:
        return None
    theirs, kind = table.theirs, ANSWERS[topic]
    pressed = theirs.asked[TOPIC_INDEX[topic]] > 1
    if kind == "budget" and (table.turn < persona.confides.turn or theirs.trust < persona.confides.trust):
        return None
    frank = frankness(persona.agreeableness, theirs.trust, theirs.credibility, CREDIBILITY_START, pressed)
    if rng.unit(table.turn, Draw.ANSWER) >= frank:
        return None
    return claim_of(table, persona, kind, offer, rng)


def claim_of(table: Table, persona: Persona, kind: str, offer: Offer | None, rng: Draws) -> Claim:
    """A claim of this kind, made with this offer: true, or with the persona's probability a bluff. Who bluffs keeps to
    its story: what it has claimed and not taken back it claims again, as long as that could still be so."""
    own, turn = table.own, table.turn
    told = _told(table, kind) if persona.bluff > 0.0 else None
    bluffs = rng.unit(turn, Draw.BLUFF) < persona.bluff
    if kind == "limit":
        return _limit_claim(table, Claim("limit", own.limit), offer, told, bluffs, rng)
    if kind == "budget":
        authority = own.walk_away if own.budget is None else own.budget
        return _limit_claim(table, Claim("budget", authority), offer, told, bluffs, rng)
    if kind == "deadline":
        value = own.deadline
        if told is not None and turn <= told <= value + DEADLINE_GRAIN:
            return Claim("deadline", told)
        if bluffs:
            soonest = max(DEADLINE[0], turn + 1)
            value = min(value, rng.integer(soonest, max(soonest, value - 2), turn, Draw.BLUFF_SIZE))
        return Claim("deadline", min(T_MAX, max(turn, value)))
    if kind == "alternative":
        if told is not None:
            bluffs = told == 1
        return Claim("alternative", int(own.has_alternative or bluffs))
    first = first_priority(table.view.setup.scenario.urgency, own)
    if told is not None:
        return Claim("priority", told)
    if bluffs:
        others = [k for k in range(max(2, len(own.weights))) if k != first]
        first = others[rng.integer(0, len(others) - 1, turn, Draw.BLUFF_SIZE)]
    return Claim("priority", first)


def _told(table: Table, kind: str) -> int | None:
    """What the persona has claimed of this kind and neither taken back nor refuted by a move of its own; of the limit
    and the budget the newest of either."""
    kinds = LIMITS if kind in LIMITS else (kind,)
    for made in reversed(table.public.claims):
        if made.seat == table.view.seat and made.claim.kind in kinds:
            return None if made.status in ("withdrawn", "broken") else made.claim.value
    return None


def _limit_claim(table: Table, true: Claim, offer: Offer | None, told: int | None, bluffs: bool, rng: Draws) -> Claim:
    """A limit as it is claimed. A bluff is tighter than the truth, but neither beyond what the public prior leaves
    possible nor refuted by an offer that the claimant has made, or makes with it."""
    limit = true.value
    seat, terms = table.view.seat, table.terms
    width, declared = terms.delta0[seat], terms.limits[seat]
    made = [worth(table.own.utility, one.offer) for one in table.public.offers if one.seat == seat]
    made += [worth(table.own.utility, offer)] if offer is not None else []
    tightest = min([round(prior_of(terms, seat).budget.high), *made])
    if told is not None and limit - CLAIM_GRAIN * width <= told <= max(limit, tightest):
        return Claim(true.kind, told)
    if bluffs:
        depth = rng.between(*n.BLUFF_DEPTH, table.turn, Draw.BLUFF_SIZE) * width
        limit = max(limit, min(round(limit + depth), tightest))
    claim = rounded(Claim(true.kind, limit), width, declared)
    if claim.value > max(limit, tightest):
        claim = rounded(Claim(true.kind, claim.value - round(CLAIM_GRAIN * width)), width, declared)
    return claim


def claimed_room(table: Table) -> tuple[float, float] | None:
    """The surplus that would be left if the other side's newest limit claim were true, and the claim's weight; None
    without one that stands. With several issues the other side's declared utility is taken for its own."""
    for made in reversed(table.public.claims):
        if made.seat == table.view.seat or made.claim.kind not in LIMITS:
            continue
        if made.status in ("withdrawn", "broken"):
            return None
        seat, terms = table.view.seat, table.terms
        most = best_within(terms, table.own.utility, terms.declared[1 - seat], made.claim.value)
        return None if most is None else ((most - table.limit) / terms.delta0[seat], made.weight)
    return None


def disputes(table: Table, persona: Persona, rng: Draws) -> bool:
    """Does the persona dispute the other side's newest claim? The tighter than supposed, the sooner."""
    seat = table.view.seat
    at = newest_open_claim(table.public, 1 - seat)
    if at is None:
        return False
    claim = table.public.claims[at].claim
    if claim.kind not in LIMITS:
        doubt = n.DOUBT_OTHERWISE
    else:
        prior = prior_of(table.terms, 1 - seat)
        doubt = (claim.value - prior.walk_away.mean) / (n.DOUBTED * table.terms.delta0[1 - seat])
    return rng.unit(table.turn, Draw.DISPUTE) < n.DISPUTES * persona.aggression * min(1.0, max(0.0, doubt))

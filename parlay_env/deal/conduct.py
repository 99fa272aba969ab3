"""What a seat's conduct does in public: concessions, trust, credibility, tension.

Everything here is a function of what both seats saw. Offers are judged by declared figures, so that nothing private
enters; every formula is the same for both seats.
"""

from __future__ import annotations

from msgspec.structs import replace

from parlay_env.deal import numbers as n
from parlay_env.deal.state import Claim, ClaimMade, Public, Side
from parlay_env.deal.terms import Offer, Terms, worth


def ask_of(terms: Terms, seat: int, offer: Offer) -> float:
    """How much more an offer asks than the seat's declared anchor does, in Δ0 by declared figures."""
    return (worth(terms.declared[seat], offer) - terms.anchor_worth[seat]) / terms.delta0[seat]


def after_offer(side: Side, other: Side, ask: float) -> tuple[float, float, float, float, float]:
    """What an offer with this ask makes of its maker's conduct: top, best, step, credit, weakness."""
    serious = ask if ask < n.SERIOUS else n.SERIOUS
    if side.offers == 0:
        return ask, serious, 0.0, side.credit, side.weakness
    top, best = max(side.top, ask), side.best
    if serious >= best:
        return top, best, 0.0, side.credit, side.weakness
    step = best - serious
    lead = max(0.0, step - max(other.step, n.FREE_STEP))
    matched = min(step, n.CREDIT_AT_MOST, other.step + n.CREDIT_BEYOND)
    return top, serious, step, side.credit + matched, side.weakness + lead


def movement(side: Side) -> float:
    """How far a seat moved in its newest move, 0…1."""
    if side.offers == 1 and side.idle == 0:
        return n.FIRST_OFFER_MOVEMENT
    return min(1.0, side.step / n.MOVEMENT)


def trust_after(trust: float, step: float) -> float:
    """Trust follows movement: an exponential average."""
    return trust + n.TRUST_RATE * (min(1.0, step / n.MOVEMENT) - trust)


def gap_of(terms: Terms, sides: tuple[Side, Side]) -> float:
    """How far the two newest offers are apart, 0…1: in Δ0, by the mean of both declared utilities; 1 before both."""
    mine, theirs = sides[0].latest, sides[1].latest
    if mine is None or theirs is None:
        return 1.0
    if terms.is_price:
        return min(1.0, max(0.0, (mine[0] - theirs[0]) * terms.steps[0] / terms.delta0[0]))
    gap = 0.0
    for seat in (0, 1):
        declared = terms.declared[seat]
        own, other = (mine, theirs) if seat == 0 else (theirs, mine)
        gap += (worth(declared, own) - worth(declared, other)) / terms.delta0[seat]
    return min(1.0, max(0.0, 0.5 * gap))


def tension_after(public: Public, gap: float, temper: float) -> float:
    """The tension at the end of a turn, 0…100."""
    a, b = movement(public.sides[0]), movement(public.sides[1])
    more, less = max(a, b), min(a, b)
    friction = n.FRICTION * (1.0 - 0.6 * more - 0.4 * less) * (0.5 + 0.5 * gap)
    relief = n.RELIEF * (0.4 * more + 0.6 * less)
    eased = min(public.relief, n.RELIEF_CARDS_AT_MOST * min(1.0, a + b))
    tension = n.TENSION_MEMORY * public.tension + friction - relief + public.heat - eased + temper
    return min(100.0, max(0.0, tension))


def heat_of_ask(ask: float) -> float:
    """What an ask beyond the own anchor adds to the tension."""
    return n.HEAT_BEYOND_ANCHOR * min(1.0, max(0.0, ask - n.SERIOUS) / n.BEYOND_FULL)


def rounded(claim: Claim, delta0: int, floor: int) -> Claim:
    """A money claim to the grain of what can be claimed, counted from the declared limit; others as they are."""
    if claim.kind not in ("limit", "budget"):
        return claim
    unit = round(n.CLAIM_GRAIN * delta0)
    return Claim(claim.kind, floor + round((claim.value - floor) / unit) * unit)


def lapsed(claims: tuple[ClaimMade, ...], turn: int) -> tuple[ClaimMade, ...]:
    """The claims at the start of a turn: a deadline that its maker is still at the table after is broken."""
    for i, made in enumerate(claims):
        if (
            made.claim.kind == "deadline"
            and made.status in ("open", "stands")
            and turn > made.claim.value + n.DEADLINE_GRAIN
        ):
            claims = (*claims[:i], replace(made, status="broken"), *claims[i + 1 :])
    return claims


def anchor_gap(terms: Terms, seat: int, side: Side, other: Side, offer: Offer) -> float:
    """How far an anchor stands above where the deal seems to end (midway between both newest offers), in Δ0, 0…1."""
    high = ask_of(terms, seat, offer)
    low = ask_of(terms, seat, other.latest) if other.latest is not None else -1.0
    return min(1.0, max(0.0, high - 0.5 * (side.ask + low)))


def with_broken_claims(
    claims: tuple[ClaimMade, ...], terms: Terms, seat: int, offer: Offer | None
) -> tuple[ClaimMade, ...]:
    """The claims after a seat made or took an offer: a limit that its declared utility falls short of by more than
    twice the grain is broken."""
    broken = [i for i, made in enumerate(claims) if made.seat == seat and _is_broken(made, terms, offer)]
    for i in broken:
        claims = (*claims[:i], replace(claims[i], status="broken"), *claims[i + 1 :])
    return claims


def _is_broken(made: ClaimMade, terms: Terms, offer: Offer | None) -> bool:
    if made.status not in ("open", "stands"):
        return False
    claim, seat = made.claim, made.seat
    if claim.kind not in ("limit", "budget") or not terms.is_price or offer is None:
        return False
    return worth(terms.declared[seat], offer) < claim.value - 2 * n.CLAIM_GRAIN * terms.delta0[seat]

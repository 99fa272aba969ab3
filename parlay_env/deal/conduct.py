"""What a seat's conduct does in public: concessions, trust, credibility, tension.

Everything here is a function of what both seats saw. Offers are judged by declared figures, so that nothing private
enters; every formula is the same for both seats.
"""

from __future__ import annotations

from msgspec.structs import replace

from parlay_env.deal import numbers as n
from parlay_env.deal.state import T_MAX, Claim, ClaimMade, Side
from parlay_env.deal.terms import Offer, Terms, worth


def clipped(share: float) -> float:
    """A share kept in 0…1."""
    return min(1.0, max(0.0, share))


def ask_of(terms: Terms, seat: int, offer: Offer) -> float:
    """How much more an offer asks than the seat's declared anchor does, in Δ0 by declared figures."""
    return (worth(terms.declared[seat], offer) - terms.anchor_worth[seat]) / terms.delta0[seat]


def after_offer(
    offers: int, top: float, best: float, credit: float, weakness: float, other_step: float, ask: float
) -> tuple[float, float, float, float, float]:
    """What an offer with this ask makes of its maker's conduct, the `offers`-th but one: top, best, step, credit,
    weakness. `other_step` is the other side's last."""
    serious = ask if ask < n.SERIOUS else n.SERIOUS
    if offers == 0:
        return ask, serious, 0.0, credit, weakness + n.SOFT_OPENING * max(0.0, -serious - n.MODEST_OPENING)
    top = max(top, ask)
    if serious >= best:
        return top, best, 0.0, credit, weakness
    step = best - serious
    lead = max(0.0, step - max(other_step, n.FREE_STEP))
    matched = min(step, n.CREDIT_AT_MOST, other_step + n.CREDIT_BEYOND)
    return top, serious, step, credit + matched, weakness + lead


def movement(offers: int, idle: int, step: float) -> float:
    """How far a seat moved in its newest move, 0…1."""
    if offers == 1 and idle == 0:
        return n.FIRST_OFFER_MOVEMENT
    return min(1.0, step / n.MOVEMENT)


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


def tension_after(tension: float, heat: float, relief: float, a: float, b: float, gap: float, temper: float) -> float:
    """The tension at the end of a turn in which the seats' movements were `a` and `b`, 0…100."""
    more, less = max(a, b), min(a, b)
    friction = n.FRICTION * (1.0 - 0.6 * more - 0.4 * less) * (0.5 + 0.5 * gap)
    eased = n.RELIEF * (0.4 * more + 0.6 * less)
    by_cards = min(relief, n.RELIEF_CARDS_AT_MOST * min(1.0, a + b))
    after = n.TENSION_MEMORY * tension + friction - eased + heat - by_cards + temper
    return min(100.0, max(0.0, after))


def heat_of_ask(ask: float) -> float:
    """What an ask beyond the own anchor adds to the tension."""
    return n.HEAT_BEYOND_ANCHOR * min(1.0, max(0.0, ask - n.SERIOUS) / n.BEYOND_FULL)


def nearness(value: int, turn: int) -> float:
    """How hard a claimed deadline presses at this turn: by the share of all turns that it does not leave, 0…1."""
    return min(1.0, max(0.0, 1.0 - (value - turn) / T_MAX))


def rounded(claim: Claim, delta0: int, floor: int) -> Claim:
    """A money claim to the grain of what can be claimed, counted from the declared limit; others as they are."""
    if claim.kind not in ("limit", "budget"):
        return claim
    return Claim(claim.kind, rounded_value(claim.value, delta0, floor))


def rounded_value(value: int, delta0: int, floor: int) -> int:
    """A utility to the grain of what can be claimed, counted from the declared limit `floor`."""
    unit = round(n.CLAIM_GRAIN * delta0)
    return floor + round((value - floor) / unit) * unit


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
    low = ask_of(terms, seat, other.latest) if other.latest is not None else -1.0
    return pull_of(ask_of(terms, seat, offer), side.ask, low)


def pull_of(high: float, ask: float, low: float) -> float:
    """How far an ask stands above the middle of the own newest and the other's (each as the own seat's ask), 0…1."""
    return min(1.0, max(0.0, high - 0.5 * (ask + low)))


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

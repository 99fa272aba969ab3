"""A view's facts in the figures that people use: a price where the price is the only issue, a utility in money where
there are several. Inside, limits are utilities in hundredths of money.
"""

from __future__ import annotations

from typing import Any

from game.cards import CARDS, QUESTION_COST
from parlay_env.deal import numbers as n
from parlay_env.deal.prior import Range, prior_of
from parlay_env.deal.rules import newest_open_claim
from parlay_env.deal.state import Belief, ClaimMade
from parlay_env.deal.terms import CENTS, Terms, terms_of, worth
from parlay_env.deal.value import extras, items_left
from parlay_env.deal.views import View


def shown(terms: Terms, utility: float) -> float:
    """A limit as people say it: a price, or a utility in money."""
    return round(abs(utility) / CENTS, 2) if terms.is_price else float(round(utility / CENTS))


def meant(terms: Terms, seat: int, figure: float) -> int:
    """What a seat's limit of this figure is as a utility, in hundredths of money."""
    sign = -1 if terms.is_price and seat == 1 else 1
    return sign * round(figure * CENTS)


def claim_value(terms: Terms, made: ClaimMade) -> float | str | bool:
    """A claim's value as people say it."""
    claim = made.claim
    if claim.kind in ("limit", "budget"):
        return shown(terms, claim.value)
    if claim.kind == "alternative":
        return bool(claim.value)
    if claim.kind == "priority":
        return priority_name(terms, claim.value)
    return float(claim.value)


def priority_name(terms: Terms, value: int) -> str:
    """An issue's name; with one issue, `time` or the price's name."""
    if terms.is_price:
        return "time" if value else terms.scenario.issues[0].name
    return terms.scenario.issues[value].name


def own_facts(view: View) -> dict[str, Any]:
    """The seat's own facts as it is told them."""
    own, terms = view.own, terms_of(view.setup.scenario)
    assert own is not None
    return {
        "walk_away": shown(terms, own.walk_away),
        "budget": None if own.budget is None else shown(terms, own.budget),
        "limit": shown(terms, limit_now(view)),
        "target": shown(terms, target(view)),
        "urgency": own.urgency,
        "has_alternative": own.has_alternative,
        "deadline": own.deadline,
        "weights": weights_by_issue(terms, own.weights),
    }


def weights_by_issue(terms: Terms, weights: tuple[float, ...]) -> dict[str, float] | None:
    """Weights by their issues' names; None where the price is the only issue."""
    names = [issue.name for issue in terms.scenario.issues]
    return dict(zip(names, weights, strict=True)) if weights else None


def limit_now(view: View) -> int:
    """The utility that terms must have for this seat: its limit, less what all that was thrown in is worth to it."""
    assert view.own is not None
    return view.own.limit - extras(view.setup.scenario, view.public, view.own)


def target(view: View) -> int:
    """What to aim at, as a utility: the declared anchor, moved a quarter of the way toward the own limit."""
    own, terms = view.own, terms_of(view.setup.scenario)
    assert own is not None
    anchor = worth(own.utility, terms.anchors[view.seat])
    aim = round(anchor + n.TARGET_SHARE * (limit_now(view) - anchor))
    unit = terms.steps[0] if terms.is_price else CENTS
    return round(aim / unit) * unit


def public_prior(terms: Terms, seat: int) -> dict[str, Any]:
    """The public prior over this seat, in the wire's figures."""
    found = terms.kept.get(("prior", seat))
    if found is None:
        found = terms.kept["prior", seat] = _public_prior(terms, seat)
    return found


def _public_prior(terms: Terms, seat: int) -> dict[str, Any]:
    prior = prior_of(terms, seat)
    return {
        "walk_away": _range(terms, prior.walk_away),
        "budget": _range(terms, prior.budget),
        "urgency": {
            "mean": prior.urgency.mean,
            "low": round(prior.urgency.low, 2),
            "high": round(prior.urgency.high, 2),
        },
        "has_alternative": prior.has_alternative,
        "no_zopa": prior.no_zopa,
        "weights": weights_by_issue(terms, prior.weights),
    }


def _range(terms: Terms, r: Range) -> dict[str, float]:
    ends = sorted((shown(terms, r.low), shown(terms, r.high)))
    return {"mean": shown(terms, r.mean), "low": ends[0], "high": ends[1]}


def belief_report(terms: Terms, belief: Belief) -> dict[str, float | None]:
    """A belief in the wire's figures."""
    return {
        "est_walk_away": None if belief.walk_away is None else shown(terms, belief.walk_away),
        "est_budget": None if belief.budget is None else shown(terms, belief.budget),
        "est_urgency": belief.urgency,
        "est_has_alternative": belief.has_alternative,
    }


def available_moves(view: View) -> list[str]:
    """What the seat may do now: decisions, cards it can pay, questions, a challenge."""
    public, seat = view.public, view.seat
    if public.ended is not None:
        return []
    side, other = public.sides[seat], public.sides[1 - seat]
    found = ["offer", "walk_away"]
    if other.standing is not None:
        found.append("accept_deal")
    if side.points >= QUESTION_COST:
        found.append("question")
    if newest_open_claim(public, 1 - seat) is not None:
        found.append("challenge")
    for k, card in enumerate(CARDS):
        if side.points < card.cost or (card.uses and side.used[k] >= card.uses):
            continue
        if card.id == "anchor_high" and side.offers == 0:
            continue
        if card.id == "sweetener" and not items_left(view.setup.scenario, public, seat):
            continue
        found.append(card.id)
    return found

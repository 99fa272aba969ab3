"""A player's view as the wire's observation, for every door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from parlay_env.deal import numbers as n
from parlay_env.deal.state import SEATS, T_MAX, ClaimMade, Public
from parlay_env.deal.terms import CENTS, Offer, Terms, range_of, terms_of, values_of
from parlay_env.deal.views import Truth, View
from parlay_env.figures import (
    available_moves,
    belief_report,
    claim_value,
    own_facts,
    public_prior,
    shown,
    weights_by_issue,
)
from parlay_env.prompt import prompt_of


def observation(view: View, with_prompt: bool = True) -> dict[str, Any]:
    """A player's view as the wire's observation (`ParlayObservation`)."""
    public, own, seat = view.public, view.own, view.seat
    assert own is not None
    terms = terms_of(view.setup.scenario)
    mine, theirs = public.sides[seat], public.sides[1 - seat]
    facts, moves = own_facts(view), available_moves(view)
    claims = [_claim(terms, made) for made in public.claims]
    newest = next((claim for claim in reversed(claims) if claim["seat"] != SEATS[seat]), None)
    found: dict[str, Any] = {
        "turn": public.turn,
        "turns_left": T_MAX - public.turn,
        "seat": SEATS[seat],
        "scenario": _scenario(view, terms),
        "persona": view.setup.opponent.name,
        "own": facts,
        "prior": {k: {**v} if isinstance(v, dict) else v for k, v in public_prior(terms, 1 - seat).items()},
        "own_offer": _values(terms, mine.standing),
        "opponent_offer": _values(terms, theirs.standing),
        "offers": [
            {"turn": made.turn, "seat": SEATS[made.seat], "offer": {**values_of(terms, made.offer)}}
            for made in public.offers
        ],
        "opponent_utterance": theirs.utterance,
        "opponent_move": _newest_move(public, 1 - seat),
        "opponent_claim": None if newest is None else {k: v for k, v in newest.items() if k != "seat"},
        "claims": claims,
        "thrown_in": _thrown_in(view, terms),
        "events": [{"turn": news.turn, "headline": news.words, "market": news.market} for news in public.news],
        "tension_score": round(public.tension, 1),
        "trust": round(mine.trust, 3),
        "credibility": round(mine.credibility, 3),
        "opponent_credibility": round(theirs.credibility, 3),
        "credibility_points": mine.points,
        "opponent_credibility_points": theirs.points,
        "available_moves": moves,
        "zopa_width_pct_remaining": round(1 - 2 * n.EROSION * public.ticks, 2),
        "zopa_erosion_ticks": public.ticks,
        "belief": None if view.belief is None else belief_report(terms, view.belief),
        "invalid": None if view.invalid is None else {"code": view.invalid.code, "message": view.invalid.message},
        "prompt": prompt_of(view, facts, moves) if with_prompt else None,
    }
    if public.ended is not None:
        found["termination_reason"] = public.ended.reason
        found["final_offer"] = _values(terms, public.ended.outcome)
        found["grade"] = None if view.grade is None else msgspec.to_builtins(view.grade)
        found["truth"] = None if view.truth is None else hidden_facts(view.truth, terms, public)
    return found


def _values(terms: Terms, offer: Offer | None) -> Mapping[str, float] | None:
    return None if offer is None else {**values_of(terms, offer)}


def _scenario(view: View, terms: Terms) -> dict[str, Any]:
    """The scenario as this seat sees it: the same at every turn, but for the sweeteners left."""
    items = view.public.sides[view.seat].items
    key = ("scenario", view.seat, items)
    found = terms.kept.get(key)
    if found is None:
        found = terms.kept[key] = _scenario_view(terms, view.seat, items)
    issues = [{**issue, "values": issue["values"] and list(issue["values"])} for issue in found["issues"]]
    return {**found, "issues": issues, "sweeteners": [{**item} for item in found["sweeteners"]]}


def _scenario_view(terms: Terms, seat: int, used: tuple[str, ...]) -> dict[str, Any]:
    s, side = terms.scenario, terms.scenario.side(seat)
    issues = []
    for k, issue in enumerate(s.issues):
        low, high = range_of(terms, k)
        issues.append(
            {
                "name": issue.name,
                "title": issue.title.en,
                "unit": issue.unit or s.unit,
                "low": low,
                "high": high,
                "step": issue.step or None,
                "values": list(issue.values) or None,
                "better_for_you": "higher" if (issue.rises == "seller") == (seat == 0) else "lower",
            }
        )
    return {
        "id": s.id,
        "title": s.title.en,
        "unit": s.unit,
        "currency": s.currency,
        "role": side.role.en,
        "briefing": side.briefing.en,
        "issues": issues,
        "sweeteners": [
            {"id": item.id, "title": item.title.en, "cost": round(item.cost * terms.delta0[seat] / CENTS, 2)}
            for item in s.sweeteners
            if item.by == SEATS[seat] and item.id not in used
        ],
        "stake": s.stake or None,
        "width": terms.delta0[seat] / CENTS,
    }


def _thrown_in(view: View, terms: Terms) -> list[dict[str, Any]]:
    """The sweeteners that are part of any deal now, and what each is worth to this seat in money."""
    sides, own = view.public.sides, view.own
    if own is None or not (sides[0].items or sides[1].items):
        return []
    return [
        {"seat": item.by, "id": item.id, "title": item.title.en, "worth": own.item_worth[k] / CENTS}
        for k, item in enumerate(terms.scenario.sweeteners)
        if item.id in sides[0].items or item.id in sides[1].items
    ]


def _claim(terms: Terms, made: ClaimMade) -> dict[str, Any]:
    return {
        "turn": made.turn,
        "seat": SEATS[made.seat],
        "kind": made.claim.kind,
        "value": claim_value(terms, made),
        "status": made.status,
    }


def _newest_move(public: Public, seat: int) -> str:
    side, ended = public.sides[seat], public.ended
    if ended is not None and ended.seat == seat and ended.reason in ("deal", "walk_away"):
        return "accept_deal" if ended.reason == "deal" else "walk_away"
    if side.steps == 0:
        return "none"
    parts = [side.card, f"question:{side.question}" if side.question else "", "offer" if side.offered else ""]
    return "+".join(part for part in parts if part) or "talk"


def hidden_facts(truth: Truth, terms: Terms, public: Public) -> dict[str, Any]:
    """All that was hidden, for the observer's screen and for everybody after the end."""
    sides = {}
    for seat, facts in enumerate(truth.facts):
        sides[SEATS[seat]] = {
            "walk_away": shown(terms, facts.walk_away),
            "budget": None if facts.budget is None else shown(terms, facts.budget),
            "limit": shown(terms, facts.limit),
            "urgency": facts.urgency,
            "has_alternative": facts.has_alternative,
            "deadline": facts.deadline,
            "weights": weights_by_issue(terms, facts.weights),
            "at_other_limit": None if truth.reach[seat] is None else shown(terms, truth.reach[seat] or 0),
            "sweeteners": {item.id: facts.item_worth[k] / CENTS for k, item in enumerate(terms.scenario.sweeteners)},
        }
    return {
        **sides,
        "zopa": truth.zopa,
        "nash": None if truth.nash is None else {**values_of(terms, truth.nash)},
        "claims": [
            {**_claim(terms, made), "bluff": not true} for made, true in zip(public.claims, truth.truths, strict=True)
        ],
        "events": [
            {
                "turn": s.turn,
                "market": s.market,
                "effect": dict(zip(SEATS, (round(e, 4) for e in s.effect), strict=True)),
            }
            for s in truth.shocks
        ],
    }

"""A view as text that a language model can act on: the same facts, the goal as the reward pays it, the JSON expected.

The wording is stable and has a version; at most about 450 tokens at any turn.
"""

from __future__ import annotations

from game.cards import CARDS
from parlay_env.deal.state import SEATS, T_MAX, ClaimMade, OfferMade
from parlay_env.deal.terms import Offer, Terms, range_of, terms_of, values_of
from parlay_env.deal.views import View
from parlay_env.figures import available_moves, claim_value, own_facts, public_prior

PROMPT_VERSION = "1"
SHOWN_OFFERS = 6
"""Older offers are left out of the text; the observation has them all."""


def figure(value: float) -> str:
    """A figure as people write it."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def offer_text(terms: Terms, offer: Offer | None) -> str:
    """An offer in words: `148,000 USD`, or `price 9.85, payment_days 60, minimum_order 10,000`."""
    if offer is None:
        return "none"
    values = values_of(terms, offer)
    if terms.is_price:
        return f"{figure(next(iter(values.values())))} {terms.scenario.currency}"
    return ", ".join(f"{name} {figure(value)}" for name, value in values.items())


def prompt_of(view: View) -> str:
    """The prompt of a player's view."""
    public, seat = view.public, view.seat
    terms, own = terms_of(view.setup.scenario), own_facts(view)
    prior = public_prior(terms, 1 - seat)
    mine, theirs = public.sides[seat], public.sides[1 - seat]
    s = view.setup.scenario
    kind = "price" if terms.is_price else "value to you in money"
    limit_word = "below" if seat == 0 or not terms.is_price else "above"
    lines = [
        f"You are the {SEATS[seat]} ({s.side(seat).role.en}) in: {s.title.en}. Opponent: {view.setup.opponent.name}.",
        f"Turn {public.turn} of {T_MAX}. Your limit ({kind}): {figure(own['limit'])} {s.currency}; a deal {limit_word} "
        f"it is a heavy loss. Target {figure(own['target'])}. Urgency {own['urgency']:.2f}, "
        f"alternative {'yes' if own['has_alternative'] else 'no'}.",
        "Goal: agree on terms as far on your side of your limit as you can, soon; walk away only if nothing better "
        "than your limit can be had.",
        *_issues(terms, seat, own["weights"]),
        f"Opponent's walk-away, as anybody would guess: {figure(prior['walk_away']['mean'])} "
        f"({figure(prior['walk_away']['low'])} to {figure(prior['walk_away']['high'])}).",
        f"Your offer: {offer_text(terms, mine.standing)}. Their offer: {offer_text(terms, theirs.standing)}.",
        f"History: {_history(terms, public.offers, seat)}",
    ]
    if theirs.utterance:
        lines.append(f"They say: {_short(theirs.utterance)}")
    newest: ClaimMade | None = next((made for made in reversed(public.claims) if made.seat != seat), None)
    if newest is not None:
        lines.append(f"Their newest claim: {newest.claim.kind} {claim_value(terms, newest)} ({newest.status}).")
    if public.news:
        lines.append(f"News (turn {public.news[-1].turn}): {_short(public.news[-1].words)}")
    lines.append(
        f"Tension {public.tension:.0f}/100 (above 75 for 3 turns hurts both), trust {mine.trust:.2f}, "
        f"points {mine.points}."
    )
    moves = available_moves(view)
    cards = [f"{card.id} {card.cost}" for card in CARDS if card.id in moves]
    lines.append(f"Cards (points): {', '.join(cards) or 'none'}.")
    if view.invalid is not None:
        lines.append(f"Your last move was not allowed: {view.invalid.message}.")
    several = ", ".join(f'"{issue.name}": 0' for issue in s.issues)
    offer = '"offer_amount": 0' if terms.is_price else f'"offer": {{{several}}}'
    lines.append(
        'Answer with one JSON object: {"utterance": "...", ' + offer + "} "
        'or {"utterance": "...", "accept_deal": true} or {"walk_away": true}. Optional: "tactical_move", '
        '"claim_value", "sweetener", "question" (timeline, alternatives, authority, priorities), "challenge", '
        '"belief": {"est_walk_away": 0}, "event_impact".'
    )
    return "\n".join(lines)


def _issues(terms: Terms, seat: int, weights: dict[str, float] | None) -> list[str]:
    if terms.is_price or weights is None:
        return []
    parts = []
    for k, issue in enumerate(terms.scenario.issues):
        low, high = range_of(terms, k)
        span = "/".join(map(figure, issue.values)) if issue.values else f"{figure(low)}-{figure(high)}"
        better = "high" if (issue.rises == "seller") == (seat == 0) else "low"
        parts.append(f"{issue.name} {span} (you want it {better}, weight {weights[issue.name]:.2f})")
    stake = f"{figure(terms.scenario.stake)} {terms.scenario.currency}"
    return [f"Issues: {'; '.join(parts)}. Value = {stake} x sum of weight x place in your direction (0 to 1)."]


def _history(terms: Terms, offers: tuple[OfferMade, ...], seat: int) -> str:
    if not offers:
        return "no offers yet."
    shown = offers[-SHOWN_OFFERS:]
    parts = [f"{made.turn} {'you' if made.seat == seat else 'they'} {offer_text(terms, made.offer)}" for made in shown]
    return ("... " if len(offers) > SHOWN_OFFERS else "") + "; ".join(parts) + "."


def _short(text: str, most: int = 240) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"

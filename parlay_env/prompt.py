"""A view as text that a language model can act on: the same facts, the goal as the reward pays it, the JSON expected.

The wording is stable and has a version; at most about 450 tokens at any turn.
"""

from __future__ import annotations

from typing import Any

from game.cards import CARDS
from parlay_env.deal import numbers as n
from parlay_env.deal.state import SEATS, T_MAX, OfferMade
from parlay_env.deal.terms import Offer, Terms, range_of, terms_of, values_of
from parlay_env.deal.views import View
from parlay_env.figures import available_moves, claim_value, own_facts, public_prior

PROMPT_VERSION = "1"
SHOWN_OFFERS = 4
"""Older offers are left out of the text; the observation has them all."""
MOST_WORDS = 130
MOST_NEWS = 160
"""Characters of the other side's words and of a headline that the text keeps; the observation has all of them."""


def figure(value: float) -> str:
    """A figure as people write it."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def offer_text(terms: Terms, offer: Offer | None) -> str:
    """An offer in words: `148,000 USD`, or `price 9.85, payment_days 60, minimum_order 10,000`."""
    if offer is None:
        return "none"
    found = terms.kept.get(("text", offer))
    if found is None:
        values = values_of(terms, offer)
        found = ", ".join(f"{name} {figure(value)}" for name, value in values.items())
        if terms.is_price:
            found = f"{figure(next(iter(values.values())))} {terms.scenario.currency}"
        terms.kept["text", offer] = found
    return found


def spoken_offer(terms: Terms, offer: Offer) -> str:
    """An offer as people say it: `148,000 USD`, or `9.85 USD a unit, 60 days, 10,000 units`."""
    if terms.is_price:
        return offer_text(terms, offer)
    values = values_of(terms, offer)
    return ", ".join(f"{figure(values[issue.name])} {issue.unit}".strip() for issue in terms.scenario.issues)


def prompt_of(view: View, own: dict[str, Any] | None = None, moves: list[str] | None = None) -> str:
    """The prompt of a player's view. `own` and `moves`: the view's `own_facts` and `available_moves`, if at hand."""
    public, seat, s = view.public, view.seat, view.setup.scenario
    terms = terms_of(s)
    own = own_facts(view) if own is None else own
    prior = public_prior(terms, 1 - seat)
    guess = prior["walk_away"]
    mine, theirs = public.sides[seat], public.sides[1 - seat]
    kind = "price" if terms.is_price else "value to you"
    beyond = "below" if seat == 0 or not terms.is_price else "above"
    lines = [
        f"You are the {SEATS[seat]} ({s.side(seat).role.en}): {s.title.en}. Opponent: {view.setup.opponent.name}. "
        f"Turn {public.turn} of {T_MAX}.",
        f"Your limit ({kind}): {figure(own['limit'])} {s.currency}; a deal {beyond} it is a heavy loss. "
        f"Target {figure(own['target'])}. Urgency {own['urgency']:.2f}, "
        f"alternative {'yes' if own['has_alternative'] else 'no'}.",
        "Goal: the best deal for you, soon. Walk away only if no deal can meet your limit. Also paid: a right "
        "belief, a bluff challenged, event_impact (what news did to their limit).",
        *_issues(terms, seat, own["weights"], prior["weights"]),
        f"Their limit, by common knowledge: {figure(guess['mean'])} "
        f"({figure(guess['low'])} to {figure(guess['high'])}{'' if terms.is_price else ', value to them'}).",
        _standing(terms, mine.standing, theirs.standing),
        f"History: {_history(terms, public.offers, seat)}",
        *_heard(view, terms),
        f"Tension {public.tension:.0f} of 100 ({n.HOT_TURNS} turns above {n.HOT:.0f} hurt both), "
        f"trust {mine.trust:.2f}.",
        _cards(view, available_moves(view) if moves is None else moves),
    ]
    if view.invalid is not None:
        lines.append(f"Your last move was not allowed: {view.invalid.message}.")
    lines.append(terms.kept.get("form") or terms.kept.setdefault("form", _form(terms)))
    return "\n".join(lines)


def _issues(terms: Terms, seat: int, weights: dict[str, float] | None, theirs: dict[str, float] | None) -> list[str]:
    """What each issue is worth to this seat, and what it usually is to the other."""
    if weights is None or theirs is None:
        return []
    parts = []
    for k, issue in enumerate(terms.scenario.issues):
        low, high = range_of(terms, k)
        span = "/".join(map(figure, issue.values)) if issue.values else f"{figure(low)}-{figure(high)}"
        better = "high" if (issue.rises == "seller") == (seat == 0) else "low"
        weight, their = weights[issue.name], theirs[issue.name]
        parts.append(f"{issue.name} {span} (want {better}, weight {weight:.2f}, theirs ~{their:.2f})")
    stake = f"{figure(terms.scenario.stake)} {terms.scenario.currency}"
    return [f"Issues: {'; '.join(parts)}. Value = {stake} x sum of weight x place (0 worst, 1 best)."]


def _standing(terms: Terms, mine: Offer | None, theirs: Offer | None) -> str:
    """The offers that stand; of several issues as short as in the history."""
    if terms.is_price:
        return f"Your offer: {offer_text(terms, mine)}. Their offer: {offer_text(terms, theirs)}."
    names = "/".join(issue.name for issue in terms.scenario.issues)
    return f"Offers ({names}): yours {_figures(terms, mine)}, theirs {_figures(terms, theirs)}."


def _figures(terms: Terms, offer: Offer | None) -> str:
    """An offer's bare figures, `9.85/60/10,000`."""
    if offer is None:
        return "none"
    found = terms.kept.get(("short", offer))
    if found is None:
        found = terms.kept["short", offer] = "/".join(map(figure, values_of(terms, offer).values()))
    return found


def _history(terms: Terms, offers: tuple[OfferMade, ...], seat: int) -> str:
    if not offers:
        return "no offers yet."
    parts = [
        f"{made.turn} {'you' if made.seat == seat else 'they'} {_figures(terms, made.offer)}"
        for made in offers[-SHOWN_OFFERS:]
    ]
    return ("... " if len(offers) > SHOWN_OFFERS else "") + "; ".join(parts) + "."


def _heard(view: View, terms: Terms) -> list[str]:
    """What the other side said and claimed, and the news."""
    public, other = view.public, 1 - view.seat
    lines = []
    if words := public.sides[other].utterance:
        lines.append(f'They say: "{_short(words, MOST_WORDS)}"')
    newest = next((made for made in reversed(public.claims) if made.seat == other), None)
    if newest is not None:
        value = claim_value(terms, newest)
        said = (
            value
            if isinstance(value, str)
            else ("yes" if value else "no")
            if isinstance(value, bool)
            else figure(value)
        )
        lines.append(f"Their claim: {newest.claim.kind} {said} ({newest.status}).")
    if public.news:
        lines.append(f"News, turn {public.news[-1].turn}: {_short(public.news[-1].words, MOST_NEWS)}")
    return lines


def _cards(view: View, moves: list[str]) -> str:
    cards = [f"{card.id} {card.cost}" for card in CARDS if card.id in moves]
    return f"Cards (you have {view.public.sides[view.seat].points} points): {', '.join(cards) or 'none'}."


def _form(terms: Terms) -> str:
    """The JSON expected."""
    several = ", ".join(f'"{issue.name}": 0' for issue in terms.scenario.issues)
    offer = '"offer_amount": 0' if terms.is_price else f'"offer": {{{several}}}'
    return (
        'Answer with one JSON object: {"utterance": "...", ' + offer + '}, or with "accept_deal": true or "walk_away": '
        'true in place of the offer. Optional: "tactical_move", "claim_value", "sweetener", "question" (timeline, '
        'alternatives, authority, priorities), "challenge": true, "belief": {"est_walk_away": 0}, "event_impact": 0.0.'
    )


def _short(text: str, most: int) -> str:
    """Text on one line, without quotes of its own, cut where it is long: words can't pass for lines of the prompt."""
    line = " ".join(text.replace('"', "'").split())
    return line if len(line) <= most else line[: most - 1] + "…"

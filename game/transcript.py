"""A finished game as plain text, to be read or pasted somewhere."""

from __future__ import annotations

from typing import Any

from game.record import Episode, Line, lines
from parlay_env.core import Viewer
from parlay_env.deal.state import SEATS
from parlay_env.deal.terms import terms_of
from parlay_env.observe import hidden_facts
from parlay_env.prompt import figure, offer_text
from parlay_env.session import GAME


def transcript(episode: Episode, seat: str, names: dict[str, str]) -> str:
    """The conversation by turn, how it ended, and what both had hidden. `names` are by seat."""
    setup, public = episode.setup, episode.state.public
    terms = terms_of(setup.scenario)
    view = GAME.view(episode.state, Viewer("player", seat))
    news = {one.turn: one.words for one in public.news}
    width = max(len(name) for name in names.values())
    found = [setup.scenario.title.en, f"{names['seller']} sells to {names['buyer']}", ""]
    told: set[int] = set()
    for line in lines(episode, seat, episode.by):
        if line.turn not in told:
            told.add(line.turn)
            found.append(f"Turn {line.turn}")
            if line.turn in news:
                found.append(f"  NEWS  {news[line.turn]}")
        found.append(f"  {names[line.seat]:<{width}}  {_said(line)}")
    found.append("")
    ended = public.ended
    if ended is not None:
        terms_met = "" if ended.outcome is None else f": {offer_text(terms, ended.outcome)}"
        found.append(f"Ended in turn {ended.turn}: {ended.reason.replace('_', ' ')}{terms_met}")
    if view.grade is not None:
        found.append(f"E {view.grade.efficiency:.1%}, {figure(view.grade.reward)} points")
    if view.truth is not None:
        hidden = hidden_facts(view.truth, terms, public)
        found += [_limit(setup.scenario.currency, names[name], hidden[name]) for name in SEATS]
    return "\n".join(found) + "\n"


def _limit(currency: str, name: str, facts: dict[str, Any]) -> str:
    alternative = "an alternative" if facts["has_alternative"] else "no alternative"
    return f"{name}: limit {figure(facts['limit'])} {currency}, urgency {facts['urgency']:.2f}, {alternative}"


def _said(line: Line) -> str:
    """The words of a move, and in brackets what it did."""
    did = []
    if line.offer is not None:
        did.append("offers " + ", ".join(figure(value) for value in line.offer.values()))
    if line.card:
        did.append("plays " + line.card.replace("_", " ") + (f" ({line.item})" if line.item else ""))
    if line.question:
        did.append(f"asks about {line.question}")
    if line.claim is not None:
        value = line.claim["value"]
        did.append(f"claims {line.claim['kind']} {value if isinstance(value, (str, bool)) else figure(value)}")
    if line.challenge:
        did.append(f"challenges: the claim {'is withdrawn' if line.challenge == 'withdrawn' else 'stands'}")
    if line.accept:
        did.append("accepts")
    if line.walk:
        did.append("walks away")
    if line.invalid is not None:
        did.append(f"not allowed: {line.invalid['message']}")
    words = " ".join(line.words.split())
    return " ".join(part for part in (words, f"[{'; '.join(did)}]" if did else "") if part) or "(silent)"

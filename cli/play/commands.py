"""The commands of a move, each read from a line into the fields of a `ParlayAction`."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from cli.figures import money
from cli.play.amounts import amount_in, looks_like_amount
from cli.play.lines import AS_WORDS, Cursor, Desk, Mistyped
from cli.play.offers import example_limit, figure_at, how_to_offer, starts_offer
from game.cards import ANSWERS, CARD, CARDS, TOPICS
from parlay_env.deal.state import T_MAX
from parlay_env.deal.terms import range_of

TOPIC_WORDS = {
    "timeline": "timeline",
    "time": "timeline",
    "deadline": "timeline",
    "alternatives": "alternatives",
    "alternative": "alternatives",
    "authority": "authority",
    "budget": "authority",
    "priorities": "priorities",
    "priority": "priorities",
}

Part = Callable[[Cursor, Desk, dict[str, Any]], bool]
"""Reads a command at the cursor into the move; False (and nothing taken) when it is only a word."""


def _accept(cursor: Cursor, _: Desk, found: dict[str, Any]) -> bool:
    cursor.take()
    found["accept_deal"] = True
    return True


def _walk(cursor: Cursor, _: Desk, found: dict[str, Any]) -> bool:
    cursor.take()
    if cursor.key() == "away":
        cursor.take()
    found["walk_away"] = True
    return True


def _offer_word(cursor: Cursor, desk: Desk, _: dict[str, Any]) -> bool:
    rest = Cursor(cursor.rest)
    rest.take()
    if rest.peek() and not starts_offer(rest, desk):
        return False
    cursor.take()
    if not cursor.peek():
        raise Mistyped(f"offer what? {how_to_offer(desk)}")
    return True


def _ask(cursor: Cursor, _: Desk, found: dict[str, Any]) -> bool:
    cursor.take()
    word = cursor.key()
    topic = TOPIC_WORDS.get(word)
    if topic is None:
        near = get_close_matches(word, TOPIC_WORDS, 1, 0.7)
        meant = f"; did you mean `ask {TOPIC_WORDS[near[0]]}`?" if near else ""
        raise Mistyped(f"ask about what? {', '.join(TOPICS)}{meant}; {AS_WORDS}")
    cursor.take()
    found["question"] = topic
    return True


def _card(cursor: Cursor, desk: Desk, found: dict[str, Any]) -> bool:
    cursor.take()
    card = _card_named(cursor.key())
    cursor.take()
    found["tactical_move"] = card
    if card == "sweetener":
        found["sweetener"] = _item(cursor, desk)
    elif card == "time_pressure":
        found["claim_value"] = _turn(cursor, "card time_pressure 12: the last turn at which you would deal")
    elif card == "batna_reveal":
        found["claim_value"] = _limit(cursor, desk, "card batna_reveal")
    return True


def _card_named(word: str) -> str:
    near = [card.id for card in CARDS if word and any(p.startswith(word) for p in (card.id, *card.id.split("_")))]
    near = near if len(near) == 1 else get_close_matches(word, CARD, 1, 0.7)
    if not near:
        raise Mistyped(f"which card? {', '.join(CARD)} (`cards` tells what each does); {AS_WORDS}")
    return near[0]


def _item(cursor: Cursor, desk: Desk) -> str:
    word = cursor.key()
    near = [item for item in desk.items if word and item.startswith(word)] or get_close_matches(
        word, desk.items, 1, 0.7
    )
    if not near:
        left = "; ".join(f"{item} ({title})" for item, title in desk.items.items()) or "none is left"
        raise Mistyped(f"which sweetener? {left}")
    cursor.take()
    return near[0]


def _turn(cursor: Cursor, example: str) -> float:
    if cursor.key() in ("turn", "deadline"):
        cursor.take()
    value = amount_in(cursor.peek()) if cursor.peek() else None
    if value is None or value != int(value) or not 1 <= value <= T_MAX:
        raise Mistyped(f"claim which turn? 1 to {T_MAX}, such as `{example}`")
    cursor.take()
    return value


def _limit(cursor: Cursor, desk: Desk, command: str) -> float:
    if cursor.key() == "limit":
        cursor.take()
    if not looks_like_amount(cursor.peek()):
        example = f"{command} {example_limit(desk.terms)}"
        raise Mistyped(f"claim which limit? Such as `{example}`; a turn: `claim turn 12`; {AS_WORDS}")
    value = figure_at(cursor, desk)
    if desk.terms.is_price and value <= T_MAX and value < range_of(desk.terms, 0)[0]:
        raise Mistyped(f"a limit of {money(value)}? For a deadline write `claim turn {money(value)}`")
    return value


def _claim(cursor: Cursor, desk: Desk, found: dict[str, Any]) -> bool:
    cursor.take()
    if cursor.key() in ("turn", "deadline"):
        found["tactical_move"] = "time_pressure"
        found["claim_value"] = _turn(cursor, "claim turn 12")
    else:
        found["claim_value"] = _limit(cursor, desk, "claim")
        found["tactical_move"] = "batna_reveal"
    return True


def _answer(cursor: Cursor, desk: Desk, found: dict[str, Any]) -> bool:
    if not desk.asked:
        return False
    cursor.take()
    kind, word = ANSWERS[desk.asked], cursor.key()
    if kind == "deadline":
        found["claim_value"] = _turn(cursor, "answer 12")
        return True
    if kind == "budget":
        found["claim_value"] = _limit(cursor, desk, "answer")
        return True
    names = [issue.name for issue in desk.terms.scenario.issues]
    choices = {"no": 0, "yes": 1} if kind == "alternative" else {name: k for k, name in enumerate(names)}
    if kind == "priority" and desk.terms.is_price:
        choices["time"] = 1
    if word not in choices:
        raise Mistyped(f"answer {' or '.join(choices)}")
    cursor.take()
    found["claim_value"] = float(choices[word])
    return True


def _challenge(cursor: Cursor, _: Desk, found: dict[str, Any]) -> bool:
    cursor.take()
    found["challenge"] = True
    return True


_BELIEF_KEYS = {
    "limit": "est_walk_away",
    "walk": "est_walk_away",
    "walk_away": "est_walk_away",
    "budget": "est_budget",
    "urgency": "est_urgency",
    "alternative": "est_has_alternative",
}


def _believe(cursor: Cursor, desk: Desk, found: dict[str, Any]) -> bool:
    rest = Cursor(cursor.rest)
    rest.take()
    report: dict[str, float] = {}
    if looks_like_amount(rest.peek()):
        report["est_walk_away"] = figure_at(rest, desk)
    while (pair := rest.peek().partition("="))[1] and pair[0].lower() in _BELIEF_KEYS:
        name, figure = _BELIEF_KEYS[pair[0].lower()], pair[2].lower().rstrip(".,;")
        value = {"yes": 1.0, "no": 0.0}.get(figure, amount_in(figure))
        if value is None:
            raise Mistyped(f"`{pair[2]}` is no figure; write {pair[0]}=0.7 (or 70%, yes, no)")
        report[name] = value
        rest.take()
    if not report:
        if rest.peek():
            return False
        limit = example_limit(desk.terms)
        raise Mistyped(
            f"believe what of them? Such as `believe {limit}`, `believe {limit} urgency=0.7 alternative=30%`"
        )
    if not all(0 <= report.get(name, 0) <= 1 for name in ("est_urgency", "est_has_alternative")):
        raise Mistyped("urgency and alternative go from 0 to 1 (or 0% to 100%)")
    cursor.rest = rest.rest
    found["belief"] = found.get("belief", {}) | report
    return True


def _impact(cursor: Cursor, desk: Desk, found: dict[str, Any]) -> bool:
    cursor.take()
    if not desk.market_news:
        raise Mistyped("there is no news yet whose effect could be estimated")
    value = amount_in(cursor.peek().lstrip("+")) if cursor.peek() else None
    if value is None or abs(value) > 1:
        raise Mistyped(
            "by how much of the scenario's width did the news tighten their limit? Such as `impact 10%`; loosened: -10%"
        )
    cursor.take()
    found["event_impact"] = value
    return True


PARTS: dict[str, Part] = {
    "accept": _accept,
    "walk": _walk,
    "offer": _offer_word,
    "ask": _ask,
    "card": _card,
    "claim": _claim,
    "answer": _answer,
    "challenge": _challenge,
    "believe": _believe,
    "impact": _impact,
}
COMMANDS = (*PARTS, "say", "help", "status", "brief", "history", "cards", "claims", "worth", "quit")

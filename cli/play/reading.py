"""What a person types, read as a move: commands first, then an offer, then words.

    148k                          an offer                     ask timeline           a question
    148k We could sign today.     an offer with words          card reframe 148k …    a card with an offer
    9.85 60 10000                 several issues               claim 140k             a claim, true or not
    price=9.85                    the rest as in your last     challenge              dispute their newest claim
    accept · walk                 the end                      believe 140k           what you think their limit is

Anything else is words. What looks mistyped is explained, never sent: in this game words cannot be taken back.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any, Literal

import msgspec

from cli.play.amounts import looks_like_amount
from cli.play.commands import COMMANDS, PARTS, TOPIC_WORDS
from cli.play.lines import AS_WORDS, Cursor, Desk, Mistyped
from cli.play.offers import how_to_offer, offer_at, starts_offer
from game.cards import CARD

Look = Literal["help", "status", "brief", "history", "cards", "claims", "worth", "quit", "nothing"]


class Typed(msgspec.Struct, frozen=True):
    """A line as it was meant: something to look at, a problem to explain, or (parts of) a move."""

    look: Look | None = None
    topic: str = ""
    problem: str = ""
    action: dict[str, Any] = {}
    """Fields of a `ParlayAction`."""
    offer: dict[str, float] | None = None
    """Of the move, or for `worth`."""
    rounded: bool = False
    """The offer was typed finer than the issue's step."""
    said: bool = False
    """The words were begun with `say`: they are meant."""

    @property
    def is_note(self) -> bool:
        """Only what goes along with a move: it waits for the next one."""
        return bool(self.action) and set(self.action) <= {"belief", "event_impact"}


_LOOKS: dict[str, Look] = {
    "help": "help",
    "h": "help",
    "?": "help",
    "status": "status",
    "table": "status",
    "brief": "brief",
    "briefing": "brief",
    "history": "history",
    "cards": "cards",
    "claims": "claims",
    "quit": "quit",
    "exit": "quit",
    "q": "quit",
}


def read(line: str, desk: Desk) -> Typed:
    """The line as it was meant. Never raises for a line."""
    text = re.sub(r"(?<=\w)\s*=\s*(?=\S)", "=", line.strip())
    if not text:
        return Typed(look="nothing")
    first, _, rest = text.partition(" ")
    look = _LOOKS.get(first.lower())
    if look and (not rest or (look == "help" and rest.lower() in ("cards", "card"))):
        return Typed(look="cards" if rest else look)
    cursor = Cursor(text)
    try:
        if first.lower() == "worth":
            return _worth(cursor, desk)
        return _move(cursor, desk)
    except Mistyped as problem:
        return Typed(problem=str(problem))


def _worth(cursor: Cursor, desk: Desk) -> Typed:
    cursor.take()
    if not starts_offer(cursor, desk):
        raise Mistyped(f"worth what? {how_to_offer(desk)}, after `worth`")
    offer, rounded = offer_at(cursor, desk)
    return Typed(look="worth", offer=offer, rounded=rounded)


def _move(cursor: Cursor, desk: Desk) -> Typed:
    found: dict[str, Any] = {}
    offer, rounded = None, False
    while cursor.rest.strip():
        if cursor.separator():
            continue
        part = PARTS.get(cursor.key())
        if part is not None and part(cursor, desk, found):
            if found.get("accept_deal") or found.get("walk_away"):
                break
        elif offer is None and starts_offer(cursor, desk):
            offer, rounded = offer_at(cursor, desk)
            if not cursor.separator():
                break
        else:
            break
    said = cursor.key() == "say"
    if said:
        cursor.take()
    words = _unquoted(cursor.rest.strip().lstrip(",;:-–— ").strip())
    if words:
        if not found and offer is None and words == cursor.rest.strip():
            _check_for_slip(words, desk)
        found["utterance"] = words
    if offer is not None:
        found["offer"] = offer
    return Typed(action=found, offer=offer, rounded=rounded, said=said) if found else Typed(look="nothing")


def _unquoted(words: str) -> str:
    for left, right in ('""', "''", "“”", "「」"):
        if len(words) > 1 and words.startswith(left) and words.endswith(right):
            return words[1:-1].strip()
    return words


_ASKS = ("what", "how", "where", "which", "who", "can", "why", "when")
_TO_THEM = {"you", "your", "yours", "we", "us", "our", "let", "let's"}


def may_be_a_slip(typed: Typed) -> bool:
    """Words alone that are perhaps not meant for the other side: very few, begun like a command, or a question about
    the game itself."""
    if set(typed.action) != {"utterance"} or typed.said:
        return False
    words = [word.lower().strip(",;:.!?“”\"'") for word in typed.action["utterance"].split()]
    first = words[0] if words else ""
    if len(words) <= 2 or first in (*COMMANDS, *_LOOKS, *TOPIC_WORDS, *CARD):
        return len(words) <= 8
    return first in _ASKS and len(words) <= 8 and not _TO_THEM & set(words)


def _check_for_slip(words: str, desk: Desk) -> None:
    """Raise when words are more likely a command with a slip of the finger."""
    first, *others = (part.lower().strip(",;:.!?") for part in words.split())
    if first in COMMANDS or first == "say":
        return
    followed = bool(others) and (looks_like_amount(others[0]) or others[0] in (*TOPIC_WORDS, *CARD, *desk.items))
    near = get_close_matches(first, COMMANDS, 1, 0.75)
    if near and (not others or followed):
        raise Mistyped(f"`{first}`: did you mean `{near[0]}`? {AS_WORDS[0].upper()}{AS_WORDS[1:]}: say {words}")

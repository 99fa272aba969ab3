"""What a player says in a game with talk: it thinks in private, then talks or plays.

A move says it in parts, or in one strict text, as a language model writes it:

    <think>what nobody else sees</think><talk>what the other reads</talk>
    <think>what nobody else sees</think><play>what the game is told</play>

Thinking may be left out; white space around the parts is free; nothing else may stand there. What `<think>` opened is
private up to the first `</think>`, whatever it holds. A text that could be read in two ways is refused, never mended.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from parlay_env.core import Seat
from parlay_env.games.interface import Refusal

P = TypeVar("P")

TALK_AT_MOST = 500
"""Characters of one message, and of what a `<play>` holds."""
THINK_AT_MOST = 20_000
"""Characters of one turn's thinking."""
TEXT_AT_MOST = THINK_AT_MOST + 1_000
"""Characters of a whole text; a longer one is not looked at."""
NO_TEXT = "half a surrogate pair is no character"
FORMAT = "<think>…</think> if you like, then either <talk>…</talk> or <play>…</play>, and nothing else"

_PARTS = ("talk", "play")
_LOOK_ALIKE = str.maketrans(
    "аɑαрρуυүкκтτһіıιɩӏⅼпոηοо‹〈⟨❮❬˂≺/⁄∕╱⧸",
    "aaappyyykktthiiiillnnnoo<<<<<<</////",
)
"""Letters, brackets and strokes that a reader takes for those of a tag (Unicode Technical Standard 39, in part)."""
_TAG = re.compile(r"<\s*/?\s*(?:think|talk|play)\b")
_STEERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Signs that turn the direction of what follows: a reader sees other words than were sent."""


class Spoken(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A move of a game with talk; the game adds `play`, its own part.

    `think`: private, never shown to anybody else before the end. Then either `talk`, words for the other, or `play`.
    Or all of it as one `text`, and nothing beside it.
    """

    think: str = ""
    talk: str | None = None
    text: str | None = None


class Turn(msgspec.Struct, Generic[P], frozen=True):
    """A move that could be read: exactly one of `talk` and `play` is there."""

    think: str
    talk: str | None
    play: P | None


class Said(msgspec.Struct, frozen=True):
    """One message that both have read, and the round in which it was sent, from 1."""

    seat: Seat
    words: str
    round: int = 1


class Thought(msgspec.Struct, frozen=True):
    """What a seat thought before its move number `move` of the episode, from 1, counting everybody's."""

    seat: Seat
    move: int
    words: str


class Line(msgspec.Struct, frozen=True):
    """The parts of a text: exactly one of `talk` and `play` is there."""

    think: str
    talk: str | None = None
    play: str | None = None


def parse(text: str) -> Line | Refusal:
    """The parts of one strict text, or what is wrong with it. Never raises, and takes time linear in the length."""
    if len(text) > TEXT_AT_MOST:
        return Refusal("too_long", f"a text has at most {TEXT_AT_MOST} characters")
    rest, think = text.strip(), ""
    if rest.startswith("<think>"):
        think, closed, rest = rest.removeprefix("<think>").partition("</think>")
        if not closed:
            return Refusal("format", f"<think> was not closed; write {FORMAT}")
        rest = rest.lstrip()
    for part in _PARTS:
        opening, closing = f"<{part}>", f"</{part}>"
        if rest.startswith(opening) and rest.endswith(closing):
            inner = rest.removeprefix(opening).removesuffix(closing).strip()
            if len(inner) > TALK_AT_MOST:
                return Refusal("too_long", f"inside <{part}> there are at most {TALK_AT_MOST} characters")
            if looks_tagged(inner):
                return Refusal("format", f"inside <{part}> there is no other tag; write {FORMAT}")
            return Line(think.strip(), **{part: inner})
    return Refusal("format", f"write {FORMAT}")


def looks_tagged(words: str) -> bool:
    """Is there something in these words that a reader could take for a tag of the format? For short words: the time
    grows with the square of a run of combining marks."""
    apart = unicodedata.normalize("NFKD", words)
    shown = "".join(sign for sign in apart if unicodedata.category(sign) not in ("Mn", "Me", "Cf", "Cc"))
    return _TAG.search(shown.casefold().translate(_LOOK_ALIKE)) is not None


def is_plain(words: str) -> bool:
    """Is this text without control characters, signs that turn its direction, and halves of surrogate pairs?"""
    return not any(
        sign in _STEERING or (unicodedata.category(sign) in ("Cc", "Cs") and sign not in "\n\r\t") for sign in words
    )


def opened(move: Spoken, play: P | None, read: Callable[[str], P | Refusal]) -> Turn[P] | Refusal:
    """A move's turn, or why it is none.

    `play` is the game's own part of the move; `read` makes it from the words of a `<play>`.
    """
    if move.text is None:
        turn = Turn(move.think, None if move.talk is None else move.talk.strip(), play)
        if (turn.talk is None) == (turn.play is None):
            return Refusal("one_of_two", "after thinking, either talk or play: one of them, not both")
    elif move.think or move.talk is not None or play is not None:
        return Refusal("one_of_two", "send a text, or its parts; not both")
    else:
        line = parse(move.text)
        if isinstance(line, Refusal):
            return line
        typed = None if line.play is None else read(line.play)
        if isinstance(typed, Refusal):
            return typed
        turn = Turn(line.think, line.talk, typed)
    return _words_problem(turn) or turn


def _words_problem(turn: Turn[P]) -> Refusal | None:
    if len(turn.think) > THINK_AT_MOST:
        return Refusal("too_long", f"thinking has at most {THINK_AT_MOST} characters")
    if any(unicodedata.category(sign) == "Cs" for sign in turn.think):
        return Refusal("not_text", NO_TEXT)
    if turn.talk is None:
        return None
    if not any(sign.isprintable() and not sign.isspace() for sign in turn.talk):
        return Refusal("empty", "a message has words")
    if len(turn.talk) > TALK_AT_MOST:
        return Refusal("too_long", f"a message has at most {TALK_AT_MOST} characters")
    if not is_plain(turn.talk):
        return Refusal("not_text", "a message is plain text, without control characters")
    if looks_tagged(turn.talk):
        return Refusal("format", "a message holds no tag of the format")
    return None

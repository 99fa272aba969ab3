"""A text as tokens: figures, names of issues, and the words of the lexicon. English and Chinese may be mixed."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from training.reading import numerals
from training.reading.lexicon import ISSUE_WORDS, MOST_HAN, MOST_WORDS, PHRASES, RENAMED, Kind
from training.reading.types import Issue

MOST_COUNT = 10_000
"""A larger figure counts no packages."""
TYPO_FROM = 6
"""Letters from which one slip in an issue's name is forgiven: fierwood."""


class Token(NamedTuple):
    """A token; `value` is a count of a NUMBER, or the place of an ISSUE in the list of issues."""

    kind: Kind
    text: str
    start: int
    end: int
    value: int = 0


_SPACE = re.compile(r"[^\S\n]+")
_WORD = re.compile(r"['’]?[a-z]+(?:['’][a-z]+)*")
_ENDS = {
    ".": Kind.STOP,
    "!": Kind.STOP,
    "\n": Kind.STOP,
    "。": Kind.STOP,
    "！": Kind.STOP,
    "?": Kind.ASK,
    "？": Kind.ASK,
}
_ENDS |= {";": Kind.STOP, "；": Kind.STOP}
_MARKS = {",": Kind.AND, "，": Kind.AND, "、": Kind.AND, "&": Kind.AND, "+": Kind.AND, "/": Kind.SLASH, "-": Kind.SLASH}
_MARKS |= {":": Kind.FILL, "：": Kind.FILL, "=": Kind.FILL, "–": Kind.SLASH}


class _Names(NamedTuple):
    """What the issues are called, and the longest of these names, in words and in Chinese characters."""

    places: dict[str, int]
    words: int
    han: int


@lru_cache(maxsize=64)
def _names(issues: tuple[Issue, ...]) -> _Names:
    places: dict[str, int] = {}
    for place, issue in enumerate(issues):
        name = issue.name.lower().replace("_", " ")
        plural = (f"{name}s",) if name.isascii() and not name.endswith("s") else ()
        for word in (name, *plural, *ISSUE_WORDS.get(name, ()), *issue.words):
            places.setdefault(word.lower(), place)
    han = max((len(word) for word in places if not word.isascii()), default=0)
    return _Names(places, max(len(word.split()) for word in places), han)


def tokens(text: str, issues: tuple[Issue, ...]) -> list[Token]:
    """The tokens of a text in order; what stands for nothing at all (emoji, quotes) is left out."""
    text = numerals.widths(text).replace("’", "'")
    low = text.lower() if len(text.lower()) == len(text) else text
    names, found, at = _names(issues), [], 0
    while at < len(low):
        space = _SPACE.match(low, at)
        at = space.end() if space else at
        if at < len(low):
            new, at = _next(low, at, names)
            found += new
    return found


def _next(low: str, at: int, names: _Names) -> tuple[list[Token], int]:
    """The tokens at a place, and where to go on."""
    character = low[at]
    word = _WORD.match(low, at)
    if word:
        phrase = _phrase(low, at, names)
        if phrase:
            return phrase, phrase[-1].end
        figure = numerals.match(low, at)
        if figure:
            return [_figure(low, figure)], figure.end
        place = _misspelt(word[0], names)
        kind = Kind.OTHER if place is None else Kind.ISSUE
        return [Token(kind, word[0], at, word.end(), place or 0)], word.end()
    if not character.isascii():
        han = _han(low, at, names)
        if han:
            return [han], han.end
    figure = numerals.match(low, at) if character.isalnum() or character in "½¼¾" else None
    if figure:
        return [_figure(low, figure)], figure.end
    kind = _ENDS.get(character) or _MARKS.get(character)
    if kind is None and character.isalnum():
        kind = Kind.OTHER
    end = at + 1
    while character.isdigit() and end < len(low) and low[end].isdigit():
        end += 1
    return ([Token(kind, character, at, end)] if kind else []), end


def _figure(text: str, figure: numerals.Number) -> Token:
    said = text[figure.start : figure.end]
    if figure.value == int(figure.value) and figure.value <= MOST_COUNT:
        return Token(Kind.NUMBER, said, figure.start, figure.end, int(figure.value))
    return Token(Kind.OTHER, said, figure.start, figure.end)


def _phrase(low: str, at: int, names: _Names) -> list[Token]:
    """The longest phrase of the lexicon or name of an issue that begins here."""
    ends: list[int] = []
    words: list[str] = []
    place = at
    for _ in range(max(MOST_WORDS, names.words)):
        word = _WORD.match(low, place)
        if not word:
            break
        words.append(word[0])
        ends.append(word.end())
        space = _SPACE.match(low, word.end())
        if not space:
            break
        place = space.end()
    for k in range(len(words), 0, -1):
        said = " ".join(words[:k])
        if said in names.places:
            return [Token(Kind.ISSUE, said, at, ends[k - 1], names.places[said])]
        if said in RENAMED:
            return [Token(kind, said, at, ends[k - 1]) for kind in RENAMED[said]]
        if said in PHRASES:
            return [Token(PHRASES[said], said, at, ends[k - 1])]
    return []


def _han(low: str, at: int, names: _Names) -> Token | None:
    for k in range(max(MOST_HAN, names.han), 0, -1):
        said = low[at : at + k]
        if said in names.places:
            return Token(Kind.ISSUE, said, at, at + k, names.places[said])
        if said in PHRASES:
            return Token(PHRASES[said], said, at, at + k)
    return None


def _misspelt(word: str, names: _Names) -> int | None:
    """The issue that this word is one slip away from."""
    if len(word) < TYPO_FROM:
        return None
    return next(
        (place for name, place in names.places.items() if len(name) >= TYPO_FROM and _one_slip(word, name)), None
    )


def _one_slip(word: str, name: str) -> bool:
    """Two letters changed places, or one is wrong, missing or too many (Damerau 1964)."""
    if word == name or abs(len(word) - len(name)) > 1 or word[0] != name[0]:
        return False
    k = next((k for k, (a, b) in enumerate(zip(word, name, strict=False)) if a != b), min(len(word), len(name)))
    swapped = word[k + 1 : k + 2] + word[k : k + 1] + word[k + 2 :]
    return (
        name[k:] in (swapped, name[k : k + 1] + word[k + 1 :], name[k : k + 1] + word[k:]) or word[k + 1 :] == name[k:]
    )


def sentences(found: list[Token]) -> list[list[Token]]:
    """The tokens by sentence; the mark that ends one is its last token."""
    parts: list[list[Token]] = [[]]
    for token in found:
        parts[-1].append(token)
        if token.kind in (Kind.STOP, Kind.ASK):
            parts.append([])
    return [part for part in parts if any(token.kind not in (Kind.STOP, Kind.ASK) for token in part)]

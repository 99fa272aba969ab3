"""A player's name, taken out of its words."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

NEUTRAL = "[name]"
"""What stands for the player's name."""
_LEAST = 2
"""Letters of a part of a name that is looked for by itself."""
_LETTERS = re.compile(r"[^\W\d_]+")


def without_names(words: str, names: tuple[str, ...]) -> str:
    """The words with `NEUTRAL` wherever one of these names stands in them, whole or any part of it that has two
    letters or more, however it is cased or accented and whatever unseen signs stand between its letters. Of a name in
    a script without blanks two letters that follow each other are a part."""
    pattern = _pattern(names)
    plain, places = _folded(unicodedata.normalize("NFKC", words))
    found = list(pattern.finditer(plain))
    if not found:
        return words
    normal, out, at = unicodedata.normalize("NFKC", words), list[str](), 0
    for match in found:
        out += [normal[at : places[match.start()]], NEUTRAL]
        at = places[match.end() - 1] + 1
        while at < len(normal) and unicodedata.category(normal[at]) in ("Mn", "Cf"):
            at += 1
    return "".join([*out, normal[at:]])


def _folded(text: str) -> tuple[str, list[int]]:
    """The text without case, accents and unseen signs, and where each of its letters stood."""
    letters, places = list[str](), list[int]()
    for place, sign in enumerate(text):
        for part in unicodedata.normalize("NFKD", sign.casefold()):
            if unicodedata.category(part) not in ("Mn", "Cf"):
                letters.append(part)
                places.append(place)
    return "".join(letters), places


@cache
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    parts: set[str] = set()
    for name in names:
        plain = _folded(unicodedata.normalize("NFKC", name).strip())[0]
        parts.add(plain)
        for part in _LETTERS.findall(plain):
            parts |= {part} if len(part) >= _LEAST else set()
            parts |= {part[k : k + _LEAST] for k in range(len(part) - 1)} if _has_no_blanks(part) else set()
    parts.discard("")
    if not parts:
        return re.compile(r"(?!)")
    longest_first = sorted(parts, key=lambda part: (-len(part), part))
    return re.compile("|".join(map(_whole, longest_first)))


def _has_no_blanks(part: str) -> bool:
    """Is it of a script that puts no blanks between words?"""
    return not part.isascii() and all(unicodedata.category(c) == "Lo" for c in part if c.isalpha())


def _whole(part: str) -> str:
    """The part as a word of its own, where its script has words; letters of a script without blanks are no border."""
    if _has_no_blanks(part):
        return re.escape(part)
    return rf"(?<![^\W\d_]){re.escape(part)}(?![^\W\d_])"

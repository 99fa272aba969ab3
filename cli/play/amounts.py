"""Figures as a person types them: 148k, 148,000, $1.2m, 9.85, 60 %."""

from __future__ import annotations

import re

_DIGITS = r"(?:\d{1,3}(?:[,']\d{3})+|\d+(?:_\d+)*)(?:\.\d+)?|\.\d+"
_AMOUNT = re.compile(rf"([-−]?)[$€£¥]?({_DIGITS})(k|m|mn|mio|b|bn|万|亿|%)?", re.IGNORECASE)
_NUMBER_LIKE = re.compile(r"[-−]?[$€£¥]?\.?\d")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)\b", re.IGNORECASE)
MAGNITUDES = {
    "k": 1e3,
    "thousand": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "mio": 1e6,
    "million": 1e6,
    "b": 1e9,
    "bn": 1e9,
    "billion": 1e9,
    "万": 1e4,
    "亿": 1e8,
    "%": 0.01,
}
"""Also as a word of its own after the figure: `1.2 million`."""


def amount_in(word: str) -> float | None:
    """The figure that this word is; None if it is none."""
    match = _AMOUNT.fullmatch(word.rstrip(".,;:!?"))
    if match is None:
        return None
    sign, digits, magnitude = match.groups()
    value = float(re.sub(r"[,'_]", "", digits)) * MAGNITUDES.get((magnitude or "").lower(), 1.0)
    return round(-value if sign else value, 6)


def looks_like_amount(word: str) -> bool:
    """Was this meant as a figure, readable or not?"""
    return bool(_NUMBER_LIKE.match(word)) and not _ORDINAL.match(word)

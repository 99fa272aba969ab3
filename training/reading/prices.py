"""A single price in words: which amounts are offers, which are limits, quotes of the other side, or others' offers.

Which figures are money is `parlay_env.amounts`' to say; figures in words are put into digits before it is asked.
"""

from __future__ import annotations

import re

from parlay_env.amounts import amounts
from training.reading import cues
from training.reading.acts import sentences
from training.reading.numerals import in_digits, numbers
from training.reading.types import Claim, Offer

_CLAUSE = re.compile(r"[;；]|,(?!\d)|，|\b(?:but|although|though|because|while)\b|但是?|不过|因为", re.IGNORECASE)


def prices(text: str) -> tuple[tuple[Offer, ...], tuple[Claim, ...]]:
    """The price offers of a text in order, each once, and its limits and alternatives that name amounts."""
    digits = in_digits(text)
    all_named = set(amounts(digits))
    offers: list[Offer] = []
    claims: list[Claim] = []
    for sentence in sentences(digits):
        for clause in _CLAUSE.split(sentence):
            for value in _named(clause, all_named):
                if cues.OTHERS.search(clause):
                    claims.append(Claim("alternative", "me", value=value, text=sentence))
                elif cues.LIMIT.search(clause):
                    claims.append(Claim("limit", "me", value=value, text=sentence))
                elif not cues.QUOTED.search(clause) and Offer(price=value) not in offers:
                    offers.append(Offer(price=value))
    return tuple(offers), tuple(claims)


def _named(clause: str, known: set[float]) -> list[float]:
    """The amounts of a clause: those that it names alone, and figures that the whole text settles as amounts."""
    found = list(amounts(clause))
    for one in numbers(clause):
        if one.value in known and one.value not in found:
            found.append(one.value)
    return [value for value in dict.fromkeys(found) if value in known]

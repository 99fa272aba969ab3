"""Figures, offers and the sentences of the rubric in both languages."""

from __future__ import annotations

import re
from typing import Any

from parlay_env.deal.terms import CENTS, Offer, Terms, value_of

Text = dict[str, str]
"""`{"en", "zh"}`."""
HAN_A_WORD = 2
"""Chinese is counted by characters: two make a word, in the mean."""


def money(hundredths: float) -> str:
    """An amount as people write it: whole from a thousand on, else with the cents that it has."""
    value = round(hundredths) / CENTS
    if abs(value) >= 1000 or value == round(value):
        return f"{value:,.0f}"
    return f"{value:,.2f}"


def offer_words(terms: Terms, offer: Offer) -> Text:
    """An offer as people say it: `178,000 USD`; with several issues each with its title."""
    scenario = terms.scenario
    values = [_figure(value_of(terms, k, place)) for k, place in enumerate(offer)]
    if terms.is_price:
        said = f"{values[0]} {scenario.currency}"
        return {"en": said, "zh": said}
    titles = [issue.title for issue in scenario.issues]
    return {
        "en": ", ".join(f"{t.en.lower()} {v}" for t, v in zip(titles, values, strict=True)),
        "zh": "、".join(f"{t.zh or t.en} {v}" for t, v in zip(titles, values, strict=True)),
    }


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.2f}"


def text(en: str, zh: str, **parts: Any) -> Text:
    """A sentence in both languages with its parts filled in; a part may be a `Text` itself."""

    def own(language: str) -> dict[str, Any]:
        return {name: part[language] if isinstance(part, dict) else part for name, part in parts.items()}

    return {"en": en.format(**own("en")), "zh": zh.format(**own("zh"))}


TOPIC_WORDS: dict[str, Text] = {
    "timeline": {"en": "their timeline", "zh": "对方的时间安排"},
    "alternatives": {"en": "their alternatives", "zh": "对方的其他选择"},
    "authority": {"en": "their authority", "zh": "对方的权限"},
    "priorities": {"en": "their priorities", "zh": "对方最看重什么"},
}


_TOKEN = re.compile(r"[\u4e00-\u9fff]|[^\W\d_]+(?:['’][^\W\d_]+)*|\d[\d,.]*")


def tokens(utterance: str) -> tuple[list[str], int]:
    """The words of a text, lower case, a Chinese character each; and how many figures there are."""
    found = [token.lower() for token in _TOKEN.findall(utterance)]
    words = [token for token in found if not token[0].isdigit()]
    return words, len(found) - len(words)


def length(words: list[str]) -> float:
    """How many words these are, Chinese characters counted by `HAN_A_WORD`."""
    han = sum("\u4e00" <= word[0] <= "\u9fff" for word in words)
    return len(words) - han + han / HAN_A_WORD


def varied(words: list[str]) -> bool:
    """One word over and over is no sentence."""
    return 2 * len(set(words)) > len(words)


def overlap(one: frozenset[str], two: frozenset[str]) -> float:
    """The share of words that two texts have in common (Jaccard)."""
    return len(one & two) / len(one | two) if one and two else 0.0

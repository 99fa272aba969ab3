"""A typed line and the table it is typed at."""

from __future__ import annotations

import re

import msgspec

from parlay_env.deal.terms import Terms, terms_of, values_of
from parlay_env.deal.value import items_left
from parlay_env.deal.views import View

_WORD = re.compile(r"\s*([^\s;]+)")
AS_WORDS = "to say it as words, begin with `say`"


class Mistyped(ValueError):
    """What is wrong with a line, and what would be right."""


class Desk(msgspec.Struct, frozen=True):
    """What of the table the reading of a line depends on."""

    terms: Terms
    seat: int
    last_offer: dict[str, float] | None
    items: dict[str, str]
    """Sweeteners that can still be thrown in, with their titles."""
    asked: str
    """The topic of a question that waits for an answer."""
    market_news: bool = False
    """There has been news whose size can be estimated."""

    @classmethod
    def of(cls, view: View) -> Desk:
        """The desk of the player who has this view."""
        scenario, public = view.setup.scenario, view.public
        terms, mine = terms_of(scenario), public.sides[view.seat]
        left = items_left(scenario, public, view.seat)
        return cls(
            terms=terms,
            seat=view.seat,
            last_offer=None if mine.latest is None else dict(values_of(terms, mine.latest)),
            items={item.id: item.title.en for item in scenario.sweeteners if item.id in left},
            asked=public.sides[1 - view.seat].question,
            market_news=any(news.market for news in public.news),
        )


class Cursor:
    """A line, word by word."""

    def __init__(self, text: str) -> None:
        self.rest = text

    def peek(self) -> str:
        """The next word as typed, up to a space or a semicolon; empty at the end."""
        match = _WORD.match(self.rest)
        return match.group(1) if match else ""

    def take(self) -> str:
        """The next word; the line goes on behind it."""
        match = _WORD.match(self.rest)
        if match is None:
            return ""
        self.rest = self.rest[match.end() :]
        return match.group(1)

    def key(self) -> str:
        """The next word as a command is spelt."""
        return self.peek().lower().strip(",;:.!?")

    def separator(self) -> bool:
        """Take a semicolon, if one comes next."""
        text = self.rest.lstrip()
        if text.startswith(";"):
            self.rest = text[1:]
            return True
        return False


def listing(names: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

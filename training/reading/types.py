"""What is read from an utterance: offers, a stance, claims, questions, reasons. Counts are packages, prices money."""

from __future__ import annotations

from typing import Literal

import msgspec

Who = Literal["me", "you"]
"""Whose: the speaker's, or the one's that is spoken to."""
Stance = Literal["accept", "reject", "walk_away"]


ALL_OF_IT = 10**6
"""A part's count for all packages of an issue that it does not name."""


class ReadingError(ValueError):
    """A dialogue, an issue or a text that can't be read; the message says what would be right."""


class Issue(msgspec.Struct, frozen=True):
    """Something that is divided: `quantity` packages of it; or, with a quantity of 0, a price."""

    name: str
    quantity: int = 0
    words: tuple[str, ...] = ()
    """What it is called besides its name, in lower case, singular and plural."""

    @property
    def is_price(self) -> bool:
        return self.quantity == 0


class Part(msgspec.Struct, frozen=True):
    """What an offer says of one issue.

    `issue` None: of what was talked about last, where ALL_OF_IT is all of it. What a side gets is None where it was not
    said and does not follow. With `more`, the count is one on top of what that side was to have.
    """

    issue: str | None
    me: int | None = None
    you: int | None = None
    more: bool = False


class Offer(msgspec.Struct, frozen=True):
    """Parts of a split, or a price."""

    parts: tuple[Part, ...] = ()
    price: float | None = None


class Claim(msgspec.Struct, frozen=True):
    """What somebody says of a side.

    `need` and `priority` name an issue (`holds` False: "I don't need much water"); a `limit` is a count of an issue or
    an amount; an `alternative` may have an amount; a `deadline` has a number of `unit`s or words.
    """

    kind: Literal["need", "priority", "limit", "alternative", "deadline"]
    who: Who
    issue: str | None = None
    value: float | None = None
    holds: bool = True
    text: str = ""


class Question(msgspec.Struct, frozen=True):
    """`topic`: priorities, quantities, reasons, alternatives, timeline, authority, agreement, other."""

    topic: str
    text: str


class Found(msgspec.Struct, frozen=True):
    """All that was read from one utterance."""

    offers: tuple[Offer, ...] = ()
    stance: Stance | None = None
    conditional: bool = False
    """It agrees on a condition ("if", "as long as"), or names terms of its own beside its stance."""
    same: bool = False
    """It refers back: "same as before", "the original deal"."""
    claims: tuple[Claim, ...] = ()
    questions: tuple[Question, ...] = ()
    reasons: tuple[str, ...] = ()
    topic: str | None = None
    """The issue named last."""


def check(issues: tuple[Issue, ...]) -> None:
    """Raises ReadingError for issues that nothing can be read for."""
    if not issues:
        raise ReadingError("there are no issues; name what is divided, or one price")
    names = [issue.name.lower() for issue in issues]
    if len(set(names)) < len(names) or not all(name.strip() for name in names):
        raise ReadingError(f"every issue needs a name of its own, these have {[issue.name for issue in issues]}")
    if any(issue.quantity < 0 for issue in issues):
        raise ReadingError("an issue's quantity is the number of packages, or 0 for a price; it can't be negative")
    if len(issues) > 1 and any(issue.is_price for issue in issues):
        raise ReadingError("a price is read alone: one issue of quantity 0, or issues of at least 1 package")

"""Counts of issues in a text: "2 of the 3 waters", "all the food and firewood", "one of each", "food: 2", "2/1/0".

A mention says how many of what, not yet for whom.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from training.reading.lexicon import Kind
from training.reading.tokens import Token
from training.reading.types import ALL_OF_IT, Issue

TOPIC = -1
"""The place of an issue that is not named: what was talked about last."""
_PASSED = (Kind.FILL, Kind.OWN)
_PERSONS = (Kind.ME, Kind.YOU, Kind.SIDES)
_FILLS = 6
"""Words between a count and what it counts, at most."""


class Mention(NamedTuple):
    """`number` packages of the issue at `place`; `more`: on top of what was; `rest`: what is left of every issue.

    Without any of these it is a bare name; `definite`: "the water", "your water".
    """

    place: int
    number: int | None = None
    more: bool = False
    rest: bool = False
    definite: bool = False


class _Quantity(NamedTuple):
    end: int
    number: int | None = None  # a figure
    share: float | None = None  # of the issue's quantity: 1 for all, ½ for half
    more: bool = False
    article: bool = False


def mentions_at(line: Sequence[Token], at: int, issues: tuple[Issue, ...]) -> tuple[list[Mention], int] | None:
    """The mentions that begin at this token, and the token behind them; None where none begins.

    An issue may be TOPIC. A count beyond the issue's quantity is no count of it, and not reported.
    """
    kind = line[at].kind
    if kind is Kind.REST:
        name = _after_fill(line, at + 1)
        if _kind(line, name) is Kind.ISSUE:  # "the rest of the food": it follows from the other side's count
            while (joined := _joined(line, name + 1, True)) is not None:
                name = joined
            return [], name + 1
        return [Mention(TOPIC, rest=True)], at + 1 + (_kind(line, at + 1) is Kind.ALL)
    if (
        kind is Kind.IT
        and _kind(line, at + 1) is Kind.ALL
        and _kind(line, at + 2) in (None, Kind.STOP, Kind.ASK, Kind.AND)
    ):
        return [Mention(TOPIC, ALL_OF_IT)], at + 2
    if kind is Kind.ISSUE:
        return _named_first(line, at, issues)
    if kind is Kind.NUMBER and _kind(line, at + 1) is Kind.SLASH and _kind(line, at + 2) is Kind.NUMBER:
        return _slashed(line, at, issues)
    quantity = _quantity(line, at)
    return None if quantity is None else _counted(line, quantity, issues)


def _kind(line: Sequence[Token], at: int) -> Kind | None:
    return line[at].kind if 0 <= at < len(line) else None


def _after_fill(line: Sequence[Token], at: int) -> int:
    end = at
    while end < len(line) and line[end].kind in _PASSED and end - at < _FILLS:
        end += 1
    return end


def _quantity(line: Sequence[Token], at: int) -> _Quantity | None:
    kind = line[at].kind
    if kind is Kind.NUMBER:
        return _figure(line, at)
    if kind is Kind.ALL:
        after = _after_fill(line, at + 1)
        return _Quantity(after + (_kind(line, after) is Kind.NUMBER), share=1.0)
    if kind is Kind.HALF:
        return _Quantity(at + 1, share=0.5)
    if kind is Kind.NO:
        return _Quantity(at + 1 + (_kind(line, at + 1) is Kind.ANY), number=0, article=True)
    if kind is Kind.A:
        return None if _kind(line, at + 1) is Kind.NUMBER else _Quantity(at + 1, number=1, article=True)
    return _Quantity(at + 1, number=1, more=True) if kind is Kind.MORE else None


def _figure(line: Sequence[Token], at: int) -> _Quantity:
    """A figure, also "2 of the 3" and "2 more"."""
    count, end = line[at].value, at + 1
    if end < len(line) and line[end].text == "more":
        return _Quantity(end + 1, count, more=True)
    of = end < len(line) and line[end].text in ("of", "out of")
    after = _after_fill(line, end + 1)
    if of and _kind(line, after) is Kind.NUMBER and line[after].value >= count:
        end = after + 1
    return _Quantity(end, count)


def _counted(line: Sequence[Token], quantity: _Quantity, issues: tuple[Issue, ...]) -> tuple[list[Mention], int] | None:
    end = _after_fill(line, quantity.end)
    kind = _kind(line, end)
    if kind is Kind.ISSUE:
        places = [line[end].value]
        end = _after_fill(line, end + 1)
        while (joined := _joined(line, end, bool(quantity.share))) is not None:
            places.append(line[joined].value)
            end = joined + 1
        found = [_mention(quantity, place, issues) for place in places]
        return [one for one in found if one is not None], end
    if kind is Kind.EACH:
        end = end + 1
        while _kind(line, end) in (Kind.EACH, Kind.FILL):
            end += 1
        found = [_mention(quantity, place, issues) for place in range(len(issues))]
        return [one for one in found if one is not None], end
    if quantity.article or (quantity.share == 0.5) or (quantity.share and line[quantity.end - 1].kind is Kind.ALL):
        return ([_topic(quantity)], end + 1) if kind is Kind.IT and quantity.share else None
    if kind is Kind.IT and (line[end].text.startswith("of ") or line[end - 1].text == "of"):
        return [_topic(quantity)], end + 1
    return ([_topic(quantity)], end) if _ends_there(line, end) else None


def _joined(line: Sequence[Token], at: int, whole: bool) -> int | None:
    """Where "and water" goes on after "2 food", without a count of its own; "and the water" only after `whole` ones."""
    if _kind(line, at) is not Kind.AND:
        return None
    name = _after_fill(line, at + 1)
    if _kind(line, name) is not Kind.ISSUE or any(token.kind is Kind.OWN for token in line[at + 1 : name]):
        return None
    if not whole and any(token.text == "the" for token in line[at + 1 : name]):
        return None
    after = _kind(line, _after_fill(line, name + 1))
    return None if after in (Kind.NUMBER, Kind.ALL, Kind.GIVE, Kind.GET) else name


def _mention(quantity: _Quantity, place: int, issues: tuple[Issue, ...]) -> Mention | None:
    cap = issues[place].quantity
    count = quantity.number
    if quantity.share is not None:
        count = round(cap * quantity.share) if (cap * quantity.share) % 1 == 0 else None
    return None if count is None or count > cap else Mention(place, count, quantity.more)


def _topic(quantity: _Quantity) -> Mention:
    """Of what is not named; all of it is more than anything has."""
    return Mention(TOPIC, ALL_OF_IT if quantity.share else quantity.number, quantity.more)


def _ends_there(line: Sequence[Token], at: int) -> bool:
    """Whether a figure without a noun is one of packages: nothing follows that it could count."""
    kind = _kind(line, at)
    if kind is Kind.TO:
        return _kind(line, at + 1) in (*_PERSONS, Kind.OWN)
    if kind in _PERSONS or kind is Kind.GIVE:
        return True
    if kind in (Kind.THEN, Kind.BUT):
        return line[at].text in ("if", "but", "and then", "then", "so", "because", "since", "as long as", "unless")
    return kind in (None, Kind.STOP, Kind.ASK, Kind.AND, Kind.INSTEAD) or line[at].text in ("instead", "too", "please")


def _named_first(line: Sequence[Token], at: int, issues: tuple[Issue, ...]) -> tuple[list[Mention], int]:
    """ "food: 2", "water all", "food 2 water 1"; else the bare name."""
    place = line[at].value
    end = _after_fill(line, at + 1)
    paired = _kind(line, end) is Kind.NUMBER and _kind(line, end + 2) is Kind.NUMBER
    if paired and _kind(line, end + 1) in (Kind.SLASH, Kind.TO):
        return [Mention(place)], end + 3  # "the wood two to one": nobody knows whose the two are
    name = at
    found: list[Mention] = []
    while (one := _name_and_count(line, at, issues)) is not None:
        after = _kind(line, _after_fill(line, one[1]))
        if after is Kind.ISSUE and _name_and_count(line, _after_fill(line, one[1]), issues) is None and not found:
            break  # "food 2 water": the count is the water's
        found.append(one[0])
        at = one[1]
        if _kind(line, at) is not Kind.ISSUE:
            break
    if found:
        return found, at
    before = line[name - 1] if name else None
    definite = before is not None and (before.text in ("the", "all") or before.kind is Kind.OWN)
    return [Mention(place, definite=definite)], name + 1


def _name_and_count(line: Sequence[Token], at: int, issues: tuple[Issue, ...]) -> tuple[Mention, int] | None:
    """A name with its count behind it, and the token after both."""
    if _kind(line, at) is not Kind.ISSUE:
        return None
    end = _after_fill(line, at + 1)
    quantity = _quantity(line, end) if _kind(line, end) in (Kind.NUMBER, Kind.ALL) else None
    if quantity is None or _kind(line, end + 1) is Kind.SLASH:
        return None
    found = _mention(quantity, line[at].value, issues)
    if found is None or found.more or _kind(line, _after_fill(line, quantity.end)) in (Kind.EACH, Kind.IT):
        return None
    return found, quantity.end


def _slashed(line: Sequence[Token], at: int, issues: tuple[Issue, ...]) -> tuple[list[Mention], int] | None:
    """ "2/1/0": a count of each issue in their order; anything else with slashes is passed."""
    counts, end = [line[at].value], at + 1
    while _kind(line, end) is Kind.SLASH and _kind(line, end + 1) is Kind.NUMBER:
        counts.append(line[end + 1].value)
        end += 2
    if len(counts) != len(issues) or any(n > issue.quantity for n, issue in zip(counts, issues, strict=True)):
        return [], end
    return [Mention(place, count) for place, count in enumerate(counts)], end

"""Offers as a person types them: one figure, one for every issue, or `issue=figure` with the rest as before."""

from __future__ import annotations

import re

from cli.figures import money, short
from cli.play.amounts import MAGNITUDES, amount_in, looks_like_amount
from cli.play.lines import AS_WORDS, Cursor, Desk, Mistyped, listing
from parlay_env.deal.terms import CENTS, OfferError, Terms, range_of, to_offer, values_of


def starts_offer(cursor: Cursor, desk: Desk) -> bool:
    """Does an offer stand next?"""
    word = cursor.peek()
    if looks_like_amount(word) or _pair(word, desk) is not None:
        return True
    following = cursor.rest.split(maxsplit=2)[1:2]
    return word.upper() == desk.terms.scenario.currency and bool(following) and looks_like_amount(following[0])


def _pair(word: str, desk: Desk) -> tuple[str, str] | None:
    """`price=9.85` as the issue's name and its figure; a name may be shortened."""
    name, equals, figure = word.partition("=")
    if not equals or not figure or not re.fullmatch(r"\w+", name):
        return None
    near = [
        issue.name
        for issue in desk.terms.scenario.issues
        if any(part.startswith(name.lower()) for part in (issue.name, *issue.name.split("_")))
    ]
    if len(near) == 1:
        return near[0], figure
    return (name, figure) if amount_in(figure) is not None else None


def offer_at(cursor: Cursor, desk: Desk) -> tuple[dict[str, float], bool]:
    """The offer that stands next, and whether it had to be rounded."""
    names = [issue.name for issue in desk.terms.scenario.issues]
    if cursor.peek().upper() == desk.terms.scenario.currency:
        cursor.take()
    if _pair(cursor.peek(), desk) is not None:
        given = _named(cursor, desk)
    else:
        given = dict(zip(names, _listed(cursor, desk), strict=True))
    try:
        meant = dict(values_of(desk.terms, to_offer(desk.terms, given)))
    except OfferError as error:
        raise Mistyped(f"{error}{_hint(desk, given)}; {AS_WORDS}") from None
    return meant, any(abs(meant[name] - given[name]) > 1e-9 for name in names)


def _named(cursor: Cursor, desk: Desk) -> dict[str, float]:
    names = [issue.name for issue in desk.terms.scenario.issues]
    found = dict(desk.last_offer or {})
    while (pair := _pair(cursor.peek(), desk)) is not None:
        name, figure = pair
        if name not in names:
            raise Mistyped(f"there is no issue `{name}`; name {listing(names)}")
        cursor.take()
        value = amount_in(figure)
        if value is None:
            raise Mistyped(f"`{figure}` is no figure; write {name}={_example(desk, name)}")
        found[name] = value
    if missing := [name for name in names if name not in found]:
        raise Mistyped(f"your first offer needs every issue; add {listing(missing)}")
    return found


def _listed(cursor: Cursor, desk: Desk) -> list[float]:
    names = [issue.name for issue in desk.terms.scenario.issues]
    if "/" in cursor.peek():
        cursor.rest = cursor.rest.replace("/", " ", len(names) - 1)
    found = []
    while len(found) < len(names) and looks_like_amount(cursor.peek()):
        found.append(figure_at(cursor, desk))
    if len(found) < len(names):
        example = " ".join(_example(desk, name) for name in names)
        one = "in this order"
        if desk.last_offer:
            one = f"or name one and keep the others: {names[0]}={_example(desk, names[0])}"
        raise Mistyped(f"an offer needs {listing(names)}, such as {example}, {one}; {AS_WORDS}")
    return found


def figure_at(cursor: Cursor, desk: Desk) -> float:
    """The figure that stands next, with a magnitude and the currency as words of their own, if they follow."""
    word = cursor.take()
    value = amount_in(word)
    if value is None:
        raise Mistyped(f"`{word}` is no figure I can read; write 148000, 148,000 or 148k; {AS_WORDS}")
    if word[-1].isdigit() and cursor.key() in MAGNITUDES:
        value *= MAGNITUDES[cursor.key()]
        cursor.take()
    if cursor.key() in (desk.terms.scenario.currency.lower(), "dollars"):
        cursor.take()
    return value


def _hint(desk: Desk, given: dict[str, float]) -> str:
    """What was meant by a price a thousand times too small, perhaps."""
    if not desk.terms.is_price:
        return ""
    (value,) = given.values()
    low, high = range_of(desk.terms, 0)
    if 0 < value < low <= value * 1000 <= high:
        return f"; for thousands write {money(value)}k"
    return ""


def how_to_offer(desk: Desk) -> str:
    """What an offer looks like here."""
    names = [issue.name for issue in desk.terms.scenario.issues]
    return f"give {listing(names)}: {' '.join(_example(desk, name) for name in names)}"


def _example(desk: Desk, name: str) -> str:
    names = [issue.name for issue in desk.terms.scenario.issues]
    return example_offer(desk.terms).split()[names.index(name)]


def example_offer(terms: Terms) -> str:
    """What an offer could look like: the middle between the two anchors."""
    middle = tuple((a + b) // 2 for a, b in zip(*terms.anchors, strict=True))
    values = values_of(terms, middle).values()
    return short(next(iter(values))) if terms.is_price else " ".join(f"{value:g}" for value in values)


def example_limit(terms: Terms) -> str:
    """What a limit could look like: the middle between the declared ones."""
    return short(sum(abs(limit) for limit in terms.limits) / 2 / CENTS)

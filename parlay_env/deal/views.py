"""What a viewer may see: the one function through which anything leaves a state."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

import msgspec

from parlay_env.core import Viewer
from parlay_env.deal.state import SEATS, Belief, Book, Facts, Invalid, Public, Setup, Shock, State
from parlay_env.deal.terms import Offer, Terms, best_within, terms_of, worth
from parlay_env.deal.value import zopa_exists
from parlay_env.grader import NEAR, Grade, grade

OUTCOMES_AT_MOST = 100_000
"""Of so many every one is looked at for the Nash point."""


class Truth(msgspec.Struct, frozen=True):
    """All that is hidden from a player before the end."""

    facts: tuple[Facts, Facts]
    shocks: tuple[Shock, ...]
    truths: tuple[bool, ...]
    """Of each claim of the public history: was it true?"""
    zopa: bool
    reach: tuple[int | None, int | None]
    """The utility that each seat would have at the other's limit (the ends of the ZOPA)."""
    nash: Offer | None
    """The Nash point, limits as the disagreement point; None without a ZOPA."""


class View(msgspec.Struct, frozen=True, gc=False):
    """A player's view has the public part and its own. `truth` is an observer's, and everybody's after the end."""

    setup: Setup
    seat: int
    """0 or 1; −1 for an observer."""
    public: Public
    own: Facts | None = None
    invalid: Invalid | None = None
    belief: Belief | None = None
    """One's own newest report of every field."""
    paid: tuple[dict[str, float], ...] | None = None
    """A trainer's: what has been paid, by turn and term."""
    truth: Truth | None = None
    books: tuple[Book | None, Book | None] | None = None
    grade: Grade | None = None


def view(state: State, viewer: Viewer) -> View:
    """What this viewer may see of this state."""
    over = state.public.ended is not None
    if viewer.role == "observer":
        return View(state.setup, -1, state.public, truth=truth(state), books=state.books)
    seat = SEATS.index(viewer.seat or "")
    book = state.books[seat]
    return View(
        state.setup,
        seat,
        state.public,
        state.facts[seat],
        state.invalid[seat],
        book.belief if book is not None else None,
        _paid(book) if viewer.role == "trainer" else None,
        truth(state) if over else None,
        None,
        grade(state, seat) if over else None,
    )


def _paid(book: Book | None) -> tuple[dict[str, float], ...]:
    rows = book.rows if book is not None else ()
    return tuple({"turn": row.turn, **{term: getattr(row, term) for term in NEAR}} for row in rows)


def truth(state: State) -> Truth:
    """Everything hidden, as it is now."""
    terms, (seller, buyer) = terms_of(state.setup.scenario), state.facts
    zopa = zopa_exists(state)
    return Truth(
        facts=state.facts,
        shocks=state.shocks,
        truths=state.truths,
        zopa=zopa,
        reach=(
            best_within(terms, seller.utility, buyer.utility, buyer.limit),
            best_within(terms, buyer.utility, seller.utility, seller.limit),
        ),
        nash=nash_offer(state) if zopa else None,
    )


def nash_offer(state: State) -> Offer | None:
    """The outcome with the greatest product of surpluses (Nash 1950); sweeteners left out."""
    terms, (a, b) = terms_of(state.setup.scenario), state.facts
    if terms.is_price:
        low, high = a.limit, -b.limit
        place = (low + high) // 2 - terms.lows[0]
        return (min(terms.counts[0] - 1, max(0, place // terms.steps[0])),)
    import numpy as np  # an episode's end with several issues needs it, nothing else here

    from parlay_env.game_theory import nash_point

    many = prod(terms.counts) > OUTCOMES_AT_MOST
    outcomes = list(_best_along_the_longest(terms, a, b) if many else product(*map(range, terms.counts)))
    utilities = np.array([(worth(a.utility, x), worth(b.utility, x)) for x in outcomes], dtype=float)
    best = nash_point(utilities, (float(a.limit), float(b.limit)))
    return outcomes[int(best[0])] if len(best) else None


def _best_along_the_longest(terms: Terms, a: Facts, b: Facts) -> Iterator[Offer]:
    """For each combination of the other issues, the places on the longest one where the product of surpluses can be
    greatest. Along one issue it is a parabola with its top halfway between the places where a surplus is 0: the
    nearest places to that."""
    longest = terms.counts.index(max(terms.counts))
    last, rise, fall = terms.counts[longest] - 1, a.utility.slopes[longest], b.utility.slopes[longest]
    for places in product(*(range(1 if k == longest else count) for k, count in enumerate(terms.counts))):
        mine, theirs = worth(a.utility, places) - a.limit, worth(b.utility, places) - b.limit
        both = rise * fall
        tops = (0, last) if both == 0 else (k - (rise * theirs + fall * mine) // (2 * both) for k in (-1, 0, 1))
        for place in sorted({min(last, max(0, top)) for top in tops}):
            yield (*places[:longest], place, *places[longest + 1 :])

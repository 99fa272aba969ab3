"""What outcomes are worth to a seat of a running deal, and whether there is anything left to agree on."""

from __future__ import annotations

from game.scenarios import Scenario
from parlay_env.deal import numbers as n
from parlay_env.deal.state import Facts, Public, State
from parlay_env.deal.terms import CENTS, Offer, Terms, best_within, terms_of, worth


def extras(scenario: Scenario, public: Public, facts: Facts) -> int:
    """What the sweeteners thrown in so far are worth to the seat with these facts, in hundredths of money."""
    a, b = public.sides
    if not a.items and not b.items:
        return 0
    items = a.items + b.items
    return sum(facts.item_worth[k] for k, item in enumerate(scenario.sweeteners) if item.id in items)


def surplus_of(scenario: Scenario, public: Public, facts: Facts, offer: Offer) -> int:
    """σ: an outcome's utility with all sweeteners, less these facts' limit, in hundredths of money."""
    return worth(facts.utility, offer) + extras(scenario, public, facts) - facts.limit


def surplus(state: State, seat: int, offer: Offer) -> int:
    """σ of a seat, as its limit stands now."""
    return surplus_of(state.setup.scenario, state.public, state.facts[seat], offer)


def zopa_exists(state: State, erosion: bool = True) -> bool:
    """Is there an outcome that neither seat's limit forbids? Without erosion: were there one, had there been none?"""
    scenario, public, (a, b) = state.setup.scenario, state.public, state.facts
    terms = terms_of(scenario)
    back = 0 if erosion else public.ticks
    theirs = b.limit - back * tick_size(terms, 1) - extras(scenario, public, b)
    most = best_within(terms, a.utility, b.utility, theirs)
    return most is not None and most + extras(scenario, public, a) >= a.limit - back * tick_size(terms, 0)


def tick_size(terms: Terms, seat: int) -> int:
    """What a tick of erosion tightens a limit by, in hundredths of money (whole steps of a price, or whole money)."""
    unit = terms.steps[0] if terms.is_price else CENTS
    return max(unit, round(n.EROSION * terms.delta0[seat] / unit) * unit)


def items_left(scenario: Scenario, public: Public, seat: int) -> list[str]:
    """The sweeteners that a seat can still throw in."""
    used, name = public.sides[seat].items, "buyer" if seat else "seller"
    return [item.id for item in scenario.sweeteners if item.by == name and item.id not in used]

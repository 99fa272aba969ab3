"""The table as a persona sees it at its move, and the style that an episode draws for it."""

from __future__ import annotations

import msgspec

from agent import numbers as n
from agent.formulas import horizon_of
from agent.personas import Persona
from agent.purposes import Draw
from parlay_env.deal.state import Facts, Public, Side
from parlay_env.deal.terms import Offer, Terms, terms_of, worth
from parlay_env.deal.value import extras
from parlay_env.deal.views import View
from parlay_env.rng import Draws


class Style(msgspec.Struct, frozen=True, gc=False):
    """What this episode's persona is like, beyond its sheet: drawn once, known to nobody."""

    opening: float
    least_opening: float
    """The least surplus that it opens with."""
    beta: float
    share: float
    reciprocity: float
    reserve: float


def style_of(persona: Persona, rng: Draws) -> Style:
    """The style that the episode draws."""
    return Style(
        opening=persona.opening + rng.between(-n.OPENING_SPREAD, n.OPENING_SPREAD, 0, Draw.OPENING),
        least_opening=rng.between(*n.LEAST_OPENING, 0, Draw.LEAST_OPENING),
        beta=persona.beta * rng.between(*n.BETA_RANGE, 0, Draw.BETA),
        share=rng.between(*persona.share, 0, Draw.SHARE),
        reciprocity=persona.reciprocity * rng.between(*n.RECIPROCITY_RANGE, 0, Draw.RECIPROCITY),
        reserve=persona.reserve * rng.between(*n.RESERVE_RANGE, 0, Draw.RESERVE),
    )


class Table(msgspec.Struct, frozen=True, gc=False):
    """The table as the persona sees it at its move; surpluses in Δ0."""

    terms: Terms
    view: View
    own: Facts
    public: Public
    mine: Side
    theirs: Side
    turn: int
    horizon: int
    limit: int
    """Of utility without sweeteners: the limit less what they are worth."""
    last: float
    """Surplus of the own newest offer (of the opening ask, before it)."""
    theirs_standing: float | None
    opening: float
    """Surplus of the opening, with most of what has been thrown in: the rest counts toward what it wants."""

    def surplus(self, offer: Offer) -> float:
        return (worth(self.own.utility, offer) - self.limit) / self.terms.delta0[self.view.seat]

    @property
    def over_time(self) -> float:
        """How much of its time has passed, 0…1."""
        return min(1.0, self.turn / self.horizon)


def table_of(view: View, persona: Persona, style: Style) -> Table:
    """The persona's table at this view."""
    own, public, seat = view.own, view.public, view.seat
    assert own is not None
    terms = terms_of(view.setup.scenario)
    mine, theirs = public.sides[seat], public.sides[1 - seat]
    thrown = extras(view.setup.scenario, public, own)
    limit = own.limit - thrown
    width = terms.delta0[seat]
    gift = (1.0 - n.THROWN_IN) * thrown / width
    opening = (worth(own.utility, terms.anchors[seat]) - own.limit) / width + gift + style.opening
    last = opening if mine.latest is None else (worth(own.utility, mine.latest) - limit) / width
    standing = None if theirs.standing is None else (worth(own.utility, theirs.standing) - limit) / width
    horizon = horizon_of(own.deadline, persona.patience)
    return Table(
        terms,
        view,
        own,
        public,
        mine,
        theirs,
        max(1, public.turn),
        horizon,
        limit,
        last,
        standing,
        max(style.least_opening, opening),
    )

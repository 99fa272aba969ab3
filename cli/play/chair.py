"""The person's place at the table: what may be seen from it, in a person's words, and moving."""

from __future__ import annotations

from typing import Any

from agent.registry import persona as persona_named
from cli.figures import in_money, money
from parlay_env.actions import move_of
from parlay_env.core import Seat, Viewer
from parlay_env.deal.state import SEATS, Facts, Invalid, Side
from parlay_env.deal.terms import CENTS, Offer, Terms, terms_of, to_offer, values_of, worth
from parlay_env.deal.value import extras, surplus_of
from parlay_env.deal.views import View
from parlay_env.figures import available_moves, own_facts
from parlay_env.models import ParlayAction
from parlay_env.session import GAME, Table


class Chair:
    """A person's seat at a table whose other seat is a persona's. It shows the player's view and nothing else."""

    def __init__(self, table: Table, seat: Seat, persona: str) -> None:
        self._table = table
        self.seat = SEATS.index(seat)
        self.persona = persona
        self.opponent = f"{persona.title()} {persona_named(persona).symbol}"
        self.terms: Terms = terms_of(table.setup.scenario)
        self.scenario = table.setup.scenario
        self.currency = self.scenario.currency
        self.tension_before: float | None = None
        """At the person's last move; None before the first."""

    @property
    def over(self) -> bool:
        return self._table.over

    @property
    def view(self) -> View:
        """What this player may see now."""
        return self._table.view(SEATS[self.seat])

    @property
    def own(self) -> Facts:
        found = self.view.own
        assert found is not None
        return found

    @property
    def facts(self) -> dict[str, Any]:
        """The person's own facts as figures."""
        return own_facts(self.view)

    @property
    def mine(self) -> Side:
        return self.view.public.sides[self.seat]

    @property
    def theirs(self) -> Side:
        return self.view.public.sides[1 - self.seat]

    def can(self, move: str) -> bool:
        """Is this move, card or `challenge` to be had now?"""
        return move in available_moves(self.view)

    def problem_with(self, action: ParlayAction) -> Invalid | None:
        """Why this move would not be allowed; nothing is played."""
        seat = SEATS[self.seat]
        step = GAME.play(self._table.state, {seat: move_of(self.view, action)})
        return GAME.view(step.state, Viewer("player", seat)).invalid

    def incoherence(self, action: ParlayAction) -> str:
        """Why this move would count as incoherent; empty: it would not. Nothing is played."""
        if not self._is_noise(action):
            return ""
        if action.utterance and action.utterance == self.mine.utterance:
            return "You said the very same words before."
        offer = None if action.offer is None else to_offer(self.terms, action.offer)
        last = self.mine.latest
        if offer is not None and last is not None and self._is_noise(action.model_copy(update={"utterance": ""})):
            return f"{self.offer_words(offer)} is worse for them than your last offer, {self.offer_words(last)}."
        if offer is None:
            return "Your words name another amount than the offer that you take."
        return f"You offer {self.offer_words(offer)}, but your words name another amount."

    def _is_noise(self, action: ParlayAction) -> bool:
        step = GAME.play(self._table.state, {SEATS[self.seat]: move_of(self.view, action)})
        book = step.state.books[self.seat]
        assert book is not None
        return (book.row or book.rows[-1]).noise < 0

    def play(self, action: ParlayAction) -> None:
        """Move, and have the opponent answer."""
        self.tension_before = self.view.public.tension
        self._table.play(SEATS[self.seat], move_of(self.view, action))

    # Worth ------------------------------------------------------------------------------------------------------------

    def surplus(self, offer: Offer) -> int:
        """What a deal at these terms is worth to the person beyond the limit, in hundredths of money."""
        view = self.view
        return surplus_of(view.setup.scenario, view.public, self.own, offer)

    def value(self, offer: Offer) -> float:
        """The price, or what several issues come to for the person, sweeteners in; in money."""
        if self.terms.is_price:
            return next(iter(values_of(self.terms, offer).values()))
        view = self.view
        return (worth(self.own.utility, offer) + extras(view.setup.scenario, view.public, self.own)) / CENTS

    def offer_words(self, offer: Offer) -> str:
        """`148,000 USD`, or `price 9.85, payment_days 60, minimum_order 10,000`."""
        values = values_of(self.terms, offer)
        if self.terms.is_price:
            return f"{money(next(iter(values.values())))} {self.currency}"
        return ", ".join(f"{name} {money(value)}" for name, value in values.items())

    def surplus_words(self, surplus: int) -> str:
        """`6,000 inside your limit`."""
        if surplus == 0:
            return "exactly your limit"
        return f"{in_money(abs(surplus))} {'inside' if surplus > 0 else 'BEYOND'} your limit"

    def limit_rule(self) -> str:
        """The own limit as a rule: `Do not sell under 125,000 USD.`"""
        limit = f"{money(self.facts['limit'])} {self.currency}"
        if not self.terms.is_price:
            return f"Take nothing that is worth less than {limit} to you."
        return f"Do not sell under {limit}." if self.seat == 0 else f"Do not pay over {limit}."

"""The deal, and somebody who writes down what its last state no longer tells: heat, challenges, beliefs by turn."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from parlay_env.core import Seat, Step
from parlay_env.deal.game import Deal
from parlay_env.deal.numbers import TENSION_START
from parlay_env.deal.prior import prior_of
from parlay_env.deal.rules import newest_open_claim
from parlay_env.deal.state import SEATS, Belief, Move, State
from parlay_env.deal.terms import terms_of

DIGITS = 6
FIELDS = ("walk_away", "budget", "urgency", "has_alternative")
"""What can be believed of the other side."""

Errors = tuple[float | None, float | None, float | None, float | None]
"""By field: absolute errors (limits in the other seat's Δ0), and for the alternative the squared error of the
probability (Brier 1950). None for what has never been reported."""


class Reported(msgspec.Struct, frozen=True, array_like=True):
    """What the policy believed after its move in a turn, held against the truth of that moment."""

    turn: int
    errors: Errors
    prior: Errors
    """The errors of the public prior, of the same fields."""


class Witness(Deal):
    """The deal, watched for one episode."""

    def __init__(self, learner: int) -> None:
        self._learner = learner
        self._reported: dict[int, Reported] = {}
        self.peak = TENSION_START
        """The highest tension so far."""
        self.challenges = 0
        self.caught = 0
        """Challenges that met a bluff, whether it was taken back or not."""

    @property
    def beliefs(self) -> tuple[Reported, ...]:
        """By turn, from the first report on."""
        return tuple(self._reported.values())

    def play(self, state: State, moves: Mapping[Seat, Move]) -> Step:
        """What the deal does."""
        step = super().play(state, moves)
        self.peak = max(self.peak, step.state.public.tension)
        seat = state.public.mover
        if seat == self._learner and step.state.invalid[seat] is None:
            self._note(state, step.state, moves[SEATS[seat]])
        return step

    def _note(self, before: State, after: State, move: Move) -> None:
        seat = self._learner
        if move.challenge:
            at = newest_open_claim(before.public, 1 - seat)
            assert at is not None
            self.challenges += 1
            self.caught += not before.truths[at]
        book = after.books[seat]
        if book is not None and book.belief != Belief():
            turn = before.public.turn
            self._reported[turn] = reported(before, seat, book.belief)


def reported(state: State, seat: int, belief: Belief) -> Reported:
    """The errors of what a seat believes, and of the prior, against the facts as they are in this state."""
    terms, facts = terms_of(state.setup.scenario), state.facts[1 - seat]
    prior, width = prior_of(terms, 1 - seat), terms.delta0[1 - seat]
    budget = facts.walk_away if facts.budget is None else facts.budget
    errors = (
        _error(belief.walk_away, facts.walk_away, width),
        _error(belief.budget, budget, width),
        _error(belief.urgency, facts.urgency),
        _brier(belief.has_alternative, facts.has_alternative),
    )
    supposed = (
        _error(prior.walk_away.mean, facts.walk_away, width),
        _error(prior.budget.mean, budget, width),
        _error(prior.urgency.mean, facts.urgency),
        _brier(prior.has_alternative, facts.has_alternative),
    )
    known = tuple(None if mine is None else theirs for mine, theirs in zip(errors, supposed, strict=True))
    return Reported(state.public.turn, errors, (known[0], known[1], known[2], known[3]))


def _error(stated: float | None, true: float, width: float = 1.0) -> float | None:
    return None if stated is None else round(abs(stated - true) / width, DIGITS)


def _brier(stated: float | None, true: bool) -> float | None:
    return None if stated is None else round((stated - true) ** 2, DIGITS)

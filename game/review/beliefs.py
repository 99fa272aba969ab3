"""Believed against true, turn by turn: what the player stated, what it could have known, and what was so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from game.estimates import Estimator, Unavailable, prior_estimate
from game.review.replay import OwnMove, Replayed, Seen, replayed
from parlay_env.core import Seat, Viewer
from parlay_env.deal.state import SEATS, Belief, Move, State
from parlay_env.deal.terms import Terms
from parlay_env.deal.views import View
from parlay_env.figures import belief_report, shown
from parlay_env.log import EventLog
from parlay_env.session import GAME


def beliefs(log: EventLog, seat: Seat, secret: bytes = b"", *, tracked: bool = True) -> list[dict[str, Any]]:
    """`[{turn, stated, estimate, truth}]`, one a turn in which the player moved.

    `stated` is what it had reported by the end of its move, the last value of every field (None before any report);
    `estimate` as in `game.estimates` at the start of the turn: the tracker's; the public prior's where `tracked` is
    False (nothing is compiled then) or the opponent is no scripted persona. `truth` is the other side's, then. Raises
    LogError.
    """
    return beliefs_of(replayed(log, secret), seat, tracked=tracked)


def beliefs_of(game: Replayed, seat: Seat, *, tracked: bool = True) -> list[dict[str, Any]]:
    """As `beliefs`, of a replayed game."""
    place, found = SEATS.index(seat), []
    estimator: Estimator | None = Estimator() if tracked else None
    said, before = Belief(), None
    for own in by_turn(game.moves_of(seat)):
        first, last = own[0], own[-1]
        view = GAME.view(first.played.before, Viewer("player", seat))
        estimate, estimator = _estimate(estimator, view, before)
        for one in own:
            if one.valid and one.move.belief is not None:
                said = _later(said, one.move.belief)
        before = last.move if last.valid else None
        found.append(
            {
                "turn": first.turn,
                "stated": None if said == Belief() else belief_report(game.terms, said),
                "estimate": estimate,
                "truth": _truth(game.terms, first.played.before, 1 - place),
            }
        )
    return found


AMove = TypeVar("AMove", OwnMove, Seen)


def by_turn(moves: Sequence[AMove]) -> list[list[AMove]]:
    """A player's moves, those of one turn together: all but the last were not allowed."""
    found: list[list[AMove]] = []
    for one in moves:
        if found and found[-1][0].turn == one.turn:
            found[-1].append(one)
        else:
            found.append([one])
    return found


def _estimate(estimator: Estimator | None, view: View, before: Move | None) -> tuple[dict[str, Any], Estimator | None]:
    """The tracker's estimate, or the prior's where there is no tracker; and the tracker, if it goes on."""
    if estimator is not None:
        try:
            return estimator.add(view, before), estimator
        except Unavailable:
            pass
    return prior_estimate(view), None


def _later(said: Belief, report: Belief) -> Belief:
    """The last value of every field."""
    news = {
        name: value
        for name in ("walk_away", "budget", "urgency", "has_alternative")
        if (value := getattr(report, name)) is not None
    }
    return replace(said, **news)


def _truth(terms: Terms, state: State, seat: int) -> dict[str, Any]:
    facts = state.facts[seat]
    return {
        "limit": shown(terms, facts.limit),
        "walk_away": shown(terms, facts.walk_away),
        "budget": None if facts.budget is None else shown(terms, facts.budget),
        "urgency": facts.urgency,
        "has_alternative": facts.has_alternative,
    }

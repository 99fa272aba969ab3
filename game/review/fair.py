"""What a move cost by what its player could know: in the mean over opponents that it could not tell apart.

A move's value is the mean over futures of: the move, the answer that this future's opponent gives, and from there the
plan that is best in the mean. Futures are drawn from the belief tracker, which is fed with the player's own views and
moves. Some of them choose the plans and the best move, the others tell what both come to: who chooses and judges by the
same sample finds every move wanting, since of many moves one always looks better than it is (the optimiser's curse:
Smith & Winkler 2006). So a fair cost has no bias to speak of, and is never negative only because it is cut off at 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from agent.batch import Batch, plans
from agent.beliefs import Tracker
from agent.planner import GOALS, PACES, family
from game.review.actions import action_dict
from game.review.beliefs import by_turn
from game.review.lines import EVEN, Choice, MoveReview, Supposed, Values, embellished, first_move, points, values
from game.review.replay import Seen
from game.review.rows import Futures, played_in
from parlay_env.deal.state import Move
from parlay_env.deal.views import View

CHOOSE, JUDGE = 64, 192
"""Futures that choose, and futures that judge: judging is cheap, and a cost's standard error is then about a point."""
FEW, LEFT = 16, 12
"""Futures of the first sifting, and how many plans survive it (as `agent.planner.Bayes`)."""
CANDIDATES = 4
"""So many first moves are compared with the one that was played."""
GOES_ON = 9, (1, 2, 4, 7, 11)
"""Goals and paces of the plans that follow a move."""


class _Worth(msgspec.Struct, frozen=True):
    """What a move comes to in the futures that choose, and in those that judge."""

    move: Move
    chosen: float
    judged: float
    safe: bool
    """Is the player's standing offer inside its limit after it?"""


def fair_costs(own: Sequence[Seen], progress: Callable[[float], object] | None = None) -> list[MoveReview]:
    """The fair line of each of a player's moves, of all its moves from the first on.

    Values are in points of the whole game, as far as the player could know: what had been fined by then counts, and
    reports are supposed to be right from then on. A move costs what it was fined for besides.
    """
    tell = progress or (lambda _: None)
    if not own:
        return []
    setup = own[0].view.setup
    tracker, batch = Tracker(own[0].view), Batch([setup] * (CHOOSE + JUDGE))
    lines: list[MoveReview] = []
    before: Move | None = None
    safe = True
    for turn in by_turn(own):
        if lines:
            tracker.update(turn[0].view, before)
        for one in turn:
            line, safe = _judged(_Place(tracker, batch, one.view, safe), one, safe)
            lines.append(line)
            tell(len(lines) / len(own))
        before = turn[-1].move if turn[-1].valid else None
    return lines


class _Place:
    """A player's place at a view: the futures that it holds possible, some to choose by and some to judge by."""

    def __init__(self, tracker: Tracker, batch: Batch, view: View, safe: bool) -> None:
        self.view, self.batch, self.tables = view, batch, tracker.tables
        self.fines = -sum(row["concession"] + row["noise"] for row in view.paid or ())
        self.futures = Futures(tracker, view, safe, self.fines, CHOOSE + JUDGE)
        self.supposed = Supposed(self.futures.base, self.futures.slopes)

    def candidates(self) -> list[Move]:
        """The first moves of the best plans, the best one's with a card or a challenge among them."""
        rows, tables, row = self.futures.rows[:CHOOSE], self.tables, self.futures.rows[0]
        chosen = family(row, tables.scenes[0], np.linspace(0.0, 1.0, GOALS), PACES, (0,))
        sifted, scores = self.sifted(rows, chosen)

        def worth(some: NDArray[Any], extra: NDArray[Any] | None) -> Values:
            return values(tables, rows, some, self.supposed, extra).mean(axis=1)

        top = sifted[:2]
        found = [embellished(tables, row, top, float(scores[0]), worth, self.view.seat)]
        found += [Choice(float(score), plan) for plan, score in zip(sifted, scores, strict=True)]
        moves: list[Move] = []
        for choice in found:
            move = first_move(tables, row, choice, self.supposed, self.view)
            if move not in moves and len(moves) < CANDIDATES:
                moves.append(move)
        return moves

    def sifted(self, rows: NDArray[Any], chosen: NDArray[Any]) -> tuple[NDArray[Any], Values]:
        """The best plans, best first, and what they come to."""
        few = values(self.tables, rows, chosen, self.supposed, count=FEW).mean(axis=1)
        left = chosen[np.argsort(-few, kind="stable")[:LEFT]]
        scores = values(self.tables, rows, left, self.supposed).mean(axis=1)
        order = np.argsort(-scores, kind="stable")
        return left[order], scores[order]

    def worth(self, move: Move) -> _Worth:
        """What a move comes to."""
        after = played_in(self.futures, self.batch, move, self.view)
        parts = after[:CHOOSE], after[CHOOSE:]
        alive = [rows[rows["ended"] == 0] for rows in parts]
        totals = [float(rows["reward"][rows["ended"] > 0].sum()) for rows in parts]
        chooses = alive[0] if len(alive[0]) else alive[1]
        if len(chooses):
            goals, paces = GOES_ON
            chosen = family(chooses[0], self.tables.scenes[0], np.linspace(0.0, 1.0, goals), paces, (0,))
            chosen = chosen[chosen["kind"] != plans.ACCEPT]  # not every future has an offer; others take it where it is
            best = self.sifted(chooses, chosen)[0][:1]
            for k, rows in enumerate(alive):
                if len(rows):
                    totals[k] += float(values(self.tables, rows, best, self.supposed).sum())
        safe = bool(after[0]["safe"][self.view.seat])  # of its own facts alone: the same in all
        return _Worth(move, totals[0] / CHOOSE - self.fines, totals[1] / JUDGE - self.fines, safe)


def _judged(place: _Place, one: Seen, safe: bool) -> tuple[MoveReview, bool]:
    """A move's line, and whether the player's standing offer is inside its limit after it."""
    found = [place.worth(move) for move in place.candidates()]
    best = max(found, key=lambda worth: worth.chosen)
    if not one.valid:
        return _line(one.fine, best, one.view), safe
    played = place.worth(_plain(one.move))
    if played.chosen >= best.chosen or played.judged >= best.judged - EVEN:
        return _line(one.fine, played if one.fine else replace(played, move=one.move), one.view), played.safe
    return _line(best.judged - played.judged + one.fine, best, one.view), played.safe


def _line(cost: float, best: _Worth, view: View) -> MoveReview:
    return MoveReview(points(cost), action_dict(best.move, view), points(best.judged))


def _plain(move: Move) -> Move:
    """The move without its reports and words, as the candidates are."""
    return replace(move, belief=None, event_impact=None, utterance="", final=False)

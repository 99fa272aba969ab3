"""Lines of play from records of the batched core: what the planner's family finds, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from agent.batch import MOVE, plans
from agent.batch.convert import to_move
from agent.batch.layout import Tables
from agent.batch.persona import clear
from agent.batch.rules import newest_open_claim
from agent.planner import cards
from parlay_env.deal.state import Move
from parlay_env.deal.views import View

Values = NDArray[np.float64]
Worth = Callable[[NDArray[Any], "NDArray[Any] | None"], Values]
"""Plans, and what goes with their first move ↦ what each comes to."""

EVEN = 1e-6
"""Points closer than this are the same."""
NOTHING = np.zeros(1, MOVE)
clear(NOTHING[0])


class Supposed(msgspec.Struct, frozen=True):
    """The other side's utility as the planner supposes it."""

    base: int
    slopes: Any


class Choice(msgspec.Struct, frozen=True):
    """A plan, what goes with its first move, and what they come to."""

    value: float
    plan: Any
    extra: Any = None


class MoveReview(msgspec.Struct, frozen=True):
    """A line of the review: what the move cost in points, the best move then, and what the game would have come to."""

    cost: float
    best: dict[str, Any]
    best_value: float


def points(value: float) -> float:
    """Points as they are told: no review is finer than a thousandth."""
    return round(float(value), 3)


def values(
    tables: Tables,
    rows: NDArray[Any],
    chosen: NDArray[Any],
    supposed: Supposed,
    extra: NDArray[Any] | None = None,
    count: int | None = None,
) -> Values:
    """The whole game's reward with each plan from each of the rows (or the first `count`), (P, count); −10⁹ where
    `extra` can't go with a plan's first move."""
    count = len(rows) if count is None else min(count, len(rows))
    out = np.zeros((len(chosen), count))
    first = NOTHING[0] if extra is None else extra[0]
    plans.values(tables, rows, count, chosen, supposed.base, supposed.slopes, first, extra is not None, out)
    return out + rows["reward"][:count]


def embellished(tables: Tables, row: Any, top: NDArray[Any], value: float, worth: Worth, seat: int) -> Choice:
    """The best of these plans, the first of which comes to `value`, or of them with a card or a challenge in the first
    move."""
    found = Choice(value, top[0])
    options = cards(row, tables.scenes[row["scene"]], seat)
    if newest_open_claim(row, 1 - seat) >= 0 and row["challenges"] < int(tables.spec[0]["bluff_count"]):
        options.append(_challenge())
    for option in options:
        tried = worth(top, option)
        at = int(np.argmax(tried))
        if tried[at] > found.value + EVEN:
            found = Choice(float(tried[at]), top[at], option)
    return found


def _challenge() -> NDArray[Any]:
    found = NOTHING.copy()
    found["challenge"] = True
    return found


def first_move(tables: Tables, row: Any, choice: Choice, supposed: Supposed, view: View) -> Move:
    """The first move of a choice at this row, without reports."""
    move = np.zeros(1, MOVE)
    plans.plan_move(tables, row, choice.plan, supposed.base, supposed.slopes, move[0])
    if choice.extra is not None:
        plans.add(tables, row, move[0], choice.extra[0])
    move[0]["belief"], move[0]["event_impact"] = np.nan, np.nan
    return to_move(move[0], view.setup.scenario)

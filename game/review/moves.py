"""What each of a player's moves cost, like a chess program's review.

Values are rewards in points, of the whole game, as the grade pays them; costs are differences of two.

- **In hindsight**: the best that could still be had before the move, in the very game that was played (the opponent's
  policy, its style, its draws and the headlines to come known), less the best that could still be had after it. So the
  costs of a game's moves sum to what the whole game lost, and none is negative.
- **Fair**: the same in the mean over opponents that the player could not tell apart then, drawn from the belief tracker
  (`agent/beliefs.py`), which is fed with the player's own views and moves alone.

"The best that could be had" is the best of the planner's family (`agent/planner.py`: accept, walk, every goal at every
pace, matching the other's steps; a card or a challenge with the first move), and what the player did itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from agent.batch import MOVE, Batch, plans
from agent.batch.convert import to_move
from agent.batch.persona import clear
from agent.batch.rules import newest_open_claim
from agent.beliefs import Tracker
from agent.planner import GOALS, PACES, cards, family
from game.review.actions import action_dict
from game.review.beliefs import by_turn
from game.review.replay import OwnMove, Replayed, replayed
from game.review.rows import NOTHING, Followed, Futures, NoReview, follow, played_in
from parlay_env.core import Seat
from parlay_env.deal.state import Move
from parlay_env.deal.views import View
from parlay_env.log import EventLog

__all__ = ["NoReview", "fair_costs", "review", "review_of", "verdict_of"]

Values = NDArray[np.float64]

SAMPLES = 32
"""Futures that a fair cost is a mean over."""
FEW, LEFT = 12, 12
"""Futures of the first sifting, and how many plans survive it (as `agent.planner.Bayes`)."""
HINDSIGHT_GOALS, HINDSIGHT_PACES, HINDSIGHT_WAITS = 21, (1, 2, 3, 5, 8, 12), (0, 2, 5)
"""The family in hindsight: fine enough that a finer one finds less than a point more (tests), and quick."""
TOP = 6
"""With so many of the best plans a card or a challenge is tried."""
BEST, GOOD, INACCURACY, MISTAKE = 1.0, 3.0, 8.0, 20.0
"""The most points that a move of each verdict costs; a blunder costs more. A point is about a hundredth of all that
could be had. One is within the noise of `SAMPLES` futures; three are the pay of a turn or two; twenty are a fifth of
the deal, or a walk-away that was wrong."""
EVEN = 1e-6
"""Values closer than this are the same."""
HINDSIGHT_SHARE = 0.15
"""Of the time that a review takes, for its progress."""

Progress = Callable[[float], object]


class Line(msgspec.Struct, frozen=True):
    """What a move is compared with: its cost, the best move then and what the game would have come to."""

    cost: float
    best: dict[str, Any]
    best_value: float


def review(
    log: EventLog, secret: bytes, seat: Seat, *, progress: Progress | None = None, fair: bool = True
) -> list[dict[str, Any]]:
    """The review of a game that is over: a `MoveReview` of docs/pages.md for each of the seat's moves, in order.

    `{number, turn, reward, hindsight: {cost, best, best_value}, fair: {...} | None, verdict}`: `best` is an action of
    the wire, `reward` the value in hindsight of the move that was played; the last move's is the grade's reward.
    `progress` is told the share that is done, 0…1, after each step. Raises NoReview, and LogError for a log that can't
    be replayed.
    """
    return review_of(replayed(log, secret), seat, progress=progress, fair=fair)


def review_of(
    game: Replayed, seat: Seat, *, progress: Progress | None = None, fair: bool = True
) -> list[dict[str, Any]]:
    """The review of a replayed game."""
    tell = progress or (lambda _: None)
    own = game.moves_of(seat)
    share = HINDSIGHT_SHARE if fair else 1.0
    rewards, lines = _hindsight(game, seat, own, lambda done: tell(share * done))
    known = fair_costs(own, lambda done: tell(share + (1.0 - share) * done)) if fair else [None] * len(own)
    tell(1.0)
    return [
        {
            "number": one.number,
            "turn": one.turn,
            "reward": reward,
            "hindsight": msgspec.to_builtins(line),
            "fair": None if judged is None else msgspec.to_builtins(judged),
            "verdict": verdict_of(line.cost if judged is None else judged.cost),
        }
        for one, reward, line, judged in zip(own, rewards, lines, known, strict=True)
    ]


def verdict_of(cost: float) -> str:
    """The name of a cost in points."""
    for most, name in ((BEST, "best"), (GOOD, "good"), (INACCURACY, "inaccuracy"), (MISTAKE, "mistake")):
        if cost <= most:
            return name
    return "blunder"


# In hindsight ---------------------------------------------------------------------------------------------------------


def _hindsight(
    game: Replayed, seat: Seat, own: tuple[OwnMove, ...], progress: Progress
) -> tuple[list[float], list[Line]]:
    """Each move's value and line."""
    found = follow(game, seat, own)
    choices: list[_Choice] = []
    kept: NDArray[Any] | None = None
    for k, one in enumerate(own):
        choice = _best_in(found, k, kept, one.view)
        choices.append(choice)
        kept = choice.plans
        progress((k + 1) / len(own))
    end = float(found.rows[-1][0]["reward"])
    grade = _paid(game, seat)
    values, best = [end] * len(own), [end] * len(own)
    after = end
    for k in range(len(own) - 1, -1, -1):
        values[k], best[k] = after, max(after, choices[k].value)
        after = best[k]
    lines = []
    for k, one in enumerate(own):
        cost = best[k] - values[k]
        move = one.move if cost <= EVEN else choices[k].move
        lines.append(Line(_points(max(0.0, cost)), action_dict(move, one.view), _points(best[k] - end + grade)))
    return [_points(value - end + grade) for value in values], lines


def _paid(game: Replayed, seat: Seat) -> float:
    """What the grade paid. Reports are left out of what is compared: what they brought or lost is the same in all."""
    from parlay_env.deal.state import SEATS
    from parlay_env.grader import grade

    found = grade(game.last, SEATS.index(seat))
    assert found is not None
    return found.reward


def _points(value: float) -> float:
    return round(float(value), 3)


class _Choice(msgspec.Struct, frozen=True):
    """The best of the family: what it comes to, its first move, and the best plans, to be tried again later."""

    value: float
    move: Move
    plans: Any


def _best_in(found: Followed, k: int, kept: NDArray[Any] | None, view: View) -> _Choice:
    """The best plan before the k-th move in the game as it was."""
    tables, rows, me = found.batch.tables, found.rows[k], view.seat
    row, scene = rows[0], tables.scenes[0]
    base, slopes = int(row["base"][1 - me]), row["slopes"][1 - me].astype(np.int64)

    def worth(chosen: NDArray[Any], extra: NDArray[Any] | None = None) -> Values:
        return _values(tables, rows, 1, chosen, base, slopes, extra)[:, 0]

    chosen = family(row, scene, np.linspace(0.0, 1.0, HINDSIGHT_GOALS), HINDSIGHT_PACES, HINDSIGHT_WAITS)
    if kept is not None:
        chosen = np.concatenate([kept, chosen])
    scores = worth(chosen)
    top = chosen[np.argsort(-scores, kind="stable")[:TOP]]
    return _embellished(tables, row, scene, base, slopes, top, float(scores.max()), worth, view)


def _embellished(
    tables: Any,
    row: Any,
    scene: Any,
    base: int,
    slopes: NDArray[np.int64],
    top: NDArray[Any],
    value: float,
    worth: Callable[[NDArray[Any], NDArray[Any]], Values],
    view: View,
) -> _Choice:
    """The best of these plans, or of them with a card or a challenge in the first move."""
    best, extra = top[0], None
    options = cards(row, scene, view.seat)
    if newest_open_claim(row, 1 - view.seat) >= 0 and row["challenges"] < 2:
        options.append(_challenge())
    for option in options:
        tried = worth(top, option)
        at = int(np.argmax(tried))
        if tried[at] > value + EVEN:
            best, value, extra = top[at], float(tried[at]), option
    move = np.zeros(1, MOVE)
    plans.plan_move(tables, row, best, base, slopes, move[0])
    if extra is not None:
        plans.add(tables, row, move[0], extra[0])
    move[0]["belief"], move[0]["event_impact"] = np.nan, np.nan
    return _Choice(value, to_move(move[0], view.setup.scenario), top)


def _challenge() -> NDArray[Any]:
    found = np.zeros(1, MOVE)
    clear(found[0])
    found["challenge"] = True
    return found


def _values(
    tables: Any,
    rows: NDArray[Any],
    count: int,
    chosen: NDArray[Any],
    base: int,
    slopes: NDArray[np.int64],
    extra: NDArray[Any] | None = None,
) -> Values:
    """The whole game's reward with each plan from each of the first `count` rows, (P, count)."""
    out = np.zeros((len(chosen), count))
    first = NOTHING[0] if extra is None else extra[0]
    plans.values(tables, rows, count, chosen, base, slopes, first, extra is not None, out)
    return out + rows["reward"][:count]


# Fair -----------------------------------------------------------------------------------------------------------------


def fair_costs(own: Sequence[OwnMove], progress: Progress | None = None) -> list[Line | None]:
    """The fair line of each move. It reads the moves' `view`, `move`, `valid` and `turn`, nothing of the states.

    Values count what had been paid by then. A move that was not allowed costs its fine.
    """
    tell = progress or (lambda _: None)
    if not own:
        return []
    setup = own[0].view.setup
    tracker, batch = Tracker(own[0].view), Batch([setup] * SAMPLES)
    lines: list[Line | None] = []
    before: Move | None = None
    safe = True
    for turn in by_turn(tuple(own)):
        if lines:
            tracker.update(turn[0].view, before)
        for one in turn:
            line, safe = _fair(tracker, batch, one, safe)
            lines.append(line)
            tell(len(lines) / len(own))
        before = turn[-1].move if turn[-1].valid else None
    return lines


def _fair(tracker: Tracker, batch: Batch, one: OwnMove, safe: bool) -> tuple[Line, bool]:
    """A move's fair line, and whether the player's standing offer is inside its limit after it."""
    view = one.view
    fines = -sum(row["concession"] + row["noise"] for row in view.paid or ())
    futures = Futures(tracker, view, safe, fines, SAMPLES)
    rows, tables, me = futures.rows, futures.tables, view.seat
    base, slopes = futures.base, futures.slopes

    def worth(chosen: NDArray[Any], extra: NDArray[Any] | None = None) -> Values:
        return _values(tables, rows, SAMPLES, chosen, base, slopes, extra).mean(axis=1)

    chosen = family(rows[0], tables.scenes[0], np.linspace(0.0, 1.0, GOALS), PACES, (0,))
    sifted = _sifted(tables, rows, chosen, base, slopes)
    scores = worth(sifted)
    top = sifted[np.argsort(-scores, kind="stable")[:2]]
    choice = _embellished(tables, rows[0], tables.scenes[0], base, slopes, top, float(scores.max()), worth, view)
    if not one.valid:
        fine = float(tables.spec[0]["noise"])
        line = Line(_points(fine), action_dict(choice.move, view), _points(choice.value - fines))
        return line, safe
    after = played_in(futures, batch, one.move, view)
    value = _goes_on(tables, after, base, slopes)
    best = max(value, choice.value)
    move = one.move if best - value <= EVEN else choice.move
    line = Line(_points(best - value), action_dict(move, view), _points(best - fines))
    return line, bool(after[0]["safe"][me])


def _sifted(
    tables: Any, rows: NDArray[Any], chosen: NDArray[Any], base: int, slopes: NDArray[np.int64]
) -> NDArray[Any]:
    """The plans that do best in a few of the futures."""
    few = min(FEW, len(rows))
    scores = _values(tables, rows, few, chosen, base, slopes).mean(axis=1)
    return chosen[np.argsort(-scores, kind="stable")[:LEFT]]


def _goes_on(tables: Any, rows: NDArray[Any], base: int, slopes: NDArray[np.int64]) -> float:
    """The mean reward over these futures when the best plan is followed in those that go on."""
    over = rows["ended"] > 0
    total = float(rows["reward"][over].sum())
    if not over.all():
        alive = rows[~over]
        chosen = family(alive[0], tables.scenes[0], np.linspace(0.0, 1.0, GOALS), PACES, (0,))
        chosen = chosen[chosen["kind"] != plans.ACCEPT]  # not all of them have an offer to take; others take it too
        sifted = _sifted(tables, alive, chosen, base, slopes)
        total += float(_values(tables, alive, len(alive), sifted, base, slopes).mean(axis=1).max()) * len(alive)
    return total / len(rows)

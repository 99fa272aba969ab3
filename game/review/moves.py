"""What each of a player's moves cost, like a chess program's review.

Values are rewards in points, of the whole game, as the grade pays them; costs are differences of two.

- **In hindsight**: the best that could still be had before the move, in the very game that was played (the opponent's
  policy, its style, its draws and the headlines to come known), less the best that could still be had after it. So the
  costs of a game's moves sum to what the whole game lost, and none is negative.
- **Fair** (`game/review/fair.py`): the same in the mean over opponents that the player could not tell apart then.

"The best that could be had" is the best of the planner's family (`agent/planner.py`: accept, walk, every goal at every
pace, matching the other's steps; a card or a challenge with the first move), and what the player did itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from agent.planner import family
from game.review.actions import action_dict
from game.review.fair import fair_costs
from game.review.lines import EVEN, Choice, MoveReview, Supposed, Values, embellished, first_move, points, values
from game.review.replay import NoReview, OwnMove, Replayed, replayed
from game.review.rows import Followed, follow
from parlay_env.core import Seat
from parlay_env.deal.state import Move, State
from parlay_env.grader import grade
from parlay_env.log import EventLog

__all__ = ["NoReview", "review", "review_of", "verdict_of"]

HINDSIGHT_GOALS, HINDSIGHT_PACES, HINDSIGHT_WAITS = 41, (1, 2, 3, 4, 5, 6, 8, 10, 12, 15), (0, 2, 5)
"""The family in hindsight: the oracle's own (`agent.planner.Oracle`)."""
TOP = 6
"""With so many of the best plans a card or a challenge is tried, and so many are tried again at the next move."""
BEST, GOOD, INACCURACY, MISTAKE = 2.0, 5.0, 10.0, 25.0
"""The most points that a move of each verdict costs; a blunder costs more. A point is about a hundredth of all that
could be had. Two are within the noise of the samples; five are the pay of a few turns; ten are what a walk-away that
was right pays; twenty-five are a quarter of the deal."""
HINDSIGHT_SHARE = 0.15
"""Of the time that a review takes, for its progress."""

Progress = Callable[[float], object]


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
    found = follow(game, seat, own)
    rewards, lines = _hindsight(found, game.last, own, lambda done: tell(share * done))
    known: Sequence[MoveReview | None] = [None] * len(own)
    if fair:
        seen = [replace(one.seen, fine=fine) for one, fine in zip(own, found.fines, strict=True)]
        known = fair_costs(seen, lambda done: tell(share + (1.0 - share) * done))
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
    found: Followed, last: State, own: tuple[OwnMove, ...], progress: Progress
) -> tuple[list[float], list[MoveReview]]:
    """Each move's value and line.

    Reports are supposed to be right in all that is compared; what this game's own brought or lost against that is the
    same in every line, and taken off all: so the last move's value is what the grade paid.
    """
    if not own:
        return [], []
    choices: list[tuple[float, Move]] = []
    kept: NDArray[Any] | None = None
    for k, one in enumerate(own):
        choice, kept = _best_in(found, k, kept, one)
        choices.append(choice)
        progress((k + 1) / len(own))
    paid = grade(last, own[0].view.seat)
    assert paid is not None
    end = float(found.rows[-1][0]["reward"])
    offset, after, told = paid.reward - end, end, []
    for one, (value, move) in zip(reversed(own), reversed(choices), strict=True):
        best = max(after, value)
        cost = best - after
        proposed = one.move if cost <= EVEN else move
        line = MoveReview(points(cost), action_dict(proposed, one.view), points(best + offset))
        told.append((points(after + offset), line))
        after = best
    told.reverse()
    return [value for value, _ in told], [line for _, line in told]


def _best_in(
    found: Followed, k: int, kept: NDArray[Any] | None, one: OwnMove
) -> tuple[tuple[float, Move], NDArray[Any]]:
    """The best plan before the k-th move in the game as it was: its value and its first move; and the best plans, which
    are tried again at the next one."""
    tables, rows, me = found.batch.tables, found.rows[k], one.view.seat
    row = rows[0]
    truly = Supposed(int(row["base"][1 - me]), row["slopes"][1 - me].astype(np.int64))

    def worth(chosen: NDArray[Any], extra: NDArray[Any] | None) -> Values:
        return values(tables, rows, chosen, truly, extra)[:, 0]

    goals = np.linspace(0.0, 1.0, HINDSIGHT_GOALS)
    chosen = family(row, tables.scenes[0], goals, HINDSIGHT_PACES, HINDSIGHT_WAITS)
    if kept is not None:
        chosen = np.concatenate([kept, chosen])
    scores = worth(chosen, None)
    top = chosen[np.argsort(-scores, kind="stable")[:TOP]]
    choice: Choice = embellished(tables, row, top, float(scores.max()), worth, me)
    return (choice.value, first_move(tables, row, choice, truly, one.view)), top

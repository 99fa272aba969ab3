"""Records of the batched core for the review: the game that was played, and the futures that it could have had.

The scalar log is the truth. What is followed here is checked against it move by move; reports of beliefs and estimates
of events are replaced by the planner's own (the true walk-away, no estimate), in the game that was played as in every
line that it is compared with: so moves are compared, and reports are judged where beliefs are shown.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.batch import Batch, NotBatched, plans
from agent.batch.convert import put_move
from agent.batch.engine import answer, step, tables_of
from agent.batch.instance import start
from agent.batch.layout import ALTERNATIVE, BUDGET, DEADLINE, EPISODE, LIMIT, MOVE, PRIORITY, REASONS
from agent.batch.particles import SIZE, resample
from agent.beliefs import Tracker
from agent.personas import PERSONAS
from game.review.replay import NoReview, OwnMove, Replayed
from parlay_env.core import Seat
from parlay_env.deal.numbers import CLAIM_GRAIN, DEADLINE_GRAIN, SCHEDULE_SPREAD
from parlay_env.deal.state import SEATS, Move, State
from parlay_env.deal.views import View
from parlay_env.rng import derive_keys, word

FUTURES_KEY = 0x0FA1_2CA5
"""The key of the futures: a constant, so that a review is the same whenever it is made."""
CHECKED = ("turn", "tension", "news", "ticks", "ended", "claims")


class Followed:
    """A game's records: `rows[k]` before the learner's k-th move, and the last one after the end. `fines[k]`: what the
    log fined that move for beyond what the batched core knows of: its words, or that it was not allowed."""

    def __init__(self, batch: Batch, rows: list[NDArray[Any]], fines: list[float]) -> None:
        self.batch = batch
        self.rows = rows
        self.fines = fines


def follow(game: Replayed, seat: Seat, own: tuple[OwnMove, ...]) -> Followed:
    """Plays the learner's moves in the batched core. Raises NoReview, also where that comes out unlike the log."""
    check_reviewable(game, seat)
    batch = Batch([game.setup])
    me = game.setup.learner
    row = _started(batch, game)
    _check(game.start if not own else own[0].played.before, row[0])
    rows, fines, move, theirs = [], [], np.zeros(1, MOVE), np.zeros(1, MOVE)
    for k, one in enumerate(own):
        rows.append(row.copy())
        after = own[k + 1].played.before if k + 1 < len(own) else game.last
        if one.valid:
            put_move(move[0], one.move, game.setup.scenario)
            hide_reports(move[0], row[0]["walk_away"][1 - me])
            step(batch.tables, row[0], move[0], theirs[0])
            if _forfeited(after) and row[0]["ended"] != REASONS.index("forfeit"):
                row = rows[-1].copy()  # the fine for its words was the last straw
        else:
            row[0]["errors"][me] += 1
            row[0]["invalid"] += 1
        fines.append(_fine(row[0], after, me))
        _settle_forfeit(batch, row[0], after)
        _check(after, row[0])
    return Followed(batch, [*rows, row], fines)


def hide_reports(move: Any, walk_away: float) -> None:
    """The move with the planner's report in place of its own."""
    move["belief"] = np.nan
    move["belief"][0] = walk_away
    move["event_impact"] = np.nan


def check_reviewable(game: Replayed, seat: Seat) -> None:
    """Raises NoReview for a game whose opponent can't be simulated again."""
    setup = game.setup
    if game.last.public.ended is None:
        raise NoReview("not_over", "a game has a review once it is over")
    if setup.both_graded or setup.opponent.name not in PERSONAS:
        raise NoReview(
            "no_policy", "the other side was a person or another program: what it would have done can't be computed"
        )
    if SEATS.index(seat) != setup.learner:
        raise NoReview("not_the_learner", "the scripted side has no review")
    if PERSONAS[setup.opponent.name].profile != setup.opponent:
        raise NoReview("another_release", "this opponent's numbers are another release's")
    try:
        tables_of((setup.scenario,), setup.reward)
    except NotBatched as error:
        raise NoReview("no_room", f"this scenario can't be simulated fast enough: {error}") from None


def _started(batch: Batch, game: Replayed) -> NDArray[Any]:
    """The first record, drawn by the keys of the seed and the secret; an opponent that opens has."""
    setup, keys = game.setup, derive_keys(game.seed, game.secret)
    me, row, theirs = setup.learner, batch.rows.copy(), np.zeros(1, MOVE)
    row[0]["visible"], row[0]["hidden"], row[0]["policy"] = keys.visible, keys.hidden, keys.policy[1 - me]
    start(batch.tables, row[0], np.uint64(keys.facts[me]), np.uint64(keys.facts[1 - me]))
    answer(batch.tables, row[0], theirs[0])
    return row


def _fine(row: Any, after: State, me: int) -> float:
    """What the log fines for words, which the batched core does not read, and for moves that were not allowed."""
    book = after.books[me]
    assert book is not None
    more = max(0.0, book.fines - float(row["fines"]))
    row["fines"] += more
    row["noise"] -= more
    row["reward"] -= more
    return more


def _settle_forfeit(batch: Batch, row: Any, after: State) -> None:
    """An end by fines for words, or by moves that were not allowed: settled here, since the record knows of neither."""
    if not _forfeited(after) or row["ended"]:
        return
    spec = batch.tables.spec[0]
    row["ended"], row["turn"], row["tension"] = _code("forfeit"), after.public.turn, after.public.tension
    row["reward"] += float(row["tom"]) + float(spec["no_deal"]) - float(row["value"])
    row["value"], row["bluff"] = 0.0, 0.0


def _forfeited(state: State) -> bool:
    return state.public.ended is not None and state.public.ended.reason == "forfeit"


def _code(reason: str) -> int:
    return REASONS.index(reason)


def _check(state: State, row: Any) -> None:
    """The record against the log's state. Raises NoReview where the opponent did not play by its policy."""
    public = state.public
    code = 0 if public.ended is None else _code(public.ended.reason)
    expected = (public.turn, public.tension, len(public.news), public.ticks, code, len(public.claims))
    same = all(abs(float(row[field]) - float(value)) < 1e-6 for field, value in zip(CHECKED, expected, strict=True))
    for seat, side in enumerate(public.sides if not _forfeited(state) else ()):
        latest = () if side.latest is None else side.latest
        same = same and side.offers == row["offers"][seat] and tuple(row["latest"][seat][: len(latest)]) == latest
    if not same:
        raise NoReview("not_by_policy", "the other side did not play by this release's policy")


# What could be known --------------------------------------------------------------------------------------------------


class Futures:
    """Futures that a player's beliefs hold possible at a view: `rows` (count,) of `layout.EPISODE`, and the other
    side's utility as supposed in the mean."""

    def __init__(self, tracker: Tracker, view: View, safe: bool, fines: float, count: int) -> None:
        scene = tracker.tables.scenes[0]
        now, turn = tracker.now.copy(), view.public.turn
        now["schedule"][0] = -1
        heard = {int(event[2]) for event in tracker.events if event[1] == 0}
        for k in range(int(scene["headlines"])):
            if k not in heard and scene["headline_turn"][k] + SCHEDULE_SPREAD > turn:
                now["schedule"][0, k] = 1
        _put_book(now[0], view, safe, fines)
        key = np.uint64(word(FUTURES_KEY, turn))
        _, slopes, weights = tracker.facts()
        mean = np.round(weights @ slopes).astype(np.int64)
        self.base, self.slopes = int(mean[0]), mean[1:]
        cloud = np.zeros((count, SIZE))
        order = np.random.default_rng(int(key) & 0xFFFFFFFF).permutation(len(tracker.cloud))
        resample(tracker.cloud[order], tracker.weights[order], key, turn, cloud)
        cloud = cloud[np.random.default_rng(int(key) >> 33).permutation(count)]
        self.rows = np.zeros(count, EPISODE)
        plans.prospects(
            tracker.tables, now[0], cloud, tracker.mine, tracker.events, key, self.base, self.slopes, self.rows
        )
        for row in self.rows:
            _settle_claims(row, scene, view)
        self.now = now
        self.tables = tracker.tables


def _put_book(row: Any, view: View, safe: bool, fines: float) -> None:
    """What a view's record lacks of the player's own book: what it can be fined for, and what counts."""
    me, public = view.seat, view.public
    row["fines"], row["safe"][me] = fines, safe
    row["challenges"] = sum(made.seat != me and made.status in ("stands", "withdrawn") for made in public.claims)
    row["belief"] = np.nan
    last = next((i for i in range(len(public.offers) - 1, -1, -1) if public.offers[i].seat == me), None)
    if last is not None:
        seen = [made.offer for made in public.offers[:last] if made.seat != me]
        row["has_seen"] = bool(seen)
        if seen:
            row["seen"][: len(seen[-1])] = seen[-1]


def _settle_claims(row: Any, scene: Any, view: View) -> None:
    """Whether the other side's open claims are true of the opponent of this future."""
    other = 1 - view.seat
    for i, made in enumerate(view.public.claims):
        if made.seat == other and made.status == "open":
            row["claim_true"][i] = _is_true(row, scene, other, int(row["claim_kind"][i]), made.claim.value)


def _is_true(row: Any, scene: Any, seat: int, kind: int, value: int) -> bool:
    """`rules.is_true`, of a record, by its facts as they are now."""
    grain = CLAIM_GRAIN * float(scene["delta0"][seat])
    budget = int(row["budget"][seat]) if row["has_budget"][seat] else int(row["walk_away"][seat])
    if kind == LIMIT:
        return abs(value - max(budget, int(row["walk_away"][seat]))) <= grain
    if kind == BUDGET:
        return abs(value - budget) <= grain
    if kind == DEADLINE:
        return abs(value - int(row["deadline"][seat])) <= DEADLINE_GRAIN
    if kind == ALTERNATIVE:
        return bool(value) == bool(row["alternative"][seat])
    assert kind == PRIORITY
    if scene["issues"] == 1:
        return value == int(float(row["urgency"][seat]) > float(scene["urgency"]))
    return value == int(np.argmax(row["weights"][seat, : int(scene["issues"])]))


def played_in(futures: Futures, batch: Batch, move: Move, view: View) -> NDArray[Any]:
    """The futures after this move and the other side's answer in each (count,)."""
    moves = np.zeros(len(futures.rows), MOVE)
    put_move(moves[0], move, view.setup.scenario)
    hide_reports(moves[0], 0.0)
    moves[:] = moves[0]
    moves["belief"][:, 0] = futures.rows["walk_away"][:, 1 - view.seat]
    batch.rows = futures.rows.copy()
    batch.step(moves)
    return batch.rows

"""Another move in a game that is over, and how it would have gone on.

The opponent answers by its own policy and draws, so that what follows is what would have happened. What the player
would have done later nobody knows: `bayes` plays on in its place, from the player's own views (`agent/planner.py`), or
the player's own later moves, as long as they are allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from agent.beliefs import Tracker
from agent.planner import Bayes
from agent.registry import opponent
from game.review.replay import FIRST_NUMBER, NoReview, OwnMove, Replayed, replayed
from game.review.rows import check_reviewable
from parlay_env.actions import move_of
from parlay_env.core import Seat, policy_draws
from parlay_env.deal.state import SEATS, Invalid, Move, Public, State
from parlay_env.deal.views import View
from parlay_env.grader import Grade
from parlay_env.log import EventLog
from parlay_env.models import ParlayAction
from parlay_env.rng import Draws
from parlay_env.session import GAME, Table

Rest = Literal["bayes", "as_played"]


class NotAllowed(ValueError):
    """The other move is one that the rules don't allow; `invalid` says why."""

    def __init__(self, invalid: Invalid) -> None:
        super().__init__(invalid.message)
        self.invalid = invalid


class UnknownMove(ValueError):
    """The player made no move of this number."""


class WhatIf(msgspec.Struct, frozen=True):
    """How it would have gone on."""

    log: EventLog
    """Of the whole game, with the same setup and seed: its first `at` entries are the played game's."""
    at: int
    """The place of the other move among the log's entries."""
    by_planner: int | None
    """The place from which the planner played for the player; None: it did not have to."""
    last: State
    grade: Grade


def what_if(
    log: EventLog,
    secret: bytes,
    seat: Seat,
    number: int,
    action: ParlayAction | Mapping[str, Any],
    rest: Rest = "bayes",
) -> WhatIf:
    """The game with `action` in place of the player's move of this number (as in its review: from `FIRST_NUMBER` on).

    Raises UnknownMove, NotAllowed, NoReview for a game whose opponent can't be asked again, LogError for a log that
    can't be replayed, and pydantic's ValidationError for a mapping that is no action.
    """
    game = replayed(log, secret)
    check_reviewable(game, seat)
    own = game.moves_of(seat)
    if not FIRST_NUMBER <= number < FIRST_NUMBER + len(own):
        raise UnknownMove(f"the player's moves have numbers from {FIRST_NUMBER} to {FIRST_NUMBER + len(own) - 1}")
    given = action if isinstance(action, ParlayAction) else ParlayAction.model_validate(dict(action))
    table, player = _up_to(game, seat, own, number - FIRST_NUMBER)
    at, draws = len(table.moves), policy_draws(GAME, game.seed, seat, secret)
    view = table.view(seat)
    move = move_of(view, given)
    table.play(seat, move)
    if (invalid := table.state.invalid[SEATS.index(seat)]) is not None:
        raise NotAllowed(invalid)
    player.watch(view, move, draws)
    by_planner = _play_on(table, seat, player, own[number - FIRST_NUMBER + 1 :] if rest == "as_played" else (), draws)
    found = table.view(seat).grade
    assert found is not None
    return WhatIf(table.log, at, by_planner, table.state, found)


class _TakesOver(Bayes):
    """`bayes`, which has watched another play in its place."""

    def watch(self, view: View, move: Move, rng: Draws) -> None:
        """Take in a view, and the move that was made at it."""
        if self.tracker is None:
            self.tracker = Tracker(view, rng.key, updates=self.tools.updates)
        else:
            self.tracker.update(view, self._before)
        self._before = move


def _up_to(game: Replayed, seat: Seat, own: tuple[OwnMove, ...], count: int) -> tuple[Table, _TakesOver]:
    """The table after the player's first `count` moves, and a planner that has watched them."""
    setup, them = game.setup, SEATS[1 - SEATS.index(seat)]
    spoke = any(step.move.utterance for step in game.steps if SEATS[step.seat] == them)
    table = Table(setup, game.seed, {seat: None, them: opponent(setup.opponent.name, spoke)}, game.secret)
    player, draws = _TakesOver(), policy_draws(GAME, game.seed, seat, game.secret)
    for one in own[:count]:
        player.watch(table.view(seat), one.move, draws)
        table.play(seat, one.move)
    if _without_words(table.state.public) != _without_words(own[count].played.before.public):
        raise NoReview("not_by_policy", "the other side did not play by this release's policy")
    return table, player


def _without_words(public: Public) -> Public:
    """What happened, whatever was said: another release may put it otherwise."""
    a, b = public.sides
    return replace(public, sides=(replace(a, utterance=""), replace(b, utterance="")))


def _play_on(table: Table, seat: Seat, player: _TakesOver, later: tuple[OwnMove, ...], draws: Draws) -> int | None:
    """Plays to the end: the player's own later moves first, while they are allowed; then the planner's. Returns from
    where the planner played."""
    place, by_planner = SEATS.index(seat), None
    waiting = [one.move for one in later if one.valid]
    while not table.over:
        view, state, played = table.view(seat), table.state, len(table.moves)
        if waiting:
            move = waiting.pop(0)
            step = GAME.play(state, {seat: move})
            if step.state.invalid[place] is None:
                player.watch(view, move, draws)
                table.play(seat, move)
                continue
            waiting = []
        by_planner = played if by_planner is None else by_planner
        table.play(seat, player.act(view, draws))
    return by_planner

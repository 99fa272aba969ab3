"""How scripted players do in a strategic game: each against the same partner on the same seeds, with intervals.

    found = play_all(entry("levers"), ["odd", "random"], "odd", episodes=200)

Seats take turns: on seed k the player sits in seat k of those that are played. A seed is one observation. In games
whose plays make a table, ISE, SRP and LO stand beside the game's own measures: `training.game_signals`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np

from agent.games.beliefs import Belief, expected
from agent.games.registry import Entry
from parlay_env.core import Policy, Viewer, play_episode
from parlay_env.rng import Draws
from training.game_signals import FINITE, signals_of
from training.stats import Estimate, ratio
from training.strategies import Decision

Told = Callable[[int, int], object]
"""Told of so many episodes of how many."""


class Result(msgspec.Struct, frozen=True):
    """What is said of a player. `measures`: the game's own, then the signals, by name; means over the episodes that
    have a value."""

    player: str
    partner: str
    episodes: int
    reward: Estimate
    measures: dict[str, Estimate]
    ends: dict[str, int]
    """Episodes by why they ended."""


def play_all(
    entry: Entry,
    players: Sequence[str],
    partner: str | None = None,
    *,
    episodes: int = 200,
    seed_start: int = 0,
    setup: Any = None,
    told: Told = lambda _, __: None,
) -> list[Result]:
    """Every player in so many episodes. Raises UnknownPlayer, and ValueError for a setup that can't be played."""
    chosen = entry.game.setup_type() if setup is None else setup
    other = partner or entry.partner
    for name in (*players, other):
        entry.player(name)
    entry.game.start(chosen, seed_start)
    found = []
    for k, name in enumerate(players):
        done = k * episodes
        rows = []
        for n in range(episodes):
            rows.append(_episode(entry, chosen, name, other, seed_start + n))
            told(done + n + 1, len(players) * episodes)
        found.append(_result(name, other, rows))
    return found


class _Noting:
    """A player whose decisions are noted, and what it expected at the last: it plays as without."""

    def __init__(self, player: Policy) -> None:
        self._player = player
        self.made: list[Decision] = []
        self.belief: Belief | None = None

    def act(self, view: Any, rng: Draws) -> Any:
        move = self._player.act(view, rng)
        self.made.append(Decision(view, move))
        self.belief = expected(self._player, view, rng)
        return move


class _Row(msgspec.Struct, frozen=True):
    reward: float
    measures: dict[str, float]
    end: str


def _episode(entry: Entry, setup: Any, player: str, partner: str, seed: int) -> _Row:
    game = entry.game
    seats = game.seated(setup)
    seat = seats[seed % len(seats)]
    given = entry.for_learner(setup, seat)
    policies = {one: _Noting(entry.player(player if one == seat else partner)) for one in seats}
    played = play_episode(game, given, seed, policies, keep_log=False)
    end = game.view(played.state, Viewer("observer")).ended
    measures = dict(game.measures(played.state, seat))
    if (finite := FINITE.get(game.id)) is not None:
        (other,) = (one for one in seats if one != seat)
        mine, theirs = policies[seat], policies[other]
        again = partial(entry.player, partner)
        measures |= signals_of(finite, given, seat, mine.made, theirs.made, mine.belief, again)
    return _Row(played.total(seat), measures, end)


def _result(name: str, partner: str, rows: Sequence[_Row]) -> Result:
    names = list(dict.fromkeys(measure for row in rows for measure in row.measures))
    means = {}
    for measure in names:
        top = [row.measures.get(measure, 0.0) for row in rows]
        bottom = [float(measure in row.measures) for row in rows]
        if (mean := ratio(top, bottom)) is not None:
            means[measure] = mean
    reward = ratio([row.reward for row in rows], np.ones(len(rows)))
    assert reward is not None, "a player plays one episode at least"
    ends = [row.end for row in rows]
    return Result(name, partner, len(rows), reward, means, {end: ends.count(end) for end in sorted(set(ends))})

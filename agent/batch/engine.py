"""N deals at once: the batched core.

`Batch` plays what `Deal.play` and the scripted personas play, words off: the same moves, the same ends, the same pay.
"""

# pyright: reportMissingParameterType=false
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.batch import layout
from agent.batch.compiled import kernel
from agent.batch.grade import book_move, exhausted, fine, pay
from agent.batch.instance import start
from agent.batch.layout import EPISODE, FORFEIT, MOVE, Tables
from agent.batch.persona import clear, decide
from agent.batch.rules import apply, end, go_on, is_invalid
from agent.personas import PERSONAS
from game.events import SPLITS
from game.scenarios import Scenario
from parlay_env.deal.numbers import ERRORS_AT_MOST
from parlay_env.deal.state import SEATS, Setup
from parlay_env.reward import RewardSpec
from parlay_env.rng import derive_keys


@kernel
def answer(tables, r, m):
    """The opponent moves, if it is its turn."""
    if r.ended == 0 and r.mover != r.learner:
        decide(tables, r, m)
        apply(tables, r, 1 - r.learner, m)
        go_on(tables, r, 1 - r.learner, m.accept, m.walk)


@kernel
def step(tables, r, m, theirs):
    """The learner's move `m` and the opponent's answer (into `theirs`); returns what the learner is paid."""
    seat, spec = r.learner, tables.spec[0]
    if is_invalid(tables, r, seat, m):
        noise = fine(spec, r, spec.noise)
        r.errors[seat] += 1
        r.invalid += 1
        if r.errors[seat] >= ERRORS_AT_MOST or exhausted(spec, r):
            end(r, FORFEIT, seat)
        return pay(tables, r, 0.0, noise, True)
    concession, noise = book_move(tables, r, m)
    apply(tables, r, seat, m)
    if exhausted(spec, r):
        end(r, FORFEIT, seat)
    else:
        go_on(tables, r, seat, m.accept, m.walk)
        answer(tables, r, theirs)
    return pay(tables, r, concession, noise, False)


@kernel
def _start_all(tables, rows, keys, theirs, which):
    for i in which:
        start(tables, rows[i], keys[i, 0], keys[i, 1])
        answer(tables, rows[i], theirs[i])


@kernel
def _step_all(tables, rows, moves, theirs, rewards):
    for i in range(len(rows)):
        rewards[i] = 0.0
        if rows[i].ended == 0:
            rewards[i] = step(tables, rows[i], moves[i], theirs[i])


@kernel
def _clear_all(moves):
    for i in range(len(moves)):
        clear(moves[i])


class Batch:
    """N episodes against scripted opponents, each with a setup of its own.

    `rows` (N,) of `layout.EPISODE` are the episodes as the mechanism has them, hidden fields included: a policy reads
    its own facts and what is public. `theirs` (N,) of `layout.MOVE` holds the opponents' newest moves.
    """

    def __init__(self, setups: Sequence[Setup]) -> None:
        """Raises NotBatched for a setup that has no room, and ValueError when their rewards differ."""
        specs = {setup.reward for setup in setups}
        if len(specs) != 1:
            raise ValueError("the episodes of a batch are paid by one RewardSpec")
        self.setups = tuple(setups)
        scenes: dict[int, Scenario] = {id(setup.scenario): setup.scenario for setup in setups}
        places = {key: i for i, key in enumerate(scenes)}
        names = list(PERSONAS)
        self.tables = tables_of(tuple(scenes.values()), next(iter(specs)))
        self._blank = np.zeros(len(setups), EPISODE)
        self._blank["scene"] = [places[id(setup.scenario)] for setup in setups]
        self._blank["persona"] = [names.index(setup.opponent.name) for setup in setups]
        self._blank["learner"] = [setup.learner for setup in setups]
        self._blank["split"] = [SPLITS.index(setup.split) for setup in setups]
        self._blank["events"] = [setup.events for setup in setups]
        self.rows = self._blank.copy()
        self.theirs = np.zeros(len(setups), MOVE)
        self.rewards = np.zeros(len(setups))

    def __len__(self) -> int:
        return len(self.setups)

    def reset(self, seeds: Sequence[int], which: Sequence[int] | NDArray[np.int64] | None = None) -> None:
        """Begin these episodes (all, or those at the places `which`) with these seeds; an opponent that opens has."""
        where = np.arange(len(self)) if which is None else np.asarray(which, np.int64)
        keys = np.zeros((len(self), 2), np.uint64)
        self.rows[where] = self._blank[where]
        for i, seed in zip(where, seeds, strict=True):
            found = derive_keys(int(seed))
            row, me = self.rows[i], self.setups[i].learner
            row["visible"], row["hidden"], row["policy"] = found.visible, found.hidden, found.policy[1 - me]
            keys[i] = found.facts[me], found.facts[1 - me]
        _start_all(self.tables, self.rows, keys, self.theirs, where)

    def step(self, moves: NDArray[Any]) -> NDArray[np.float64]:
        """The learners' moves, (N,) of `layout.MOVE`, and the opponents' answers: the rewards, (N,). Nothing happens to
        an episode that is over."""
        _step_all(self.tables, self.rows, moves, self.theirs, self.rewards)
        return self.rewards

    @property
    def over(self) -> NDArray[np.bool_]:
        """Which episodes are over, (N,)."""
        return self.rows["ended"] > 0

    def moves(self) -> NDArray[Any]:
        """Moves that do nothing but speak, to be filled in."""
        found = np.zeros(len(self), MOVE)
        _clear_all(found)
        return found


_kept: dict[tuple[Any, ...], Tables] = {}


def tables_of(scenarios: tuple[Scenario, ...], spec: RewardSpec) -> Tables:
    """The tables of these scenarios with every persona (kept)."""
    key = (*map(id, scenarios), spec)
    if key not in _kept or any(a is not b for a, b in zip(_held[key], scenarios, strict=True)):
        if len(_kept) >= 64:
            _kept.clear()
            _held.clear()
        _kept[key] = layout.tables(scenarios, tuple(PERSONAS.values()), spec)
        _held[key] = scenarios
    return _kept[key]


_held: dict[tuple[Any, ...], tuple[Scenario, ...]] = {}

__all__ = ["SEATS", "Batch", "tables_of"]

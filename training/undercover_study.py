"""Undercover by how much the spy lacks: how often it is found, beside chance.

At mask 0 nobody lacks anything: a player who votes is right one time in n − 1, and the spy is among those named most,
counted as one of so many, one time in n. An observation is a seed: the votes of an episode hang together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from agent.games.registry import entry
from parlay_env.core import play_episode
from parlay_env.games.undercover import Mode, Setup
from training.stats import Estimate, ratio
from training.tables import table

MASKS = tuple(tenth / 10 for tenth in range(10))
MODES: tuple[Mode, ...] = ("parallel", "sequential")


class Row(msgspec.Struct, frozen=True):
    """What came of the episodes with a mask in a mode. `detection`: over the votes of all but the spy; `caught`: over
    the episodes; `skill`: Brier's, over the beliefs that were given, None without any."""

    mode: Mode
    mask: float
    detection: Estimate
    caught: Estimate
    skill: Estimate | None


def study(
    *,
    episodes: int = 400,
    first_seed: int = 0,
    players: int = 4,
    player: str = "reader",
    masks: Sequence[float] = MASKS,
    modes: Sequence[Mode] = MODES,
) -> tuple[Row, ...]:
    """A row for each mode and mask, every seat played by `player` of this name; the seeds are the same in each.

    Raises UnknownPlayer, and ValueError for a setup that can't be played or without episodes.
    """
    if episodes < 1:
        raise ValueError("a study needs at least one episode")
    seeds = range(first_seed, first_seed + episodes)
    return tuple(_row(Setup(players=players, mask=mask, mode=mode), player, seeds) for mode in modes for mask in masks)


def markdown(rows: Sequence[Row]) -> str:
    """The rows as a table, with 95 % intervals."""
    lines = [
        [row.mode, f"{row.mask:.1f}", *(_shown(one) for one in (row.detection, row.caught, row.skill))] for row in rows
    ]
    return table(("mode", "mask", "detection", "caught", "Brier skill"), lines)


def _row(setup: Setup, player: str, seeds: Sequence[int]) -> Row:
    game, policy = entry("undercover").game, entry("undercover").player(player)
    seated = game.seated(setup)
    found: list[list[Mapping[str, float]]] = []
    for seed in seeds:
        state = play_episode(game, setup, seed, dict.fromkeys(game.seats, policy), keep_log=False).state
        found.append([game.measures(state, seat) for seat in seated])
    detection, caught = _mean(found, "detection"), _mean(found, "caught")
    assert detection is not None and caught is not None
    return Row(setup.mode, setup.mask, detection, caught, _mean(found, "brier_skill"))


def _mean(found: Sequence[Sequence[Mapping[str, float]]], name: str) -> Estimate | None:
    given = [[one[name] for one in episode if name in one] for episode in found]
    return ratio([sum(values) for values in given], [len(values) for values in given])


def _shown(found: Estimate | None) -> str:
    if found is None or found.low is None or found.high is None:
        return "–" if found is None else f"{found.value:.3f}"
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"

"""Policies against one another on the same seeds: ratings, and how the reward's order agrees with other orders."""

from __future__ import annotations

import numpy as np

from training.grid import Grid
from training.stats import Estimate, Floats, interval, ratings, resampled, resamples, spearman


def elo(grid: Grid) -> dict[str, Estimate]:
    """Elo points of every policy, with intervals over seeds; empty for a policy alone.

    One beats another on a cell and seed by the higher reward; equal rewards are half a win each (Bradley & Terry 1952).
    """
    n, _, seeds = grid.shape
    if n < 2:
        return {}
    wins = np.zeros((seeds, n, n))
    for i in range(n):
        better = grid.reward[i] - grid.reward
        wins[:, i, :] = ((better > 0) + 0.5 * (better == 0)).sum(axis=1).T
    flat = wins.reshape(seeds, n * n)
    found = ratings(flat.sum(axis=0).reshape(n, n))
    drawn = np.concatenate([ratings((counts @ flat).reshape(-1, n, n), found) for counts in resamples(seeds)])
    games = grid.shape[1] * seeds * (n - 1)
    one = seeds < 2
    return {
        policy: Estimate(float(found[i]), None, None, games) if one else interval(float(found[i]), drawn[:, i], games)
        for i, policy in enumerate(grid.plan.policies)
    }


class Means:
    """Means of reward, E given ZOPA and surplus of some points (policies, or policies in cells): as they are, and in
    every resample of the seeds."""

    def __init__(self, grid: Grid, by_cell: bool, reward: Floats | None = None) -> None:
        n, cells, seeds = grid.shape
        self.points = n * cells if by_cell else n
        flat = (self.points, -1, seeds)
        ones, zopa = np.ones(grid.shape), grid.zopa.astype(float)
        self.now: dict[str, Floats] = {}
        self.drawn: dict[str, Floats] = {}
        for key, top, bottom in (
            ("reward", grid.reward if reward is None else reward, ones),
            ("efficiency_given_zopa", grid.efficiency * zopa, zopa),
            ("surplus", grid.surplus, ones),
        ):
            tops, bottoms = (array.reshape(flat).sum(axis=1).T for array in (top, bottom))
            with np.errstate(invalid="ignore"):
                self.now[key] = tops.sum(axis=0) / bottoms.sum(axis=0)
            self.drawn[key] = resampled(tops, bottoms)

    def agreement(self, other: str) -> Estimate | None:
        """Spearman's rank correlation of the reward with `other`, over the points for which both are known."""
        known = np.isfinite(self.now[other])
        value = spearman(self.now["reward"][known], self.now[other][known])
        if not np.isfinite(value):
            return None
        pairs = zip(self.drawn["reward"], self.drawn[other], strict=True)
        drawn = [spearman(a[ok], b[ok]) for a, b in pairs if (ok := known & np.isfinite(b)).any()]
        return interval(value, np.array(drawn), int(known.sum()))


def agreements(grid: Grid, by_cell: bool = False) -> dict[str, Estimate | None]:
    """How far the order of the policies (or of policies in cells) by reward is that by E given ZOPA, and by surplus."""
    means = Means(grid, by_cell)
    return {other: means.agreement(other) for other in ("efficiency_given_zopa", "surplus")}

"""Means with bootstrap intervals, for results that share seeds.

Episodes on one seed share its draws, in every scenario and from both seats: a seed is one observation, however many
episodes were played on it. So the bootstrap draws seeds, not episodes (a cluster bootstrap: Davison & Hinkley 1997,
§3.8; percentile intervals).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEVEL = 0.95
DRAWS = 4000
"""Resamples of a bootstrap."""
_AT_ONCE = 2_000_000
_SEED = 20_241_105
"""The bootstrap's own, fixed: the same results have the same intervals."""


class Estimate(NamedTuple):
    """A mean (or a ratio of means) and its interval; no interval from fewer than two seeds."""

    value: float
    low: float | None
    high: float | None
    over: int
    """What the mean was taken over: its denominator."""


def ratio(numerators: ArrayLike, denominators: ArrayLike) -> Estimate | None:
    """Σ numerators / Σ denominators, both given by seed, with its interval; None when there is nothing to divide by.

    A mean over all episodes has the episodes of a seed as that seed's denominator; a mean given a ZOPA those with one.
    """
    top, bottom = np.asarray(numerators, float), np.asarray(denominators, float)
    total = bottom.sum()
    if total == 0:
        return None
    value = float(top.sum() / total)
    if np.count_nonzero(bottom) < 2:
        return Estimate(value, None, None, int(total))
    drawn = _resampled(top, bottom)
    low, high = np.quantile(drawn[np.isfinite(drawn)], [0.5 - LEVEL / 2, 0.5 + LEVEL / 2])
    return Estimate(value, float(low), float(high), int(total))


def mean(values: ArrayLike) -> Estimate | None:
    """The mean of one value a seed."""
    found = np.asarray(values, float)
    return ratio(found, np.ones_like(found))


def _resampled(top: NDArray[np.float64], bottom: NDArray[np.float64]) -> NDArray[np.float64]:
    """The ratio in each resample of the seeds."""
    rng, seeds = np.random.default_rng(_SEED), len(top)
    rows = max(1, min(DRAWS, _AT_ONCE // seeds))
    found = []
    with np.errstate(invalid="ignore", divide="ignore"):
        for start in range(0, DRAWS, rows):
            picked = rng.integers(0, seeds, (min(rows, DRAWS - start), seeds))
            found.append(top[picked].sum(axis=1) / bottom[picked].sum(axis=1))
    return np.concatenate(found)

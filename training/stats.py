"""Means with bootstrap intervals for results that share seeds, rank correlations, and ratings from paired comparisons.

Episodes on one seed share its draws, in every scenario and from both seats: a seed is one observation, however many
episodes were played on it. So the bootstrap draws seeds, not episodes (a cluster bootstrap: Davison & Hinkley 1997,
§3.8; percentile intervals).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

LEVEL = 0.95
DRAWS = 4000
"""Resamples of a bootstrap."""
_AT_ONCE = 2_000_000
"""Figures held at a time."""
_SEED = 20_241_105
"""The bootstrap's own, fixed: the same results have the same intervals."""


class Estimate(NamedTuple):
    """A figure and its interval; no interval from fewer than two seeds."""

    value: float
    low: float | None
    high: float | None
    over: int
    """What the figure was taken over: a mean's denominator, a correlation's points."""


# Means ----------------------------------------------------------------------------------------------------------------


def ratio(numerators: ArrayLike, denominators: ArrayLike) -> Estimate | None:
    """Σ numerators / Σ denominators, both given by seed, with its interval; None when there is nothing to divide by.

    A mean over all episodes has the episodes of a seed as that seed's denominator; a mean given a ZOPA those with one.
    """
    top, bottom = np.asarray(numerators, float), np.asarray(denominators, float)
    return ratios(top[:, None], bottom[:, None])[0]


def mean(values: ArrayLike) -> Estimate | None:
    """The mean of one value a seed."""
    found = np.asarray(values, float)
    return ratio(found, np.ones_like(found))


def ratios(tops: Floats, bottoms: Floats) -> list[Estimate | None]:
    """`ratio` of every column; both have shape (seeds, columns)."""
    width = max(1, _AT_ONCE // DRAWS)
    found: list[Estimate | None] = []
    for start in range(0, tops.shape[1], width):
        found += _ratios(tops[:, start : start + width], bottoms[:, start : start + width])
    return found


def stratified(tops: Floats, bottoms: Floats) -> Estimate | None:
    """Σ tops / Σ bottoms, both of shape (strata, observations), where no two observations share a draw.

    The bootstrap draws within each stratum by itself (Davison & Hinkley 1997, §3.2): how often each stratum occurs is
    no matter of chance. A resample of n varies by (n − 1)/n of what the observations do, which is much where n is
    small: its deviations are scaled by √(n/(n − 1)) (Rao & Wu 1988), and kept to where a mean can lie. None when there
    is nothing to divide by.
    """
    total, (strata, each) = bottoms.sum(), tops.shape
    if not total:
        return None
    value = float(tops.sum() / total)
    if each < 2:
        return Estimate(value, None, None, int(total))
    counts = [_within(k, each) for k in range(strata)]
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn = sum(n @ top for n, top in zip(counts, tops, strict=True)) / sum(
            n @ bottom for n, bottom in zip(counts, bottoms, strict=True)
        )
    each_one = tops[bottoms > 0] / bottoms[bottoms > 0]
    drawn = value + np.sqrt(each / (each - 1)) * (np.asarray(drawn) - value)
    return interval(value, drawn.clip(each_one.min(), each_one.max()), int(total))


@lru_cache(maxsize=64)
def _within(stratum: int, each: int) -> Floats:
    """How often each resample draws each observation of this stratum, shape (DRAWS, observations)."""
    picked = np.random.default_rng((_SEED, stratum)).integers(0, each, (DRAWS, each))
    return (
        np.bincount((picked + each * np.arange(DRAWS)[:, None]).ravel(), minlength=DRAWS * each)
        .reshape(DRAWS, each)
        .astype(float)
    )


def _ratios(tops: Floats, bottoms: Floats) -> list[Estimate | None]:
    totals = bottoms.sum(axis=0)
    values = tops.sum(axis=0) / np.where(totals == 0, 1.0, totals)
    ends = np.full((2, tops.shape[1]), np.nan)
    several = np.count_nonzero(bottoms, axis=0) > 1
    same = several & (tops == values * bottoms).all(axis=0)  # No resample differs.
    ends[:, same] = values[same]
    varied = several & ~same
    if varied.any():
        ends[:, varied] = _ends(resampled(tops[:, varied], bottoms[:, varied]))
    return [
        Estimate(
            float(value), None if np.isnan(low) else float(low), None if np.isnan(high) else float(high), int(total)
        )
        if total
        else None
        for value, total, low, high in zip(values, totals, *ends, strict=True)
    ]


def _ends(drawn: Floats) -> Floats:
    """The percentile interval of each column, shape (2, columns); what is not a number has no part in it."""
    places = np.array([0.5 - LEVEL / 2, 0.5 + LEVEL / 2]) * (len(drawn) - 1)
    whole = np.isfinite(drawn).all(axis=0)
    found = np.empty((2, drawn.shape[1]))
    low = np.floor(places).astype(int)
    part = np.partition(np.ascontiguousarray(drawn[:, whole].T), [*low, *(low + 1)], axis=1)
    found[:, whole] = (part[:, low] + (places - low) * (part[:, low + 1] - part[:, low])).T
    if not whole.all():
        with np.errstate(all="ignore"):
            found[:, ~whole] = np.nanquantile(drawn[:, ~whole], [0.5 - LEVEL / 2, 0.5 + LEVEL / 2], axis=0)
    return found


def interval(value: float, drawn: Floats, over: int) -> Estimate:
    """A figure with the percentile interval of its resamples; those that are not finite have none of it."""
    finite = drawn[np.isfinite(drawn)]
    if len(finite) < 2:
        return Estimate(value, None, None, over)
    low, high = np.quantile(finite, [0.5 - LEVEL / 2, 0.5 + LEVEL / 2])
    return Estimate(value, float(low), float(high), over)


def resampled(tops: Floats, bottoms: Floats) -> Floats:
    """Σ tops / Σ bottoms in each resample of the seeds, shape (DRAWS, columns); NaN where a resample has none.

    The same resamples for every column and at every call with as many seeds: differences of two are paired.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.concatenate([(counts @ tops) / (counts @ bottoms) for counts in resamples(len(tops))])


def resamples(seeds: int) -> Iterator[Floats]:
    """How often each resample draws each seed: blocks of shape (some, seeds), DRAWS rows in all."""
    if DRAWS * seeds <= _AT_ONCE:
        yield _few(seeds)
    else:
        yield from _blocks(seeds)


@lru_cache(maxsize=2)
def _few(seeds: int) -> Floats:
    return np.concatenate(list(_blocks(seeds)))


def _blocks(seeds: int) -> Iterator[Floats]:
    rng = np.random.default_rng(_SEED)
    rows = max(1, min(DRAWS, _AT_ONCE // seeds))
    for start in range(0, DRAWS, rows):
        n = min(rows, DRAWS - start)
        picked = rng.integers(0, seeds, (n, seeds)) + seeds * np.arange(n)[:, None]
        yield np.bincount(picked.ravel(), minlength=n * seeds).reshape(n, seeds).astype(float)


# Ranks ----------------------------------------------------------------------------------------------------------------


def ranks(values: ArrayLike) -> Floats:
    """The rank of each value, from 1; equal values share the mean of theirs."""
    _, place, counts = np.unique(np.asarray(values, float), return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - 0.5 * (counts - 1))[place]


def spearman(a: ArrayLike, b: ArrayLike) -> float:
    """Spearman's rank correlation (Spearman 1904), ties by mean ranks; NaN when one of both is constant."""
    x, y = ranks(a), ranks(b)
    x, y = x - x.mean(), y - y.mean()
    scale = np.sqrt((x @ x) * (y @ y))
    return float(x @ y / scale) if scale > 0 else float("nan")


def kendall(a: ArrayLike, b: ArrayLike) -> float:
    """Kendall's τ-b (Kendall 1945), which counts pairs and allows for ties; NaN when one of both is constant."""
    x, y = _order(a), _order(b)
    scale = np.sqrt(np.abs(x).sum() * np.abs(y).sum())
    return float((x * y).sum() / scale) if scale > 0 else float("nan")


def _order(values: ArrayLike) -> Floats:
    """Of each pair: 1, 0 or −1, as the first is more than, equal to or less than the second."""
    found = np.asarray(values, float)
    first, second = np.triu_indices(len(found), 1)
    return np.sign(found[first] - found[second])


# Ratings --------------------------------------------------------------------------------------------------------------

ELO = 400.0 / np.log(10.0)
"""Elo points a unit of log strength: 400 points are odds of ten to one."""
RATING_MEAN = 1500.0
_VIRTUAL = 0.5
"""Wins that each of a pair is given over the other beforehand, so that who never loses has a rating, too."""
_NEWTON_STEPS = 100


def ratings(wins: Floats, near: Floats | None = None) -> Floats:
    """Elo points by the model of Bradley & Terry (1952), with mean `RATING_MEAN`.

    `wins[..., i, j]` is how often i beat j, a tie half a win each; leading axes are problems of their own. The maximum
    of the likelihood, by Newton's method, after half a virtual win of each over each. `near`: ratings to start from.
    """
    n = wins.shape[-1]
    won = (wins + _VIRTUAL) * (1.0 - np.eye(n))
    played = won + won.swapaxes(-1, -2)
    strength = np.zeros(wins.shape[:-1])
    if near is not None:
        strength += (near - RATING_MEAN) / ELO
    for _ in range(_NEWTON_STEPS):
        expected = 1.0 / (1.0 + np.exp(strength[..., None, :] - strength[..., :, None]))
        slope = (won - played * expected).sum(axis=-1)
        weight = played * expected * (1.0 - expected)
        curvature = np.eye(n) * weight.sum(axis=-1)[..., None] - weight
        step = np.linalg.solve(curvature + 1.0 / n, slope[..., None])[..., 0]  # the added plane keeps the mean at 0
        step = np.clip(step, -2.0, 2.0)
        strength = strength + step
        if np.abs(step).max(initial=0.0) < 1e-6:
            break
    return RATING_MEAN + ELO * (strength - strength.mean(axis=-1, keepdims=True))

"""What an experiment finds: published figures beside ours, with a verdict each, and curves of the learning.

A figure that was published from one run of twenty seeds is itself a draw. So a figure of ours may carry, beside its
95 % interval, `sets`: where the middle 95 % of such runs lie, read off sets of twenty of our seeds. The verdict is, in
this order: the published figure meets our interval; it is as near as a stated tolerance; it is one that such a run
gives; or it is not reproduced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import msgspec
import numpy as np

from training.stats import Estimate, interval, mean, resamples
from training.tabular import Floats, Ints

SET = 20
"""Seeds of a run as they were published."""
_SETS = 2000
_SEED = 20_250_117
"""Of the sets, fixed: the same results have the same sets."""


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A published figure and ours, both in `unit`. `low` and `high`: the published range (`high` None: the claim is
    that the figure is above `low`); `over`: seeds, or how many of what is averaged; `note`: what was assumed of this
    figure alone."""

    name: str
    published: str
    low: float
    high: float | None
    unit: str
    value: float
    value_low: float | None
    value_high: float | None
    over: int
    sets: tuple[float, float] | None
    reproduced: bool
    verdict: str
    note: str


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """A mean by step, with its interval."""

    name: str
    unit: str
    steps: tuple[int, ...]
    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


class Matrix(msgspec.Struct, frozen=True, kw_only=True):
    """What the policy of one seed (row) earns with that of another (column)."""

    name: str
    rows: tuple[tuple[float, ...], ...]


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """What came of another choice of what the publication leaves open."""

    assumed: str
    found: dict[str, float]


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that one experiment found. `assumed`: what was published nowhere and had to be chosen, in sentences;
    `settings`: the same figures under other choices."""

    id: str
    title: str
    question: str
    assumed: tuple[str, ...]
    seeds: int
    figures: tuple[Figure, ...]
    curves: tuple[Curve, ...] = ()
    matrices: tuple[Matrix, ...] = ()
    settings: tuple[Setting, ...] = ()


Tell = Callable[[str, int, int], None]
"""Told what is done, how much of it, and of how much."""


def figure(
    name: str,
    published: str,
    low: float,
    high: float | None,
    found: Estimate,
    unit: str = "",
    *,
    sets: tuple[float, float] | None = None,
    tolerance: float = 0.0,
    note: str = "",
) -> Figure:
    """A figure with its verdict."""
    reproduced, verdict = _judged(low, high, found, sets, tolerance, unit)
    return Figure(
        name=name,
        published=published,
        low=low,
        high=high,
        unit=unit,
        value=found.value,
        value_low=found.low,
        value_high=found.high,
        over=found.over,
        sets=sets,
        reproduced=reproduced,
        verdict=verdict,
        note=note,
    )


def near(published: float, digit: float) -> tuple[float, float]:
    """What a published figure may have been before it was rounded to its last digit."""
    return published - digit / 2, published + digit / 2


def _judged(
    low: float, high: float | None, found: Estimate, sets: tuple[float, float] | None, tolerance: float, unit: str
) -> tuple[bool, str]:
    unit = "points" if unit == "%" else unit
    from_, to = (found.value if end is None else end for end in (found.low, found.high))
    if high is None:
        if from_ > low:
            return True, "reproduced"
        return False, f"not reproduced: the interval is not above {low:g}"
    if from_ <= high and low <= to:
        return True, "reproduced"
    off = max(low - to, from_ - high)
    if off <= tolerance:
        return True, f"reproduced, within {tolerance:g}{unit and ' ' + unit}".replace(
            "within 1 points", "within a point"
        ).replace("within 1 steps", "within a step")
    if sets is not None and sets[0] <= high and low <= sets[1]:
        return True, f"reproduced, as a run of {SET} seeds"
    return False, f"not reproduced: {off:.3g}{unit and ' ' + unit} beyond our interval"


# Figures over seeds ---------------------------------------------------------------------------------------------------


def over_seeds(values: Floats, scale: float = 1.0) -> Estimate:
    """The mean of one value a seed, times `scale`."""
    found = mean(np.asarray(values, float) * scale)
    assert found is not None, "there is at least one seed"
    return found


def known(value: float) -> Estimate:
    """A figure in which nothing is drawn."""
    return Estimate(value, None, None, 1)


def cross_play(pays: Floats, scale: float = 1.0) -> Estimate:
    """The mean of what policies of two different seeds earn together; `pays` has shape (seeds, seeds).

    A seed stands in a whole row and column: the bootstrap draws seeds, and leaves out those that meet themselves.
    """
    apart = scale * pays * (1 - np.eye(len(pays)))
    value = apart.sum() / max(1, len(pays) * (len(pays) - 1))
    drawn = np.concatenate([_apart(counts, apart) for counts in resamples(len(pays))])
    return interval(float(value), drawn, len(pays))


def _apart(counts: Floats, pays: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.einsum("ri,ri->r", counts @ pays, counts) / (len(pays) ** 2 - (counts**2).sum(axis=1))


def in_sets(seeds: int, found: Callable[[Ints], float]) -> tuple[float, float] | None:
    """Where the middle 95 % of runs of twenty of these seeds lie; None where there are no more seeds than that."""
    if seeds <= SET:
        return None
    rng = np.random.default_rng(_SEED)
    drawn = [found(rng.choice(seeds, SET, replace=False)) for _ in range(_SETS)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)


def crossed_in(pays: Floats, scale: float, these: Ints) -> float:
    """The cross-play of these seeds alone."""
    some = pays[np.ix_(these, these)]
    return float(scale * (some.sum() - np.trace(some)) / (len(these) * (len(these) - 1)))


def cross_play_in_sets(pays: Floats, scale: float = 1.0) -> tuple[float, float] | None:
    """Where the cross-play of runs of twenty seeds lies."""
    return in_sets(len(pays), partial(crossed_in, pays, scale))


# Curves ---------------------------------------------------------------------------------------------------------------


def curve(name: str, steps: Sequence[int], seen: Floats, unit: str = "") -> Curve:
    """A curve from values of shape (points, seeds)."""
    return _curve(name, steps, [over_seeds(point) for point in seen], unit)


def cross_curve(name: str, steps: Sequence[int], pays: Floats, unit: str = "") -> Curve:
    """A curve of cross-play, from pay-offs of shape (points, seeds, seeds)."""
    return _curve(name, steps, [cross_play(point) for point in pays], unit)


def _curve(name: str, steps: Sequence[int], found: Sequence[Estimate], unit: str) -> Curve:
    return Curve(
        name=name,
        unit=unit,
        steps=tuple(steps),
        value=tuple(one.value for one in found),
        low=tuple(one.value if one.low is None else one.low for one in found),
        high=tuple(one.value if one.high is None else one.high for one in found),
    )


def matrix(name: str, pays: Floats) -> Matrix:
    """The cross-play of the first twenty seeds."""
    return Matrix(name=name, rows=tuple(tuple(map(float, row[:SET])) for row in pays[:SET]))

"""One-sided tests of many means against one bar, corrected for how many they are, and how many observations they want.

Student's t needs nothing but observations that are means of many, and is right from two of them on, where a bootstrap's
tails are too thin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import msgspec
import numpy as np
from numpy.typing import ArrayLike

POWER = 0.8
"""The probability of a verdict for which observations are counted."""
MOST = 1_000_000
"""More are not counted: the mean lies on the bar."""


class Sample(msgspec.Struct, frozen=True):
    """Observations, as a test sees them."""

    n: int
    mean: float
    sd: float
    """0 for one observation."""


def sample(values: ArrayLike) -> Sample:
    """The sample of these values."""
    found = np.asarray(values, dtype=float)
    return Sample(len(found), float(found.mean()), float(found.std(ddof=1)) if len(found) > 1 else 0.0)


def p_above(found: Sample, bar: float) -> float:
    """The probability of a mean at least so far above the bar, were the true one on it (Student 1908). 1 for one
    observation, which shows nothing."""
    if found.n < 2:
        return 1.0
    if found.sd == 0.0:
        return 0.0 if found.mean > bar else 1.0
    return beyond((found.mean - bar) / found.sd * math.sqrt(found.n), found.n - 1)


def p_below(found: Sample, bar: float) -> float:
    """The same for a mean below the bar."""
    return p_above(Sample(found.n, -found.mean, found.sd), -bar)


def beyond(t: float, freedom: int) -> float:
    """The probability that Student's t with so many degrees of freedom is greater than `t`.

    Finite series for whole degrees: Abramowitz & Stegun 1964, 26.7.3 and 26.7.4.
    """
    angle = math.atan(t / math.sqrt(freedom))
    cosine = math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(3 if odd else 2, freedom - 1, 2):
        term *= (k - 1) / k * cosine**2
        total += term
    inside = math.sin(angle) * total
    if odd:
        inside = (angle + inside) * 2.0 / math.pi
    return min(1.0, max(0.0, (1.0 - inside) / 2.0))


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values, corrected so that among all of them the chance of one wrong rejection is bounded (Holm 1979)."""
    corrected, least = [1.0] * len(p_values), 0.0
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    for k, i in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - k) * p_values[i]))
        corrected[i] = least
    return corrected


def observations_needed(found: Sample, bar: float, level: float) -> int | None:
    """How many observations, more than there are, a one-sided test at this level wants to tell this mean from the bar
    with probability `POWER` (Guenther 1981); None where that can't be said: from one, or for a mean on the bar."""
    gap = abs(found.mean - bar)
    if found.n < 2 or gap == 0.0:
        return None
    normal = NormalDist()
    z = normal.inv_cdf(1.0 - level)
    wanted = ((z + normal.inv_cdf(POWER)) * found.sd / gap) ** 2 + z**2 / 2
    return max(found.n + 1, math.ceil(wanted)) if wanted <= MOST else None

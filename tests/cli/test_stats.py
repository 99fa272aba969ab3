"""Intervals: right for independent observations, honest for those that share a seed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cli.stats import mean, ratio


def test_a_mean_of_independent_values_has_the_textbook_interval() -> None:
    values = np.random.default_rng(1).normal(10, 3, 400)
    found = mean(values)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert found.value == pytest.approx(values.mean())
    half = 1.96 * values.std(ddof=1) / math.sqrt(len(values))
    assert found.low == pytest.approx(found.value - half, abs=0.1 * half)
    assert found.high == pytest.approx(found.value + half, abs=0.1 * half)


def test_more_episodes_on_the_same_seeds_are_not_more_observations() -> None:
    values = np.random.default_rng(2).normal(0, 1, 50)
    once, often = ratio(values, np.ones(50)), ratio(24 * values, np.full(50, 24))
    assert once is not None
    assert often is not None
    assert (often.low, often.high) == pytest.approx((once.low, once.high))
    assert (once.over, often.over) == (50, 1200)


def test_a_share_is_taken_over_what_counts() -> None:
    found = ratio([1, 0, 2, 0], [1, 0, 2, 1])
    assert found is not None
    assert found.value == pytest.approx(3 / 4)
    assert found.over == 4


def test_nothing_that_counts_has_no_mean() -> None:
    assert ratio([0, 0], [0, 0]) is None


def test_one_seed_has_a_mean_and_no_interval() -> None:
    found = mean([3.0])
    assert found is not None
    assert found == (3.0, None, None, 1)


def test_the_same_values_have_the_same_interval() -> None:
    assert mean([1.0, 2.0, 4.0]) == mean([1.0, 2.0, 4.0])


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng, hits, trials = np.random.default_rng(3), 0, 120
    for _ in range(trials):
        found = mean(rng.exponential(1.0, 60))
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 1.0 <= found.high
    assert hits / trials > 0.86

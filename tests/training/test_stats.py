"""Intervals: right for independent observations, honest for those that share a seed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from training.stats import DRAWS, RATING_MEAN, kendall, mean, ranks, ratings, ratio, ratios, resamples, spearman


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


def test_columns_have_the_intervals_that_they_have_alone() -> None:
    rng = np.random.default_rng(4)
    tops, bottoms = rng.normal(size=(30, 6)), rng.integers(0, 3, (30, 6)).astype(float)
    tops[:, 4] = 2.5 * bottoms[:, 4]  # the same in every resample
    bottoms[:, 5] = 0.0
    together = ratios(tops, bottoms)
    for k in range(5):
        assert together[k] == pytest.approx(ratio(tops[:, k], bottoms[:, k]))
    assert together[4] == (2.5, 2.5, 2.5, bottoms[:, 4].sum())
    assert together[5] is None


def test_an_interval_is_that_of_resampled_seeds() -> None:
    tops, bottoms = np.array([1.0, 5.0, 2.0, 8.0]), np.array([1.0, 2.0, 1.0, 4.0])
    drawn = np.concatenate([(counts @ tops) / (counts @ bottoms) for counts in resamples(4)])
    found = ratio(tops, bottoms)
    assert found is not None
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
    assert all(counts.sum(axis=1).tolist() == [4.0] * len(counts) for counts in resamples(4))


@pytest.mark.parametrize("seeds", [3, 700])
def test_there_are_as_many_resamples_as_said_however_many_seeds(seeds: int) -> None:
    assert sum(len(counts) for counts in resamples(seeds)) == DRAWS


def test_equal_values_share_the_mean_of_their_ranks() -> None:
    assert ranks([10, 30, 20, 20]).tolist() == [1.0, 4.0, 2.5, 2.5]


def test_rank_correlations_are_the_textbook_s() -> None:
    # Without ties: 1 − 6Σd²/(n(n² − 1)), and 1 − 2·discordant/pairs.
    a, b = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [3, 1, 4, 2, 6, 5, 9, 8, 10, 7]
    squares = sum((x - y) ** 2 for x, y in zip(a, b, strict=True))
    assert spearman(a, b) == pytest.approx(1 - 6 * squares / (10 * 99))
    discordant = sum(b[i] > b[j] for i in range(10) for j in range(i + 1, 10))
    assert kendall(a, b) == pytest.approx(1 - 2 * discordant / 45)
    assert (spearman(a, a), kendall(a, [-x for x in a])) == pytest.approx((1.0, -1.0))


def test_ties_are_allowed_for() -> None:
    # τ-b = (concordant − discordant) / √((pairs − ties in a)(pairs − ties in b)) = (4 − 0) / √(5·5)
    assert kendall([1, 2, 2, 3], [1, 1, 2, 3]) == pytest.approx(4 / 5)
    assert math.isnan(kendall([1, 1, 1], [1, 2, 3]))
    assert math.isnan(spearman([1, 1, 1], [1, 2, 3]))


def test_ratings_find_the_strengths_that_made_the_wins() -> None:
    strength = np.array([120.0, 30.0, -50.0, -100.0])
    odds = 1 / (1 + 10 ** (-(strength[:, None] - strength) / 400))
    found = ratings(20_000 * odds)
    assert found == pytest.approx(strength + RATING_MEAN, abs=0.2)


def test_who_always_wins_has_a_rating_and_equals_have_the_same() -> None:
    always = ratings(np.array([[0.0, 100.0, 100.0], [0.0, 0.0, 50.0], [0.0, 50.0, 0.0]]))
    assert np.isfinite(always).all()
    assert always[0] > always[1] == pytest.approx(always[2])
    assert always.mean() == pytest.approx(RATING_MEAN)


def test_a_start_changes_no_rating() -> None:
    wins = np.random.default_rng(5).integers(0, 40, (3, 5, 5)).astype(float)
    assert ratings(wins, ratings(wins[0])) == pytest.approx(ratings(wins), abs=1e-3)

"""One-sided tests that are right from two observations on, and in numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from training.hypotheses import POWER, Sample, beyond, holm, observations_needed, p_above, p_below, sample


@pytest.mark.parametrize(
    ("freedom", "level", "quantile"),
    [
        (1, 0.05, 6.31375),
        (2, 0.025, 4.30265),
        (3, 0.05, 2.35336),
        (4, 0.01, 3.74695),
        (10, 0.005, 3.16927),
        (30, 0.05, 1.69726),
        (199, 0.025, 1.97196),
    ],
)
def test_students_t_has_the_tails_of_its_table(freedom: int, level: float, quantile: float) -> None:
    assert beyond(quantile, freedom) == pytest.approx(level, abs=1e-6)
    assert beyond(-quantile, freedom) == pytest.approx(1 - level, abs=1e-6)
    assert beyond(0.0, freedom) == pytest.approx(0.5)


def test_above_and_below_are_the_two_sides_of_one_question() -> None:
    found = sample([1.0, 3.0, 4.0, 8.0])
    assert (found.n, found.mean) == (4, 4.0)
    assert found.sd == pytest.approx(math.sqrt(26 / 3))
    assert p_above(found, 2.0) + p_below(found, 2.0) == pytest.approx(1.0)
    assert p_above(found, 2.0) == pytest.approx(beyond(2 / found.sd * 2, 3))


def test_one_observation_shows_nothing_and_some_that_agree_to_the_last_bit_show_all() -> None:
    assert p_above(sample([9.0]), 0.0) == p_below(sample([9.0]), 0.0) == 1.0
    assert (p_above(sample([9.0, 9.0]), 0.0), p_below(sample([9.0, 9.0]), 0.0)) == (0.0, 1.0)
    assert p_above(sample([9.0, 9.0]), 9.0) == 1.0


def test_holms_correction_is_that_of_a_worked_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_luck_rejects_something_in_one_family_of_twenty_and_without_the_correction_in_most() -> None:
    """Thirty means that lie on the bar, from twelve observations each."""
    drawn = np.random.default_rng(1).normal(-25.0, 30.0, (400, 30, 12))
    found = [[p_above(sample(row), -25.0) for row in family] for family in drawn]
    assert np.mean([min(holm(family)) <= 0.05 for family in found]) == pytest.approx(0.05, abs=0.025)
    assert np.mean([min(family) <= 0.05 for family in found]) > 0.7


def test_so_many_observations_as_are_wanted_decide_as_often_as_is_promised() -> None:
    wanted = observations_needed(Sample(5, -2.0, 10.0), 0.0, 0.01)
    assert wanted is not None
    drawn = np.random.default_rng(1).normal(-2.0, 10.0, (600, wanted))
    decided = np.mean([p_below(sample(row), 0.0) <= 0.01 for row in drawn])
    assert decided == pytest.approx(POWER, abs=0.05)


def test_nobody_knows_how_many_observations_where_nothing_is_known() -> None:
    assert observations_needed(Sample(1, -2.0, 0.0), 0.0, 0.01) is None
    assert observations_needed(Sample(9, 0.0, 1.0), 0.0, 0.01) is None
    assert observations_needed(Sample(9, 1e-9, 1.0), 0.0, 0.01) is None
    assert observations_needed(Sample(50, 9.0, 1.0), 0.0, 0.01) == 51

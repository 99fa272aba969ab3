"""The rubric's formulas give the figures that its docstring states."""

from __future__ import annotations

import pytest

from game.review import scores

CLOSE = pytest.approx


def test_an_opening_at_the_target_is_full_and_an_absurd_one_loses_half() -> None:
    assert scores.opening_ambition(1.0) == 1.0
    assert scores.opening_ambition(1.7) == 1.0
    assert scores.opening_ambition(0.4) == CLOSE(0.4)
    assert scores.opening_ambition(-0.3) == 0.0
    assert scores.opening_ambition(1.0, scores.ABSURD) == CLOSE(0.5)
    assert scores.opening_ambition(1.0, scores.ABSURD / 2) == CLOSE(0.75)
    assert scores.opening_ambition(1.0, 9.0) == CLOSE(0.5)


def test_a_first_offer_loses_a_quarter_for_each_move_later_and_half_for_softness() -> None:
    assert [scores.first_offer(late, 1.0) for late in range(6)] == [1.0, 0.75, 0.5, 0.25, 0.0, 0.0]
    assert scores.first_offer(0, 0.0) == CLOSE(0.5)
    assert scores.first_offer(1, 0.5) == CLOSE(0.75 * 0.75)


def test_counters_lose_what_runs_ahead_of_theirs() -> None:
    free = scores.FREE_STEP
    assert scores.counter_strength([(free, 0.0)]) == 1.0
    assert scores.counter_strength([(free + scores.AHEAD / 2, 0.0)]) == CLOSE(0.5)
    assert scores.counter_strength([(0.3, 0.3)]) == 1.0
    assert scores.counter_strength([(free, 0.0), (free + 0.5, 0.0)]) == CLOSE(0.5)


def test_a_step_is_given_back_in_part_in_full_or_by_taking_the_deal() -> None:
    assert scores.given_back(0.05, 0.1, False) == CLOSE(0.5)
    assert scores.given_back(0.2, 0.1, False) == 1.0
    assert scores.given_back(0.0, 0.1, True) == 1.0


def test_discipline_loses_for_offers_beyond_for_leaving_wrongly_and_for_staying() -> None:
    assert scores.walk_away_discipline() == 1.0
    assert scores.walk_away_discipline(closed_beyond=True) == 0.0
    assert scores.walk_away_discipline(offered_beyond=True) == 0.5
    assert scores.walk_away_discipline(left_wrongly=True) == 0.25
    assert scores.walk_away_discipline(stayed=True) == 0.5


def test_three_topics_are_enough_and_fewer_where_there_was_less_room() -> None:
    assert [scores.questions_asked(topics, 10) for topics in (0, 1, 3)] == [0.0, CLOSE(1 / 3), 1.0]
    assert scores.questions_asked(1, 2) == CLOSE(0.5)


def test_a_reason_has_words_that_are_enough_new_and_varied() -> None:
    words = ["we", "brew", "our", "own", "coffee", "every", "morning"]
    assert scores.is_rationale(words, 2, [])
    assert not scores.is_rationale(words[:5], 0, [])
    assert not scores.is_rationale(words, 7, [])
    assert not scores.is_rationale(["please"] * 9, 0, [])
    assert not scores.is_rationale(words, 0, [frozenset(words)])


def test_a_close_is_measured_by_the_best_that_stood() -> None:
    assert scores.closing(0.4, None) == 1.0
    assert scores.closing(0.4, 0.3) == 1.0
    assert scores.closing(0.2, 0.4) == CLOSE(0.75)
    assert scores.closing(-0.1, 0.4) == 0.0

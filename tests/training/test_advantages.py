"""What each answer is worth learning, against hand-computed values."""

from __future__ import annotations

from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.advantages import DECAY, MOST, SPREAD, Baseline, Credit, SeatBaselines, advantages

SELLER, BUYER = "seller", "buyer"


def one_each(*rewards: float) -> list[list[float]]:
    """Episodes of one answer with these rewards."""
    return [[one] for one in rewards]


# The group ------------------------------------------------------------------------------------------------------------


def test_group_relative_by_hand() -> None:
    """Rewards 10, 20, 30, 40: mean 25, standard deviation √125."""
    found = advantages(one_each(10, 20, 30, 40), [SELLER] * 4, 4, SeatBaselines())
    assert found == [[pytest.approx(one / 125**0.5)] for one in (-15, -5, 5, 15)]


def test_each_group_by_itself() -> None:
    """A task that pays more is no merit of its episodes."""
    found = advantages(one_each(0, 10, 100, 110), [SELLER] * 4, 2, SeatBaselines())
    assert found == [[-1], [1], [-1], [1]]


def test_all_answers_of_an_episode_alike_and_by_what_it_was_paid_in_all() -> None:
    found = advantages([[3, 4, 3], [15, 5]], [SELLER] * 2, 2, SeatBaselines())
    assert found == [[-1, -1, -1], [1, 1]]


def test_an_episode_without_answers_has_no_advantages_and_counts() -> None:
    assert advantages([[], [10]], [SELLER] * 2, 2, SeatBaselines()) == [[], [1]]


# Even groups ----------------------------------------------------------------------------------------------------------


def test_an_even_group_says_nothing_of_itself() -> None:
    """Where all walked away rightly, none of them did worse than it could."""
    for known in (SeatBaselines(), SeatBaselines({SELLER: 40.0})):
        assert advantages(one_each(10, 10), [SELLER] * 2, 2, known) == [[0], [0]]
    assert advantages(one_each(10, 10), [SELLER] * 2, 2, SeatBaselines(), baseline="seat") == [[0], [0]]


def test_an_even_group_can_be_held_against_its_seat_s_average() -> None:
    known = SeatBaselines({SELLER: 10.0, BUYER: 70.0})
    seats = [SELLER, SELLER, BUYER, BUYER]
    found = advantages(one_each(50, 50, 50, 50), seats, 2, known, baseline="seat")
    assert found == [[40 / SPREAD], [40 / SPREAD], [-20 / SPREAD], [-20 / SPREAD]]


def test_an_uneven_group_is_its_own_measure_whatever_its_seat_s_average() -> None:
    assert advantages(one_each(50, 60), [SELLER] * 2, 2, SeatBaselines({SELLER: -999.0})) == [[-1], [1]]


# Baselines by seat ----------------------------------------------------------------------------------------------------


def test_the_seat_s_average_instead_of_the_group_s_mean() -> None:
    """Rewards 20 and 40 against 25, over `SPREAD`: the group's own deviation of 10 is less."""
    found = advantages(one_each(20, 40), [SELLER] * 2, 2, SeatBaselines({SELLER: 25.0}), baseline="seat")
    assert found == [[-5 / SPREAD], [15 / SPREAD]]
    wide = advantages(one_each(-100, 100), [SELLER] * 2, 2, SeatBaselines({SELLER: 50.0}), baseline="seat")
    assert wide == [[-1.5], [0.5]]


def test_a_group_that_is_nearly_even_weighs_no_more_than_others() -> None:
    found = advantages(one_each(40, 40.02), [SELLER] * 2, 2, SeatBaselines({SELLER: 20.0}), baseline="seat")
    assert found == [[pytest.approx(0.5, abs=0.01)], [pytest.approx(0.5, abs=0.01)]]


def test_before_there_is_an_average_the_group_s_mean_stands_in() -> None:
    assert advantages(one_each(20, 40), [SELLER] * 2, 2, SeatBaselines(), baseline="seat") == [[-1], [1]]


def test_the_average_is_read_before_it_is_updated() -> None:
    """Two groups of one seat in one batch are both held against what was known before the batch."""
    known = SeatBaselines({SELLER: 0.0})
    found = advantages(one_each(10, 30, 10, 30), [SELLER] * 4, 2, known, baseline="seat")
    assert found == [[10 / SPREAD], [30 / SPREAD]] * 2
    assert known.read(SELLER) == pytest.approx((1 - DECAY) * 20)


def test_the_average_decays() -> None:
    known = SeatBaselines()
    assert known.read(SELLER) is None
    known.update(SELLER, [10, 30])
    assert known.read(SELLER) == 20, "the first observation is the average"
    known.update(SELLER, [100])
    assert known.read(SELLER) == pytest.approx(0.95 * 20 + 0.05 * 100)
    known.update(SELLER, [0, 0, 0, 0])
    assert known.read(SELLER) == pytest.approx(0.95 * 24), "however many episodes a step has"
    assert known.read(BUYER) is None


def test_each_seat_has_its_own() -> None:
    known = SeatBaselines()
    advantages(one_each(10, 20, -50, -70), [SELLER, SELLER, BUYER, BUYER], 2, known)
    assert known.kept == {SELLER: 15, BUYER: -60}


def test_averages_go_on_where_they_were_kept() -> None:
    known = SeatBaselines()
    known.update(SELLER, [10])
    again = SeatBaselines(known.kept)
    again.update(SELLER, [20])
    assert (known.read(SELLER), again.read(SELLER)) == (10, pytest.approx(10.5))


# Credit within the episode --------------------------------------------------------------------------------------------


def test_turn_credit_by_hand() -> None:
    """Paid (1, 4) and (3, 0, 8). Still to come: (5, 4, 0), since the first is over by then, and (11, 8, 8). Deviation
    of whole episodes: 3. Means by turn: 8, 6, 4."""
    found = advantages([[1, 4], [3, 0, 8]], [SELLER] * 2, 2, SeatBaselines(), credit="turn")
    assert found == [[-1, pytest.approx(-2 / 3)], [1, pytest.approx(2 / 3), pytest.approx(4 / 3)]]


def test_turns_that_others_have_not_lived_to_see_are_learned_from() -> None:
    """One closed a deal at once, the other ran out the clock."""
    (first, rest) = advantages([[60], [-1, -1, -30]], [SELLER] * 2, 2, SeatBaselines(), credit="turn")
    assert first == [1] and all(value < 0 for value in rest)


def test_an_answer_that_was_refused_moves_no_later_one_against_another_turn() -> None:
    """The first episode's second answer is of its first turn still. From turn 2 on both were paid the same."""
    paid, turns = [[0, -15, 0, 50], [0, 0, 50]], [[1, 1, 2, 3], [1, 2, 3]]
    one, other = advantages(paid, [SELLER] * 2, 2, SeatBaselines(), credit="turn", turns=turns)
    assert one == [-1, -1, 0, 0]
    assert other == [1, 0, 0]


def test_what_was_paid_before_an_answer_is_no_merit_of_it() -> None:
    """Both episodes went the same way from the second answer on."""
    found = advantages([[0, 5], [20, 5]], [SELLER] * 2, 2, SeatBaselines(), credit="turn")
    assert found == [[-1, 0], [1, 0]]


def test_whole_episodes_that_came_to_the_same_still_tell_their_turns_apart() -> None:
    """The first was paid early, the second late."""
    found = advantages([[10, 0], [0, 10]], [SELLER] * 2, 2, SeatBaselines(), credit="turn")
    assert found == [[0, -5 / SPREAD], [0, 5 / SPREAD]]


def test_turn_credit_without_any_answer() -> None:
    assert advantages([[], []], [SELLER] * 2, 2, SeatBaselines(), credit="turn") == [[], []]


# Bounds ---------------------------------------------------------------------------------------------------------------

REWARDS = st.floats(-300, 200, allow_nan=False)
EPISODES = st.lists(st.lists(REWARDS, min_size=1, max_size=5), min_size=4, max_size=4)


@given(
    paid=EPISODES, known=REWARDS, credit=st.sampled_from(["episode", "turn"]), base=st.sampled_from(["group", "seat"])
)
def test_advantages_are_bounded_one_for_each_answer(
    paid: list[list[float]], known: float, credit: Credit, base: Baseline
) -> None:
    found = advantages(paid, [SELLER] * 4, 4, SeatBaselines({SELLER: known}), credit=credit, baseline=base)
    assert [len(one) for one in found] == [len(one) for one in paid]
    assert all(-MOST <= value <= MOST for one in found for value in one)


@given(paid=EPISODES)
def test_a_group_s_advantages_sum_to_nothing_and_keep_the_order(paid: list[list[float]]) -> None:
    found = [one[0] for one in advantages(paid, [SELLER] * 4, 4, SeatBaselines())]
    rewards = [sum(one) for one in paid]
    assert fmean(found) == pytest.approx(0, abs=1e-6)
    best = max(range(4), key=lambda k: rewards[k])
    assert found[best] == max(found)


def test_one_that_stands_out_is_bounded() -> None:
    rewards = [0.0] * 15 + [-200.0]
    assert advantages(one_each(*rewards), [SELLER] * 16, 16, SeatBaselines())[-1] == [-MOST]
    far = SeatBaselines({SELLER: -1_000.0})
    assert advantages(one_each(50, 50), [SELLER] * 2, 2, far, baseline="seat") == [[MOST], [MOST]]


# Refusals -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("episodes", "seats", "group"), [(3, 3, 2), (4, 3, 2), (4, 5, 2), (4, 4, 1), (4, 4, 0), (4, 4, 3)]
)
def test_groups_that_don_t_fit_are_refused(episodes: int, seats: int, group: int) -> None:
    with pytest.raises(ValueError, match=f"{episodes} episodes and {seats} seats are no groups of {group}"):
        advantages(one_each(*range(episodes)), [SELLER] * seats, group, SeatBaselines())


def test_no_episodes_are_no_advantages() -> None:
    assert advantages([], [], 4, SeatBaselines()) == []

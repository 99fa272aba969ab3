"""The experiments play the games as they stand, and a verdict says what the figures say."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from parlay_env.core import play_episode
from parlay_env.games.commons import SEATS, Commons
from parlay_env.games.commons import Move as Catch
from parlay_env.games.commons import Setup as Year
from parlay_env.games.levers import LEVERS
from parlay_env.games.signalling import SIGNS
from parlay_env.rng import Draws
from training.reproduction import commons, credit, curriculum, levers, signalling
from training.reproduction.findings import (
    SET,
    Experiment,
    cross_play,
    cross_play_in_sets,
    figure,
    known,
    near,
    over_seeds,
)
from training.reproduction.report import EXPERIMENTS, markdown, to_json
from training.stats import Estimate
from training.tabular import Floats, softmax


class Asks:
    """Asks for the same in every month, or for all there is."""

    def __init__(self, tonnes: int) -> None:
        self.tonnes = tonnes

    def act(self, view: object, rng: Draws) -> Catch:
        return Catch(min(self.tonnes, view.lake_t))  # type: ignore[attr-defined]


# Verdicts -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "options", "reproduced", "told"),
    [
        (4.0, 4.5, {}, True, "reproduced"),
        (5.9, 7.0, {}, True, "reproduced"),
        (6.4, 7.0, {}, False, "not reproduced: 0.4 t beyond our interval"),
        (6.4, 7.0, {"tolerance": 0.5}, True, "reproduced, within 0.5 t"),
        (6.4, 7.0, {"sets": (3.0, 6.5)}, True, f"reproduced, as a run of {SET} seeds"),
        (6.4, 7.0, {"sets": (3.0, 6.3)}, False, "not reproduced"),
        (3.9, None, {}, True, "reproduced"),
        (4.1, None, {}, False, "not reproduced: the interval is not above 4.1"),
    ],
)
def test_a_verdict_is_what_the_intervals_say(
    low: float, high: float | None, options: dict[str, float], reproduced: bool, told: str
) -> None:
    found = figure("a", "b", low, high, Estimate(5.0, 4.0, 6.0, 10), "t", **options)  # type: ignore[arg-type]
    assert found.reproduced is reproduced
    assert told in found.verdict


def test_a_figure_without_chance_is_its_own_interval() -> None:
    assert figure("a", "3", 3, 3, known(3)).reproduced
    assert not figure("a", "3", 3, 3, known(2)).reproduced
    assert near(99.9, 0.1) == pytest.approx((99.85, 99.95))


def test_cross_play_leaves_out_who_meets_themselves() -> None:
    pays = np.eye(30) + 0.25 * (1 - np.eye(30))
    assert cross_play(pays, 100) == Estimate(pytest.approx(25), pytest.approx(25), pytest.approx(25), 30)
    assert cross_play_in_sets(pays, 100) == pytest.approx((25, 25))
    assert cross_play_in_sets(pays[:SET, :SET]) is None


def test_the_interval_of_cross_play_is_that_of_seeds_and_not_of_pairs() -> None:
    rng = np.random.default_rng(1)
    kinds = rng.integers(0, 3, (300, 40))
    inside = 0
    for kind in kinds:
        found = cross_play((kind[:, None] == kind).astype(float))
        assert found.low is not None
        assert found.high is not None
        inside += found.low <= 1 / 3 <= found.high
    assert inside > 0.85 * len(kinds)


# The games ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", [(12,) * 5, (30, 0, 5, 10, 5), (30,) * 5, (10,) * 5, (0,) * 5, (25, 20, 15, 10, 5)])
def test_a_year_is_what_the_game_itself_gives(asked: tuple[int, ...]) -> None:
    players = {seat: Asks(tonnes) for seat, tonnes in zip(SEATS, asked, strict=True)}
    episode = play_episode(Commons(), Year(), 1, players)
    caught, months = commons.year(asked)
    assert caught == pytest.approx([episode.total(seat) for seat in SEATS])
    assert months == len(episode.state.past)


def test_the_fishers_table_is_the_year_in_any_order_of_seats() -> None:
    problem = commons.CommonsTables(commons.QUOTAS_T, commons.SELFISH)
    for asked in ((6, 0, 1, 2, 1), (2, 2, 2, 2, 2), (0, 1, 2, 3, 4)):
        caught, months = problem.years(np.array(asked))
        exact, exact_months = commons.year([commons.QUOTAS_T[place] for place in asked])
        assert caught == pytest.approx(exact, abs=0.02)  # who is dealt a kilogram first
        assert months == exact_months


def test_the_odd_levers_basin_begins_where_the_formula_says() -> None:
    assert levers.threshold() == pytest.approx(0.8901, abs=5e-5)
    assert levers.measured_threshold() == pytest.approx(levers.threshold(), abs=2e-5)


def test_symmetries_leave_what_each_lever_pays() -> None:
    for symmetry in levers.SYMMETRIES:
        assert (levers.PAYS[list(symmetry)] == levers.PAYS).all()
    shares = np.full((1, LEVERS), 1 / LEVERS)
    assert levers.score(shares) == pytest.approx((0.9 + 9) / LEVERS**2)


def meets(sender: Floats, receiver: Floats) -> float:
    return float(sum(sender[s, m] * receiver[m, s] for s in range(SIGNS) for m in range(SIGNS)) / SIGNS)


def test_codes_meet_as_often_as_the_tables_say() -> None:
    policy = softmax(np.random.default_rng(2).normal(size=(3, 2, SIGNS, SIGNS)))
    pays = signalling.met(policy)
    assert pays[0, 2] == pytest.approx(meets(policy[0, 0], policy[2, 1]))
    problem = signalling.SignallingTables()
    assert (policy * problem.worth(policy))[0, 0].sum() == pytest.approx(pays[0, 0])
    assert (policy * problem.worth(policy))[0, 1].sum() == pytest.approx(pays[0, 0])


def test_steps_to_a_level_count_from_the_first_policy() -> None:
    seen = np.array([[0.1, 0.9, 0.1], [0.5, 0.95, 0.1], [0.95, 0.9, 0.2]])
    assert credit.steps_to(0.9, seen).tolist() == [2.0, 0.0, 2.0]


def test_the_difference_reward_takes_as_long_in_a_large_team() -> None:
    few, many = (credit.steps_to(credit.LEARNED, credit.difference(n, credit.RATE, range(8)).seen) for n in (2, 32))
    assert few.mean() == pytest.approx(many.mean(), abs=2)


def test_the_solver_gains_most_from_what_it_solves_half_of() -> None:
    easiest, oracle = (curriculum.practise(who, range(10))[0][-1] for who in ("easiest", "oracle"))
    assert (oracle > 3 * easiest).all()


MISSED = {"credit": ("working with the team reward, n = 128, after 300 steps",)}
"""What is told as not reproduced, by experiment."""


# Experiments ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_published_figures_come_out(name: str) -> None:
    told: list[tuple[int, int]] = []
    found = EXPERIMENTS[name](range(24), lambda _, done, total: told.append((done, total)))
    assert found.id == name
    assert tuple(one.name for one in found.figures if not one.reproduced) == MISSED.get(name, ())
    assert told[-1][0] == told[-1][1]
    assert all(0 <= done <= total for done, total in told)
    assert msgspec.json.decode(msgspec.json.encode(found), type=Experiment) == found
    page = markdown([found], "parlay reproduce")
    assert all(one.name in page for one in found.figures)
    assert all(len(set(map(len, (c.steps, c.value, c.low, c.high)))) == 1 for c in found.curves)
    assert f'"id": "{name}"'.encode() in to_json([found], "parlay reproduce")


def test_a_seed_practises_alike_beside_others() -> None:
    one, three = (curriculum.practise("learnability", seeds)[0] for seeds in ((2,), range(3)))
    assert (one[:, 0] == three[:, 2]).all()


def test_one_value_a_seed_has_an_interval_over_seeds() -> None:
    found = over_seeds(np.arange(10.0), 2)
    assert found.value == 9
    assert found.low is not None
    assert found.low < 9

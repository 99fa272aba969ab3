"""Every figure of a summary follows from its episodes, and comparisons find what was put into them."""

from __future__ import annotations

import json
from collections.abc import Callable
from statistics import fmean
from typing import Any

import numpy as np
import pytest

from training.compare import agreements, elo
from training.episodes import Result
from training.evaluate import evaluate
from training.grid import BYS, Grid
from training.measures import MEASURES
from training.stats import RATING_MEAN
from training.summary import Summary, summed_up, to_json
from training.witness import Reported

from .conftest import CELLS, SAAS, SUPPLY, Seer, made_up_grid, small

Values = Callable[[list[Result]], list[float]]
MEANS: dict[str, Values] = {
    "reward": lambda rs: [r.reward for r in rs],
    "efficiency_given_zopa": lambda rs: [r.efficiency for r in rs if r.zopa],
    "surplus": lambda rs: [r.surplus for r in rs],
    "deal_rate_given_zopa": lambda rs: [r.end == "deal" for r in rs if r.zopa],
    "deal_rate_without_zopa": lambda rs: [r.end == "deal" for r in rs if not r.zopa],
    "walk_rate_without_zopa": lambda rs: [r.end == "walk_away" and r.by == r.seat for r in rs if r.walk_was_right],
    "wrong_walk_rate": lambda rs: [r.end == "walk_away" and r.by == r.seat for r in rs if not r.walk_was_right],
    "opponent_walked": lambda rs: [r.end == "walk_away" and r.by != r.seat for r in rs],
    "opponent_walked_given_zopa": lambda rs: [r.end == "walk_away" and r.by != r.seat for r in rs if r.zopa],
    "breaches": lambda rs: [r.breach for r in rs],
    "nash_distance": lambda rs: [r.nash_distance for r in rs if r.nash_distance is not None],
    "pareto_distance": lambda rs: [r.pareto_distance for r in rs if r.pareto_distance is not None],
    "turns": lambda rs: [r.turns for r in rs],
    "closing_turn": lambda rs: [r.turns for r in rs if r.deal],
    "peak_tension": lambda rs: [r.peak_tension for r in rs],
    "invalid_moves": lambda rs: [r.invalid_moves for r in rs],
    "term_noise": lambda rs: [r.terms.get("noise", 0.0) for r in rs],
    "term_efficiency": lambda rs: [r.terms.get("efficiency", 0.0) for r in rs],
}
PARTS: dict[str, Callable[[Result], tuple[str, ...]]] = {
    "policy": lambda r: (r.policy,),
    "scenario": lambda r: (r.policy, r.scenario),
    "persona": lambda r: (r.policy, r.persona),
    "seat": lambda r: (r.policy, r.seat),
    "cell": lambda r: (r.policy, r.scenario, r.persona, r.seat),
}


@pytest.fixture(scope="module")
def summary(played: Grid) -> Summary:
    return summed_up(played)


def test_every_measure_of_every_group_follows_from_the_episodes(played: Grid, summary: Summary) -> None:
    for by in BYS:
        groups: dict[tuple[str, ...], list[Result]] = {}
        for result in played.results:
            groups.setdefault(PARTS[by](result), []).append(result)
        assert [row.group.name for row in summary.rows[by]] == list(groups)
        for row in summary.rows[by]:
            for key, values in MEANS.items():
                expected, found = values(groups[row.group.name]), row.measures[key]
                assert (found is None) is (not expected), key
                if found is not None:
                    assert (found.value, found.over) == pytest.approx((fmean(expected), len(expected))), key


def measure(grid: Grid, policy: str, key: str) -> Any:
    row = next(row for row in summed_up(grid).rows["policy"] if row.group.name == (policy,))
    return row.measures[key]


def test_terms_of_the_reward_sum_to_it(summary: Summary) -> None:
    for row in summary.rows["cell"]:
        parts = [row.measures[measure.key].value for measure in MEASURES if measure.key.startswith("term_")]
        assert sum(parts) == pytest.approx(row.measures["reward"].value)


def test_bluffs_are_counted_by_challenges_and_by_bluffs() -> None:
    grid = made_up_grid(lambda p, s: {"bluffs": s % 3, "challenges": 2, "caught": min(1, s % 3)}, "a", seeds=6)
    assert measure(grid, "a", "bluff_precision").value == pytest.approx(4 / 12)
    assert measure(grid, "a", "bluff_recall").value == pytest.approx(4 / 6)
    silent = made_up_grid(lambda p, s: {"bluffs": 1}, "a")
    assert measure(silent, "a", "bluff_precision") is None
    assert measure(silent, "a", "bluff_recall").value == 0.0


def test_mev_skill_is_the_pay_for_a_due_event() -> None:
    grid = made_up_grid(lambda p, s: {"events_due": s % 2, "terms": {"mev": 3.0 * (s % 2)}}, "a", seeds=4)
    assert measure(grid, "a", "mev_skill")[::3] == (3.0, 4)


def test_the_share_of_a_joint_surplus_is_the_own_part() -> None:
    split = {0: (0.3, 0.1), 1: (-0.1, 0.5), 2: (-0.2, 0.1)}
    grid = made_up_grid(lambda p, s: dict(zip(("surplus", "opponent_surplus"), split[s], strict=True)), "a", seeds=3)
    assert measure(grid, "a", "surplus_share")[::3] == (pytest.approx((0.75 + 0.0) / 2), 4)


def test_beliefs_are_summed_up_by_turn_over_the_episodes_still_played() -> None:
    def episode(policy: str, seed: int) -> dict[str, Any]:
        rows = [Reported(t, (0.1 * (seed + 1), None, None, 0.25), (0.4, None, None, 0.5)) for t in range(2, 4 + seed)]
        return {"beliefs": tuple(rows), "belief_skill": 0.5} if policy == "believer" else {}

    found = summed_up(made_up_grid(episode, "believer", "silent", seeds=2))
    assert set(found.beliefs) == {"believer"}
    points = found.beliefs["believer"]["walk_away"]
    assert [(p.turn, p.error.over) for p in points] == [(2, 4), (3, 4), (4, 2)]
    assert [p.error.value for p in points] == pytest.approx([0.15, 0.15, 0.2])
    assert {p.prior.value for p in points} == {0.4}
    assert found.beliefs["believer"]["budget"] == []
    believer = next(row for row in found.rows["policy"] if row.group.name == ("believer",)).measures
    assert believer["belief_error_walk_away"].value == pytest.approx((2 * 0.1 + 3 * 0.2) / 5)
    assert believer["prior_error_has_alternative"].value == pytest.approx(0.5)
    silent = next(row for row in found.rows["policy"] if row.group.name == ("silent",)).measures
    assert silent["belief_skill"] is None


def test_the_difference_to_the_first_is_paired() -> None:
    noise = np.random.default_rng(1).normal(0, 100, 8)
    grid = made_up_grid(lambda p, s: {"reward": noise[s] + (2.0 if p == "b" else 0.0)}, "a", "b")
    found = measure(grid, "b", "difference")
    assert (found.value, found.low, found.high) == pytest.approx((2.0, 2.0, 2.0))
    assert measure(grid, "a", "difference").value == 0.0
    assert measure(grid, "b", "regret") is None


def test_regret_is_held_against_the_oracle_on_the_same_cell_and_seed(seer: type[Seer]) -> None:
    grid = evaluate(small("random", "oracle", episodes=3))
    oracle = {(r.cell, r.seed): r.reward for r in grid.results if r.policy == "oracle"}
    lost = [oracle[r.cell, r.seed] - r.reward for r in grid.results if r.policy == "random"]
    assert measure(grid, "random", "regret").value == pytest.approx(fmean(lost))
    assert measure(grid, "oracle", "regret").value == 0.0


def test_who_knows_the_truth_believes_it_until_news_changes_it(seer: type[Seer]) -> None:
    found = summed_up(evaluate(small("oracle", episodes=4))).beliefs["oracle"]
    first = found["walk_away"][0]
    assert first.turn == 1
    assert first.error.value < first.prior.value
    assert found["urgency"][0].error.value == pytest.approx(0.0, abs=1e-6)


def test_ratings_count_paired_wins_not_points() -> None:
    def episode(policy: str, seed: int) -> dict[str, Any]:
        return {"reward": {"often": 1.0 if seed else -500.0, "seldom": 0.0, "same": 0.0}[policy]}

    found = elo(made_up_grid(episode, "often", "seldom", "same"))
    assert found["often"].value > found["seldom"].value == pytest.approx(found["same"].value)
    often = found["often"]
    assert often.low is not None
    assert often.high is not None
    assert often.low < often.value < often.high
    assert fmean(one.value for one in found.values()) == pytest.approx(RATING_MEAN)
    assert elo(made_up_grid(episode, "often")) == {}


def test_the_order_by_reward_agrees_with_e_as_far_as_it_does() -> None:
    level = {"a": 1, "b": 2, "c": 3, "d": 4}

    def episode(policy: str, seed: int) -> dict[str, Any]:
        return {"reward": float(level[policy]), "efficiency": 0.1 * level[policy], "surplus": -0.1 * level[policy]}

    found = agreements(made_up_grid(episode, *level))
    assert [found[key].value for key in ("efficiency_given_zopa", "surplus")] == pytest.approx([1.0, -1.0])
    by_cell = agreements(made_up_grid(episode, *level), by_cell=True)
    assert by_cell["surplus"].over == 8


def test_ends_are_told_apart_and_counted_by_turn() -> None:
    ends = [
        {"turns": 3},
        {"turns": 3, "breach": True},
        {"turns": 5, "deal": False, "end": "walk_away", "by": "seller"},
        {"turns": 20, "deal": False, "end": "timeout", "by": None},
    ]
    found = summed_up(made_up_grid(lambda p, s: ends[s], "a", seeds=4)).ends["a"]
    assert found["deal"][2] == found["breach"][2] == 2
    assert found["walked"][4] == found["was_left"][4] == 1  # CELLS has a seller's and a buyer's.
    assert found["timeout"][19] == 2
    assert sum(map(sum, found.values())) == 8


def test_the_json_holds_every_group_and_says_what_each_figure_is(played: Grid, summary: Summary) -> None:
    found = json.loads(to_json(summary))
    assert {s["by"] for s in found["summaries"]} == set(BYS)
    assert len(found["summaries"]) == 3 * (1 + 2 + 2 + 2 + 2)
    first = found["summaries"][0]
    assert set(found["measures"]) == set(first) - {"by", "group", "episodes"}
    assert found["policies"] == list(played.plan.policies)
    assert found["cells"][0] == {"scenario": SAAS.scenario, "persona": SAAS.persona, "seat": SAAS.seat}
    assert (SUPPLY in CELLS, found["episodes_a_cell"], found["split"]) == (True, 6, "test")
    assert set(found["ratings"]) == set(played.plan.policies)
    assert set(found["rank_correlation_of_reward_with"]) == {"efficiency_given_zopa", "surplus"}

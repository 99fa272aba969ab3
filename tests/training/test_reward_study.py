"""The study finds what a reward was made to do: pay for E, need a term, admit an exploit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from training.evaluate import evaluate
from training.grid import Grid
from training.record import EvaluationError, Header
from training.reward_study import check_together, markdown, study, write

from .conftest import made_up_grid, small

LEVEL = {"good": 0.8, "fair": 0.5, "poor": 0.2}


def paying(grid: dict[str, dict[str, float]], **options: Any) -> Grid:
    """Policies of fixed E, and terms that pay them so, but for a little noise of the seed's."""
    noise = np.random.default_rng(3).normal(0, 0.01, 30)

    def episode(policy: str, seed: int) -> dict[str, Any]:
        e = LEVEL[policy] + noise[seed]
        return {"efficiency": e, "surplus": e, "terms": {"efficiency": 100 * e} | grid.get(policy, {})}

    return made_up_grid(episode, *LEVEL, seeds=30, **options)


def test_a_reward_that_pays_for_e_agrees_with_it_and_admits_nothing() -> None:
    found = study(paying({}))
    assert found.points == 6
    assert found.efficiency.value == pytest.approx(1.0, abs=0.2)
    assert found.inversions == []
    assert found.literal == found.literal_inversions == []


def test_a_term_that_turns_the_order_is_found_by_leaving_it_out() -> None:
    found = study(paying({"poor": {"tom": 45.0}}))
    (inversion,) = found.inversions
    assert (inversion.over, inversion.under, inversion.clear) == ("poor", "fair", True)
    assert inversion.paid == pytest.approx(15.0, abs=0.1)
    assert inversion.instead == pytest.approx(-0.3, abs=0.01)
    without = {one.term: one for one in found.ablations}
    assert set(without) == {"efficiency", "tom"}
    assert without["tom"].tau == pytest.approx(1 / 3)
    (swap,) = without["tom"].swaps
    assert (swap.over, swap.under, swap.clear) == ("fair", "poor", True)
    assert (swap.paid, swap.instead) == pytest.approx((30.0, -15.0), abs=0.1)
    assert without["tom"].with_efficiency > found.efficiency.value


def test_a_difference_within_the_noise_is_not_clear() -> None:
    rng = np.random.default_rng(6)
    noise = {policy: rng.normal(0, 50, 30) for policy in LEVEL}

    def episode(policy: str, seed: int) -> dict[str, Any]:
        return {"efficiency": LEVEL[policy], "terms": {"speed": float(noise[policy][seed]), "mev": 1.0}}

    assert study(made_up_grid(episode, *LEVEL, seeds=30)).inversions == []


def test_what_the_literal_reward_admits_is_told_in_points_and_ranks() -> None:
    found = study(paying({}), paying({"poor": {"speed": 70.0}}, reward="literal"))
    assert [one.policy for one in found.literal] == ["poor", "good", "fair"]
    poor = found.literal[0]
    assert (poor.default_rank, poor.literal_rank, poor.more) == (3.0, 1.0, {"speed": pytest.approx(70.0)})
    assert {(pair.over, pair.under) for pair in found.literal_inversions} == {("poor", "fair"), ("poor", "good")}
    page = markdown(found)
    assert "0 pairs (0 with a clearly lower one) under the default reward" in page
    assert "2 pairs (2 with a clearly lower one) under the literal one" in page
    assert "speed +70.0" in page


def test_equals_of_which_one_is_paid_for_nothing_are_found() -> None:
    def episode(policy: str, seed: int) -> dict[str, Any]:
        return {"efficiency": 0.5, "terms": {"efficiency": 50.0} | ({"mev": 2.0} if policy == "spam" else {})}

    found = study(made_up_grid(episode, "plain", "other", "spam")).inversions
    assert {(pair.over, pair.under, pair.clear) for pair in found} == {
        ("spam", "plain", False),
        ("spam", "other", False),
    }


def test_the_page_and_the_data_are_written(tmp_path: Path) -> None:
    found = study(evaluate(small("tit_for_tat", "conceder", "random", episodes=4)))
    page = write(found, tmp_path)
    assert (tmp_path / "reward_study.md").read_text("utf-8") == page
    assert "Play the same evaluation with `--reward literal`" in page
    written = json.loads((tmp_path / "reward_study.json").read_text("utf-8"))
    assert written["points"] == 6
    assert {one["term"] for one in written["ablations"]} >= {"efficiency", "cliff"}


def test_the_literal_reward_pays_the_same_moves_otherwise() -> None:
    policies = ("instant_accept", "belief_wiggle", "event_spam")
    default, literal = (evaluate(small(*policies, episodes=12, reward=reward)) for reward in ("default", "literal"))
    for one, other in zip(default.results, literal.results, strict=True):
        assert (one.end, one.turns, one.surplus, one.beliefs) == (other.end, other.turns, other.surplus, other.beliefs)
        assert one.terms.get("efficiency") == other.terms.get("efficiency")
        assert one.terms.get("speed", 0.0) <= other.terms.get("speed", 0.0)
    more = {one.policy: one.more for one in study(default, literal).literal}
    assert more["instant_accept"]["speed"] > 1
    assert more["belief_wiggle"]["tom"] > 0
    assert more["event_spam"]["mev"] > 0


def test_an_order_needs_three() -> None:
    with pytest.raises(EvaluationError, match="at least three"):
        study(made_up_grid(lambda p, s: {}, "a", "b"))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"reward": "default"}, "--reward default with one under --reward literal"),
        ({"episodes": 5}, "other episodes"),
        ({"policies": ("tit_for_tat",)}, "other policies"),
        ({"split": "train"}, "other split"),
    ],
)
def test_runs_that_don_t_belong_together_are_refused(change: dict[str, Any], told: str) -> None:
    plan = small(episodes=4)
    default, literal = Header(1, "0", "sources", plan), Header(1, "0", "sources", replace(plan, reward="literal"))
    check_together(default, literal)
    with pytest.raises(EvaluationError, match=told):
        check_together(default, replace(literal, plan=replace(literal.plan, **change)))
    with pytest.raises(EvaluationError, match="other sources"):
        check_together(default, replace(literal, sources="others"))

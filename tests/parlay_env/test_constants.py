"""A constant that must stand in two files, because one of them imports nothing of ours, is the same in both."""

from __future__ import annotations

from parlay_env.deal.numbers import EFFECT_AT_MOST
from parlay_env.models import ResetOptions
from parlay_env.reward import CLIFF_RANGE, RewardSpec


def test_the_wire_takes_the_cliffs_that_the_reward_allows() -> None:
    omega = ResetOptions.model_json_schema()["properties"]["omega"]
    assert (omega["minimum"], omega["maximum"]) == CLIFF_RANGE
    assert omega["default"] == RewardSpec().cliff


def test_an_event_estimate_is_measured_against_the_largest_effect_there_is() -> None:
    assert RewardSpec().mev_scale == EFFECT_AT_MOST

"""An evaluation summed up, as data: every measure of every group, comparisons, beliefs by turn, how episodes end."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from parlay_env.deal.state import T_MAX
from training.compare import agreements, elo
from training.episodes import DIGITS, Result
from training.grid import BYS, By, Grid, Group
from training.measures import MEASURES, estimates
from training.record import header_of
from training.stats import LEVEL, Estimate, ratios
from training.witness import FIELDS

ENDS: tuple[str, ...] = ("deal", "breach", "walked", "was_left", "timeout", "zopa_collapsed", "forfeit")
"""How an episode ends: a deal inside the own limit or beyond it, a walk-away by whose it was."""


class Row(msgspec.Struct):
    """A group and its measures."""

    group: Group
    measures: dict[str, Estimate | None]


class Point(msgspec.Struct, frozen=True):
    """What was believed of one fact after the moves of a turn."""

    turn: int
    error: Estimate
    prior: Estimate
    """The error of the public prior in the same episodes."""


class Summary(msgspec.Struct):
    """All that reports and plots show."""

    grid: Grid
    rows: dict[By, list[Row]]
    ratings: dict[str, Estimate]
    agreement: dict[str, Estimate | None]
    """Spearman's correlation, over the policies, of the mean reward with E given ZOPA and with surplus."""
    beliefs: dict[str, dict[str, list[Point]]]
    """By policy and fact; without policies that report nothing."""
    ends: dict[str, dict[str, list[int]]]
    """By policy and end: episodes that ended in turn 1, 2, … T_MAX."""


def summed_up(grid: Grid) -> Summary:
    """The summary of a finished evaluation."""
    where: list[tuple[By, Group]] = [(by, group) for by in BYS for group in grid.groups(by)]
    rows: dict[By, list[Row]] = {by: [] for by in BYS}
    for (by, group), found in zip(where, estimates(grid, [group for _, group in where], MEASURES), strict=True):
        rows[by].append(Row(group, found))
    several = len(grid.plan.policies) > 2
    return Summary(grid, rows, elo(grid), agreements(grid) if several else {}, beliefs(grid), ends(grid))


def ends(grid: Grid) -> dict[str, dict[str, list[int]]]:
    """How many episodes of each policy ended in which way in which turn."""
    found = {policy: {end: [0] * T_MAX for end in ENDS} for policy in grid.plan.policies}
    for result in grid.results:
        found[result.policy][_end(result)][max(0, result.turns - 1)] += 1
    return found


def _end(result: Result) -> str:
    if result.end == "walk_away":
        return "walked" if result.left else "was_left"
    return "breach" if result.breach else result.end


def beliefs(grid: Grid) -> dict[str, dict[str, list[Point]]]:
    """The errors of beliefs by policy, fact and turn, the episodes that are still going on in it."""
    found: dict[str, dict[str, list[Point]]] = {}
    for p, policy in enumerate(grid.plan.policies):
        sums = np.zeros((len(FIELDS), T_MAX, 3, grid.plan.episodes))  # error, the prior's, how many
        start = p * grid.shape[1] * grid.shape[2]
        for i, result in enumerate(grid.results[start : start + grid.shape[1] * grid.shape[2]]):
            for one in result.beliefs:
                for k, (error, prior) in enumerate(zip(one.errors, one.prior, strict=True)):
                    if error is not None and prior is not None:
                        sums[k, one.turn - 1, :, i % grid.plan.episodes] += (error, prior, 1.0)
        if sums[:, :, 2].any():
            found[policy] = {field: _points(sums[k]) for k, field in enumerate(FIELDS)}
    return found


def _points(sums: np.ndarray) -> list[Point]:
    """The turns in which somebody believed something; `sums` has shape (turns, 3, seeds)."""
    errors, priors = (ratios(sums[:, which].T, sums[:, 2].T) for which in (0, 1))
    return [
        Point(turn, error, prior)
        for turn, (error, prior) in enumerate(zip(errors, priors, strict=True), 1)
        if error is not None and prior is not None
    ]


def to_json(summary: Summary) -> bytes:
    """The whole summary."""
    plan = summary.grid.plan
    header = header_of(plan)
    content: dict[str, Any] = {
        "parlay": header.parlay,
        "sources": header.sources,
        "policies": plan.policies,
        "cells": plan.cells,
        "split": plan.split,
        "seeds": [plan.seeds[0], plan.seeds[-1]],
        "episodes_a_cell": plan.episodes,
        "words": plan.words,
        "reward": plan.reward,
        "interval": f"bootstrap over seeds, {LEVEL:.0%}",
        "measures": {measure.key: {"what": measure.what, "unit": measure.unit} for measure in MEASURES},
        "summaries": [
            {"by": by, "group": row.group.name, "episodes": len(row.group.cells) * plan.episodes}
            | {key: plain(estimate) for key, estimate in row.measures.items()}
            for by in BYS
            for row in summary.rows[by]
        ],
        "ratings": {policy: plain(estimate) for policy, estimate in summary.ratings.items()},
        "rank_correlation_of_reward_with": {key: plain(estimate) for key, estimate in summary.agreement.items()},
        "beliefs_by_turn": {
            policy: {
                field: [{"turn": p.turn, "error": plain(p.error), "prior": plain(p.prior)} for p in points]
                for field, points in fields.items()
            }
            for policy, fields in summary.beliefs.items()
        },
        "ends_by_turn": summary.ends,
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"


def plain(estimate: Estimate | None) -> dict[str, float | int | None] | None:
    """An estimate as JSON has it, without the last bits, which are the arithmetic library's."""
    if estimate is None:
        return None
    return {name: round(value, DIGITS) if value else value for name, value in estimate._asdict().items()}

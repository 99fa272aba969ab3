"""What an evaluation measures: each a ratio of two sums over episodes, with an interval over seeds.

A mean over all episodes has a one below for each; a mean over some has ones where they are; a rate of events (bluffs
told, market events) has an episode's number of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from training.episodes import TERMS, Result
from training.grid import Grid, Group
from training.stats import Estimate, Floats, ratios
from training.witness import FIELDS

Column = Callable[[Grid], Floats]
Figure = Callable[[Result], float | None]


class Measure(msgspec.Struct, frozen=True):
    """Σ `top` / Σ `bottom` over a group's episodes."""

    key: str
    what: str
    """Its definition."""
    unit: str
    form: str
    top: Column
    bottom: Column
    value: Figure | None = None
    """The top of one episode; None of a measure that is taken from more than that."""
    among: Figure | None = None
    """The bottom of one episode; None: 1."""

    def of(self, result: Result) -> tuple[float, float]:
        """What this episode adds above and below, for a measure that is of each episode by itself."""
        assert self.value is not None, f"{self.key} is of no episode by itself"
        bottom = 1.0 if self.among is None else float(self.among(result) or 0.0)
        return (float(self.value(result) or 0.0) if bottom else 0.0), bottom

    def told(self, estimate: Estimate | None, interval: bool = False) -> str:
        """The figure as people read it."""
        if estimate is None:
            return "–"
        value = self.form.format(estimate.value)
        if not interval or estimate.low is None or estimate.high is None:
            return value
        return f"{value} [{self.form.format(estimate.low)}, {self.form.format(estimate.high)}]"


def estimates(grid: Grid, groups: Sequence[Group], measures: Sequence[Measure]) -> list[dict[str, Estimate | None]]:
    """Every measure of every group, by its key; None where nothing of the group counts."""
    found: list[dict[str, Estimate | None]] = [{} for _ in groups]
    for measure in measures if groups else ():
        bottom = measure.bottom(grid)
        top = np.where(bottom != 0, measure.top(grid), 0.0)
        tops, bottoms = (
            np.stack([column[group.policy, group.cells].sum(axis=0) for group in groups], axis=1)
            for column in (top, bottom)
        )
        for one, estimate in zip(found, ratios(tops, bottoms), strict=True):
            one[measure.key] = estimate
    return found


# The kinds of measure -------------------------------------------------------------------------------------------------


def _all(grid: Grid) -> Floats:
    return np.ones(grid.shape)


def _mean(
    key: str, what: str, value: Figure, among: Figure | None = None, form: str = "{:.2f}", unit: str = "Δ0"
) -> Measure:
    return Measure(key, what, unit, form, _column(value), _all if among is None else _column(among), value, among)


def _share(key: str, what: str, value: Figure, among: Figure | None = None) -> Measure:
    return _mean(key, what, value, among, "{:.1%}", "share")


def _column(value: Figure) -> Column:
    return lambda grid: grid.array(value)


def _points(key: str, what: str, value: Column, among: Column = _all, form: str = "{:+.1f}") -> Measure:
    return Measure(key, what, "points", form, value, among)


def _term(term: str) -> Measure:
    what = f"mean of what the reward's term {term} paid in an episode"
    return _points(f"term_{term}", what, lambda grid: grid.terms[term], form="{:+.2f}")


def _belief(field: str, prior: bool) -> Measure:
    """The mean error of what was believed, over the turns from the first report on."""
    k, whose = FIELDS.index(field), "the prior" if prior else "the policy"
    error = "squared error of the probability (Brier)" if field == "has_alternative" else "absolute error"

    def known(result: Result) -> list[float]:
        rows = [one.prior[k] if prior else one.errors[k] for one in result.beliefs]
        return [row for row in rows if row is not None]

    return _mean(
        f"{'prior' if prior else 'belief'}_error_{field}",
        f"mean {error} of {whose} about the opponent's {field}, over the turns from its first report on",
        lambda r: sum(known(r)),
        lambda r: len(known(r)),
        "{:.3f}",
        "Δ0" if field in ("walk_away", "budget") else "",
    )


def _own_share(result: Result) -> float:
    joint = result.surplus + result.opponent_surplus
    return min(1.0, max(0.0, result.surplus / joint)) if joint > 0 else 0.0


# The measures ---------------------------------------------------------------------------------------------------------

REWARD = _points("reward", "mean of the reward, everything paid", lambda grid: grid.reward, form="{:.1f}")
EFFICIENCY = _mean(
    "efficiency_given_zopa",
    "with a ZOPA: mean of E; an episode without a deal counts 0",
    lambda r: r.efficiency,
    lambda r: r.zopa,
    "{:.2f}",
    "share of Δref",
)
MEASURES: tuple[Measure, ...] = (
    REWARD,
    _points(
        "difference",
        "mean of the reward less that of the first policy, on the same cell and seed",
        lambda grid: grid.reward - grid.reward[0],
    ),
    _points(
        "regret",
        "mean of the oracle's reward less this policy's, on the same cell and seed",
        lambda grid: 0.0 * grid.reward if grid.oracle is None else grid.reward[grid.oracle] - grid.reward,
        lambda grid: np.full(grid.shape, float(grid.oracle is not None)),
    ),
    EFFICIENCY,
    _mean("surplus", "mean of the deal's surplus; 0 without a deal", lambda r: r.surplus, form="{:.3f}"),
    _share(
        "surplus_share",
        "with a deal of positive joint surplus: the own part of it, both in their Δ0, clipped to 0…1",
        _own_share,
        lambda r: r.deal and r.surplus + r.opponent_surplus > 0,
    ),
    _share("deal_rate_given_zopa", "with a ZOPA: share that ended in a deal", lambda r: r.deal, lambda r: r.zopa),
    _share(
        "deal_rate_without_zopa", "without a ZOPA: share that ended in a deal", lambda r: r.deal, lambda r: not r.zopa
    ),
    _share(
        "walk_rate_without_zopa",
        "with no ZOPA left at the end: share in which the policy walked away, which is right there",
        lambda r: r.left,
        lambda r: r.walk_was_right,
    ),
    _share(
        "wrong_walk_rate",
        "with a ZOPA at the end: share in which the policy walked away",
        lambda r: r.left,
        lambda r: not r.walk_was_right,
    ),
    _share("opponent_walked", "share in which the opponent walked away", lambda r: r.was_left),
    _share(
        "opponent_walked_given_zopa",
        "with a ZOPA: share in which the opponent walked away",
        lambda r: r.was_left,
        lambda r: r.zopa,
    ),
    _share("breaches", "share with a deal beyond the own limit", lambda r: r.breach),
    _mean(
        "pareto_distance",
        "with a deal and a ZOPA: distance of the two surpluses, each in its Δ0, from the nearest efficient outcome's "
        "(0 by nature where the price is the only issue)",
        lambda r: r.pareto_distance,
        lambda r: r.pareto_distance is not None,
        "{:.3f}",
    ),
    _mean(
        "nash_distance",
        "the same from the Nash point; the disagreement point is the two limits, as they stand when the deal is made",
        lambda r: r.nash_distance,
        lambda r: r.nash_distance is not None,
        "{:.3f}",
    ),
    _mean("turns", "mean of the last turn", lambda r: r.turns, form="{:.1f}", unit="turns"),
    _mean("closing_turn", "with a deal: mean of its turn", lambda r: r.turns, lambda r: r.deal, "{:.1f}", unit="turns"),
    _mean("peak_tension", "mean of the highest tension", lambda r: r.peak_tension, form="{:.1f}", unit="0…100"),
    _mean(
        "invalid_moves", "moves that were not allowed, an episode", lambda r: r.invalid_moves, unit="moves an episode"
    ),
    _mean(
        "belief_skill",
        "with a belief report: mean of A at the end, 1 for all that the prior leaves to learn",
        lambda r: r.belief_skill,
        lambda r: bool(r.beliefs),
        "{:+.3f}",
        "mean prior errors",
    ),
    *(_belief(field, prior) for field in FIELDS for prior in (False, True)),
    _share(
        "bluff_precision",
        "share of the policy's challenges that met a bluff",
        lambda r: r.caught,
        lambda r: r.challenges,
    ),
    _share(
        "bluff_recall",
        "share of the opponent's bluffs that the policy challenged",
        lambda r: r.caught,
        lambda r: r.bluffs,
    ),
    _points(
        "mev_skill",
        "what event estimates were paid, for each market event that one was due for; silence is paid nothing",
        lambda grid: grid.terms["mev"],
        lambda grid: grid.array(lambda r: r.events_due),
        "{:+.2f}",
    ),
    *(_term(term) for term in TERMS),
)
BY_KEY = {measure.key: measure for measure in MEASURES}

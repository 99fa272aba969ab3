"""The plots of a belief study. Need the extra `plots`, like `training/plots.py`, whose style they have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from agent.beliefs import LEVEL as HELD
from training.belief_study import ALL, POOLED, Group, Study, Turn
from training.plots import BLUE, FAINT, GREEN, INK, LINES, MARKERS, ORANGE, blank
from training.stats import LEVEL, Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WANTED = (75.0, 85.0)
"""Per cent between which the coverage of the intervals is to lie."""
ENOUGH = 0.1
"""Turns that a smaller share of the episodes reached say little, and are left out."""
SCORES = {"crps": ("CRPS of the limit", "Δ0"), "brier": ("Brier's score of the alternative", "")}


def coverage_by_turn(found: Study) -> Figure:
    """The share of the limit's intervals that hold it, turn by turn, for each persona."""
    groups = [group for group in found.groups if group.name != ALL]
    figure = blank(
        8.4,
        3.6,
        "Coverage by turn",
        f"share of the limit's {100 * HELD:.0f} % intervals that hold it, and its {100 * LEVEL:.0f} % interval; "
        f"shaded: {WANTED[0]:.0f} to {WANTED[1]:.0f} %; hollow: after turn {POOLED}, not pooled\n{_played(found)}",
    )
    width, height = figure.get_size_inches()
    margins = {"left": 0.62 / width, "right": 1 - 0.15 / width, "bottom": 0.5 / height, "top": 1 - 1.15 / height}
    panels = figure.subplots(
        1, len(groups), sharex=True, sharey=True, squeeze=False, gridspec_kw={"wspace": 0.08, **margins}
    )[0]
    for k, (axes, group) in enumerate(zip(panels, groups, strict=True)):
        axes.axhspan(*WANTED, color=GREEN, alpha=0.14, lw=0)
        axes.axhline(100 * HELD, color=GREEN, lw=0.9)
        _shares(axes, _enough(group), LINES[k % len(LINES)], MARKERS[k % len(MARKERS)])
        axes.set_title(group.name.capitalize(), loc="left", size=9.5, weight="bold", pad=14)
        axes.text(0, 1.02, _pooled(group), transform=axes.transAxes, size=8, color=FAINT, va="bottom")
        axes.grid(axis="y")
        axes.set_xlabel("turn")
    panels[0].set_ylabel("intervals that hold (%)")
    panels[0].set_ylim(*_limits([one.coverage for group in groups for one in _enough(group)]))
    _turn_axis(panels[0], [one for group in groups for one in _enough(group)])
    return figure


def _shares(axes: Axes, turns: Sequence[Turn], colour: str, marker: str) -> None:
    """A curve with intervals, in per cent."""
    at = [one.turn for one in turns]
    axes.plot(at, [100 * one.coverage.value for one in turns], color=colour, lw=1.2, alpha=0.5)
    for one in turns:
        if one.coverage.low is not None and one.coverage.high is not None:
            ends = [100 * one.coverage.low, 100 * one.coverage.high]
            axes.plot([one.turn, one.turn], ends, color=colour, lw=1.8, alpha=0.45, solid_capstyle="round")
        face = colour if one.turn <= POOLED else "white"
        axes.plot(one.turn, 100 * one.coverage.value, marker, ms=4.5, color=face, mec=colour, mew=1.1, clip_on=False)


def _pooled(group: Group) -> str:
    one = group.coverage
    if one is None:
        return ""
    interval = "" if one.low is None or one.high is None else f" [{100 * one.low:.1f}, {100 * one.high:.1f}]"
    return f"{100 * one.value:.1f} %{interval} in turns 1 to {POOLED}"


def _limits(shares: Sequence[Estimate]) -> tuple[float, float]:
    """The axis holds every interval, and at least 50 to 100 %."""
    lowest = min((one.value if one.low is None else one.low for one in shares), default=0.5)
    return min(50.0, 10 * np.floor(10 * lowest)) - 2.0, 102.0


def scores_by_turn(found: Study) -> Figure:
    """CRPS and Brier's score beside the prior's, and under them the differences."""
    group = next(group for group in found.groups if group.name == ALL)
    turns = _enough(group)
    figure = blank(
        8.4,
        5.0,
        "Scores by turn, beside the prior's",
        f"mean and {100 * LEVEL:.0f} % interval over the episodes still played in that turn; lower is better; below: "
        f"the tracker less the prior, episode by episode\n{_played(found)}",
    )
    width, height = figure.get_size_inches()
    margins = {"left": 0.7 / width, "right": 1 - 0.15 / width, "bottom": 0.5 / height, "top": 1 - 1.3 / height}
    panels = figure.subplots(
        2,
        2,
        sharex=True,
        squeeze=False,
        gridspec_kw={"height_ratios": (1.5, 1), "wspace": 0.17, "hspace": 0.14, **margins},
    )
    for k, (name, (title, unit)) in enumerate(SCORES.items()):
        above, below = panels[0][k], panels[1][k]
        _curve(above, turns, f"{name}_prior", ORANGE, "the prior", "--")
        _curve(above, turns, name, BLUE, "the tracker", "-")
        above.set_ylim(bottom=0)
        above.set_title(title, loc="left", size=9.5, weight="bold")
        above.set_ylabel(f"score ({unit})" if unit else "score")
        below.axhline(0, color=INK, lw=0.8)
        _curve(below, turns, f"{name}_difference", BLUE, "", "-")
        below.set_ylabel("difference")
        below.set_xlabel("turn")
        white = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
        below.text(0.99, 0.05, _verdict(group, name), transform=below.transAxes, ha="right", size=8, bbox=white)
        below.margins(y=0.3)
        for axes in (above, below):
            axes.grid(axis="y")
    _turn_axis(panels[0][0], turns)
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(
        handles[::-1],
        labels[::-1],
        loc="upper left",
        bbox_to_anchor=(0.55 / width, 1 - 0.72 / height),
        ncols=2,
        columnspacing=1.6,
    )
    return figure


def _verdict(group: Group, name: str) -> str:
    """Whether the tracker is better than the prior, in a few words."""
    since = group.better_from(f"{name}_difference")
    if since is not None:
        return f"better in every turn from {since} to {POOLED}"
    found: list[Estimate] = [getattr(one, f"{name}_difference") for one in group.turns if one.turn <= POOLED]
    worse = sum(one.low is not None and one.low > 0 for one in found)
    return "not shown to be better" + (f"; worse in {worse} of turns 1 to {POOLED}" if worse else "")


def _curve(axes: Axes, turns: Sequence[Turn], name: str, colour: str, label: str, style: str) -> None:
    """A figure by turn, with its intervals."""
    at, found = [one.turn for one in turns], [getattr(one, name) for one in turns]
    axes.plot(at, [one.value for one in found], style, color=colour, lw=1.8, marker="o", ms=3, label=label)
    low, high = ([one.value if one[side] is None else one[side] for one in found] for side in (1, 2))
    axes.fill_between(at, low, high, color=colour, alpha=0.14, lw=0)


def _enough(group: Group) -> list[Turn]:
    """The turns that enough episodes reached."""
    return [one for one in group.turns if one.episodes >= ENOUGH * group.episodes]


def _turn_axis(axes: Axes, turns: Sequence[Turn]) -> None:
    last = max((one.turn for one in turns), default=1)
    axes.set_xticks([1, *range(5, last + 1, 5)])
    axes.set_xlim(0.4, last + 0.6)


def _played(found: Study) -> str:
    chosen = found.plan
    asked = "four questions asked" if chosen.asks else "nothing asked"
    return (
        f"{chosen.episodes:,} episodes of the {chosen.plan.split} split, the learner {chosen.learner}, {asked}; "
        f"turns that {100 * ENOUGH:.0f} % of them reached"
    )

"""The plots of an evaluation, as PNG and SVG. Needs the extra `plots`; nothing else here does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from parlay_env.deal.state import T_MAX
from training.measures import EFFICIENCY, REWARD
from training.policies import PRIVILEGED
from training.stats import LEVEL, Estimate
from training.summary import ENDS, Point, Summary
from training.witness import FIELDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HOW_TO_GET = f"plots need matplotlib: {sys.executable} -m pip install matplotlib"
FORMATS = ("png", "svg")

# The palette of Okabe & Ito (2008), which colour-blind readers can tell apart, and greys.
INK, FAINT, PALE = "#222222", "#767676", "#D9D9D9"
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
SKY, PINK, YELLOW = "#56B4E9", "#CC79A7", "#F0E442"
LINES = (BLUE, RED, GREEN, PINK, ORANGE, SKY, INK)
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
END_COLOURS: dict[str, str] = dict(zip(ENDS, (GREEN, RED, SKY, ORANGE, "#9A9A9A", PINK, INK), strict=True))
END_TITLES: dict[str, str] = {
    "deal": "deal",
    "breach": "deal beyond the own limit",
    "walked": "the policy walked away",
    "was_left": "the opponent walked away",
    "timeout": "timeout",
    "zopa_collapsed": "ZOPA collapsed",
    "forfeit": "forfeit",
}
FIELD_TITLES = {
    "walk_away": ("Walk-away", "absolute error (Δ0)"),
    "budget": ("Budget", "absolute error (Δ0)"),
    "urgency": ("Urgency", "absolute error (0…1)"),
    "has_alternative": ("Has an alternative", "Brier score"),
}
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.labelsize": 9,
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": PALE,
    "grid.linewidth": 0.6,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.size": 3,
    "ytick.major.size": 0,
    "legend.frameon": False,
    "savefig.dpi": 160,
    "svg.hashsalt": "parlay",
}
HEAT_LIMIT = 100.0
"""Points at which the heat map's colours end."""
HIGHEST_BAR = 45.0
"""Per cent at which the bars of the closing turns are cut off."""


class PlotsMissing(ImportError):
    """matplotlib isn't installed; the message says how to get it."""


def draw(summary: Summary, folder: Path) -> list[Path]:
    """Draw what there is to draw; gives the PNG files, an SVG beside each. Raises PlotsMissing."""
    plots: dict[str, Callable[[Summary], Figure]] = {
        "reward_by_policy": reward_by_policy,
        "efficiency_by_persona": efficiency_by_persona,
        "reward_by_cell": reward_by_cell,
        "ends_by_turn": ends_by_turn,
    }
    if summary.beliefs:
        plots["belief_error_by_turn"] = belief_error_by_turn
    for name, plot in plots.items():
        save(partial(plot, summary), folder, name)
    return [folder / f"{name}.png" for name in plots]


def save(plot: Callable[[], Figure], folder: Path, name: str, forms: Sequence[str] = FORMATS) -> None:
    """Draw a plot into the folder, in each of these forms: the same figures, the same bytes. Raises PlotsMissing."""
    try:
        from matplotlib import rc_context
    except ImportError:
        raise PlotsMissing(HOW_TO_GET) from None
    with rc_context(STYLE):
        figure = plot()
        for form in forms:
            nothing = {"Date": None} if form == "svg" else {}
            figure.savefig(folder / f"{name}.{form}", metadata=nothing)


# What the plots share -------------------------------------------------------------------------------------------------


def by_reward(summary: Summary) -> list[int]:
    """The policies, the best paid first."""
    rows = summary.rows["policy"]
    return sorted(range(len(rows)), key=lambda i: -value_of(rows[i].measures[REWARD.key]))


def value_of(estimate: Estimate | None) -> float:
    """Its value; NaN without one."""
    return float("nan") if estimate is None else estimate.value


def blank(width: float, height: float, title: str, below: str) -> Figure:
    """A figure with a title, and under it what it shows, in inches."""
    from matplotlib.figure import Figure

    figure = Figure((width, height))
    figure.text(0.12 / width, 1 - 0.12 / height, title, va="top", size=12, weight="bold")
    figure.text(0.12 / width, 1 - 0.38 / height, below, va="top", size=8.5, color=FAINT)
    return figure


def _axes(figure: Figure, left: float, bottom: float, right: float, top: float) -> Axes:
    """Axes with these margins, in inches."""
    width, height = figure.get_size_inches()
    return figure.add_axes((left / width, bottom / height, 1 - (left + right) / width, 1 - (bottom + top) / height))


def _played(summary: Summary) -> str:
    plan = summary.grid.plan
    cells = "one cell" if len(plan.cells) == 1 else f"{len(plan.cells)} cells"
    return f"{plan.episodes} paired seeds of the {plan.split} split in {cells}"


def _margin(names: Sequence[str]) -> float:
    """Room for these labels beside the axes, in inches."""
    return 0.3 + 0.078 * max(map(len, names))


def _bar(axes: Axes, y: float, estimate: Estimate, colour: str, marker: str = "o", hollow: bool = False) -> None:
    """A dot and its interval."""
    if estimate.low is not None and estimate.high is not None:
        axes.plot([estimate.low, estimate.high], [y, y], color=colour, lw=1.8, alpha=0.55, solid_capstyle="round")
    axes.plot(estimate.value, y, marker, ms=5.5, color="white" if hollow else colour, mec=colour, mew=1.2)


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")


# The plots ------------------------------------------------------------------------------------------------------------


def reward_by_policy(summary: Summary) -> Figure:
    """Every policy's mean reward with its interval, the best first."""
    names = [summary.grid.plan.policies[i] for i in by_reward(summary)]
    told = [name in PRIVILEGED for name in names]
    figure = blank(
        7.2,
        1.35 + 0.27 * len(names),
        "Reward by policy",
        f"mean and {LEVEL:.0%} interval; {_played(summary)}{'; hollow: knows the truth' if any(told) else ''}",
    )
    axes = _axes(figure, _margin(names), 0.5, 0.75, 0.72)
    axes.axvline(0, color=FAINT, lw=0.8)
    for y, i in enumerate(by_reward(summary)):
        estimate = summary.rows["policy"][i].measures[REWARD.key]
        assert estimate is not None
        _bar(axes, y, estimate, BLUE, hollow=told[y])
        axes.annotate(
            REWARD.form.format(estimate.value).replace("-", "−"),
            (1, y),
            (38, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            ha="right",
            va="center_baseline",
        )
    _name_rows(axes, names)
    axes.set_xlabel("reward (points an episode)")
    return figure


def efficiency_by_persona(summary: Summary) -> Figure:
    """Every policy's E given ZOPA against each persona."""
    order, plan = by_reward(summary), summary.grid.plan
    names = [plan.policies[i] for i in order]
    personas = list(dict.fromkeys(cell.persona for cell in plan.cells))
    figure = blank(
        7.2,
        1.6 + 0.34 * len(names),
        "E given a ZOPA, by opponent",
        f"mean and {LEVEL:.0%} interval, no deal counting 0; {_played(summary)}",
    )
    axes = _axes(figure, _margin(names), 0.5, 0.3, 0.98)
    found = {row.group.name: row.measures[EFFICIENCY.key] for row in summary.rows["persona"]}
    for k, persona in enumerate(personas):
        colour, marker = LINES[k % len(LINES)], MARKERS[k % len(MARKERS)]
        for y, name in enumerate(names):
            estimate = found[name, persona]
            if estimate is not None:
                _bar(axes, y + 0.2 * (k - 0.5 * (len(personas) - 1)), estimate, colour, marker)
        axes.plot([], [], marker, color=colour, ms=5.5, label=persona)
    _name_rows(axes, names)
    for y in range(1, len(names)):
        axes.axhline(y - 0.5, color=PALE, lw=0.6)
    axes.set_xlim(-0.01, max(0.6, axes.get_xlim()[1]))
    axes.set_xlabel("E (share of the surplus within reach, Δref)")
    axes.legend(
        ncols=len(personas), loc="lower left", bbox_to_anchor=(-0.02, 1.0), handletextpad=0.1, columnspacing=1.2
    )
    return figure


def reward_by_cell(summary: Summary) -> Figure:
    """A heat map of the mean reward: policies by cells."""
    from matplotlib.colors import Normalize

    order, plan = by_reward(summary), summary.grid.plan
    names = [plan.policies[i] for i in order]
    means = summary.grid.reward.mean(axis=2)[order]
    n, cells = means.shape
    left, side = _margin(names), 0.36
    figure = blank(
        left + max(side * cells, 3.6) + 0.9,
        2.4 + 0.24 * n,
        "Reward by scenario, opponent and seat",
        f"mean, points an episode; {_played(summary)}",
    )
    axes = _axes(figure, left, 1.3, 0.9, 0.95)
    shade = Normalize(-HEAT_LIMIT, HEAT_LIMIT)
    image = axes.imshow(means, cmap="RdBu", norm=shade, aspect="auto")
    for (y, x), value in np.ndenumerate(means):
        strong = abs(value) > 0.62 * HEAT_LIMIT
        told = f"{value:.0f}".replace("-", "−" if round(value) else "")
        axes.text(x, y, told, ha="center", va="center_baseline", size=7, color="white" if strong else INK)
    axes.set_yticks(range(n), names)
    axes.set_xticks(range(cells), [f"{cell.persona}, {cell.seat}" for cell in plan.cells], rotation=90)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xticks(np.arange(cells + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(n + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", lw=1)
    axes.tick_params(which="minor", length=0)
    start = 0
    for scenario, members in groupby(cell.scenario for cell in plan.cells):
        width = len(list(members))
        axes.text(start + 0.5 * (width - 1), -0.75, Path(scenario).stem, ha="center", va="bottom", size=8.5)
        if start:
            axes.axvline(start - 0.5, color="white", lw=5)
        start += width
    width, height = figure.get_size_inches()
    beside = figure.add_axes((1 - 0.78 / width, 1.3 / height, 0.13 / width, min(0.24 * n + 0.15, 2.4) / height))
    bar = figure.colorbar(image, cax=beside, extend="both")
    bar.set_label("reward (points)")
    bar.outline.set_visible(False)
    return figure


def belief_error_by_turn(summary: Summary) -> Figure:
    """How wrong the policies that report beliefs are, turn by turn, beside the public prior."""
    figure = blank(
        8.4,
        6.3,
        "Belief error by turn",
        f"mean and {LEVEL:.0%} interval over the episodes still played in that turn; "
        f"dotted: the public prior in the same episodes\n{_played(summary)}",
    )
    axes = figure.subplots(2, 2, sharex=True, gridspec_kw={"left": 0.085, "right": 0.985, "bottom": 0.15, "top": 0.84})
    for part, field in zip(axes.flat, FIELDS, strict=True):
        title, unit = FIELD_TITLES[field]
        for k, (policy, fields) in enumerate(summary.beliefs.items()):
            _curve(part, fields[field], LINES[k % len(LINES)], ("-", "--", "-.")[k // len(LINES) % 3], policy)
        part.set_title(title, loc="left", size=9.5, weight="bold")
        part.set_ylabel(unit)
        part.set_ylim(bottom=0)
        part.grid(axis="y")
        part.margins(y=0.08)
    for part in axes[1]:
        part.set_xlabel("turn")
        part.set_xticks([1, 5, 10, 15, T_MAX])
        part.set_xlim(0.5, T_MAX + 0.5)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower left", bbox_to_anchor=(0.07, 0.005), ncols=5)
    return figure


def _curve(axes: Axes, points: Sequence[Point], colour: str, style: str, label: str) -> None:
    """An error by turn, and the prior's. A turn that only one seed reached says little, and is left out."""
    points = [point for point in points if point.error.low is not None] or points
    turns = [point.turn for point in points]
    axes.plot(turns, [point.prior.value for point in points], ":", color=colour, lw=1.1)
    axes.plot(turns, [point.error.value for point in points], style, color=colour, lw=1.8, label=label)
    low, high = (
        [value if end is None else end for value, end in ((p.error.value, p.error[side]) for p in points)]
        for side in (1, 2)
    )
    axes.fill_between(turns, low, high, color=colour, alpha=0.12, lw=0)


def ends_by_turn(summary: Summary) -> Figure:
    """In which turn the episodes of each policy end, and how: small multiples."""
    from matplotlib.patches import Patch

    names = [summary.grid.plan.policies[i] for i in by_reward(summary)]
    columns = min(4 if len(names) < 25 else 6, len(names))
    rows = -(-len(names) // columns)
    happened = [end for end in ENDS if any(any(summary.ends[name][end]) for name in names)]
    width = max(5.6, 0.75 + 2.1 * columns)
    beside = max(2, int(width / 1.9))
    legend = 0.22 * -(-len(happened) // beside)
    height = 1.53 + legend + 1.32 * rows
    figure = blank(width, height, "When episodes end, and how", f"share of a policy's episodes; {_played(summary)}")
    margins = {
        "left": 0.62 / width,
        "right": 1 - 0.15 / width,
        "bottom": 0.52 / height,
        "top": 1 - (1 + legend) / height,
    }
    axes = figure.subplots(
        rows, columns, sharex=True, sharey=True, squeeze=False, gridspec_kw={"hspace": 0.42, "wspace": 0.09, **margins}
    )
    limit = min(100.0, 1.06 * max(_highest(summary.ends[name]) for name in names), HIGHEST_BAR)
    for part, name in zip(axes.flat, names, strict=False):
        _stack(part, summary.ends[name], happened, limit)
    for k, part in enumerate(axes.flat):
        part.set_visible(k < len(names))
        if k < len(names):
            part.set_title(names[k], loc="left", size=9, pad=3)
        part.grid(axis="y")
        part.set_xticks([1, 5, 10, 15, T_MAX])
        part.tick_params(labelbottom=k + columns >= len(names))
    axes.flat[0].set(xlim=(0.3, T_MAX + 0.7), ylim=(0, limit))
    figure.supylabel("episodes (%)", x=0.12 / width, size=9)
    figure.supxlabel("last turn", y=0.1 / height, size=9)
    figure.legend(
        handles=[Patch(color=END_COLOURS[end], label=END_TITLES[end]) for end in happened],
        loc="upper left",
        bbox_to_anchor=(0.02 / width, 1 - 0.55 / height),
        ncols=beside,
        handlelength=1,
        handleheight=1,
        columnspacing=1.4,
    )
    return figure


def _highest(ends: Mapping[str, Sequence[int]]) -> float:
    """The share of a policy's episodes that ended in its commonest turn, in per cent."""
    by_turn = np.sum([list(counts) for counts in ends.values()], axis=0)
    return float(100 * by_turn.max() / by_turn.sum())


def _stack(axes: Axes, ends: Mapping[str, Sequence[int]], shown: Sequence[str], limit: float) -> None:
    """Stacked bars, one a turn; one that is cut off has its height written on it."""
    from matplotlib.collections import PolyCollection

    total, below = sum(map(sum, ends.values())), np.zeros(T_MAX)
    left = np.arange(1, T_MAX + 1) - 0.43
    for end in shown:
        above = below + 100 * np.array(ends[end]) / total
        corners = [(left, below), (left, above), (left + 0.86, above), (left + 0.86, below)]
        axes.add_collection(
            PolyCollection(list(np.array(corners).transpose(2, 0, 1)), facecolors=END_COLOURS[end], lw=0)
        )
        below = above
    for turn in np.flatnonzero(below > limit):
        axes.text(turn + 1.7, 0.97 * limit, f"↑ {below[turn]:.0f}%", va="top", size=7.5, color=FAINT)

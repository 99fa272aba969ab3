"""The learning curves of the experiments in one picture. Needs the extra `plots`, whose style it has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from training.plots import LINES, blank, save
from training.reproduction.findings import Experiment
from training.stats import LEVEL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Panel(NamedTuple):
    """A part of the picture: which curves of which experiment, those whose names begin so."""

    experiment: str
    title: str
    unit: str
    begins: tuple[str, ...]


PANELS = (
    Panel("levers", "Ten levers", "mean pay", ("self-play", "cross-play", "Other-Play")),
    Panel("signalling", "Signals without a code", "mean pay", ("self-play", "cross-play")),
    Panel("credit", "Credit in a team", "share that works", ("team reward", "difference reward, n = 128")),
    Panel("curriculum", "Proposer and solver", "the solver's skill", ("",)),
    Panel("commons", "The commons", "tonnes a year", ("",)),
)


def draw(found: Sequence[Experiment], path: Path) -> None:
    """Draw the experiments that have a panel into this PNG. Raises PlotsMissing."""
    save(partial(_figure, found), path.parent, path.stem, ("png",))


def _figure(found: Sequence[Experiment]) -> Figure:
    shown = {one.id: one for one in found}
    panels = [panel for panel in PANELS if panel.experiment in shown]
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    height = 0.95 + 3.3 * rows
    figure = blank(4.6 * columns, height, "Learning, step by step", f"mean and {LEVEL:.0%} interval over seeds")
    margins = {"left": 0.09, "right": 0.985, "bottom": 1.05 / height, "top": 1 - 0.95 / height}
    grid = figure.subplots(rows, columns, squeeze=False, gridspec_kw={"hspace": 0.68, "wspace": 0.2, **margins})
    for k, axes in enumerate(grid.flat):
        axes.set_visible(k < len(panels))
        if k < len(panels):
            _panel(axes, panels[k], shown[panels[k].experiment])
    return figure


def _panel(axes: Axes, panel: Panel, found: Experiment) -> None:
    curves = [curve for curve in found.curves if curve.name.startswith(panel.begins)]
    for k, curve in enumerate(curves):
        colour = LINES[k % len(LINES)]
        axes.plot(curve.steps, curve.value, color=colour, lw=1.6, label=curve.name)
        axes.fill_between(curve.steps, curve.low, curve.high, color=colour, alpha=0.15, lw=0)
    axes.set_title(panel.title, loc="left", size=9.5, weight="bold")
    axes.set_ylabel(panel.unit)
    axes.set_xlabel("step")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.grid(axis="y")
    axes.tick_params(labelsize=8)
    axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(-0.03, -0.2), ncols=2, handlelength=1.4)

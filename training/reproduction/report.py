"""What the experiments found, as a page and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from parlay_env import __version__
from training.reproduction import commons, credit, curriculum, levers, signalling
from training.reproduction.findings import SET, Experiment, Figure, Tell
from training.tables import table

EXPERIMENTS = {
    "levers": levers.experiment,
    "signalling": signalling.experiment,
    "credit": credit.experiment,
    "curriculum": curriculum.experiment,
    "commons": commons.experiment,
}
"""By name, in the order in which they are told."""
SEEDS = 100
"""Of an experiment, unless asked otherwise."""
PLACES = {"%": 1, "steps": 1, "seeds": 1, "months": 1, "skill": 2, "t": 0}
"""Decimals by unit; 4 of what has none."""
MARKS = "<!-- reproduction:begin -->", "<!-- reproduction:end -->"
"""A page that has these two lines gets the findings between them."""


def reproduce(names: Sequence[str], seeds: int, tell: Tell) -> list[Experiment]:
    """Run these experiments on the seeds from 0. Raises KeyError for a name that there is not."""
    return [EXPERIMENTS[name](range(seeds), tell) for name in names]


# Figures --------------------------------------------------------------------------------------------------------------


def ours(found: Figure) -> str:
    """Our figure, with its interval where it has one."""
    value = _number(found.value, found)
    if found.value_low is None or found.value_high is None:
        return value
    return f"{value} [{_number(found.value_low, found)}, {_number(found.value_high, found)}]"


def in_runs(found: Figure) -> str:
    """Where runs of twenty seeds lie, or nothing."""
    if found.sets is None:
        return ""
    low, high = found.sets
    return f"{_number(low, found)}–{_number(high, found)}"


def published(found: Figure) -> str:
    """The published figure, with its unit."""
    words = found.high is None
    return found.published if words or not found.unit else f"{found.published} {found.unit}"


def _number(value: float, found: Figure) -> str:
    """As many digits as its unit bears; a minus as print has it."""
    return f"{value:.{PLACES.get(found.unit, 4)}f}".replace("-", "−")


def summary(found: Sequence[Experiment]) -> str:
    """How many figures were reproduced, in a line."""
    figures = [one for experiment in found for one in experiment.figures]
    done = sum(one.reproduced for one in figures)
    return f"{done} of {len(figures)} published figures reproduced"


# Markdown -------------------------------------------------------------------------------------------------------------


def markdown(found: Sequence[Experiment], command: str, picture: str = "") -> str:
    """The findings as sections of a page; `picture`: where the page finds it."""
    parts = [
        f"`{command}`, Parlay {__version__}: {summary(found)}.",
        "In brackets: 95 % intervals over seeds by bootstrap; for cross-play it draws seeds, not pairs. A figure that "
        f"was published from one run of {SET} seeds is a draw itself: “runs of {SET}” is where 95 % of such runs lie, "
        "taken from our seeds.",
    ]
    if picture:
        parts.append(f"![Learning curves: levers, signalling, credit, curriculum and commons]({picture})")
    for one in found:
        parts += _section(one)
    return "\n\n".join(parts)


def _section(one: Experiment) -> list[str]:
    head = ("figure", "published", "ours", f"runs of {SET}", "verdict")
    rows = [[each.name, published(each), ours(each), in_runs(each), _verdict(each)] for each in one.figures]
    parts = [f"## {one.title}", one.question, table(head, rows, figures=False), "What was assumed:"]
    parts.append("\n".join(f"- {sentence}" for sentence in (*one.assumed, f"Seeds 0 to {one.seeds - 1}.")))
    if one.settings:
        names = list(one.settings[0].found)
        told = [[each.assumed, *(f"{each.found[name]:.4g}" for name in names)] for each in one.settings]
        parts += ["Other settings, the first row those above:", table(("setting", *names), told)]
    return parts


def _verdict(found: Figure) -> str:
    return f"{found.verdict} ({found.note})" if found.note else found.verdict


# JSON -----------------------------------------------------------------------------------------------------------------


def to_json(found: Sequence[Experiment], command: str) -> bytes:
    """Everything, curves and matrices too."""
    content: Mapping[str, object] = {"parlay": __version__, "command": command, "experiments": found}
    return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"

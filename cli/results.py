"""Results of policies as tables, and as JSON."""

from __future__ import annotations

import platform
from typing import Any

import msgspec
from rich.box import SIMPLE_HEAD
from rich.table import Table

from parlay_env import __version__
from training.episodes import Plan
from training.grid import By, Grid, Group
from training.measures import BY_KEY, Measure, estimates
from training.stats import LEVEL, Estimate
from training.summary import plain

TITLES = {
    "reward": "reward",
    "efficiency_given_zopa": "E given\nZOPA",
    "deal_rate_given_zopa": "deals\ngiven\nZOPA",
    "walk_rate_without_zopa": "walks\nwith-\nout",
    "turns": "turns",
    "opponent_walked": "they\nleft",
    "breaches": "brea-\nches",
    "invalid_moves": "invalid\nmoves",
}
"""The columns."""
WITH_INTERVAL = ("reward", "efficiency_given_zopa")
"""Shown in the table, too; in JSON all have one."""
MEASURES = tuple(BY_KEY[key] for key in TITLES)
NOTE = f"Under a mean: its bootstrap {LEVEL:.0%} interval over seeds. –: no episode that counts."


def played(plan: Plan) -> str:
    """What was played, in a line."""
    return (
        f"{plan.episodes} episodes in each of {len(plan.cells)} cells (scenario × persona × seat), "
        f"split {plan.split}, seeds {plan.seeds[0]}–{plan.seeds[-1]}, the same for every policy"
    )


def summary_tables(grid: Grid, by: By) -> list[Table]:
    """A row for every policy; by anything else, a table for every policy with a row for each."""
    rows = _measured(grid, by)
    if by == "policy":
        return [measures_table(None, [(group.name[0], found) for group, found in rows])]
    return [
        measures_table(policy, [(_label(group), found) for group, found in rows if group.policy == p])
        for p, policy in enumerate(grid.plan.policies)
    ]


def _label(group: Group) -> str:
    """At most two lines, as the figures beside it have."""
    _, first, *rest = group.name
    return "\n".join((first, ", ".join(rest))) if rest else first


def measures_table(title: str | None, rows: list[tuple[str, dict[str, Estimate | None]]]) -> Table:
    """A line for each label, with all of `MEASURES`."""
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        show_edge=False,
    )
    table.add_column("", overflow="fold")
    for heading in TITLES.values():
        table.add_column(heading, justify="right", no_wrap=True)
    for label, found in rows:
        table.add_row(label, *(_cell(found[measure.key], measure) for measure in MEASURES))
    return table


def _cell(estimate: Estimate | None, measure: Measure) -> str:
    text = measure.told(estimate)
    if estimate is None or measure.key not in WITH_INTERVAL or estimate.low is None or estimate.high is None:
        return text
    return f"{text}\n{measure.form.format(estimate.low)}…{measure.form.format(estimate.high)}"


def differences(grid: Grid) -> dict[str, Estimate | None]:
    """By how much each later policy's reward differs from the first's, seed by seed."""
    found = estimates(grid, grid.groups("policy")[1:], [BY_KEY["difference"]])
    return {policy: one["difference"] for policy, one in zip(grid.plan.policies[1:], found, strict=True)}


def compared(grid: Grid) -> Table:
    """The later policies against the first, on the same seeds."""
    title = f"Reward beyond {grid.plan.policies[0]}’s,\nseed by seed"
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, show_edge=False)
    table.add_column("")
    table.add_column("difference", justify="right")
    table.add_column(f"{LEVEL:.0%} interval", justify="right")
    for policy, estimate in differences(grid).items():
        assert estimate is not None
        interval = "–" if estimate.low is None else f"{estimate.low:+.1f} … {estimate.high:+.1f}"
        table.add_row(policy, f"{estimate.value:+.1f}", interval)
    return table


def to_json(grid: Grid, by: By, more: dict[str, Any] | None = None) -> bytes:
    """All of it: what was played, every summary, every episode, and what else there is to tell."""
    content = _played_json(grid.plan) | {
        "summaries": [
            {"by": wanted, "group": group.name, "episodes": len(group.cells) * grid.plan.episodes}
            | {key: plain(estimate) for key, estimate in found.items()}
            for wanted in dict.fromkeys(("policy", by, "cell"))
            for group, found in _measured(grid, wanted)
        ],
        "reward_difference_from_first": {policy: plain(estimate) for policy, estimate in differences(grid).items()},
        **(more or {}),
        "episodes": grid.results,
    }
    return _written(content)


def unsummed_json(plan: Plan, more: dict[str, Any]) -> bytes:
    """The same of a plan of which no seed is whole: there is nothing to sum up."""
    return _written(_played_json(plan) | {"summaries": [], "reward_difference_from_first": {}, **more, "episodes": []})


def _played_json(plan: Plan) -> dict[str, Any]:
    return {
        "parlay": __version__,
        "python": platform.python_version(),
        "split": plan.split,
        "seeds": [plan.seeds[0], plan.seeds[-1]],
        "episodes_a_cell": plan.episodes,
        "policies": plan.policies,
    }


def _written(content: dict[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"


def _measured(grid: Grid, by: By) -> list[tuple[Group, dict[str, Estimate | None]]]:
    groups = grid.groups(by)
    return list(zip(groups, estimates(grid, groups, MEASURES), strict=True))

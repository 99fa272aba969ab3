"""An evaluation as a page to read: tables, plots, and what every figure means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from parlay_env import __version__
from training.episodes import TERMS
from training.measures import BY_KEY, MEASURES
from training.plots import HOW_TO_GET, PlotsMissing, by_reward, draw
from training.record import header_of
from training.stats import DRAWS, LEVEL, RATING_MEAN, Estimate
from training.summary import Row, Summary, to_json
from training.tables import table

SUMMARY, REPORT = "summary.json", "report.md"
LADDER = (
    ("reward", "reward"),
    ("E given ZOPA", "efficiency_given_zopa"),
    ("deals given ZOPA", "deal_rate_given_zopa"),
    ("right walks", "walk_rate_without_zopa"),
    ("wrong walks", "wrong_walk_rate"),
    ("was left given ZOPA", "opponent_walked_given_zopa"),
    ("breaches", "breaches"),
    ("turns", "turns"),
    ("invalid moves", "invalid_moves"),
)
OUTCOMES = (
    ("surplus (Δ0)", "surplus"),
    ("share of the joint surplus", "surplus_share"),
    ("from Pareto (Δ0)", "pareto_distance"),
    ("from Nash (Δ0)", "nash_distance"),
    ("deals without ZOPA", "deal_rate_without_zopa"),
    ("closing turn", "closing_turn"),
    ("peak tension", "peak_tension"),
)
BELIEFS = (
    ("belief skill", "belief_skill"),
    ("walk-away error (Δ0)", "belief_error_walk_away"),
    ("the prior's", "prior_error_walk_away"),
    ("Brier, alternative", "belief_error_has_alternative"),
    ("the prior's", "prior_error_has_alternative"),
    ("bluff precision", "bluff_precision"),
    ("bluff recall", "bluff_recall"),
    ("MEV skill (points an event)", "mev_skill"),
)
PICTURES = {
    "reward_by_policy": "Reward by policy",
    "efficiency_by_persona": "E given a ZOPA, by opponent",
    "reward_by_cell": "Reward by scenario, opponent and seat",
    "ends_by_turn": "When episodes end, and how",
    "belief_error_by_turn": "Belief error by turn",
}


def write(summary: Summary, folder: Path, plots: bool = True) -> str:
    """Write `summary.json`, `report.md` and the plots; gives what is missing, in a line, or nothing."""
    (folder / SUMMARY).write_bytes(to_json(summary))
    missing, drawn = "", []
    if plots:
        try:
            drawn = draw(summary, folder)
        except PlotsMissing:
            missing = HOW_TO_GET
    (folder / REPORT).write_text(markdown(summary, [path.stem for path in drawn]), "utf-8")
    return missing


def markdown(summary: Summary, pictures: Sequence[str] = ()) -> str:
    """The report, with those of the pictures that are there."""
    plan = summary.grid.plan
    words = "on" if plan.words else "off"
    parts = [
        "# Evaluation",
        f"{len(plan.policies)} policies, {plan.episodes} episodes of each in each of {len(plan.cells)} cells "
        f"(scenario × opponent × seat): {plan.total:,} in all. Every policy plays the same seeds: {plan.seeds[0]} to "
        f"{plan.seeds[-1]} of the {plan.split} split. Reward: {plan.reward}. Words: {words}. "
        f"Parlay {__version__}, sources `{header_of(plan).sources}`.",
        f"In brackets: {LEVEL:.0%} intervals by a bootstrap over seeds ({DRAWS:,} resamples); episodes on one seed "
        "share its draws, so a seed is one observation. –: nothing that counts.",
        "## The policies",
        _ladder(summary),
        _picture("reward_by_policy", pictures),
        *_order(summary),
        "## Opponents, scenarios and seats",
        _picture("efficiency_by_persona", pictures),
        _picture("reward_by_cell", pictures),
        _by(summary, "scenario"),
        _by(summary, "seat"),
        "## What is agreed, and when",
        _table(OUTCOMES, _ordered(summary)),
        _picture("ends_by_turn", pictures),
        "## Where the points come from",
        "Mean points of an episode, by the reward's terms; they sum to the reward.",
        _terms(summary),
        "## Beliefs, bluffs and events",
        *_beliefs(summary, pictures),
        "## What the figures mean",
        _glossary(),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _ordered(summary: Summary) -> list[Row]:
    """The rows of the policies, the best paid first."""
    return [summary.rows["policy"][i] for i in by_reward(summary)]


def _ladder(summary: Summary) -> str:
    first = summary.grid.plan.policies[0]
    columns = [*LADDER]
    if len(summary.grid.plan.policies) > 1:
        columns.insert(1, (f"beyond {first}", "difference"))
    if summary.grid.oracle is not None:
        columns.insert(2, ("regret against the oracle", "regret"))
    with_interval = ("reward", "efficiency_given_zopa", "difference", "regret")
    headings = [title for title, _ in columns] + (["rating"] if summary.ratings else [])
    lines = []
    for row in _ordered(summary):
        policy = row.group.name[0]
        cells = [BY_KEY[key].told(row.measures[key], key in with_interval) for _, key in columns]
        lines.append([f"`{policy}`", *cells, *([_rating(summary.ratings[policy])] if summary.ratings else [])])
    return table(["policy", *headings], lines)


def _rating(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.0f}"
    return f"{estimate.value:.0f} [{estimate.low:.0f}, {estimate.high:.0f}]"


def _order(summary: Summary) -> list[str]:
    """How the order by reward agrees with other orders, and what a rating is."""
    found = []
    if summary.ratings:
        found.append(
            f"Rating: Elo points by the model of Bradley and Terry (1952), mean {RATING_MEAN:.0f}; on each cell and "
            "seed the higher reward beats the lower, and equal ones are half a win each. It counts wins, not points."
        )
    told = {"efficiency_given_zopa": "E given a ZOPA", "surplus": "surplus"}
    known = [(told[key], estimate) for key, estimate in summary.agreement.items() if estimate is not None]
    if known:
        lines = [[title, f"{one.value:+.2f}{_ends(one)}"] for title, one in known]
        found += [
            "Rank correlation (Spearman) of the policies' mean reward with their mean",
            table(["", "correlation"], lines),
        ]
    return found


def _ends(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f" [{estimate.low:+.2f}, {estimate.high:+.2f}]"


def _by(summary: Summary, by: str) -> str:
    """Mean reward of every policy by scenario, or by seat."""
    rows = summary.rows["scenario" if by == "scenario" else "seat"]
    names = list(dict.fromkeys(row.group.name[1] for row in rows))
    found = {row.group.name: row.measures["reward"] for row in rows}
    lines = [
        [f"`{policy}`", *(BY_KEY["reward"].told(found[policy, name], interval=True) for name in names)]
        for policy in (row.group.name[0] for row in _ordered(summary))
    ]
    return table([f"reward by {by}", *(Path(name).stem for name in names)], lines)


def _terms(summary: Summary) -> str:
    rows = _ordered(summary)
    paid = [term for term in TERMS if any(_value(row, f"term_{term}") for row in rows)]
    return _table([(term, f"term_{term}") for term in paid], rows)


def _value(row: Row, key: str) -> float:
    estimate = row.measures[key]
    return 0.0 if estimate is None else estimate.value


def _beliefs(summary: Summary, pictures: Sequence[str]) -> list[str]:
    rows = [row for row in _ordered(summary) if _speaks_up(row)]
    if not rows:
        return ["None of the policies reports a belief, disputes a claim or estimates an event."]
    return [
        "The policies that report a belief, dispute a claim or estimate an event.",
        _table(BELIEFS, rows),
        _picture("belief_error_by_turn", pictures),
    ]


def _speaks_up(row: Row) -> bool:
    """Does the policy report a belief, dispute a claim or estimate an event?"""
    said = row.measures["belief_skill"] or row.measures["bluff_precision"]
    return said is not None or _value(row, "mev_skill") != 0


def _glossary() -> str:
    """Every measure's definition."""
    lines = [[f"`{one.key}`", one.unit, one.what] for one in MEASURES if not re.match(r"term_|prior_", one.key)]
    return table(["in `summary.json`", "unit", "what"], lines, figures=False)


def _table(columns: Iterable[tuple[str, str]], rows: Sequence[Row]) -> str:
    columns = list(columns)
    lines = [[f"`{row.group.name[0]}`", *(BY_KEY[key].told(row.measures[key]) for _, key in columns)] for row in rows]
    return table(["policy", *(title for title, _ in columns)], lines)


def _picture(name: str, pictures: Sequence[str]) -> str:
    return f"![{PICTURES[name]}]({name}.png)" if name in pictures else ""

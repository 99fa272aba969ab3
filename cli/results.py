"""Results of episodes as tables and as JSON."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table

from cli.episodes import Result
from cli.stats import LEVEL, Estimate, mean, ratio
from parlay_env import __version__

if TYPE_CHECKING:
    from cli.run import Plan

By = Literal["policy", "scenario", "persona", "seat", "cell"]
"""What gets a row of its own, besides each policy."""


class Measure(msgspec.Struct, frozen=True):
    """A column: the mean of `value` over the episodes that `among` picks."""

    key: str
    title: str
    value: Callable[[Result], float]
    among: Callable[[Result], bool] = lambda _: True
    form: str = "{:.1f}"
    interval: bool = False
    """Shown in the table, too; in JSON all have one."""


def _share(title: str, key: str, value: Callable[[Result], bool], among: Callable[[Result], bool]) -> Measure:
    return Measure(key, title, value, among, "{:.1%}")


MEASURES = (
    Measure("reward", "reward", lambda r: r.reward, interval=True),
    Measure("efficiency_given_zopa", "E given\nZOPA", lambda r: r.efficiency, lambda r: r.zopa, "{:.2f}", True),
    _share("deals\ngiven\nZOPA", "deal_rate_given_zopa", lambda r: r.deal, lambda r: r.zopa),
    _share("walks\nwith-\nout", "walk_rate_without_zopa", lambda r: r.left, lambda r: r.walk_was_right),
    Measure("turns", "turns", lambda r: r.turns),
    _share("they\nleft", "opponent_walked", lambda r: r.was_left, lambda _: True),
    _share("brea-\nches", "breaches", lambda r: r.breach, lambda _: True),
    Measure("invalid_moves", "invalid\nmoves", lambda r: r.invalid_moves, form="{:.2f}"),
)


def grouped(found: Iterable[Result], by: By) -> dict[tuple[str, ...], list[Result]]:
    """Results by policy, and by what else is asked for, in the order in which they were played."""
    keys: dict[str, Callable[[Result], tuple[str, ...]]] = {
        "policy": lambda r: (r.policy,),
        "scenario": lambda r: (r.policy, r.scenario),
        "persona": lambda r: (r.policy, r.persona),
        "seat": lambda r: (r.policy, r.seat),
        "cell": lambda r: (r.policy, r.scenario, r.persona, r.seat),
    }
    groups: dict[tuple[str, ...], list[Result]] = {}
    for result in found:
        groups.setdefault(keys[by](result), []).append(result)
    return groups


def measured(group: Sequence[Result], measure: Measure) -> Estimate | None:
    """The measure over this group; None when no episode of it counts."""
    places = {seed: i for i, seed in enumerate(dict.fromkeys(r.seed for r in group))}
    tops, bottoms = np.zeros(len(places)), np.zeros(len(places))
    for result in group:
        if measure.among(result):
            tops[places[result.seed]] += measure.value(result)
            bottoms[places[result.seed]] += 1
    return ratio(tops, bottoms)


def summary_tables(found: Sequence[Result], policies: Sequence[str], by: By) -> list[Table]:
    """A row for every policy; by anything else, a table for every policy with a row for each."""
    groups = grouped(found, by)
    if by == "policy":
        return [_table(None, {_label(key): group for key, group in groups.items()})]
    tables = []
    for policy in policies:
        rows = {_label(key[1:]): group for key, group in groups.items() if policy == key[0]}
        tables.append(_table(policy, rows))
    return tables


def _label(key: tuple[str, ...]) -> str:
    """At most two lines, as the figures beside it have."""
    first, *rest = key
    return "\n".join((first, ", ".join(rest))) if rest else first


def _table(title: str | None, rows: dict[str, list[Result]]) -> Table:
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
    for measure in MEASURES:
        table.add_column(measure.title, justify="right", no_wrap=True)
    for label, group in rows.items():
        table.add_row(label, *(_cell(measured(group, measure), measure) for measure in MEASURES))
    return table


NOTE = f"Under a mean: its bootstrap {LEVEL:.0%} interval over seeds. –: no episode that counts."


def _cell(estimate: Estimate | None, measure: Measure) -> str:
    if estimate is None:
        return "–"
    text = measure.form.format(estimate.value)
    if not measure.interval or estimate.low is None or estimate.high is None:
        return text
    return f"{text}\n{measure.form.format(estimate.low)}…{measure.form.format(estimate.high)}"


def differences(found: Sequence[Result], policies: Sequence[str]) -> dict[str, Estimate | None]:
    """By how much each later policy's reward differs from the first's, seed by seed."""
    by_seed: dict[str, dict[int, list[float]]] = {}
    for result in found:
        by_seed.setdefault(result.policy, {}).setdefault(result.seed, []).append(result.reward)
    first = by_seed[policies[0]]
    return {
        policy: mean([np.mean(rewards) - np.mean(first[seed]) for seed, rewards in by_seed[policy].items()])
        for policy in policies[1:]
    }


def compared(found: Sequence[Result], policies: Sequence[str]) -> Table:
    """The later policies against the first, on the same seeds."""
    title = f"Reward beyond {policies[0]}’s,\nseed by seed"
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, show_edge=False)
    table.add_column("")
    table.add_column("difference", justify="right")
    table.add_column(f"{LEVEL:.0%} interval", justify="right")
    for policy, estimate in differences(found, policies).items():
        assert estimate is not None
        interval = "–" if estimate.low is None else f"{estimate.low:+.1f} … {estimate.high:+.1f}"
        table.add_row(policy, f"{estimate.value:+.1f}", interval)
    return table


def to_json(plan: Plan, found: Sequence[Result], by: By) -> bytes:
    """All of it: what was played, every summary, every episode."""
    content: dict[str, Any] = {
        "parlay": __version__,
        "python": platform.python_version(),
        "split": plan.split,
        "seeds": [plan.seeds[0], plan.seeds[-1]],
        "episodes_a_cell": len(plan.seeds),
        "policies": plan.policies,
        "summaries": [
            {"by": wanted, "group": key, "episodes": len(group)}
            | {measure.key: _plain(measured(group, measure)) for measure in MEASURES}
            for wanted in dict.fromkeys(("policy", by, "cell"))
            for key, group in grouped(found, wanted).items()
        ],
        "reward_difference_from_first": {
            policy: _plain(estimate) for policy, estimate in differences(found, plan.policies).items()
        },
        "episodes": found,
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"


def _plain(estimate: Estimate | None) -> dict[str, float | int | None] | None:
    return None if estimate is None else estimate._asdict()

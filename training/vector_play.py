"""A learned policy on held-out instances beside scripted baselines: what it earns and does, as a page and a plot."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from agent.registry import OPPONENTS
from game.events import Split
from parlay_env.tasks import seed_range
from training.episodes import Cell
from training.evaluate import evaluate, plan
from training.stats import Estimate, mean
from training.tables import table
from training.vector_env import Floats, Ints, ParlayVectorEnv
from training.vector_kernels import PARTS

Act = Callable[[Floats], Ints]
"""A policy: actions (N, parts) for observations (N, features)."""
SELDOM = 0.02
"""What is done less often than so many times an episode isn't told."""
MARKS = "<!-- ppo: begin -->", "<!-- ppo: end -->"
"""A page that has these two lines gets the results between them."""


class Played(msgspec.Struct, frozen=True):
    """Episodes of a policy, arrays of shape (cells, seeds) by what `info["grade"]` tells, and how often an episode has
    each value of each part of the action."""

    grades: dict[str, NDArray[Any]]
    habits: dict[str, dict[str, float]]

    @property
    def reward(self) -> NDArray[np.float64]:
        return self.grades["reward"]


class Point(msgspec.Struct, frozen=True):
    """Of a learning curve."""

    seconds: float
    """CPU time of training."""
    moves: int
    reward: float


class Row(msgspec.Struct, frozen=True):
    """A policy among others, all on the same instances."""

    policy: str
    reward: Estimate
    behind: Estimate | None
    """What the learned policy earns more; None for itself."""
    efficiency: float
    """E given ZOPA."""
    deals: float
    personas: dict[str, float]
    """The reward against each that was played."""


def play(act: Act, where: Sequence[Cell], split: Split, episodes: int) -> Played:
    """One episode on each of the split's first seeds in every cell."""
    first, _ = seed_range(split)
    found, counts = dict[str, list[NDArray[Any]]](), np.zeros(sum(map(len, PARTS.values())))
    for cell in where:
        deals = ParlayVectorEnv(episodes, scenario_id=cell.scenario, persona=cell.persona, seat=cell.seat, split=split)
        kept = dict[str, NDArray[Any]]()
        seen, _ = deals.reset(options={"seeds": range(first, first + episodes)})
        alive = np.ones(episodes, np.bool_)
        while alive.any():
            actions = act(seen)
            at = 0
            for part, size in enumerate(deals.sizes):
                counts[at : at + size] += np.bincount(actions[alive, part], minlength=size)
                at += size
            seen, _, ended, _, info = deals.step(actions)
            now = ended & alive
            for name, values in info.get("grade", {}).items():
                if not name.startswith("_"):
                    kept.setdefault(name, np.zeros(episodes, values.dtype))[now] = values[now]
            alive &= ~ended
        for name, values in kept.items():
            found.setdefault(name, []).append(values)
    often, habits = iter(counts / (len(where) * episodes)), dict[str, dict[str, float]]()
    for part, values in PARTS.items():
        habits[part] = {value: float(next(often)) for value in values}
    return Played({name: np.array(values) for name, values in found.items()}, habits)


def compare(name: str, mine: Played, where: Sequence[Cell], against: Sequence[str], split: Split) -> list[Row]:
    """The policy and baselines on the instances that it played, the best paid first; intervals over seeds."""
    grid = evaluate(plan(against, episodes=mine.reward.shape[1], split=split, where=where))
    grades = mine.grades
    efficiency, zopa = grades["efficiency"], grades["zopa"]
    rows = [_row(name, mine.reward, None, efficiency, zopa, grades["deal"], where)]
    deals = grid.array(lambda result: float(result.deal))
    for i, policy in enumerate(against):
        ahead = mean((mine.reward - grid.reward[i]).mean(axis=0))
        rows.append(_row(policy, grid.reward[i], ahead, grid.efficiency[i], grid.zopa[i], deals[i], where))
    return sorted(rows, key=lambda row: -row.reward.value)


def _row(
    policy: str,
    reward: NDArray[np.float64],
    behind: Estimate | None,
    efficiency: NDArray[np.float64],
    zopa: NDArray[Any],
    deals: NDArray[Any],
    where: Sequence[Cell],
) -> Row:
    found = mean(reward.mean(axis=0))
    assert found is not None
    met = {name: [cell.persona == name for cell in where] for name in OPPONENTS}
    personas = {name: float(reward[places].mean()) for name, places in met.items() if any(places)}
    given_zopa = float((efficiency * zopa).sum() / zopa.sum())
    return Row(policy, found, behind, given_zopa, float(deals.mean()), personas)


# What is told ---------------------------------------------------------------------------------------------------------


def told(estimate: Estimate | None, form: str = "{:.1f}") -> str:
    """A mean and its interval."""
    if estimate is None:
        return "–"
    if estimate.low is None or estimate.high is None:
        return figure(estimate.value, form)
    return f"{figure(estimate.value, form)} [{figure(estimate.low, form)}, {figure(estimate.high, form)}]"


def figure(value: float, form: str = "{:.1f}") -> str:
    return form.format(value).replace("-", "−")


def report(rows: Sequence[Row], mine: Played, curve: Sequence[Point], setting: str) -> str:
    """The results in Markdown."""
    personas = list(rows[0].personas)
    headings = ["policy", "reward", "behind the learned by", "E given ZOPA", "deals", *personas]
    lines = [
        [
            f"**{row.policy}**" if row.behind is None else f"`{row.policy}`",
            told(row.reward),
            told(row.behind, "{:+.1f}"),
            f"{100 * row.efficiency:.1f} %",
            f"{100 * row.deals:.0f} %",
            *(figure(row.personas[name]) for name in personas),
        ]
        for row in rows
    ]
    grades = mine.grades
    ends = ", ".join(f"{end} {100 * (grades['end'] == end).mean():.1f} %" for end in sorted(set(grades["end"].ravel())))
    doings = [
        [part, " · ".join(f"{value} {count:.2f}" for value, count in _often(often))]
        for part, often in mine.habits.items()
    ]
    points = [[f"{point.seconds:.0f}", f"{point.moves:,}", figure(point.reward)] for point in curve]
    return "\n\n".join(
        [
            setting,
            table(headings, lines).strip(),
            f"Its episodes take {grades['turn'].mean():.1f} turns and end by {ends}. Deals beyond its limit: "
            f"{100 * grades['breach'].mean():.1f} %. Refused moves an episode: {grades['invalid'].mean():.3f}.",
            "What it does, times an episode:",
            table(["part", "values"], doings, figures=False).strip(),
            "The curve:",
            table(["CPU seconds", "moves", "reward on `validation`"], points).strip(),
        ]
    )


def _often(often: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(((value, count) for value, count in often.items() if count >= SELDOM), key=lambda one: -one[1])


def draw(folder: Path, name: str, curve: Sequence[Point], levels: dict[str, float], below: str) -> None:
    """The learning curve as `ppo.png` and `ppo.svg`, with baselines on the same instances."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from training.plots import BLUE, FAINT, FORMATS, STYLE

    with rc_context(STYLE):
        page = Figure((7.2, 3.9))
        page.text(0.017, 0.97, f"{name} on the batched deals", va="top", size=12, weight="bold")
        page.text(0.017, 0.905, below, va="top", size=8.5, color=FAINT)
        axes = page.add_axes((0.085, 0.125, 0.765, 0.70))
        minutes, rewards = [point.seconds / 60 for point in curve], [point.reward for point in curve]
        axes.plot(minutes, rewards, "o-", color=BLUE, ms=4, lw=1.6)
        axes.annotate(name, (minutes[-1], rewards[-1]), (8, 0), textcoords="offset points", va="center", color=BLUE)
        for title, level in levels.items():
            axes.axhline(level, color=FAINT, lw=0.9, ls=(0, (4, 3)))
            at = (1.0, level)
            axes.annotate(title, at, (8, 0), ("axes fraction", "data"), "offset points", va="center", color=FAINT)
        axes.set_xlim(0, minutes[-1])
        axes.set_xlabel("CPU minutes of training, one core")
        axes.set_ylabel("reward (points an episode)")
        axes.grid(axis="y")
        for form in FORMATS:
            page.savefig(folder / f"ppo.{form}", metadata={"Date": None} if form == "svg" else {})


def to_json(content: dict[str, Any]) -> bytes:
    """The results as data."""
    return json.dumps(msgspec.to_builtins(content), indent=1).encode() + b"\n"

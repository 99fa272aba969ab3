"""What was measured of learners, as tables, as JSON, and as a transcript of before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from rich.box import SIMPLE_HEAD
from rich.table import Table

from parlay_env import __version__
from training.chat import text_of
from training.learner_eval import Comparison, Measured
from training.presets import Preset, as_dict
from training.probe import Habits
from training.rollout import Episode
from training.run_folder import run_of, versions
from training.stats import LEVEL, Estimate
from training.summary import plain
from training.tables import table

KIND = "learners"
COLUMNS = ("player", "reward", "gain", "E given ZOPA", "deals", "beyond limit", "turns", "valid answers")
NOTE = f"In brackets: bootstrap {LEVEL:.0%} intervals over seeds. Gain: over the first, on the same seeds."


CAME_NOTE = (
    "What came of it. Right walks: of episodes with no ZOPA left, the share it left. Belief error: of the other side's "
    "walk-away, in Δ0. Pareto, Nash: how far deals are from the efficient ones and from Nash's, in Δ0."
)


def tables(players: Sequence[Measured]) -> list[Table]:
    """A row for each player; the same of what came of it; then the habits of the learners."""
    came, habits = came_of(players), habits_of(players)
    return [_table(COLUMNS, lines(players), NOTE), _table(came[0], came[1:], CAME_NOTE), _table(habits[0], habits[1:])]


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]], note: str | None = None) -> Table:
    shown = Table(box=SIMPLE_HEAD, pad_edge=False, caption=note, caption_justify="left")
    for k, name in enumerate(columns):
        shown.add_column(name, justify="right" if k else "left")
    for row in rows:
        shown.add_row(*row)
    return shown


def came_of(players: Sequence[Measured]) -> list[list[str]]:
    """Headings and cells of the table of what came of it. Beliefs and KL have a column where anybody has any."""
    first = players[0].name if players else ""
    columns: list[tuple[str, Callable[[Measured], Estimate | None], Callable[[Estimate | None], str]]] = [
        ("deals given ZOPA", lambda one: one.came["deal_rate_given_zopa"], percent),
        ("deals without", lambda one: one.came["deal_rate_without_zopa"], percent),
        ("right walks", lambda one: one.came["walk_rate_without_zopa"], percent),
        ("belief error", lambda one: one.came["belief_error_walk_away"], partial(share, digits=2)),
        ("Pareto", lambda one: one.came["pareto_distance"], partial(share, digits=2)),
        ("Nash", lambda one: one.came["nash_distance"], partial(share, digits=2)),
        (f"KL to {first}", lambda one: one.kl, partial(share, digits=3)),
    ]
    shown = [
        one
        for one in columns
        if not one[0].startswith(("belief", "KL")) or any(one[1](player) is not None for player in players)
    ]
    rows = [[player.name, *(told(value(player)) for _, value, told in shown)] for player in players]
    return [["player", *(name for name, _, _ in shown)], *rows]


def lines(players: Sequence[Measured]) -> list[list[str]]:
    """The cells of the table of players."""
    return [
        [
            one.name,
            points(one.reward),
            points(one.gain, sign=True),
            share(one.efficiency, digits=2),
            percent(one.deals),
            percent(one.beyond_limit),
            f"{one.turns:.1f}",
            percent(one.valid),
        ]
        for one in players
    ]


def points(value: Estimate | None, *, sign: bool = False) -> str:
    """`41.2 [38.0, 44.5]`."""
    if value is None:
        return "–"
    shown = f"{value.value:+.1f}" if sign else f"{value.value:.1f}"
    return shown if value.low is None else f"{shown} [{value.low:.1f}, {value.high:.1f}]"


def share(value: Estimate | None, *, digits: int) -> str:
    """`.41 [.38, .44]` with so many digits."""
    if value is None:
        return "–"
    shown = f"{value.value:.{digits}f}"
    return shown if value.low is None else f"{shown} [{value.low:.{digits}f}, {value.high:.{digits}f}]"


def percent(value: Estimate | None) -> str:
    """`61.4% [55.2, 66.9]`."""
    if value is None:
        return "–"
    shown = f"{value.value:.1%}"
    return (
        shown if value.low is None or value.high is None else f"{shown} [{value.low * 100:.1f}, {value.high * 100:.1f}]"
    )


def habits_of(players: Sequence[Measured]) -> list[list[str]]:
    """Headings and cells of the exploit probe: a row a habit, a column a learner."""
    learners = [(one.name, one.habits) for one in players if one.habits is not None]
    rows = [
        [name.replace("_", " "), *(f"{getattr(habits, name):.1%}" for _, habits in learners)]
        for name in Habits.__struct_fields__
    ]
    return [["habit", *(name for name, _ in learners)], *rows]


def as_json(found: Comparison, chosen: Preset, models: Mapping[str, str], command: str) -> bytes:
    """Everything that was measured, with what it was measured on."""
    told = {
        "kind": KIND,
        "parlay": __version__,
        "versions": versions(),
        "command": command,
        "preset": as_dict(chosen),
        "models": dict(models),
        "runs": {name: run_of(place) for name, place in models.items()},
        "environment_share": found.environment_share,
        "players": [_player(one) for one in found.players],
        "rewards": {name: [round(one.reward, 6) for one in rows] for name, rows in found.outcomes.items()},
        "tasks": [msgspec.to_builtins(one.task) for one in next(iter(found.outcomes.values()))],
    }
    return msgspec.json.format(msgspec.json.encode(told), indent=1)


def _player(one: Measured) -> dict[str, Any]:
    return {
        **msgspec.to_builtins(one),
        **{
            name: plain(getattr(one, name))
            for name in ("reward", "gain", "efficiency", "deals", "beyond_limit", "valid", "kl")
        },
        "came": {key: plain(value) for key, value in one.came.items()},
    }


# Findings that were kept ----------------------------------------------------------------------------------------------


class BadResults(ValueError):
    """A file that holds no findings of `parlay train eval`; the message says what would be right."""


class Kept(msgspec.Struct, frozen=True):
    """What a file of findings is read for."""

    command: str
    parlay: str
    players: list[Measured]
    tasks: list[dict[str, Any]]
    runs: dict[str, dict[str, Any] | None] = {}
    """What the runs were asked that made the models, by the players' names; None of a model that no run here made."""


def read(path: Path) -> Kept:
    """The findings in a file that `parlay train eval --json` wrote. Raises BadResults, and OSError."""
    try:
        found = msgspec.json.decode(path.read_bytes())
        if found.get("kind") != KIND:
            raise BadResults(f"{path} holds no findings of `parlay train eval --json`")
        return msgspec.convert(_estimates(found), Kept)
    except (msgspec.MsgspecError, AttributeError, UnicodeDecodeError):
        raise BadResults(
            f"{path} can't be read: name a file that `parlay train eval --json` of this release wrote"
        ) from None


def _estimates(value: Any) -> Any:
    """Every estimate as the tuple that it is."""
    if isinstance(value, dict):
        if value.keys() == set(Estimate._fields):
            return [value[name] for name in Estimate._fields]
        return {name: _estimates(part) for name, part in value.items()}
    return [_estimates(part) for part in value] if isinstance(value, list) else value


def marks(path: Path) -> tuple[str, str]:
    """The lines between which a page has the tables of these findings."""
    return f"<!-- {path.name}:begin -->", f"<!-- {path.name}:end -->"


def markdown(found: Kept) -> str:
    """The tables, and what they were measured with."""
    seeds = len({task["seed"] for task in found.tasks})
    head = (
        f"`{found.command}`, Parlay {found.parlay}: {len(found.tasks)} held-out episodes each, on {seeds} seeds. {NOTE}"
    )
    came, habits = came_of(found.players), habits_of(found.players)
    parts = [head, table(COLUMNS, lines(found.players)), CAME_NOTE, table(came[0], came[1:])]
    if len(habits[0]) > 1:
        parts += ["The exploit probe, shares of episodes or of answers:", table(habits[0], habits[1:])]
    return "\n\n".join(parts)


# Episodes -------------------------------------------------------------------------------------------------------------


def transcripts(found: Comparison, before: str, after: str) -> str:
    """Both learners' episodes on the seed whose gain is the median, as Markdown."""
    k = found.median_gain(before, after)
    first, second = found.transcripts[before][k], found.transcripts[after][k]
    task = first.task
    head = (
        f"# {task.scenario_id}, {task.persona}, as the {task.seat}, seed {task.seed}\n\n"
        f"Chosen by rule: of {len(found.transcripts[before])} held-out episodes, the one whose gain of `{after}` over "
        f"`{before}` is the median ({second.reward - first.reward:+.1f} points)."
    )
    return "\n\n".join([head, _episode(before, first), _episode(after, second)]) + "\n"


def _episode(name: str, one: Episode) -> str:
    turns = [
        f"**Turn {turn.number}.**\n\n```text\n{text_of(turn.messages[-1:])}\n```\n\n`{turn.said.text}`"
        + ("" if turn.kind == "ok" else f" ({turn.kind})")
        for turn in one.turns
    ]
    return "\n\n".join([f"## {name}: {one.reward:.1f} points, {one.end}", *turns])

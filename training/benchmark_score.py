"""The score of a benchmark's record: one number with its interval, what stands beside it, and a table of many.

The score is the mean reward over all tasks. Every cell (scenario × persona × seat) has as many, so all weigh the same.
Tasks share no seed, and the cells are not drawn: the interval is a bootstrap over the rounds within each cell.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from parlay_env import __version__
from parlay_env.reward import EPISODE_RANGE
from parlay_env.tasks import ROUNDS
from training.benchmark import NAME, PUBLIC, SPLIT, VERSION, Played, edition, tasks_digest
from training.episodes import Cell, Plan
from training.grid import BYS, By, Grid, Group
from training.measures import BY_KEY, Measure
from training.rules import rules_digest
from training.stats import LEVEL, Estimate, stratified
from training.summary import plain
from training.tables import table

MARKS = "<!-- bench-1:begin -->", "<!-- bench-1:end -->"
"""A page that has these two lines gets the table between them."""
COLUMNS = {
    "reward": "score",
    "efficiency_given_zopa": "E given ZOPA",
    "deal_rate_given_zopa": "deals given ZOPA",
    "walk_rate_without_zopa": "right walks",
    "turns": "turns",
    "opponent_walked": "was left",
    "breaches": "breaches",
    "invalid_moves": "invalid moves",
}
MEASURES = tuple(BY_KEY[key] for key in COLUMNS)
INTERVAL = f"bootstrap over rounds within cells, {LEVEL:.0%}"


class Scored(msgspec.Struct, frozen=True, dict=True):
    """A record, played again."""

    name: str
    played: tuple[Played, ...]
    edition: str = PUBLIC
    tasks: str = ""
    record: str = ""
    """A digest of the record's bytes."""
    privileged: bool = False
    """Of a policy that knows what is hidden."""

    @cached_property
    def grid(self) -> Grid:
        """All results as a grid of one policy: where an evaluation has seeds, it has rounds."""
        where = tuple(dict.fromkeys(one.result.cell for one in self.played))
        plan = Plan((self.name,), where, SPLIT, 0, ROUNDS[SPLIT])
        number = {one.task.id: one.task.index // len(where) for one in self.played}
        return Grid(plan, [replace(one.result, policy=self.name, seed=number[one.task.id]) for one in self.played])

    @cached_property
    def reward(self) -> Estimate:
        """The score."""
        found = measured(self.grid, self.grid.groups("policy")[0], BY_KEY["reward"])
        assert found is not None
        return found

    @property
    def dropped(self) -> int:
        """Tasks that were left out or not finished."""
        return sum(one.dropped for one in self.played)

    @property
    def differing(self) -> int:
        """Tasks for which the record claims another reward than the replay paid."""
        return sum(one.differs for one in self.played)


def scored(
    name: str, played: Sequence[Played], key: bytes = b"", *, record: bytes = b"", privileged: bool = False
) -> Scored:
    """The score of all tasks of the edition with this key, as `replayed` gives them; `record` is the record's text."""
    digest = hashlib.blake2b(record, digest_size=8).hexdigest()
    return Scored(name, tuple(played), edition(key), tasks_digest(key), digest, privileged)


def measured(grid: Grid, group: Group, measure: Measure) -> Estimate | None:
    """A measure of a group of cells."""
    bottom = measure.bottom(grid)[group.policy, group.cells]
    top = np.where(bottom != 0, measure.top(grid)[group.policy, group.cells], 0.0)
    return stratified(top, bottom)


def rows(found: Scored, by: By) -> list[tuple[Group, dict[str, Estimate | None]]]:
    """Every measure of every group."""
    return [(group, {one.key: measured(found.grid, group, one) for one in MEASURES}) for group in found.grid.groups(by)]


def headline(found: Scored) -> str:
    """The result as it is reported: it names the game, the edition and the number of tasks."""
    dropped = f", {found.dropped} of them dropped" if found.dropped else ""
    return (
        f"{NAME} (rules {rules_digest()}, {found.edition}): {BY_KEY['reward'].told(found.reward, interval=True)} "
        f"over {len(found.played)} tasks{dropped}"
    )


# As data --------------------------------------------------------------------------------------------------------------


def to_json(found: Scored) -> bytes:
    """The score with all that stands beside it, and every task. Seeds are left out."""
    content: dict[str, Any] = {
        "benchmark": NAME,
        "version": VERSION,
        "edition": found.edition,
        "tasks": found.tasks,
        "rules": rules_digest(),
        "parlay": __version__,
        "name": found.name,
        "privileged": found.privileged,
        "record": found.record,
        "score": plain(found.reward),
        "interval": INTERVAL,
        "dropped": found.dropped,
        "claims_that_differ": found.differing,
        "measures": {one.key: {"what": one.what, "unit": one.unit} for one in MEASURES},
        "summaries": [
            {"by": by, "group": group.name[1:], "tasks": len(group.cells) * ROUNDS[SPLIT]}
            | {key: plain(estimate) for key, estimate in estimates.items()}
            for by in BYS
            for group, estimates in rows(found, by)
        ],
        "episodes": [_told(one) for one in found.played],
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"


def _told(one: Played) -> dict[str, Any]:
    result = one.result
    told = {"task_id": one.task.id, "cell": Cell(result.scenario, result.persona, result.seat), "reward": result.reward}
    if one.differs:
        told["claimed"] = one.claimed
    if one.dropped:
        return told | {"dropped": True}
    names = ("terms", "efficiency", "zopa", "deal", "breach", "end", "by", "turns", "invalid_moves")
    return told | {name: getattr(result, name) for name in names}


# A table of many ------------------------------------------------------------------------------------------------------


NAMES = re.compile(r"[\w.+@/:-][\w.+@/: -]{0,79}")
"""Names that stand in a table as they are."""
WORD = re.compile(r"[\w-]{1,64}")
RANGE = max(map(abs, EPISODE_RANGE))


class BadScores(ValueError):
    """Scores that can't stand in one table; the message says what would be right."""


class Interval(msgspec.Struct, frozen=True):
    """An estimate, as JSON has it."""

    value: float
    low: float | None
    high: float | None
    over: int

    def estimate(self) -> Estimate:
        return Estimate(self.value, self.low, self.high, self.over)


class Saved(msgspec.Struct, frozen=True):
    """What a table needs of a score's file."""

    benchmark: str
    version: int
    edition: str
    tasks: str
    rules: str
    name: str
    privileged: bool
    dropped: int
    score: Interval
    summaries: list[dict[str, Any]]

    def check(self) -> None:
        """Raise ValueError for what no score's file says: a name that a table can't show, figures that disagree."""
        if not NAMES.fullmatch(self.name) or not WORD.fullmatch(self.edition) or not WORD.fullmatch(self.rules):
            raise ValueError("its name, edition or rules have characters that a table can't show")
        reward = self.estimate("reward")
        if reward is None or reward.value != self.score.value or not abs(reward.value) <= RANGE:
            raise ValueError("its score is not the reward of its summary")

    def estimate(self, key: str) -> Estimate | None:
        """A measure of all tasks. Raises ValueError when the file has none such."""
        whole = next((summary for summary in self.summaries if summary.get("by") == "policy"), None)
        if whole is None:
            raise ValueError("it has no summary of all tasks")
        given = whole.get(key)
        return None if given is None else msgspec.convert(given, Interval).estimate()

    @property
    def game(self) -> tuple[str, int, str, str, str]:
        """What has to be equal for two scores to be compared."""
        return self.benchmark, self.version, self.edition, self.tasks, self.rules


def saved(folder: Path) -> list[Saved]:
    """All scores in this folder, the best first. Raises BadScores, and OSError for a file that can't be read."""
    found, first = list[Saved](), Path()
    for path in sorted(folder.glob("*.json")):
        try:
            one = msgspec.json.decode(path.read_bytes(), type=Saved)
            one.check()
        except (msgspec.DecodeError, ValueError) as error:
            raise BadScores(f"{path} is no score of {NAME} ({error}); take it out of the folder") from None
        if found and one.game != found[0].game:
            raise BadScores(
                f"{path} is of another game than {first} (edition {one.edition} and {found[0].edition}, rules "
                f"{one.rules} and {found[0].rules}): score its record again, or take it out of the folder"
            )
        first = first if found else path
        found.append(one)
    if not found:
        raise BadScores(f"there are no scores in {folder}: `parlay benchmark run --out {folder}` makes some")
    return sorted(found, key=lambda one: (-one.score.value, one.name))


def markdown(found: Sequence[Saved], command: str) -> str:
    """The table, and what it was made with."""
    first, dropped = found[0], any(one.dropped for one in found)
    lines = []
    for one in found:
        name = f"`{one.name}`" + (" (privileged)" if one.privileged else "")
        lines.append([name, *_cells(one), *([str(one.dropped)] if dropped else [])])
    headings = [*COLUMNS.values(), *(["dropped"] if dropped else [])]
    over = first.score.over
    return (
        f"Made by `{command}`: {first.benchmark}, rules `{first.rules}`, edition {first.edition}, {over} tasks each. "
        f"In brackets: {LEVEL:.0%} intervals.\n\n{table(['policy', *headings], lines)}"
    )


def _cells(one: Saved) -> list[str]:
    told = []
    for measure in MEASURES:
        estimate = one.estimate(measure.key)
        told.append(measure.told(estimate, interval=measure.key in ("reward", "efficiency_given_zopa")))
    return told

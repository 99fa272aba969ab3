"""What a data set is made of, on disk and in memory: episodes, examples, and a manifest that says how they came."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec

from agent.registry import OPPONENTS
from training.data.filters import FilterName
from training.data.tokens import TokenStats

FORMAT = 1
EPISODES, MANIFEST = "episodes.jsonl", "dataset.json"
DIGEST_BYTES = 16

SetName = Literal["train", "validation"]
SETS: tuple[SetName, ...] = ("train", "validation")


Told = Callable[[str, int, int], None]
"""Told of long work as it goes on: what is done, how much of it, and of how much."""


def nobody(what: str, done: int, total: int) -> None:
    """Told, and says nothing."""


class DataSetError(ValueError):
    """There is no data set where one was said to be, or its files are not what was built."""


class Episode(msgspec.Struct, frozen=True):
    """A kept episode: a line of `episodes.jsonl`."""

    episode: str
    set: SetName
    source: str
    learner: str
    scenario_id: str
    persona: str
    seat: str
    split: str
    events: bool
    seed: int | None
    """None of a person's game: its instance has a secret besides, and can't be asked for."""
    kept_for: tuple[str, ...]
    reward: float
    efficiency: float
    deal: bool
    end: str
    turns: int
    zopa: bool
    belief_skill: float
    actions: tuple[dict[str, Any], ...]
    """All of the learner's, in order; empty for a move that was not allowed."""
    allowed: tuple[bool, ...]

    def options(self, step: int) -> dict[str, Any] | None:
        """The options of `reset` that lead to the learner's move number `step`; None where none do: against an
        opponent that is no persona, in a person's game, after a move that wasn't allowed."""
        if self.seed is None or self.persona not in OPPONENTS or not all(self.allowed[:step]):
            return None
        return {
            "scenario_id": self.scenario_id,
            "persona": self.persona,
            "seat": self.seat,
            "seed": self.seed,
            "split": self.split,
            "events": self.events,
            "history": list(self.actions[:step]),
        }


class Example(msgspec.Struct, frozen=True):
    """What a model learns from: a line of `train.jsonl` or `validation.jsonl`."""

    episode: str
    step: int
    """The learner's how manieth move, from 0."""
    turn: int
    prompt: str
    action: str
    """One line of JSON, as the wire takes it."""


class CellCount(msgspec.Struct, frozen=True):
    """What there is of a cell."""

    scenario: str
    persona: str
    seat: str
    read: int
    """Episodes that could be played again."""
    kept: int
    deals: int
    """Of the kept ones."""
    examples: int


class Manifest(msgspec.Struct, frozen=True):
    """What a data set is: `dataset.json`."""

    format: int
    parlay: str
    prompt_version: str
    command: str
    source: str
    filter: FilterName
    most: int | None
    validation_share: float
    logs: int
    refused: dict[str, int]
    """Logs that are no data, by reason."""
    refused_first: tuple[str, ...]
    rejected: dict[str, int]
    """Episodes that were played again and not kept, by reason."""
    kept: int
    kept_for: dict[str, int]
    """Kept episodes by the rules that hold for them; several may."""
    kept_by_first: dict[str, int]
    """The same, each counted once: for the first rule that holds."""
    learners: dict[str, int]
    deal_rate_read: float | None
    """Deals among all that could be played again."""
    deal_rate: float | None
    """Deals among the kept."""
    deal_rate_given_zopa: float | None
    """Deals among the kept that had a ZOPA at the end, erosion left out."""
    efficiency: tuple[float, ...]
    """Quantiles of E among kept episodes that had a ZOPA: 0, .1, .25, .5, .75, .9, 1; empty for none."""
    not_allowed: int
    """Moves that were answered with an error: no examples."""
    duplicates: dict[str, int]
    examples: dict[SetName, int]
    episodes: dict[SetName, int]
    seeds: dict[SetName, int]
    cells: tuple[CellCount, ...]
    tokens: TokenStats | None
    digest: str
    """Of the files of examples and episodes."""


class DataSet(msgspec.Struct, frozen=True):
    """A data set as it was written."""

    manifest: Manifest
    episodes: dict[str, Episode]
    examples: dict[SetName, tuple[Example, ...]]


def load(folder: Path) -> DataSet:
    """The data set in this folder, its files held to the manifest's digest. Raises DataSetError."""
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
        written = {name: (folder / name).read_bytes() for name in (*(f"{name}.jsonl" for name in SETS), EPISODES)}
    except OSError as error:
        told = f"{folder} holds no data set ({error.strerror}): `parlay data build LOGS --out {folder}` makes one"
        raise DataSetError(told) from None
    except msgspec.DecodeError as error:
        raise DataSetError(f"{folder / MANIFEST} can't be read: {error}; build the set again") from None
    if digest_of(written) != manifest.digest:
        raise DataSetError(f"the files in {folder} are not those that were built; build the set again")
    episodes = [msgspec.json.decode(line, type=Episode) for line in written[EPISODES].splitlines()]
    examples: dict[SetName, tuple[Example, ...]] = {
        name: tuple(msgspec.json.decode(line, type=Example) for line in written[f"{name}.jsonl"].splitlines())
        for name in SETS
    }
    return DataSet(manifest, {one.episode: one for one in episodes}, examples)


def digest_of(written: dict[str, bytes]) -> str:
    """Of the files, by name and content."""
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for name, content in sorted(written.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()

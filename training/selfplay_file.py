"""What self-play keeps: `episodes.jsonl`, an episode a line in the order of the plan, after a first line that says what
is played and from which sources.

An episode is written as soon as it is over. One that is over before another that the plan has earlier goes to
`episodes.ahead.jsonl`, in the same form, and from there to its place when that one is over, too: so nothing is ever
played again, and the file is the same whatever was at once. A run that was played to its end leaves no such file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import BinaryIO

import msgspec

from agent.llm.base import Usage
from agent.llm.names import is_language
from game.events import Split
from training.episodes import Cell
from training.record import RecordDamaged, RunMismatch, lock

FILE = "episodes.jsonl"
AHEAD = "episodes.ahead.jsonl"
KIND = "parlay-selfplay"
FORMAT = 2
_encode = msgspec.json.Encoder().encode


class Match(msgspec.Struct, frozen=True):
    """One episode to be played. The cell's `persona` is the opponent: a persona, or a policy that speaks, too."""

    learner: str
    cell: Cell
    split: Split
    seed: int

    @property
    def models(self) -> tuple[str, ...]:
        """The language models in it."""
        return tuple(name for name in (self.learner, self.cell.persona) if is_language(name))


class SelfPlan(msgspec.Struct, frozen=True):
    """What is to be played."""

    learners: tuple[str, ...]
    cells: tuple[Cell, ...]
    split: Split
    first_seed: int
    episodes: int
    """Of a learner in a cell."""

    @property
    def total(self) -> int:
        """Episodes in all."""
        return len(self.learners) * len(self.cells) * self.episodes

    @property
    def models(self) -> tuple[str, ...]:
        """The language models in it, each once."""
        players = (*self.learners, *(cell.persona for cell in self.cells))
        return tuple(dict.fromkeys(name for name in players if is_language(name)))

    def matches(self) -> Iterator[Match]:
        """All there is to play, round by round: a round has an episode of every learner in every cell."""
        for i, (k, cell) in product(range(self.episodes), enumerate(self.cells)):
            seed = self.first_seed + i * len(self.cells) + k
            yield from (Match(learner, cell, self.split, seed) for learner in self.learners)


class Played(msgspec.Struct, frozen=True):
    """A played episode: a line of the file. `log` has the event log's lines, one after the other, as they are."""

    match: Match
    reward: float
    efficiency: float
    end: str
    turns: int
    spent: Usage
    """What language models used; nothing, where none plays."""
    log: tuple[msgspec.Raw, ...]

    def log_lines(self) -> bytes:
        """The event log as a file has it (`EventLog.from_jsonl`)."""
        return b"\n".join(bytes(line) for line in self.log) + b"\n"


class Header(msgspec.Struct, frozen=True):
    """The file's first line: what is played, and a digest of all that decides an episode and its words."""

    kind: str
    format: int
    parlay: str
    sources: str
    plan: SelfPlan


class Kept:
    """An open folder of episodes, this process's alone."""

    def __init__(self, file: BinaryIO, ahead: BinaryIO, header: Header, found: list[Played]) -> None:
        self._file, self._ahead = file, ahead
        self._order = list(header.plan.matches())
        self._found: dict[Match, Played] = {}
        self._written = 0
        """So many of the plan's episodes, from its first on, are in the file."""
        for one in found:
            self._found[one.match] = one

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, match: Match) -> bool:
        return match in self._found

    def played(self) -> list[Played]:
        """What is there, in the plan's order."""
        return [self._found[match] for match in self._order if match in self._found]

    def keep(self, one: Played) -> None:
        """Write this episode, before anything else is played."""
        self._found[one.match] = one
        if one.match == self._order[self._written]:
            self.catch_up(self._written)
        else:
            self._ahead.write(_encode(one) + b"\n")
            self._ahead.flush()

    def catch_up(self, written: int) -> None:
        """Put what is there and next into the file, which holds so many."""
        self._written = written
        while self._written < len(self._order) and (one := self._found.get(self._order[self._written])) is not None:
            self._file.write(_encode(one) + b"\n")
            self._written += 1
        self._file.flush()

    def waiting(self) -> list[Played]:
        """What is there and not yet in the file."""
        return [self._found[match] for match in self._order[self._written :] if match in self._found]


@contextmanager
def opened(folder: Path, wanted: Header) -> Iterator[Kept]:
    """The folder's episodes, ready to go on with. Raises RunMismatch, RecordDamaged, RecordBusy, OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    path, beside = folder / FILE, folder / AHEAD
    order = list(wanted.plan.matches())
    with path.open("a+b") as file:
        lock(file, path)
        found = _held(file, path, wanted)
        if [one.match for one in found] != order[: len(found)]:
            raise RecordDamaged(f"{path} lacks an episode in its midst, or has one twice; delete it and play again")
        with beside.open("a+b") as ahead:
            early = _held(ahead, beside, wanted)
            if not {one.match for one in early} <= set(order):
                raise RecordDamaged(f"{beside} has an episode that is none of the run's; delete it and play again")
            kept = Kept(file, ahead, wanted, [*early, *found])
            try:
                kept.catch_up(len(found))
                yield kept
            finally:
                os.fsync(file.fileno())
                _tidied(beside, wanted, kept.waiting())


def _held(file: BinaryIO, path: Path, wanted: Header) -> list[Played]:
    """The episodes in this file, which is made ready to be written on. Raises RunMismatch, RecordDamaged."""
    file.seek(0)
    header, found, end = _read(file, path)
    if header is None:
        file.truncate(0)
        file.write(_encode(wanted) + b"\n")
        file.flush()
        return []
    _compare(header, wanted, path.parent)
    file.truncate(end)
    file.seek(0, os.SEEK_END)
    return found


def _tidied(beside: Path, header: Header, waiting: list[Played]) -> None:
    """The second file without what has its place in the first; no file, where nothing is left."""
    if not waiting:
        beside.unlink()
        return
    fresh = beside.with_suffix(".new")
    with fresh.open("wb") as file:
        file.writelines(_encode(one) + b"\n" for one in (header, *waiting))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(beside)


def read(path: Path) -> tuple[Header, list[Played]]:
    """A self-play file as it is, finished or not. Raises RecordDamaged."""
    with path.open("rb") as file:
        header, found, _ = _read(file, path)
    if header is None:
        raise RecordDamaged(f"{path} has no first line: `parlay selfplay --out {path.parent}` begins it anew")
    return header, found


def _read(file: BinaryIO, path: Path) -> tuple[Header | None, list[Played], int]:
    """The header, the episodes, and where the last whole line ends."""
    first = file.readline()
    if not first.endswith(b"\n"):
        return None, [], 0
    try:
        header = msgspec.json.decode(first, type=Header)
    except msgspec.DecodeError as error:
        raise RecordDamaged(f"{path}, line 1: this is no self-play of Parlay's ({error})") from None
    if (header.kind, header.format) != (KIND, FORMAT):
        raise RunMismatch(f"{path} was written by parlay {header.parlay}, in another form; name another folder")
    decoder, end, found = msgspec.json.Decoder(Played), len(first), []
    for number, line in enumerate(file, 2):
        if not line.endswith(b"\n"):
            break
        try:
            found.append(decoder.decode(line))
        except msgspec.DecodeError as error:
            raise RecordDamaged(f"{path}, line {number}: {error}") from None
        end += len(line)
    return header, found, end


def _compare(header: Header, wanted: Header, folder: Path) -> None:
    way_out = f"name another folder (--out), or delete {folder}"
    for name in SelfPlan.__struct_fields__:
        if getattr(header.plan, name) != getattr(wanted.plan, name):
            raise RunMismatch(f"{folder} holds a run with other {name.replace('_', ' ')}; {way_out}")
    if header.sources != wanted.sources:
        raise RunMismatch(
            f"{folder} was played from other sources (then {header.sources}, now {wanted.sources}); {way_out}"
        )

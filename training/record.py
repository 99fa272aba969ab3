"""The episodes of an evaluation on disk: a file that is only ever appended to, so that a killed run goes on.

Its first line says what is played and from which sources; every other line is a result. What was being written when
the process was killed is an unfinished last line: it is dropped. A run with another plan, or of other sources, is
refused: results of two games don't mix.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec

from game.scenarios import scenarios
from parlay_env import __version__
from training import policies
from training.episodes import Cell, Plan, Result
from training.rules import GROUND, PAID, ROOT

try:
    import fcntl
except ImportError:  # Not on Windows: there nobody is kept from running twice in one folder.
    fcntl = None

FILE = "episodes.jsonl"
FORMAT = 2
_RECORDED_BY = ("episodes", "language", "outcomes", "policies", "witness")
_SOURCES = (
    *("agent", "parlay_env/deal", *GROUND),
    *(f"parlay_env/{name}.py" for name in PAID),
    *(f"training/{name}.py" for name in _RECORDED_BY),
)
"""The folders and files that decide an episode, and what is written down of it."""
_TEXT = frozenset({".py", ".yaml"})
_ELSEWHERE = Path("agent", "games")
"""Who plays the strategic games decides no deal."""

Key = tuple[str, Cell, int]


class EvaluationError(ValueError):
    """An evaluation that can't be played or read as asked; the message says what would be right."""


class RunMismatch(EvaluationError):
    """The folder holds a run with another plan, or of other sources."""


class RecordDamaged(EvaluationError):
    """A line of the file, other than an unfinished last one, is no result of this run."""


class RecordBusy(EvaluationError):
    """Another process writes to this folder."""


class Header(msgspec.Struct, frozen=True):
    """The first line."""

    format: int
    parlay: str
    sources: str
    """A digest of all that decides an episode: the same digest, the same results."""
    plan: Plan


class _Form(msgspec.Struct, frozen=True):
    """What a first line has in every form."""

    format: int
    parlay: str


def header_of(plan: Plan) -> Header:
    """The header of a run of this plan, here and now."""
    return Header(FORMAT, __version__, sources_digest(plan), plan)


def sources_digest(plan: Plan, root: Path = ROOT) -> str:
    """The files that decide an episode and what is kept of it, policies too, byte by byte: 16 hexadecimal digits.

    The digest of the game alone is `training.rules.rules_digest`.
    """
    files = [root / name for name in _SOURCES if Path(name).suffix in _TEXT]
    for folder in (root / name for name in _SOURCES if not Path(name).suffix):
        files += [file for file in folder.rglob("*") if file.suffix in _TEXT and root / _ELSEWHERE not in file.parents]
    own = {cell.scenario for cell in plan.cells} - set(scenarios())
    named = {file.relative_to(root).as_posix(): file for file in files}
    named |= {name: Path(name) for name in own}
    named |= {f"{name}: {file.name}": file for name in plan.policies for file in policies.sources(name)}
    digest = hashlib.blake2b(digest_size=8)
    for name, file in sorted(named.items()):
        content = file.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


class Record:
    """An open file of results, this process's alone until it is closed."""

    def __init__(self, file: BinaryIO, header: Header, found: dict[Key, Result]) -> None:
        self._file = file
        self._encoder = msgspec.json.Encoder()
        self.header = header
        self.found = found

    def append(self, results: Iterable[Result]) -> None:
        """Keep these results, before anything else is played."""
        results = list(results)
        self._file.write(b"".join(self._encoder.encode(result) + b"\n" for result in results))
        self._file.flush()
        self.found.update((key_of(result), result) for result in results)


def key_of(result: Result) -> Key:
    """Which episode of its run a result is."""
    return result.policy, result.cell, result.seed


@contextmanager
def open_record(folder: Path, plan: Plan) -> Iterator[Record]:
    """The record in this folder, made when there is none, ready to go on with.

    Raises RunMismatch, RecordDamaged, RecordBusy, and OSError for a folder that can't be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path, wanted = folder / FILE, header_of(plan)
    with path.open("a+b") as file:
        lock(file, path)
        file.seek(0)
        header, found, end = _read(file, path)
        if header is None:
            file.truncate(0)
            file.write(msgspec.json.encode(wanted) + b"\n")
            file.flush()
        else:
            _compare(header, wanted, folder)
            if file.seek(0, os.SEEK_END) > end:
                file.truncate(end)
        yield Record(file, wanted, found)


def read_record(folder: Path) -> tuple[Header, dict[Key, Result]]:
    """The header and the results in this folder. Raises RecordDamaged, and EvaluationError where there is none."""
    path = folder / FILE
    if not path.is_file():
        raise EvaluationError(f"there is no evaluation in {folder}: `parlay eval --out {folder}` makes one")
    with path.open("rb") as file:
        header, found, _ = _read(file, path)
    if header is None:
        raise EvaluationError(f"{path} is empty: `parlay eval --out {folder}` fills it")
    return header, found


def lock(file: BinaryIO, path: Path) -> None:
    """Keep others from writing to this file. Raises RecordBusy when somebody does."""
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RecordBusy(f"another run writes to {path}; wait for it, or name another folder (--out)") from None


def _read(file: BinaryIO, path: Path) -> tuple[Header | None, dict[Key, Result], int]:
    """The header, the results, and where the last whole line ends."""
    first = file.readline()
    if not first.endswith(b"\n"):
        return None, {}, 0
    try:
        form = msgspec.json.decode(first, type=_Form)
        header = msgspec.json.decode(first, type=Header) if form.format == FORMAT else None
    except msgspec.DecodeError as error:
        raise RecordDamaged(f"{path}, line 1: this is no evaluation of Parlay's ({error})") from None
    if header is None:
        raise RunMismatch(f"{path} was written by parlay {form.parlay}, in another form; name another folder")
    decoder, end, found = msgspec.json.Decoder(Result), len(first), {}
    planned, seeds = set(header.plan.policies), header.plan.seeds
    places = set(header.plan.cells)
    for number, line in enumerate(file, 2):
        if not line.endswith(b"\n"):
            break
        try:
            result = decoder.decode(line)
        except msgspec.DecodeError as error:
            told = f"{path}, line {number}: {error}; delete this line, its episode is played again"
            raise RecordDamaged(told) from None
        key = key_of(result)
        if key[0] not in planned or key[1] not in places or key[2] not in seeds:
            raise RecordDamaged(f"{path}, line {number}: this episode is none of the run's; delete the line")
        found[key] = result
        end += len(line)
    return header, found, end


def _compare(header: Header, wanted: Header, folder: Path) -> None:
    """Raise RunMismatch unless a run of the wanted plan may go on in this folder."""
    way_out = f"name another folder (--out), or delete {folder}"
    for name in Plan.__struct_fields__:
        there, here = getattr(header.plan, name), getattr(wanted.plan, name)
        if there != here:
            raise RunMismatch(f"{folder} holds a run with other {_named(name, there, here)}; {way_out}")
    if header.sources != wanted.sources:
        raise RunMismatch(
            f"{folder} was played from other sources (then {header.sources}, now {wanted.sources}); {way_out}"
        )


def _named(field: str, there: object, here: object) -> str:
    """A field of the plan, and how it differs, in a few words."""
    title = field.replace("_", " ")
    if not (isinstance(there, tuple) and isinstance(here, tuple)):
        there, here = ({True: "on", False: "off"}[one] if isinstance(one, bool) else one for one in (there, here))
        return f"{title} (there {there}, here {here})"
    missing = [str(one) for one in here if one not in there]
    besides = [str(one) for one in there if one not in here]
    told = [f"{what} {_some(names)}" for what, names in (("it lacks", missing), ("it has", besides)) if names]
    return f"{title} ({'; '.join(told) or 'in another order'})"


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (" and more" if names[3:] else "")

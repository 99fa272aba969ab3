"""Where logs come from: self-play files and bare event logs on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from agent.baselines import UnknownPolicy
from training.data.checked import Found, Refused
from training.policies import check
from training.selfplay_file import AHEAD, FILE, FORMAT, KIND, Header, Played

UNKNOWN = "unknown"
"""The learner of a bare log: nobody says who it was."""
_LOG = "*.jsonl"


class SourceError(ValueError):
    """There is nothing to read where logs were said to be; the message says what would be right."""


class _Kind(msgspec.Struct):
    """What tells the two kinds of file apart."""

    kind: str = ""
    game: str = ""


def files_of(paths: Sequence[Path]) -> list[Path]:
    """The files that these paths name: a self-play folder its `episodes.jsonl` and, of an unfinished run, what
    was over before its turn; any other folder all that end in
    `.jsonl`, a file itself. Raises SourceError."""
    found: list[Path] = []
    for path in paths:
        if path.is_file():
            found.append(path)
        elif (path / FILE).is_file():
            found += [file for file in (path / FILE, path / AHEAD) if file.is_file()]
        elif path.is_dir() and (logs := sorted(path.glob(_LOG))):
            found += logs
        else:
            raise SourceError(f"there are no logs at {path}: `parlay selfplay --out {path}` plays some")
    if not found:
        raise SourceError("name a folder or a file of logs")
    return list(dict.fromkeys(found))


def logs_in(path: Path) -> Iterator[Found | Refused]:
    """The logs of a file, those that can't be read as what is wrong with them. Raises SourceError for a file of
    another kind or release, and OSError."""
    content = path.read_bytes()
    first, _, rest = content.partition(b"\n")
    try:
        kind = msgspec.json.decode(first, type=_Kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise SourceError(f"{path} is neither a self-play file nor an event log") from None
    if kind.game:
        yield Found("selfplay", content, UNKNOWN, str(path))
    elif kind.kind == KIND:
        yield from _episodes(path, first, rest)
    else:
        raise SourceError(f"{path} is neither a self-play file nor an event log")


def _episodes(path: Path, first: bytes, rest: bytes) -> Iterator[Found | Refused]:
    try:
        header = msgspec.json.decode(first, type=Header)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SourceError(f"{path}, line 1: {error}") from None
    if header.format != FORMAT:
        raise SourceError(f"{path} was written by parlay {header.parlay}, in another form: play it again")
    decoder = msgspec.json.Decoder(Played)
    for number, line in enumerate(rest.splitlines(keepends=True), start=2):
        where = f"{path}, line {number}"
        if not line.endswith(b"\n"):
            yield Refused("damaged", f"{where}: the line is cut off")
            continue
        try:
            played = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            yield Refused("damaged", f"{where}: {error}")
            continue
        match = played.match
        try:
            check(match.learner)
        except UnknownPolicy as error:  # it stands in the card: no place for whatever a file says
            yield Refused("setup", f"{where}, learner: {error}")
            continue
        yield Found(
            source="selfplay",
            log=played.log_lines(),
            learner=match.learner,
            where=where,
            opponent=match.cell.persona,
            reward=played.reward,
        )

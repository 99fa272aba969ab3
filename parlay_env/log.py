"""The event log: the setup, the seed and the moves of an episode, append-only, each entry chained to all before it.

A line is JSON: the first `{"v", "game", "setup", "seed", "hash"}`, then one `{"moves", "hash"}` per call of
`Game.play`. `hash` is BLAKE2b-128 of the previous line's hash and this line's content, so a line that was changed,
dropped or added breaks every hash after it. A log holds the seed: it never leaves the server before the episode's end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

VERSION = 1
_encode = msgspec.json.Encoder(order="deterministic").encode


class LogError(ValueError):
    """A log that can't be read: another version or game, a broken chain, or not a log at all."""


class _Head(msgspec.Struct, frozen=True):
    v: int
    game: str
    setup: msgspec.Raw
    seed: int
    hash: str


class _Entry(msgspec.Struct, frozen=True):
    moves: msgspec.Raw
    hash: str


def _chain(previous: str, content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16, key=previous.encode()).hexdigest()


class EventLog(msgspec.Struct, frozen=True):
    """An append-only log; `append` gives a longer one and leaves this one as it is."""

    head: _Head
    entries: tuple[_Entry, ...] = ()

    @classmethod
    def begin(cls, game: str, setup: Any, seed: int) -> EventLog:
        """The log of an episode that has not been moved in."""
        raw = _encode(setup)
        return cls(_Head(VERSION, game, msgspec.Raw(raw), seed, _chain("", _head_content(VERSION, game, raw, seed))))

    def append(self, moves: Mapping[str, Any]) -> EventLog:
        """The log after one more call of `Game.play` with these moves."""
        raw = _encode(moves)
        return EventLog(self.head, (*self.entries, _Entry(msgspec.Raw(raw), _chain(self.last_hash, raw))))

    @property
    def last_hash(self) -> str:
        return self.entries[-1].hash if self.entries else self.head.hash

    @property
    def seed(self) -> int:
        return self.head.seed

    def setup(self, game: str, kind: type) -> Any:
        """The episode's setup. Raises LogError when this is another game's log."""
        if self.head.game != game:
            raise LogError(f"this log is of the game {self.head.game!r}, not {game!r}")
        try:
            return msgspec.json.decode(self.head.setup, type=kind)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise LogError(f"the setup can't be read: {error}") from None

    def moves(self, kind: Any) -> Iterator[dict[str, Any]]:
        """The moves by seat, one mapping for each call of `Game.play`."""
        decode = msgspec.json.Decoder(dict[str, kind]).decode  # pyright: ignore[reportInvalidTypeForm]
        for number, entry in enumerate(self.entries, start=2):
            try:
                yield decode(entry.moves)
            except (msgspec.MsgspecError, RecursionError) as error:
                raise LogError(f"the moves of line {number} can't be read: {error}") from None

    def to_jsonl(self) -> bytes:
        """One line of JSON per entry."""
        return b"\n".join([msgspec.json.encode(self.head), *map(msgspec.json.encode, self.entries)]) + b"\n"

    @classmethod
    def from_jsonl(cls, text: bytes) -> EventLog:
        """Read and verify a log. Raises LogError, naming the line, when it was not written by `to_jsonl`."""
        lines = text.splitlines()
        if not lines:
            raise LogError("an empty file is not a log")
        try:
            head = msgspec.json.decode(lines[0], type=_Head)
            entries = tuple(msgspec.json.decode(line, type=_Entry) for line in lines[1:])
        except (msgspec.MsgspecError, RecursionError) as error:
            raise LogError(f"not a log: {error}") from None
        return cls(head, entries).verified()

    def verified(self) -> EventLog:
        """This log, if every line follows from those before it. Raises LogError, naming the line, if not."""
        head = self.head
        if head.v != VERSION:
            raise LogError(f"this log has version {head.v}; this release reads version {VERSION}")
        expected = _chain("", _head_content(head.v, head.game, bytes(head.setup), head.seed))
        for number, line in enumerate((head, *self.entries), start=1):
            if isinstance(line, _Entry):
                expected = _chain(expected, bytes(line.moves))
            if line.hash != expected:
                raise LogError(f"line {number} does not follow from the lines before it: the log was changed")
        return self


def _head_content(version: int, game: str, setup: bytes, seed: int) -> bytes:
    return b"%d|%s|%d|%s" % (version, game.encode(), seed, setup)

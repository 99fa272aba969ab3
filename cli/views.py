"""A strategic game's view for a person at a terminal: a line for each field, a table for what grows by rounds.

It knows no game: the names of fields are their labels, `round` and `rounds` are told together, `_t` and `_kg` are
units, and what a game has `by_seat` stands under the names of the seats. Of a long table it tells the newest rows, and
a long text once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from parlay_env.core import Seat

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

APART = frozenset(("game", "seat", "your_move", "rules", "prompt", "ended", "invalid"))
"""Fields that are told elsewhere, or by what is asked."""
COUNTERS = {"round": "rounds", "month": "months"}
"""Where one is, and of how many."""
UNITS = {"_t": "t", "_kg": "kg"}
NEWEST = 6
"""Rows that are told of a table."""
LONG = 160
"""Characters of a text that is told only when it is new."""
LABEL = 10
"""The width of the labels."""


class Shown(msgspec.Struct, frozen=True):
    """How the views of an episode are told. `seats`: those that are played; `by_seat`: the fields, at any depth, whose
    lists are in their order."""

    out: Console
    seats: tuple[Seat, ...]
    by_seat: frozenset[str]

    def show(self, view: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        """Print a view, as a session observes it. `before`: the one before it; empty where there is none."""
        counter = next((name for name in COUNTERS if name in view), "")
        for name, value in view.items():
            known = isinstance(value, str) and len(value) > LONG and before.get(name) == value
            if name in APART or name == COUNTERS.get(counter) or known:
                continue
            if name == counter and COUNTERS[name] in view:
                self._line(name, f"{value} of {view[COUNTERS[name]]}")
            else:
                self._field(name, value, counter)
        if view.get("invalid"):
            self.out.print(f"not played: {view['invalid']['message']}", style="yellow", soft_wrap=True)

    def _field(self, name: str, value: Any, counter: str) -> None:
        label, unit = labelled(name)
        by_seat = name in self.by_seat and _is_list(value)
        if _is_empty(value):
            return
        if isinstance(value, Mapping):
            plain = {part: one for part, one in value.items() if not _is_rows(one)}
            if told := self._struct(plain):
                self._line(label, told)
            for part, one in value.items():
                if part not in plain:
                    self._field(part, one, counter)
        elif _is_said(value):
            self._lines(label, [self._said(one) for one in value])
        elif by_seat and len(value) == len(self.seats) and not all(map(_is_list, value)):
            if any(isinstance(one, (str, Mapping)) for one in value):
                self._lines(label, [f"{seat}: {self._told(one)}" for seat, one in zip(self.seats, value, strict=True)])
            else:
                self._line(label, self._each(value, unit))
        elif _is_rows(value):
            self._line(label)
            self.out.print(self._table(value, unit, name in self.by_seat, counter))
        else:
            self._line(label, self._told(value, unit))

    def _line(self, label: str, told: str = "") -> None:
        self.out.print(f"{label:{LABEL}} {told}".rstrip(), soft_wrap=True)

    def _lines(self, label: str, told: Sequence[str]) -> None:
        for number, line in enumerate(told):
            self._line("" if number else label, line)

    def _said(self, one: Mapping[str, Any]) -> str:
        """A message, or a thought."""
        when = [f"{name} {one[name]}" for name in ("round", "move") if name in one]
        return f"{', '.join([one['seat'], *when])}: {one['words']}"

    def _table(self, rows: Sequence[Any], unit: str, by_seat: bool, counter: str) -> RenderableType:
        """The newest rows, with their numbers from 1."""
        from rich.box import SIMPLE_HEAD
        from rich.table import Table

        first = max(0, len(rows) - NEWEST)
        told = [dict(self._cells(row, unit, by_seat)) for row in rows[first:]]
        names = list(dict.fromkeys(name for row in told for name in row))
        caption = f"the last {NEWEST} of {len(rows)}" if first else None
        table = Table(box=SIMPLE_HEAD, pad_edge=False, caption=caption, caption_justify="left")
        table.add_column(counter or "#", justify="right")
        for name in names:
            table.add_column(name, justify="right", overflow="fold")
        for number, row in enumerate(told, first + 1):
            table.add_row(str(number), *(row.get(name, "") for name in names))
        return table

    def _cells(self, row: Any, unit: str, by_seat: bool) -> Iterator[tuple[str, str]]:
        """A row's cells by the names of their columns: a struct has one for each field, and one for each seat of what
        is by seat."""
        if isinstance(row, Mapping):
            for name, value in row.items():
                label, of = labelled(name)
                if name in self.by_seat and _is_list(value):
                    for seat, one in zip(self.seats, value, strict=True):
                        yield f"{label} {seat}", self._told(one, of)
                else:
                    yield label, self._told(value, of)
        elif by_seat:
            for seat, one in zip(self.seats, row, strict=True):
                yield seat, self._told(one, unit)
        else:
            yield "", self._told(row, unit)

    def _struct(self, fields: Mapping[str, Any]) -> str:
        told = []
        for name, value in fields.items():
            label, unit = labelled(name)
            if not _is_empty(value):
                each = name in self.by_seat and _is_list(value)
                told.append(f"{label} {self._each(value, unit) if each else self._told(value, unit)}")
        return ", ".join(told)

    def _each(self, values: Sequence[Any], unit: str) -> str:
        return ", ".join(f"{seat} {self._told(one, unit)}" for seat, one in zip(self.seats, values, strict=True))

    def _told(self, value: Any, unit: str = "") -> str:
        """A value in a few words."""
        if value is None:
            return "–"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, Mapping):
            return self._struct(value) or "–"
        if _is_list(value):
            return ", ".join(self._told(one, unit) for one in value)
        return f"{value:.6g} {unit}".rstrip() if isinstance(value, float) else f"{value} {unit}".rstrip()


def labelled(name: str) -> tuple[str, str]:
    """A field's name in words, and its unit."""
    for ending, unit in UNITS.items():
        if name.endswith(ending):
            return name.removesuffix(ending).replace("_", " "), unit
    return name.replace("_", " "), ""


def numbered(count: int, one: str, many: str) -> str:
    """So many of something: `1 episode`, `200 episodes`."""
    return f"{count:,} {one if count == 1 else many}"


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, (str, list, tuple, Mapping)) and not value)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _is_rows(value: Any) -> bool:
    """Is this a list of structs or of lists?"""
    return _is_list(value) and bool(value) and all(isinstance(one, Mapping) or _is_list(one) for one in value)


def _is_said(value: Any) -> bool:
    """Are these messages, or thoughts, each of somebody?"""
    return _is_rows(value) and all(isinstance(one, Mapping) and {"seat", "words"} <= one.keys() for one in value)

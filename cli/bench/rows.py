"""A measured row, and rows as a table, as JSON and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from rich.table import Table

MARKS = "<!-- parlay bench: begin -->", "<!-- parlay bench: end -->"
"""A document that has these two lines gets the table between them."""


class Row(msgspec.Struct, frozen=True):
    """What was measured, against what, and what it must reach. `ratio` is measured over floor."""

    group: str
    what: str
    measured: float | None
    unit: str
    bar: str
    kept: bool | None
    """None: there was nothing to compare with."""
    floor: float | None = None
    floor_name: str = ""
    ratio: float | None = None
    note: str = ""


def absolute(group: str, what: str, measured: float, unit: str, *, least: float = 0, most: float = 0) -> Row:
    """A row whose bar is a figure: at least `least`; without that, at most `most`."""
    bar, kept = (f"≥ {number(least)}", measured >= least) if least else (f"≤ {number(most)}", measured <= most)
    return Row(group, what, measured, unit, bar, kept)


def relative(
    group: str,
    what: str,
    measured: float,
    unit: str,
    floor: float | None,
    floor_name: str,
    *,
    least: float = 0,
    most: float = 0,
    note: str = "",
) -> Row:
    """A row whose bar is a multiple of its floor: at least `least` ×, or at most `most` ×."""
    bar = f"≥ {least:g} ×" if least else f"≤ {most:g} ×"
    if floor is None:
        return Row(group, what, measured, unit, bar, None, None, floor_name, None, note or "floor not measured")
    ratio = measured / floor
    return Row(
        group, what, measured, unit, bar, ratio >= least if least else ratio <= most, floor, floor_name, ratio, note
    )


def number(value: float | None) -> str:
    """A figure with three digits that say something."""
    if value is None:
        return "–"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def verdict(row: Row) -> str:
    """`kept`, `missed`, or why neither."""
    return row.note or "–" if row.kept is None else "kept" if row.kept else "missed"


HEAD = ("what", "measured", "floor", "ratio", "bar", "")


def cells(row: Row) -> tuple[str, ...]:
    """The row as text."""
    measured = "–" if row.measured is None else f"{number(row.measured)} {row.unit}"
    floor = "–" if row.floor is None else f"{number(row.floor)} {row.unit}"
    floor = f"{row.floor_name}: {floor}" if row.floor_name else floor
    return row.what, measured, floor, number(row.ratio), row.bar, verdict(row)


def table(rows: Sequence[Row]) -> Table:
    """The rows for a terminal."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    found = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    for k, title in enumerate(HEAD):
        found.add_column(title, justify="right" if 0 < k < 5 else "left")
    colours = {True: "green", False: "red", None: "yellow"}
    for row in rows:
        *text, last = cells(row)
        found.add_row(*text, Text(last, colours[row.kept]))
    return found


def markdown(rows: Sequence[Row]) -> str:
    """The rows for a document."""
    lines = [f"| {' | '.join(HEAD)} |", "| --- | ---: | ---: | ---: | ---: | --- |"]
    return "\n".join([*lines, *(f"| {' | '.join(cells(row))} |" for row in rows)])


def to_json(rows: Sequence[Row], machine: dict[str, Any], quick: bool) -> bytes:
    """The rows, the machine, and whether the figures are rough."""
    content = {"quick": quick, "machine": machine, "rows": rows}
    return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"

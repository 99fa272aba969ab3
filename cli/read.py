"""`parlay read`: what was offered, agreed and claimed in dialogues of people, and how well that was read."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.table import Table

from cli.console import BAD_INPUT, STDOUT, check_folder, console, fail, heading, write_file
from training.reading.formats import dialogues
from training.reading.report import (
    Group,
    Report,
    correlation,
    labels_of,
    line_words,
    rate,
    report,
    table_words,
    to_json,
)
from training.reading.types import Issue, ReadingError


def read(
    path: Path, issues: str | None, split: int | None, labels: Path | None, json_path: Path | None, show: int | None
) -> None:
    """Read, measure where something is annotated, print, write."""
    check_folder(json_path)
    content = sys.stdin.buffer.read() if path == STDOUT else _content(path)
    try:
        found = report(
            dialogues(content, None if issues is None else _issues(issues)),
            split,
            None if labels is None else labels_of(_content(labels)),
        )
    except ReadingError as error:
        fail(str(error), BAD_INPUT)
    if show is not None and not 1 <= show <= len(found.readings):
        fail(f"there is no dialogue {show}; --show takes 1 to {len(found.readings)}", BAD_INPUT)
    if json_path != STDOUT:
        if show is not None:
            _show(found, show - 1)
        else:
            _print(found)
    if json_path is not None:
        write_file(json_path, to_json(found))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        fail(f"can't read {path}: {error.strerror}; name another file", BAD_INPUT)


def _issues(text: str) -> tuple[Issue, ...]:
    """ "Food:3,Water:3", or one name for a price."""
    found: list[Issue] = []
    for part in text.split(","):
        name, colon, count = part.partition(":")
        if colon and not (count.strip().isascii() and count.strip().isdigit()):
            raise ReadingError(f"--issues: {part.strip()!r} has no number of packages; write Food:3,Water:3, or price")
        found.append(Issue(name.strip(), int(count) if colon else 0))
    return tuple(found)


def _table(title: str, *columns: str) -> Table:
    table = Table(
        title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, show_edge=False, pad_edge=False
    )
    for column in columns:
        table.add_column(column)
    return table


def _print(found: Report) -> None:
    out = console()
    if not found.groups:
        table = _table("Read", "dialogue", "lines", "lines with offers", "on the table at the end", "agreed")
        for one in found.readings:
            last = one.heard[-1]
            offers = sum(bool(heard.proposed) for heard in one.heard)
            table.add_row(
                one.dialogue.name,
                str(len(one.heard)),
                str(offers),
                table_words(one, last),
                "yes" if last.agreed else "no",
            )
        out.print(table)
        return
    for group in found.groups:
        _group(group)
    table = _table(
        "The rubric: rank correlation over sides (95 % interval by dialogues)", "item", "n", "points", "satisfaction"
    )
    for one in found.correlations:
        table.add_row(one.item, str(one.points.over), correlation(one.points), correlation(one.satisfaction))
    out.print(table)


def _group(group: Group) -> None:
    out = console()
    table = _table(
        f"{group.name.capitalize()}: {group.count} dialogues (95 % intervals)", "what", "precision", "recall"
    )
    for one in group.qualities:
        table.add_row(one.name, rate(one.precision), rate(one.recall))
    out.print(table)
    points, said = group.points, group.stances
    off = "" if points.error is None else f", {points.error:.2f} points off in the mean"
    out.print(f"points from annotated deals: {rate(points.annotated)}; from deals read: {rate(points.read)}{off}")
    out.print(
        f"lines that accept {said.accept}, refuse {said.reject}, would leave {said.walk_away}; "
        f"structured walk-aways {said.walked}"
    )
    out.print()


def _show(found: Report, place: int) -> None:
    one, out = found.readings[place], console()
    out.print(heading(f"Dialogue {one.dialogue.name}", " and ".join(one.dialogue.speakers)))
    table = _table("", "who", "says", "read", "on the table")
    table.title = None
    table.columns[1].ratio, table.columns[2].ratio, table.columns[3].ratio = 5, 3, 2
    table.expand = True
    for heard in one.heard:
        laid = table_words(one, heard) if heard.proposed else ""
        table.add_row(one.dialogue.speakers[heard.line.seat], heard.line.text.strip(), line_words(one, heard), laid)
    out.print(table)
    last = one.heard[-1]
    out.print(f"At the end: {table_words(one, last)}; {'agreed' if last.agreed else 'not agreed'}.", soft_wrap=True)
    if one.dialogue.deal is not None:
        names = (issue.name for issue in one.dialogue.issues)
        split = ", ".join(f"{name} {count}" for name, count in zip(names, one.dialogue.deal, strict=True))
        out.print(f"Annotated:  {one.dialogue.speakers[0]}: {split}.", soft_wrap=True)

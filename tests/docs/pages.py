"""The documentation as data: its pages, their sections, tables, blocks and links."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.clients.servers import ROOT

FOLDERS = ("", "docs", "cli", "examples")
PAGES = tuple(sorted(path for folder in FOLDERS for path in (ROOT / folder).glob("*.md")))
"""Every page that ships."""
DEFAULT_URL = "http://127.0.0.1:8000"
"""Where the examples of every page look for a server."""


@dataclass(frozen=True)
class Block:
    """A fenced block: the words after the fence, what stands in it, and the heading that it stands under."""

    page: str
    heading: str
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}: {self.heading}"


@cache
def read(name: str) -> str:
    """A page's text, by its path."""
    return (ROOT / name).read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(name: str) -> list[Block]:
    """Every fenced block of a page, in order."""
    found: list[Block] = []
    heading, kind, inside = "", None, list[str]()
    for line in read(name).splitlines():
        if line.startswith("```"):
            if kind is None:
                kind, inside = line[3:].strip(), []
            else:
                found.append(Block(name, heading, kind, "\n".join(inside)))
                kind = None
        elif kind is not None:
            inside.append(line)
        elif line.startswith("#"):
            heading = line.lstrip("#").strip()
    return found


def prose(name: str) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", read(name), flags=re.DOTALL | re.MULTILINE)


def table(name: str, first: str) -> list[list[str]]:
    """The rows of the table whose first column is headed `first`, as texts."""
    rows = re.search(rf"^\| *{re.escape(first)} *\|.*\n\| *---.*\n((?:\|.*\n)+)", read(name), re.MULTILINE)
    assert rows is not None, f"{name} has no table that begins with {first!r}"
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in rows[1].splitlines()]


def named(cell: str) -> list[str]:
    """What stands in backticks in a cell."""
    return re.findall(r"`([^`]+)`", cell)


def first_names(name: str, first: str) -> list[str]:
    """All that stands in backticks in a table's first column."""
    return [found for row in table(name, first) for found in named(row[0])]


def anchors(name: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", prose(name), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug, made, number = re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-"), "", 0
        made = slug
        while made in found:
            number += 1
            made = f"{slug}-{number}"
        found.add(made)
    return found

"""The documentation as data: its pages, their sections, tables, blocks and links."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.clients.servers import ROOT

NOT_OURS = {".git", ".hypothesis", ".venv", "__pycache__", "dist", "node_modules"}
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
def files() -> frozenset[str]:
    """Every file and folder of the project, by its path; folders end with a slash."""
    found: set[str] = set()
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in NOT_OURS and not name.endswith("_cache")]
        here = Path(folder).relative_to(ROOT)
        found |= {(here / name).as_posix() for name in names} | {f"{(here / name).as_posix()}/" for name in folders}
    return frozenset(found)


def pages() -> list[str]:
    """Every page of the project, by its path."""
    return sorted(name for name in files() if name.endswith(".md"))


@cache
def read(name: str) -> str:
    """A page's text, by its path."""
    return (ROOT / name).read_text(encoding="utf-8")


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


def section(name: str, heading: str) -> str:
    """What stands under a heading, up to the next of its rank."""
    found = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^\1 |\Z)", read(name), re.DOTALL | re.MULTILINE)
    assert found is not None, f"{name} has no section {heading!r}"
    return found[2]


def table(name: str, first: str, heading: str = "") -> list[list[str]]:
    """The rows, as texts, of the table whose first column is headed `first`; in a section, if it is named."""
    text = section(name, heading) if heading else read(name)
    rows = re.search(rf"^\| *{re.escape(first)} *\|.*\n\| *---.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert rows is not None, f"{name} has no table that begins with {first!r}"
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in rows[1].splitlines()]


def named(cell: str) -> list[str]:
    """What stands in backticks in a cell."""
    return re.findall(r"`([^`]+)`", cell)


def first_names(name: str, first: str, heading: str = "") -> list[str]:
    """All that stands in backticks in a table's first column."""
    return [found for row in table(name, first, heading) for found in named(row[0])]


def anchors(name: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", prose(name), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = made = re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")
        number = 0
        while made in found:
            number += 1
            made = f"{slug}-{number}"
        found.add(made)
    return found

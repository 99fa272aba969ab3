"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(headings: Sequence[str], lines: Iterable[Sequence[str]], figures: bool = True) -> str:
    """A table; figures stand to the right, all but the first column."""
    marks = ["---", *("---:" if figures else "---" for _ in headings[1:])]
    return "\n".join("| " + " | ".join(line) + " |" for line in (headings, marks, *lines))

"""The offers of both sides as a chart of characters: a line a turn, the price (or the worth to you) across."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cli.figures import short

LEAST_WIDTH = 20


class Mark(NamedTuple):
    """An offer: when, whose (`yours` or `theirs`), and where on the scale."""

    turn: int
    whose: str
    value: float


class Line(NamedTuple):
    """A value worth seeing across all turns, and the character that draws it."""

    name: str
    value: float
    sign: str


SIGNS = {"yours": "●", "theirs": "○", "both": "◉"}


def chart(offers: Sequence[Mark], lines: Sequence[Line], width: int) -> list[str]:
    """The chart, at most `width` columns wide; nothing without an offer."""
    if not offers:
        return []
    values = [offer.value for offer in offers] + [line.value for line in lines]
    low, high = min(values), max(values)
    columns = max(LEAST_WIDTH, width - 10)

    def place(value: float) -> int:
        return round((value - low) / (high - low) * (columns - 1)) if high > low else 0

    left, right = short(low), short(high)
    rows = ["turn   " + left + right.rjust(columns - len(left))]
    for turn in sorted({offer.turn for offer in offers}):
        row = [" "] * columns
        for line in lines:
            row[place(line.value)] = line.sign
        for offer in (offer for offer in offers if offer.turn == turn):
            at = place(offer.value)
            taken = row[at] in (SIGNS["yours"], SIGNS["theirs"])
            row[at] = SIGNS["both"] if taken else SIGNS[offer.whose]
        rows.append(f"{turn:>4}   {''.join(row).rstrip()}")
    legend = [f"{SIGNS['yours']} yours", f"{SIGNS['theirs']} theirs", *(f"{line.sign} {line.name}" for line in lines)]
    return [*rows, *_legend(legend, width)]


def _legend(parts: list[str], width: int) -> list[str]:
    """What the signs mean, on as many lines as it takes."""
    lines = ["       " + parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + 3 + len(part) <= width:
            lines[-1] += f"   {part}"
        else:
            lines.append("       " + part)
    return lines

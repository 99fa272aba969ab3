"""A dialogue, line by line: what lies on the table after each, who proposed it and who has agreed.

An utterance may name one issue alone, say "2 for me" of what was talked about, or "the same as before": here it is put
together with what was said earlier.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from training.reading.reader import read
from training.reading.types import ALL_OF_IT, Found, Issue, Offer, Part, Stance


class Line(msgspec.Struct, frozen=True):
    """Who said it (0 or 1) and what."""

    seat: int
    text: str


class Cell(msgspec.Struct, frozen=True):
    """An issue on the table: what seat 0 gets of it (or the price), who proposed that, whether the other agreed."""

    value: float
    by: int
    backed: bool = False


Cells = tuple[Cell | None, ...]


class Heard(msgspec.Struct, frozen=True):
    """A line, what was read from it, what it proposed (issue: what the speaker would get) and the table after it.

    `stance` is what was read, but that nobody accepts where the other side has proposed nothing.
    """

    line: Line
    found: Found
    stance: Stance | None
    proposed: dict[str, float]
    table: Cells

    @property
    def complete(self) -> bool:
        return all(cell is not None for cell in self.table)

    @property
    def agreed(self) -> bool:
        """Every issue is on the table, and the other side has agreed to each."""
        return all(cell is not None and cell.backed for cell in self.table)

    @property
    def deal(self) -> tuple[float, ...] | None:
        """What seat 0 would get of each issue; None while an issue is open."""
        values = tuple(cell.value for cell in self.table if cell is not None)
        return values if len(values) == len(self.table) else None


class _Table:
    def __init__(self, issues: tuple[Issue, ...]) -> None:
        self.issues = issues
        self.places = {issue.name: place for place, issue in enumerate(issues)}
        self.cells: list[Cell | None] = [None] * len(issues)
        self.before: list[list[Cell | None]] = []
        """The table before each proposal; the newest last."""
        self.topic: str | None = None
        self.prices: dict[int, float] = {}
        """Each side's newest price, where a price is talked about: the older of both can still be taken."""

    def hear(self, line: Line) -> Heard:
        found = read(line.text, self.issues)
        proposal = self._proposal(found, line.seat)
        if found.same and not proposal and found.stance != "reject" and self.before:
            self.cells = self.before.pop()
        stance = found.stance
        if stance == "accept" and not self._proposed_by(1 - line.seat):
            stance = None
        if stance == "accept" and self.prices and not found.conditional:
            self.cells = [Cell(self.prices[1 - line.seat], 1 - line.seat)]
        if stance == "accept" and (proposal or not found.conditional):
            self._back(line.seat, set(proposal))
        elif stance in ("reject", "walk_away"):
            self._unback(line.seat)
        if proposal:
            self._propose(line.seat, proposal)
        self.topic = found.topic or self.topic
        proposed = {self.issues[k].name: mine for k, mine in proposal.items()}
        return Heard(line, found, stance, proposed, tuple(self.cells))

    def _proposed_by(self, seat: int) -> bool:
        return seat in self.prices or any(cell is not None and cell.by == seat for cell in self.cells)

    def _proposal(self, found: Found, seat: int) -> dict[int, float]:
        """By issue's place, what the speaker would get (or the price)."""
        proposal: dict[int, float] = {}
        for offer in found.offers:
            if offer.price is not None:
                proposal = {0: offer.price}
            else:
                proposal |= self._split(offer, seat)
        return proposal

    def _split(self, offer: Offer, seat: int) -> dict[int, float]:
        found: dict[int, float] = {}
        for part in offer.parts:
            name = part.issue or self.topic
            place = None if name is None else self.places[name]
            mine = None if place is None else self._mine(part, place, seat)
            if place is not None and mine is not None and place not in found:
                found[place] = mine
        return found

    def _mine(self, part: Part, place: int, seat: int) -> int | None:
        cap = self.issues[place].quantity
        me, you = (cap if count == ALL_OF_IT else count for count in (part.me, part.you))
        if part.more:
            cell = self.cells[place]
            now = None if cell is None else int(cell.value if seat == 0 else cap - cell.value)
            if now is None:
                return None
            me, you = (now + me if me is not None else None), (cap - now + you if you is not None else None)
        if me is None and you is not None:
            me = cap - you
        if me is None or not 0 <= me <= cap or (you is not None and me + you != cap):
            return None
        return me

    def _value(self, place: int, mine: float, seat: int) -> float:
        cap = self.issues[place].quantity
        return mine if seat == 0 or cap == 0 else cap - mine

    def _back(self, seat: int, but: set[int]) -> None:
        for k, cell in enumerate(self.cells):
            if cell is not None and cell.by != seat and k not in but:
                self.cells[k] = Cell(cell.value, cell.by, True)

    def _unback(self, seat: int) -> None:
        """A refusal takes back what this side had agreed to; what was proposed stays what is talked about."""
        for k, cell in enumerate(self.cells):
            if cell is not None and cell.by != seat:
                self.cells[k] = Cell(cell.value, cell.by)

    def _propose(self, seat: int, proposal: dict[int, float]) -> None:
        self.before.append(self.cells[:])
        for k, mine in proposal.items():
            value, cell = self._value(k, mine, seat), self.cells[k]
            if self.issues[k].is_price:
                self.prices[seat] = value
                if value == self.prices.get(1 - seat):
                    cell = Cell(value, 1 - seat)
            if cell is not None and cell.value == value:
                self.cells[k] = Cell(value, cell.by, cell.backed or cell.by != seat)
            else:
                self.cells[k] = Cell(value, seat)


def follow(lines: Sequence[Line], issues: tuple[Issue, ...]) -> tuple[Heard, ...]:
    """Reads a dialogue of two from its first line on. Raises ReadingError as `read` does."""
    table = _Table(issues)
    return tuple(table.hear(line) for line in lines)

"""How well dialogues were read, against what is annotated: precision and recall with their counts and intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from training.reading.formats import Dialogue, points
from training.reading.habits import ITEMS, Habit, habits
from training.reading.table import Heard, follow
from training.stats import Estimate, interval, spearman

_Z = 1.959963984540054
RESAMPLES = 2000
_SEED = 20_210_411
"""The bootstrap's own, fixed."""

Labels = Mapping[str, Mapping[int, Mapping[str, int]]]
"""Offers marked by hand: by dialogue, by the line's place in the file, by issue: what the speaker would get."""


class Rate(NamedTuple):
    """`hits` of `of`, with Wilson's 95 % interval (Wilson 1927); no value and no interval of nothing."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        return self.hits / self.of if self.of else None

    @property
    def ends(self) -> tuple[float, float] | None:
        if not self.of:
            return None
        n, p = self.of, self.hits / self.of
        middle = (p + _Z * _Z / (2 * n)) / (1 + _Z * _Z / n)
        half = _Z * math.sqrt(p * (1 - p) / n + _Z * _Z / (4 * n * n)) / (1 + _Z * _Z / n)
        return max(0.0, middle - half), min(1.0, middle + half)


class Quality(NamedTuple):
    """Precision: of what was read, the right part; recall: of what is there, the part that was read rightly."""

    name: str
    precision: Rate
    recall: Rate


class Reading(NamedTuple):
    """A dialogue with what was read of it."""

    dialogue: Dialogue
    heard: tuple[Heard, ...]

    def before(self, lines: int) -> Heard | None:
        """The table after so many lines."""
        return self.heard[lines - 1] if lines else None


class Correlation(NamedTuple):
    """Spearman's rank correlation of an item with an outcome over sides, its interval by dialogues."""

    item: str
    points: Estimate
    satisfaction: Estimate


def readings(dialogues: Iterable[Dialogue]) -> tuple[Reading, ...]:
    return tuple(Reading(one, follow(one.lines, one.issues)) for one in dialogues)


def qualities(read: Sequence[Reading], labels: Labels | None = None) -> tuple[Quality, ...]:
    """Every measure over these dialogues; those of offers in lines only with `labels`."""
    found = [deals(read), shares(read), submissions(read), acceptances(read)]
    if labels is not None:
        found += [offers(read, labels), issue_offers(read, labels)]
    return (*found, priorities(read), needs(read), no_needs(read))


def _read_deal(one: Reading) -> tuple[float, ...] | None:
    return one.heard[-1].deal if one.heard else None


def deals(read: Sequence[Reading]) -> Quality:
    """Whole deals, from the text alone: every issue's count as in the deal that was made."""
    made = [(one.dialogue.deal, _read_deal(one)) for one in read]
    right = sum(deal is not None and deal == split for deal, split in made)
    return Quality(
        "final deals",
        Rate(right, sum(split is not None for _, split in made)),
        Rate(right, sum(d is not None for d, _ in made)),
    )


def shares(read: Sequence[Reading]) -> Quality:
    """The same by issue."""
    right = known = there = 0
    for one in read:
        deal = one.dialogue.deal
        table = one.heard[-1].table if one.heard else (None,) * len(one.dialogue.issues)
        known += sum(cell is not None for cell in table)
        if deal is not None:
            there += len(deal)
            right += sum(cell is not None and cell.value == count for cell, count in zip(table, deal, strict=True))
    return Quality("issues of final deals", Rate(right, known), Rate(right, there))


def submissions(read: Sequence[Reading]) -> Quality:
    """Every structured deal that was put forward, taken or not: is it what lies on the table as read just then?"""
    right = known = there = 0
    for one in read:
        for event in one.dialogue.events:
            if event.kind == "submit":
                heard = one.before(event.after)
                deal = None if heard is None else heard.deal
                there += 1
                known += deal is not None
                right += deal is not None and deal == event.split
    return Quality("deals put forward", Rate(right, known), Rate(right, there))


def acceptances(read: Sequence[Reading]) -> Quality:
    """Agreement in the text: where both are read to have agreed to every issue, is that split put forward and taken?"""
    right = called = taken = 0
    for one in read:
        split, heard = None, None
        for event in one.dialogue.events:
            if event.kind == "submit":
                split, heard = event.split, one.before(event.after)
            elif event.kind in ("accept", "reject"):
                agreed = heard is not None and heard.agreed
                took = event.kind == "accept"
                called += agreed
                taken += took
                right += heard is not None and agreed and took and heard.deal == split
    return Quality("agreements", Rate(right, called), Rate(right, taken))


def _pairs(read: Sequence[Reading], labels: Labels) -> list[tuple[dict[str, float], dict[str, int]]]:
    """Of every line of the labelled dialogues: what was read, what was marked."""
    return [
        (heard.proposed, dict(labels[one.dialogue.name].get(place, {})))
        for one in read
        if one.dialogue.name in labels
        for heard, place in zip(one.heard, one.dialogue.places, strict=True)
    ]


def offers(read: Sequence[Reading], labels: Labels) -> Quality:
    """Whole lines: every issue that the line proposes, and no other."""
    pairs = _pairs(read, labels)
    right = sum(bool(marked) and said == marked for said, marked in pairs)
    return Quality("offers", Rate(right, sum(bool(s) for s, _ in pairs)), Rate(right, sum(bool(m) for _, m in pairs)))


def issue_offers(read: Sequence[Reading], labels: Labels) -> Quality:
    """The same by line and issue."""
    pairs = _pairs(read, labels)
    right = sum(said.get(issue) == count for said, marked in pairs for issue, count in marked.items())
    return Quality(
        "issues of offers", Rate(right, sum(len(s) for s, _ in pairs)), Rate(right, sum(len(m) for _, m in pairs))
    )


def _rank(one: Dialogue, seat: int, issue: str) -> int:
    """What a package is worth to a side: 5, 4 or 3."""
    return one.sides[seat].values[[issue.name for issue in one.issues].index(issue)]


def _claimed(one: Reading, seat: int, kind: str, holds: bool) -> list[str]:
    """The issues that a side says so of itself, each once, in order."""
    claims = (claim for heard in one.heard if heard.line.seat == seat for claim in heard.found.claims)
    named = [c.issue for c in claims if c.kind == kind and c.who == "me" and c.holds is holds and c.issue is not None]
    return list(dict.fromkeys(named))


def priorities(read: Sequence[Reading]) -> Quality:
    """What a side first calls its priority, against what it ranks highest: a miss is a bluff or a misreading."""
    first = [
        (one.dialogue, seat, _claimed(one, seat, "priority", True)[:1])
        for one in read
        if one.dialogue.sides
        for seat in (0, 1)
    ]
    right = sum(_rank(one, seat, said[0]) == 5 for one, seat, said in first if said)
    return Quality(
        "first priority claimed", Rate(right, sum(bool(said) for _, _, said in first)), Rate(right, len(first))
    )


def needs(read: Sequence[Reading]) -> Quality:
    """Needs and priorities claimed, against the two issues that a side ranks above the lowest."""
    right = said = there = 0
    for one in read:
        for seat in (0, 1) if one.dialogue.sides else ():
            named = dict.fromkeys([*_claimed(one, seat, "priority", True), *_claimed(one, seat, "need", True)])
            said += len(named)
            there += 2
            right += sum(_rank(one.dialogue, seat, issue) > 3 for issue in named)
    return Quality("needs claimed", Rate(right, said), Rate(right, there))


def no_needs(read: Sequence[Reading]) -> Quality:
    """ "I don't need much of it", against what a side ranks lowest."""
    right = said = there = 0
    for one in read:
        for seat in (0, 1) if one.dialogue.sides else ():
            named = _claimed(one, seat, "need", False)
            said += len(named)
            there += 1
            right += sum(_rank(one.dialogue, seat, issue) == 3 for issue in named)
    return Quality("no need claimed", Rate(right, said), Rate(right, there))


class Points(NamedTuple):
    """Points as computed, over sides: equal to those annotated, from the structured deals and from the deals read."""

    annotated: Rate
    read: Rate
    error: float | None
    """Mean absolute error, in points, of the deals read."""


def computed_points(read: Sequence[Reading]) -> Points:
    same = sides = right = known = 0
    off: list[float] = []
    for one in read:
        deal, split = one.dialogue.deal, _read_deal(one)
        for seat, side in enumerate(one.dialogue.sides):
            sides += 1
            same += deal is not None and points(side.values, deal, seat) == side.points
            if split is not None:
                known += 1
                off.append(abs(points(side.values, split, seat) - side.points))
                right += off[-1] == 0
    return Points(Rate(same, sides), Rate(right, known), sum(off) / len(off) if off else None)


class Stances(NamedTuple):
    """Lines by stance as read, and structured walk-aways that there were."""

    accept: int
    reject: int
    walk_away: int
    walked: int


def stances(read: Sequence[Reading]) -> Stances:
    said = [heard.stance for one in read for heard in one.heard]
    walked = sum(event.kind == "walk_away" for one in read for event in one.dialogue.events)
    return Stances(said.count("accept"), said.count("reject"), said.count("walk_away"), walked)


# The rubric -----------------------------------------------------------------------------------------------------------


def rubrics(read: Sequence[Reading]) -> list[tuple[tuple[Habit, ...], tuple[Habit, ...]]]:
    """Both sides' items of each annotated dialogue."""
    annotated = [one for one in read if one.dialogue.sides]
    return [(habits(one.dialogue, one.heard, 0), habits(one.dialogue, one.heard, 1)) for one in annotated]


def correlations(read: Sequence[Reading]) -> tuple[Correlation, ...]:
    """Of each item with points and satisfaction, over all sides that have the item; the bootstrap draws dialogues."""
    annotated = [one for one in read if one.dialogue.sides]
    items = rubrics(annotated)
    found: list[Correlation] = []
    for k, item in enumerate(ITEMS):
        rows: list[list[tuple[float, float, float]]] = []
        for one, pair in zip(annotated, items, strict=True):
            scored = [(habits_of[k].score, side) for habits_of, side in zip(pair, one.dialogue.sides, strict=True)]
            rows.append([(score, side.points, side.satisfaction) for score, side in scored if score is not None])
        found.append(Correlation(item, _correlated(rows, 1), _correlated(rows, 2)))
    return tuple(found)


def _correlated(rows: list[list[tuple[float, float, float]]], column: int) -> Estimate:
    """Of the first column with another, over the rows of all dialogues; NaN where one of both is constant."""
    flat = [row for one in rows for row in one]
    value = spearman([row[0] for row in flat], [row[column] for row in flat]) if len(flat) > 2 else math.nan
    if math.isnan(value):
        return Estimate(value, None, None, len(flat))
    rng = np.random.default_rng(_SEED)
    drawn: list[float] = []
    for picked in rng.integers(0, len(rows), (RESAMPLES, len(rows))):
        some = [row for at in picked for row in rows[at]]
        drawn.append(spearman([row[0] for row in some], [row[column] for row in some]) if some else math.nan)
    return interval(value, np.array(drawn), len(flat))

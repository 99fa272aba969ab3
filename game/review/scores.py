"""The formulas of the rubric's items, over plain figures: shares, steps, counts, words. `rubric.py` says why each.

Whoever has these figures of a negotiation can score it: the debrief of a game from its log, `training.reading` human
dialogues from what was read. Shares and steps are of what the seat could win at most over its limit. A score may lie
outside 0…1 by rounding alone; `clipped` is what is shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from game.review.words import length, overlap, varied
from parlay_env.deal import numbers as n

ABSURD, ABSURD_COST = n.BEYOND_FULL, 0.5
"""An opening this far beyond the declared anchor (where the tension it makes is greatest) loses half its score."""
LATER = 0.25
"""A first offer that comes four moves late anchors nothing."""
FREE_STEP = n.FREE_STEP
"""A full movement: nobody reads a step of this size as weakness."""
AHEAD = 0.10
"""A step that leads the other's by this much of Δ0 has given the next round away."""
NOTICEABLE = n.NOTICEABLE
OFFER_BEYOND, WALKED_WRONGLY, STAYED = 0.5, 0.75, 0.5
TOPICS_ENOUGH = 3
"""Three of the four topics tell most of what can be asked; the fourth seldom pays for its points."""
WORDS_ENOUGH = 6
"""Fewer words are a label ("our best price"), not a reason."""
SAME = 0.7
"""Two texts that share this much of their words are the same text again."""
LET_GO = 0.25


def clipped(score: float) -> float:
    return min(1.0, max(0.0, score))


def ambition(surplus: float, aim: float) -> float:
    """The surplus of an offer over that of the target; both in one unit, `aim` > 0."""
    return surplus / aim


def opening_ambition(share: float, beyond: float = 0.0) -> float:
    """`share`: the first offer's ambition; `beyond`: what it asks over the declared anchor, in Δ0."""
    return clipped(share) - ABSURD_COST * min(1.0, beyond / ABSURD)


def first_offer(late: int, share: float) -> float:
    """`late`: how many moves too late it came; `share`: its ambition."""
    return max(0.0, 1.0 - LATER * late) * (0.5 + 0.5 * clipped(share))


def ahead(step: float, theirs: float) -> float:
    """How far a step runs ahead of what they gave since one's last."""
    return step - max(theirs, FREE_STEP)


def counter_strength(steps: Sequence[tuple[float, float]]) -> float:
    """Of each counter-offer: the own step, and theirs since the offer before; at least one."""
    return sum(1.0 - clipped(ahead(step, theirs) / AHEAD) for step, theirs in steps) / len(steps)


def given_back(gave: float, theirs: float, accepted: bool) -> float:
    """The share of their step that was given back; taking the deal is giving back in full."""
    return 1.0 if accepted else min(1.0, gave / theirs)


def walk_away_discipline(
    *, closed_beyond: bool = False, offered_beyond: bool = False, left_wrongly: bool = False, stayed: bool = False
) -> float:
    if closed_beyond:
        return 0.0
    return 1.0 - OFFER_BEYOND * offered_beyond - WALKED_WRONGLY * left_wrongly - STAYED * stayed


def questions_asked(topics: int, room: int) -> float:
    """`topics` different ones were asked in `room` moves that there were for asking."""
    return topics / min(TOPICS_ENOUGH, room)


def is_rationale(words: list[str], figures: int, heard: Sequence[frozenset[str]]) -> bool:
    """Whether an offer's text gives a reason by its shape: enough words, more than figures, varied, not said before."""
    known = frozenset(words)
    new = all(overlap(known, earlier) < SAME for earlier in heard)
    return length(words) >= WORDS_ENOUGH and length(words) > figures and varied(words) and new


def closing(value: float, best: float | None) -> float:
    """Of a deal by its surplus: 1, or less where the best that stood on the table was better; 0 beyond the limit."""
    if value < 0.0:
        return 0.0
    return 0.5 + 0.5 * value / best if best is not None and best > value + NOTICEABLE else 1.0

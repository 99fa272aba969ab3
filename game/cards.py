"""The tactical cards: what each costs, does, and where the effect is from. docs/rules.md has the formulas."""

from __future__ import annotations

from typing import Literal

import msgspec

ClaimKind = Literal["limit", "deadline", "alternative", "budget", "priority"]
"""What can be claimed, and checked."""

HALVING = 0.5
"""Every further use of a card in an episode has this share of the strength before."""
START_POINTS = 100
POINTS_A_TURN = 5


class Card(msgspec.Struct, frozen=True, gc=False):
    """A tactical card. `cost` in credibility points; `uses` at most that often in an episode (0: no bound)."""

    id: str
    title: str
    cost: int
    uses: int
    effect: str
    source: str


CARDS = (
    Card(
        "anchor_high",
        "Anchor high",
        0,
        1,
        "With an offer more ambitious than any of yours so far: the other side's estimate of where this ends moves "
        "35 % of the gap toward it. Raises tension.",
        "Tversky & Kahneman 1974: adjustment from an anchor is insufficient, about .65 of the way",
    ),
    Card(
        "silence",
        "Silence",
        5,
        0,
        "No words, no offer. An impatient opponent fills the gap; a patient one waits, and likes it.",
        "Curhan et al. 2022: extended silence at the bargaining table",
    ),
    Card(
        "sweetener",
        "Sweetener",
        10,
        0,
        "Throw in an item of the list: it becomes part of every deal from now on, and is worth more to them than it "
        "costs you.",
        "Raiffa 1982: value is created from differences",
    ),
    Card(
        "reframe",
        "Reframe",
        12,
        0,
        "Restate the cost as a gain forgone: the opponent settles for a little less. Lowers tension when both move.",
        "Tversky & Kahneman 1992: losses weigh 2.25 times gains",
    ),
    Card(
        "time_pressure",
        "Time pressure",
        15,
        0,
        "Claim a deadline (`claim_value`: a turn). Works on the impatient, backfires on the patient.",
        "Rubinstein 1982: the less patient side gets less",
    ),
    Card(
        "batna_reveal",
        "Reveal a limit",
        20,
        0,
        "Claim a limit (`claim_value`). Believed as far as you are credible; it may be a bluff, and it may be called.",
        "Schelling 1960: a commitment binds as far as it is believed",
    ),
)
CARD = {card.id: card for card in CARDS}
CARD_INDEX = {card.id: i for i, card in enumerate(CARDS)}

TOPICS = ("timeline", "alternatives", "authority", "priorities")
"""What can be asked."""
TOPIC_INDEX = {topic: i for i, topic in enumerate(TOPICS)}
QUESTION_COST = 5
ANSWERS: dict[str, ClaimKind] = {
    "timeline": "deadline",
    "alternatives": "alternative",
    "authority": "budget",
    "priorities": "priority",
}
"""The kind of claim that answers a topic."""
CLAIMED_BY: dict[str, ClaimKind] = {"batna_reveal": "limit", "time_pressure": "deadline"}
"""The kind of claim that a card makes."""

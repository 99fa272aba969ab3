"""What a deal is made of: setup, moves, and the state in four parts.

`Public` is what both seats see, `Facts` what one seat knows of itself, `Shock`s and the truth of claims what no player
sees, `Book` what the grader has booked. A view is `Public` and one seat's own parts: that nothing leaks is a matter of
which fields it has. Pairs are (seller, buyer); a seat is 0 or 1 inside, `seller` or `buyer` outside.
"""

from __future__ import annotations

from typing import Literal, TypeVar

import msgspec

from game.cards import START_POINTS, ClaimKind
from game.events import Split
from game.scenarios import SEATS, Scenario
from parlay_env.deal.numbers import CREDIBILITY_START, TENSION_START, TRUST_START
from parlay_env.deal.terms import Offer, Utility
from parlay_env.reward import RewardSpec
from parlay_env.rng import Keys

T_MAX = 20
"""The last turn."""
EARLY = 8
"""The last turn of the first of the two phases that a persona's bluffs are measured in."""

Reason = Literal["deal", "walk_away", "timeout", "zopa_collapsed", "forfeit"]


class Profile(msgspec.Struct, frozen=True, gc=False):
    """What the mechanism and the grader must know of who sits opposite the learner; all of it documented.

    `bluffs` holds the measured share of bluffs among its claims, `{kind: (turns 1–8, turns 9–20)}`.
    """

    name: str = "open"
    mev_sensitivity: float = 1.0
    temper: float = 0.0
    """Added to the tension at every turn."""
    has_deadline: bool = False
    """Its private deadline is drawn; a person or a learner has none before `T_MAX`."""
    bluffs: dict[str, tuple[float, float]] = {}

    def bluff_share(self, kind: str, turn: int) -> float:
        """q: how often a claim of this kind, made at this turn, is a bluff."""
        early_late = self.bluffs.get(kind, (0.5, 0.5))
        return early_late[0] if turn <= EARLY else early_late[1]


class Setup(msgspec.Struct, frozen=True):
    """All that, with a seed, makes an instance. `seat` is the learner's; the other seat answers it within the turn."""

    scenario: Scenario
    seat: Literal["seller", "buyer"] = "seller"
    opponent: Profile = Profile()
    split: Split = "train"
    events: bool = True
    reward: RewardSpec = RewardSpec()
    both_graded: bool = False
    """Two learners: both seats are paid."""

    @property
    def learner(self) -> int:
        return 0 if self.seat == SEATS[0] else 1


class Claim(msgspec.Struct, frozen=True, gc=False):
    """A checkable statement. `value`: for `limit` and `budget` a utility of the claiming seat in hundredths of money,
    for `deadline` a turn, for `alternative` 0 or 1, for `priority` the number of an issue (one-issue scenarios: 0 the
    price, 1 time)."""

    kind: ClaimKind
    value: int


class Belief(msgspec.Struct, frozen=True, gc=False):
    """A report of what one believes of the opponent; None: nothing (new) to say. Utilities are the opponent's."""

    walk_away: int | None = None
    budget: int | None = None
    urgency: float | None = None
    has_alternative: float | None = None


class Invalid(msgspec.Struct, frozen=True, gc=False):
    """Why a move isn't allowed: a code for machines, a message that says what would be right."""

    code: str
    message: str


class Move(msgspec.Struct, frozen=True, gc=False):
    """What a seat does. At most one of offer, accept, walk; at most one of card, question."""

    utterance: str = ""
    voiced: bool = False
    """There are words, also where they are left out to save time."""
    offer: Offer | None = None
    accept: bool = False
    walk: bool = False
    card: str = ""
    item: str = ""
    """The sweetener's id."""
    claim: Claim | None = None
    question: str = ""
    challenge: bool = False
    belief: Belief | None = None
    event_impact: float | None = None
    final: bool = False
    """It is announced as the last offer. Words only; no rule looks at it."""
    refused: Invalid | None = None
    """The door found a figure in it that the game can't use."""


class OfferMade(msgspec.Struct, frozen=True, gc=False):
    turn: int
    seat: int
    offer: Offer


class ClaimMade(msgspec.Struct, frozen=True, gc=False):
    """A claim as both sides know it. `status`: open, stands (disputed, not taken back), withdrawn, broken (its maker
    then acted against it)."""

    turn: int
    seat: int
    claim: Claim
    status: Literal["open", "stands", "withdrawn", "broken"] = "open"
    weight: float = 1.0
    """The strength of the card that it came with; 1 for an answer."""


class News(msgspec.Struct, frozen=True, gc=False):
    turn: int
    words: str
    market: bool


class Side(msgspec.Struct, frozen=True, gc=False):
    """One seat's conduct, as anybody at the table could write it down. Offers are judged by declared figures; amounts
    are shares of that seat's Δ0; "ask" is the declared utility of an offer above that of the declared anchor."""

    standing: Offer | None = None
    """The offer that the other side can accept."""
    latest: Offer | None = None
    """The newest offer, void or not."""
    offers: int = 0
    offered: bool = False
    """Its newest move had an offer."""
    ask: float = 0.0
    top: float = 0.0
    """The highest ask so far."""
    best: float = 0.0
    """The lowest ask so far, serious offers only."""
    step: float = 0.0
    """What its newest move conceded beyond its best."""
    credit: float = 0.0
    """Concessions that matched the other side's."""
    weakness: float = 0.0
    """Concessions that ran ahead of the other side's."""
    idle: int = 0
    """Its moves in a row that conceded less than a hundredth of Δ0."""
    trust: float = TRUST_START
    """How far the other side trusts it."""
    credibility: float = CREDIBILITY_START
    """How far its claims are believed."""
    points: int = START_POINTS
    """CP."""
    utterance: str = ""
    voiced: bool = False
    card: str = ""
    strength: float = 0.0
    """Of the card in its newest move."""
    question: str = ""
    challenged: str = ""
    """What came of its newest move's challenge: stands, withdrawn, or nothing."""
    item: str = ""
    news_seen: int = 0
    """How many headlines had broken when it last made an offer."""
    used: tuple[int, int, int, int, int, int] = (0, 0, 0, 0, 0, 0)
    """Uses by card."""
    asked: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Questions by topic."""
    items: tuple[str, ...] = ()
    """Sweeteners thrown in."""
    anchoring: float = 0.0
    """By how much its anchor has pulled the other side's estimate of the end, in Δ0."""
    framing: float = 0.0
    """What its other cards have done, each a sum of strengths."""
    pressing: float = 0.0
    errors: int = 0
    """Invalid moves in a row."""
    steps: int = 0
    """Moves since the start, invalid ones too."""


class Ended(msgspec.Struct, frozen=True, gc=False):
    """How it ended. `seat`: who accepted, walked or forfeited."""

    reason: Reason
    turn: int
    seat: int | None = None
    outcome: Offer | None = None


class Public(msgspec.Struct, frozen=True, gc=False):
    """What both seats see."""

    turn: int
    """1…20; 0 while the opponent opens."""
    mover: int
    """Who moves next: 0, 1, or −1 after the end."""
    sides: tuple[Side, Side]
    offers: tuple[OfferMade, ...] = ()
    claims: tuple[ClaimMade, ...] = ()
    news: tuple[News, ...] = ()
    tension: float = TENSION_START
    heat: float = 0.0
    """What this turn's moves add to the tension."""
    relief: float = 0.0
    """What this turn's cards would take from it."""
    streak: int = 0
    """Hot turns in a row."""
    ticks: int = 0
    """Erosion."""
    ended: Ended | None = None


class Facts(msgspec.Struct, frozen=True, gc=False):
    """What one seat knows of itself, as it is now (events, drift and erosion in)."""

    walk_away: int
    """The utility of its BATNA, in hundredths of money."""
    budget: int | None
    """A tighter authority, as a utility; None: none."""
    urgency: float
    has_alternative: bool
    deadline: int
    """The last turn at which it still deals."""
    utility: Utility
    weights: tuple[float, ...]
    item_worth: tuple[int, ...]
    """What each item of the scenario's list is worth to it (its own: less than nothing), in hundredths of money."""

    @property
    def limit(self) -> int:
        """The tighter of walk-away and budget: everything that decides uses it."""
        return self.walk_away if self.budget is None or self.budget < self.walk_away else self.budget


class Shock(msgspec.Struct, frozen=True, gc=False):
    """What a headline did to the two limits, in Δ0."""

    turn: int
    market: bool
    effect: tuple[float, float]


class Row(msgspec.Struct, frozen=True, gc=False):
    """A turn in a seat's ledger. All but the first three are paid with the end."""

    turn: int
    delta_v: float = 0.0
    concession: float = 0.0
    noise: float = 0.0
    tom: float = 0.0
    bluff: float = 0.0
    mev: float = 0.0


class Due(msgspec.Struct, frozen=True, gc=False):
    """A shock whose echo in the belief is still awaited."""

    effect: float
    moves: int


class Book(msgspec.Struct, frozen=True, gc=False):
    """What the grader holds for a seat."""

    rows: tuple[Row, ...] = ()
    value: float = 0.0
    """V at the last observation."""
    row: Row | None = None
    """The move that has not been paid yet."""
    belief: Belief = Belief()
    """The last report of every field."""
    skills: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    challenges: int = 0
    events: int = 0
    """Market events that an estimate has been due for."""
    due: tuple[Due, ...] = ()
    shocks: int = 0
    followed: int = 0
    seen: Offer | None = None
    """The opponent's offer at one's own last offer: what it conceded since is measured from there."""
    invalid: int = 0
    fines: float = 0.0
    """Of concession and noise, so far."""


class State(msgspec.Struct, frozen=True):
    """A deal between two calls of `Deal.play`."""

    setup: Setup
    keys: Keys
    public: Public
    facts: tuple[Facts, Facts]
    schedule: tuple[tuple[int, int], ...] = ()
    """The scheduled headlines that will break: `(turn, number)`."""
    shocks: tuple[Shock, ...] = ()
    truths: tuple[bool, ...] = ()
    """Of each claim, in order: was it true when it was made?"""
    safe: tuple[bool, bool] = (True, True)
    """Was the seat's standing offer inside its limit when it was made?"""
    invalid: tuple[Invalid | None, Invalid | None] = (None, None)
    """What was wrong with the seat's newest move."""
    books: tuple[Book | None, Book | None] = (None, None)
    final: tuple[dict[str, float], dict[str, float]] | None = None
    """The terminal terms by seat, after the end."""


T = TypeVar("T")


def with_seat(pair: tuple[T, T], seat: int, value: T) -> tuple[T, T]:
    """The pair with one seat's part changed."""
    return (value, pair[1]) if seat == 0 else (pair[0], value)

"""The rubric of a human dialogue: the items of `game.review.rubric`, scored by its formulas from what was read.

A side's utility is what its packages are worth to it, its limit what walking away pays, its declared anchor all
packages; Δ0 is the way from limit to anchor, and the target is a quarter of the way from anchor to limit, as in
`parlay_env.figures.target`. An offer is worth what lies on the table after it; an issue that is open still counts as
divided in half. A move is a line of text.

What differs from a game: talk before the first offer of either side makes nobody late, and room to ask is the lines
before the last. There is always something that suits both, so leaving is wrong wherever it is done.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from game.review import scores
from game.review.words import tokens
from parlay_env.deal.numbers import TARGET_SHARE
from training.reading.formats import CAMPING, POINTS, WALKED, Dialogue
from training.reading.table import Heard

ITEMS = (
    "opening_ambition",
    "first_offer",
    "counter_strength",
    "reciprocity",
    "walk_away_discipline",
    "questions_asked",
    "rationale_given",
    "closing",
)
NO_TOPIC = ("agreement", "other")
"""Questions that ask for no information of a sort that the rubric counts."""
_ALL = CAMPING[0].quantity * sum(POINTS.values())
"""Points of all packages."""


class Habit(msgspec.Struct, frozen=True):
    """An item, its score from 0 to 1 (None: no occasion), and the lines that show it, by their places in the file."""

    item: str
    score: float | None
    lines: tuple[int, ...] = ()


class _Offered(msgspec.Struct, frozen=True):
    """An offer of a side: which line, and what it was worth to either side over its limit, in its Δ0."""

    at: int
    seat: int
    worth: tuple[float, float]


class _Talk:
    def __init__(self, dialogue: Dialogue, heard: Sequence[Heard], seat: int) -> None:
        self.dialogue, self.heard, self.seat = dialogue, heard, seat
        self.width = float(_ALL - WALKED)
        self.offers = [_Offered(k, one.line.seat, self._worth(one)) for k, one in enumerate(heard) if one.proposed]
        self.own = [one for one in self.offers if one.seat == seat]
        self.theirs = [one for one in self.offers if one.seat != seat]

    def _worth(self, one: Heard) -> tuple[float, float]:
        """The table after an offer, to both sides."""
        found: list[float] = []
        for seat in (0, 1):
            total = 0.0
            for value, issue, cell in zip(
                self.dialogue.sides[seat].values, self.dialogue.issues, one.table, strict=True
            ):
                mine = issue.quantity / 2 if cell is None else cell.value if seat == 0 else issue.quantity - cell.value
                total += value * mine
            found.append((total - WALKED) / self.width)
        return found[0], found[1]

    def step(self, seat: int, at: int) -> float:
        """How far the offer in this line, the newest of its side, concedes beyond the best of those before."""
        made = [one.worth[seat] for one in self.offers if one.seat == seat and one.at <= at]
        return max(0.0, min(made[:-1]) - made[-1]) if len(made) > 1 else 0.0

    def steps_between(self, seat: int, after: int, until: int) -> float:
        return sum(self.step(seat, one.at) for one in self.offers if one.seat == seat and after < one.at < until)

    def place(self, at: int) -> int:
        return self.dialogue.places[at]


def habits(dialogue: Dialogue, heard: Sequence[Heard], seat: int) -> tuple[Habit, ...]:
    """The items for a side of an annotated dialogue, in the order of ITEMS. Raises ValueError without annotations."""
    if not dialogue.sides:
        raise ValueError("the rubric needs what the packages are worth to both sides; this dialogue is not annotated")
    talk = _Talk(dialogue, heard, seat)
    return (
        *_opening(talk),
        _counter(talk),
        _reciprocity(talk),
        _walk_away(talk),
        _questions(talk),
        _rationale(talk),
        _closing(talk),
    )


def _habit(item: str, score: float | None, *lines: int) -> Habit:
    return Habit(item, None if score is None else round(scores.clipped(score), 3), lines)


def _opening(talk: _Talk) -> tuple[Habit, Habit]:
    if not talk.own:
        return _habit("opening_ambition", None), _habit("first_offer", 0.0 if talk.offers else None)
    first = talk.own[0]
    share = scores.ambition(first.worth[talk.seat], 1.0 - TARGET_SHARE)
    late = 0
    if talk.theirs and talk.theirs[0].at < first.at:
        between = range(talk.theirs[0].at, first.at)
        late = sum(talk.heard[k].line.seat == talk.seat for k in between)
    at = talk.place(first.at)
    return (
        _habit("opening_ambition", scores.opening_ambition(share), at),
        _habit("first_offer", scores.first_offer(late, share), at),
    )


def _counter(talk: _Talk) -> Habit:
    steps = [
        (talk.step(talk.seat, made.at), talk.steps_between(1 - talk.seat, before.at, made.at))
        for before, made in zip(talk.own, talk.own[1:], strict=False)
    ]
    if not steps:
        return _habit("counter_strength", None)
    worst = max(range(len(steps)), key=lambda k: scores.ahead(*steps[k]))
    return _habit("counter_strength", scores.counter_strength(steps), talk.place(talk.own[worst + 1].at))


def _reciprocity(talk: _Talk) -> Habit:
    """Over their steps that could be noticed: what the side's next line gave back, or whether it took the offer."""
    shares: list[float] = []
    lines: list[int] = []
    for one in talk.theirs:
        theirs = talk.step(1 - talk.seat, one.at)
        answer = next((k for k in range(one.at + 1, len(talk.heard)) if talk.heard[k].line.seat == talk.seat), None)
        if theirs < scores.NOTICEABLE or answer is None:
            continue
        said = talk.heard[answer]
        gave = talk.step(talk.seat, answer) if said.proposed else 0.0
        shares.append(scores.given_back(gave, theirs, said.stance == "accept" and not said.proposed))
        lines.append(talk.place(answer))
    return _habit("reciprocity", sum(shares) / len(shares), *lines[:3]) if shares else _habit("reciprocity", None)


def _outcome(talk: _Talk) -> float | None:
    """The surplus of the deal that was made, in Δ0; None without one."""
    if talk.dialogue.deal is None:
        return None
    return (talk.dialogue.sides[talk.seat].points - WALKED) / talk.width


def _walk_away(talk: _Talk) -> Habit:
    outcome = _outcome(talk)
    beyond = [one for one in talk.own if one.worth[talk.seat] < 0.0]
    left = any(event.kind == "walk_away" and event.seat == talk.seat for event in talk.dialogue.events)
    score = scores.walk_away_discipline(
        closed_beyond=outcome is not None and outcome < 0.0, offered_beyond=bool(beyond), left_wrongly=left
    )
    return _habit("walk_away_discipline", score, *(talk.place(one.at) for one in beyond[:1]))


def _questions(talk: _Talk) -> Habit:
    own = [k for k, one in enumerate(talk.heard) if one.line.seat == talk.seat]
    asked: dict[str, int] = {}
    for k in own:
        for question in talk.heard[k].found.questions:
            if question.topic not in NO_TOPIC:
                asked.setdefault(question.topic, talk.place(k))
    room = len(own) - 1
    if room < 1:
        return _habit("questions_asked", None)
    return _habit("questions_asked", scores.questions_asked(len(asked), room), *asked.values())


def _rationale(talk: _Talk) -> Habit:
    if not talk.own:
        return _habit("rationale_given", None)
    offers = {one.at for one in talk.own}
    heard: list[frozenset[str]] = []
    given: list[int] = []
    for k, one in enumerate(talk.heard):
        words, figures = tokens(one.line.text)
        if k in offers and scores.is_rationale(words, figures, heard):
            given.append(talk.place(k))
        if words:
            heard.append(frozenset(words))
    return _habit("rationale_given", len(given) / len(offers), *given[:1])


def _closing(talk: _Talk) -> Habit:
    outcome = _outcome(talk)
    best = max(talk.theirs, key=lambda one: one.worth[talk.seat], default=None)
    if outcome is None:
        return _habit("closing", 0.0)
    value = None if best is None else best.worth[talk.seat]
    return _habit("closing", scores.closing(outcome, value), *(() if best is None else (talk.place(best.at),)))

"""An episode as people read it: who said and did what, line by line, and how the table felt turn by turn.

A line has the public part of a move: what its maker knows or believes stays out. So a record is the same for a player,
an observer and a debrief, but for what an offer was worth to the one who reads (`surplus`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, Self

import msgspec

from agent.face import Face, own_face, reaction
from parlay_env.core import Viewer
from parlay_env.deal import numbers as n
from parlay_env.deal.state import SEATS, Move, Public, State
from parlay_env.deal.terms import CENTS, Offer, Terms, range_of, terms_of, values_of
from parlay_env.deal.value import extras, surplus_of
from parlay_env.deal.views import View
from parlay_env.figures import claim_value, limit_now, shown
from parlay_env.session import GAME, Table

Author = Literal["player", "persona", "model", "bot", "clock"]
"""Who moved: a person or a program in a person's place, the scripted opponent, that opponent through a language model's
words, the bot that took a dropped seat, or the clock that ends a game which nobody goes on with."""


class Point(msgspec.Struct, frozen=True):
    """The table at the start of a turn, as one seat sees it."""

    turn: int
    tension: float
    trust: float
    credibility: float
    opponent_credibility: float
    points: int
    opponent_points: int
    width: float


class Line(msgspec.Struct, frozen=True):
    """A move as it was seen at the table. `surplus`: the offer's worth to the reader beyond its limit, in money."""

    n: int
    turn: int
    seat: str
    by: Author
    words: str = ""
    offer: dict[str, float] | None = None
    surplus: float | None = None
    card: str | None = None
    item: str | None = None
    question: str | None = None
    claim: dict[str, Any] | None = None
    challenge: str | None = None
    accept: bool = False
    walk: bool = False
    final: bool = False
    invalid: dict[str, str] | None = None
    face: Face = "idle"
    reaction: Face = "idle"


class Episode(Table):
    """A table that keeps every state it went through, and who moved."""

    __slots__ = ("by", "states")

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.states: list[State] = []
        """Before each move that was played; the newest one is `state`."""
        self.by: list[Author] = []
        super().__init__(*arguments, **options)

    def advance(self, seat: str, move: Move) -> None:
        """Play one move, and keep where it was played."""
        before = self.state
        super().advance(seat, move)
        self.states.append(before)

    def fork(self) -> Self:
        """An episode of its own that goes on from here; this one stays as it is."""
        other = super().fork()
        other.states, other.by = list(self.states), list(self.by)
        return other

    @property
    def path(self) -> list[State]:
        """Every state, the first and the newest included."""
        return [*self.states, self.state]


def lines(episode: Episode, reader: str | None, by: Sequence[Author] = ()) -> list[Line]:
    """The moves so far. With a reader (a seat) what was not allowed is told to that seat alone."""
    found, path = [], episode.path
    for k, moves in enumerate(episode.moves):
        (seat, move), *_ = moves.items()
        line = _line(path[k], path[k + 1], k + 1, seat, move, by[k] if k < len(by) else "player", reader)
        if line.invalid is None or reader in (None, seat):
            found.append(line)
    return found


def _line(before: State, after: State, number: int, name: str, move: Move, by: Author, reader: str | None) -> Line:
    seat, terms = SEATS.index(name), terms_of(before.setup.scenario)
    refused = after.invalid[seat] if after.public.sides[seat].errors > before.public.sides[seat].errors else None
    at = max(1, before.public.turn)
    if refused is not None:
        told = {"code": refused.code, "message": refused.message}
        return Line(number, at, name, by, words=move.utterance, invalid=told)
    claimed = after.public.claims[-1] if len(after.public.claims) > len(before.public.claims) else None
    side = after.public.sides[seat]
    return Line(
        n=number,
        turn=at,
        seat=name,
        by=by,
        words=move.utterance,
        offer=None if move.offer is None else {**values_of(terms, move.offer)},
        surplus=_surplus(before, after, reader, move.offer),
        card=move.card or None,
        item=move.item or None,
        question=move.question or None,
        claim=None if claimed is None else {"kind": claimed.claim.kind, "value": claim_value(terms, claimed)},
        challenge=side.challenged or None if move.challenge else None,
        accept=move.accept,
        walk=move.walk,
        final=move.final,
        face=own_face(before.public, after.public, seat, move),
        reaction=reaction(before.public, after.public, seat, move),
    )


def _surplus(before: State, after: State, reader: str | None, offer: Offer | None) -> float | None:
    """What the offer was worth to the reader as things stood when it was made."""
    if offer is None or reader is None:
        return None
    own = before.facts[SEATS.index(reader)]
    return surplus_of(before.setup.scenario, after.public, own, offer) / CENTS


def trail(episode: Episode, seat: str) -> list[Point]:
    """The table at the start of each turn, and as it is now."""
    found: dict[int, Point] = {}
    for state in episode.path:
        point = _point(state.public, SEATS.index(seat))
        found.setdefault(point.turn, point)
    newest = _point(episode.state.public, SEATS.index(seat))
    if episode.over and newest != found[newest.turn]:
        return [*found.values(), msgspec.structs.replace(newest, turn=newest.turn + 1)]
    return list(found.values())


def limits(episode: Episode) -> list[dict[str, Any]]:
    """Both limits at the start of each turn, in the figures of the observation, with all that was thrown in counted.
    Hidden: for who watches, and for everybody after the end."""
    scenario = episode.setup.scenario
    terms, found = terms_of(scenario), {}
    for state in episode.path:
        turn = max(1, state.public.turn)
        both = (facts.limit - extras(scenario, state.public, facts) for facts in state.facts)
        found.setdefault(turn, {"turn": turn, **{s: shown(terms, one) for s, one in zip(SEATS, both, strict=True)}})
    return list(found.values())


def _point(public: Public, seat: int) -> Point:
    mine, theirs = public.sides[seat], public.sides[1 - seat]
    return Point(
        turn=max(1, public.turn),
        tension=round(public.tension, 1),
        trust=round(mine.trust, 3),
        credibility=round(mine.credibility, 3),
        opponent_credibility=round(theirs.credibility, 3),
        points=mine.points,
        opponent_points=theirs.points,
        width=width_left(public),
    )


def width_left(public: Public) -> float:
    """The share of the declared width that erosion has left."""
    return round(1 - 2 * n.EROSION * public.ticks, 2)


def steps_of(episode: Episode, seat: str) -> Iterator[tuple[View, Move | None]]:
    """What a player saw each time it was to move (and sees now), with the move it had made before: what a tracker is
    fed with. It holds the player's views and moves, and nothing else."""
    viewer, before = Viewer("player", seat), None
    for state, moves in zip(episode.states, episode.moves, strict=True):
        if seat in moves:
            yield GAME.view(state, viewer), before
            before = moves[seat]
    if episode.mover == seat:
        yield GAME.view(episode.state, viewer), before


def worth_table(view: View) -> dict[str, Any]:
    """What any outcome is worth to the player who has this view, in money beyond its limit: a constant, and for each
    issue a worth per unit of its value or one beside each of its values; they add up."""
    terms, own = terms_of(view.setup.scenario), view.own
    assert own is not None
    constant = own.utility.base - limit_now(view)
    issues = []
    for k, (issue, slope) in enumerate(zip(terms.scenario.issues, own.utility.slopes, strict=True)):
        if issue.values:
            worth = [slope * place / CENTS for place in range(terms.counts[k])]
            issues.append({"name": issue.name, "values": list(issue.values), "worth": worth})
        else:
            issues.append({"name": issue.name, "per_unit": slope / terms.steps[k]})
            constant -= slope * terms.lows[k] / terms.steps[k]
    return {"constant": constant / CENTS, "issues": issues}


def scenario_view(terms: Terms) -> dict[str, Any]:
    """A scenario as a page shows it: its texts in both languages, declared figures only."""
    s = terms.scenario
    issues = []
    for k, issue in enumerate(s.issues):
        low, high = range_of(terms, k)
        rises = issue.rises == SEATS[0]
        issues.append(
            {
                "name": issue.name,
                "title": msgspec.to_builtins(issue.title),
                "unit": issue.unit or s.unit,
                "low": low,
                "high": high,
                "step": issue.step or None,
                "values": list(issue.values) or None,
                "better": {"seller": "higher" if rises else "lower", "buyer": "lower" if rises else "higher"},
            }
        )
    return {
        "id": s.id,
        "title": msgspec.to_builtins(s.title),
        "unit": s.unit,
        "currency": s.currency,
        "width": terms.delta0[0] / CENTS,
        "several": not terms.is_price,
        "seats": {
            name: {
                "role": msgspec.to_builtins(s.side(k).role),
                "briefing": msgspec.to_builtins(s.side(k).briefing),
                "anchor": s.side(k).anchor,
                "limit": s.side(k).limit,
            }
            for k, name in enumerate(SEATS)
        },
        "issues": issues,
        "sweeteners": [
            {
                "id": item.id,
                "by": item.by,
                "title": msgspec.to_builtins(item.title),
                "cost": round(item.cost * terms.delta0[SEATS.index(item.by)] / CENTS, 2),
            }
            for item in s.sweeteners
        ],
    }

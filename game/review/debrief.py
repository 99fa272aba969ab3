"""The debrief of a game that is over: the parts that follow from its log.

`docs/pages.md` has the form. What depends on who reads it (lines, trail, names, notes, percentile) is added elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from game.review.beliefs import beliefs_of
from game.review.replay import NoReview, Replayed, replayed
from game.review.rubric import rubric_of
from parlay_env.core import Seat, Viewer
from parlay_env.deal.state import SEATS, State
from parlay_env.deal.terms import CENTS, Offer, values_of, worth
from parlay_env.deal.value import extras
from parlay_env.deal.views import View, nash_offer
from parlay_env.figures import shown
from parlay_env.log import EventLog
from parlay_env.observe import hidden_facts
from parlay_env.session import GAME

Progress = Callable[[float], object]
"""Told how much of the review is done, 0…1."""


def debrief(
    log: EventLog,
    secret: bytes,
    seat: Seat,
    *,
    tracked: bool = True,
    reviewed: bool = True,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """What the log of a game that is over tells one seat: `reason`, `by`, `turn`, `final_offer`, `grade`, `truth`,
    `numbers`, `claims`, `news`, `beliefs`, `rubric`, `review`.

    `tracked` and `reviewed` False leave out what takes time and compiled code: the estimates are then the public
    prior's, and the review is `{"status": "working", "progress": 0.0, "moves": []}`. A game that has no review has
    `{"status": "failed", ..., "why": code, "message": sentence}`. Money is in the scenario's currency; `from_nash` is
    what the deal was worth to this seat beyond the Nash point. Effects of news are shares of each seat's Δ0.

    Raises LogError for a log that can't be replayed, and ValueError for a game that is not over.
    """
    game = replayed(log, secret)
    view = GAME.view(game.last, Viewer("player", seat))
    ended, truth = view.public.ended, view.truth
    if ended is None or truth is None:
        raise ValueError("a debrief is of a game that is over")
    hidden = hidden_facts(truth, game.terms, view.public)
    return {
        "reason": ended.reason,
        "by": None if ended.seat is None else SEATS[ended.seat],
        "turn": ended.turn,
        "final_offer": _values(game, ended.outcome),
        "grade": None if view.grade is None else msgspec.to_builtins(view.grade),
        "truth": hidden,
        "numbers": _numbers(game, view),
        "claims": hidden["claims"],
        "news": [
            {
                "turn": news.turn,
                "headline": news.words,
                "market": news.market,
                "effect": event["effect"],
                "effect_money": {
                    name: round(event["effect"][name] * width / CENTS)
                    for name, width in zip(SEATS, game.terms.delta0, strict=True)
                },
            }
            for news, event in zip(view.public.news, hidden["events"], strict=True)
        ],
        "beliefs": beliefs_of(game, seat, tracked=tracked),
        "rubric": rubric_of(game, seat),
        "review": _review(game, seat, progress) if reviewed else {"status": "working", "progress": 0.0, "moves": []},
    }


def _review(game: Replayed, seat: Seat, progress: Progress | None) -> dict[str, Any]:
    from game.review.moves import review_of  # compiled: not for a server that only reads the log

    try:
        moves = review_of(game, seat, progress=progress)
    except NoReview as error:
        return {"status": "failed", "progress": 1.0, "moves": [], "why": error.why, "message": str(error)}
    return {"status": "ready", "progress": 1.0, "moves": moves}


def _numbers(game: Replayed, view: View) -> dict[str, Any]:
    """How it came out, in the grade's figures; `nash_offer` and `from_nash` None without a ZOPA. `limits` by seat, and
    the Nash point, count all that was thrown in: so they agree with the surplus."""
    grade, truth, ended = view.grade, view.truth, view.public.ended
    assert truth is not None and ended is not None and view.own is not None
    from_nash, end = None, _with_gifts(game.last)
    nash = nash_offer(end) if truth.zopa else None
    if nash is not None and ended.outcome is not None:
        utility = view.own.utility
        from_nash = (worth(utility, ended.outcome) - worth(utility, nash)) / CENTS
    return {
        "efficiency": None if grade is None else grade.efficiency,
        "surplus": None if grade is None else grade.surplus,
        "left_on_table": None if grade is None else grade.left_on_table,
        "limits": {name: shown(game.terms, facts.limit) for name, facts in zip(SEATS, end.facts, strict=True)},
        "nash_offer": _values(game, nash),
        "from_nash": from_nash,
        "reward": None if grade is None else grade.reward,
    }


def _with_gifts(state: State) -> State:
    """The state with each limit less what all that was thrown in is worth to its seat."""
    found = []
    for facts in state.facts:
        given = extras(state.setup.scenario, state.public, facts)
        budget = None if facts.budget is None else facts.budget - given
        found.append(replace(facts, walk_away=facts.walk_away - given, budget=budget))
    return replace(state, facts=(found[0], found[1]))


def _values(game: Replayed, offer: Offer | None) -> dict[str, float] | None:
    return None if offer is None else {**values_of(game.terms, offer)}

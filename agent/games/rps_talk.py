"""Who plays rock, paper, scissors after talk: who believes, who keeps a promise, who breaks it, who weighs both.

Who plays by what it expects of the other has `expects` (`agent.games.beliefs`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from agent.games.beliefs import expected
from parlay_env.core import Policy
from parlay_env.games.rps_talk import BEATEN_BY, PLAYS, Move, Play, View, points
from parlay_env.rng import Draws, Purpose

_KIND, _PICK, _TALKS = Purpose.POLICY, Purpose.POLICY + 1, Purpose.POLICY + 2
_NAMED = re.compile(r"\b(?:rock|paper|scissors)\b", re.IGNORECASE)
KEEPS, BREAKS = 0.4, 0.4
"""How likely the best responder holds it that a promise is kept, and that it is bait; else the other draws anything."""
EVEN: Mapping[Play, float] = dict.fromkeys(PLAYS, 1 / len(PLAYS))

Belief = Mapping[Play, float]


def promised(view: View) -> Play | None:
    """The play that the other named last, in its last message that names one; None: it has named none."""
    for said in reversed(view.said):
        if said.seat != view.seat and (named := _NAMED.findall(said.words)):
            return next(play for play in PLAYS if play == named[-1].lower())
    return None


def best_reply(belief: Belief, may: Sequence[Play]) -> Play:
    """The play, of those that are allowed, that is worth most under a belief about the other's; the first such."""
    return max(may, key=lambda own: sum(share * points(own, other) for other, share in belief.items()))


def belief_of(promise: Play | None) -> Belief:
    """What the best responder expects after a promise: it is kept, or it is bait, and the other plays what beats the
    answer to it, or it means nothing."""
    if promise is None:
        return EVEN
    bait = BEATEN_BY[BEATEN_BY[promise]]
    rest = (1 - KEEPS - BREAKS) / len(PLAYS)
    return {play: rest + KEEPS * (play == promise) + BREAKS * (play == bait) for play in PLAYS}


def _drawn(view: View, rng: Draws) -> Play:
    """Any of what is allowed, each as likely, the same throughout the episode."""
    return view.may[rng.integer(0, len(view.may) - 1, 0, _PICK)]


def _told(view: View) -> bool:
    """Has this seat sent a message?"""
    return any(said.seat == view.seat for said in view.said)


class Random:
    """Talks or plays as it comes, and plays any of what it may."""

    def act(self, view: View, rng: Draws) -> Move:
        """A message about nothing in particular, or a play."""
        turn = len(view.said) + 1
        if view.talks and rng.unit(turn, _TALKS) < 0.5:
            return Move(talk=f"Perhaps {PLAYS[rng.integer(0, 2, turn, _PICK)]}.")
        return Move(play=_drawn(view, rng))


class Stubborn:
    """Rock, always, without a word."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """Rock."""
        return Move(play="rock")


class Naive:
    """Believes what it is told, and plays what beats it; asks until it is told."""

    def expects(self, view: View, rng: Draws) -> Belief:  # noqa: ARG002
        """The promise; without one, anything."""
        promise = promised(view)
        return EVEN if promise is None else {promise: 1.0}

    def act(self, view: View, rng: Draws) -> Move:
        """A question, or the answer to a promise."""
        promise = promised(view)
        if promise is not None:
            return Move(think=f"They will play {promise}.", play=best_reply(self.expects(view, rng), view.may))
        if view.talks:
            return Move(talk="What will you play?")
        return Move(play=_drawn(view, rng))


class PromiseKeeper:
    """Says what it will play, and plays it."""

    def act(self, view: View, rng: Draws) -> Move:
        """The promise, then its play."""
        play = _drawn(view, rng)
        if view.talks and not _told(view):
            return Move(think=f"I will play {play}, as I say.", talk=f"I will play {play}.")
        return Move(play=play)


class PromiseBreaker:
    """Says what it will play, expects to be believed, and plays what beats the answer to it."""

    def expects(self, view: View, rng: Draws) -> Belief:
        """The answer to its bait; without one, anything."""
        return {BEATEN_BY[_bait(rng)]: 1.0} if _told(view) else EVEN

    def act(self, view: View, rng: Draws) -> Move:
        """The bait, then the trap."""
        bait = _bait(rng)
        if view.talks and not _told(view):
            return Move(think=f"If they believe me, they play {BEATEN_BY[bait]}.", talk=f"I will play {bait}.")
        if not _told(view):
            return Move(play=_drawn(view, rng))
        return Move(play=best_reply(self.expects(view, rng), view.may))


def _bait(rng: Draws) -> Play:
    """The play that a promise breaker names, the same throughout the episode."""
    return PLAYS[rng.integer(0, len(PLAYS) - 1, 0, _PICK)]


class BestResponder:
    """Weighs whether a promise is kept or bait, and plays what is worth most under that belief."""

    def expects(self, view: View, rng: Draws) -> Belief:  # noqa: ARG002
        """What `belief_of` makes of the other's promise."""
        return belief_of(promised(view))

    def act(self, view: View, rng: Draws) -> Move:
        """A question, or the best reply to its belief."""
        promise = promised(view)
        if promise is None and view.talks:
            return Move(talk="Tell me what you will play.")
        if promise is None:
            return Move(play=_drawn(view, rng))
        return Move(play=best_reply(self.expects(view, rng), view.may))


_KINDS: tuple[Callable[[], Policy], ...] = (Naive, PromiseKeeper, PromiseBreaker, BestResponder, Random)


class Anybody:
    """One of the others, drawn for the episode: its words have to be weighed, since they may be true."""

    def expects(self, view: View, rng: Draws) -> Belief | None:
        """What the drawn one expects, if it expects anything."""
        return expected(self._drawn(rng), view, rng)

    def act(self, view: View, rng: Draws) -> Move:
        """What the drawn one does."""
        return self._drawn(rng).act(view, rng)

    def _drawn(self, rng: Draws) -> Policy:
        return _KINDS[rng.integer(0, len(_KINDS) - 1, 0, _KIND)]()


PLAYERS: Mapping[str, Callable[[], Policy]] = {
    "anybody": Anybody,
    "random": Random,
    "naive": Naive,
    "stubborn": Stubborn,
    "promise_keeper": PromiseKeeper,
    "promise_breaker": PromiseBreaker,
    "best_responder": BestResponder,
}
"""By name; the first is the partner where none is named."""

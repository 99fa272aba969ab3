"""Who signals: by a convention, by another, at random, by what it has seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from parlay_env.core import Policy
from parlay_env.games.signalling import SIGNS, Move, Round, View
from parlay_env.rng import Draws, Purpose

_PICK = Purpose.POLICY
PATIENCE = 2
"""Misses in a row after which `Learner` gives up a message for a state."""


class Identity:
    """The convention that needs no agreement: message n for state n, act n for message n."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """The sign that was seen."""
        return Move(_seen(view))


class Shifted:
    """A convention as good as any: message n + 1 for state n, and the act that undoes it; after the last comes the
    first."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """The next sign as a message, the one before as an act."""
        return Move((_seen(view) + (1 if _sends(view) else -1)) % SIGNS)


class Random:
    """Any sign, each as likely."""

    def act(self, view: View, rng: Draws) -> Move:
        """A sign."""
        return Move(rng.integer(0, SIGNS - 1, view.round, _PICK))


class Learner:
    """Counts what went with what in the rounds before, and draws where that tells nothing.

    As receiver: the state that this message most often stood for; of a new message, a state that no message stands for.
    As sender: the message it last used for this state, until that missed twice in a row; else the message that was last
    taken for this state; else one that no state has.
    """

    def act(self, view: View, rng: Draws) -> Move:
        """A message or an act."""
        options = _messages(view) if _sends(view) else _acts(view)
        return Move(options[rng.integer(0, len(options) - 1, view.round, _PICK)])


def _messages(view: View) -> Sequence[int]:
    state = _seen(view)
    used = {done.state: done.message for done in view.past}
    dropped = {message for message in range(SIGNS) if _given_up(view.past, state, message)}
    if state in used and used[state] not in dropped:
        return [used[state]]
    others = {message for known, message in used.items() if known != state}
    taken = {done.message: done.act for done in view.past}
    heard = [m for m, act in taken.items() if act == state and m not in dropped]
    free = [m for m in range(SIGNS) if m not in others and m not in dropped]
    return heard or free or [m for m in range(SIGNS) if m not in dropped] or range(SIGNS)


def _given_up(past: Iterable[Round], state: int, message: int) -> bool:
    tried = [done.matched for done in past if done.state == state and done.message == message]
    return len(tried) >= PATIENCE and not any(tried[-PATIENCE:])


def _acts(view: View) -> Sequence[int]:
    counts = [0] * SIGNS
    for done in view.past:
        counts[done.state] += done.message == _seen(view)
    if any(counts):
        return [state for state in range(SIGNS) if counts[state] == max(counts)]
    known = {done.state for done in view.past}
    return [state for state in range(SIGNS) if state not in known] or range(SIGNS)


def _sends(view: View) -> bool:
    return view.seat == "sender"


def _seen(view: View) -> int:
    """What the move answers: the state for the sender, the message for the receiver."""
    sign = view.state if _sends(view) else view.message
    assert sign is not None, "a seat that is to move has something to answer"
    return sign


PLAYERS: Mapping[str, Callable[[], Policy]] = {
    "identity": Identity,
    "random": Random,
    "shifted": Shifted,
    "learner": Learner,
}
"""By name; the first is the partner where none is named."""

"""ISE, SRP and LO of an episode, in the games whose plays make a finite table: what a player expected of the other when
it played, beside what the other's strategy really was.

| measured with | is |
| --- | --- |
| belief | what the player tells of it (`agent.games.beliefs`), at the decision in which it plays |
| truth | the other's strategy: how likely each play was, over its own draws, after all that it has seen and said |
| strategy | the play that was made: SRP and regret are linear in the strategy, so their means are those of the whole |

What is not known is left out: ISE and SRP of a player that tells no belief; ISE, LO and regret beside a player whose
draws can't be tried out, as a language model's can't. So is everything of an episode in which not both have played.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from agent.games.beliefs import Belief
from parlay_env.core import Policy, Seat
from parlay_env.games import rps_talk
from parlay_env.games.interface import Refusal
from parlay_env.games.messages import Turn
from training.signals import Floats, SignalError, distribution, ise, lo, regret, srp
from training.strategies import Decision, strategy

SMOOTHING = 0.01
"""Of ISE: so much of belief and truth is spread evenly over the plays, so that a mean over episodes is finite."""


class Table(msgspec.Struct, frozen=True):
    """The table of one seat: its plays are the rows of `payoffs`, the other's, as this seat knows them, the columns."""

    own: Sequence[Any]
    others: Sequence[Any]
    payoffs: Floats


class Finite(msgspec.Struct, frozen=True):
    """A game whose plays make a table. `table`: by setup and seat; `played`: of an ended state, what this seat and the
    other have played, None for who has not; `turn_of`: what a move says, or why it is none."""

    table: Callable[[Any, Seat], Table]
    played: Callable[[Any, Seat], tuple[Any, Any]]
    turn_of: Callable[[Any], Turn[Any] | Refusal]


def _rps_talk(setup: rps_talk.Setup, seat: Seat) -> Table:
    """Nobody is told of the other's limit: to this seat all plays are the other's."""
    known = setup if seat == setup.limited else rps_talk.Setup()
    first, second = rps_talk.payoffs(known)
    rows = np.array(first) if seat == rps_talk.SEATS[0] else np.array(second).T
    return Table(rps_talk.allowed(known, seat), rps_talk.PLAYS, rows)


def _rps_played(state: rps_talk.State, seat: Seat) -> tuple[rps_talk.Play | None, rps_talk.Play | None]:
    at = rps_talk.SEATS.index(seat)
    return state.plays[at], state.plays[1 - at]


FINITE: Mapping[str, Finite] = {"rps_talk": Finite(_rps_talk, _rps_played, rps_talk.turn_of)}
"""By game."""


def signals_of(
    game: Finite,
    state: Any,
    seat: Seat,
    theirs: Sequence[Decision],
    belief: Belief | None,
    partner: Callable[[], Policy] | None,
) -> dict[str, float]:
    """`ise` (nats, with `SMOOTHING`), `srp` (0 to 1), `lo` and `regret` (the table's unit) of this seat's play in an
    ended episode, as far as they are known. `theirs`: the other's decisions, in order; `belief`: by the other's play,
    at this seat's last decision; `partner` makes the other again, None where its draws can't be tried out.

    Raises SignalError for a belief that is no distribution over the other's plays.
    """
    own, other = game.played(state, seat)
    if own is None or other is None:
        return {}
    table = game.table(state.setup, seat)
    made = [float(play == own) for play in table.own]
    held = None if belief is None else _shares(belief, table.others)
    found: dict[str, float] = {}
    if partner is None:
        return found if held is None else {"srp": srp(made, held, table.payoffs)}
    truth = _shares(
        strategy(partner, theirs, lambda move: _seen(game, move), lambda move: _of(game, move)), table.others
    )
    if held is not None:
        found = {"ise": ise(held, truth, smoothing=SMOOTHING), "srp": srp(made, held, table.payoffs)}
    return {**found, "lo": lo(truth, table.payoffs), "regret": regret(made, truth, table.payoffs)}


def _shares(belief: Mapping[Any, float], plays: Sequence[Any]) -> Floats:
    """A belief as a distribution over these plays."""
    if unknown := [play for play in belief if play not in plays]:
        raise SignalError(f"a belief is about {', '.join(map(str, plays))}; not about {unknown[0]!r}")
    return distribution([belief.get(play, 0.0) for play in plays], "belief")


def _of(game: Finite, move: Any) -> Any:
    turn = game.turn_of(move)
    return None if isinstance(turn, Refusal) else turn.play


def _seen(game: Finite, move: Any) -> tuple[bool, str | None]:
    """Of a move, what others see at once: was it allowed, and the words; None for a play."""
    turn = game.turn_of(move)
    return (False, None) if isinstance(turn, Refusal) else (True, turn.talk)

"""Who is on the team: one who works, one who does not, one who can't say why, one who finds out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import fmean

from parlay_env.core import Policy
from parlay_env.games.teamwork import Move, View
from parlay_env.rng import Draws, Purpose

_PICK = Purpose.POLICY
_TRIES = Purpose.POLICY + 1
EXPLORE = 0.1
"""How often `Learner` does not do what has paid better so far."""


class Worker:
    """Works, always: what pays everybody best."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """To work."""
        return Move(1)


class Idler:
    """Never works."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """Not to work."""
        return Move(0)


class Random:
    """Works in one round of two."""

    def act(self, view: View, rng: Draws) -> Move:
        """Either, each as likely."""
        return Move(rng.integer(0, 1, view.round, _PICK))


class Learner:
    """Does what has been better paid on average so far; now and then, and until it has tried both, either at random."""

    def act(self, view: View, rng: Draws) -> Move:
        """What paid better, or either."""
        paid = [[past.paid for past in view.past if past.work == work] for work in (0, 1)]
        if not all(paid) or rng.unit(view.round, _TRIES) < EXPLORE:
            return Move(rng.integer(0, 1, view.round, _PICK))
        return Move(int(fmean(paid[1]) > fmean(paid[0])))


PLAYERS: Mapping[str, Callable[[], Policy]] = {
    "worker": Worker,
    "random": Random,
    "idler": Idler,
    "learner": Learner,
}
"""By name; the first is the partner where none is named."""

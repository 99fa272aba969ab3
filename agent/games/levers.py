"""Who pulls levers: by habit, at random, by the only difference."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from parlay_env.core import Policy
from parlay_env.games.levers import LEVERS, Move, View
from parlay_env.rng import Draws, Purpose

_PICK = Purpose.POLICY


class Random:
    """Any lever, each as likely."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """A lever."""
        return Move(rng.integer(0, LEVERS - 1, 0, _PICK))


class Highest:
    """One of the levers that pay most, each as likely: what best pays is what strangers miss each other at."""

    def act(self, view: View, rng: Draws) -> Move:
        """A lever."""
        best = [lever for lever, pay in enumerate(view.pays) if pay == max(view.pays)]
        return Move(best[rng.integer(0, len(best) - 1, 0, _PICK)])


class Odd:
    """The lever that differs from the rest: what whoever breaks no symmetry pulls."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """A lever."""
        return Move(min(range(LEVERS), key=lambda lever: view.pays.count(view.pays[lever])))


class Habit:
    """Lever 0, always: a convention that only its own kind shares."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """A lever."""
        return Move(0)


PLAYERS: Mapping[str, Callable[[], Policy]] = {"odd": Odd, "random": Random, "highest": Highest, "habit": Habit}
"""By name; the first is the partner where none is named."""

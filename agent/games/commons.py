"""Who fishes: with restraint, without, by habit, like the others, and by what was promised."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from parlay_env.core import Policy
from parlay_env.games.commons import CAPACITY_T, FISHERS, GROWTH, SEATS, Move, View
from parlay_env.rng import Draws, Purpose

_PICK = Purpose.POLICY
HABIT_T = 12
"""What `Twelve` takes: a little more than a fifth of half the lake."""
GREED = 2
"""How many times what it promised `PromiseBreaker` takes."""


def quota_t(lake_t: int) -> int:
    """A fifth, in whole tonnes, of what may be fished so that the lake is full again next month, or as full as it can
    be."""
    return max(0, lake_t - CAPACITY_T // GROWTH) // FISHERS


class Sustainable:
    """An equal share of what keeps the lake at its best; silent."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """The quota."""
        return Move() if view.phase == "talk" else Move(quota_t(view.lake_t))


class Greedy:
    """All there is; silent."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """The whole lake."""
        return Move() if view.phase == "talk" else Move(view.lake_t)


class Twelve:
    """Twelve tonnes, as long as there are twelve; silent."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """Twelve, or what is left of them."""
        return Move() if view.phase == "talk" else Move(min(HABIT_T, view.lake_t))


class Copycat:
    """What the others took last month on average, rounded down; the quota in the first month; silent."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """The others' mean, if the lake has it."""
        if view.phase == "talk":
            return Move()
        if not view.caught_t:
            return Move(quota_t(view.lake_t))
        own = SEATS.index(view.seat or SEATS[0])
        others = sum(view.caught_t[-1]) - view.caught_t[-1][own]
        return Move(min(int(others) // (FISHERS - 1), view.lake_t))


class Random:
    """Any catch, each as likely, and a few words that promise nothing."""

    def act(self, view: View, rng: Draws) -> Move:
        """From nothing to the whole lake."""
        if view.phase == "talk":
            return Move(say=("", "Good morning.", "Let us see.")[rng.integer(0, 2, view.month, _PICK, 1)])
        return Move(rng.integer(0, view.lake_t, view.month, _PICK))


class PromiseKeeper:
    """Says the quota and takes it."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """The promise, or what was promised."""
        return _promise(view) if view.phase == "talk" else Move(quota_t(view.lake_t))


class PromiseBreaker:
    """Says the quota and takes twice as much."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """The promise, or twice what was promised."""
        return _promise(view) if view.phase == "talk" else Move(min(GREED * quota_t(view.lake_t), view.lake_t))


def _promise(view: View) -> Move:
    return Move(say=f"I'll take {quota_t(view.lake_t)} t this month, and no more.")


PLAYERS: Mapping[str, Callable[[], Policy]] = {
    "sustainable": Sustainable,
    "random": Random,
    "greedy": Greedy,
    "twelve": Twelve,
    "copycat": Copycat,
    "promise_keeper": PromiseKeeper,
    "promise_breaker": PromiseBreaker,
}
"""By name; the first is the partner where none is named."""

"""What a player expects of the other, for whoever measures it: a player may tell, and no game and no player asks.

What a player by code tells in `expects` is no part of a move: it stands in no view, no log and no answer of a door. A
language model tells it in its move's `think`, which is in the log, and in the views of the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from parlay_env.rng import Draws

Belief = Mapping[Any, float]
"""By the other's play: how likely it is held to be. What is left out has 0; the shares sum to 1."""


@runtime_checkable
class Expecting(Protocol):
    """A player that plays by what it expects of the other."""

    def expects(self, view: Any, rng: Draws) -> Belief | None:
        """What it expects the other to play, at the decision that `act` makes with the same view and draws, or has
        just made. None: at this decision it expects nothing in particular, or did not tell."""
        ...


def expected(player: object, view: Any, rng: Draws) -> Belief | None:
    """What this player expects; None for one that plays by no belief."""
    return player.expects(view, rng) if isinstance(player, Expecting) else None

"""Baseline learners: honest players to compare with, and every exploit of the rules and the reward as a player.

`ROSTER` tells of each what it is after and what to compare it with; `baseline(name)` gives a fresh player.
"""

from __future__ import annotations

from collections.abc import Callable

from agent.baselines.roster import ROSTER, Baseline
from parlay_env.core import Policy

__all__ = ["BASELINES", "ROSTER", "Baseline", "UnknownPolicy", "baseline"]

BASELINES: dict[str, Callable[[], Policy]] = {name: one.make for name, one in ROSTER.items() if one.lawful}
"""Baseline learners by name; each call gives a fresh player. Who tries what is not allowed is in `ROSTER` alone."""


class UnknownPolicy(ValueError):
    """No policy has this name."""


def baseline(name: str) -> Policy:
    """A fresh player, of anybody in `ROSTER`. Raises UnknownPolicy."""
    if name not in ROSTER:
        raise UnknownPolicy(f"policy must be one of {', '.join(BASELINES)}")
    return ROSTER[name].make()

"""Which episodes are worth learning from, and why; every rule's yield is counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from training.data.checked import Checked, Outcome

LEAST_EFFICIENCY = 0.25
LEAST_SKILL = 0.5
"""Of what the prior leaves to learn: A, in mean prior errors."""

Rule = Callable[[Outcome], bool]


def efficient(found: Outcome) -> bool:
    """A deal with E of at least .25."""
    return found.efficiency >= LEAST_EFFICIENCY


def principled_exit(found: Outcome) -> bool:
    """It walked away, and rightly: nothing was left to agree on; or the standing offer lay beyond its limit with at
    most 3 turns left, and its own last offer lay within .10·Δ0 of that limit."""
    return found.walked and (found.nothing_left or found.cornered)


def adapted(found: Outcome) -> bool:
    """At least one headline moved the opponent's limit by .05·Δ0 or more, and two moves after every such headline (or
    at the end) the walk-away that it reported was right within half the shift, or .10·Δ0 if that is more."""
    return found.believed and found.shocks > 0 and found.followed == found.shocks


def perceptive(found: Outcome) -> bool:
    """A final belief skill of at least .5 of what the prior leaves to learn."""
    return found.belief_skill >= LEAST_SKILL


RULES: dict[str, Rule] = {
    "efficient": efficient,
    "principled_exit": principled_exit,
    "adapted": adapted,
    "perceptive": perceptive,
}
"""Why an episode is kept: one is enough."""

FilterName = Literal["default", "outcome", "all"]
FILTERS: dict[FilterName, tuple[str, ...]] = {
    "default": tuple(RULES),
    "outcome": ("efficient", "principled_exit"),
    "all": (),
}
"""By name, the rules of which one must hold. `all` keeps whatever could be played again."""


def reasons(found: Checked) -> tuple[str, ...]:
    """The rules that hold for an episode."""
    return tuple(name for name, holds in RULES.items() if holds(found.outcome))


def rejection(found: Checked, which: FilterName) -> str:
    """Why an episode is left out; "" for one that is kept.

    Beyond its limit, and by moves that aren't allowed, nobody shall learn to play: that is left out whatever else the
    episode has to show.
    """
    rules = FILTERS[which]
    if not rules:
        return ""
    if found.outcome.breach:
        return "breach"
    if found.outcome.end == "forfeit":
        return "forfeit"
    return "" if set(rules) & set(reasons(found)) else "no_rule"

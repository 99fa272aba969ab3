"""Every constant of the reward, and nothing else. The formulas are in `grader.py`; docs/rules.md explains both."""

from __future__ import annotations

from typing import Literal

import msgspec

GRAIN = 2.0**20
"""Every term is a whole multiple of 1/`GRAIN`: sums are exact, in any order."""


class RewardSpec(msgspec.Struct, frozen=True, gc=False):
    """What each term of the reward is worth. Only the default is comparable between papers."""

    version: str = "1"

    # Paid at every step.
    delta_v: float = 2.0
    """α, per Δ0 of change in what the opponent's standing offer is worth to you."""
    concession: float = 3.0
    """δ, per Δ0 that you conceded beyond what the opponent conceded."""
    noise: float = 10.0
    """θ, for each incoherent move."""

    fines_at_most: float = 75.0
    """Concession and noise of an episode together; reaching it forfeits, so that the sum stays in `EPISODE_RANGE`
    whatever is sent and no fine is ever free."""

    # Booked by turn, paid with the end.
    tom: float = 5.0
    """β, for belief skill 1 (all that the prior leaves to learn)."""
    bluff: float = 12.0
    """ψ, for a challenge, centred by the persona's own bluff frequency."""
    bluff_count: int = 2
    """How many challenges of an episode count."""
    mev: float = 8.0
    """μ, for a perfect estimate of what an event did to the opponent."""
    mev_scale: float = 0.30
    """The largest effect of an event in Δ0: what an estimate's gain is measured against."""

    # The end.
    efficiency: float = 100.0
    """γ, per unit of E."""
    speed: float = 20.0
    """ε, for E at once."""
    adaptation: float = 15.0
    """ζ, for E with every shock noticed."""
    cliff: float = 200.0
    """ω: a deal beyond your own limit pays exactly −ω, and nothing else of the terminal terms."""
    walk_right: float = 10.0
    walk_wrong: float = -10.0
    no_deal: float = -10.0
    """Timeout, collapse, forfeit."""
    opponent_left: float = 0.0
    """The opponent walked away, or forfeited."""

    # What the terms are measured against.
    shock: float = 0.05
    """The least move of the opponent's limit, in Δ0, that counts as a shock for D."""
    shock_tolerance: float = 0.10
    """The least error, in Δ0, that D forgives; half the shock when that is more."""
    shock_moves: int = 2
    """After how many of your moves the belief must have followed the shock."""
    least_width: float = 0.10
    """Δref is at least this much of Δ0."""

    # How the terms are read.
    tom_reading: Literal["skill", "accuracy"] = "skill"
    speed_reading: Literal["efficiency", "plain"] = "efficiency"
    mev_reading: Literal["centred", "plain"] = "centred"
    when: Literal["end", "immediate"] = "end"

    @classmethod
    def literal(cls) -> RewardSpec:
        """The naive reading: belief accuracy paid at every turn, speed paid whatever the deal, event estimates not
        centred. Kept to show what it admits."""
        return cls(
            version="1-literal", tom_reading="accuracy", speed_reading="plain", mev_reading="plain", when="immediate"
        )


CLIFF_RANGE = (50.0, 200.0)
"""Where a trainer may set ω; only the default is comparable."""
UNFINISHED = 0.5
"""The share of ω that an episode costs which its client left unfinished: leaving before a bad end must not pay."""
EPISODE_RANGE = (-300.0, 200.0)
"""An episode's rewards sum to a number in this range."""

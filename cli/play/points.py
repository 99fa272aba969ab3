"""What the score is made of, in whole points, for texts that name it: read off the reward's own constants."""

from __future__ import annotations

from parlay_env.reward import RewardSpec

SPEC = RewardSpec()
PERFECT = f"{SPEC.efficiency + SPEC.speed + SPEC.adaptation:.0f}"
"""An early deal that takes all there is, with every shock noticed."""
BREACH = f"{SPEC.cliff:.0f}"
NOISE = f"{SPEC.noise:.0f}"
WALK_RIGHT = f"{SPEC.walk_right:.0f}"
WALK_WRONG = f"{SPEC.walk_wrong:.0f}"

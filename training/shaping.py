"""Shaping at branches: what knowing the other side was worth, and what there was to be had, as far as it was realised.

    shaped = E · (ise · ISE + lo · LO)

| signal | is, in points of reward |
| --- | --- |
| ISE | the ToM term from the branch on: how much nearer the truth the beliefs came |
| LO | γ times the best that was to be had at the true limits when the deal was made, erosion left out, in the own Δ0 |

E is the grade's share of LO that the deal gave: 0 without a deal, beyond the own limit and right at it, 1 where all was
taken. So nothing is paid for being right about the other side and making nothing of it, nor for a deal at any price;
and E · LO is the deal's surplus. Both signals are told by the environment after the end, from the truth of that
episode: nothing here reads words. With the weights that a preset allows the sum of reward and shaping rises with E.
For games with a pay-off table the same signals stand in `training.signals`.
"""

from __future__ import annotations

from collections.abc import Sequence

from parlay_env.reward import RewardSpec
from training.presets import Shaping
from training.rollout import Episode

POINTS = RewardSpec().efficiency
"""γ: what the whole of LO is worth where it is as wide as Δ0."""


def signals_of(episode: Episode) -> tuple[float, float]:
    """ISE and LO of an ended episode, in points. LO is 0 without a deal: nothing of it was realised."""
    grade = episode.grade
    lo = (grade["surplus"] + grade["left_on_table"]) / episode.last["scenario"]["width"] if grade["deal"] else 0.0
    return episode.terms.get("tom", 0.0), POINTS * max(0.0, lo)


def shaped(episode: Episode, weights: Shaping) -> float:
    """What is added to this episode's reward, in points. Its rewards are paid at once (`rewards: immediate`), so that
    beliefs of the prefix are not counted."""
    realised = 0.0 if episode.grade["breach"] else episode.grade["efficiency"]
    ise, lo = signals_of(episode)
    return realised * (weights.ise * ise + weights.lo * lo)


def all_shaped(episodes: Sequence[Episode], weights: Shaping) -> list[float]:
    """Of each episode by itself."""
    return [shaped(one, weights) for one in episodes]

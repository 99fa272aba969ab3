"""What GRPO is rewarded with: the terms of the environment's own reward, in five functions, and their weights.

Every function is a sum of terms that the server paid in that very episode, by its own rules and from the truth of that
moment: nothing here reads words. So with every weight 1 (and no format penalty) the five sum to the episode's reward,
and none can be raised by keywords, by a form of words, by saying nothing or by another row's scenario.

| function | terms of the reward |
| --- | --- |
| `efficiency` | surplus captured (γ·E), its change (ΔV), speed, adaptation; the cliff beyond the own limit; no deal |
| `tom` | belief skill gained |
| `mev` | estimates of what news did, and bluffs that were caught |
| `anti_capitulation` | what was given away unanswered (−δ·C) |
| `format` | incoherence (−θ·noise), and −`UNREADABLE` for each answer that no action could be made of |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from training.rollout import Episode

TERMS: Mapping[str, tuple[str, ...]] = {
    "efficiency": ("delta_v", "efficiency", "speed", "adaptation", "cliff", "no_deal"),
    "tom": ("tom",),
    "mev": ("mev", "bluff"),
    "anti_capitulation": ("concession",),
    "format": ("noise",),
}
"""Each term of the reward stands in exactly one function."""
FUNCTIONS = tuple(TERMS)
WEIGHTS: Mapping[str, float] = dict.fromkeys(FUNCTIONS, 1.0)
UNREADABLE = 5.0
"""Points that an answer without an action costs besides what the environment takes for it: it teaches the form."""


def parts(episode: Episode) -> dict[str, float]:
    """What each function gives for an episode, in points of reward."""
    found = {name: sum(episode.terms.get(term, 0.0) for term in terms) for name, terms in TERMS.items()}
    unreadable = sum(turn.action is None for turn in episode.turns)
    found["format"] -= UNREADABLE * unreadable
    return found


def total(episode: Episode, weights: Mapping[str, float] = WEIGHTS) -> float:
    """The weighted sum."""
    return sum(weights[name] * value for name, value in parts(episode).items())


def totals(episodes: Sequence[Episode], weights: Mapping[str, float] = WEIGHTS) -> list[float]:
    """Of each episode by itself: a batch of several scenarios is graded row by row."""
    return [total(one, weights) for one in episodes]

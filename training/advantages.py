"""From what episodes were paid to what each of their answers is worth learning: group-relative advantages.

    A_i = (r_i − mean) / std

over the group of episodes of one task. `credit` says what r is of: the whole `episode`, for all its answers alike, or
the rest of it from each answer on (`turn`), against what the group's episodes were still paid from that turn of the
game on; one that is over by then is paid nothing more. With the reward `immediate` the terms for beliefs, bluffs and
news are paid at the turn that earned them, so that `turn` is credit within the episode for them.

`baseline` says what the mean is: the `group`'s, or an exponential average per `seat`, read before it is updated. A
group whose episodes all came to the same says nothing by itself; by the seat's average it does, in units of `SPREAD` at
least.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev
from typing import Literal

Credit = Literal["episode", "turn"]
Baseline = Literal["group", "seat"]

DECAY = 0.95
EVEN = 1e-6
"""A spread of rewards, in points, below which a group says nothing."""
SPREAD = 40.0
"""Points that stand for the spread where a group has none: about that of episodes of one seat."""
MOST = 3.0
"""Of an advantage, either way: one cliff in a group of eight is no more than that."""


class SeatBaselines:
    """Exponential averages of reward, one a seat (decay `DECAY`)."""

    def __init__(self, kept: Mapping[str, float] | None = None) -> None:
        self.kept: dict[str, float] = dict(kept or {})

    def read(self, seat: str) -> float | None:
        """The seat's average so far; None before the first."""
        return self.kept.get(seat)

    def update(self, seat: str, rewards: Sequence[float]) -> None:
        """Take these rewards in, as one observation."""
        mean, before = fmean(rewards), self.kept.get(seat)
        self.kept[seat] = mean if before is None else DECAY * before + (1 - DECAY) * mean


def advantages(
    paid: Sequence[Sequence[float]],
    seats: Sequence[str],
    group: int,
    baselines: SeatBaselines,
    *,
    credit: Credit = "episode",
    baseline: Baseline = "group",
    turns: Sequence[Sequence[int]] | None = None,
) -> list[list[float]]:
    """An advantage for each answer. `paid`: of each episode what each of its answers was paid; episodes stand group
    after group, each of `group` episodes of one task. `turns`: the turn of the game that each answer was of, for the
    credit `turn` (an answer that was refused has used none up); left out: one after the other. Raises ValueError where
    the groups don't fit."""
    if group < 2 or len(paid) % group or len(seats) != len(paid):
        raise ValueError(f"{len(paid)} episodes and {len(seats)} seats are no groups of {group}")
    rewards = [sum(one) for one in paid]
    when = [list(range(len(one))) for one in paid] if turns is None else turns
    found: list[list[float]] = []
    for start in range(0, len(paid), group):
        these = paid[start : start + group]
        of_seat = baselines.read(seats[start])
        found += (
            _episodes(these, of_seat, baseline) if credit == "episode" else _turns(these, when[start : start + group])
        )
    for seat in sorted(set(seats)):
        baselines.update(seat, [one for one, its in zip(rewards, seats, strict=True) if its == seat])
    return found


def _episodes(paid: Sequence[Sequence[float]], of_seat: float | None, baseline: Baseline) -> list[list[float]]:
    rewards = [sum(one) for one in paid]
    mean, spread = fmean(rewards), pstdev(rewards)
    if baseline == "seat" and of_seat is not None:
        mean, spread = of_seat, max(spread, SPREAD)
    if spread <= EVEN:
        return [[0.0] * len(one) for one in paid]
    return [[_bounded((reward - mean) / spread)] * len(one) for reward, one in zip(rewards, paid, strict=True)]


def _turns(paid: Sequence[Sequence[float]], turns: Sequence[Sequence[int]]) -> list[list[float]]:
    rests = [_rests(one) for one in paid]
    spread = pstdev([sum(one) for one in paid])
    means = {
        turn: fmean(_from(turn, rest, its) for rest, its in zip(rests, turns, strict=True))
        for turn in {turn for its in turns for turn in its}
    }
    return [
        [
            _bounded((value - means[turn]) / (spread if spread > EVEN else SPREAD))
            for value, turn in zip(rest, its, strict=True)
        ]
        for rest, its in zip(rests, turns, strict=True)
    ]


def _from(turn: int, rests: Sequence[float], turns: Sequence[int]) -> float:
    """What an episode was paid from its first answer of this turn on; nothing where it was over by then."""
    return next((rest for rest, its in zip(rests, turns, strict=True) if its >= turn), 0.0)


def _rests(paid: Sequence[float]) -> list[float]:
    """What was paid from each answer on."""
    found: list[float] = []
    rest = 0.0
    for one in reversed(paid):
        rest += one
        found.append(rest)
    return found[::-1]


def _bounded(value: float) -> float:
    return max(-MOST, min(MOST, value))

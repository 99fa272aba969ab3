"""Credit for one message of many: finish a prefix of an episode several times, and compare what came of the next one.

    lines = stored(load(Path("outputs/data")), "train")
    with Rollouts(url, speaker.answer, form="brief", rewards_of="immediate") as rollouts:
        branches = finish(rollouts, prefixes(lines, 16, draws), k=8)

A prefix ends before a move of the learner. The server is led there by the learner's moves, on the episode's own seed,
so that what the learner is asked at the branch is what it was asked then. From there the model plays to the end `k`
times. What is said first differs, and only that message is learned from: by the reward that came from there on, without
what the prefix had earned. Three ways read the same branches: the group's advantages (GRPO), the pairs (DPO), the best
(STaR).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any

import msgspec
from msgspec.structs import replace

from agent.llm.spoken import Class
from training import rewards
from training.advantages import EVEN, SeatBaselines, advantages
from training.chat import Messages
from training.data.form import DataSet, SetName
from training.lessons import check_learnable
from training.presets import Shaping
from training.rollout import Episode, Rollouts, Task, seat_named
from training.shaping import all_shaped
from training.speaker import Said
from training.updates import Sample

ALLOWED: tuple[Class, ...] = ("ok", "repaired")
"""Answers that the game took as a move."""
NONE = Shaping()
"""No shaping: branches are paid what the environment pays."""


class BranchError(ValueError):
    """There is nothing to branch from; the message says what would be right."""


class Line(msgspec.Struct, frozen=True):
    """An episode that can be led along again: what it is, and the learner's moves as far as they can be repeated. The
    last one may be a move that was not allowed: before it there can be a branch, after it none."""

    task: Task
    moves: tuple[dict[str, Any], ...]


class Branch(msgspec.Struct, frozen=True):
    """A prefix, what was asked at its end, and what was answered there each time."""

    task: Task
    """With the prefix as its history."""
    messages: Messages
    answers: tuple[Said, ...]
    kinds: tuple[Class, ...]
    rewards: tuple[float, ...]
    """What each answer and all after it were paid, by the weighted functions, with shaping; nothing of the prefix."""
    shaping: tuple[float, ...]
    """What of the rewards is shaping."""


class Pair(msgspec.Struct, frozen=True):
    """Two answers to the same, of which one led to more."""

    messages: Messages
    chosen: str
    rejected: str


class Best(msgspec.Struct, frozen=True):
    """An answer that led to the most of its group, and to more than the group's mean."""

    messages: Messages
    answer: str


# Prefixes -------------------------------------------------------------------------------------------------------------


def stored(data: DataSet, which: SetName) -> list[Line]:
    """The set's episodes that can be reset to. Raises BranchError without one, and DataSetError for a set that holds
    what is measured on."""
    check_learnable(data)
    found: list[Line] = []
    for one in data.episodes.values():
        if one.set != which or one.options(0) is None or not one.actions:
            continue
        task = Task(one.scenario_id, one.persona, seat_named(one.seat), one.seed, one.split, one.events)
        found.append(Line(task, one.actions[: _repeatable(one.allowed)]))
    if not found:
        raise BranchError(
            f"the data set has no {which} episode that can be reset to: build one from self-play against the personas"
        )
    return found


def played(episodes: Sequence[Episode]) -> list[Line]:
    """Episodes that were just played from their beginnings."""
    found: list[Line] = []
    for one in episodes:
        length = _repeatable([turn.kind in ALLOWED for turn in one.turns])
        found.append(Line(one.task, tuple(turn.action or {} for turn in one.turns[:length])))
    return found


def _repeatable(allowed: Sequence[bool]) -> int:
    """How many moves there are up to the first that was not allowed, it included."""
    return next((k + 1 for k, one in enumerate(allowed) if not one), len(allowed))


def picked(lines: Sequence[Line], n: int, draws: random.Random) -> list[Line]:
    """So many of them, each as often as any other, give or take one."""
    found: list[Line] = []
    while len(found) < n:
        found += draws.sample(lines, min(len(lines), n - len(found)))
    return found


def prefixes(lines: Sequence[Line], draws: random.Random) -> list[Task]:
    """A prefix of each, evenly over the lengths: the k-th of n ends in the k-th n-th of its episode."""
    n = len(lines)
    cuts = [int((k + draws.random()) / n * len(one.moves)) for k, one in enumerate(lines)]
    return [replace(one.task, history=one.moves[:cut]) for one, cut in zip(lines, cuts, strict=True)]


# Branches -------------------------------------------------------------------------------------------------------------


def finish(
    rollouts: Rollouts,
    tasks: Sequence[Task],
    k: int,
    weights: Mapping[str, float] = rewards.WEIGHTS,
    shaping: Shaping = NONE,
) -> list[Branch]:
    """Finish each prefix `k` times, all together. The rollouts must pay `immediate`: paid at the end, what the prefix
    earned of the hidden terms would be paid again. Raises ParlayClientError as `Rollouts.play` does."""
    episodes = rollouts.play([one for one in tasks for _ in range(k)])
    found: list[Branch] = []
    for start in range(0, len(episodes), k):
        group = episodes[start : start + k]
        first = [one.turns[0] for one in group]
        extra = all_shaped(group, shaping)
        found.append(
            Branch(
                group[0].task,
                first[0].messages,
                tuple(one.said for one in first),
                tuple(one.kind for one in first),
                tuple(paid + more for paid, more in zip(rewards.totals(group, weights), extra, strict=True)),
                tuple(extra),
            )
        )
    return found


def samples(branches: Sequence[Branch]) -> list[Sample]:
    """For GRPO: each branch's messages with their advantages in the group. A group that came to one reward has none."""
    found: list[Sample] = []
    for one in branches:
        k = len(one.answers)
        worth = advantages([[reward] for reward in one.rewards], [one.task.seat] * k, k, SeatBaselines())
        found += [
            Sample(said, value, 1.0 / len(said.ids))
            for said, (value,) in zip(one.answers, worth, strict=True)
            if abs(value) > EVEN
        ]
    return found


def pairs(branches: Sequence[Branch]) -> list[Pair]:
    """For DPO: of every group all pairs with different rewards. Ties are skipped; so are pairs of the same words, which
    say nothing of the message, answers that ran into the limit, which as texts would have an end, and pairs whose
    better one was no move: others may have come to less still, and it is not to be copied for that."""
    found: list[Pair] = []
    for one in branches:
        whole = [k for k, said in enumerate(one.answers) if not said.cut]
        for first, second in combinations(whole, 2):
            better, worse = (first, second) if one.rewards[first] > one.rewards[second] else (second, first)
            chosen, rejected = one.answers[better].text, one.answers[worse].text
            even = one.rewards[better] - one.rewards[worse] <= EVEN
            if chosen != rejected and not even and one.kinds[better] in ALLOWED:
                found.append(Pair(one.messages, chosen, rejected))
    return found


def best(branches: Sequence[Branch]) -> list[Best]:
    """For STaR: of every group the move that led to the most, where that is more than the group's mean."""
    found: list[Best] = []
    for one in branches:
        mean = fmean(one.rewards)
        whole = [
            k
            for k, said in enumerate(one.answers)
            if not said.cut and one.kinds[k] in ALLOWED and one.rewards[k] > mean + EVEN
        ]
        if whole:
            found.append(Best(one.messages, one.answers[max(whole, key=lambda k: one.rewards[k])].text))
    return found

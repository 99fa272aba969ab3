"""Examples of a data set as conversations in a learner's form: what supervised training reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from parlay_env.models import ParlayAction, ResetOptions
from parlay_env.session import Session
from training.chat import Form, Messages, answered, asked
from training.data.form import DataSet, DataSetError, Episode, SetName

GOLDEN = (5**0.5 - 1) / 2
"""Multiples of it, without their whole parts, lie evenly between 0 and 1, however many there are."""


class Lesson(msgspec.Struct, frozen=True):
    """One move of an episode: what was asked, and what shall be answered."""

    episode: str
    messages: Messages
    answer: str

    def conversation(self) -> Messages:
        """Both together."""
        return [*self.messages, {"role": "assistant", "content": self.answer}]


def lessons(data: DataSet, which: SetName, form: Form, most: int = 0) -> list[Lesson]:
    """The set's examples in this form; `most`: so many at most (0: all), evenly over the episodes.

    In the brief form an episode is played again for what was seen at each move, so that of a person's game, which can't
    be reset to, there is none. Raises DataSetError for a set that holds what is measured on.
    """
    check_learnable(data)
    wanted: dict[str, list[int]] = {}
    texts: dict[tuple[str, int], tuple[str, str]] = {}
    for example in data.examples[which]:
        wanted.setdefault(example.episode, []).append(example.step)
        texts[example.episode, example.step] = example.prompt, example.action
    chosen = _evenly(wanted, most)
    found: list[Lesson] = []
    for name, steps in chosen.items():
        if form == "brief":
            found += _played(data.episodes[name], steps)
            continue
        for step in steps:
            prompt, action = texts[name, step]
            found.append(Lesson(name, [{"role": "user", "content": prompt}], action))
    return found


def check_learnable(data: DataSet) -> None:
    """Raise DataSetError unless all episodes are of the split `train`: on the others learners are measured."""
    other = sorted({one.split for one in data.episodes.values()} - {"train"})
    if other:
        raise DataSetError(
            f"the data set holds episodes of the split {' and '.join(other)}, which learners are measured on: "
            "play and build one of the split train"
        )


def _evenly(wanted: Mapping[str, list[int]], most: int) -> dict[str, list[int]]:
    """Steps of each episode, at most so many in all: every episode's number of steps is cut alike, those that are
    kept lie evenly over it, and over all episodes every place is kept as often: the first moves, too."""
    total = sum(map(len, wanted.values()))
    if not most or total <= most:
        return {name: sorted(steps) for name, steps in wanted.items()}
    kept: dict[str, list[int]] = {}
    due = 0.0
    for number, (name, steps) in enumerate(wanted.items()):
        due += len(steps) * most / total
        n = int(due + 1e-9)
        due -= n
        if n:
            start = number * GOLDEN % 1
            kept[name] = [sorted(steps)[int((k + start) * len(steps) / n)] for k in range(n)]
    return kept


def _played(episode: Episode, steps: list[int]) -> Iterator[Lesson]:
    """The lessons of these moves, with what the learner saw then."""
    options = episode.options(0)
    if options is None:
        return
    session, left = Session.open(ResetOptions(**options, prompt=False)), set(steps)
    for step, action in enumerate(episode.actions):
        if not left or not episode.allowed[step]:
            return
        if step in left:
            left.remove(step)
            seen: dict[str, Any] = session.observe(False)
            yield Lesson(episode.episode, asked(seen, "brief"), answered(action, seen, "brief"))
        session.step(ParlayAction.model_validate(action))

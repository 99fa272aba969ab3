"""How well learners play: the same held-out episodes for each, over the live socket, with intervals.

    with serving() as url:
        found = measure({"base": base.answer, "sft": sft.answer}, tasks(chosen.grpo, 20), url, chosen.form)

Seeds are of the validation split, which nothing is trained on. All learners play the same ones, so that gains are of
pairs; a seed is one observation, in however many cells it is played. Policies of code can be measured beside them: they
play in this process, which comes to the same to the last bit (`training.live`).

What an episode came to is worked out here, too: a learner's moves are played again in this process, where all that was
hidden is at hand, and what they paid must be what the server paid. So learners have the measures of `parlay eval`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import msgspec
import numpy as np

from agent.llm.spoken import CLASSES, Class
from game.events import Split
from game.scenarios import scenarios
from parlay_env.client.wire import ParlayClientError
from parlay_env.core import Policy
from parlay_env.deal.state import Move
from parlay_env.deal.views import View
from parlay_env.rng import Draws
from parlay_env.tasks import seed_range
from training.episodes import Cell, Result, result_of
from training.instances import setup_here
from training.measures import BY_KEY
from training.policies import READERS, make
from training.presets import Grpo
from training.probe import Habits, habits
from training.rollout import REFUSED, Answer, Episode, Rollouts, Task, seat_named
from training.speaker import Said
from training.stats import Estimate, ratio
from training.wire import as_read
from training.witness import FIELDS

SPLIT: Split = "validation"
AT_ONCE = 96
"""Episodes that are under way together."""
SAME = 1e-6
"""Points by which two sums of the same terms may differ."""

Told = Callable[[str, int, int], object]
"""Told of whom so many episodes of how many are done."""


Drift = Callable[[Sequence[Said]], list[float]]
"""Of each answer, how far its tokens' distributions are from another model's: KL, summed up over the tokens."""
CAME = (
    "deal_rate_given_zopa",
    "deal_rate_without_zopa",
    "walk_rate_without_zopa",
    "wrong_walk_rate",
    *(f"{whose}_error_{field}" for field in FIELDS for whose in ("belief", "prior")),
    "pareto_distance",
    "nash_distance",
)
"""Measures of `training.measures` that say what came of the episodes, besides the main ones."""


class Outcome(msgspec.Struct, frozen=True):
    """What came of one episode."""

    task: Task
    result: Result
    classes: dict[Class, int] = {}
    tokens: int = 0
    """Of a learner's answers."""
    kl: float | None = None
    """To the model it is held against, summed up over these tokens."""

    @property
    def reward(self) -> float:
        """All that was paid."""
        return self.result.reward


class Measured(msgspec.Struct, frozen=True):
    """What is said of a player; shares from 0 to 1. `gain`: of mean reward over the first player, pair by pair."""

    name: str
    episodes: int
    reward: Estimate
    gain: Estimate | None
    efficiency: Estimate | None
    """E of the episodes with a ZOPA."""
    deals: Estimate
    beyond_limit: Estimate
    """Deals beyond the own limit, of all episodes."""
    turns: float
    valid: Estimate | None
    """Answers that were an action, as they were or repaired, and that the game allowed; None of code."""
    classes: dict[Class, int]
    habits: Habits | None
    """What it does of what farms or fools; None of code."""
    came: dict[str, Estimate | None]
    """The measures of `CAME`; None where no episode counts, as of beliefs where none were told."""
    kl: Estimate | None
    """From the first model, in nats a token of its answers, at temperature 1; None where it isn't known."""


class Comparison(msgspec.Struct, frozen=True):
    """Players on the same episodes."""

    players: tuple[Measured, ...]
    outcomes: dict[str, list[Outcome]]
    transcripts: dict[str, list[Episode]]
    """Of learners; in the order of the tasks."""
    environment_share: float

    def median_gain(self, one: str, other: str) -> int:
        """The number of the task whose gain of `other` over `one` is the median (the lower of two): the one to show."""
        gains = [b.reward - a.reward for a, b in zip(self.outcomes[one], self.outcomes[other], strict=True)]
        return sorted(range(len(gains)), key=lambda k: (gains[k], k))[(len(gains) - 1) // 2]


def tasks(options: Grpo, seeds: int, *, split: Split = SPLIT, events: bool = True) -> list[Task]:
    """So many held-out seeds in every cell of what is trained on."""
    first, last = seed_range(split)
    if not 1 <= seeds <= last - first:
        raise ValueError(f"an evaluation has 1 to {last - first} seeds")
    chosen = list(scenarios()) if "all" in options.scenarios else options.scenarios
    return [
        Task(scenario, persona, seat_named(seat), first + k, split, events)
        for scenario, persona, seat in product(chosen, options.personas, options.seats)
        for k in range(seeds)
    ]


def measure(
    learners: Mapping[str, Answer],
    given: Sequence[Task],
    url: str,
    form: Any,
    *,
    policies: Sequence[str] = (),
    drifts: Mapping[str, Drift] | None = None,
    told: Told = lambda _, __, ___: None,
) -> Comparison:
    """Play every task with every learner, then with every policy of code. `drifts`: of learners by name, where it can
    be told. Raises ParlayClientError, also where the server's episodes are none of this version's; UnknownPolicy."""
    outcomes: dict[str, list[Outcome]] = {}
    transcripts: dict[str, list[Episode]] = {}
    waited = thought = 0.0
    for name, answer in learners.items():
        with Rollouts(url, answer, form=form) as rollouts:
            transcripts[name] = []
            for start in range(0, len(given), AT_ONCE):
                transcripts[name] += rollouts.play(given[start : start + AT_ONCE])
                told(name, len(transcripts[name]), len(given))
            waited, thought = waited + rollouts.environment_s, thought + rollouts.learner_s
        outcomes[name] = [_outcome(name, one, (drifts or {}).get(name)) for one in transcripts[name]]
    for name in policies:
        outcomes[name] = [_by_code(name, one) for one in given]
        told(name, len(given), len(given))
    first = next(iter(outcomes), None)
    players = tuple(
        _measured(name, found, outcomes[first] if first not in (None, name) else None, transcripts.get(name))
        for name, found in outcomes.items()
    )
    return Comparison(players, outcomes, transcripts, waited / max(waited + thought, 1e-9))


class _Again:
    """Makes an episode's moves once more."""

    def __init__(self, episode: Episode) -> None:
        made = (REFUSED if turn.action is None else turn.action for turn in episode.turns)
        self._left = iter([*episode.task.history, *made])

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002 - a policy is given its draws
        return as_read(view, next(self._left))


def _outcome(name: str, one: Episode, drift: Drift | None) -> Outcome:
    said = [turn.said for turn in one.turns]
    return Outcome(
        one.task,
        played_again(name, one),
        one.classes(),
        sum(len(each.ids) for each in said),
        None if drift is None else sum(drift(said)),
    )


def played_again(name: str, one: Episode) -> Result:
    """What came of an episode of the live socket, by its moves and its seed, of the learner who goes by this name.

    Raises ParlayClientError (`BAD_ANSWER`) where the server ended it otherwise or paid something else: it has other
    rules than this version, or keeps the instances of its seeds secret.
    """
    found = _result(name, one.task, _Again(one), speaks=True)
    if (found.end, found.turns) != (one.end, one.last["turn"]) or abs(found.reward - one.reward) > SAME:
        raise ParlayClientError(
            "BAD_ANSWER",
            f"an episode on seed {one.task.seed} came to {one.reward:.6g} ({one.end}), and here to {found.reward:.6g} "
            f"({found.end}) by the same moves",
            "Measure on a server of this version, without a secret",
        )
    return found


def _by_code(name: str, task: Task) -> Outcome:
    """What comes of the task's very episode, headlines or none."""
    return Outcome(task, _result(name, task, None, speaks=name in READERS))


def _result(name: str, task: Task, player: Policy | None, *, speaks: bool) -> Result:
    """What comes of the task by this player; without one by the policy of this name."""
    assert task.seed is not None
    cell = Cell(task.scenario_id, task.persona, task.seat)
    setup = setup_here(task)
    return result_of(name, cell, setup, task.seed, player or make(name, setup, task.seed), speaks)


def _measured(
    name: str, found: Sequence[Outcome], first: Sequence[Outcome] | None, episodes: Sequence[Episode] | None
) -> Measured:
    pairs = None if first is None else list(zip(found, first, strict=True))
    valid = sum((one.classes.get("ok", 0) + one.classes.get("repaired", 0) for one in found), 0)
    return Measured(
        name=name,
        episodes=len(found),
        reward=_known(_mean(found, lambda one: one.reward)),
        gain=None if pairs is None else by_seed([(a.task.seed, a.reward - b.reward, 1.0) for a, b in pairs]),
        efficiency=_of("efficiency_given_zopa", found),
        deals=_known(_mean(found, lambda one: float(one.result.deal))),
        beyond_limit=_known(_mean(found, lambda one: float(one.result.breach))),
        turns=float(np.mean([one.result.turns for one in found])),
        valid=by_seed([(one.task.seed, _allowed(one), float(sum(one.classes.values()))) for one in found])
        if valid or episodes is not None
        else None,
        classes={kind: sum(one.classes.get(kind, 0) for one in found) for kind in CLASSES},
        habits=None if episodes is None else habits(episodes),
        came={key: _of(key, found) for key in CAME},
        kl=by_seed([(one.task.seed, one.kl, float(one.tokens)) for one in found if one.kl is not None]),
    )


def _of(key: str, found: Sequence[Outcome]) -> Estimate | None:
    return by_seed([(one.task.seed, *BY_KEY[key].of(one.result)) for one in found])


def _allowed(one: Outcome) -> float:
    return float(one.classes.get("ok", 0) + one.classes.get("repaired", 0))


def _mean(found: Sequence[Outcome], value: Callable[[Outcome], float]) -> Estimate | None:
    return by_seed([(one.task.seed, value(one), 1.0) for one in found])


def by_seed(rows: Sequence[tuple[int | None, float, float]]) -> Estimate | None:
    """Σ tops / Σ bottoms with its interval over seeds; rows of (seed, top, bottom). None without a row."""
    seeds = list(dict.fromkeys(seed for seed, _, _ in rows))
    if not seeds:
        return None
    tops, bottoms = np.zeros(len(seeds)), np.zeros(len(seeds))
    for seed, top, bottom in rows:
        tops[seeds.index(seed)] += top
        bottoms[seeds.index(seed)] += bottom
    return ratio(tops, bottoms)


def _known(found: Estimate | None) -> Estimate:
    assert found is not None, "an evaluation has episodes"
    return found

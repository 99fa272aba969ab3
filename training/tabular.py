"""REINFORCE on tables: softmax policies over finite games, for many seeds at once (Williams 1992; NumPy alone).

A table holds one logit for each action in each context. Every decision moves the logits of its context by

    rate · (reward − baseline) · (chosen − policy)

averaged over the episodes of a step, and summed over players who share the table. The options are what the literature
adds to that: a baseline (none, a running mean, the exact value), Other-Play's symmetries (Hu et al. 2020), the
difference reward (Wolpert & Tumer 2002), a pull back to where the policy started (Jaques et al. 2017), the exact
gradient in place of a sampled one. Seeds are explicit and apart: a seed's run is the same whatever other seeds run
beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from parlay_env.rng import derive_keys, word

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Baseline = Literal["none", "running", "exact"]

DECAY = 0.95
"""Of the running mean, a step."""
TINY = 1e-300
"""A chance whose logarithm is still a number."""


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How to train. `rate` is of the logits; `episodes` are played a step; `spread` is the standard deviation of the
    first logits about where they start; `symmetries` are permutations of the actions, one of which each player's action
    is read through in each episode; `difference` pays a player what the reward would have lost without it; `pull` is
    the weight of KL(policy‖start) in each context, beside what is paid to all who share the table; `exact` follows the
    expected gradient of one player."""

    steps: int
    rate: float
    episodes: int = 1
    baseline: Baseline = "running"
    spread: float = 0.0
    symmetries: tuple[tuple[int, ...], ...] = ()
    difference: bool = False
    pull: float = 0.0
    exact: bool = False


class Stream:
    """Draws for many seeds at once, each seed's from a key of its own."""

    def __init__(self, seeds: Sequence[int]) -> None:
        self.seeds = len(seeds)
        self._keys = np.array([derive_keys(seed).policy[0] for seed in seeds], np.uint64)[:, None]
        self._drawn = 0

    def uniform(self, *shape: int) -> Floats:
        """Uniform in [0, 1), shape (seeds, *shape)."""
        n = int(np.prod(shape))
        counters = np.arange(self._drawn, self._drawn + n, dtype=np.uint64)
        self._drawn += n
        return ((word(self._keys, counters) >> 11) * 2.0**-53).reshape(self.seeds, *shape)

    def normal(self, *shape: int) -> Floats:
        """Mean 0, variance 1, shape (seeds, *shape) (Box & Muller 1958)."""
        first, second = self.uniform(2, *shape).swapaxes(0, 1)
        return np.sqrt(-2 * np.log1p(-first)) * np.cos(2 * np.pi * second)

    def below(self, high: int, *shape: int) -> Ints:
        """Whole numbers from 0 to `high` − 1, each as likely, shape (seeds, *shape)."""
        return (self.uniform(*shape) * high).astype(np.int64)


class Paid(NamedTuple):
    """What decisions were paid, both of shape (seeds, episodes, players). `without`: the same episodes, with the same
    luck, had that player done nothing."""

    rewards: Floats
    without: Floats | None = None


Choose = Callable[[Sequence[int], Ints], Ints]
"""From whose tables and in which contexts, of shape (seeds, episodes, players), to the actions chosen."""


class Problem(Protocol):
    """A finite game as the trainer sees it."""

    tables: int
    contexts: int
    actions: int

    def play(self, choose: Choose, draws: Stream, episodes: int) -> Sequence[Paid]:
        """Play a step's episodes; gives what each call of `choose` was paid, in order."""
        ...


class Solvable(Problem, Protocol):
    """A game small enough to take expectations."""

    def worth(self, policy: Floats) -> Floats:
        """What each action is expected to be paid where the others play `policy`, times the chance of its context;
        both of shape (seeds, tables, contexts, actions)."""
        ...


class Run(NamedTuple):
    """What came of training: the last policy, shape (seeds, tables, contexts, actions), and what `watch` gave, shape
    (points, seeds, …), at these steps."""

    policy: Floats
    steps: tuple[int, ...]
    seen: Floats


def softmax(logits: Floats) -> Floats:
    """Chances from logits, over the last axis."""
    strength = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return strength / strength.sum(axis=-1, keepdims=True)


def train(
    problem: Problem,
    how: Options,
    seeds: Sequence[int],
    start: Floats | None = None,
    watch: Callable[[Floats], Floats] | None = None,
    every: int = 1,
) -> Run:
    """Train a policy for each seed. `start`: logits of shape (tables, contexts, actions), or with seeds in front; left
    out: all 0. `watch` is shown the policy before every so many steps and after the last.

    Raises ValueError where an option asks for what the problem can't give.
    """
    draws = Stream(seeds)
    shape = (len(seeds), problem.tables, problem.contexts, problem.actions)
    middle = np.broadcast_to(np.zeros(shape) if start is None else start, shape)
    logits = middle + how.spread * draws.normal(*shape[1:])
    learner = _Learner(problem, how, softmax(middle), draws)
    points, seen = [], []
    for step in range(how.steps + 1):
        policy = softmax(logits)
        if watch is not None and (step % every == 0 or step == how.steps):
            points.append(step)
            seen.append(watch(policy))
        if step < how.steps:
            logits = logits + how.rate * learner.gradient(policy)
    return Run(softmax(logits), tuple(points), np.array(seen))


def symmetrised(policy: Floats, symmetries: Sequence[Sequence[int]]) -> Floats:
    """How a policy looks to a stranger: its mean over the symmetries that its actions are read through."""
    if not symmetries:
        return policy
    found = np.zeros_like(policy)
    for symmetry in symmetries:
        found[..., list(symmetry)] += policy
    return found / len(symmetries)


def learnability(solved: Floats, attempts: int) -> Floats:
    """The variance p(1 − p) of attempts at a task, most where half succeed (Florensa et al. 2018's goals of
    intermediate difficulty, as a reward)."""
    share = solved / attempts
    return share * (1 - share)


class _Learner:
    """The gradient of one run, with the running means that it keeps."""

    def __init__(self, problem: Problem, how: Options, prior: Floats, draws: Stream) -> None:
        self.problem, self.how, self.prior, self.draws = problem, how, prior, draws
        if any(sorted(symmetry) != list(range(problem.actions)) for symmetry in how.symmetries):
            raise ValueError(f"a symmetry is a permutation of the {problem.actions} actions")
        self.symmetries = np.array(how.symmetries, np.int64)
        expects = how.exact or how.baseline == "exact"
        if expects and how.difference:
            raise ValueError("the difference reward is sampled: use another gradient and another baseline")
        if expects and not hasattr(problem, "worth"):
            raise ValueError("this problem takes no expectations: use a sampled gradient and another baseline")
        self.running: Floats | None = None

    def gradient(self, policy: Floats) -> Floats:
        """Of what is maximised, by the logits."""
        if self.how.exact:
            found = policy * (worth := self._worth(policy)) - policy * (policy * worth).sum(axis=-1, keepdims=True)
        else:
            found = self._sampled(policy)
        if self.how.pull:
            distance = np.log(np.maximum(policy, TINY)) - np.log(np.maximum(self.prior, TINY))
            kl = (policy * distance).sum(axis=-1, keepdims=True)
            found = found - self.how.pull * policy * (distance - kl)
        return found

    def _sampled(self, policy: Floats) -> Floats:
        seeds, tables, contexts, actions = policy.shape
        upto = policy.cumsum(axis=-1)
        at = np.arange(seeds)[:, None, None]
        places: list[Ints] = []

        def choose(whose: Sequence[int], met: Ints) -> Ints:
            ends = upto[at, np.asarray(whose), met]
            picked = (self.draws.uniform(*met.shape[1:])[..., None] >= ends[..., :-1]).sum(axis=-1)
            places.append(((at * tables + np.asarray(whose)) * contexts + met) * actions + picked)
            if not len(self.symmetries):
                return picked
            return self.symmetries[self.draws.below(len(self.symmetries), *met.shape[1:]), picked]

        paid = [self._told(one) for one in self.problem.play(choose, self.draws, self.how.episodes)]
        if len(paid) != len(places):
            raise ValueError(f"{len(places)} calls of choose, and {len(paid)} of them paid")
        place = np.concatenate([one.ravel() for one in places])
        reward = np.concatenate([one.ravel() for one in paid])
        advantage = reward - self._baseline(policy, place // (contexts * actions), reward)
        pushed = np.bincount(place, advantage, policy.size).reshape(policy.shape)
        return (pushed - policy * pushed.sum(axis=-1, keepdims=True)) / self.how.episodes

    def _told(self, paid: Paid) -> Floats:
        if not self.how.difference:
            return paid.rewards
        if paid.without is None:
            raise ValueError("this problem doesn't say what the reward had been without a player")
        return paid.rewards - paid.without

    def _baseline(self, policy: Floats, table: Ints, reward: Floats) -> Floats:
        """Of each decision; `table` counts over all seeds."""
        if self.how.baseline == "none":
            return np.zeros_like(reward)
        if self.how.baseline == "exact":
            return (policy * self._worth(policy)).sum(axis=(2, 3)).ravel()[table]
        size = policy.shape[0] * policy.shape[1]
        times = np.bincount(table, minlength=size)
        mean = np.bincount(table, reward, size) / np.maximum(times, 1)
        before = mean if self.running is None else self.running
        self.running = np.where(times > 0, DECAY * before + (1 - DECAY) * mean, before)
        return before[table]

    def _worth(self, policy: Floats) -> Floats:
        problem: Any = self.problem
        worth = problem.worth(symmetrised(policy, self.how.symmetries))
        if not len(self.symmetries):
            return worth
        return worth[..., self.symmetries].mean(axis=-2)

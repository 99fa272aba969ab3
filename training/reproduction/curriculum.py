"""Proposer and solver: which tasks to set, so that whoever solves them gets better (13 difficulties)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from training.reproduction.findings import Experiment, Figure, Setting, Tell, curve, figure, near, over_seeds
from training.tabular import Choose, Floats, Options, Paid, Stream, learnability, train

DIFFICULTIES = 13
ATTEMPTS = 8
"""G: of each task."""
ETA = 0.02
"""The solver's rate."""
STEPS = 600
RATE = 1.0
"""The proposer's."""
PULL = 0.1
"""Of the proposer, back to proposing everything."""
EVERY = 10
Proposer = Literal["easiest", "oracle", "random", "learnability", "adversarial"]
PROPOSERS: tuple[Proposer, ...] = ("easiest", "oracle", "random", "learnability", "adversarial")
OTHERS = ((0.5, 0.0), (1.0, 0.0), (2.0, 0.0), (4.0, 0.0), (0.5, 0.1), (2.0, 0.1), (1.0, 0.05), (1.0, 0.2))
"""Other rates and pulls of a proposer."""


class Curriculum:
    """A proposer's table over the difficulties, and a solver that practises what is proposed.

    The solver has one logit, its skill; it solves a task of difficulty d with the chance 1 / (1 + exp(d − skill)), a
    half where both are equal. It learns by REINFORCE from its own attempts, against their expected value:
    Δskill = ETA · Σ (solved − p)², in the mean ETA · G · p(1 − p) a step.
    """

    tables = 1
    contexts = 1
    actions = DIFFICULTIES

    def __init__(self, proposer: Proposer, seeds: int) -> None:
        self.proposer: Proposer = proposer
        self.skill: Floats = np.zeros(seeds)

    def play(self, choose: Choose, draws: Stream, episodes: int) -> Sequence[Paid]:
        """One task is proposed and attempted; the proposer is paid what it is there for."""
        proposed = choose((0,), np.zeros((draws.seeds, episodes, 1), np.int64))[:, 0, 0]
        if self.proposer == "easiest":
            proposed = np.zeros_like(proposed)
        elif self.proposer == "oracle":
            proposed = np.clip(np.rint(self.skill), 0, DIFFICULTIES - 1).astype(np.int64)
        chance = 1 / (1 + np.exp(proposed - self.skill))[:, None]
        solved = (draws.uniform(ATTEMPTS) < chance).astype(float)
        self.skill = self.skill + ETA * ((solved - chance) ** 2).sum(axis=-1)
        return [Paid(self._paid(solved.sum(axis=-1))[:, None, None])]

    def _paid(self, solved: Floats) -> Floats:
        return 1 - solved / ATTEMPTS if self.proposer == "adversarial" else learnability(solved, ATTEMPTS)


def practise(proposer: Proposer, seeds: Sequence[int], rate: float = RATE, pull: float = PULL) -> tuple[Floats, Floats]:
    """The solver's skill by step, shape (points, seeds), and the steps."""
    problem = Curriculum(proposer, len(seeds))
    learns = proposer in ("learnability", "adversarial")
    how = Options(steps=STEPS, rate=rate if learns else 0.0, pull=pull)
    run = train(problem, how, seeds, watch=lambda _: problem.skill, every=EVERY)
    return run.seen, np.array(run.steps)


def experiment(seeds: Sequence[int], tell: Tell) -> Experiment:
    """Five proposers, and the two that learn under other settings."""
    total = len(PROPOSERS) + len(OTHERS)
    seen: dict[Proposer, Floats] = {}
    steps = np.zeros(0)
    for k, proposer in enumerate(PROPOSERS):
        tell("curriculum: proposers", k, total)
        seen[proposer], steps = practise(proposer, seeds)
    settings = [_setting(RATE, PULL, seen["learnability"][-1], seen["adversarial"][-1])]
    for k, (rate, pull) in enumerate(OTHERS):
        tell("curriculum: other settings", len(PROPOSERS) + k, total)
        learned = [practise(proposer, seeds, rate, pull)[0][-1] for proposer in ("learnability", "adversarial")]
        settings.append(_setting(rate, pull, *learned))
    tell("curriculum", total, total)
    return Experiment(
        id="curriculum",
        title="Proposer and solver: what to practise next",
        question="What should a proposer be paid, so that a solver learns most?",
        assumed=(
            f"The solver is one logit, its skill, from 0; a task of difficulty d (0 to {DIFFICULTIES - 1}) is solved "
            f"with the chance 1/(1 + e^(d − skill)). Each step one task is proposed and attempted {ATTEMPTS} times; "
            f"the solver's step is REINFORCE's, {ETA:g}·Σ(solved − p)². The figure is its skill after {STEPS} steps.",
            "The oracle proposes the difficulty nearest to the skill; random proposes any; the easiest is 0.",
            f"A proposer that learns has a table of {DIFFICULTIES} logits, from 0, and a running mean as baseline. "
            "It is paid p(1 − p) of its task's attempts (learnability), or 1 − p (adversarial).",
            f"Its rate, {RATE:g}, and a pull of {PULL:g} back to proposing everything are published nowhere; they are "
            "round figures with which both published ones come out. Without a pull it settles on one difficulty and "
            "follows the skill too late, at any rate; see the other settings.",
        ),
        seeds=len(seeds),
        figures=_figures(seen),
        curves=tuple(curve(name, [int(step) for step in steps], skill) for name, skill in seen.items()),
        settings=tuple(settings),
    )


def _figures(seen: dict[Proposer, Floats]) -> tuple[Figure, ...]:
    published: dict[Proposer, tuple[str, float, float]] = {
        "easiest": ("4.47", *near(4.47, 0.01)),
        "oracle": ("15.7", *near(15.7, 0.1)),
        "random": ("≈ 6.5–6.8", 6.5, 6.8),
        "learnability": ("≈ 10", *near(10, 1)),
        "adversarial": ("2–3", 2, 3),
    }
    return tuple(figure(name, *told, over_seeds(seen[name][-1]), "skill") for name, told in published.items())


def _setting(rate: float, pull: float, learnable: Floats, adversarial: Floats) -> Setting:
    return Setting(
        assumed=f"rate {rate:g}, pull {pull:g}",
        found={"learnability": float(learnable.mean()), "adversarial": float(adversarial.mean())},
    )

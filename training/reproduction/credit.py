"""Teamwork: a team's reward drowns each one's part in everybody else's; the difference reward hands it back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parlay_env.games.teamwork import Setup
from training.reproduction.findings import (
    Experiment,
    Setting,
    Tell,
    curve,
    figure,
    in_sets,
    near,
    over_seeds,
)
from training.tabular import Choose, Floats, Ints, Options, Paid, Run, Stream, train

SIZES = (2, 8, 32, 128)
"""Agents in a team."""
LARGE = SIZES[-1]
NOISE = Setup().noise
RATE = 0.5
LEARNED = 0.95
"""The share that works when a team has learned to."""
STEPS = 300
DIFFERENCE_STEPS = 60
DIFFERENCE_EVERY = 1
TEAM_EVERY = 5
NOISES = (0.0, 0.05, 0.075, NOISE, 0.2)
RATES = (0.5, 1.0)
LEVELS = (0.9, 0.95)
"""Other choices of what was not published."""


class TeamTables:
    """A table for each agent, with two actions: not to work, and to."""

    contexts = 1
    actions = 2

    def __init__(self, agents: int, noise: float) -> None:
        self.tables, self.noise = agents, noise

    def play(self, choose: Choose, draws: Stream, episodes: int) -> Sequence[Paid]:
        """All are paid the share that worked, and the noise; without one who worked it were one share less."""
        worked = choose(range(self.tables), np.zeros((draws.seeds, episodes, self.tables), np.int64))
        team = worked.mean(axis=-1, keepdims=True) + self.noise * draws.normal(episodes, 1)
        return [Paid(np.repeat(team, self.tables, axis=-1), team - worked / self.tables)]

    def worth(self, policy: Floats) -> Floats:
        """One's own share, and what the others are expected to bring."""
        works = policy[:, :, 0, 1]
        others = (works.sum(axis=-1, keepdims=True) - works) / self.tables
        return np.stack([others, others + 1 / self.tables], axis=-1)[:, :, None]


def working(policy: Floats) -> Floats:
    """The share of each seed's team that works, shape (seeds,)."""
    return policy[:, :, 0, 1].mean(axis=-1)


def team(agents: int, noise: float, rate: float, seeds: Sequence[int]) -> Run:
    """Everybody learns from the team's reward."""
    how = Options(steps=STEPS, rate=rate, baseline="running")
    return train(TeamTables(agents, noise), how, seeds, watch=working, every=TEAM_EVERY)


def difference(agents: int, rate: float, seeds: Sequence[int]) -> Run:
    """Everybody learns from the difference reward, in units of one's own share; it is a baseline itself."""
    how = Options(steps=DIFFERENCE_STEPS, rate=rate * agents, baseline="none", difference=True)
    return train(TeamTables(agents, NOISE), how, seeds, watch=working, every=DIFFERENCE_EVERY)


def steps_to(level: float, seen: Floats) -> Floats:
    """The first step at which each seed's team works this much; the last where it never does. `seen`: (points, seeds),
    one point a step."""
    reached: Ints = np.where((seen >= level).any(axis=0), (seen >= level).argmax(axis=0), len(seen) - 1)
    return reached.astype(float)


def experiment(seeds: Sequence[int], tell: Tell) -> Experiment:
    """Teams of several sizes, each paid in both ways."""
    tried = [(noise, rate) for rate in RATES for noise in NOISES]
    total = 2 * len(SIZES) + len(tried) - 1
    teams, own = {}, {}
    for k, agents in enumerate(SIZES):
        tell("credit: teams", 2 * k, total)
        teams[agents] = team(agents, NOISE, RATE, seeds)
        own[agents] = difference(agents, RATE, seeds)
    large, settings = teams[LARGE].seen[-1], []
    for k, (noise, rate) in enumerate(tried):
        tell("credit: other settings", 2 * len(SIZES) + k, total)
        same = (noise, rate) == (NOISE, RATE)
        settings.append(_setting(noise, rate, large if same else team(LARGE, noise, rate, seeds).seen[-1], seeds))
    tell("credit", total, total)
    return Experiment(
        id="credit",
        title="Credit in a team: the difference reward beside the team's",
        question="How long does each of n agents take to find out that its own work pays?",
        assumed=(
            f"A table of two logits for each agent, all at 0; one episode a step; rate {RATE:g}; the team's reward is "
            f"the share that works, with noise of standard deviation {NOISE:g}, and a running mean as baseline.",
            "The difference reward is in units of one's own share: 1 for work, 0 for none; it needs no baseline. In "
            "the team reward's own units it is 1/n of that, and the steps would grow with n.",
            f"A team has learned when {LEARNED:.0%} of it works, by its policies.".replace("%", " %"),
            "Rate, noise and that share are published nowhere. The noise is the game's own; rate and share are round "
            "figures that give the published steps. The other settings tell what others give.",
        ),
        seeds=len(seeds),
        figures=(
            *(
                figure(
                    f"steps with the difference reward, n = {agents}",
                    "≈ 24",
                    *near(24, 1),
                    over_seeds(steps_to(LEARNED, own[agents].seen)),
                    "steps",
                    tolerance=1.0,
                )
                for agents in SIZES
            ),
            figure(
                f"working with the team reward, n = {LARGE}, after {STEPS} steps",
                "61.8",
                *near(61.8, 0.1),
                over_seeds(large, 100),
                "%",
                sets=in_sets(len(large), lambda these: float(100 * large[these].mean())),
                note=_elsewhere(settings),
            ),
        ),
        curves=(
            *(curve(f"team reward, n = {n}", teams[n].steps, teams[n].seen) for n in SIZES),
            *(curve(f"difference reward, n = {n}", own[n].steps, own[n].seen) for n in SIZES),
        ),
        settings=tuple(settings),
    )


WORKING = f"working % (team, n = {LARGE})"
QUIETER = f"rate {RATE:g}, noise {NOISES[2]:g}"


def _elsewhere(settings: Sequence[Setting]) -> str:
    """What the team's figure is with less noise than the game's own."""
    (one,) = (setting for setting in settings if setting.assumed == QUIETER)
    return f"noise {NOISE:g} is the game's own; with {NOISES[2]:g} it is {one.found[WORKING]:.1f}"


def _setting(noise: float, rate: float, large: Floats, seeds: Sequence[int]) -> Setting:
    seen = difference(SIZES[1], rate, seeds).seen
    return Setting(
        assumed=f"rate {rate:g}, noise {noise:g}",
        found={WORKING: float(100 * large.mean())}
        | {f"steps to {100 * level:.0f} %": float(steps_to(level, seen).mean()) for level in LEVELS},
    )

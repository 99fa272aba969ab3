"""The commons: who fishes for oneself empties the lake; who shares the reward keeps it, for one who doesn't, too."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np

from parlay_env.games.commons import CAPACITY_T, FISHERS, GROWTH, MONTHS, TONNE_KG, fished, gini
from training.reproduction.findings import Experiment, Figure, Setting, Tell, curve, figure, known, over_seeds
from training.tabular import Choose, Floats, Ints, Options, Paid, Stream, train

QUOTAS_T = (0, 5, 10, 15, 20, 25, 30)
"""What a fisher may ask for, every month alike."""
OTHER_QUOTAS_T = ((0, 5, 10, 15, 20), tuple(range(0, 51, 5)), (0, 10, 20, 30))
GREED_T = 12
"""The constant catch of the published arithmetic."""
SUSTAINED_T = CAPACITY_T * MONTHS // GROWTH
"""A year of half the lake."""
HOW = Options(steps=2000, rate=0.5, episodes=8, spread=0.1)
EVERY = 50
SELFISH, SHARED, ONE = (True,) * FISHERS, (False,) * FISHERS, (True, *(False,) * (FISHERS - 1))
"""Which fishers are paid their own catch; the others are paid everybody's."""
PLANS = {"selfish": SELFISH, "shared reward": SHARED, "one selfish among sharers": ONE}


def year(asked_t: Sequence[int]) -> tuple[Floats, int]:
    """What each catches in a year of asking for this much in every month (all there is, of a lake with less), in
    tonnes; and the months that were fished."""
    lake, caught, months = CAPACITY_T * TONNE_KG, np.zeros(len(asked_t)), 0
    while lake and months < MONTHS:
        kilograms, lake = fished(lake, [min(tonnes, lake // TONNE_KG) for tonnes in asked_t], months)
        caught += np.array(kilograms) / TONNE_KG
        months += 1
    return caught, months


class CommonsTables:
    """A table for each fisher, over quotas that hold for the whole year."""

    tables = FISHERS
    contexts = 1

    def __init__(self, quotas_t: Sequence[int], selfish: Sequence[bool]) -> None:
        self.actions = len(quotas_t)
        self.selfish = np.array(selfish)
        size = (self.actions,) * FISHERS
        self._caught, self._months = np.zeros((*size, FISHERS)), np.zeros(size, np.int64)
        for asked in combinations_with_replacement(range(self.actions), FISHERS):
            self._caught[asked], self._months[asked] = year([quotas_t[place] for place in asked])

    def play(self, choose: Choose, draws: Stream, episodes: int) -> Sequence[Paid]:
        """A year: each is paid the own catch or everybody's, in shares of the first lake."""
        asked = choose(range(FISHERS), np.zeros((draws.seeds, episodes, FISHERS), np.int64))
        caught, _ = self.years(asked)
        return [Paid(np.where(self.selfish, caught, caught.sum(axis=-1, keepdims=True)) / CAPACITY_T)]

    def years(self, asked: Ints) -> tuple[Floats, Ints]:
        """What each catches, in tonnes, and the months, where the fishers ask for these quotas, shape (…, fishers)."""
        order = np.argsort(asked, axis=-1, kind="stable")
        at = tuple(np.moveaxis(np.take_along_axis(asked, order, axis=-1), -1, 0))
        caught = np.empty(asked.shape)
        np.put_along_axis(caught, order, self._caught[at], axis=-1)
        return caught, self._months[at]

    def likeliest(self, policy: Floats) -> Floats:
        """What each catches where all ask for their likeliest quota, and the months, shape (seeds, fishers + 1)."""
        caught, months = self.years(policy[:, :, 0].argmax(axis=-1))
        return np.concatenate([caught, months[:, None].astype(float)], axis=-1)


def fish(quotas_t: Sequence[int], selfish: Sequence[bool], seeds: Sequence[int]) -> tuple[Floats, tuple[int, ...]]:
    """What the fishers catch as they learn, and the months, shape (points, seeds, fishers + 1), and the steps."""
    problem = CommonsTables(quotas_t, selfish)
    run = train(problem, HOW, seeds, watch=problem.likeliest, every=EVERY)
    return run.seen, run.steps


def experiment(seeds: Sequence[int], tell: Tell) -> Experiment:
    """Five who fish for themselves, five who share, and one among sharers."""
    total = len(PLANS) + len(OTHER_QUOTAS_T)
    seen: dict[str, Floats] = {}
    steps: tuple[int, ...] = ()
    for k, (name, selfish) in enumerate(PLANS.items()):
        tell("commons: fishers", k, total)
        seen[name], steps = fish(QUOTAS_T, selfish, seeds)
    settings = [_setting(QUOTAS_T, {name: run[-1] for name, run in seen.items()})]
    for k, quotas in enumerate(OTHER_QUOTAS_T):
        tell("commons: other quotas", len(PLANS) + k, total)
        settings.append(_setting(quotas, {name: fish(quotas, who, seeds)[0][-1] for name, who in PLANS.items()}))
    tell("commons", total, total)
    return Experiment(
        id="commons",
        title="The commons: five fishers and a lake",
        question="Do fishers who learn keep the lake that feeds them?",
        assumed=(
            f"A fisher's table has a logit for each quota, {', '.join(map(str, QUOTAS_T))} t, asked for in every month "
            "of the year; where the lake holds less than is asked, the game's own rule shares it out. Which quotas "
            "there are is published nowhere; the other settings tell what others give.",
            f"Rate {HOW.rate:g}, a running mean as baseline, {HOW.episodes} years a step, {HOW.steps:,} steps, first "
            f"logits' deviation {HOW.spread:g}; the reward is in shares of the first lake. The figures are of "
            "everybody's likeliest quota at the end.",
            "Sharers are paid what all five catch; the selfish one what it catches itself.",
        ),
        seeds=len(seeds),
        figures=_figures({name: run[-1] for name, run in seen.items()}),
        curves=(
            *(curve(f"total, {name}", steps, run[..., :FISHERS].sum(axis=-1), "t") for name, run in seen.items()),
            curve("the selfish one's, among sharers", steps, seen["one selfish among sharers"][..., 0], "t"),
        ),
        settings=tuple(settings),
    )


def _figures(last: dict[str, Floats]) -> tuple[Figure, ...]:
    caught, months = year((GREED_T,) * FISHERS)
    selfish, shared, one = (last[name] for name in PLANS)
    unequal = np.array([gini(row) for row in shared[:, :FISHERS]])
    return (
        figure(f"{GREED_T} t each: months until the lake is dead", "3", 3, 3, known(months), "months"),
        figure(f"{GREED_T} t each: total", "160", 160, 160, known(float(caught.sum())), "t"),
        figure("selfish: months until the lake is dead", "1", 1, 1, over_seeds(selfish[:, FISHERS]), "months"),
        figure("shared reward: total", "600", 600, 600, over_seeds(_total(shared)), "t", tolerance=1.0),
        figure("shared reward: Gini of the catches", "unequal", 0, None, over_seeds(unequal)),
        figure("one selfish among sharers: its own catch", "180–360", 180, 360, over_seeds(one[:, 0]), "t"),
    )


def _total(last: Floats) -> Floats:
    return last[:, :FISHERS].sum(axis=-1)


def _setting(quotas: Sequence[int], last: dict[str, Floats]) -> Setting:
    selfish, shared, one = (last[name] for name in PLANS)
    return Setting(
        assumed=f"quotas {', '.join(map(str, quotas))} t",
        found={
            "selfish: months": float(selfish[:, FISHERS].mean()),
            f"shared: seeds with {SUSTAINED_T} t": float((_total(shared) > SUSTAINED_T - 1).mean()),
            "shared: total, t": float(_total(shared).mean()),
            "one selfish: least, t": float(one[:, 0].min()),
            "one selfish: most, t": float(one[:, 0].max()),
        },
    )

"""Results as arrays of shape (policies, cells, seeds): what measures, comparisons and plots are computed from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from itertools import product
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from training.episodes import TERMS, Cell, Plan, Result
from training.policies import ORACLE
from training.stats import Floats

Masks = NDArray[np.bool_]
By = Literal["policy", "scenario", "persona", "seat", "cell"]
"""What gets a row of its own, besides each policy."""
BYS: tuple[By, ...] = get_args(By)


class Group:
    """Some cells of a policy, under a name of one to four parts: the policy, and what else the rows are by."""

    def __init__(self, policy: int, name: tuple[str, ...], cells: list[int]) -> None:
        self.policy, self.name, self.cells = policy, name, cells


class Grid:
    """Every episode of a plan; whatever is asked of it is an array of shape (policies, cells, seeds)."""

    def __init__(self, plan: Plan, results: Collection[Result]) -> None:
        """Raises ValueError unless there is exactly one result for every episode of the plan."""
        self.plan = plan
        self.shape = (len(plan.policies), len(plan.cells), plan.episodes)
        order = {key: i for i, key in enumerate(product(plan.policies, plan.cells, plan.seeds))}
        placed: list[Result | None] = [None] * len(order)
        for result in results:
            placed[order[result.policy, result.cell, result.seed]] = result
        self.results = [result for result in placed if result is not None]
        if not len(self.results) == len(results) == len(order):
            raise ValueError(f"{len(order)} episodes are planned, {len(self.results)} are there")

    def array(self, value: Callable[[Result], float | None]) -> Floats:
        """This figure of every episode; NaN where it is None."""
        return np.array([value(result) for result in self.results], dtype=float).reshape(self.shape)

    @cached_property
    def reward(self) -> Floats:
        return self.array(lambda r: r.reward)

    @cached_property
    def efficiency(self) -> Floats:
        return self.array(lambda r: r.efficiency)

    @cached_property
    def surplus(self) -> Floats:
        return self.array(lambda r: r.surplus)

    @cached_property
    def zopa(self) -> Masks:
        return self.array(lambda r: r.zopa).astype(bool)

    @cached_property
    def terms(self) -> dict[str, Floats]:
        """The reward by term."""
        table = np.array([[result.terms.get(term, 0.0) for term in TERMS] for result in self.results])
        return {term: table[:, k].reshape(self.shape) for k, term in enumerate(TERMS)}

    @property
    def oracle(self) -> int | None:
        """Which policy regret is measured against."""
        return self.plan.policies.index(ORACLE) if ORACLE in self.plan.policies else None

    def groups(self, by: By) -> list[Group]:
        """The rows, policy by policy, in the order of the plan."""
        return [
            Group(p, (policy, *name), cells)
            for p, policy in enumerate(self.plan.policies)
            for name, cells in _parts(self.plan.cells, by).items()
        ]


def _parts(cells: Iterable[Cell], by: By) -> dict[tuple[str, ...], list[int]]:
    """The cells by what the rows are by."""
    names: dict[str, Callable[[Cell], tuple[str, ...]]] = {
        "policy": lambda _: (),
        "scenario": lambda cell: (cell.scenario,),
        "persona": lambda cell: (cell.persona,),
        "seat": lambda cell: (cell.seat,),
        "cell": lambda cell: (cell.scenario, cell.persona, cell.seat),
    }
    found: dict[tuple[str, ...], list[int]] = {}
    for i, cell in enumerate(cells):
        found.setdefault(names[by](cell), []).append(i)
    return found

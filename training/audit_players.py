"""Who plays in the audit, and on which seeds.

The players are the yardstick, honest chassis, and every exploit, those too that try what is not allowed.
`parlay eval` offers lawful players only, and looks them up in `training.policies`. The audit introduces the others
there for as long as it plays; a worker process is told of them by the jobs that it is handed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import product

from msgspec.structs import replace

from agent.baselines import ROSTER
from parlay_env.core import Policy
from parlay_env.deal.state import Setup
from training import policies
from training.episodes import CHUNK, Job, Plan, Result
from training.grid import Grid

YARDSTICK = "bayes"
"""The policy that no exploit may come near."""
Maker = Callable[[Setup, int], Policy]


class AuditJob(Job, frozen=True):
    """A job whose players a worker process may not know."""

    def __reduce__(self) -> tuple[Callable[..., AuditJob], tuple[object, ...]]:
        return _handed_over, tuple(getattr(self, name) for name in self.__struct_fields__)


class AuditPlan(Plan, frozen=True):
    """A plan of rounds, whose first policy is the yardstick.

    In a round everybody plays one episode in every cell, each cell on a seed of its own: of the plan's seeds the first
    are the cells' in round 1, in their order, the next those in round 2, and so on. `episodes` counts all seeds.
    """

    @property
    def rounds(self) -> int:
        """Of a policy in a cell: as many episodes."""
        return self.episodes // len(self.cells)

    @property
    def total(self) -> int:
        """Episodes in all."""
        return len(self.policies) * self.episodes

    def seed(self, cell: int, number: int) -> int:
        """The seed of a cell in a round, both counted from 0."""
        return self.first_seed + number * len(self.cells) + cell

    def jobs(self) -> list[Job]:
        """All there is to play, policy by policy, cell by cell."""
        starts = range(0, self.rounds, CHUNK)
        return [
            AuditJob(policy, cell, self.split, tuple(self.seed(k, n) for n in range(start, self.rounds)[:CHUNK]))
            for policy, (k, cell), start in product(self.policies, enumerate(self.cells), starts)
        ]

    def grid(self, results: Iterable[Result]) -> Grid:
        """The results by round: what an evaluation has for seeds, this grid has for rounds."""
        number = {cell: k for k, cell in enumerate(self.cells)}
        count, first = len(self.cells), self.first_seed
        by_round = Plan(self.policies, self.cells, self.split, first, self.rounds)
        return Grid(by_round, [replace(r, seed=first + (r.seed - first - number[r.cell]) // count) for r in results])


def _handed_over(*fields: object) -> AuditJob:
    """A job as it arrives in a worker process, which plays nothing but the audit."""
    policies.PRIVILEGED.update(_strangers())
    return AuditJob(*fields)  # type: ignore[arg-type]


@contextmanager
def introduced() -> Iterator[None]:
    """All the audit's players can be played."""
    strangers = _strangers()
    policies.PRIVILEGED.update(strangers)
    try:
        yield
    finally:
        for name in strangers:
            del policies.PRIVILEGED[name]


def _strangers() -> dict[str, Maker]:
    """The players that the evaluation doesn't know."""
    return {name: _of_roster(name) for name in ROSTER if name not in policies.names()}


def _of_roster(name: str) -> Maker:
    def make(setup: Setup, seed: int) -> Policy:  # noqa: ARG001
        return ROSTER[name].make()

    return make

"""The same work on the machines of a Ray cluster: `--engine ray`.

    with Cluster() as cluster:
        grid = evaluate(chosen, folder, workers=cluster)

Ray is told where its cluster is by RAY_ADDRESS; without it, one is started on this machine. Every node has Parlay
installed, the same release: a node whose game is another one is refused, since its results would be of another game.
Results come back in the order of the work, so that they are those of one process, to the last bit.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Sequence
from importlib.util import find_spec
from typing import Any, Literal, Self, TypeVar

from training.rules import rules_digest

T = TypeVar("T")
Done = TypeVar("Done")
Engine = Literal["local", "ray"]
ENGINES: tuple[Engine, ...] = ("local", "ray")
AHEAD = 2
"""Pieces of work handed in for every processor of the cluster, so that none runs dry."""


class ClusterError(RuntimeError):
    """There is no Ray here, no cluster at its address, or a node that can't be used; the message says what to do."""


class Cluster:
    """A Ray cluster, from entering to leaving. `cpus`: of one that is started here; 0: all there are."""

    def __init__(self, cpus: int = 0) -> None:
        """Raises ClusterError where Ray is not installed."""
        if find_spec("ray") is None:
            raise ClusterError("--engine ray needs Ray: pip install 'ray>=2.50', here and on every node")
        self._cpus = cpus
        self._ray: Any = None
        self.processors = 0
        """Of the whole cluster, once it is entered."""

    def __enter__(self) -> Self:
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        import ray

        address = os.environ.get("RAY_ADDRESS")
        own = {"num_cpus": self._cpus or None, "include_dashboard": False} if address is None else {}
        try:
            ray.init(address=address, logging_level="ERROR", log_to_driver=False, **own)  # pyright: ignore[reportArgumentType]
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise ClusterError(f"no Ray cluster at {address or 'this machine'}: {error}") from None
        self._ray = ray
        self.processors = max(1, int(ray.cluster_resources().get("CPU", 1)))
        return self

    def __exit__(self, *_: object) -> None:
        self._ray.shutdown()
        self._ray = None

    def share_out(self, do: Callable[[T], Done], work: Sequence[T]) -> Generator[Done]:
        """What `do` makes of each piece of work, in order. Raises what `do` raises, and ClusterError for a node that
        plays another game, or that went with its work."""
        ray = self._ray
        ours, there = rules_digest(), ray.remote(_there)
        waiting: deque[Any] = deque()
        try:
            for one in work:
                if len(waiting) >= AHEAD * self.processors:
                    yield ray.get(waiting.popleft())
                waiting.append(there.remote(do, one, ours))
            while waiting:
                yield ray.get(waiting.popleft())
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except ray.exceptions.RayError as error:
            raise ClusterError(f"a node of the cluster failed: {type(error).__name__}") from None
        finally:
            for left in waiting:
                ray.cancel(left, force=True)


def _there(do: Callable[[T], Done], one: T, digest: str) -> Done:
    """Done on a node of the cluster."""
    if rules_digest() != digest:
        raise ClusterError("a node of the cluster has another release of Parlay: install the same on all of them")
    return do(one)

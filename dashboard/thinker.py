"""A second process that thinks: what a player may believe of its opponent, so that no game waits for it.

The belief tracker is compiled at its first use on a machine (about a minute), and busy for milliseconds at every move:
none of it on the event loop. What goes over are a player's views and moves, and nothing else: whatever comes back can't
hold what its player could not know.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import signal
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from parlay_env.deal.state import Move
from parlay_env.deal.views import View

log = logging.getLogger("parlay.pages")
Steps = Sequence[tuple[View, Move | None]]
Found = TypeVar("Found")
KEPT = 512
"""Players whose tracker is kept."""
_NICE = 5
"""The thinker gives way to whoever moves."""


class Missing(Exception):
    """The tracker of this player is not kept any more: all its steps are needed."""


class Process:
    """One worker process, started at its first task and again when it has died. `done` is the share of its task that is
    done, as far as the task tells."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._pool: ProcessPoolExecutor | None = None
        self._stopped = False
        self.done = self._context.Value("d", 0.0)

    async def run(self, work: Callable[..., Found], *arguments: Any) -> Found:
        """What this function gives, in the other process. Raises BrokenProcessPool when it dies over it."""
        if self._stopped:  # what waited for its turn may not begin a process that nobody ends
            raise BrokenProcessPool("the server stops")
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, self._context, _begin, (self.done,))
        pool = self._pool
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, work, *arguments)
        except BrokenProcessPool:
            if self._pool is pool:
                self._pool = None
            pool.shutdown(wait=False)
            raise

    def stop(self) -> None:
        """End it, whatever it is at, for good."""
        self._stopped = True
        if self._pool is not None:
            processes = list((self._pool._processes or {}).values())  # noqa: SLF001 - there is no public way
            self._pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.kill()
            self._pool = None


class Thinker:
    """Estimates for players, by (game, seat)."""

    def __init__(self) -> None:
        self._process = Process()
        self._sent: dict[tuple[str, str], int] = {}

    def warm(self) -> None:
        """Have the tracker compiled, if it is not yet, before somebody waits for it."""
        task = asyncio.get_running_loop().create_task(self._process.run(_warm))
        task.add_done_callback(_logged)

    async def estimates(self, key: tuple[str, str], steps: Steps) -> list[dict[str, Any]]:
        """The estimates after each step. Raises game.estimates.Unavailable where there can be none."""
        sent = min(self._sent.get(key, 0), len(steps))
        try:
            found = await self._process.run(_think, key, sent, list(steps[sent:]))
        except (Missing, BrokenProcessPool):
            found = await self._process.run(_think, key, 0, list(steps))
        if len(self._sent) > 4 * KEPT:
            self._sent.clear()
        self._sent[key] = len(steps)
        return found

    def stop(self) -> None:
        """End the process."""
        self._process.stop()


def _logged(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("the thinker could not be started", exc_info=error)


# In the other process -------------------------------------------------------------------------------------------------

_done: Any = None


def tell(share: float) -> None:
    """In the other process: so much of the task is done, 0…1."""
    _done.value = share


_trackers: OrderedDict[tuple[str, str], tuple[Any, list[dict[str, Any]]]] = OrderedDict()


def _begin(done: Any) -> None:
    global _done  # noqa: PLW0603 - a process of its own has nothing else to keep it in
    import os

    _done = done
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is the server's to handle
    os.nice(_NICE)
    threading.Thread(target=_end_with_the_server, daemon=True).start()


def _end_with_the_server() -> None:
    """A server that was killed can end nobody: without this, what thinks for it would stay for good."""
    import os

    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(1)


def _think(key: tuple[str, str], known: int, steps: list[tuple[View, Move | None]]) -> list[dict[str, Any]]:
    """Add these steps to the `known` ones; all estimates so far."""
    from game.estimates import Estimator

    tracker, found = _trackers.pop(key, (None, []))
    if tracker is None or len(found) != known:
        if known:
            raise Missing(key)
        tracker, found = Estimator(), []
    for view, move in steps:
        found.append(tracker.add(view, move))
    _trackers[key] = (tracker, found)
    while len(_trackers) > KEPT:
        _trackers.popitem(last=False)
    return found


def _warm() -> None:
    """Play two turns of each kind of scenario, so that all that will be needed is compiled."""
    from agent import registry
    from agent.baselines import baseline
    from game.record import Episode, steps_of
    from game.scenarios import scenarios
    from parlay_env.deal.state import Setup
    from parlay_env.rng import Draws

    for scenario in scenarios().values():
        episode = Episode(
            Setup(scenario, opponent=registry.profile("shark")),
            1,
            {"seller": None, "buyer": registry.opponent("shark")},
        )
        player = baseline("tit_for_tat")
        for _ in range(3):
            if not episode.over:
                episode.play("seller", player.act(episode.view("seller"), Draws(1)))
        _think(("", scenario.id), 0, list(steps_of(episode, "seller")))
        _trackers.clear()

"""The batched core against the scalar one: turns a second of the same deals on one core, words off.

Both play the same list of offers against all three personas, and take a new instance whenever an episode ends, so that
resets count; a turn counts when a learner moved in it, so that a place whose episode is over adds nothing. Time is this
process's CPU time; of several repeats, taken in turns, the median counts. What is compiled is compiled beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from agent.registry import OPPONENTS, opponent, profile
from cli.bench.core import Listed, slow_concessions
from cli.bench.rows import Row, number, relative
from game.scenarios import scenarios
from parlay_env.core import play_episode
from parlay_env.deal.game import Deal
from parlay_env.deal.state import SEATS, Move, Setup

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from agent.batch import Batch

GROUP = "batch"
PLACES = 4096
BARS = {"saas_enterprise": 20, "supplier_contract": 5}
"""How many times as fast as the scalar core."""
AIM = 1_000_000
"""Turns a second of the price game that are aimed at."""
_GAME = Deal()


def measure(quick: bool) -> Iterator[Row]:
    """The rows of this group."""
    repeats, episodes, steps = (3, 10, 30) if quick else (9, 60, 100)
    compiled = _compile()
    for scenario_id, bar in BARS.items():
        setups, moves = _setups(scenario_id), slow_concessions(scenario_id, 0, words=False)
        one, many = list[float](), list[float]()
        for repeat in range(-1, repeats):  # The first warms up.
            rates = _scalar(setups, moves, episodes), _batched(setups, moves, steps)
            if repeat >= 0:
                one.append(rates[0])
                many.append(rates[1])
        rate, what = median(many), f"{PLACES:,} at once against one by one: {scenario_id}"
        yield relative(GROUP, what, rate, "turns/s", median(one), "", least=bar)
        if bar == max(BARS.values()):
            reached = "reached" if rate >= AIM else "not yet"
            yield Row(GROUP, "the same, aimed at", rate, "turns/s", f"{number(AIM)}", None, note=reached)
    yield Row(GROUP, "to compile it, or to load it compiled", compiled, "s", "–", None, note="not timed")


def _setups(scenario_id: str) -> list[Setup]:
    return [Setup(scenario=scenarios()[scenario_id], seat="seller", opponent=profile(name)) for name in OPPONENTS]


def _compile() -> float:
    """Compiles what is used, or loads it; gives the seconds."""
    from agent.batch import Batch

    begin = perf_counter()
    batch = Batch(_setups("saas_enterprise"))
    batch.reset(range(len(batch)))
    batch.step(batch.moves())
    return perf_counter() - begin


def _scalar(setups: Sequence[Setup], moves: tuple[Move, ...], episodes: int) -> float:
    """Turns a second; so many episodes against each persona."""
    turns, begin = 0, process_time()
    for setup in setups:
        for seed in range(episodes):
            policies = {SEATS[0]: Listed(moves), SEATS[1]: opponent(setup.opponent.name, words=False)}
            turns += play_episode(_GAME, setup, seed, policies, keep_log=False).state.public.turn
    return turns / (process_time() - begin)


def _batched(setups: Sequence[Setup], moves: tuple[Move, ...], steps: int) -> float:
    """Turns a second; so many steps of all places."""
    import numpy as np

    from agent.batch import Batch
    from agent.batch.convert import put_move

    batch = Batch([setups[i % len(setups)] for i in range(PLACES)])
    listed = Batch([setups[0]] * len(moves)).moves()
    for row, move in zip(listed, moves, strict=True):
        put_move(row, move, setups[0].scenario)
    seeds, turns = count(), 0
    begin = process_time()
    _begin(batch, np.arange(PLACES), seeds)
    for _ in range(steps):
        batch.step(listed[batch.rows["turn"] - 1])
        turns += PLACES
        _begin(batch, np.flatnonzero(batch.over), seeds)
    return turns / (process_time() - begin)


def _begin(batch: Batch, where: NDArray[np.int64], seeds: Iterator[int]) -> None:
    """New instances in these places."""
    batch.reset(list(islice(seeds, len(where))), where)

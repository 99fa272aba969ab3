"""The debrief of a game that lasted twenty turns: each of its moves valued, in hindsight and by what could be known.

The learner concedes slowly and leaves at the end; the game is the first of a fixed list of seeds that lasts. Time is
this process's CPU time; of several repeats the median counts. What is compiled is compiled beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from time import process_time
from typing import TYPE_CHECKING

from agent.registry import opponent, profile
from cli.bench.core import SCENARIOS, Listed, slow_concessions
from cli.bench.rows import Row, absolute
from game.scenarios import scenarios
from parlay_env.core import play_episode
from parlay_env.deal.game import Deal
from parlay_env.deal.state import SEATS, T_MAX, Setup

if TYPE_CHECKING:
    from parlay_env.log import EventLog

GROUP = "debrief"
HINDSIGHT, FAIR = 1.0, 5.0
"""Seconds, at most."""
SEEDS = range(2000)


def measure(quick: bool) -> Iterator[Row]:
    """The rows of this group."""
    from game.review.moves import review

    for scenario_id in SCENARIOS:
        log = _long_game(scenario_id)
        times: dict[bool, list[float]] = {False: [], True: []}
        for repeat in range(-1, 1 if quick else 5):  # The first warms up.
            for fair, found in times.items():
                begin = process_time()
                review(log, b"", SEATS[0], fair=fair)
                if repeat >= 0:
                    found.append(process_time() - begin)
        hindsight, both = median(times[False]), median(times[True])
        yield absolute(GROUP, f"20 moves in hindsight: {scenario_id}", hindsight, "s", most=HINDSIGHT)
        yield absolute(GROUP, f"20 moves by what could be known: {scenario_id}", both - hindsight, "s", most=FAIR)


def _long_game(scenario_id: str) -> EventLog:
    """The log of a game in which the learner moved in every turn."""
    moves = slow_concessions(scenario_id, 0, words=False)
    for seed in SEEDS:
        for name in ("veteran", "diplomat", "shark"):
            setup = Setup(scenarios()[scenario_id], "seller", profile(name))
            policies = {SEATS[0]: Listed(moves), SEATS[1]: opponent(name, words=False)}
            played = play_episode(Deal(), setup, seed, policies)
            if played.log is not None and sum(SEATS[0] in one for one in played.log.moves(Deal.move_type)) == T_MAX:
                return played.log
    raise RuntimeError("no game of this list lasts to the end")

"""The scalar core: turns a second of a deal with a scripted opponent, on one core.

The learner is the cheapest there can be, a list of moves made beforehand: what is measured is the core, the opponent
and, where there are words, what reads them. A turn is both sides' moves. Time is this process's CPU time, so that a
busy machine costs little; of several repeats, taken in turns, the median counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from time import process_time

from agent.registry import opponent, profile
from cli.bench.rows import Row, absolute, relative
from game.scenarios import scenarios
from parlay_env.core import play_episode
from parlay_env.deal.game import Deal
from parlay_env.deal.state import SEATS, T_MAX, Move, Setup
from parlay_env.deal.terms import asking, terms_of, worth
from parlay_env.deal.views import View
from parlay_env.prompt import offer_text
from parlay_env.rng import Draws

GROUP = "core"
SCENARIOS = ("saas_enterprise", "supplier_contract")
BARS = {True: 10_000, False: 25_000}
"""Turns a second, with words and log and without."""
VETERAN = 0.5
"""The Veteran thinks: it may take twice as long as the others."""
_GAME = Deal()
_SEEDS = range(1000)


class Listed:
    """A learner that plays a list: a move for every turn."""

    def __init__(self, moves: tuple[Move, ...]) -> None:
        self.moves = moves

    def act(self, view: View, rng: Draws) -> Move:
        del rng
        return self.moves[view.public.turn - 1]


def slow_concessions(scenario_id: str, seat: int, words: bool) -> tuple[Move, ...]:
    """Offers from the declared anchor half of the way to the declared limit, so that episodes last."""
    scenario = scenarios()[scenario_id]
    terms = terms_of(scenario)
    mine, theirs = terms.declared[seat], terms.declared[1 - seat]
    top, limit = worth(mine, terms.anchors[seat]), terms.limits[seat]
    found = []
    for turn in range(1, T_MAX + 1):
        offer = asking(terms, mine, theirs, round(top - 0.5 * (top - limit) * turn / T_MAX))
        said = f"In round {turn} we can do {offer_text(terms, offer)}, if you sign this month." if words else ""
        found.append(Move(utterance=said, voiced=True, offer=offer))
    return tuple(found)


def measure(quick: bool) -> Iterator[Row]:
    """The rows of this group."""
    repeats, episodes = (3, 20) if quick else (9, 150)
    for scenario_id in SCENARIOS:
        for words in (True, False):
            found = _turns_a_second(scenario_id, words, repeats, episodes)
            how = f"{scenario_id}, {'with' if words else 'without'} words and log"
            others = min(found["shark"], found["diplomat"])
            yield absolute(GROUP, f"{how}: slower of Shark, Diplomat", others, "turns/s", least=BARS[words])
            veteran = found["veteran"]
            yield relative(GROUP, f"{how}: Veteran", veteran, "turns/s", others, "those", least=VETERAN)


def _turns_a_second(scenario_id: str, words: bool, repeats: int, episodes: int) -> dict[str, float]:
    """By persona, the median of the repeats, which the personas take in turns."""
    moves = slow_concessions(scenario_id, 0, words)
    found: dict[str, list[float]] = {"shark": [], "diplomat": [], "veteran": []}
    for repeat in range(-1, repeats):  # The first warms up: caches, words, formats.
        for persona, rates in found.items():
            seeds = _SEEDS[:10] if repeat < 0 else _SEEDS[:episodes]
            rate = _rate(scenario_id, persona, moves, words, seeds)
            if repeat >= 0:
                rates.append(rate)
    return {persona: median(rates) for persona, rates in found.items()}


def _rate(scenario_id: str, persona: str, moves: tuple[Move, ...], words: bool, seeds: range) -> float:
    setup = Setup(scenario=scenarios()[scenario_id], seat="seller", opponent=profile(persona))
    turns, begin = 0, process_time()
    for seed in seeds:
        policies = {SEATS[0]: Listed(moves), SEATS[1]: opponent(persona, words)}
        turns += play_episode(_GAME, setup, seed, policies, keep_log=words).state.public.turn
    return turns / (process_time() - begin)

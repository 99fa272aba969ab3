"""`bayes` and `oracle`: policies that look ahead.

Both choose from one family of plans (`agent/batch/plans.py`) by playing the rest of the deal out against the known
persona policies: `bayes` in many futures that its beliefs hold possible, `oracle` in the one that will be. `oracle` is
an upper bound, not a competitor: it needs the episode's setup and seed.
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from agent.batch import plans
from agent.batch.convert import to_move
from agent.batch.engine import Batch
from agent.batch.layout import (
    ANCHOR_HIGH,
    ANSWER_KIND,
    BATNA_REVEAL,
    CARD_COST,
    DEADLINE,
    EPISODE,
    KINDS,
    LIMIT,
    MOVE,
    REFRAME,
    SILENCE,
    SWEETENER,
    TIME_PRESSURE,
)
from agent.batch.particles import SIZE, resample
from agent.batch.persona import clear
from agent.batch.plans import ACCEPT, GO_ON, MATCH, PLAN, WALK
from agent.batch.rules import newest_open_claim
from agent.beliefs import Tracker
from game.cards import QUESTION_COST
from game.events import market_kinds
from parlay_env.deal.numbers import CLAIM_GRAIN, DEADLINE_GRAIN, SCHEDULE_SPREAD
from parlay_env.deal.state import EARLY, T_MAX, Move, Setup
from parlay_env.deal.views import View
from parlay_env.rng import Draws, word

FUTURES = 40
"""Futures in which `bayes` compares plans."""
FEW = 12
"""Futures of the first sifting, …"""
LEFT = 12
"""… which this many plans survive."""
GOALS = 9
PACES = (1, 2, 4, 7, 11)
LEADS = (0, 3, 5)
"""By how many hundredths a plan that matches the other's steps leads them."""
SHARPER = 0.4
"""A card is played when it promises at least so many points."""
QUESTIONS = (2, 0, 1, 3)
"""In this order: authority, timeline, alternatives, priorities."""
ASKS_UNTIL = 9
CHALLENGE_WORTH = 1.0
"""A challenge is made when it promises at least so many points."""


class Tools(msgspec.Struct, frozen=True):
    """What `bayes` may use; each can be taken from it to see what it is worth."""

    updates: bool = True
    questions: bool = True
    cards: bool = True
    challenges: bool = True
    reports: bool = True


def _plans(rows: list[tuple[int, float, float, int, int, int]]) -> NDArray[Any]:
    return np.array(rows, PLAN)


def _extra(**fields: Any) -> NDArray[Any]:
    found = np.zeros(1, MOVE)
    clear(found[0])
    for field, value in fields.items():
        found[field] = value
    return found


class Bayes:
    """Best-responds to its beliefs: plays plans out in futures drawn from them, and takes the best."""

    def __init__(self, tools: Tools = Tools()) -> None:  # noqa: B008 - frozen
        self.tools = tools
        self.tracker: Tracker | None = None
        self._before: Move | None = None

    def act(self, view: View, rng: Draws) -> Move:
        """The move with the greatest expected reward among the plans' first moves."""
        if self.tracker is None:
            self.tracker = Tracker(view, rng.key, updates=self.tools.updates)
        else:
            self.tracker.update(view, self._before)
        self._before = self._decide(view, rng)
        return self._before

    def _decide(self, view: View, rng: Draws) -> Move:
        tracker = self.tracker
        assert tracker is not None
        tables, scene, turn = tracker.tables, tracker.tables.scenes[0], view.public.turn
        now = tracker.now.copy()
        now["schedule"][0] = -1
        heard = {int(event[2]) for event in tracker.events if event[1] == 0}
        for k in range(int(scene["headlines"])):
            if k not in heard and scene["headline_turn"][k] + SCHEDULE_SPREAD > turn:
                now["schedule"][0, k] = 1
        key = np.uint64(word(rng.key, 1000 + turn))
        facts, slopes, weights = tracker.facts()
        base, other = self._supposed(slopes, weights)
        cloud = np.zeros((FUTURES, SIZE))
        order = np.random.default_rng(int(key) & 0xFFFFFFFF).permutation(len(tracker.cloud))
        resample(tracker.cloud[order], tracker.weights[order], key, turn, cloud)
        cloud = cloud[np.random.default_rng(int(key) >> 33).permutation(FUTURES)]
        futures = np.zeros(FUTURES, EPISODE)
        plans.prospects(tables, now[0], cloud, tracker.mine, tracker.events, key, base, other, futures)

        def worth(chosen: NDArray[Any], count: int, extra: NDArray[Any] | None = None) -> NDArray[np.float64]:
            out = np.zeros((len(chosen), count))
            plans.values(
                tables,
                futures,
                count,
                chosen,
                base,
                other,
                _NOTHING[0] if extra is None else extra[0],
                extra is not None,
                out,
            )
            return out.mean(axis=1)

        family = self._family(now, scene)
        sifted = np.argsort(-worth(family, FEW), kind="stable")[:LEFT]
        final = family[sifted]
        scores = worth(final, FUTURES)
        best = final[[int(np.argmax(scores))]]
        value = float(scores.max())
        move = np.zeros(1, MOVE)
        plans.plan_move(tables, now[0], best[0], base, other, move[0])
        if best[0]["kind"] in (GO_ON, MATCH) and not move[0]["accept"]:
            self._embellish(now, tables, scene, facts, weights, best, value, worth, move, view)
        self._report(move, facts, weights, view)
        return to_move(move[0], view.setup.scenario)

    def _supposed(self, slopes: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[int, NDArray[np.int64]]:
        """The other's utility, in the mean."""
        mean = np.round(weights @ slopes).astype(np.int64)
        return int(mean[0]), mean[1:]

    def _family(self, now: NDArray[Any], scene: Any) -> NDArray[Any]:
        return family(now[0], scene, np.linspace(0.0, 1.0, GOALS), PACES, (0,))

    def _embellish(
        self,
        now: Any,
        tables: Any,
        scene: Any,
        facts: Any,
        weights: Any,
        best: Any,
        value: float,
        worth: Any,
        move: NDArray[Any],
        view: View,
    ) -> None:
        """A card, a question, a challenge to go with the move."""
        row, me = now[0], int(now[0]["learner"])
        extra = np.zeros(1, MOVE)
        clear(extra[0])
        found = False
        if self.tools.cards:
            for card in cards(row, scene, me):
                gain = float(worth(best, FUTURES, card)[0]) - value
                if gain > SHARPER:
                    extra, value, found = card, value + gain, True
        if self.tools.questions and not found and view.public.turn <= ASKS_UNTIL:
            topic = self._asks(row, tables.persons[int(row["persona"])], me)
            if topic is not None:
                extra["question"], found = topic, True
        if self.tools.challenges and row["challenges"] < 2 and extra[0]["card"] != SILENCE:
            at = newest_open_claim(row, 1 - me)
            if at >= 0 and self._dared(view) < 2:
                q = float(
                    tables.persons[int(row["persona"])]["bluffs"][
                        row["claim_kind"][at], int(row["claim_turn"][at] > EARLY)
                    ]
                )
                false = self._false(row, scene, facts, weights, at, 1 - me)
                if float(tables.spec[0]["bluff"]) * (false - q) > CHALLENGE_WORTH:
                    extra["challenge"] = True
                    found = True
        if found:
            plans.add(tables, row, move[0], extra[0])

    def _asks(self, row: Any, persona: Any, me: int) -> int | None:
        """The topic to ask about: each once, the limit when the persona would name it."""
        for topic in QUESTIONS:
            early = row["turn"] < persona["confides_turn"] or row["trust"][me] < persona["confides_trust"]
            if row["asked"][me, topic] or (early and KINDS[ANSWER_KIND[topic]] == "budget"):
                continue
            return topic if row["points"][me] >= QUESTION_COST else None
        return None

    def _dared(self, view: View) -> int:
        """How many challenges have been made."""
        return sum(made.seat != view.seat and made.status in ("stands", "withdrawn") for made in view.public.claims)

    def _false(self, row: Any, scene: Any, facts: Any, weights: Any, at: int, other: int) -> float:
        """The probability that this claim is a bluff, by the facts as they are now."""
        kind, value = KINDS[row["claim_kind"][at]], int(row["claim_value"][at])
        grain = CLAIM_GRAIN * float(scene["delta0"][other])
        if kind == "limit":
            return float(weights @ (np.abs(facts[:, 0] - value) > grain))
        if kind == "budget":
            return float(weights @ (np.abs(facts[:, 2] - value) > grain))
        if kind == "deadline":
            return float(weights @ (np.abs(facts[:, 5] - value) > DEADLINE_GRAIN))
        if kind == "alternative":
            return float(weights @ np.abs(facts[:, 4] - value))
        if scene["issues"] == 1:
            return float(weights @ ((facts[:, 3] > float(scene["urgency"])) != bool(value)))
        return 0.0

    def _report(self, move: NDArray[Any], facts: Any, weights: Any, view: View) -> None:
        move["belief"] = np.nan
        if not self.tools.reports:
            return
        for k, column in enumerate((1, 2, 3)):
            order = np.argsort(facts[:, column])
            share = np.cumsum(weights[order])
            move["belief"][0, k] = facts[order[min(len(order) - 1, int(np.searchsorted(share, 0.5)))], column]
        move["belief"][0, :2] = np.round(move["belief"][0, :2])
        move["belief"][0, 3] = min(1.0, max(0.0, float(weights @ facts[:, 4])))
        news = view.public.news
        if news and news[-1].market and news[-1].turn == view.public.turn:
            kinds = market_kinds(view.setup.split)
            kind = next(one for one in kinds if news[-1].words in one.words[view.setup.split])
            mean = kind.buyer if view.seat == 0 else kind.seller
            move["event_impact"] = mean * view.setup.opponent.mev_sensitivity


_NOTHING = np.zeros(1, MOVE)
clear(_NOTHING[0])


def standing_of(row: Any, scene: Any) -> tuple[float, float]:
    """Where the learner stands: the surplus of its newest ask (of the declared anchor before it), and of the other's
    standing offer (−∞ without one), in its Δ0."""
    me, issues = int(row["learner"]), int(scene["issues"])
    other = 1 - me
    slopes = row["slopes"][me, :issues].astype(np.int64)
    limit = max(int(row["walk_away"][me]), int(row["budget"][me]) if row["has_budget"][me] else -(10**18))
    limit -= sum(int(row["item_worth"][me, k]) for k in range(int(scene["items"])) if row["thrown"][k])
    width = float(scene["delta0"][me])

    def surplus(offer: Any) -> float:
        return (int(row["base"][me]) + int(slopes @ offer[:issues]) - limit) / width

    mine = surplus(row["latest"][me]) if row["offers"][me] else surplus(scene["anchors"][me])
    theirs = surplus(row["standing"][other]) if row["has_standing"][other] else -np.inf
    return mine, theirs


def family(
    row: Any, scene: Any, goals: NDArray[np.float64], paces: tuple[int, ...], waits: tuple[int, ...]
) -> NDArray[Any]:
    """The plans from here: accept, walk, and every goal (a share of the way to the limit) at every pace."""
    mine, theirs = standing_of(row, scene)
    turn = max(1, int(row["turn"]))
    found: list[tuple[int, float, float, int, int, int]] = [(WALK, 0.0, 0.0, 1, turn, 0)]
    if theirs >= 0.0:
        found.append((ACCEPT, 0.0, 0.0, 1, turn, 0))
    origin = max(mine, 0.0)
    for share in goals:
        goal = origin * float(share)
        for pace in paces:
            if turn + pace <= T_MAX + 2:
                found += [(GO_ON, origin, goal, pace, turn, wait) for wait in waits]
            if share == 1.0:
                break
        if share < 1.0:
            found += [(MATCH, origin, goal, lead, turn, wait) for lead in LEADS for wait in waits]
    return _plans(found)


def cards(row: Any, scene: Any, me: int) -> list[NDArray[Any]]:
    """The cards that could be played now, each as a move's extra."""
    found = []
    points, used = int(row["points"][me]), row["used"][me]
    if points >= CARD_COST[REFRAME] and used[REFRAME] < 2:
        found.append(_extra(card=REFRAME))
    if points >= CARD_COST[SILENCE] and used[SILENCE] < 2 and row["offers"][me]:
        found.append(_extra(card=SILENCE))
    if points >= CARD_COST[SWEETENER] and used[SWEETENER] < 2:
        found += [
            _extra(card=SWEETENER, item=k)
            for k in range(int(scene["items"]))
            if scene["item_by"][k] == me and not row["thrown"][k]
        ]
    if points >= CARD_COST[TIME_PRESSURE] and used[TIME_PRESSURE] < 1:
        found.append(_extra(card=TIME_PRESSURE, claim_kind=DEADLINE, claim_value=min(T_MAX, int(row["turn"]) + 4)))
    if points >= CARD_COST[BATNA_REVEAL] and used[BATNA_REVEAL] < 1:
        limit = max(int(row["walk_away"][me]), int(row["budget"][me]) if row["has_budget"][me] else -(10**18))
        width = int(scene["delta0"][me])
        for tighter in (0.0, 0.2, 0.4):
            found.append(_extra(card=BATNA_REVEAL, claim_kind=LIMIT, claim_value=limit + int(tighter * width)))
    if row["offers"][me] and not used[ANCHOR_HIGH] and scene["is_price"]:
        unit, width = int(scene["unit"]), int(scene["delta0"][me])
        for more in (0.1, 0.3):
            best = int(row["first"][me, 0])
            top = (float(row["top"][me]) + more) * width
            place = int(scene["anchors"][me, 0]) + (1 if me == 0 else -1) * int(top / unit)
            if 0 <= place < int(scene["counts"][0]) and place != best:
                extra = _extra(card=ANCHOR_HIGH, offers=True)
                extra["offer"][0, 0] = place
                found.append(extra)
    return found


class Oracle:
    """The best of the plans in the very episode that is played: it knows the seed, and so the opponent, its style, its
    noise and the headlines to come. Privileged; an upper bound."""

    def __init__(self, setup: Setup, seed: int) -> None:
        """Raises NotBatched for a setup that the batched core has no room for."""
        self.setup = setup
        self.batch = Batch([setup])
        self.batch.reset([seed])
        self._best: NDArray[Any] | None = None
        self._value = -np.inf

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        """The first move of the best plan."""
        tables, row = self.batch.tables, self.batch.rows
        scene, me = tables.scenes[0], self.setup.learner
        base, other = int(row[0]["base"][1 - me]), row[0]["slopes"][1 - me].astype(np.int64)

        def worth(chosen: NDArray[Any], extra: NDArray[Any] | None = None) -> NDArray[np.float64]:
            out = np.zeros((len(chosen), 1))
            plans.values(
                tables, row, 1, chosen, base, other, _NOTHING[0] if extra is None else extra[0], extra is not None, out
            )
            return out[:, 0]

        chosen = family(row[0], scene, np.linspace(0.0, 1.0, 41), (1, 2, 3, 4, 5, 6, 8, 10, 12, 15), (0, 2, 5))
        if self._best is not None:
            chosen = np.concatenate([self._best, chosen])
        scores = worth(chosen)
        top = np.argsort(-scores, kind="stable")[:6]
        best, value, extra = chosen[top[:1]], float(scores[top[0]]), None
        options = cards(row[0], scene, me)
        at = newest_open_claim(row[0], 1 - me)
        if at >= 0 and row[0]["challenges"] < 2:
            options.append(_extra(challenge=True))
        for option in options:
            tried = worth(chosen[top], option)
            k = int(np.argmax(tried))
            if tried[k] > value + 1e-9:
                best, value, extra = chosen[top[[k]]], float(tried[k]), option
        move = self.batch.moves()
        plans.plan_move(tables, row[0], best[0], base, other, move[0])
        if extra is not None:
            plans.add(tables, row[0], move[0], extra[0])
        self._know(move, row[0], 1 - me, view)
        self._best = best.copy()
        self.batch.step(move)
        return to_move(move[0], self.setup.scenario)

    def _know(self, move: NDArray[Any], row: Any, other: int, view: View) -> None:
        """Reports that are the truth."""
        move["belief"][0, 0] = row["walk_away"][other]
        move["belief"][0, 1] = row["budget"][other] if row["has_budget"][other] else row["walk_away"][other]
        move["belief"][0, 2], move["belief"][0, 3] = row["urgency"][other], float(row["alternative"][other])
        shocks = int(row["shocks"])
        if shocks and row["shock_market"][shocks - 1] and row["shock_turn"][shocks - 1] == view.public.turn:
            move["event_impact"] = row["shock_effect"][shocks - 1, other]

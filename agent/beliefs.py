"""The belief tracker: what a player can know of its opponent, from its own view alone.

Bayesian over the opponent's limits, urgency, alternative, deadline, weights and style: a cloud of particles
(`agent/batch/particles.py`), each reweighed by how likely the known persona would have made the moves that were seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from agent import numbers as an
from agent.batch import particles
from agent.batch.compiled import kernel
from agent.batch.convert import put_move, put_view
from agent.batch.engine import tables_of
from agent.batch.layout import EPISODE, KINDS, MOVE, OPEN, STANDS, WITHDRAWN
from agent.batch.persona import clear
from agent.batch.rules import apply, newest_open_claim, settle_challenge
from agent.personas import PERSONAS
from game.events import SPLITS, market_kinds
from parlay_env.deal.state import Move, Public
from parlay_env.deal.views import View
from parlay_env.rng import word

POOL = 1024
"""How many opponents the cloud holds at first, drawn from the prior, …"""
PARTICLES = 240
"""… and how many once it has been resampled, which is when its effective size falls below …"""
KEPT = 0.5
"""… this share of them."""
SWEEPS = 12
ALIKE = 12.0
"""Copies part slowly in what little depends on: of the alternative so many opponents tell as much as one."""
LEVEL = 0.8
"""Of the intervals."""
VERDICTS = {"stands": STANDS, "withdrawn": WITHDRAWN}
"""What becomes of a challenged claim."""


class Estimate(msgspec.Struct, frozen=True):
    """Median and 80 % interval of a hidden figure."""

    median: float
    low: float
    high: float


class Beliefs(msgspec.Struct, frozen=True):
    """What can be known of the opponent now. Limits are its utilities, in hundredths of money; bars are 0…1."""

    limit: Estimate
    walk_away: Estimate
    budget: Estimate
    urgency: Estimate
    deadline: Estimate
    has_alternative: float
    zopa: float
    """The probability that there is something to agree on."""
    reach: Estimate
    """The most that this player could have, as its surplus in Δ0 (negative: nothing)."""
    bars: dict[str, tuple[float, float]]
    """`cooperative`, `competitive`, `reserved`, `flexible`: the bar and its confidence."""


class Tracker:
    """One player's beliefs in one deal. Feed it every view of its own, and the move it made before."""

    def __init__(self, view: View, key: int = 0, *, updates: bool = True) -> None:
        """From the first view. `updates` False: the prior for ever (an ablation).

        Raises NotBatched for a scenario that the batched core has no room for, and ValueError for an opponent who is no
        scripted persona.
        """
        setup = view.setup
        if setup.opponent.name not in PERSONAS:
            known = ", ".join(PERSONAS)
            raise ValueError(f"beliefs are about a scripted opponent ({known}), not about {setup.opponent.name!r}")
        self.updates = updates
        self.tables = tables_of((setup.scenario,), setup.reward)
        blank = np.zeros(1, EPISODE)
        blank["persona"] = list(PERSONAS).index(setup.opponent.name)
        blank["learner"] = view.seat
        blank["split"], blank["events"] = SPLITS.index(setup.split), setup.events
        blank["guess"] = 1.0
        for seat in (0, 1):
            blank["safe"][0, seat] = True
        self._blank = blank
        self._key = np.uint64(word(key, 0x5EED))
        self.now = self._record(view)
        self._scratch = self.now.copy()
        self._seen = np.zeros(24, EPISODE)
        self._moves = np.zeros(24, MOVE)
        self._count = 0
        self.events = np.zeros((0, 3), np.int64)
        assert view.own is not None
        self.mine = view.own.limit
        self.cloud = np.zeros((POOL, particles.SIZE))
        self.weights = np.zeros(POOL)
        particles.draw_cloud(self.tables, self._scratch[0], self.cloud, self.mine, self._key)
        self._effective = self.independent = float(POOL)
        """So many opponents drawn at random would tell as much as the cloud does."""
        self._public: Public | None = None
        self._take_opening(view)

    def _record(self, view: View) -> NDArray[Any]:
        found = self._blank.copy()
        put_view(found[0], view)
        return found

    def _take_opening(self, view: View) -> None:
        """An opponent that opened has made a move before the first view."""
        self._public = view.public
        theirs = 1 - view.seat
        if view.public.sides[theirs].steps and self.updates:
            before = self._blank.copy()
            for field in ("base", "slopes", "walk_away", "item_worth"):
                before[field] = self.now[field]
            before["least_worth"] = 2**62
            before["card"], before["question"] = -1, -1
            self._note(before, view, made_before=0)

    def update(self, view: View, move: Move | None) -> None:
        """Take in this view; `move` is what the player did at the view before (None at the first)."""
        before = self._public
        assert before is not None
        if move is None or view.public.sides[1 - view.seat].steps == before.sides[1 - view.seat].steps:
            self.now = self._record(view)
            self._carry(self.now)
            self._public = view.public
            return
        played = self.now.copy()
        mine = np.zeros(1, MOVE)
        put_move(mine[0], move, view.setup.scenario)
        statuses = [made.status == "withdrawn" for made in view.public.claims]
        _as_answered(self.tables, played[0], mine[0], np.array([*statuses, False]))
        self.now = self._record(view)
        self._carry(self.now)
        if self.updates:
            self._note(played, view, made_before=len(before.claims) + (move.claim is not None))
        self._public = view.public
        self._hear(view)
        self._carry(self.now)

    def _carry(self, record: NDArray[Any]) -> None:
        """What the record of the view can't say: the guess that the opponent has made of the player."""
        if self._count:
            newest = self._seen[self._count - 1]
            record["guess"], record["guessed"] = newest["guess"], newest["guessed"]

    def _note(self, played: NDArray[Any], view: View, made_before: int) -> None:
        """The opponent's move, and the record that it was made at, enter the history and the weights."""
        seat = 1 - view.seat
        side, public = view.public.sides[seat], view.public
        i = self._count
        self._seen[i] = played[0]
        row = self._moves[i]
        clear(row)
        row["offers"] = side.offered
        if side.offered and side.latest is not None:
            row["offer"][: len(side.latest)] = side.latest
        row["card"] = self.now["card"][0, seat]
        claims = [made for made in public.claims[made_before:] if made.seat == seat]
        if claims:
            row["claim_kind"], row["claim_value"] = KINDS.index(claims[0].claim.kind), claims[0].claim.value
        self._count += 1
        if self._count == 1 and row["offers"]:
            key, seen = np.uint64(word(int(self._key), 1)), self._seen[0].copy()
            particles.aim(self.tables, self._scratch[0], self.cloud, self.weights, self.mine, seen, row, key)
        self._judge(public, seat)
        effective = particles.reweigh(
            self.tables,
            self._scratch[0],
            self.cloud,
            self.weights,
            self.mine,
            self._seen,
            self._moves,
            self._count,
            self.events,
        )
        self.independent *= effective / self._effective
        self._effective = effective
        if effective < KEPT * PARTICLES:
            self._resample(max(1, public.turn))

    def _judge(self, public: Public, seat: int) -> None:
        """What came of the opponent's claims since: a verdict counts with the move that made the claim."""
        made = [one for one in public.claims if one.seat == seat]
        places = [i for i in range(self._count) if self._moves["claim_kind"][i] >= 0]
        verdicts = self._moves["verdict"].copy()
        for i, one in zip(places, made, strict=False):
            verdicts[i] = VERDICTS.get(one.status, OPEN)
        earlier = self._count - 1  # the newest move has not been weighed yet
        if (verdicts[:earlier] != self._moves["verdict"][:earlier]).any():
            before = self._scores(earlier)
            self._moves["verdict"] = verdicts
            self.weights += self._scores(earlier) - before
        self._moves["verdict"] = verdicts

    def _scores(self, count: int) -> NDArray[np.float64]:
        """The log likelihood of the first `count` moves, by particle."""
        found = np.zeros(len(self.cloud))
        _score_all(
            self.tables,
            self._scratch[0],
            self.cloud,
            found,
            self.mine,
            self._seen,
            self._moves,
            count,
            self.events,
        )
        return found

    def _resample(self, turn: int) -> None:
        """As many of the likeliest as there is time for, each moved on."""
        cloud, key = np.zeros((PARTICLES, particles.SIZE)), np.uint64(word(int(self._key), 2))
        particles.resample(self.cloud, self.weights, key, turn, cloud)
        self.cloud, self.weights = cloud, np.zeros(PARTICLES)
        moved = particles.rejuvenate(
            self.tables,
            self._scratch[0],
            cloud,
            self.mine,
            self._seen,
            self._moves,
            self._count,
            self.events,
            key,
            turn,
            SWEEPS,
        )
        self.independent = min(PARTICLES, self.independent * (1.0 + moved))  # copies part as they move
        self._effective = float(PARTICLES)

    def _hear(self, view: View) -> None:
        """The headlines that broke since."""
        setup, found = view.setup, []
        kinds = [kind.words[setup.split] for kind in market_kinds(setup.split)]
        lines = [line.words[setup.split] for line in setup.scenario.headlines]
        for news in view.public.news[len(self.events) :]:
            words = kinds if news.market else lines
            which = next(i for i, wordings in enumerate(words) if news.words in wordings)
            found.append((news.turn, int(news.market), which))
        if found:
            self.events = np.concatenate([self.events, np.array(found, np.int64)])

    def facts(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Each particle's opponent as it is now (K, FACTS), its utility (K, 1 + ISSUES), and the weights (K,)."""
        out = np.zeros((len(self.cloud), particles.FACTS))
        slopes = np.zeros((len(self.cloud), 1 + EPISODE["slopes"].shape[1]))
        now = self.now.copy()  # its opponent is made each particle's in turn
        particles.facts_now(self.tables, self._scratch[0], now[0], self.cloud, self.mine, self.events, out, slopes)
        weights = np.exp(self.weights - self.weights.max())
        weights /= weights.sum()
        if self.updates and len(self.cloud) <= PARTICLES:  # many, as at first, tell it themselves
            prior = particles.alternatives(
                self.tables,
                self._scratch[0],
                now[0],
                self.cloud,
                self.mine,
                self._seen,
                self._moves,
                self._count,
                self.events,
                out[:, 4],
            )
            out[:, 4] = prior + (out[:, 4] - prior) * self._trusted(weights, out[:, 4], prior)
        return out, slopes, weights

    def _trusted(self, weights: NDArray[np.float64], found: NDArray[np.float64], prior: float) -> float:
        """The share of what the cloud tells beyond the prior that is no sampling noise: positive-part shrinkage."""
        told = float(weights @ found)
        noise = float(weights @ (found - told) ** 2) * ALIKE / self.independent
        return max(0.0, 1.0 - noise / max(1e-12, (told - prior) ** 2))

    def beliefs(self) -> Beliefs:
        """The estimates."""
        facts, _, weights = self.facts()
        now, me = self.now[0], int(self.now[0]["learner"])
        scene = self.tables.scenes[0]
        own = int(now["walk_away"][me])
        if now["has_budget"][me]:
            own = max(own, int(now["budget"][me]))
        width = float(scene["delta0"][me])
        reach = (facts[:, 11] - own) / width

        def money(values: NDArray[np.float64]) -> Estimate:
            return estimate(values, weights, self.independent)

        return Beliefs(
            limit=money(facts[:, 0]),
            walk_away=money(facts[:, 1]),
            budget=money(facts[:, 2]),
            urgency=estimate(facts[:, 3], weights),
            deadline=estimate(facts[:, 5], weights),
            has_alternative=min(1.0, float(weights @ facts[:, 4])),
            zopa=min(1.0, float(weights @ (reach >= 0))),
            reach=money(reach),
            bars=self._bars(facts, weights),
        )

    def _bars(self, facts: NDArray[np.float64], weights: NDArray[np.float64]) -> dict[str, tuple[float, float]]:
        persona = self.tables.persons[int(self.now[0]["persona"])]
        found = {}
        for name, (column, low, high, wide) in BARS.items():
            mean = float(weights @ facts[:, column])
            sd = float(np.sqrt(max(0.0, weights @ (facts[:, column] - mean) ** 2)))
            prior = wide(persona) / 12**0.5
            bar = min(1.0, max(0.0, (mean - low) / (high - low)))
            found[name] = bar, min(1.0, max(0.0, float(1.0 - sd / prior)))
        return found


def _bars() -> dict[str, tuple[int, float, float, Callable[[Any], float]]]:
    """What each bar shows: a column of `facts_now`, where it is empty and full (over all personas), and the width of
    the prior. Reserved counts down: who gives little to time alone."""
    everybody = tuple(PERSONAS.values())
    give, slow, open_at = an.RECIPROCITY_RANGE, an.BETA_RANGE, an.OPENING_SPREAD
    most = give[1] * max(p.reciprocity for p in everybody)
    return {
        "cooperative": (9, 0.0, most, lambda p: p["reciprocity"] * _wide(give)),
        "competitive": (
            6,
            min(p.opening for p in everybody) - open_at,
            max(p.opening for p in everybody) + open_at,
            lambda _: 2 * open_at,
        ),
        "reserved": (
            8,
            max(p.share[1] for p in everybody),
            min(p.share[0] for p in everybody),
            lambda p: p["share"][1] - p["share"][0],
        ),
        "flexible": (7, 0.0, slow[1] * max(p.beta for p in everybody), lambda p: p["beta"] * _wide(slow)),
    }


def _wide(pair: tuple[float, float]) -> float:
    return pair[1] - pair[0]


BARS = _bars()


def estimate(values: NDArray[np.float64], weights: NDArray[np.float64], independent: float | None = None) -> Estimate:
    """Weighted median and interval, of a normal kernel estimate when it is known how many independent draws the sample
    is worth: the quantiles of few draws alone lie too near each other (width by Silverman 1986, with the deviation)."""
    levels = (0.5 - LEVEL / 2, 0.5, 0.5 + LEVEL / 2)
    if independent is None:
        order = np.argsort(values)
        share = np.cumsum(weights[order])
        low, median, high = np.interp(levels, share - 0.5 * weights[order], values[order])
        return Estimate(float(median), float(low), float(high))
    mean = float(weights @ values)
    sd = float(np.sqrt(max(0.0, weights @ (values - mean) ** 2)))
    width = max(1e-9, 0.9 * sd * max(1.0, independent) ** -0.2)
    low, median, high = (particles.blurred_quantile(values, weights, level, width) for level in levels)
    return Estimate(median, low, high)


@kernel
def _as_answered(tables, r, m, withdrawn):  # pyright: ignore[reportMissingParameterType]
    """The record as the opponent saw it: after the player's move, a challenge with the verdict that is now known."""
    me = r.learner
    if m.challenge:
        at = newest_open_claim(r, 1 - me)
        settle_challenge(r, 1 - me, at, withdrawn[at])
        m.challenge = False
        apply(tables, r, me, m)
        m.challenge = True
    else:
        apply(tables, r, me, m)


@kernel
def _score_all(tables, x, cloud, weights, mine, seen, moves, count, events):  # pyright: ignore[reportMissingParameterType]
    most = particles.most_of(tables, seen, moves, count)
    for i in range(len(cloud)):
        weights[i] = particles.history(tables, x, cloud[i], mine, seen, moves, count, events, most, -np.inf)

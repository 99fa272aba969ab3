"""The batched core against the scalar one: the same moves, the same ends, the same pay."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from agent.baselines import baseline
from agent.batch import Batch, NotBatched
from agent.batch.convert import put_move, put_view, to_move
from agent.batch.layout import EPISODE, REASONS
from agent.registry import OPPONENTS, opponent, profile
from game.cards import ANSWERS, CARDS, CLAIMED_BY, TOPICS
from game.scenarios import scenarios
from parlay_env.core import Viewer, policy_draws
from parlay_env.deal.game import Deal
from parlay_env.deal.state import SEATS, Belief, Claim, Move, Setup, State
from parlay_env.deal.terms import terms_of
from parlay_env.grader import grade
from parlay_env.reward import RewardSpec

GAME = Deal()
PUBLIC = [
    "turn",
    "tension",
    "heat",
    "news",
    "market_news",
    "claims",
    "ticks",
    "claim_kind",
    "claim_value",
    "claim_status",
]
CONDUCT = [
    "latest",
    "first",
    "offers",
    "credit",
    "weakness",
    "idle",
    "points",
    "used",
    "asked",
    "card",
    "question",
    "standing",
]


@cache
def setups() -> tuple[Setup, ...]:
    """A setup for every scenario, persona and seat."""
    return tuple(
        Setup(scenario=s, seat=seat, opponent=profile(p))
        for s in scenarios().values()
        for p in OPPONENTS
        for seat in SEATS
    )


class Scalar:
    """One episode in the scalar core, with the persona opposite."""

    def __init__(self, setup: Setup, seed: int) -> None:
        self.setup, self.them = setup, SEATS[1 - setup.learner]
        self.policy = opponent(setup.opponent.name, words=False)
        self.draws = policy_draws(GAME, seed, self.them)
        self.state: State = GAME.start(setup, seed)
        self.theirs: Move | None = None
        self.answer()

    def answer(self) -> float:
        self.theirs, paid = None, 0.0
        while self.state.public.ended is None and self.state.public.mover != self.setup.learner:
            self.theirs = self.policy.act(GAME.view(self.state, Viewer("player", self.them)), self.draws)
            paid += self._play(self.them, self.theirs)
        return paid

    def _play(self, seat: str, move: Move) -> float:
        step = GAME.play(self.state, {seat: move})
        self.state = step.state
        return sum(step.rewards.get(self.setup.seat, {}).values())

    def step(self, move: Move) -> float:
        return self._play(self.setup.seat, move) + self.answer()

    @property
    def over(self) -> bool:
        return self.state.public.ended is not None


def wild_move(rng: np.random.Generator, state: State, careful: float) -> Move:
    """Any move at all; `careful` is how often it is one that a negotiator might make."""
    setup, public = state.setup, state.public
    seat, terms = setup.learner, terms_of(setup.scenario)
    sane = rng.random() < careful
    move = {"voiced": bool(rng.random() < 0.8)}
    draw = rng.random()
    mine = public.sides[seat]
    if draw < 0.03 or (draw < 0.06 and not sane):
        move["accept"] = True
    elif draw < 0.065:
        move["walk"] = True
    elif draw < 0.8:
        move["offer"] = _wild_offer(rng, state, sane)
    if rng.random() < 0.25:
        card = CARDS[rng.integers(len(CARDS))].id
        move["card"] = card
        items = [item.id for item in setup.scenario.sweeteners]
        if card == "sweetener" and items:
            move["item"] = items[rng.integers(len(items))]
        if card == "silence" and sane:
            move = {"card": "silence", "voiced": False}
        if card in CLAIMED_BY:
            move["claim"] = _wild_claim(rng, state, CLAIMED_BY[card])
    elif rng.random() < 0.2:
        move["question"] = TOPICS[rng.integers(len(TOPICS))]
    elif public.sides[1 - seat].question and rng.random() < 0.7:
        move["claim"] = _wild_claim(rng, state, ANSWERS[public.sides[1 - seat].question])
    if rng.random() < 0.15:
        move["challenge"] = True
    if rng.random() < 0.4:
        move["belief"] = Belief(
            *(
                value if rng.random() < 0.7 else None
                for value in (
                    int(terms.limits[1 - seat] + rng.normal() * 0.4 * terms.delta0[1 - seat]),
                    int(terms.limits[1 - seat] + rng.normal() * 0.4 * terms.delta0[1 - seat]),
                    round(float(rng.random()), 3),
                    round(float(rng.random()), 3),
                )
            )
        )
    if rng.random() < 0.5:
        move["event_impact"] = round(float(rng.normal() * 0.1), 3)
    if sane and mine.errors == 2:
        return Move(voiced=True)
    return Move(**move)


def _wild_offer(rng: np.random.Generator, state: State, sane: bool) -> tuple[int, ...]:
    setup, seat = state.setup, state.setup.learner
    terms, mine = terms_of(setup.scenario), state.public.sides[state.setup.learner]
    if not terms.is_price:
        return tuple(int(rng.integers(0, count + (0 if sane else 1))) for count in terms.counts)
    width = terms.delta0[0] // terms.steps[0]
    toward = -1 if seat == 0 else 1
    start = terms.anchors[seat][0] if mine.latest is None else mine.latest[0]
    return (start + toward * int(rng.normal(0.04, 0.06 if sane else 0.5) * width),)


def _wild_claim(rng: np.random.Generator, state: State, kind: str) -> Claim:
    seat, terms = state.setup.learner, terms_of(state.setup.scenario)
    if kind in ("limit", "budget"):
        return Claim(kind, int(terms.limits[seat] + rng.normal(0.1, 0.3) * terms.delta0[seat]))
    return Claim(kind, int(rng.integers(0, 22 if kind == "deadline" else 3)))


def play_both(seeds: range, careful: float) -> list[str]:
    """Plays every setup on these seeds in both cores; returns how the episodes ended."""
    where, ends = setups(), []
    batch = Batch(where)
    for seed in seeds:
        batch.reset([seed] * len(where))
        scalar = [Scalar(setup, seed) for setup in where]
        rng = np.random.default_rng(seed)
        moves = batch.moves()
        for _ in range(80):
            alive = [i for i, one in enumerate(scalar) if not one.over]
            if not alive:
                break
            chosen = {i: wild_move(rng, scalar[i].state, careful) for i in alive}
            for i, move in chosen.items():
                put_move(moves[i], move, where[i].scenario)
            rewards = batch.step(moves)
            for i, move in chosen.items():
                paid = scalar[i].step(move)
                assert rewards[i] == pytest.approx(paid, abs=1e-9), (seed, where[i].seat, i, move)
                _same(batch, i, scalar[i])
        assert all(one.over for one in scalar)
        ends += [one.state.public.ended.reason for one in scalar]
    return ends


def _same(batch: Batch, i: int, scalar: Scalar) -> None:
    row, state = batch.rows[i], scalar.state
    public, ended = state.public, state.public.ended
    assert REASONS[row["ended"]] == ("" if ended is None else ended.reason)
    if scalar.theirs is not None:
        assert to_move(batch.theirs[i], state.setup.scenario) == _silent(scalar.theirs)
    assert (row["turn"], row["tension"], row["ticks"]) == (public.turn, public.tension, public.ticks)
    for seat in (0, 1):
        assert row["walk_away"][seat] == state.facts[seat].walk_away
        assert row["trust"][seat] == public.sides[seat].trust
        assert row["points"][seat] == public.sides[seat].points
    if ended is not None:
        graded = grade(state, state.setup.learner)
        assert row["reward"] == pytest.approx(graded.reward, abs=1e-9)
        assert row["efficiency"] == graded.efficiency
        assert (row["zopa"], row["breach"], row["invalid"]) == (
            graded.zopa_existed,
            graded.breach,
            graded.invalid_moves,
        )


def _silent(move: Move) -> Move:
    return Move(
        voiced=move.voiced,
        offer=move.offer,
        accept=move.accept,
        walk=move.walk,
        card=move.card,
        item=move.item,
        claim=move.claim,
        challenge=move.challenge,
    )


@pytest.mark.slow
def test_ten_thousand_random_episodes_are_the_same_in_both_cores() -> None:
    """Move by move: ends, rewards (within 1e-9), the opponent's moves, limits, tension, trust, points."""
    ends: list[str] = []
    for careful, seeds in ((1.0, range(250)), (0.8, range(250, 350)), (0.0, range(350, 420))):
        ends += play_both(seeds, careful)
    assert len(ends) >= 10_000
    assert {"deal", "walk_away", "zopa_collapsed", "forfeit"} == set(ends)  # a persona leaves at its deadline


def test_random_episodes_are_the_same_in_both_cores() -> None:
    assert len(set(play_both(range(10_000, 10_006), 0.9))) >= 3


@pytest.mark.parametrize("name", ["tit_for_tat", "boulware"])
def test_a_policy_earns_the_same_in_both_cores(name: str) -> None:
    where = setups()
    batch = Batch(where)
    batch.reset(range(len(where)))
    scalar = [Scalar(setup, seed) for seed, setup in enumerate(where)]
    moves, policies = batch.moves(), [baseline(name) for _ in where]
    while any(not one.over for one in scalar):
        for i, one in enumerate(scalar):
            if not one.over:
                seen = GAME.view(one.state, Viewer("player", one.setup.seat))
                move = policies[i].act(seen, policy_draws(GAME, i, one.setup.seat))
                put_move(moves[i], move, one.setup.scenario)
                one.step(move)
        batch.step(moves)
    for i, one in enumerate(scalar):
        assert batch.rows[i]["reward"] == pytest.approx(grade(one.state, one.setup.learner).reward, abs=1e-9)


def test_a_claimed_deadline_presses_as_hard_in_both_cores() -> None:
    """Every turn that can be claimed, in the turn that it is claimed in: from all of it to a tenth and less."""
    where = setups()[:1] * 20
    batch = Batch(where)
    seed = next(seed for seed in range(50) if Scalar(where[0], seed).state.public.turn == 1)
    batch.reset([seed] * len(where))
    scalar, moves = [Scalar(one, seed) for one in where], batch.moves()
    for i, one in enumerate(scalar):
        claim = Claim("deadline", i + 1)
        put_move(moves[i], Move(voiced=True, card="time_pressure", claim=claim), where[i].scenario)
        one._play(where[i].seat, Move(voiced=True, card="time_pressure", claim=claim))
    batch.step(moves)
    me = where[0].learner
    found = [row["pressing"][me] for row in batch.rows]
    assert found == [one.state.public.sides[me].pressing for one in scalar]
    assert found == pytest.approx([0.6 * (1.0 - i / 20) for i in range(20)])


def test_a_view_written_into_a_record_holds_what_is_public() -> None:
    rng = np.random.default_rng(3)
    where = setups()
    batch = Batch(where)
    batch.reset([5] * len(where))
    scalar, moves = [Scalar(setup, 5) for setup in where], batch.moves()
    for _ in range(6):
        for i, one in enumerate(scalar):
            if not one.over:
                move = wild_move(rng, one.state, 1.0)
                put_move(moves[i], move, one.setup.scenario)
                one.step(move)
        batch.step(moves)
    hidden = "visible hidden policy claim_true shock_effect schedule guess opening reserve"
    compared = 0
    for i, one in enumerate(scalar):
        if one.over:
            continue
        compared += 1
        row = np.zeros((), EPISODE)
        put_view(row, GAME.view(one.state, Viewer("player", one.setup.seat)))
        me = one.setup.learner
        for field in PUBLIC:
            assert (row[field] == batch.rows[i][field]).all(), field
        for field in CONDUCT:
            theirs = batch.rows[i][field].copy()
            if field == "standing":
                theirs[~batch.rows[i]["has_standing"].astype(bool)] = 0
                row[field][~row["has_standing"].astype(bool)] = 0
            assert (row[field] == theirs).all(), field
        for field in ["walk_away", "budget", "urgency", "deadline", "base", "slopes", "item_worth", "least_worth"]:
            assert (row[field][me] == batch.rows[i][field][me]).all(), field
        assert row["walk_away"][1 - me] == 0
        for field in hidden.split():
            assert not np.any(row[field]), field
    assert compared >= 5


def test_what_the_batched_core_has_no_room_for_is_named() -> None:
    with pytest.raises(NotBatched, match="tom_reading must be 'skill'"):
        Batch([Setup(scenario=setups()[0].scenario, opponent=profile("shark"), reward=RewardSpec.literal())])
    one, other = setups()[0], Setup(setups()[0].scenario, opponent=profile("shark"), reward=RewardSpec(tom=1.0))
    with pytest.raises(ValueError, match="one RewardSpec"):
        Batch([one, other])


def test_an_episode_that_is_over_stays_as_it_is() -> None:
    batch = Batch(setups()[:2])
    batch.reset([1, 2])
    moves = batch.moves()
    moves["walk"] = True
    batch.step(moves)
    before = batch.rows.copy()
    assert batch.over.all()
    assert (batch.step(moves) == 0.0).all()
    for field in EPISODE.names or ():
        assert np.array_equal(batch.rows[field], before[field], equal_nan=batch.rows[field].dtype.kind == "f"), field
    batch.reset([9], [1])
    assert batch.over.tolist() == [True, False]

"""The mathematics of the belief tracker: the bounds hold, and every step of the cloud leaves what is known as it is."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from statistics import NormalDist, fmean

import numpy as np
import pytest
from numpy.typing import NDArray

from agent.baselines import baseline
from agent.batch import particles, plans
from agent.batch.likelihood import likelihood, most_of
from agent.batch.particles import SIZE
from agent.beliefs import POOL, Tracker
from agent.personas import PERSONAS
from agent.registry import OPPONENTS, opponent, profile
from agent.table import style_of, table_of
from game.cards import QUESTION_COST, TOPICS
from game.scenarios import scenarios
from parlay_env.core import Policy, Viewer, policy_draws
from parlay_env.deal.numbers import SCHEDULE_SPREAD
from parlay_env.deal.rules import newest_open_claim
from parlay_env.deal.state import SEATS, Move, Setup
from parlay_env.deal.terms import most, terms_of
from parlay_env.deal.views import View
from parlay_env.rng import Draws, word
from tests.world import GAME, PRICE_IDS, SCENARIO_IDS

each_scenario = pytest.mark.parametrize("scenario", SCENARIO_IDS)
each_persona = pytest.mark.parametrize("persona", OPPONENTS)


class Cross:
    """Holds its first offer, asks in every turn that it can afford it, and disputes every claim."""

    def act(self, view: View, rng: Draws) -> Move:
        first = baseline("boulware").act(view, rng)
        mine, asks = view.public.sides[view.seat], view.public.turn
        return Move(
            voiced=True,
            offer=None if mine.standing else first.offer,
            question=TOPICS[asks % len(TOPICS)] if mine.points >= QUESTION_COST else "",
            challenge=newest_open_claim(view.public, 1 - view.seat) is not None,
        )


class Near:
    """Asks for a little more than what the other side has offered: a gap that the Diplomat splits."""

    def act(self, view: View, rng: Draws) -> Move:
        terms, theirs = terms_of(view.setup.scenario), view.public.sides[1 - view.seat].latest
        if not terms.is_price or theirs is None or view.public.turn < 3:
            return baseline("conceder").act(view, rng)
        gap = round(0.09 * terms.delta0[view.seat] / terms.steps[0])
        return Move(voiced=True, offer=(theirs[0] + (gap if view.seat == 0 else -gap),))


def tracked(setup: Setup, seed: int, learner: Policy, moves: int = 20) -> Iterator[Tracker]:
    """The tracker of the learner at each of its turns of an episode."""
    draws = {seat: policy_draws(GAME, seed, seat) for seat in SEATS}
    policies = {setup.seat: learner, SEATS[1 - setup.learner]: opponent(setup.opponent.name, words=False)}
    state, tracker, move = GAME.start(setup, seed), None, None
    while state.public.ended is None and moves:
        seat = SEATS[state.public.mover]
        view = GAME.view(state, Viewer("player", seat))
        made = policies[seat].act(view, draws[seat])
        if seat == setup.seat:
            if tracker is None:
                tracker = Tracker(view, 1)
            else:
                tracker.update(view, move)
            move, moves = made, moves - 1
            yield tracker
        state = GAME.play(state, {seat: made}).state


def start(scenario: str, persona: str, seat: str = "seller") -> Setup:
    return Setup(scenarios()[scenario], seat, profile(persona))


# The bound on what is still to come -----------------------------------------------------------------------------------


def by_move(t: Tracker, particle: NDArray[np.float64]) -> tuple[float, list[float]]:
    """The log density of the prior at a particle, and the log likelihood of each move that was seen."""
    x, done, found = t._scratch[0], 0, []
    prior = particles.realise(t.tables, x, particle, t.mine)
    seen = t._seen.copy()
    for i in range(t._count if prior > -np.inf else 0):
        done = particles.happen(t.tables, x, particle, t.events, done, seen[i]["turn"])
        particles.hand_over(x, seen[i])
        particles.with_erosion(t.tables.scenes[0], seen[i])
        found.append(likelihood(t.tables, seen[i], t._moves[i]))
    return prior, found


def history(t: Tracker, particle: NDArray[np.float64], least: float) -> float:
    bound = most_of(t.tables, t._seen, t._moves, t._count)
    return particles.history(
        t.tables, t._scratch[0], particle, t.mine, t._seen.copy(), t._moves, t._count, t.events, bound, least
    )


@each_scenario
@each_persona
def test_no_move_is_likelier_than_its_bound_and_no_particle_that_reaches_the_least_is_dropped(
    scenario: str, persona: str
) -> None:
    """On real episodes, with headlines, holds, splits and swept offers: for opponents of the prior and for those that
    the tracker has come to, which are those near the bound."""
    moves, tight, cut = 0, math.inf, 0
    for seed, (seat, learner) in enumerate(itertools.product(SEATS, ("question_flood", "conceder", "near"))):
        player = Near() if learner == "near" else baseline(learner)
        *_, t = tracked(start(scenario, persona, seat), 40 + seed, player)
        bounded = most_of(t.tables, t._seen, t._moves, t._count)
        bounds = bounded - np.append(bounded[1:], 0.0)
        prior = np.zeros((12, SIZE))
        particles.draw_cloud(t.tables, t._scratch[0], prior, t.mine, np.uint64(9))
        highest = -math.inf
        totals = []
        for particle in (*prior, *t.cloud[:36]):
            density, found = by_move(t, particle)
            if density == -np.inf:
                continue
            moves += len(found)
            for i, one in enumerate(found):
                assert one <= bounds[i], (seed, i)
                tight = min(tight, bounds[i] - one)
            total = density + sum(found)
            assert history(t, particle, -np.inf) == pytest.approx(total, abs=1e-9)
            assert history(t, particle, total - 1e-9) == pytest.approx(total, abs=1e-9)
            totals.append((total, particle))
            highest = max(highest, total)
        for total, particle in totals:
            kept = history(t, particle, highest - 3.0)
            assert kept == pytest.approx(total, abs=1e-9) or (kept == -np.inf and total < highest - 3.0)
            cut += kept == -np.inf
    assert moves > 500
    assert tight < 0.02  # a bound that nothing comes near would prove little
    assert cut > 0


# Aiming at the opening ------------------------------------------------------------------------------------------------


def openings(scenario: str, persona: str, count: int) -> list[tuple[Tracker, bool]]:
    """Trackers that have seen the opening of an opponent that opened, whose style is ambitious or modest by turns: near
    the ends of what it may be, where half of what is aimed falls outside. And: did its ambition make it, or was it held
    up by the limit, or held down by the range?"""
    found = []
    for seed in range(400):
        setup = start(scenario, persona, SEATS[seed % 2])
        state, other = GAME.start(setup, seed), 1 - setup.learner
        if state.public.turn == 1:
            continue
        draws = policy_draws(GAME, seed, SEATS[other])
        style = style_of(PERSONAS[persona], draws)
        if len(found) % 2 != int(abs(style.opening - PERSONAS[persona].opening) > 0.13):
            continue
        table = table_of(GAME.view(state, Viewer("player", SEATS[other])), PERSONAS[persona], style)
        t = next(tracked(setup, seed, baseline("boulware"), 1))
        best = tuple(int(k) for k in t._moves[0]["offer"][: len(table.terms.counts)])
        meant = table.opening > style.least_opening and best != most(table.terms, table.own.utility)
        found.append((t, meant))
        if len(found) == count:
            break
    return found


def weighed(t: Tracker, size: int, key: int, aimed: bool) -> tuple[dict[str, tuple[float, float]], float]:
    """A cloud of this size that has seen the opening: mean and standard error of opening and limit; effective size."""
    x, cloud, weights = t._scratch[0], np.zeros((size, SIZE)), np.zeros(size)
    seen, events = t._seen.copy(), np.zeros((0, 3), np.int64)
    particles.draw_cloud(t.tables, x, cloud, t.mine, np.uint64(key))
    if aimed:
        particles.aim(t.tables, x, cloud, weights, t.mine, seen[0].copy(), t._moves[0], np.uint64(key + 1))
    effective = particles.reweigh(t.tables, x, cloud, weights, t.mine, seen, t._moves, 1, events)
    out, slopes = np.zeros((size, particles.FACTS)), np.zeros((size, 1 + t.now["slopes"].shape[2]))
    particles.facts_now(t.tables, x, seen[0], cloud, t.mine, events, out, slopes)
    shares = np.exp(weights)
    shares /= shares.sum()
    found = {}
    for name, values in (("opening", out[:, 6]), ("limit", out[:, 0] / t.tables.scenes[0]["delta0"][0])):
        mean = float(shares @ values)
        found[name] = mean, float(np.sqrt((shares**2) @ (values - mean) ** 2))
    return found, effective / size


@each_scenario
@each_persona
def test_aiming_at_the_opening_changes_nothing_but_how_many_opponents_tell_of_it(scenario: str, persona: str) -> None:
    """In the mean three times as many, where an ambition made the opening; less with several issues, where an opening
    is known less well, and where some opponents' limits would have made it too."""
    told: list[tuple[float, float]] = []
    for t, meant in openings(scenario, persona, 6):
        aimed, share = weighed(t, 4000, 3, aimed=True)
        plain, without = weighed(t, 20_000, 7, aimed=False)
        assert share > 0.95 * without
        if meant:
            told.append((share, without))
        for name in aimed:
            error = math.hypot(aimed[name][1], plain[name][1])
            assert abs(aimed[name][0] - plain[name][0]) < 4 * error, (name, aimed[name], plain[name])
    if (scenario, persona) == ("supplier_contract", "shark"):
        assert not told  # beyond all that the range can give, which tells of no ambition
    else:
        shares, without = zip(*told, strict=True)
        assert fmean(shares) >= (3.0 if scenario in PRICE_IDS else 2.5) * fmean(without)


# Steps that leave the cloud as it is ----------------------------------------------------------------------------------


def moved_on(t: Tracker, cloud: NDArray[np.float64], count: int, rounds: int) -> NDArray[np.float64]:
    """The cloud after so many rounds of steps that know `count` moves."""
    cloud = cloud.copy()
    for i in range(rounds):
        particles.rejuvenate(
            t.tables, t._scratch[0], cloud, t.mine, t._seen.copy(), t._moves, count, t.events, np.uint64(77), i, 12
        )
    return cloud


def farthest(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """The two-sample statistic of Kolmogorov and Smirnov, √(nm/(n + m)) sup|F − G|: above 1.95 once in 1,000."""
    both = np.concatenate([a, b])
    above = [np.searchsorted(np.sort(one), both, side="right") / len(one) for one in (a, b)]
    return float(np.abs(above[0] - above[1]).max() * math.sqrt(len(a) * len(b) / (len(a) + len(b))))


def figures(t: Tracker, cloud: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """What a cloud says, by coordinate, and the limits that it makes of them together."""
    out, slopes = np.zeros((len(cloud), particles.FACTS)), np.zeros((len(cloud), 1 + t.now["slopes"].shape[2]))
    none = np.zeros((0, 3), np.int64)
    particles.facts_now(t.tables, t._scratch[0], t._seen[0].copy(), cloud, t.mine, none, out, slopes)
    scene = t.tables.scenes[0]
    idle = set(range(particles.WEIGHTS + int(scene["issues"]), particles.WORTHS))
    idle |= set(range(particles.WORTHS + int(scene["items"]), SIZE))
    found = {f"coordinate {k}": cloud[:, k] for k in range(SIZE) if k not in idle}
    return found | {"limit": out[:, 0], "walk-away": out[:, 1], "reach": out[:, 11]}


@each_scenario
def test_steps_that_know_nothing_leave_the_prior_as_it_is(scenario: str) -> None:
    """Without a move the cloud stays one that is drawn from the prior, in all that a particle is, however often it is
    moved on: a step that is likelier one way than back would heap it up somewhere."""
    t, _ = openings(scenario, "veteran", 1)[0]
    fresh, cloud = np.zeros((6000, SIZE)), np.zeros((3000, SIZE))
    particles.draw_cloud(t.tables, t._scratch[0], fresh, t.mine, np.uint64(11))
    particles.draw_cloud(t.tables, t._scratch[0], cloud, t.mine, np.uint64(12))
    after = moved_on(t, cloud, 0, 25)
    assert (after != cloud).any(axis=1).mean() > 0.99
    expected, found = figures(t, fresh), figures(t, after)
    off = {name: farthest(found[name], expected[name]) for name in expected}
    assert max(off.values()) < 2.2, {name: round(value, 2) for name, value in off.items() if value >= 2.2}


@each_scenario
def test_steps_that_know_the_opening_leave_what_it_tells_as_it_is(scenario: str) -> None:
    """The same where coordinates hang together: an opening is an ambition and, with several issues, weights. Two halves
    of one weighed cloud, the one moved on and the other not."""
    for t, _ in openings(scenario, "shark", 2):
        x, none = t._scratch[0], np.zeros((0, 3), np.int64)
        halves = []
        for key in (21, 31):
            cloud, weights, out = np.zeros((30_000, SIZE)), np.zeros(30_000), np.zeros((3000, SIZE))
            particles.draw_cloud(t.tables, x, cloud, t.mine, np.uint64(key))
            particles.aim(t.tables, x, cloud, weights, t.mine, t._seen[0].copy(), t._moves[0], np.uint64(key + 1))
            particles.reweigh(t.tables, x, cloud, weights, t.mine, t._seen.copy(), t._moves, 1, none)
            particles.resample(cloud, weights, np.uint64(key + 2), 1, out)
            halves.append(out)
        expected, found = figures(t, halves[0]), figures(t, moved_on(t, halves[1], 1, 25))
        off = {name: farthest(found[name], expected[name]) for name in expected}
        assert max(off.values()) < 2.2, {name: round(value, 2) for name, value in off.items() if value >= 2.2}


@pytest.mark.parametrize("pair", [(particles.OPENING, particles.BETA), (particles.OFFSET, particles.DEPTH)])
def test_the_way_back_of_a_step_is_as_likely_also_where_the_others_lie_along_a_ridge(pair: tuple[int, int]) -> None:
    """What Metropolis' rule supposes (Bowker's test of symmetry, 1948): from a point anywhere in the cube a step goes
    from one cell of a pair of coordinates into another as often as from that into the one. The others lie on the
    diagonal, so that a step which is bent at an end would have no way back; and they are few, so that one which
    measured by the point itself would show."""
    t, _ = openings("supplier_contract", "veteran", 1)[0]
    rng, live, count = np.random.default_rng(8), particles.EVENTS + 2, 80_000
    cloud = np.repeat(rng.random((24, 1)), SIZE, axis=1)
    points, proposal = rng.random((count, SIZE)), np.zeros(SIZE)
    went = np.zeros((16, 16))
    for draw, point in enumerate(points):
        cloud[0] = point
        if particles._propose(t.tables.scenes[0], cloud, 0, proposal, live, np.uint64(6), draw, 1):
            assert proposal.min() >= 0.0 and proposal.max() <= 1.0
            a, b = (
                int(4 * min(one[pair[0]], 0.999)) * 4 + int(4 * min(one[pair[1]], 0.999)) for one in (point, proposal)
            )
            went[a, b] += 1
    there, back = went[np.triu_indices(16, 1)], went.T[np.triu_indices(16, 1)]
    enough = there + back >= 10
    statistic = ((there - back)[enough] ** 2 / (there + back)[enough]).sum()
    cells = int(enough.sum())
    assert cells > 30
    assert statistic < cells + 4 * math.sqrt(2 * cells)  # χ²: four standard deviations above its mean


# What is learned late -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("persona", ["shark", "veteran"])
def test_a_verdict_weighs_as_if_it_had_been_known_with_the_claim(persona: str) -> None:
    """A challenge that is settled after the claim was weighed: the cloud's weights are then those of one that weighs
    all that is known at once, with what aiming at the opening took from them, and nothing is counted twice."""
    settled = {"stands": 0, "withdrawn": 0}
    for seed in range(400):
        setup = start(SCENARIO_IDS[seed % 4], persona, SEATS[seed // 4 % 2])
        for t in tracked(setup, seed, Cross(), 8):
            if len(t.cloud) != POOL:
                break  # resampled: its weights are new
            found = [made.status for made in t._public.claims if made.seat != setup.learner and made.status in settled]
            if not found:
                continue
            settled[found[0]] += 1
            expected = weighed_at_once(t)
            off = t.weights[::EVERY] - expected
            likely = expected > expected.max() - 20.0  # beyond that, a weight is the last digits of another
            assert np.ptp(off[likely]) < 1e-6, (seed, t._public.turn)
            break
        if min(settled.values()) >= 4:
            break
    assert min(settled.values()) >= 4


EVERY = 8


def weighed_at_once(t: Tracker) -> NDArray[np.float64]:
    """The weights of every so manieth of the tracker's cloud, drawn afresh and weighed by all that it knows now."""
    cloud, weights = np.zeros((POOL, SIZE)), np.zeros(POOL)
    particles.draw_cloud(t.tables, t._scratch[0], cloud, t.mine, t._key)
    if t._moves[0]["offers"]:
        key, seen = np.uint64(word(int(t._key), 1)), t._seen[0].copy()
        particles.aim(t.tables, t._scratch[0], cloud, weights, t.mine, seen, t._moves[0], key)
    assert (cloud == t.cloud).all()
    return weights[::EVERY] + [sum(by_move(t, particle)[1]) for particle in cloud[::EVERY]]


# Quantiles ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("width", [0.05, 1.0, 400.0])
def test_the_quantile_of_a_blurred_sample_is_that_of_the_mixture_of_normals(level: float, width: float) -> None:
    alone = particles.blurred_quantile(np.array([7.0]), np.array([1.0]), level, width)
    assert alone == pytest.approx(NormalDist(7.0, width).inv_cdf(level), abs=1e-6 * width)
    # Of two that lie far apart a share of .1 (.9) is the end of the lower (the start of the upper) one's tail.
    pair = particles.blurred_quantile(np.array([0.0, 100.0 * width]), np.array([0.5, 0.5]), level, width)
    lower = NormalDist(0.0, width) if level < 0.5 else NormalDist(100.0 * width, width)
    if level != 0.5:
        assert pair == pytest.approx(lower.inv_cdf(2.0 * level if level < 0.5 else 2.0 * level - 1.0), abs=1e-5 * width)
    rng = np.random.default_rng(4)
    values, weights = rng.normal(3.0, 2.0, 40), rng.random(40)
    weights /= weights.sum()
    found = particles.blurred_quantile(values, weights, level, width)
    below = sum(w * NormalDist(v, width).cdf(found) for v, w in zip(values, weights, strict=True))
    assert below == pytest.approx(level, abs=1e-6)


# Headlines that are still to come -------------------------------------------------------------------------------------


@pytest.mark.parametrize("scenario", [name for name in SCENARIO_IDS if scenarios()[name].headlines])
def test_a_headline_that_has_not_broken_is_expected_as_often_as_is_left_of_it(scenario: str) -> None:
    """After three of its five turns: p·2/5 of all episodes, of the 1 − p·3/5 in which it has not broken by then; and in
    either of the turns that are left as often. Before its first turn it is p, after its last never."""
    scene = next(tracked(start(scenario, "shark"), 1, baseline("boulware"), 1)).tables.scenes[0]
    keys = [np.uint64(word(5, k)) for k in range(6000)]
    for k in range(int(scene["headlines"])):
        p, middle = float(scene["headline_probability"][k]), int(scene["headline_turn"][k])
        for passed in range(2 * SCHEDULE_SPREAD + 2):
            turn = middle - SCHEDULE_SPREAD - 1 + passed
            comes = [plans._still_to_come(scene, key, k, turn) for key in keys]
            left = 2 * SCHEDULE_SPREAD + 1 - passed
            share = p * left / 5 / (1.0 - p * passed / 5)
            for at in range(turn + 1, middle + SCHEDULE_SPREAD + 1):
                each = share / left
                error = math.sqrt(each * (1.0 - each) / len(keys))
                assert comes.count(at) / len(keys) == pytest.approx(each, abs=4 * error), (turn, at)
            assert comes.count(-1) == len(keys) - sum(comes.count(at) for at in range(turn + 1, turn + 1 + left))

"""An episode's result says what happened: exact terms, the room there was, distances, challenges, beliefs, heat."""

from __future__ import annotations

import math
import signal
import threading
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from agent.baselines import BASELINES, UnknownPolicy, baseline
from agent.registry import opponent, profile
from parlay_env.deal.prior import prior_of
from parlay_env.deal.rules import newest_open_claim
from parlay_env.deal.state import Belief
from parlay_env.deal.terms import terms_of
from tests.world import BUYER, SCENARIOS, SELLER, WIDTH, RandomLegal, Table, facts, states
from training import policies
from training.episodes import Cell, Job, Result, play, setup_of, share_out
from training.outcomes import distances, gains, zopa_width
from training.witness import reported

from .conftest import CELLS, SAAS, SUPPLY, Seer

FIRST = 6_755_399_441_055_744


def results(policy: str, cell: Cell = SAAS, seeds: int = 10, **options: object) -> list[Result]:
    return play(Job(policy, cell, "test", tuple(range(FIRST, FIRST + seeds)), **options))


# Policies -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", BASELINES)
def test_words_change_nothing_but_the_time(policy: str) -> None:
    for cell in (SAAS, SUPPLY):
        assert results(policy, cell, 2, words=True) == results(policy, cell, 2, words=False)


def test_a_privileged_policy_is_told_the_setup_and_the_seed(seer: type[Seer]) -> None:
    job = Job(policies.ORACLE, SUPPLY, "test", (3, 4))
    play(job)
    assert seer.told == [(setup_of(job), 3), (setup_of(job), 4)]
    assert policies.names()[-1] == policies.ORACLE
    assert [file.name for file in policies.sources(policies.ORACLE)] == ["conftest.py"]


def test_an_unknown_policy_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownPolicy, match="tit_for_tat"):
        results("tit_for_tit")


# Results --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reward", ["default", "literal"])
def test_terms_sum_to_the_reward_exactly(reward: str) -> None:
    found = [r for policy, cell in product(BASELINES, CELLS) for r in results(policy, cell, 2, reward=reward)]
    assert all(math.fsum(r.terms.values()) == r.reward for r in found)
    assert {"noise", "concession", "cliff", "no_deal", "efficiency"} <= {term for r in found for term in r.terms}


def test_a_zopa_is_room_of_no_less_than_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [r for policy in ("random", "constant_anchor") for cell in CELLS for r in results(policy, cell, 40)]
    assert all(r.zopa == (r.zopa_width >= 0) for r in found)
    assert all(r.gap == max(0.0, -r.zopa_width) for r in found)
    assert {r.zopa for r in found} == {True, False}


def test_the_room_is_what_the_other_s_limit_leaves_before_erosion() -> None:
    table = Table(seller=130_000, buyer=150_000)
    assert zopa_width(table.state, SELLER) == zopa_width(table.state, BUYER) == pytest.approx(20_000 * 100 / WIDTH)
    apart = Table(seller=150_000, buyer=144_000)
    assert zopa_width(apart.state, SELLER) == pytest.approx(-6_000 * 100 / WIDTH)
    hot = Table(seller=130_000, buyer=150_000).change_public(ticks=2)
    grown = zopa_width(hot.state, SELLER) - zopa_width(table.state, SELLER)
    assert grown == pytest.approx(2 * 2 * 0.02)


def test_a_limit_that_no_outcome_meets_is_a_gap_too() -> None:
    scenario = SCENARIOS["supplier_contract"]
    terms = terms_of(scenario)
    within = Table(scenario, facts(scenario, SELLER, 1_600_000), facts(scenario, BUYER, 3_999_000))
    beyond = Table(scenario, facts(scenario, SELLER, 1_600_000), facts(scenario, BUYER, 4_350_000))
    more = 350_000 * 100 / terms.delta0[BUYER]
    assert zopa_width(beyond.state, SELLER) < zopa_width(within.state, SELLER) < 0
    assert zopa_width(beyond.state, SELLER) == pytest.approx(zopa_width(within.state, SELLER) - more, abs=0.02)


# Distances ------------------------------------------------------------------------------------------------------------


def test_a_price_is_efficient_and_its_nash_point_is_the_middle() -> None:
    table = Table(seller=125_000, buyer=165_000).play(offer=148_000).play(accept=True)
    assert gains(table.state) == pytest.approx((23 / 40, 17 / 40))
    assert distances(table.state) == pytest.approx((0.0, 3_000 / 40_000 * 2**0.5))


def test_distances_of_several_issues_are_those_of_a_search_through_all_outcomes() -> None:
    scenario = SCENARIOS["supplier_contract"]
    table = Table(scenario, facts(scenario, SELLER, 1_600_000), facts(scenario, BUYER, 1_600_000))
    table.play(offer=table.offer(9.5, 30, 10_000)).play(accept=True)
    terms, (seller, buyer) = table.terms, table.state.facts

    def pair(offer: tuple[int, ...]) -> tuple[float, float]:
        a, b = (
            (f.utility.base + sum(s * p for s, p in zip(f.utility.slopes, offer, strict=True)) - f.limit) / d
            for f, d in zip((seller, buyer), terms.delta0, strict=True)
        )
        return a, b

    table_of_all = [pair(offer) for offer in product(*map(range, terms.counts))]
    deal = pair(table.state.public.ended.outcome)
    efficient = [x for x in table_of_all if not any(y[0] >= x[0] and y[1] >= x[1] and y != x for y in table_of_all)]
    nash = max((x for x in table_of_all if min(x) >= 0), key=lambda x: x[0] * x[1])
    assert gains(table.state) == pytest.approx(deal)
    assert distances(table.state) == pytest.approx((min(math.dist(deal, x) for x in efficient), math.dist(deal, nash)))


def test_no_deal_and_no_zopa_have_no_distance() -> None:
    assert distances(Table().play(walk=True).state) is None
    beyond = Table(seller=150_000, buyer=140_000).play(offer=145_000).play(accept=True)
    assert distances(beyond.state) is None
    assert gains(beyond.state) == pytest.approx((-5 / 40, -5 / 40))


# What the last state no longer tells ----------------------------------------------------------------------------------


def test_challenges_bluffs_heat_and_beliefs_are_those_of_the_episode(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = range(FIRST, FIRST + 12)
    monkeypatch.setitem(policies.PRIVILEGED, "any", lambda setup, seed: RandomLegal(seed, 0.02))
    totals = np.zeros(3, int)
    for cell in (SAAS, SUPPLY):
        job = Job("any", cell, "test", tuple(seeds))
        for found in play(job):
            setup, me = setup_of(job), setup_of(job).learner
            players = {
                cell.seat: RandomLegal(found.seed, 0.02),
                "buyer" if me == 0 else "seller": opponent(cell.persona),
            }
            seen = list(states(setup, found.seed, players))
            moved = [(a, b) for a, b in pairwise(seen) if a.public.mover == me]
            disputed = [(a, newest_open_claim(a.public, 1 - me)) for a, b in moved if b.public.sides[me].challenged]
            told = zip(seen[-1].public.claims, seen[-1].truths, strict=True)
            assert found.peak_tension == pytest.approx(max(state.public.tension for state in seen))
            assert found.challenges == len(disputed)
            assert found.caught == sum(not state.truths[at] for state, at in disputed)
            assert found.bluffs == sum(claim.seat != me and not true for claim, true in told)
            believed = {a.public.turn: (a, b.books[me].belief) for a, b in moved if b.books[me].belief != Belief()}
            assert found.beliefs == tuple(reported(a, me, belief) for a, belief in believed.values())
            assert found.events_due == seen[-1].books[me].events
            totals += (found.challenges, found.caught, found.events_due)
    assert totals.all()


def test_errors_are_held_against_the_truth_of_the_moment_beside_the_prior_s() -> None:
    table = Table(buyer=facts(SCENARIOS["saas_enterprise"], BUYER, 160_000, urgency=0.7, has_alternative=True))
    prior = prior_of(table.terms, BUYER)
    found = reported(table.state, SELLER, Belief(walk_away=-15_800_000, has_alternative=0.8))
    assert found.errors == pytest.approx((2_000 / 40_000, None, None, 0.04))
    assert found.prior == pytest.approx(
        (abs(prior.walk_away.mean / 100 + 160_000) / 40_000, None, None, (1 - prior.has_alternative) ** 2), abs=1e-6
    )
    urgent = reported(table.state, SELLER, Belief(budget=-15_000_000, urgency=0.5))
    assert urgent.errors == pytest.approx((None, 10_000 / 40_000, 0.2, None))


def test_the_opponent_of_a_job_is_the_persona_it_names() -> None:
    setup = setup_of(Job("random", Cell("hiring_package", "veteran", "buyer"), "train", (0,), reward="literal"))
    assert setup.opponent == profile("veteran")
    assert (setup.seat, setup.split, setup.reward.version) == ("buyer", "train", "1-literal")


def test_baselines_are_made_by_name() -> None:
    setup = setup_of(Job("conceder", SAAS, "test", (0,)))
    assert type(policies.make("conceder", setup, 0)) is type(baseline("conceder"))
    assert policies.sources("conceder") == []


# Ctrl-C ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by_another_thread", [False, True])
def test_ctrl_c_while_work_is_handed_in_is_not_lost(monkeypatch: pytest.MonkeyPatch, by_another_thread: bool) -> None:
    """Nor does it come in the middle of that."""
    submit, handed_in = ProcessPoolExecutor.submit, list[str]()

    def interrupted(pool: ProcessPoolExecutor, *work: Any) -> Future[Any]:
        if handed_in:
            if by_another_thread:
                thread = threading.Thread(target=signal.raise_signal, args=(signal.SIGINT,))
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # as in a thread that was there before
                thread.start()
                thread.join()
            else:
                signal.raise_signal(signal.SIGINT)
        found = submit(pool, *work)
        handed_in.append("done")
        return found

    monkeypatch.setattr(ProcessPoolExecutor, "submit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(share_out(abs, range(40), 2))
    assert handed_in == ["done", "done"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_worker_processes_ignore_ctrl_c_and_block_nothing() -> None:
    assert list(share_out(signal.getsignal, [signal.SIGINT] * 2, 2)) == [signal.SIG_IGN] * 2
    assert list(share_out(partial(signal.pthread_sigmask, signal.SIG_BLOCK), [(), ()], 2)) == [set(), set()]

"""Questions, claims and challenges: evidence, never an oracle."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from parlay_env.deal.rules import is_true
from parlay_env.deal.state import SEATS, Claim, ClaimMade, State
from parlay_env.observe import observation
from parlay_env.rng import Keys, derive_keys
from tests.world import BUYER, SELLER, WIDTH, Table, facts, quiet, share_error

REVEAL = {"card": "batna_reveal"}


def claimed(value: int, table: Table | None = None, **fields: Any) -> ClaimMade:
    """A limit claim of the seller's as it stands in the record."""
    table = (table or Table()).play(claim=Claim("limit", value), **REVEAL, **fields)
    return table.public.claims[-1]


# Claims ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [SELLER, BUYER])
@pytest.mark.parametrize("offset", [-130_000, -100_001, -99_999, 0, 1, 99_999, 100_001, 1_234_567])
def test_a_limit_claim_is_rounded_to_a_twentieth_of_the_width(seat: int, offset: int) -> None:
    table = Table(seat=SEATS[seat])
    declared = table.terms.limits[seat]
    made = claimed(declared + offset, table)
    assert (made.claim.value - declared) % (0.05 * WIDTH) == 0
    assert abs(made.claim.value - declared - offset) <= 0.025 * WIDTH


def test_a_claim_of_the_others_limit_can_not_be_read_finer_than_it_was_rounded() -> None:
    """Two true claims of limits in one grain are one claim."""
    values = {claimed(v, Table(seller=v / 100)).claim.value for v in range(12_450_000, 12_550_000, 10_000)}
    assert values == {12_500_000}


@pytest.mark.parametrize(
    ("off", "true"), [(0, True), (0.05, True), (-0.05, True), (0.10, False), (-0.10, False), (0.45, False)]
)
def test_a_limit_claim_is_a_bluff_beyond_a_twentieth_of_the_width_from_the_truth(off: float, true: bool) -> None:
    for seat in (SELLER, BUYER):
        table = Table(seat=SEATS[seat])
        table.play(claim=Claim("limit", table.terms.limits[seat] + round(off * WIDTH)), **REVEAL)
        assert table.state.truths == (true,)


def true_of(table: Table, kind: str, value: int) -> bool:
    return is_true(table.state, SELLER, Claim(kind, value))  # pyright: ignore[reportArgumentType]


def test_the_other_kinds_of_claim_are_bluffs_when_they_are_false() -> None:
    mine = facts(quiet(), SELLER, 125_000, budget=129_000, deadline=14, has_alternative=True, urgency=0.7)
    table = Table(seller=mine)
    assert true_of(table, "alternative", 1)
    assert not true_of(table, "alternative", 0)
    assert true_of(table, "deadline", 14)
    assert not true_of(table, "deadline", 11)
    assert not true_of(table, "deadline", 17)
    assert true_of(table, "budget", 12_900_000)
    assert not true_of(table, "budget", 12_500_000)
    assert true_of(table, "limit", 12_900_000)
    assert not true_of(table, "limit", 12_500_000)
    assert true_of(table, "priority", 1)  # more urgent than most: time comes first
    assert not true_of(table, "priority", 0)


def test_without_a_budget_the_claim_of_one_is_measured_against_the_walk_away() -> None:
    table = Table()
    assert true_of(table, "budget", 12_500_000)
    assert not true_of(table, "budget", 13_500_000)


def test_with_several_issues_the_first_priority_is_the_heaviest_private_weight() -> None:
    s = quiet("supplier_contract")
    table = Table(s, seller=facts(s, SELLER, 1_648_000, weights=(0.3, 0.2, 0.5)))
    assert [true_of(table, "priority", k) for k in range(3)] == [False, False, True]


@pytest.mark.parametrize("value", [-1, 3, 999, 10**12])
def test_a_priority_that_no_issue_has_is_refused(value: int) -> None:
    table = Table(quiet("supplier_contract"), both_graded=True).play().play(question="priorities")
    assert table.refused(claim=Claim("priority", value)) == "claim_out_of_range"


def test_whatever_was_claimed_can_be_shown() -> None:
    for value in (-1, 0, 2, 3, 999):
        table = Table(quiet("supplier_contract"), both_graded=True).play().play(question="priorities")
        table.play(claim=Claim("priority", value))
        assert observation(table.view(table.mover))


def test_the_truth_of_a_claim_is_that_of_the_moment_it_is_made() -> None:
    table = Table().play(claim=Claim("limit", 12_500_000), **REVEAL)
    table.change(facts=(facts(quiet(), SELLER, 140_000), table.state.facts[BUYER]))
    assert table.state.truths == (True,)


def test_a_claim_that_its_maker_then_acts_against_is_marked_broken_for_all_to_see() -> None:
    table = Table().play(claim=Claim("limit", 15_000_000), offer=160_000, **REVEAL).play()
    before = table.public.sides[SELLER].credibility
    table.play(offer=150_000).play()
    assert table.public.claims[0].status == "open"
    table.play(offer=140_000)
    assert table.public.claims[0].status == "broken"
    assert table.public.sides[SELLER].credibility < before


def test_a_deadline_that_its_maker_is_still_at_the_table_after_is_broken_and_disputed_no_more() -> None:
    """By more than the turn it may be off. Else disputing it then would be a free catch."""
    table = Table(turn=5, both_graded=True).play().play(claim=Claim("deadline", 6), offer=120_000, card="time_pressure")
    table.play()
    assert table.public.claims[0].status == "open"
    table.play().play().play()
    assert table.public.turn == 8
    assert table.public.claims[0].status == "broken"
    assert table.refused(challenge=True) == "nothing_to_challenge"


# Questions ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("topic", ["timeline", "alternatives", "authority", "priorities"])
def test_a_question_costs_five_points_and_pressing_the_topic_again_raises_tension(topic: str) -> None:
    table = Table().play(question=topic)
    assert table.public.sides[SELLER].points == 95
    assert table.public.heat == 0.0
    table.play().play(question=topic)
    assert table.public.heat > 0.0


def test_another_topic_is_not_pressing() -> None:
    table = Table().play(question="timeline").play().play(question="authority")
    assert table.public.heat == 0.0


def test_without_five_points_nothing_can_be_asked() -> None:
    table = Table().change_side(SELLER, points=4)
    assert table.refused(question="timeline") == "too_few_points"


@pytest.mark.parametrize(
    ("topic", "claim"),
    [
        ("timeline", Claim("deadline", 14)),
        ("alternatives", Claim("alternative", 1)),
        ("authority", Claim("budget", -16_000_000)),
        ("priorities", Claim("priority", 0)),
    ],
)
def test_the_side_that_was_asked_may_answer_with_a_claim_of_that_kind_without_a_card(topic: str, claim: Claim) -> None:
    table = Table().play(question=topic)
    assert table.refused(claim=claim) == ""
    others = [Claim("deadline", 14), Claim("alternative", 1), Claim("budget", -16_000_000), Claim("priority", 0)]
    for other in others:
        if other.kind != claim.kind:
            assert table.refused(claim=other) == "claim_without_card"
    table.play(claim=claim)
    assert table.public.sides[BUYER].points == 100
    assert table.public.claims[-1].claim.kind == claim.kind


def test_only_the_newest_move_can_be_answered() -> None:
    table = Table().play(question="timeline").play().play().play
    assert table(claim=Claim("deadline", 14))
    late = Table().play(question="timeline").play().play()
    assert late.refused(claim=Claim("deadline", 14)) == "claim_without_card"


# Challenges -----------------------------------------------------------------------------------------------------------


def disputed(truth: bool, seed: int, seat: int = SELLER) -> State:
    """After the other side's claim, true or not, was challenged."""
    table = Table(seat=SEATS[seat]).play(offer=150_000)
    other = 1 - seat
    value = table.terms.limits[other] + (0 if truth else round(0.4 * WIDTH))
    table.play(claim=Claim("limit", value), offer=150_000, **REVEAL)
    assert table.state.truths == (truth,)
    table.change(keys=derive_keys(seed)).play(challenge=True)
    return table.state


def test_a_truthful_claim_always_stands() -> None:
    for seat in (SELLER, BUYER):
        assert {disputed(True, seed, seat).public.claims[0].status for seed in range(200)} == {"stands"}


def test_a_bluffer_backs_down_four_times_of_five() -> None:
    count = 2000
    caught = sum(disputed(False, seed).public.claims[0].status == "withdrawn" for seed in range(count))
    assert abs(caught / count - 0.8) < 4 * share_error(0.8, count)


def test_a_bluffer_who_insists_looks_exactly_like_one_who_told_the_truth() -> None:
    """Same claim, true in one world, false in the other: nothing public and nothing seen differs."""
    seen = []
    for limit in (165_000, 145_000):  # the buyer claims 145,000
        table = Table(buyer=limit).play(offer=150_000).play(claim=Claim("limit", -14_500_000), offer=140_000, **REVEAL)
        seed = next(s for s in range(99) if _stands(table, s))
        table.change(keys=derive_keys(seed)).play(challenge=True, offer=150_000).play(offer=140_000)
        shown = observation(table.view("seller"))
        seen.append((msgspec.json.encode(table.public), shown, table.paid[-1]))
    assert seen[0] == seen[1]


def _stands(table: Table, seed: int) -> bool:
    state = table.state
    table.change(keys=derive_keys(seed)).play(challenge=True)
    stood = table.public.claims[0].status == "stands"
    table.state = state
    table.steps.pop()
    return stood


def test_the_draw_of_backing_down_is_a_hidden_one() -> None:
    """Another key of what both see changes nothing; another key of what neither sees does."""
    table = Table().play(offer=150_000).play(claim=Claim("limit", -14_000_000), **REVEAL)
    keys, others = derive_keys(0), [derive_keys(seed) for seed in range(1, 40)]

    def verdict(changed: Keys) -> str:
        state = table.state
        table.change(keys=changed).play(challenge=True)
        found = table.public.claims[0].status
        table.state = state
        return found

    assert len({verdict(replace(keys, visible=o.visible, facts=o.facts, policy=o.policy)) for o in others}) == 1
    assert len({verdict(replace(keys, hidden=o.hidden)) for o in others}) == 2


def test_a_caught_bluff_costs_twenty_five_points_credibility_and_tension() -> None:
    seed = next(s for s in range(50) if disputed(False, s).public.claims[0].status == "withdrawn")
    caught, stood = disputed(False, seed), disputed(True, seed)
    assert caught.public.sides[BUYER].points == 100 - 20 + 5 - 25
    assert stood.public.sides[BUYER].points == 100 - 20 + 5
    assert caught.public.sides[BUYER].credibility < 0.6 < stood.public.sides[BUYER].credibility
    assert caught.public.heat > stood.public.heat > 0


def test_points_never_fall_below_nothing() -> None:
    table = Table().play(offer=150_000).play(claim=Claim("limit", -12_000_000), **REVEAL).change_side(BUYER, points=10)
    seed = next(s for s in range(50) if not _stands(table, s))
    table.change(keys=derive_keys(seed)).play(challenge=True)
    assert table.public.sides[BUYER].points == 0


def test_a_claim_can_be_challenged_once() -> None:
    table = Table().play(offer=150_000).play(claim=Claim("limit", -14_000_000), **REVEAL).play(challenge=True).play()
    assert table.refused(challenge=True) == "nothing_to_challenge"


def test_it_is_the_newest_unchallenged_claim_that_is_disputed() -> None:
    table = Table().play(question="timeline").play(claim=Claim("deadline", 14)).play(question="alternatives")
    table.play(claim=Claim("alternative", 1)).play(challenge=True).play()
    assert [made.status == "open" for made in table.public.claims] == [True, False]
    table.play(challenge=True)
    assert [made.status == "open" for made in table.public.claims] == [False, False]


def test_nobody_can_challenge_a_claim_of_its_own() -> None:
    table = Table().play(claim=Claim("limit", 15_000_000), **REVEAL).play()
    assert table.refused(challenge=True) == "nothing_to_challenge"


def test_the_opponent_challenges_by_the_same_rule_and_catching_costs_the_learner() -> None:
    verdicts = []
    for seed in range(400):
        table = Table().play(claim=Claim("limit", 15_000_000), offer=160_000, **REVEAL).change(keys=derive_keys(seed))
        table.play(challenge=True)
        verdicts.append(table.public.claims[0].status)
        lost = 20 + 25 * (verdicts[-1] == "withdrawn")
        assert table.public.sides[SELLER].points == 100 - lost + 5
    assert abs(verdicts.count("withdrawn") / 400 - 0.8) < 4 * share_error(0.8, 400)


def test_the_verdict_of_a_challenge_is_public() -> None:
    table = Table().play(offer=150_000).play(claim=Claim("limit", -14_000_000), **REVEAL).play(challenge=True)
    for seat in SEATS:
        assert observation(table.view(seat))["claims"][0]["status"] in ("stands", "withdrawn")


def test_trust_and_credibility_are_functions_of_the_public_history_and_are_shown() -> None:
    """Two worlds with other facts and the same conduct have the same trust and credibility."""
    shown = []
    for seller, buyer in ((125_000, 165_000), (110_000, 190_000)):
        table = Table(seller=seller, buyer=buyer).play(offer=170_000).play(offer=120_000)
        table.play(offer=165_000).play(offer=125_000).play(claim=Claim("limit", 14_500_000), offer=160_000, **REVEAL)
        seen = observation(table.view("seller"))
        shown.append((seen["trust"], seen["credibility"], seen["opponent_credibility"], table.public.sides))
    assert shown[0] == shown[1]
    assert shown[0][0] > 0.35

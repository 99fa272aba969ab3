"""What a player is shown: every figure in people's units, the same facts in the prompt, everything after the end."""

from __future__ import annotations

import json

import msgspec
import pytest

from agent.registry import opponent
from game.cards import TOPICS
from parlay_env.actions import move_of
from parlay_env.core import Viewer
from parlay_env.deal.instance import first_state
from parlay_env.deal.state import SEATS, Belief, Claim, State
from parlay_env.models import BeliefReport, ParlayAction, ParlayObservation
from parlay_env.observe import observation
from parlay_env.prompt import prompt_of
from tests.world import (
    BUYER,
    GAME,
    PERSONAS,
    SCENARIO_IDS,
    SELLER,
    RandomLegal,
    Table,
    facts,
    quiet,
    random_pair,
    setup,
    states,
)

FIELDS = {
    *("turn", "turns_left", "seat", "scenario", "persona", "own", "prior", "own_offer", "opponent_offer", "offers"),
    *("opponent_utterance", "opponent_move", "opponent_claim", "events", "tension_score", "trust", "belief", "invalid"),
    *("credibility_points", "available_moves", "zopa_width_pct_remaining", "zopa_erosion_ticks", "prompt"),
}
AT_THE_END = {"termination_reason", "final_offer", "grade", "truth"}


def seen(at: Table, seat: str = "seller") -> dict:
    return observation(at.view(seat))


@pytest.mark.parametrize("name", SCENARIO_IDS)
@pytest.mark.parametrize("seat", SEATS)
def test_an_observation_has_every_field_is_json_and_fits_the_wire_type(name: str, seat: str) -> None:
    for seed in range(6):
        for state in states(setup(name, "shark", seat=seat), seed, random_pair(seed, 0.1)):
            shown = observation(GAME.view(state, Viewer("player", seat)))
            assert set(shown) >= FIELDS
            assert (set(shown) >= AT_THE_END) == (state.public.ended is not None)
            assert not (set(shown) & AT_THE_END) or state.public.ended is not None
            assert json.loads(json.dumps(shown, allow_nan=False)) == json.loads(json.dumps(shown))
            parsed = ParlayObservation.model_validate(shown)
            assert parsed.model_dump()["own"] == shown["own"]
            assert shown["turns_left"] == 20 - shown["turn"]
            assert "reward" not in shown


def test_own_facts_are_told_as_prices() -> None:
    mine = facts(quiet(), SELLER, 125_000, budget=131_500, urgency=0.61, has_alternative=True)
    own = seen(Table(seller=mine))["own"]
    assert own == {
        "walk_away": 125_000.0,
        "budget": 131_500.0,
        "limit": 131_500.0,
        "target": 167_900.0,  # 180,000 moved a quarter of the way toward 131,500: 167,875, to the step
        "urgency": 0.61,
        "has_alternative": True,
        "deadline": 20,
        "weights": None,
    }
    buyer = seen(Table(seat="buyer", buyer=facts(quiet(), BUYER, 165_000, budget=160_000)), "buyer")["own"]
    assert (buyer["walk_away"], buyer["limit"], buyer["target"]) == (165_000, 160_000, 122_500)


def test_with_several_issues_limits_are_utilities_in_money() -> None:
    own = seen(Table(quiet("supplier_contract")))["own"]
    assert own["limit"] == 1_648_000
    assert own["target"] == 4_000_000 - 0.25 * (4_000_000 - 1_648_000)
    assert own["weights"] == {"price": 0.55, "payment_days": 0.15, "minimum_order": 0.30}


def test_the_prior_is_about_the_other_side_in_the_units_of_a_report() -> None:
    prior = seen(Table())["prior"]
    assert prior["walk_away"] == {"mean": 162_200.0, "low": 143_000.0, "high": 183_000.0}
    assert prior["urgency"] == {"mean": 0.55, "low": 0.25, "high": 0.85}
    assert prior["has_alternative"] == 0.7
    assert prior["no_zopa"] == 0.1
    assert prior["weights"] is None
    assert seen(Table(seat="buyer"), "buyer")["prior"]["walk_away"]["mean"] == 127_800.0


@pytest.mark.parametrize(
    ("seat", "declared"),
    [
        ("seller", {"price": 0.50, "payment_days": 0.35, "minimum_order": 0.15}),
        ("buyer", {"price": 0.55, "payment_days": 0.15, "minimum_order": 0.30}),
    ],
)
def test_the_prior_of_several_issues_has_the_other_sides_declared_weights_whatever_its_own_are(
    seat: str, declared: dict[str, float]
) -> None:
    other = 1 - SEATS.index(seat)
    for seed in range(5):
        state = first_state(setup("supplier_contract", "shark", seat=seat), seed)
        shown = observation(GAME.view(state, Viewer("player", seat)))
        assert shown["prior"]["weights"] == declared
        assert tuple(declared.values()) != state.facts[other].weights
        for weight in declared.values():
            assert f"theirs ~{weight:.2f}" in shown["prompt"]


def test_both_seats_see_the_same_table_from_their_side() -> None:
    at = Table().play(offer=160_000, utterance="A.").play(offer=140_000, utterance="B.", card="reframe")
    mine, theirs = seen(at), seen(at, "buyer")
    assert (mine["own_offer"], mine["opponent_offer"]) == ({"price": 160_000}, {"price": 140_000})
    assert (theirs["own_offer"], theirs["opponent_offer"]) == ({"price": 140_000}, {"price": 160_000})
    assert (mine["opponent_utterance"], theirs["opponent_utterance"]) == ("B.", "A.")
    assert mine["opponent_move"] == "reframe+offer"
    assert theirs["opponent_move"] == "offer"
    assert mine["offers"] == theirs["offers"]
    assert mine["offers"] == [
        {"turn": 1, "seat": "seller", "offer": {"price": 160_000}},
        {"turn": 1, "seat": "buyer", "offer": {"price": 140_000}},
    ]
    assert (mine["credibility_points"], mine["opponent_credibility_points"]) == (100, 93)


@pytest.mark.parametrize(
    ("mine", "named"),
    [
        ({}, "talk"),
        ({"offer": 160_000}, "offer"),
        ({"card": "silence"}, "silence"),
        ({"question": "timeline"}, "question:timeline"),
        ({"question": "timeline", "offer": 160_000}, "question:timeline+offer"),
        ({"walk": True}, "walk_away"),
    ],
)
def test_the_newest_move_is_named(mine: dict, named: str) -> None:
    assert seen(Table().play(**mine), "buyer")["opponent_move"] == named


def test_before_anybody_moved_there_is_nothing_and_a_held_offer_is_not_named_again() -> None:
    assert seen(Table())["opponent_move"] == "none"
    at = Table().play(offer=160_000).play(offer=140_000).play(offer=159_000).play(utterance="No.")
    assert seen(at)["opponent_move"] == "talk"
    assert seen(at)["opponent_offer"] == {"price": 140_000}


def test_claims_are_shown_in_peoples_figures_with_what_became_of_them() -> None:
    at = Table().play(question="alternatives").play(claim=Claim("alternative", 1)).play(question="priorities")
    at.play(claim=Claim("priority", 1)).play(question="authority").play(claim=Claim("budget", -15_870_000))
    at.play(question="timeline").play(claim=Claim("deadline", 14))
    claims = seen(at)["claims"]
    assert [(c["kind"], c["value"], c["status"], c["seat"]) for c in claims] == [
        ("alternative", True, "open", "buyer"),
        ("priority", "time", "open", "buyer"),
        ("budget", 159_000.0, "open", "buyer"),
        ("deadline", 14.0, "open", "buyer"),
    ]
    assert seen(at)["opponent_claim"] == {"turn": 4, "kind": "deadline", "value": 14.0, "status": "open"}
    assert seen(at, "buyer")["opponent_claim"] is None


def test_what_may_be_done_is_listed_truthfully() -> None:
    at = Table()
    assert set(seen(at)["available_moves"]) == {
        *("offer", "walk_away", "question", "silence", "sweetener", "reframe", "time_pressure", "batna_reveal"),
    }
    at.play(offer=160_000).play(offer=140_000, card="batna_reveal", claim=Claim("limit", -15_000_000))
    assert {"accept_deal", "challenge", "anchor_high"} <= set(seen(at)["available_moves"])
    poor = at.change_side(SELLER, points=4)
    assert set(seen(poor)["available_moves"]) == {"offer", "walk_away", "accept_deal", "challenge", "anchor_high"}
    at.play(accept=True)
    assert seen(at)["available_moves"] == []


def test_ones_own_report_comes_back_as_it_was_given() -> None:
    at = Table().play(belief=Belief(-15_000_000, -14_800_000, 0.4, 0.9)).play()
    assert seen(at)["belief"] == {
        "est_walk_away": 150_000.0,
        "est_budget": 148_000.0,
        "est_urgency": 0.4,
        "est_has_alternative": 0.9,
    }


def test_after_the_end_everything_is_told() -> None:
    at = Table(buyer=facts(quiet(), BUYER, 165_000, budget=160_000, deadline=13, has_alternative=True))
    at.play(offer=160_000).play(offer=140_000, card="batna_reveal", claim=Claim("limit", -14_500_000))
    at.play(accept=True)
    shown = seen(at)
    assert shown["termination_reason"] == "deal"
    assert shown["final_offer"] == {"price": 140_000}
    truth = shown["truth"]
    assert truth["buyer"]["limit"] == 160_000
    assert truth["buyer"]["deadline"] == 13
    assert truth["buyer"]["at_other_limit"] == 125_000
    assert truth["seller"]["at_other_limit"] == 160_000
    assert truth["zopa"] is True
    assert truth["nash"] == {"price": 142_500}
    assert [c["bluff"] for c in truth["claims"]] == [True]
    assert shown["grade"]["deal"] is True


def test_an_observer_sees_the_truth_all_along_and_no_player_does() -> None:
    at = Table().play(offer=160_000)
    watched = GAME.view(at.state, Viewer("observer"))
    assert watched.truth is not None
    assert watched.truth.facts == at.state.facts
    assert watched.truth.nash == at.offer(145_000)
    assert watched.books == at.state.books
    for seat in SEATS:
        assert at.view(seat).truth is None


# The prompt -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCENARIO_IDS)
def test_the_prompt_is_short_at_every_turn(name: str) -> None:
    """About 450 tokens; English prose with figures has about 3.9 characters a token."""
    for seed, persona in enumerate(PERSONAS):
        players = {"seller": RandomLegal(seed, ends=0.0), "buyer": opponent(persona)}
        for state in states(setup(name, persona), seed, players):
            if state.public.ended is None:
                assert len(prompt_of(GAME.view(state, Viewer("player", "seller")))) < 1_800


def test_the_prompt_has_the_facts_that_the_observation_has() -> None:
    at = Table(seller=facts(quiet(), SELLER, 127_300)).play(offer=161_200, utterance="Hm.")
    at.play(offer=138_700, utterance="Our best.", card="batna_reveal", claim=Claim("limit", -15_100_000))
    text = prompt_of(at.view("seller"))
    for part in ("127,300", "161,200", "138,700", "Our best.", "151,000", "seller", "Turn 2 of 20", "offer_amount"):
        assert part in text
    assert "accept_deal" in text
    assert all(topic in text for topic in TOPICS)


def test_the_prompt_says_why_the_last_move_was_refused() -> None:
    at = Table().play(accept=True)
    assert at.view("seller").invalid is not None
    assert "no offer of the other side stands" in prompt_of(at.view("seller"))


# Actions --------------------------------------------------------------------------------------------------------------


def test_an_action_of_the_wire_is_the_move_it_says() -> None:
    at = Table()
    move = move_of(
        at.view("seller"),
        ParlayAction(
            utterance="  We propose 150,000.  ",
            offer_amount=150_000,
            tactical_move="batna_reveal",
            claim_value=131_000,
            challenge=True,
            belief=BeliefReport(est_walk_away=158_000, est_urgency=0.3),
            event_impact=-0.1,
        ),
    )
    assert move.utterance == "We propose 150,000."
    assert move.voiced
    assert move.offer == at.offer(150_000)
    assert (move.card, move.claim) == ("batna_reveal", Claim("limit", 13_100_000))
    assert move.challenge
    assert move.belief == Belief(walk_away=-15_800_000, urgency=0.3)
    assert move.event_impact == -0.1
    assert move.refused is None


def test_blank_words_are_no_words() -> None:
    assert not move_of(Table().view("seller"), ParlayAction(utterance=" \n ")).voiced


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"offer_amount": 150_000, "offer": {"price": 150_000}}, "two_offers"),
        ({"offer": {"cost": 150_000}}, "incomplete_offer"),
        ({"offer": {}}, "incomplete_offer"),
        ({"offer": {"price": 150_000, "days": 30}}, "incomplete_offer"),
        ({"offer_amount": 150_000.123456789}, "off_step"),
        ({"claim_value": 150_000}, "claim_without_card"),
    ],
)
def test_an_action_that_makes_no_move_is_refused_in_band(fields: dict, code: str) -> None:
    at = Table()
    assert at.refused(move_of(at.view("seller"), ParlayAction(**fields))) == code


def test_several_issues_need_all_of_them_from_their_values() -> None:
    at = Table(quiet("supplier_contract"))
    view = at.view("seller")
    for offer, code in (
        ({"price": 10.0, "payment_days": 30, "minimum_order": 20_000}, ""),
        ({"price": 10.0, "payment_days": 31, "minimum_order": 20_000}, "off_step"),
        ({"price": 10.0, "payment_days": 30}, "incomplete_offer"),
        ({"price": 13.0, "payment_days": 30, "minimum_order": 20_000}, "out_of_range"),
    ):
        assert at.refused(move_of(view, ParlayAction(offer=offer))) == code
    assert at.refused(move_of(view, ParlayAction(offer_amount=10.0))) == "incomplete_offer"
    assert move_of(view, ParlayAction(offer={"price": 10.0, "payment_days": 30, "minimum_order": 20_000})).offer == (
        40,
        1,
        2,
    )


def test_a_state_that_was_stored_and_read_again_is_shown_the_same() -> None:
    for seed in range(5):
        for state in states(setup(SCENARIO_IDS[seed % 4], "veteran"), seed, random_pair(seed)):
            thawed = msgspec.json.decode(msgspec.json.encode(state), type=State)
            for seat in SEATS:
                a, b = (observation(GAME.view(s, Viewer("player", seat))) for s in (state, thawed))
                assert a == b

"""What a move may be: consent, one decision, one tactic, and what becomes of a move that is not allowed."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from parlay_env.core import Viewer
from parlay_env.deal.state import SEATS, Claim, Invalid, Move
from parlay_env.deal.terms import terms_of
from tests.world import GAME, PERSONAS, SCENARIO_IDS, Table, illegal_move, legal_move, quiet, random_pair, setup, states


def test_accepting_makes_a_deal_at_the_terms_of_the_others_standing_offer() -> None:
    table = Table().play(offer=160_000).play(offer=140_000)
    table.play(accept=True)
    ended = table.public.ended
    assert ended is not None
    assert (ended.reason, ended.seat, ended.outcome) == ("deal", 0, table.offer(140_000))


def test_a_newer_offer_takes_the_place_of_the_same_seats_older_one() -> None:
    table = Table().play(offer=160_000).play(offer=140_000).play(offer=155_000).play(offer=142_000).play(accept=True)
    assert table.public.ended is not None
    assert table.public.ended.outcome == table.offer(142_000)


def test_the_others_counter_offer_leaves_an_offer_open() -> None:
    table = Table().play(offer=160_000).play(offer=140_000).play(utterance="Well?").play(accept=True)
    assert table.public.ended is not None
    assert table.public.ended.outcome == table.offer(160_000)


def test_nobody_can_accept_an_offer_of_its_own() -> None:
    table = Table().play(offer=160_000).play()
    assert table.refused(accept=True) == "nothing_to_accept"


def test_accepting_with_nothing_standing_is_answered_in_band() -> None:
    assert Table().refused(accept=True) == "nothing_to_accept"


def test_a_headline_voids_both_offers_and_leaves_nothing_to_accept() -> None:
    chosen = setup("hiring_package", persona="shark")
    voided = 0
    for seed in range(20):
        before = None
        for state in states(chosen, seed, random_pair(seed)):
            if before is not None and state.public.ended is None and len(state.public.news) > len(before.public.news):
                assert [side.standing for side in state.public.sides] == [None, None]
                taken = GAME.play(state, {"seller": Move(accept=True)}).state
                assert taken.invalid[0] is not None
                assert taken.invalid[0].code == "nothing_to_accept"
                voided += any(side.standing for side in before.public.sides)
            before = state
    assert voided > 5


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"offer": 150_000, "accept": True}, "one_decision"),
        ({"offer": 150_000, "walk": True}, "one_decision"),
        ({"accept": True, "walk": True}, "one_decision"),
        ({"card": "reframe", "question": "timeline"}, "one_tactic"),
        ({"accept": True, "card": "reframe"}, "too_late_for_tactics"),
        ({"walk": True, "question": "timeline"}, "too_late_for_tactics"),
        ({"question": "weather"}, "unknown_topic"),
        ({"card": "trump"}, "unknown_card"),
        ({"offer": (-1,)}, "out_of_range"),
        ({"offer": (10**9,)}, "out_of_range"),
        ({"offer": ()}, "out_of_range"),
        ({"offer": (5, 5)}, "out_of_range"),
        ({"card": "silence", "utterance": "psst", "voiced": True}, "not_silent"),
        ({"card": "silence", "offer": 150_000}, "not_silent"),
        ({"card": "sweetener"}, "unknown_sweetener"),
        ({"card": "sweetener", "item": "early_payment"}, "unknown_sweetener"),
        ({"item": "data_migration"}, "sweetener_without_card"),
        (
            {"card": "batna_reveal", "claim": Claim("limit", 13_000_000), "item": "data_migration"},
            "sweetener_without_card",
        ),
        ({"card": "batna_reveal"}, "claim_missing"),
        ({"card": "time_pressure"}, "claim_missing"),
        ({"claim": Claim("limit", 13_000_000)}, "claim_without_card"),
        ({"card": "reframe", "claim": Claim("limit", 13_000_000)}, "claim_without_card"),
        ({"card": "batna_reveal", "claim": Claim("deadline", 12)}, "claim_without_card"),
        ({"card": "time_pressure", "claim": Claim("limit", 13_000_000)}, "claim_without_card"),
        ({"card": "time_pressure", "claim": Claim("deadline", 21)}, "claim_out_of_range"),
        ({"card": "time_pressure", "claim": Claim("deadline", 1)}, "claim_out_of_range"),
        ({"card": "batna_reveal", "claim": Claim("limit", 10**12)}, "claim_out_of_range"),
        ({"card": "batna_reveal", "claim": Claim("limit", -(10**12))}, "claim_out_of_range"),
        ({"challenge": True}, "nothing_to_challenge"),
        ({"card": "anchor_high", "offer": 170_000}, "anchor_once"),
        ({"refused": Invalid("off_step", "no")}, "off_step"),
    ],
)
def test_what_is_not_allowed_is_refused_by_its_code(fields: dict[str, Any], code: str) -> None:
    table = Table(turn=2).change_side(1, standing=(1500,), latest=(1500,), offers=1)
    assert table.refused(**fields) == code


def test_with_words_an_offer_a_card_a_belief_and_a_challenge_may_come_in_one_move() -> None:
    table = Table().play(offer=160_000).play(offer=140_000, card="batna_reveal", claim=Claim("limit", -15_000_000))
    assert table.refused(offer=150_000, card="reframe", challenge=True, event_impact=0.1, utterance="So?") == ""


def same_but_for_the_refusal(table: Table, before: msgspec.Struct) -> None:
    """Everything is as before but the count of moves, the refusal, and the noise."""
    old, new = msgspec.to_builtins(before), msgspec.to_builtins(table.state)
    for state in (old, new):
        for side in state["public"]["sides"]:
            side.pop("errors")
            side.pop("steps")
        state.pop("invalid")
        for book in state["books"]:
            if book is not None:
                for part in ("rows", "fines", "invalid", "row", "value"):  # ΔV of an opening may be due
                    book.pop(part, None)
    assert old == new


def test_a_refused_move_costs_noise_uses_no_turn_and_changes_nothing_else() -> None:
    table = Table().play(offer=160_000).play(offer=140_000)
    before = table.state
    table.play(accept=True, walk=True)
    assert table.paid[-1] == ("seller", {"delta_v": 0.0, "concession": 0.0, "noise": -10.0})
    assert table.public.turn == 2
    assert table.mover == "seller"
    assert table.public.sides[0].steps == before.public.sides[0].steps + 1
    assert table.state.invalid[0] is not None
    assert table.state.invalid[0].message
    same_but_for_the_refusal(table, before)


@given(st.sampled_from(SCENARIO_IDS), st.integers(0, 2**32))
def test_whatever_is_refused_changes_nothing(name: str, seed: int) -> None:
    r = random.Random(seed)
    found = [
        s for s in states(setup(name, "veteran", both_graded=True), seed, random_pair(seed)) if s.public.mover >= 0
    ]
    state = r.choice(found)
    seat = SEATS[state.public.mover]
    table = Table(quiet(name)).change(**{f: getattr(state, f) for f in type(state).__struct_fields__})
    table.play(illegal_move(GAME.view(state, Viewer("player", seat)), r))
    assert table.state.invalid[state.public.mover] is not None
    if table.public.ended is None:
        same_but_for_the_refusal(table, state)


def test_the_third_refused_move_in_a_row_forfeits() -> None:
    table = Table().play(offer=160_000).play()
    table.play(accept=True).play(accept=True)
    assert table.public.ended is None
    table.play(accept=True)
    assert table.public.ended is not None
    assert (table.public.ended.reason, table.public.ended.seat) == ("forfeit", 0)
    assert table.paid[-1][1]["no_deal"] == -10.0


def test_an_allowed_move_between_refused_ones_starts_the_count_again() -> None:
    table = Table()
    for _ in range(3):
        table.play(walk=True, accept=True).play(walk=True, accept=True).play(offer=160_000).play(offer=120_000)
    assert table.public.ended is None
    assert table.public.turn == 4


def test_the_other_seats_refused_moves_do_not_count_for_ones_own_forfeit() -> None:
    table = Table(both_graded=True).play(walk=True, accept=True).play(walk=True, accept=True).play(offer=160_000)
    table.play(walk=True, accept=True)
    assert table.public.ended is None
    table.play(walk=True, accept=True).play(walk=True, accept=True)
    assert table.public.ended is not None
    assert (table.public.ended.reason, table.public.ended.seat) == ("forfeit", 1)


def test_a_refusal_is_gone_from_the_view_after_the_next_allowed_move() -> None:
    table = Table().play(accept=True)
    assert table.view("seller").invalid is not None
    assert table.view("buyer").invalid is None
    table.play(offer=160_000).play(offer=130_000)
    assert table.view("seller").invalid is None


@pytest.mark.parametrize("name", SCENARIO_IDS)
def test_every_move_within_the_rules_is_allowed_and_what_is_listed_can_be_done(name: str) -> None:
    """Random legal play by what the view shows, thousands of moves: none is refused."""
    for persona in PERSONAS:
        for seed in range(15):
            *_, last = states(setup(name, persona, both_graded=True), seed, random_pair(seed))
            assert [book and book.invalid for book in last.books] == [0, 0]


def test_offers_can_be_made_from_one_end_of_the_range_to_the_other_and_not_beyond() -> None:
    """Price: 0.1 × the lower to 10 × the higher declared anchor, whatever the limits."""
    table = Table()
    low, high = 11_000, 1_800_000
    assert table.refused(offer=table.offer(low)) == ""
    assert table.refused(offer=table.offer(high)) == ""
    assert table.refused(offer=(table.offer(low)[0] - 1,)) == "out_of_range"
    assert table.refused(offer=(table.offer(high)[0] + 1,)) == "out_of_range"


def test_a_draw_of_legal_moves_covers_everything_a_move_can_be() -> None:
    """The players of these tests are worth something: they use every part of a move."""
    used: set[str] = set()
    for seed in range(40):
        r = random.Random(seed)
        for state in states(setup(persona="shark"), seed, random_pair(seed)):
            if state.public.mover < 0:
                break
            move = legal_move(GAME.view(state, Viewer("player", SEATS[state.public.mover])), r, 0.1)
            used |= {f for f in Move.__struct_fields__ if getattr(move, f) not in ("", None, False)}
            used |= {move.card, move.question}
    assert used >= {*Move.__struct_fields__} - {"refused", "final", "card", "question"}
    assert used >= {"silence", "sweetener", "reframe", "time_pressure", "batna_reveal", "anchor_high", "timeline"}


def test_terms_that_were_compiled_for_another_scenario_object_are_not_used() -> None:
    dear = replace(quiet(), seller=replace(quiet().seller, limit=140_000))
    assert terms_of(dear).delta0 == (2_500_000, 2_500_000)
    assert terms_of(quiet()).delta0 == (4_000_000, 4_000_000)

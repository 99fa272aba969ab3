"""Cards, credibility points and sweeteners: what they cost and what they do to the public record and the deal."""

from __future__ import annotations

from typing import Any

import pytest

from game.cards import CARD
from parlay_env.deal.conduct import nearness
from parlay_env.deal.state import Claim, Profile
from parlay_env.deal.value import surplus
from parlay_env.figures import available_moves
from parlay_env.observe import observation
from tests.world import BUYER, SCENARIO_IDS, SELLER, WIDTH, Table, facts, quiet, random_pair, setup, states

COSTS = {"anchor_high": 0, "silence": 5, "sweetener": 10, "reframe": 12, "time_pressure": 15, "batna_reveal": 20}
PLAYED: dict[str, dict[str, Any]] = {
    "anchor_high": {"card": "anchor_high", "offer": 170_000},
    "silence": {"card": "silence"},
    "sweetener": {"card": "sweetener", "item": "data_migration"},
    "reframe": {"card": "reframe"},
    "time_pressure": {"card": "time_pressure", "claim": Claim("deadline", 12)},
    "batna_reveal": {"card": "batna_reveal", "claim": Claim("limit", 13_000_000)},
}


def points(table: Table, seat: int = SELLER) -> int:
    return table.public.sides[seat].points


def opened() -> Table:
    """Both have made an offer; the seller is to move in turn 2."""
    return Table().play(offer=160_000).play(offer=140_000)


def test_both_sides_start_with_a_hundred_points() -> None:
    table = Table()
    assert (points(table), points(table, BUYER)) == (100, 100)
    assert {card.id: card.cost for card in CARD.values()} == COSTS


@pytest.mark.parametrize("card", COSTS)
def test_a_card_costs_what_is_written_on_it(card: str) -> None:
    table = opened().play(**PLAYED[card])
    assert table.state.invalid[SELLER] is None
    assert points(table) == 100 - COSTS[card]


@pytest.mark.parametrize("card", [card for card in COSTS if COSTS[card]])
def test_with_one_point_too_few_a_card_is_refused_and_not_offered(card: str) -> None:
    table = opened().change_side(SELLER, points=COSTS[card] - 1)
    assert table.refused(**PLAYED[card]) == "too_few_points"
    assert card not in available_moves(table.view("seller"))
    table.change_side(SELLER, points=COSTS[card])
    assert table.refused(**PLAYED[card]) == ""
    assert card in available_moves(table.view("seller"))


def test_five_points_come_back_every_turn_to_both_up_to_a_hundred() -> None:
    table = opened().play(**PLAYED["batna_reveal"]).play(card="reframe")
    assert (points(table), points(table, BUYER)) == (85, 93)
    table.rounds(1)
    assert (points(table), points(table, BUYER)) == (90, 98)
    table.rounds(1)
    assert (points(table), points(table, BUYER)) == (95, 100)


def test_the_opponent_pays_for_its_cards_by_the_same_prices() -> None:
    table = opened().play()
    table.change_side(BUYER, points=11)
    assert table.refused(card="reframe") == "too_few_points"
    table.change_side(BUYER, points=12).play(card="reframe")
    assert points(table, BUYER) == 5


def strengths(card: str, count: int = 3) -> list[float]:
    table = opened()
    found = []
    items = ["data_migration", "training_days", "premium_support"]
    for i in range(count):
        table.change_side(SELLER, points=100).play(
            **(PLAYED[card] | ({"item": items[i]} if card == "sweetener" else {}))
        )
        assert table.state.invalid[SELLER] is None
        found.append(table.public.sides[SELLER].strength)
        table.play()
    return found


@pytest.mark.parametrize("card", ["silence", "sweetener", "reframe", "time_pressure", "batna_reveal"])
def test_every_further_use_of_a_card_is_half_as_strong(card: str) -> None:
    assert strengths(card) == [1.0, 0.5, 0.25]


def test_one_card_does_not_weaken_another() -> None:
    table = opened().play(card="reframe").play().play(**PLAYED["time_pressure"])
    assert table.public.sides[SELLER].strength == 1.0


def test_what_a_side_has_seen_of_reframing_adds_up_by_halves() -> None:
    table = opened()
    for framing in (1.0, 1.5, 1.75):
        table.play(card="reframe").play()
        assert table.public.sides[SELLER].framing == framing


def pressing(value: int, **side: Any) -> float:
    """What a deadline claimed in turn 2 adds to what has been pressed."""
    table = opened().change_side(SELLER, **side).play(card="time_pressure", claim=Claim("deadline", value))
    assert table.state.invalid[SELLER] is None
    return table.public.sides[SELLER].pressing


def test_time_pressure_works_as_far_as_its_player_is_credible() -> None:
    assert pressing(2, credibility=0.3) == pytest.approx(0.3)


def test_a_nearer_deadline_presses_more_and_that_of_the_last_turn_next_to_nothing() -> None:
    """By the share of all turns that it does not leave: fully when it is now, a tenth when it is 18 turns off."""
    found = [pressing(value, credibility=1.0) for value in range(2, 21)]
    assert found == pytest.approx([1.0 - left / 20 for left in range(19)])
    assert found[-1] == pytest.approx(0.1)


def test_a_deadline_claimed_again_presses_by_what_it_leaves_by_then() -> None:
    """The same turn 12, in turn 2 and in turn 7, where it is nearer; a second play has half the strength."""
    table = opened().change_side(SELLER, credibility=1.0).play(**PLAYED["time_pressure"]).play()
    assert table.public.sides[SELLER].pressing == pytest.approx(0.5)
    table.rounds(4).play(**PLAYED["time_pressure"])
    assert table.public.turn == 7
    assert table.public.sides[SELLER].pressing == pytest.approx(0.5 + 0.5 * 0.75)


def test_a_deadline_that_is_past_presses_no_more_than_one_that_is_now() -> None:
    assert nearness(3, 5) == nearness(5, 5) == 1.0
    assert nearness(30, 5) == 0.0


# anchor_high ----------------------------------------------------------------------------------------------------------


def test_anchor_high_goes_with_the_most_ambitious_offer_so_far_once_and_never_as_the_first() -> None:
    assert Table().refused(card="anchor_high", offer=180_000) == "anchor_once"
    table = opened()
    assert table.refused(card="anchor_high", offer=160_000) == "anchor_needs_offer"
    assert table.refused(card="anchor_high", offer=159_000) == "anchor_needs_offer"
    assert table.refused(card="anchor_high") == "anchor_needs_offer"
    table.play(card="anchor_high", offer=160_100).play()
    assert table.refused(card="anchor_high", offer=190_000) == "anchor_once"
    assert "anchor_high" not in available_moves(table.view("seller"))


def test_the_ambition_of_an_anchor_is_measured_against_all_of_ones_offers_not_the_last() -> None:
    table = opened().play(offer=150_000).play()
    assert table.refused(card="anchor_high", offer=155_000) == "anchor_needs_offer"
    assert table.refused(card="anchor_high", offer=161_000) == ""


def test_for_the_buyer_an_anchor_is_a_lower_price() -> None:
    table = Table(seat="buyer").play(offer=120_000).play(offer=170_000)
    assert table.refused(card="anchor_high", offer=125_000) == "anchor_needs_offer"
    assert table.refused(card="anchor_high", offer=115_000) == ""


# silence --------------------------------------------------------------------------------------------------------------


def test_silence_has_no_words_no_offer_and_no_claim_and_is_not_curt() -> None:
    table = opened()
    assert table.refused(card="silence", voiced=True) == "not_silent"
    assert table.refused(card="silence", offer=150_000) == "not_silent"
    table.play(card="silence")
    before = table.public.heat
    assert before == pytest.approx(3.0)
    assert table.public.sides[SELLER].standing == table.offer(160_000)


def test_silence_can_not_make_a_claim() -> None:
    table = Table(both_graded=True).play(offer=160_000).play(question="timeline")
    assert table.refused(card="silence", claim=Claim("deadline", 12)) != ""


# sweetener ------------------------------------------------------------------------------------------------------------


def test_a_sweetener_becomes_part_of_every_outcome_at_a_cost_to_its_giver_and_worth_more_to_the_other() -> None:
    table = opened()
    before = [surplus(table.state, seat, table.offer(150_000)) for seat in (0, 1)]
    table.play(card="sweetener", item="data_migration", offer=150_000)
    after = [surplus(table.state, seat, table.offer(150_000)) for seat in (0, 1)]
    assert after[SELLER] - before[SELLER] == -0.02 * WIDTH
    assert after[BUYER] - before[BUYER] == 0.05 * WIDTH  # its private worth in this world


@pytest.mark.parametrize("name", SCENARIO_IDS)
def test_every_item_costs_its_giver_less_than_it_is_worth_to_the_other_who_alone_knows_how_much(name: str) -> None:
    for seed in range(50):
        table = Table(quiet(name))
        *_, last = states(setup(name, persona="shark"), seed, random_pair(seed))
        for k, item in enumerate(table.terms.scenario.sweeteners):
            giver = 0 if item.by == "seller" else 1
            cost = -last.facts[giver].item_worth[k] / table.terms.delta0[giver]
            worth = last.facts[1 - giver].item_worth[k] / table.terms.delta0[1 - giver]
            assert cost == pytest.approx(item.cost, abs=1e-6)
            assert item.worth[0] - 1e-6 <= worth <= item.worth[1] + 1e-6
            assert worth > cost
    seen = observation(Table(quiet(name)).view("seller"))
    assert all(set(item) == {"id", "title", "cost"} for item in seen["scenario"]["sweeteners"])


def test_an_item_can_be_thrown_in_once_and_only_by_its_side() -> None:
    table = opened().play(card="sweetener", item="data_migration").play(card="sweetener", item="early_payment")
    assert table.refused(card="sweetener", item="data_migration") == "unknown_sweetener"
    assert table.refused(card="sweetener", item="reference_case") == "unknown_sweetener"
    left = [item["id"] for item in observation(table.view("seller"))["scenario"]["sweeteners"]]
    assert left == ["priority_onboarding", "training_days", "premium_support"]


def items(table: Table) -> list[str]:
    return [item.id for item in table.terms.scenario.sweeteners]


def test_a_sweetener_counts_in_the_deals_surplus_efficiency_and_cliff() -> None:
    plain = opened().play().play().play(accept=True)
    sweet = opened().play(card="sweetener", item="data_migration").play().play(accept=True)
    assert plain.earned()[-1]["efficiency"] == pytest.approx(37.5, abs=1e-5)
    # What could be had grew by the item's worth to the buyer, less its cost.
    width = 40_000 + sweet.state.facts[BUYER].item_worth[items(sweet).index("data_migration")] / 100 - 800
    assert sweet.earned()[-1]["efficiency"] == pytest.approx(100 * 14_200 / width, abs=1e-4)
    # 125,500 is worth 500 above the limit; the item costs 800.
    poor = Table().play(offer=160_000).play(offer=125_500)
    assert "cliff" not in poor.play().play().play(accept=True).earned()[-1]
    beyond = Table().play(offer=160_000).play(offer=125_500).play(card="sweetener", item="data_migration").play()
    assert beyond.play(accept=True).earned()[-1]["cliff"] == -200.0


def test_a_sweetener_thrown_in_after_an_offer_counts_against_that_offer_too() -> None:
    table = Table().play(offer=125_500).play().play(card="sweetener", item="data_migration").play(accept=True)
    assert table.earned()[-1]["cliff"] == -200.0


def test_the_others_sweetener_is_worth_something_to_me() -> None:
    table = Table(seller=facts(quiet(), SELLER, 125_000, worths=0.06)).play(offer=160_000)
    table.play(offer=140_000, card="sweetener", item="early_payment").play(accept=True)
    # 15,000 and .06 of 40,000, of 40,000 and .06 of it less what it costs the buyer.
    width = 40_000 + 2_400 + table.state.facts[BUYER].item_worth[items(table).index("early_payment")] / 100
    assert table.earned()[-1]["efficiency"] == pytest.approx(100 * 17_400 / width, abs=1e-4)


# Heat -----------------------------------------------------------------------------------------------------------------


def heat(table: Table, **fields: Any) -> float:
    before = table.public.heat
    table.play(**fields)
    return table.public.heat - before


def test_which_cards_raise_tension_and_which_would_lower_it() -> None:
    assert heat(opened(), card="anchor_high", offer=170_000) > 0
    assert heat(opened(), card="silence") > 0
    assert heat(opened(), **PLAYED["batna_reveal"]) > 0
    assert heat(opened(), **PLAYED["time_pressure"]) > 0
    assert heat(opened(), card="reframe") == 0
    assert heat(opened(), **PLAYED["sweetener"]) == 0
    for card in ("reframe", "sweetener"):
        assert opened().play(**PLAYED[card]).public.relief > 0


def test_sweetener_and_reframe_lower_tension_only_as_far_as_concessions_do() -> None:
    def eased(step: int) -> float:
        found = []
        for card in ({}, {"card": "reframe"}):
            table = opened().change_public(tension=60.0)
            table.play(offer=160_000 - step, **card).play(offer=140_000 + step)
            found.append(table.public.tension)
        return found[0] - found[1]

    assert eased(0) == 0.0
    assert 0 < eased(100) < eased(300) <= eased(1600)
    assert eased(1600) == pytest.approx(6.0, abs=1e-6)


def test_relief_from_cards_has_a_bound_however_many_are_played() -> None:
    found = []
    for cards in (
        [{}, {}],
        [{"card": "sweetener", "item": "data_migration"}, {"card": "sweetener", "item": "early_payment"}],
    ):
        table = opened().change_public(tension=70.0)
        table.play(offer=158_400, **cards[0]).play(offer=141_600, **cards[1])
        found.append(table.public.tension)
    assert 10 < found[0] - found[1] <= 24.0


def test_an_offer_a_claim_or_an_answer_without_words_is_curt() -> None:
    for fields in ({"offer": 150_000}, PLAYED["batna_reveal"]):
        assert heat(opened(), **(fields | {"voiced": False})) == heat(opened(), **fields) + 4.0
    silent = Table(both_graded=True, opponent=Profile()).play(offer=160_000).play(question="timeline")
    spoken = Table(both_graded=True, opponent=Profile()).play(offer=160_000).play(question="timeline")
    answer = Claim("deadline", 12)
    assert heat(silent, claim=answer, voiced=False) == heat(spoken, claim=answer) + 4.0
    assert heat(opened(), voiced=False) == 0.0  # nothing was said, nothing was proposed
    assert heat(opened(), card="silence", voiced=False) == pytest.approx(3.0)

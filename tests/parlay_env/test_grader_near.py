"""What is paid at every step: ΔV, own concession, noise. Seller, limit 125,000; a Δ0 is 40,000."""

from __future__ import annotations

from typing import Any

import pytest

from parlay_env.deal.state import Claim
from tests.world import BUYER, SELLER, Table, facts, quiet


def last(table: Table, seat: str = "seller") -> dict[str, float]:
    return dict(table.earned(seat)[-1])


def close(value: float) -> Any:
    return pytest.approx(value, abs=2e-6)


# ΔV -------------------------------------------------------------------------------------------------------------------


def test_the_opponents_offers_are_paid_by_what_they_change_over_the_width() -> None:
    table = Table().play(offer=170_000).play(offer=135_000)
    assert last(table)["delta_v"] == close(2 * 0.25)
    table.play(offer=168_000).play(offer=139_000)
    assert last(table)["delta_v"] == close(2 * 0.10)
    table.play(offer=167_000).play()
    assert last(table)["delta_v"] == 0.0


def test_an_offer_worse_than_the_own_limit_is_worth_less_than_none() -> None:
    table = Table().play(offer=170_000).play(offer=115_000)
    assert last(table)["delta_v"] == close(2 * -0.25)


def test_v_is_clipped_to_one_width_either_way() -> None:
    table = Table().play(offer=200_000).play(offer=11_000)
    assert last(table)["delta_v"] == close(-2.0)
    table.play(offer=190_000).play(offer=1_000_000)
    assert last(table)["delta_v"] == close(4.0)


def test_v_is_nothing_before_the_first_offer() -> None:
    table = Table().play(offer=170_000).play()
    assert last(table)["delta_v"] == 0.0


def test_v_is_nothing_after_the_end_so_that_it_sums_to_nothing() -> None:
    table = Table().play(offer=170_000).play(offer=140_000).play(accept=True)
    assert [terms["delta_v"] for terms in table.earned()] == [close(0.75), close(-0.75)]
    assert sum(terms["delta_v"] for terms in table.earned()) == 0.0


def test_for_the_buyer_a_lower_price_is_worth_more() -> None:
    table = Table(seat="buyer").play(offer=120_000).play(offer=155_000)
    assert last(table, "buyer")["delta_v"] == close(2 * 0.25)


def test_v_is_measured_from_the_limit_as_it_stands() -> None:
    table = Table().play(offer=170_000).play(offer=135_000)
    table.change(facts=(facts(quiet(), SELLER, 129_000), table.state.facts[BUYER]))
    table.play(offer=169_000).play()
    assert last(table)["delta_v"] == close(2 * -0.10)


def test_with_several_issues_v_is_in_the_own_utility() -> None:
    s = quiet("supplier_contract")
    table = Table(s).play(offer=(80, 0, 3)).play(offer=(40, 2, 2))
    own = table.state.facts[SELLER]
    value = 4_000_000 * (0.55 * 0.5 + 0.15 * (1 / 3) + 0.30 * (2 / 3))
    assert last(table)["delta_v"] == pytest.approx(
        2 * (value - own.limit / 100) / (table.terms.delta0[0] / 100), abs=1e-4
    )


# C --------------------------------------------------------------------------------------------------------------------


def test_a_concession_beyond_what_the_opponent_gave_since_ones_last_offer_costs() -> None:
    table = Table().play(offer=170_000).play(offer=120_000)  # nothing conceded yet
    assert last(table)["concession"] == 0.0
    table.play(offer=162_000).play(offer=124_000)  # .20 conceded, a first offer is no concession
    assert last(table)["concession"] == close(-3 * 0.20)
    table.play(offer=158_000).play(offer=134_000)  # .10 against .10
    assert last(table)["concession"] == 0.0
    table.play(offer=146_000).play()  # .30 against .25
    assert last(table)["concession"] == close(-3 * 0.05)


def test_what_the_opponent_gave_more_is_no_credit_for_later() -> None:
    table = Table().play(offer=170_000).play(offer=120_000).play(offer=170_000).play(offer=140_000)
    table.play(offer=166_000).play()  # .10 against .50
    assert last(table)["concession"] == 0.0
    table.play(offer=162_000).play()  # .10 against nothing new
    assert last(table)["concession"] == close(-3 * 0.10)


def test_an_opponent_who_withdraws_does_not_make_a_concession_dearer() -> None:
    table = Table().play(offer=170_000).play(offer=140_000).play(offer=170_000).play(offer=120_000)
    table.play(offer=166_000).play()
    assert last(table)["concession"] == close(-3 * 0.10)


def test_c_is_at_most_one_width() -> None:
    table = Table().play(offer=400_000).play().play(offer=130_000).play()
    assert last(table)["concession"] == close(-3.0)


def test_asking_more_than_before_is_no_concession_and_accepting_is_none() -> None:
    table = Table().play(offer=150_000).play(offer=126_000).play(offer=180_000, card="anchor_high").play()
    assert last(table)["concession"] == 0.0
    table.play(accept=True)
    assert last(table)["concession"] == 0.0


def test_moves_without_an_offer_concede_nothing_and_keep_what_was_seen() -> None:
    table = Table().play(offer=170_000).play(offer=120_000).play().play(offer=124_000).play().play(offer=128_000)
    table.play(offer=162_000).play()  # .20, against .20 given since
    assert last(table)["concession"] == 0.0


# Noise ----------------------------------------------------------------------------------------------------------------


def noise(words: str, **fields: Any) -> float:
    table = Table().play(offer=160_000, utterance="Good morning.").play(offer=140_000)
    table.play(utterance=words, voiced=bool(words), **fields)
    if table.public.ended is None:
        table.play()
    return last(table)["noise"]


@pytest.mark.parametrize(
    "words",
    [
        "We propose 150,000.",
        "150k, and we sign today",
        "0.15M it is",
        "15万",
        "I'd do 150 000 dollars",
        "From 160,000 we come down to 150,000.",
        "Twelve reasons, 3 of them good, and 20 turns.",
        "",
        "Take it or leave it.",
        "You said 12 %, we heard 7.",
    ],
)
def test_words_that_name_the_offer_or_no_amount_are_coherent(words: str) -> None:
    assert noise(words, offer=150_000) == 0.0


@pytest.mark.parametrize(
    "words", ["We propose 155,000.", "155k", "1.2M", "16万", "Between 151,000 and 152,000.", "140,000 is too little."]
)
def test_words_that_name_amounts_in_the_range_none_of_which_is_the_offer_are_noise(words: str) -> None:
    assert noise(words, offer=150_000) == -10.0


def test_naming_the_terms_one_takes_is_coherent_and_naming_others_is_not() -> None:
    assert noise("Done, 140,000.", accept=True) == 0.0
    assert noise("Done, 145,000.", accept=True) == -10.0


def test_an_amount_outside_the_range_is_no_offer() -> None:
    assert noise("We have 5,000 employees and a budget of 9,000,000,000.", offer=150_000) == 0.0


def test_naming_a_claim_that_is_made_with_the_offer_is_coherent() -> None:
    claim = Claim("limit", 14_300_000)
    assert noise("I can't go below 143,000.", offer=150_000, card="batna_reveal", claim=claim) == 0.0


def test_ones_own_words_again_are_noise_and_others_are_not() -> None:
    assert noise("Good morning.", offer=159_000) == -10.0
    assert noise("Good morning!", offer=159_000) == 0.0
    assert noise("", offer=159_000) == 0.0


def test_silence_between_makes_words_new_again_but_two_empty_moves_are_no_repetition() -> None:
    table = Table().play(utterance="").play().play(utterance="").play()
    assert last(table)["noise"] == 0.0


def test_repeating_the_opponents_words_is_not_ones_own_words_again() -> None:
    table = Table().play(utterance="One.").play(utterance="Two.").play(utterance="Two.").play()
    assert last(table)["noise"] == 0.0


def test_an_offer_worse_for_the_other_than_ones_own_last_is_noise() -> None:
    assert noise("", offer=160_100) == -10.0
    assert noise("", offer=160_000) == 0.0
    assert noise("", offer=159_900) == 0.0


def test_unless_it_is_an_anchor() -> None:
    assert noise("", offer=170_000, card="anchor_high") == 0.0


def test_or_comes_after_a_headline() -> None:
    from parlay_env.deal.state import News

    table = Table().play(offer=160_000).play(offer=140_000)
    table.change_public(news=(News(2, "News!", True),)).play(offer=170_000).play()
    assert last(table)["noise"] == 0.0
    table.play(offer=171_000).play()
    assert last(table)["noise"] == -10.0


def test_for_the_buyer_worse_is_a_lower_price() -> None:
    for price, paid in ((119_000, -10.0), (121_000, 0.0)):
        table = Table(seat="buyer").play(offer=120_000).play(offer=160_000).play(offer=price).play()
        assert last(table, "buyer")["noise"] == paid


def test_with_several_issues_worse_is_by_what_is_declared_of_the_other() -> None:
    s = quiet("supplier_contract")
    for offer, paid in (((80, 0, 2), 0.0), ((80, 1, 3), 0.0), ((80, 0, 3), 0.0)):
        table = Table(s).play(offer=(80, 0, 3)).play().play(offer=offer).play()
        assert last(table)["noise"] == paid
    worse = Table(s).play(offer=(80, 1, 3)).play().play(offer=(80, 0, 3)).play()
    assert last(worse)["noise"] == -10.0


def test_several_faults_of_one_move_are_one_noise() -> None:
    assert noise("Good morning.", offer=170_000) == -10.0


def test_a_refused_move_is_noise_each_time() -> None:
    table = Table().play(accept=True).play(accept=True).play(offer=160_000).play()
    assert [terms["noise"] for terms in table.earned()] == [-10.0, -10.0, 0.0]
    assert [terms["delta_v"] for terms in table.earned()] == [0.0, 0.0, 0.0]


def test_fines_of_an_episode_have_a_bound_and_reaching_it_forfeits() -> None:
    """Else the next refused move, or concession, would be free."""
    table = Table()
    while table.public.ended is None:
        table.play(accept=True)
        if table.public.ended is None:
            table.play(offer=160_000).play()
    paid = sum(terms["noise"] + terms["concession"] for terms in table.earned())
    assert paid == -75.0
    assert (table.public.ended.reason, table.public.ended.seat) == ("forfeit", 0)
    assert table.public.turn == 8

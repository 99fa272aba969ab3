"""What the end pays: E, S and D of a deal, the cliff, and what no deal is worth."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from parlay_env.deal.state import Belief, News, Profile, Shock
from parlay_env.game_theory import price_nash
from parlay_env.observe import observation
from parlay_env.reward import RewardSpec
from tests.world import BUYER, SELLER, Table, facts, quiet


def close(value: float) -> Any:
    return pytest.approx(value, abs=1e-5)


def dealt(price: float, turn: int = 10, by: str = "seller", **fields: Any) -> Table:
    """A deal at this price, closed by this seat."""
    at = Table(turn=turn, **fields)
    if by == at.mover:
        at.change_side(1 - at.public.mover, standing=at.offer(price), latest=at.offer(price), offers=1)
        return at.play(accept=True)
    return at.play(offer=price).play(accept=True)


def paid(at: Table, seat: str = "seller") -> dict[str, float]:
    return dict(at.earned(seat)[-1])


# A deal ---------------------------------------------------------------------------------------------------------------


def test_the_example_of_the_rules() -> None:
    """Seller, 125k–165k, closed at 148k: E = 57.5 %, Nash point 145k, 17k left."""
    at = dealt(148_000, turn=10)
    grade = at.view("seller").grade
    assert grade is not None
    assert grade.efficiency == close(0.575)
    assert grade.surplus == 23_000
    assert grade.left_on_table == 17_000
    seen = observation(at.view("seller"))
    assert seen["truth"]["nash"] == {"price": 145_000}
    assert price_nash(125_000, 165_000) == 145_000
    assert paid(at)["efficiency"] == close(57.5)
    assert paid(at)["speed"] == close(20 * 0.575 * 10 / 20)
    assert paid(at)["adaptation"] == close(15 * 0.575)


def test_e_of_the_buyer_is_the_rest() -> None:
    at = dealt(148_000, both_graded=True)
    assert paid(at, "buyer")["efficiency"] == close(42.5)


@pytest.mark.parametrize(
    ("price", "e"), [(125_000, 0.0), (126_000, 0.025), (165_000, 1.0), (145_000, 0.5), (170_000, 1.0)]
)
def test_e_goes_from_nothing_at_ones_own_limit_to_one_at_the_others(price: float, e: float) -> None:
    assert paid(dealt(price))["efficiency"] == close(100 * e)


def test_e_is_measured_at_the_true_limits_not_the_declared_ones() -> None:
    assert paid(dealt(148_000, seller=128_000, buyer=168_000))["efficiency"] == close(50.0)
    assert paid(dealt(148_000, buyer=facts(quiet(), BUYER, 165_000, budget=160_000)))["efficiency"] == close(
        100 * 23 / 35
    )


def test_a_narrow_zopa_counts_as_a_tenth_of_the_width() -> None:
    """Limits 2,000 apart: E is measured by 4,000."""
    at = dealt(147_000, seller=146_000, buyer=148_000)
    assert paid(at)["efficiency"] == close(25.0)


def test_without_a_zopa_e_is_nothing() -> None:
    at = dealt(150_000, seller=150_000, buyer=149_000)
    assert paid(at)["efficiency"] == 0.0
    assert paid(at)["speed"] == 0.0
    assert paid(at)["adaptation"] == 0.0


def test_erosion_is_in_the_surplus_and_out_of_what_it_is_measured_by() -> None:
    """Two ticks: limits 126,600 and 163,400; closed at 148,000: 21,400 of 40,000."""
    at = Table(seller=126_600, buyer=163_400, turn=10).change_public(ticks=2)
    at.play(offer=148_000).play(accept=True)
    assert paid(at)["efficiency"] == close(100 * 21_400 / 40_000)


def test_with_several_issues_e_is_the_share_of_the_best_that_the_others_limit_allows() -> None:
    s = quiet("supplier_contract")
    at = Table(s, turn=10)
    best = 0.0
    for price in range(81):
        for days in range(4):
            for order in range(4):
                theirs = 4_000_000 * (0.50 * (1 - price / 80) + 0.35 * days / 3 + 0.15 * (1 - order / 3))
                mine = 4_000_000 * (0.55 * price / 80 + 0.15 * (1 - days / 3) + 0.30 * order / 3)
                if theirs >= 1_648_000:
                    best = max(best, mine - 1_648_000)
    at.play(offer=(40, 1, 3)).play(accept=True)
    mine = 4_000_000 * (0.55 * 0.5 + 0.15 * 2 / 3 + 0.30) - 1_648_000
    assert paid(at)["efficiency"] == pytest.approx(100 * mine / best, abs=0.01)


@pytest.mark.parametrize(("turn", "share"), [(1, 0.95), (5, 0.75), (20, 0.0)])
def test_speed_is_a_share_of_e(turn: int, share: float) -> None:
    assert paid(dealt(145_000, turn=turn))["speed"] == close(20 * 0.5 * share)


def test_a_deal_that_the_opponent_closes_pays_the_same() -> None:
    for term in ("efficiency", "speed", "adaptation"):
        assert paid(dealt(148_000, by="buyer"))[term] == paid(dealt(148_000))[term]


# Adaptation -----------------------------------------------------------------------------------------------------------


def shaken(effect: float, moves: list[dict[str, Any]], market: bool = False, limit: float = 165_000) -> float:
    """a = D/E, after a headline moved the buyer's limit to `limit`, moves, and a deal."""
    at = Table(turn=3, buyer=limit)
    at.change(shocks=(Shock(3, market, (0.0, effect)),)).change_public(news=(News(3, "News!", market),))
    for move in moves:
        at.play(**move).play(offer=145_000)
    at.play(accept=True)
    terms = paid(at)
    return terms["adaptation"] / 15 / (terms["efficiency"] / 100)


def thinks(price: float) -> dict[str, Any]:
    return {"belief": Belief(walk_away=-round(100 * price))}


def test_without_a_shock_adaptation_is_paid_in_full() -> None:
    assert shaken(0.0, [{}]) == close(1.0)
    assert shaken(0.049, [{}, {}, {}]) == close(1.0)


def test_after_a_shock_the_belief_must_have_followed_two_moves_later() -> None:
    """The limit is at 150,000 now, the prior's mean at 162,200."""
    assert shaken(0.10, [{}, {}, {}], limit=150_000) == close(0.0)
    assert shaken(0.10, [thinks(150_000), {}, {}], limit=150_000) == close(1.0)
    assert shaken(0.10, [{}, thinks(150_000), {}], limit=150_000) == close(1.0)
    assert shaken(0.10, [{}, {}, thinks(150_000)], limit=150_000) == close(0.0)
    assert shaken(0.10, [thinks(150_000), thinks(120_000), {}], limit=150_000) == close(0.0)


@pytest.mark.parametrize(
    ("effect", "off", "followed"),
    [(0.10, 0.099, 1.0), (0.10, 0.101, 0.0), (0.30, 0.149, 1.0), (0.30, 0.151, 0.0), (-0.30, 0.149, 1.0)],
)
def test_it_may_err_by_half_the_shift_and_at_least_a_tenth_of_the_width(
    effect: float, off: float, followed: float
) -> None:
    assert shaken(effect, [thinks(150_000 + off * 40_000), {}, {}], limit=150_000) == close(followed)


def test_market_events_and_scheduled_headlines_are_shocks_alike() -> None:
    for market in (True, False):
        assert shaken(0.10, [thinks(150_000), {}, {}], market, 150_000) == close(1.0)


def test_what_moved_only_ones_own_limit_is_no_shock() -> None:
    at = Table(turn=3).change(shocks=(Shock(3, False, (0.2, 0.0)),)).change_public(news=(News(3, "News!", False),))
    at.rounds(3, {}, {"offer": 145_000}).play(accept=True)
    assert paid(at)["adaptation"] == close(15 * 0.5)


def test_of_several_shocks_the_share_that_was_followed_counts() -> None:
    at = Table(turn=3, buyer=150_000)
    at.change(shocks=(Shock(3, False, (0.0, 0.1)),)).change_public(news=(News(3, "One.", False),))
    at.play(**thinks(150_000)).play().play().play()
    at.change(
        facts=(at.state.facts[SELLER], facts(quiet(), BUYER, 138_000)),
        shocks=(*at.state.shocks, Shock(at.public.turn, True, (0.0, 0.3))),
    ).change_public(news=(*at.public.news, News(at.public.turn, "Two.", True)))
    at.rounds(3, {}, {"offer": 135_000}).play(accept=True)
    assert paid(at)["adaptation"] == close(15 * paid(at)["efficiency"] / 100 / 2)


def test_an_end_before_the_two_moves_are_over_is_judged_by_the_last_belief() -> None:
    for price, share in ((150_000, 1.0), (120_000, 0.0)):
        at = Table(turn=3, buyer=150_000).play(offer=160_000).play(offer=140_000)
        at.change(shocks=(Shock(4, False, (0.0, 0.1)),)).change_public(news=(News(4, "One.", False),))
        at.play(accept=True, **thinks(price))
        assert paid(at)["adaptation"] == close(15 * paid(at)["efficiency"] / 100 * share)


# The cliff ------------------------------------------------------------------------------------------------------------


def test_a_deal_beyond_ones_own_limit_pays_exactly_the_cliff_and_no_other_terminal_term() -> None:
    for by in ("seller", "buyer"):
        at = dealt(124_900, by=by)
        terms = paid(at)
        assert terms["cliff"] == -200.0
        assert not {"efficiency", "speed", "adaptation", "no_deal"} & set(terms)
        grade = at.view("seller").grade
        assert grade is not None
        assert grade.breach
        assert grade.terminal == {"cliff": -200.0}


def test_at_the_limit_there_is_no_cliff() -> None:
    assert "cliff" not in paid(dealt(125_000))
    assert "cliff" not in paid(dealt(125_000, by="buyer"))


def test_beyond_the_budget_is_beyond_the_limit() -> None:
    own = facts(quiet(), SELLER, 125_000, budget=130_000)
    assert paid(dealt(129_900, seller=own))["cliff"] == -200.0
    assert "cliff" not in paid(dealt(130_000, seller=own))


def test_the_opponents_deal_beyond_its_own_limit_is_no_cliff_of_mine() -> None:
    at = Table(both_graded=True).play(offer=170_000).play(accept=True)
    assert paid(at)["efficiency"] == close(100.0)
    assert paid(at, "buyer")["cliff"] == -200.0


def tightened(at: Table, limit: float) -> Table:
    return at.change(facts=(facts(quiet(), SELLER, limit), at.state.facts[BUYER]))


def test_an_offer_inside_the_limit_shown_when_it_was_made_is_no_breach_when_it_is_taken_later() -> None:
    at = Table().play(offer=126_000).play()
    tightened(at, 130_000).play().play(accept=True)
    assert "cliff" not in paid(at)
    assert paid(at)["efficiency"] == 0.0


def test_an_offer_beyond_the_limit_is_a_breach_until_the_deal_is_inside_it() -> None:
    assert paid(Table().play(offer=124_000).play(accept=True))["cliff"] == -200.0
    at = Table().play(offer=124_000).play()
    tightened(at, 100_000).play().play(accept=True)
    assert "cliff" not in paid(at)


def test_what_the_other_threw_in_can_bring_a_deal_inside_the_limit() -> None:
    at = Table(seller=facts(quiet(), SELLER, 125_000, worths=0.06)).play(offer=124_000)
    at.play(card="sweetener", item="early_payment").play().play(accept=True)
    assert "cliff" not in paid(at)
    assert paid(at)["efficiency"] > 0


def test_what_one_takes_is_judged_by_the_limit_shown_then() -> None:
    at = Table().play(offer=160_000).play(offer=126_000)
    assert "cliff" not in paid(tightened(at, 126_000).play(accept=True))
    at = Table().play(offer=160_000).play(offer=126_000)
    assert paid(tightened(at, 126_100).play(accept=True))["cliff"] == -200.0


def test_a_new_offer_is_judged_anew() -> None:
    at = Table().play(offer=124_000).play().play(offer=126_000).play(accept=True)
    assert "cliff" not in paid(at)


def test_omega_may_be_set_and_stands_in_the_grade() -> None:
    at = dealt(124_000, reward=RewardSpec(cliff=50.0))
    assert paid(at)["cliff"] == -50.0
    grade = at.view("seller").grade
    assert grade is not None
    assert grade.omega == 50.0


# No deal --------------------------------------------------------------------------------------------------------------


def test_walking_away_is_right_where_there_is_no_zopa_and_wrong_where_there_is() -> None:
    assert paid(Table(seller=150_000, buyer=149_900).play(walk=True))["no_deal"] == 10.0
    assert paid(Table(seller=150_000, buyer=150_000).play(walk=True))["no_deal"] == -10.0
    assert paid(Table().play(walk=True))["no_deal"] == -10.0


def test_it_is_the_zopa_of_that_moment_that_counts() -> None:
    at = tightened(Table().play(offer=160_000).play(), 166_000)
    assert paid(at.play(walk=True))["no_deal"] == 10.0
    sweet = Table(seller=150_000, buyer=149_000).play(card="sweetener", item="data_migration").play()
    assert paid(sweet.play(walk=True))["no_deal"] == -10.0  # worth 2,000 to them, costs 800: now there is one


def test_what_erosion_closed_is_closed_for_the_walk_away_too() -> None:
    """500 of room before a tick, 1,100 too little after it; a headline may have brought it about since."""
    at = Table(seller=150_800, buyer=149_700).change_public(ticks=1)
    assert paid(at.play(walk=True))["no_deal"] == 10.0


def test_the_opponents_walk_away_pays_nothing() -> None:
    for buyer in (165_000, 120_000):
        assert paid(Table(buyer=buyer).play(offer=160_000).play(walk=True))["no_deal"] == 0.0


def test_timeout_and_forfeit_cost_ten_whether_there_was_a_zopa_or_not() -> None:
    for buyer in (165_000, 120_000):
        assert paid(Table(buyer=buyer, turn=20).play(offer=160_000).play())["no_deal"] == -10.0
        forfeit = Table(buyer=buyer).play(accept=True).play(accept=True).play(accept=True)
        assert paid(forfeit)["no_deal"] == -10.0


def test_without_a_deal_there_is_no_other_terminal_term() -> None:
    for at in (Table().play(walk=True), Table(turn=20).play().play(), Table().play().play(walk=True)):
        assert not {"efficiency", "speed", "adaptation", "cliff"} & set(paid(at))


def test_the_last_step_pays_its_own_terms_and_the_end_together() -> None:
    at = Table(turn=20).change_side(BUYER, standing=(1240,), latest=(1240,), offers=1)  # 135,000
    at.play(offer=170_000, utterance="Make it 160,000.").play()
    assert paid(at)["noise"] == -10.0
    assert paid(at)["no_deal"] == -10.0


def test_both_learners_are_paid_by_their_own_limits() -> None:
    at = dealt(148_000, both_graded=True, opponent=Profile())
    assert set(paid(at)) == set(paid(at, "buyer"))
    grades = [at.view(seat).grade for seat in ("seller", "buyer")]
    assert [g and g.surplus for g in grades] == [23_000, 17_000]
    assert replace(RewardSpec(), cliff=200.0) == RewardSpec()

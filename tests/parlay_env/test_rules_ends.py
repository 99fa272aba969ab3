"""The six ways an episode ends, and erosion."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from parlay_env.deal.state import SEATS, Move, Profile
from parlay_env.observe import observation
from tests.world import GAME, RandomLegal, Script, Table, facts, opened_by, quiet, random_pair, setup, states


def ended(table: Table) -> tuple[str, int, int | None]:
    end = table.public.ended
    assert end is not None
    assert table.public.mover == -1
    assert not GAME.to_move(table.state)
    return end.reason, end.turn, end.seat


def test_a_deal_by_the_learner() -> None:
    table = Table().play(offer=160_000).play(offer=140_000).play(accept=True)
    assert ended(table) == ("deal", 2, 0)


def test_a_deal_by_the_opponent_within_the_turn_of_the_offer() -> None:
    table = Table().play(offer=160_000).play(accept=True)
    assert ended(table) == ("deal", 1, 1)


def test_a_walk_away_by_either_side_says_who_left() -> None:
    assert ended(Table().play(walk=True)) == ("walk_away", 1, 0)
    assert ended(Table().play().play(walk=True)) == ("walk_away", 1, 1)


def test_turn_twenty_is_the_last_and_the_opponents_answer_in_it_still_counts() -> None:
    assert ended(Table(turn=20).play(offer=150_000).play()) == ("timeout", 20, None)
    assert ended(Table(turn=20).play(offer=150_000).play(accept=True)) == ("deal", 20, 1)
    assert ended(Table(turn=20).change_side(1, standing=(1500,)).play(accept=True)) == ("deal", 20, 0)
    table = Table(turn=19).play().play()
    assert table.public.ended is None
    assert table.public.turn == 20


def test_the_learner_moves_twenty_times_whoever_opens() -> None:
    for learner in (True, False):
        chosen = setup(opponent=Profile(temper=-100.0), events=False)
        seed = opened_by(chosen, learner)
        players = {"seller": Script(), "buyer": Script()}
        *_, last = states(replace(chosen, scenario=quiet()), seed, players)
        assert last.public.sides[0].steps == 20
        assert last.public.sides[1].steps == (20 if learner else 21)
        assert last.public.ended is not None


def test_the_seed_draws_who_opens_about_evenly_and_an_opening_is_in_the_first_view() -> None:
    starts = [GAME.start(setup(seat=seat), seed) for seat in SEATS for seed in range(1000)]
    learner_opens = sum(state.public.turn == 1 for state in starts)
    assert 900 < learner_opens < 1100
    for state in starts[:50]:
        learner = state.setup.seat
        if state.public.turn == 0:
            assert GAME.to_move(state) == {SEATS[1 - state.setup.learner]}
            table = Table(quiet()).change(**{f: getattr(state, f) for f in type(state).__struct_fields__})
            table.play(utterance="We start at this.", offer=130_000)
            seen = observation(table.view(learner))
            assert (seen["turn"], seen["opponent_utterance"]) == (1, "We start at this.")
            assert seen["opponent_offer"] == {"price": 130_000}
        else:
            assert GAME.to_move(state) == {learner}


def test_all_six_endings_occur_in_random_play_and_nothing_else_does() -> None:
    found = set()
    for seed in range(120):
        players = random_pair(seed, illegal=0.3 * (seed % 3 == 0))
        if seed % 2:
            players = {seat: RandomLegal(2 * seed + i, ends=0.0) for i, seat in enumerate(SEATS)}
        *_, last = states(setup(persona="shark"), seed, players)
        assert last.public.ended is not None
        found.add(last.public.ended.reason)
    assert found == {"deal", "walk_away", "timeout", "zopa_collapsed", "forfeit"}


# Erosion --------------------------------------------------------------------------------------------------------------

HOT, WARM = 75.01, 75.0
TALK = Move(voiced=True)


def heated(table: Table, *tensions: float) -> list[int]:
    """The ticks after each of these turns, the tension at whose end is set by hand."""
    ticks = []
    for tension in tensions:
        table.play()
        # What the turn will make of it: solve for the tension before it.
        before = table.state
        low, high = -200.0, 300.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            table.change(public=replace(before.public, tension=middle))
            trial = GAME.play(table.state, {table.mover: TALK}).state
            low, high = (middle, high) if trial.public.tension < tension else (low, middle)
        table.change(public=replace(before.public, tension=high)).play(TALK)
        ticks.append(table.public.ticks)
        if table.public.ended is not None:
            break
    return ticks


def test_from_the_third_hot_turn_in_a_row_on_every_hot_turn_is_a_tick() -> None:
    assert heated(Table(), *[HOT] * 6) == [0, 0, 1, 2, 3, 4]


def test_exactly_seventy_five_is_not_hot_and_one_cool_turn_sets_the_streak_to_zero() -> None:
    assert heated(Table(), HOT, HOT, WARM, HOT, HOT, HOT, HOT) == [0, 0, 0, 0, 0, 1, 2]
    assert heated(Table(), *[WARM] * 6) == [0] * 6
    assert heated(Table(), HOT, HOT, HOT, WARM, HOT, HOT, HOT) == [0, 0, 1, 1, 1, 1, 2]


@pytest.mark.parametrize("name", ["saas_enterprise", "hiring_package", "acquisition_term_sheet", "supplier_contract"])
def test_a_tick_tightens_both_limits_by_two_hundredths_of_the_width(name: str) -> None:
    table = Table(quiet(name))
    before = table.state.facts
    heated(table, HOT, HOT, HOT, HOT)
    assert table.public.ticks == 2
    for seat in (0, 1):
        tightened = table.state.facts[seat].limit - before[seat].limit
        assert tightened == pytest.approx(2 * 0.02 * table.terms.delta0[seat], rel=1e-3)
    assert table.state.facts[0].walk_away > before[0].walk_away


def test_a_budget_erodes_with_the_walk_away() -> None:
    table = Table(seller=facts(quiet(), 0, 125_000, budget=130_000))
    heated(table, HOT, HOT, HOT)
    assert (table.state.facts[0].walk_away, table.state.facts[0].budget) == (12_580_000, 13_080_000)


def test_what_remains_is_shown_as_one_less_four_hundredths_a_tick_whatever_the_true_width() -> None:
    shown = set()
    for seller, buyer in ((125_000, 165_000), (100_000, 190_000), (140_000, 149_000)):
        table = Table(seller=seller, buyer=buyer)
        heated(table, *[HOT] * 5)
        seen = observation(table.view("seller"))
        shown.add((seen["zopa_erosion_ticks"], seen["zopa_width_pct_remaining"]))
    assert shown == {(3, 0.88)}


def test_when_erosion_closes_the_zopa_the_episode_ends_without_a_deal() -> None:
    # 1,600 wide; a tick takes 800 from either side: exactly nothing is left after the first, less after the second.
    table = Table(seller=145_000, buyer=146_600)
    assert heated(table, *[HOT] * 6) == [0, 0, 1, 2]
    assert ended(table) == ("zopa_collapsed", 5, None)
    assert table.paid[-1][1]["no_deal"] == -10.0


def test_where_there_was_no_zopa_erosion_does_not_collapse_one() -> None:
    table = Table(seller=150_000, buyer=149_000)
    assert heated(table, *[HOT] * 6) == [0, 0, 1, 2, 3, 4]
    assert table.public.ended is None


def test_erosion_comes_before_the_turn_is_shown_and_binds_both_moves_of_it() -> None:
    table = Table()
    heated(table, HOT, HOT, HOT)
    assert (table.public.turn, table.mover) == (4, "seller")
    assert observation(table.view("seller"))["own"]["limit"] == 125_800
    table.play(offer=125_900)
    assert observation(table.view("buyer"))["own"]["limit"] == 164_200


def test_erosion_leaves_standing_offers_open() -> None:
    table = Table().play(offer=160_000).play(offer=140_000)
    heated(table, HOT, HOT, HOT)
    assert [side.standing for side in table.public.sides] == [table.offer(160_000), table.offer(140_000)]

"""Another move: the same game up to it, and after it what the opponent would have done."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from game.review.actions import action_dict, action_of
from game.review.replay import FIRST_NUMBER, NoReview, replayed
from game.review.what_if import NotAllowed, UnknownMove, what_if
from game.scenarios import scenarios
from parlay_env.actions import move_of
from parlay_env.core import replay
from parlay_env.deal.state import SEATS, Move, Setup
from parlay_env.grader import grade
from parlay_env.models import ParlayAction
from parlay_env.session import GAME, Table
from tests.game.review.games import SECRET, played, setup_of
from tests.world import RandomLegal

ALL = [(name, seat) for name in sorted(scenarios()) for seat in SEATS]


@pytest.mark.parametrize(("name", "seat"), ALL)
def test_the_prefix_is_the_same_and_the_rest_is_a_game(name: str, seat: str) -> None:
    setup = setup_of(name, "veteran", seat)
    table = played(setup, 101, "staller", SECRET, words=True)
    own = replayed(table.log, SECRET).moves_of(seat)
    for one in own[:: max(1, len(own) // 3)]:
        found = what_if(table.log, SECRET, seat, one.number, {"utterance": "Let me think about it."})
        assert found.at == one.at
        assert found.log.head == table.log.head and found.log.entries[: one.at] == table.log.entries[: one.at]
        assert found.log.entries[one.at] != table.log.entries[one.at]
        again = replay(GAME, found.log, SECRET)
        assert again.state == found.last and found.last.public.ended is not None
        assert found.grade == grade(again.state, setup.learner)


def test_the_move_that_was_played_leads_to_the_game_that_was_played() -> None:
    setup = setup_of("saas_enterprise", "shark")
    table = played(setup, 102, "tit_for_tat", SECRET, words=True)
    own = replayed(table.log, SECRET).moves_of("seller")
    for one in own:
        action = action_of(one.move, one.view)
        same = move_of(one.view, action)
        if same != one.move:
            continue  # reports of beliefs are left out of a proposed action
        found = what_if(table.log, SECRET, "seller", one.number, action, "as_played")
        assert found.log == table.log and found.by_planner is None
    last = own[-1]
    ends = what_if(table.log, SECRET, "seller", last.number, {"walk_away": True})
    assert ends.last.public.ended.reason == "walk_away" and ends.by_planner is None
    assert len(ends.log.entries) == last.at + 1


def test_the_planner_does_better_than_the_careless() -> None:
    total, better = 0.0, 0
    for seed in range(110, 116):
        setup = setup_of("saas_enterprise", "diplomat", SEATS[seed % 2])
        table = played(setup, seed, "staller", SECRET)
        found = what_if(table.log, SECRET, setup.seat, FIRST_NUMBER, {"utterance": "Good morning."})
        assert found.by_planner == found.at + 2
        gain = found.grade.reward - table.view(setup.seat).grade.reward
        total, better = total + gain, better + (gain > 0)
    assert total > 100.0 and better >= 4


def test_later_moves_as_they_were_played_while_they_are_allowed() -> None:
    setup = setup_of("hiring_package", "shark")
    table = played(setup, 117, "staller", SECRET)
    own = replayed(table.log, SECRET).moves_of("seller")
    assert len(own) > 5
    found = what_if(table.log, SECRET, "seller", own[1].number, {"utterance": "Let us see."}, "as_played")
    mine = [moves["seller"] for moves in found.log.moves(Move) if "seller" in moves]
    kept = min(len(mine), len(own))
    assert mine[0] == own[0].move and mine[2 : kept - 1] == [one.move for one in own[2 : kept - 1]]


def test_what_can_not_be_played_is_refused() -> None:
    setup = setup_of()
    table = played(setup, 103, "tit_for_tat", SECRET)
    with pytest.raises(NotAllowed) as refused:
        what_if(table.log, SECRET, "seller", FIRST_NUMBER, {"accept_deal": True, "walk_away": True})
    assert refused.value.invalid.code == "one_decision"
    with pytest.raises(ValidationError):
        what_if(table.log, SECRET, "seller", FIRST_NUMBER, {"offer_amount": "much"})
    for number in (FIRST_NUMBER - 1, 99):
        with pytest.raises(UnknownMove):
            what_if(table.log, SECRET, "seller", number, {"walk_away": True})
    people = Table(Setup(setup.scenario, both_graded=True), 5, dict.fromkeys(SEATS))
    people.play(people.mover, Move(voiced=True))
    people.play(people.mover, Move(walk=True))
    with pytest.raises(NoReview):
        what_if(people.log, b"", "seller", FIRST_NUMBER, {"walk_away": True})


def test_a_log_with_other_answers_is_noticed() -> None:
    setup = setup_of()
    table = Table(setup, 5, dict.fromkeys(SEATS))
    while table.state.public.turn < 3:
        table.play(table.mover, Move(voiced=True))
    table.play("seller", Move(walk=True))
    with pytest.raises(NoReview) as found:
        what_if(table.log, b"", "seller", FIRST_NUMBER + 1, {"walk_away": True})
    assert found.value.why == "not_by_policy"


# Actions --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "seat"), ALL)
def test_an_action_says_the_move_that_it_is_of(name: str, seat: str) -> None:
    """`move_of` undoes `action_of`, for any move that is allowed, but for reports and for words that were left out."""
    setup = setup_of(name, "diplomat", seat)
    for seed in range(12):
        player = RandomLegal(seed)
        table = played(setup, seed, player)
        for one in replayed(table.log).moves_of(seat):
            action = ParlayAction.model_validate(action_dict(one.move, one.view))
            made = move_of(one.view, action)
            assert made.refused is None
            for field in ("offer", "accept", "walk", "card", "item", "question", "challenge", "voiced"):
                assert getattr(made, field) == getattr(one.move, field), field
            if one.move.claim is not None:
                assert made.claim.kind == one.move.claim.kind
                assert abs(made.claim.value - one.move.claim.value) <= 50

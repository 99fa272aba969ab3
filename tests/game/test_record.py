"""An episode as people read it: its lines, its faces and its figures say what happened, and to each reader its own."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from agent.face import own_face, reaction
from game.record import Episode, lines, scenario_view, steps_of, trail, width_left, worth_table
from parlay_env.deal.state import SEATS, Move, Public
from parlay_env.deal.terms import CENTS, terms_of, values_of
from parlay_env.deal.value import surplus_of
from tests.world import PERSONAS, SCENARIO_IDS, illegal_move, legal_move, setup

FACES = {"idle", "aggressive", "pleased", "shocked"}


def episode(name: str, persona: str, seat: str, seed: int, moves: int = 30, illegal: float = 0.15) -> Episode:
    """An episode that two people have played so far, at random, now and then against the rules."""
    found, r = Episode(setup(name, persona, seat=seat), seed, dict.fromkeys(SEATS)), random.Random(seed)
    while not found.over and len(found.moves) < moves:
        view = found.view(found.mover)
        found.play(found.mover, illegal_move(view, r) if r.random() < illegal else legal_move(view, r, 0.02))
        found.by.append("player")
    return found


episodes = st.builds(
    episode,
    st.sampled_from(SCENARIO_IDS),
    st.sampled_from(PERSONAS),
    st.sampled_from(SEATS),
    st.integers(0, 10**6),
    st.integers(0, 40),
)


@given(episodes, st.randoms(use_true_random=False))
def test_what_an_offer_is_worth_adds_up_to_the_rules_surplus(found: Episode, r: random.Random) -> None:
    """For any outcome, in every scenario, for both seats, also when limits have moved."""
    terms = terms_of(found.setup.scenario)
    for k, seat in enumerate(SEATS):
        view = found.view(seat)
        table = msgspec.json.decode(msgspec.json.encode(worth_table(view)))
        for _ in range(5):
            offer = tuple(r.randrange(count) for count in terms.counts)
            values, total = values_of(terms, offer), table["constant"]
            for issue in table["issues"]:
                value = values[issue["name"]]
                at = issue.get("values")
                total += issue["worth"][at.index(value)] if at else issue["per_unit"] * value
            real = surplus_of(found.setup.scenario, found.state.public, found.state.facts[k], offer) / CENTS
            assert total == pytest.approx(real, abs=0.02)


@given(episodes)
def test_every_move_has_its_line_and_what_was_not_allowed_is_told_to_its_maker_alone(found: Episode) -> None:
    everything = lines(found, None, found.by)
    assert [line.n for line in everything] == list(range(1, len(found.moves) + 1))
    refused = {line.n for line in everything if line.invalid}
    for seat in SEATS:
        mine = lines(found, seat, found.by)
        assert {line.n for line in mine} == {
            line.n for line in everything if line.n not in refused or line.seat == seat
        }
        for line in mine:
            assert line.by == "player" and line.face in FACES and line.reaction in FACES
            if line.invalid:
                assert line.invalid["message"] and (line.offer, line.card, line.surplus) == (None, None, None)
    states = zip(found.moves, found.path[1:], strict=True)
    assert refused == {
        k for k, (moves, state) in enumerate(states, 1) if state.invalid[SEATS.index(*moves)] is not None
    }


@given(episodes)
def test_a_line_says_the_public_part_of_a_move_and_nothing_else(found: Episode) -> None:
    """What its maker believes, and what it thinks of a headline, is not in it."""
    other = found.fork()
    for k, moves in enumerate(other.moves):
        ((seat, move),) = moves.items()
        other.moves[k] = {seat: replace(move, belief=None, event_impact=None)}
    for reader in (*SEATS, None):
        assert lines(other, reader, other.by) == lines(found, reader, found.by)


@given(episodes)
def test_a_surplus_is_the_readers_and_the_offer_is_everybodys(found: Episode) -> None:
    terms = terms_of(found.setup.scenario)
    seller, buyer, nobody = (lines(found, reader, found.by) for reader in (*SEATS, None))
    for line in nobody:
        assert line.surplus is None
    offers = [[(line.n, line.offer) for line in one if line.offer] for one in (seller, buyer, nobody)]
    assert offers[0] == offers[1] == offers[2]
    for k, mine in enumerate((seller, buyer)):
        for line in mine:
            if line.offer:
                move = found.moves[line.n - 1][line.seat]
                before, after = found.path[line.n - 1], found.path[line.n]
                real = surplus_of(found.setup.scenario, after.public, before.facts[k], move.offer) / CENTS
                assert line.surplus == real and {**values_of(terms, move.offer)} == line.offer


@given(episodes)
def test_the_trail_has_one_point_a_turn_and_each_seat_its_own_side(found: Episode) -> None:
    seller, buyer = trail(found, "seller"), trail(found, "buyer")
    turns = [point.turn for point in seller]
    assert turns == sorted(set(turns)) and turns[0] == 1
    public = found.state.public
    for one, other in zip(seller, buyer, strict=False):  # after the end there is one more where something changed
        assert (one.points, one.credibility) == (other.opponent_points, other.opponent_credibility)
        assert (one.tension, one.turn, one.width) == (other.tension, other.turn, other.width)
    assert seller[-1].tension == round(public.tension, 1) and seller[-1].width == width_left(public)


@given(episodes)
def test_a_tracker_is_fed_with_the_players_own_views_and_moves(found: Episode) -> None:
    for seat in SEATS:
        steps = list(steps_of(found, seat))
        mine = [moves[seat] for moves in found.moves if seat in moves]
        assert [move for _, move in steps][1:] == mine[: len(steps) - 1]
        assert all(view.seat == SEATS.index(seat) for view, _ in steps)
        assert all(view.truth is None and view.books is None for view, _ in steps)
        assert len(steps) == len(mine) + (found.mover == seat)


@given(episodes)
def test_a_fork_is_the_same_and_goes_its_own_way(found: Episode) -> None:
    kept = [msgspec.json.encode(state) for state in found.path], len(found.moves), list(found.by)
    fork = found.fork()
    assert (fork.path, fork.moves, fork.by) == (found.path, found.moves, found.by)
    if not fork.over:
        fork.play(fork.mover, Move(walk=True, utterance="Bye.", voiced=True))
        fork.by.append("player")
        assert len(fork.moves) == len(found.moves) + 1
    assert kept == ([msgspec.json.encode(state) for state in found.path], len(found.moves), list(found.by))


@given(episodes)
def test_a_face_depends_on_the_public_history_alone(found: Episode) -> None:
    """Its arguments are public tables and a move; of the move, what only its maker knows changes nothing."""
    for k, moves in enumerate(found.moves):
        ((seat, move),) = moves.items()
        before, after = found.path[k].public, found.path[k + 1].public
        assert isinstance(before, Public)
        bare = replace(move, belief=None, event_impact=None)
        for face in (own_face, reaction):
            assert face(before, after, SEATS.index(seat), bare) == face(before, after, SEATS.index(seat), move)


def test_a_game_shows_every_face() -> None:
    seen: set[str] = set()
    for seed in range(12):
        for line in lines(episode("saas_enterprise", "shark", "seller", seed, 40), None):
            seen |= {line.face, line.reaction}
    assert seen == FACES


@pytest.mark.parametrize("name", SCENARIO_IDS)
def test_a_scenario_is_shown_with_declared_figures_only(name: str) -> None:
    """The same for every instance: a view of the terms, which know no instance."""
    terms = terms_of(setup(name).scenario)
    view = msgspec.json.decode(msgspec.json.encode(scenario_view(terms)))
    assert view["several"] == (len(view["issues"]) > 1)
    for k, seat in enumerate(SEATS):
        assert view["seats"][seat]["limit"] == terms.scenario.side(k).limit
        assert set(view["seats"][seat]["role"]) == {"en", "zh"}
    for issue in view["issues"]:
        assert issue["low"] < issue["high"] and bool(issue["step"]) != bool(issue["values"])
        assert {issue["better"][seat] for seat in SEATS} == {"higher", "lower"}

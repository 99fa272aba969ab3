"""Rock, paper, scissors and talk: plays stay hidden, errors cost who made them, a limit is its seat's own secret."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.games.registry import entry
from agent.games.rps_talk import Belief, belief_of, best_reply, promised
from parlay_env.core import Viewer, play_episode
from parlay_env.games.messages import TALK_AT_MOST
from parlay_env.games.rps_talk import (
    BEATEN_BY,
    ERROR,
    MESSAGES,
    PLAYS,
    SEATS,
    Move,
    Play,
    RpsTalk,
    Setup,
    State,
    View,
    allowed,
    payoffs,
    points,
)

GAME = RpsTalk()
LIMITED = Setup(no_paper=True)


def illegal(view: View, r: random.Random) -> Move:
    return r.choice(
        [
            Move(),
            Move(talk="x" * (TALK_AT_MOST + 1)),
            Move(talk="hello", play="rock"),
            Move(text="<play>stone</play>"),
            Move(text="<think>no end"),
            *[Move(talk="hello"), Move(play="rock"), Move(play="paper"), Move(think="hm", play="scissors")] * 3,
        ]
    )


def step(state: State, move: Move) -> State:
    (seat,) = GAME.to_move(state)
    return GAME.play(state, {seat: move}).state


def begun(setup: Setup = Setup(), mover: int = 0) -> State:  # noqa: B008
    """A first state in which this seat begins."""
    return next(state for seed in range(50) if (state := GAME.start(setup, seed)).mover == mover)


def seen(state: State, seat: str) -> Any:
    return msgspec.to_builtins(GAME.view(state, Viewer("player", seat)))


def ended(first: Play, second: Play) -> tuple[State, dict[str, dict[str, float]]]:
    state = step(begun(), Move(play=first))
    last = GAME.play(state, {SEATS[1]: Move(play=second)})
    return last.state, {seat: dict(terms) for seat, terms in last.rewards.items()}


def test_a_win_pays_2_a_tie_1_and_a_loss_0() -> None:
    for beaten, winner in BEATEN_BY.items():
        assert ended(winner, beaten)[1] == {"first": {"points": 2.0}, "second": {"points": 0.0}}
        assert ended(beaten, winner)[1] == {"first": {"points": 0.0}, "second": {"points": 2.0}}
        assert ended(beaten, beaten)[1] == {"first": {"points": 1.0}, "second": {"points": 1.0}}


def test_the_seed_draws_who_begins() -> None:
    starts = [GAME.start(Setup(), seed).mover for seed in range(200)]
    assert 60 < sum(starts) < 140


def test_a_play_stays_hidden_until_the_other_has_played() -> None:
    after = [step(begun(), Move(think=f"{play} it is", play=play)) for play in PLAYS]
    views = [seen(state, SEATS[1]) for state in after]
    assert views[0] == views[1] == views[2]
    assert views[0]["played"] == (True, False)
    assert [seen(state, SEATS[0])["own"] for state in after] == list(PLAYS)


def test_thoughts_are_nobody_elses_before_the_end_and_everybodys_after() -> None:
    state = step(begun(), Move(think="MARK", talk="hello"))
    assert "MARK" not in str(seen(state, SEATS[1])) + str(seen(state, SEATS[0])["said"])
    state = step(state, Move(text="<think>TRACE</think><play>rock</play>"))
    assert "TRACE" not in str(seen(state, SEATS[0]))
    state = step(state, Move(play="rock"))
    for seat in SEATS:
        assert [thought["words"] for thought in seen(state, seat)["truth"]["thoughts"]] == ["MARK", "TRACE"]


def test_once_one_has_played_the_other_must_play() -> None:
    state = step(begun(), Move(play="rock"))
    assert not seen(state, SEATS[1])["talks"]
    last = GAME.play(state, {SEATS[1]: Move(talk="wait")})
    assert last.rewards == {"second": {"error": ERROR}, "first": {"void": 0.0}}
    assert last.events[0].data == {"reason": "void"}
    assert seen(last.state, SEATS[1])["invalid"]["code"] == "must_play"


def test_each_may_send_five_messages_and_no_sixth() -> None:
    state = begun()
    for sent in range(2 * MESSAGES):
        assert seen(state, SEATS[sent % 2])["talks"]
        state = step(state, Move(talk=f"message {sent}"))
    assert seen(state, SEATS[0])["left"] == (0, 0)
    assert not seen(state, SEATS[0])["talks"]
    assert GAME.to_move(step(state, Move(play="rock"))) == {SEATS[1]}
    assert GAME.measures(step(state, Move(talk="a sixth")), SEATS[0])["error"] == 1.0


@pytest.mark.parametrize("at", [0, 1])
def test_an_error_costs_who_made_it_and_voids_the_game_for_the_other(at: int) -> None:
    last = GAME.play(begun(mover=at), {SEATS[at]: Move(text="paper!")})
    assert last.rewards == {SEATS[at]: {"error": ERROR}, SEATS[1 - at]: {"void": 0.0}}
    assert not GAME.to_move(last.state)
    assert GAME.measures(last.state, SEATS[1 - at]) == {"void": 1.0}
    own = GAME.measures(last.state, SEATS[at])
    assert (own["error"], own["win"], own["reward"], own["void"]) == (1.0, 0.0, ERROR, 0.0)
    assert "nra" not in own
    assert seen(last.state, SEATS[at])["invalid"]["code"] == "format"
    assert seen(last.state, SEATS[1 - at])["invalid"] is None


def test_measures_are_of_the_two_rewards() -> None:
    won, tied = ended("paper", "rock")[0], ended("rock", "rock")[0]
    assert GAME.measures(won, "first") == {
        "void": 0.0, "error": 0.0, "win": 1.0, "tie": 0.0, "reward": 2.0, "nra": 1.0, "nra_abs": 1.0,
    }  # fmt: skip
    assert GAME.measures(won, "second")["nra"] == -1.0
    assert GAME.measures(tied, "first") | {"win": 0.0, "tie": 1.0, "nra": 0.0} == GAME.measures(tied, "first")


def test_the_limited_seat_is_told_and_may_not_play_paper() -> None:
    state = begun(LIMITED)
    view = seen(state, "first")
    assert view["may"] == ("rock", "scissors")
    assert "may not play paper" in view["rules"]
    last = GAME.play(state, {"first": Move(play="paper")})
    assert last.rewards["first"] == {"error": ERROR}
    other = step(begun(LIMITED, 1), Move(play="paper"))
    assert GAME.to_move(other) == {"first"}


thoughts = st.text(st.characters(exclude_categories=("Cs",)), max_size=5)


@given(st.integers(0, 2**53 - 1), st.data())
def test_the_others_view_holds_nothing_of_the_limit_nor_of_thoughts_and_plays(seed: int, data: st.DataObject) -> None:
    """Two episodes that differ in the limit, and in what the first seat thinks and plays, look the same."""
    plain, limited = GAME.start(Setup(), seed), GAME.start(LIMITED, seed)
    while seats := GAME.to_move(plain):
        assert GAME.to_move(limited) == seats
        assert seen(plain, "second") == seen(limited, "second")
        talk = data.draw(st.sampled_from([None, "I play rock.", "And you?"]))
        if talk is not None and not seen(plain, *seats)["talks"]:
            talk = None
        one = Move(think=data.draw(thoughts), talk=talk, play=None if talk else data.draw(st.sampled_from(PLAYS)))
        two = one
        if "first" in seats:
            play = None if talk else data.draw(st.sampled_from(allowed(LIMITED, "first")))
            two = Move(think=data.draw(thoughts), talk=talk, play=play)
        plain, limited = step(plain, one), step(limited, two)
    assert seen(limited, "second")["truth"]["limited"] == "first"


def test_a_setup_that_can_not_be_played_is_refused() -> None:
    with pytest.raises(ValueError, match="first, second"):
        GAME.start(Setup(limited="third"), 1)


def test_the_payoffs_are_those_of_the_game_and_lack_what_may_not_be_played() -> None:
    first, second = payoffs(Setup())
    for i, row in enumerate(PLAYS):
        for k, column in enumerate(PLAYS):
            rewards = ended(row, column)[1]
            assert (first[i][k], second[i][k]) == (rewards["first"]["points"], rewards["second"]["points"])
    first, second = payoffs(LIMITED)
    assert first == ((1.0, 0.0, 2.0), (0.0, 2.0, 1.0))
    assert all(one + two == 2.0 for rows in zip(first, second, strict=True) for one, two in zip(*rows, strict=True))
    assert allowed(Setup(no_paper=True, limited="second"), "second") == ("rock", "scissors")


def total(first: str, second: str, setup: Setup = Setup(), seeds: int = 60) -> float:  # noqa: B008
    """The mean reward of the first player."""
    who = entry("rps_talk")
    episodes = [
        play_episode(GAME, setup, s, {"first": who.player(first), "second": who.player(second)}) for s in range(seeds)
    ]
    return sum(episode.total("first") for episode in episodes) / seeds


def test_who_believes_beats_who_keeps_a_promise_and_loses_to_who_breaks_it() -> None:
    assert total("naive", "promise_keeper") > 1.5
    assert total("naive", "promise_breaker") < 0.5


def test_who_weighs_a_promise_beats_who_breaks_it_and_loses_to_nobody_who_keeps_it() -> None:
    assert total("best_responder", "promise_breaker") > 1.5
    assert total("best_responder", "promise_keeper") >= 0.9


@pytest.mark.parametrize("name", entry("rps_talk").players)
def test_no_scripted_player_makes_an_error_even_without_paper(name: str) -> None:
    who = entry("rps_talk")
    for seed in range(60):
        for setup in (LIMITED, Setup(no_paper=True, limited="second")):
            players = {seat: who.player(name if seat == setup.limited else "anybody") for seat in SEATS}
            assert GAME.measures(play_episode(GAME, setup, seed, players).state, "first")["error"] == 0.0


def test_a_best_reply_earns_the_most_by_the_payoffs() -> None:
    r = random.Random(1)
    for _ in range(200):
        belief: Belief = {play: r.random() for play in PLAYS}
        own = best_reply(belief, PLAYS)
        worth = [sum(share * points(play, other) for other, share in belief.items()) for play in PLAYS]
        assert worth[PLAYS.index(own)] == max(worth)
    assert sum(belief_of("rock").values()) == pytest.approx(1.0)


def test_a_promise_is_the_last_play_that_the_other_named() -> None:
    state = step(begun(), Move(talk="Not rock. I'll play PAPER, my rocket."))
    assert promised(GAME.view(state, Viewer("player", "second"))) == "paper"
    assert promised(GAME.view(state, Viewer("player", "first"))) is None

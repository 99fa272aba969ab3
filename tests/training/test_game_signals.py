"""ISE, SRP and LO of episodes: right beliefs, wrong ones, and none; from both seats; a limit that nobody is told of."""

from __future__ import annotations

from typing import Any

import pytest

from agent.games.beliefs import Expecting, expected
from agent.games.registry import entry
from agent.games.rps_talk import best_reply
from parlay_env.core import Viewer, play_episode, policy_draws
from parlay_env.games.rps_talk import SEATS, Move, Setup, points
from training.game_signals import FINITE, SMOOTHING, signals_of
from training.games_eval import Result, play_all
from training.signals import SignalError, ise
from training.strategies import Decision

RPS = entry("rps_talk")
GAME = FINITE["rps_talk"]
TELLS = [name for name in RPS.players if isinstance(RPS.player(name), Expecting) and name != "anybody"]


def measured(player: str, partner: str, **setup: Any) -> Result:
    return play_all(RPS, [player], partner, episodes=40, setup=Setup(**setup))[0]


def value(result: Result, name: str) -> float:
    return result.measures[name].value


def test_a_promise_that_is_believed_and_kept_is_all_there_is_to_know() -> None:
    found = measured("naive", "promise_keeper")
    assert [value(found, name) for name in ("ise", "srp", "lo", "regret", "reward")] == [0.0, 1.0, 2.0, 0.0, 2.0]


def test_a_promise_that_is_believed_and_broken_is_acted_on_and_wrong() -> None:
    found = measured("naive", "promise_breaker")
    sure = ise([1, 0, 0], [0, 1, 0], smoothing=SMOOTHING)
    assert value(found, "ise") == pytest.approx(sure)
    assert sure == pytest.approx(-5.64, abs=0.005)
    assert [value(found, name) for name in ("srp", "lo", "regret", "reward")] == [1.0, 2.0, 2.0, 0.0]


def test_nothing_is_to_be_had_from_who_plays_anything() -> None:
    found = measured("best_responder", "random")
    assert value(found, "lo") == pytest.approx(1.0)
    assert value(found, "regret") == pytest.approx(0.0, abs=1e-12)
    assert value(found, "ise") < 0


def test_who_has_no_belief_has_lo_alone() -> None:
    found = measured("promise_keeper", "best_responder").measures
    assert {"lo", "regret"} <= found.keys()
    assert not {"ise", "srp"} & found.keys()
    assert found["lo"].value == 2.0


def test_who_keeps_a_promise_is_answered_by_a_strategy_that_it_could_have_known() -> None:
    """The best responder answers a promise of rock always in one way: all of LO is there for whoever knows it."""
    kept, broken = measured("promise_keeper", "best_responder"), measured("promise_breaker", "naive")
    assert value(kept, "regret") > 0.5
    assert value(broken, "ise") == 0.0
    assert value(broken, "regret") == 0.0


def test_what_may_not_be_played_is_not_there_to_be_had() -> None:
    """Against rock a player without paper has no more than a tie; with it, a win."""
    assert value(measured("naive", "stubborn"), "lo") == 2.0
    assert value(measured("naive", "stubborn", no_paper=True), "lo") == 1.0


def test_a_table_is_a_seats_own() -> None:
    for setup in (Setup(), *(Setup(no_paper=True, limited=seat) for seat in SEATS)):
        for seat in SEATS:
            table = GAME.table(setup, seat)
            assert ("paper" in table.own) == (not setup.no_paper or seat != setup.limited)
            assert table.payoffs.tolist() == [[points(own, other) for other in table.others] for own in table.own]


@pytest.mark.parametrize("name", TELLS)
@pytest.mark.parametrize("setup", [Setup(), Setup(no_paper=True)], ids=str)
def test_who_tells_a_belief_plays_by_it(name: str, setup: Setup) -> None:
    plays = 0
    for seed in range(60):
        mine = SEATS[seed % 2]
        given = RPS.for_learner(setup, mine)
        state, player, other = RPS.game.start(given, seed), RPS.player(name), RPS.player("anybody")
        while seats := RPS.game.to_move(state):
            (seat,) = seats
            view, rng = RPS.game.view(state, Viewer("player", seat)), policy_draws(RPS.game, seed, seat)
            move = (player if seat == mine else other).act(view, rng)
            if seat == mine and move.play is not None:
                belief = expected(player, view, rng)
                assert belief is not None and sum(belief.values()) == pytest.approx(1.0)
                if max(belief.values()) > 0.34:
                    assert move.play == best_reply(belief, view.may)
                    plays += 1
            state = RPS.game.play(state, {seat: move}).state
    assert plays >= 20


def test_a_belief_changes_no_move_and_stands_in_no_state() -> None:
    """The same players without `expects` play the same episodes, to the last byte of the log."""

    class Mute:
        def __init__(self, name: str) -> None:
            self._player = RPS.player(name)

        def act(self, view: Any, rng: Any) -> Any:
            return self._player.act(view, rng)

    for seed in range(20):
        told = {seat: RPS.player("anybody") for seat in SEATS}
        for seat, player in told.items():
            expected(
                player,
                RPS.game.view(RPS.game.start(Setup(), seed), Viewer("player", seat)),
                policy_draws(RPS.game, seed, seat),
            )
        asked = play_episode(RPS.game, Setup(), seed, told)
        mute = play_episode(RPS.game, Setup(), seed, {seat: Mute("anybody") for seat in SEATS})
        assert asked.log is not None and mute.log is not None
        assert asked.log.to_jsonl() == mute.log.to_jsonl()


def signals(own: Move, other: Move, belief: dict[str, float] | None, partner: str | None = None) -> dict[str, float]:
    """Of an episode of these two moves, of the seat that begins; with an error it is over before."""
    state, theirs = RPS.game.start(Setup(), 1), []
    (seat,) = RPS.game.to_move(state)
    for number, move in enumerate((own, other)):
        for mover in RPS.game.to_move(state):
            theirs += [Decision(RPS.game.view(state, Viewer("player", mover)), move)] * number
            state = RPS.game.play(state, {mover: move}).state
    again = None if partner is None else (lambda: RPS.player(partner))
    return signals_of(GAME, state, seat, theirs, belief, again)


def test_beside_a_player_that_cannot_be_tried_out_srp_alone_is_known() -> None:
    rock, scissors = Move(text="<play>rock</play>"), Move(text="<think>hm</think><play>scissors</play>")
    assert signals(rock, scissors, {"scissors": 1.0}) == {"srp": 1.0}
    assert signals(rock, scissors, {"paper": 1.0}) == {"srp": 0.0}
    assert signals(rock, scissors, None) == {}


def test_an_episode_that_was_not_played_out_has_no_signals() -> None:
    for wrong in (Move(text="rock"), Move(talk="rock"), Move()):
        assert signals(wrong, Move(play="rock"), {"rock": 1.0}, "stubborn") == {}
        assert signals(Move(play="rock"), wrong, {"rock": 1.0}, "stubborn") == {}


@pytest.mark.parametrize("belief", [{"rock": 0.5}, {"stone": 1.0}, {"rock": 1.5, "paper": -0.5}])
def test_a_belief_that_is_none_is_told(belief: dict[str, float]) -> None:
    with pytest.raises(SignalError, match="belief"):
        signals(Move(play="rock"), Move(play="rock"), belief, "stubborn")

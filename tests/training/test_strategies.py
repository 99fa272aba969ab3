"""A scripted player's strategy is what its own draws lead to: exactly, and as often as on seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import floor, inf
from typing import Any

import pytest

from agent.games.registry import entry
from parlay_env.core import Viewer
from parlay_env.games.rps_talk import Move, RpsTalk, Setup, State, turn_of
from parlay_env.rng import Draws
from training.strategies import MOST, Decision, Unreckonable, strategy

GAME = RpsTalk()
Does = Callable[[str, Draws], str]


class Doing:
    """A player made of a function of view and draws. A move in capitals is seen by all, another is hidden."""

    def __init__(self, does: Does) -> None:
        self._does = does

    def act(self, view: str, rng: Draws) -> str:
        return self._does(view, rng)


def found(does: Does, *made: tuple[str, str]) -> dict[Any, float]:
    """A function's strategy at the last of these views, after these moves."""
    decisions = [Decision(view, move) for view, move in made]
    return dict(
        strategy(lambda: Doing(does), decisions, lambda move: move if move.isupper() else "", lambda move: move)
    )


def test_a_draw_of_three_is_a_third_each_whichever_was_made() -> None:
    assert found(lambda _, rng: "abc"[rng.integer(0, 2, 1, 40)], ("", "b")) == pytest.approx(
        dict.fromkeys("abc", 1 / 3)
    )


def test_a_unit_draw_is_told_apart_only_where_it_is_compared() -> None:
    def does(_: str, rng: Draws) -> str:
        drawn = rng.unit(1, 40)
        return "a" if drawn < 0.2 else "b" if drawn >= 0.7 else "c" if drawn <= 0.5 else "d" if drawn > 0.1 else "e"

    assert found(does, ("", "a")) == pytest.approx({"a": 0.2, "b": 0.3, "c": 0.3, "d": 0.2})


def test_what_was_said_tells_of_a_draw_that_is_used_again_and_of_none_that_is_not() -> None:
    def keeps(view: str, rng: Draws) -> str:
        word = "ab"[rng.integer(0, 1, 0, 40)]
        return word.upper() if view == "talk" else word

    def forgets(view: str, rng: Draws) -> str:
        word = "ab"[rng.integer(0, 1, 0 if view == "talk" else 1, 40)]
        return word.upper() if view == "talk" else word

    assert found(keeps, ("talk", "B"), ("play", "b")) == {"b": 1.0}
    assert found(forgets, ("talk", "B"), ("play", "b")) == pytest.approx({"a": 0.5, "b": 0.5})


def test_a_kind_that_says_a_thing_more_often_is_the_likelier_one() -> None:
    """Bayes' rule: the first kind says A always, the second one time in four."""

    def does(view: str, rng: Draws) -> str:
        kind = rng.integer(0, 1, 0, 40)
        if view == "talk":
            return "A" if kind == 0 or rng.unit(1, 41) < 0.25 else "B"
        return "xy"[kind]

    assert found(does, ("talk", "A"), ("play", "x")) == pytest.approx({"x": 0.8, "y": 0.2})
    assert found(does, ("talk", "B"), ("play", "y")) == {"y": 1.0}


@pytest.mark.parametrize(
    ("does", "told"),
    [
        (lambda _, rng: str(rng.normal(1, 40)), "normal"),
        (lambda _, rng: str(rng.between(1, 2, 1, 40)), "between"),
        (lambda _, rng: str(rng.integer(0, MOST, 1, 40)), "at most"),
        (lambda _, rng: f"{rng.integer(0, 99, 1, 40)} {rng.integer(0, 200, 2, 40)}", "more than"),
        (lambda _, rng: f"{rng.integer(0, 1, 1, 40)} {rng.integer(0, 3, 1, 40)}", "not independent"),
        (lambda _, rng: "ab"[int(rng.unit(1, 40) * 2)], "above or below"),
        (lambda _, rng: "ab"[int(2 * rng.unit(1, 40))], "above or below"),
        (lambda _, rng: str(1 - rng.unit(1, 40)), "above or below"),
        (lambda _, rng: str(float(rng.unit(1, 40))), "above or below"),
        (lambda _, rng: str(round(rng.unit(1, 40))), "above or below"),
        (lambda _, rng: str(floor(rng.unit(1, 40))), "above or below"),
        (lambda _, rng: "ab"[rng.unit(1, 40) < rng.unit(2, 40)], "above or below"),
        (lambda _, rng: "ab"[rng.unit(1, 40) < inf - inf], "above or below"),
        (lambda _, rng: "ab"[rng.unit(1, 40) >= "x"], "above or below"),
        (lambda _, rng: "ab"[rng.unit(1, 40) == rng.unit(1, 40)], "above or below"),
        (lambda _, rng: "ab"[rng.unit(1, 40) != 0.5], "above or below"),
        (lambda _, rng: "a" if rng.unit(1, 40) else "b", "above or below"),
        (lambda _, rng: {rng.unit(1, 40): "a"}.popitem()[1], "above or below"),
        (lambda _, rng: f"{rng.unit(1, 40)}", "above or below"),
        (lambda _, rng: f"{rng.integer(0, 1, 1, 40)} {rng.unit(1, 40) < 0.5}", "not independent"),
        (lambda _, rng: f"{rng.unit(1, 40) < 0.5} {rng.integer(0, 1, 1, 40)}", "not independent"),
    ],
)
def test_draws_that_cannot_be_tried_out_are_told(does: Does, told: str) -> None:
    with pytest.raises(Unreckonable, match=told):
        found(does, ("", "x"))


def test_moves_that_a_player_never_makes_are_told() -> None:
    with pytest.raises(ValueError, match="no draws"):
        found(lambda *_: "A", ("", "B"))


def talked(setup: Setup, *words: str) -> State:
    """A state after these messages, in turn, then a play of whoever is to move."""
    state = GAME.start(setup, 1)
    for said in words:
        state = GAME.play(state, dict.fromkeys(GAME.to_move(state), Move(talk=said))).state
    return GAME.play(state, dict.fromkeys(GAME.to_move(state), Move(play="rock"))).state


@pytest.mark.parametrize("setup", [Setup(), Setup(no_paper=True), Setup(no_paper=True, limited="second")], ids=str)
@pytest.mark.parametrize("name", entry("rps_talk").players)
def test_a_player_of_the_game_plays_so_on_seeds(name: str, setup: Setup) -> None:
    """Each does at every view what its strategy says, on thousands of keys."""
    who = entry("rps_talk")
    opening = GAME.start(setup, 1)
    (seat,) = GAME.to_move(opening)
    must = (
        talked(setup, "Hello.", "I will play paper.")
        if seat == "first"
        else talked(setup, "Hello.", "I may play rock.")
    )
    for state in (talked(setup, "Hello."), must):
        (seat,) = GAME.to_move(state)
        view = GAME.view(state, Viewer("player", seat))
        played = [who.player(name).act(view, Draws(key * 2**20 + 1)).play for key in range(2000)]
        told = strategy(lambda: who.player(name), [Decision(view, Move(play="rock"))], _seen, lambda move: move.play)
        for play, count in Counter(played).items():
            assert count / 2000 == pytest.approx(told[play], abs=0.04)
        assert set(played) == set(told)


def _seen(move: Move) -> Any:
    return turn_of(move).talk  # type: ignore[union-attr]

"""What comes of moves that are not allowed, by one rule in all games: each seat's are counted; one too many makes the
episode void, which is told in the same two measures everywhere."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from agent.games.registry import entry, games
from parlay_env.core import Seat, Step, Viewer, play_episode
from parlay_env.games.interface import TRIES, VOID, Refusal, blame, counted, gave_out
from parlay_env.games.rps_talk import ERRORS

from .pairs import allowed, not_allowed

PAGE = Path(__file__).resolve().parents[2] / "docs" / "games.md"
NUMBERS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
MOST = {name: ERRORS if name == "rps_talk" else TRIES for name in games()}
TOGETHER = ("undercover", "levers", "teamwork", "commons")
"""Games in which several move at the same time."""
SEATED = [
    pytest.param(name, seat, id=f"{name}-{seat}")
    for name, one in games().items()
    for seat in one.game.seated(one.game.setup_type())
]


def wronged(name: str, times: Mapping[Seat, int], seed: int = 3) -> Step:
    """The step with which each of these seats has made so many moves that are not allowed, as soon as it could; all
    other moves are allowed."""
    one, left, r = entry(name), dict(times), random.Random(seed)
    step = Step(one.game.start(one.game.setup_type(), seed), {})
    while any(left.values()):
        moves = {}
        for seat in one.game.to_move(step.state):
            wrong = left.get(seat, 0) > 0
            moves[seat] = (not_allowed if wrong else allowed)(one, step.state, seat, r)
            left[seat] = left.get(seat, 0) - wrong
        step = one.game.play(step.state, moves)
    return step


def ended(name: str, state: Any) -> str | None:
    return entry(name).game.view(state, Viewer("observer")).ended


@pytest.mark.parametrize(("name", "seat"), SEATED)
def test_a_seats_last_try_makes_the_episode_void_and_not_the_one_before(name: str, seat: Seat) -> None:
    game = entry(name).game
    before = wronged(name, {seat: MOST[name] - 1})
    assert game.to_move(before.state)
    last = wronged(name, {seat: MOST[name]})
    assert not game.to_move(last.state)
    assert ended(name, last.state) == VOID
    assert set(last.rewards) == set(game.seated(game.setup_type()))
    for one in game.seated(game.setup_type()):
        found = game.measures(last.state, one)
        if one == seat:
            assert (found["void"], found["error"]) == (0.0, 1.0)
            assert len(found) > 2
        else:
            assert found == {"void": 1.0}


@pytest.mark.parametrize("name", [name for name in games() if name != "rps_talk"])
def test_the_tries_of_one_seat_are_not_anothers(name: str) -> None:
    game = entry(name).game
    last = wronged(name, dict.fromkeys(game.seated(game.setup_type()), TRIES - 1))
    assert game.to_move(last.state)
    assert last.state.tries == (TRIES - 1,) * len(game.seated(game.setup_type()))


@pytest.mark.parametrize("name", TOGETHER)
def test_who_makes_an_episode_void_together_has_made_an_error_each(name: str) -> None:
    game = entry(name).game
    first, second, *others = game.seated(game.setup_type())
    state = wronged(name, {first: TRIES, second: TRIES}).state
    assert not game.to_move(state)
    assert [game.measures(state, seat)["error"] for seat in (first, second)] == [1.0, 1.0]
    assert all(game.measures(state, seat) == {"void": 1.0} for seat in others)


@pytest.mark.parametrize("name", games())
def test_an_episode_without_such_moves_is_neither_void_nor_an_error_for_anybody(name: str) -> None:
    one = entry(name)
    setup = one.game.setup_type()
    for seed in range(10):
        state = play_episode(one.game, setup, seed, {seat: one.player("random") for seat in one.game.seats}).state
        for seat in one.game.seated(setup):
            found = one.game.measures(state, seat)
            assert (found["void"], found["error"]) == (0.0, 0.0)


@pytest.mark.parametrize("name", games())
def test_the_rules_tell_how_many_such_moves_a_player_has(name: str) -> None:
    rules = games()[name].game.rules
    numbered = rf"\b({'|'.join(NUMBERS)}) (?:move that is not allowed|one of a player)"
    found = re.findall(numbered, rules), "A move that is not allowed ends the game at once" in rules
    assert found == (([], True) if MOST[name] == 1 else ([NUMBERS[MOST[name] - 1]], False))


@pytest.mark.parametrize("name", games())
def test_no_game_has_the_number_of_tries_in_its_own_words(name: str) -> None:
    """It stands in `interface.TRIES` alone, so that the rules change with it."""
    told = Path(import_module(type(entry(name).game).__module__).__file__ or "").read_text("utf-8")
    assert not re.search(rf"\b({'|'.join(NUMBERS[1:])}|\d+th|{TRIES})\b[^.]{{0,40}}(not allowed|refused)", told)


def test_the_games_page_tells_the_same_number() -> None:
    page = " ".join(PAGE.read_text("utf-8").split())
    assert f"with the {NUMBERS[TRIES - 1]} of one seat the episode is void" in page
    assert f"one of {TRIES} tries elsewhere" in page


@pytest.mark.parametrize(
    ("tries", "refused", "after", "wrong"),
    [
        ((0, 0), (None, None), (0, 0), ()),
        ((7, 7), (Refusal("a", "b"), None), (8, 7), ("a",)),
        ((7, 7), (Refusal("a", "b"), Refusal("a", "b")), (8, 8), ("a", "b")),
    ],
)
def test_refused_moves_are_counted_by_seat(
    tries: Sequence[int], refused: Sequence[Refusal | None], after: Sequence[int], wrong: Sequence[Seat]
) -> None:
    assert counted(tries, refused) == after
    assert gave_out(after, ("a", "b")) == wrong
    assert blame("a", wrong) == {"void": 0.0, "error": float(bool(wrong))}

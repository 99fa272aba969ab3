"""Nothing leaks, in any game and to any seat: two episodes that differ only in what is hidden from a seat look the same
to it, and pay it the same, until something tells the difference.

Each way in which episodes can differ unseen is a function in `hidden.py`. `HIDDEN` names what of a state is hidden from
somebody, `DRAWN` what of that is drawn. Both are tested: the fields that are named, and no others, differ unseen, and
each would be noticed if it were shown.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
import pytest

from agent.games.registry import Entry, games
from parlay_env.core import Seat, Viewer
from parlay_env.game_session import BadMove, GameOptions, GameSession
from parlay_env.rng import Draws, Keys

from .hidden import SECRETS
from .pairs import Pair, Seen, coded, hidden_changed, keys_of, started

REFUSED = ("refused", "tries")
HIDDEN: Mapping[str, frozenset[str]] = {
    "rps_talk": frozenset(("keys", "setup", "plays", "thoughts")),
    "bertrand": frozenset(("keys", "prices", "thoughts", *REFUSED)),
    "size_price": frozenset(("keys", "setup", "value", "cost", "thoughts", *REFUSED)),
    "undercover": frozenset(
        ("keys", "setup", "document", "spy", "first", "summaries", "ballots", *REFUSED),
    ),
    "levers": frozenset(("keys", *REFUSED)),
    "signalling": frozenset(("keys", *REFUSED)),
    "teamwork": frozenset(("keys", "worked", *REFUSED)),
    "commons": frozenset(("keys", *REFUSED)),
}
"""What of a state some seat can't see before the end. In levers and in the commons that is only who was refused, in a
call of which nothing was played, and the keys, which nothing is drawn from."""
OWN: Mapping[Seat, str] = {"buyer": "value", "seller": "cost"}
"""What is hidden from the other seats alone."""
DRAWN: Mapping[str, str] = {
    "size_price": "the worths",
    "undercover": "the spy and the gap",
    "signalling": "the states",
    "teamwork": "the noise",
}
"""What is drawn and hidden; the other games draw nothing that anybody is not told at once."""
UNSEEDED = ("levers", "commons")
"""Games of which the seed says nothing at all: it feeds the players alone."""
REPEATS = 15

CASES = [
    pytest.param(game_id, name, seat, id=f"{game_id}-{name}-{seat}")
    for game_id, secrets in SECRETS.items()
    for name in secrets
    for seat in games()[game_id].game.seats
]


@cache
def differed(game_id: str, name: str, seat: Seat) -> frozenset[str]:
    """The fields of the state that were not alike while this seat saw no difference, in pairs that were played until
    they told it one."""
    found = set[str]()
    for pair in pairs(game_id, name, seat):
        assert pair.told
        found |= pair.differed
    return frozenset(found)


def pairs(game_id: str, name: str, seat: Seat) -> list[Pair]:
    return [SECRETS[game_id][name](seat, random.Random(f"{name} {seat} {n}")) for n in range(REPEATS)]


@pytest.mark.parametrize(("game_id", "name", "seat"), CASES)
def test_what_is_hidden_from_a_seat_changes_nothing_for_it_until_it_is_told(
    game_id: str, name: str, seat: Seat
) -> None:
    assert differed(game_id, name, seat) <= HIDDEN[game_id]


@pytest.mark.parametrize(
    ("game_id", "seat"), [(game_id, seat) for game_id, one in games().items() for seat in one.game.seats]
)
def test_all_that_is_declared_hidden_differs_unseen_by_every_seat_and_nothing_else(game_id: str, seat: Seat) -> None:
    found = frozenset[str]().union(*(differed(game_id, name, seat) for name in SECRETS[game_id]))
    assert found == HIDDEN[game_id] - {OWN.get(seat)}


def _all_pairs(game_id: str) -> None:
    for name in SECRETS[game_id]:
        for seat in games()[game_id].game.seats:
            pairs(game_id, name, seat)


LEAKS = [pytest.param(game_id, name, id=f"{game_id}-{name}") for game_id in HIDDEN for name in sorted(HIDDEN[game_id])]


@pytest.mark.parametrize(("game_id", "name"), LEAKS)
def test_if_what_is_declared_hidden_were_shown_a_seat_would_see_a_difference(
    game_id: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen in the views alone that must be alike: the pairs go on to where they would tell, and tell nothing."""
    _leak(game_id, [name], monkeypatch)
    with pytest.raises(Seen):
        _all_pairs(game_id)


@pytest.mark.parametrize("game_id", games())
def test_if_what_is_not_declared_hidden_were_shown_no_seat_would_see_a_difference(
    game_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the test above fails for what somebody wrongly declares."""
    known = [name for name in games()[game_id].game.state_type.__struct_fields__ if name not in HIDDEN[game_id]]
    _leak(game_id, known, monkeypatch)
    _all_pairs(game_id)


def _leak(game_id: str, names: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Show these fields of the state in a field of its own of every view, and play the pairs only until they'd tell."""
    kind = type(games()[game_id].game)
    view, known = kind.view, kind.view_type.__struct_fields__
    shown = msgspec.defstruct("Shown", [("leak", bytes)], bases=(kind.view_type,), frozen=True, kw_only=True)

    def leaks(game: Any, state: Any, viewer: Viewer) -> Any:
        seen = view(game, state, viewer)
        return shown(*(getattr(seen, field) for field in known), leak=coded([getattr(state, name) for name in names]))

    monkeypatch.setattr(kind, "view", leaks)
    monkeypatch.setattr(kind, "view_type", shown)
    monkeypatch.setattr(Pair, "tell", lambda *_, **__: None)


def test_every_game_says_what_it_hides() -> None:
    assert [*SECRETS] == [*HIDDEN] == [*games()]
    assert {*DRAWN, *UNSEEDED} <= {*games()}


def _told(game_id: str, keys: Keys, moves: list[Mapping[Seat, Any]]) -> bytes:
    """All that anybody, an observer too, is shown and paid in an episode in which these moves are made."""
    game = games()[game_id].game
    state, told = started(game, game.setup_type(), keys), []
    viewers = [Viewer("observer"), *(Viewer("player", seat) for seat in game.seats)]
    for call in [*moves, None]:
        told += [game.view(state, viewer) for viewer in viewers]
        if call is not None:
            step = game.play(state, call)
            told += [step.rewards, step.events]
            state = step.state
    return coded(told)


def _played(game_id: str, keys: Keys, seed: int) -> list[Mapping[Seat, Any]]:
    """The moves of an episode of players at random."""
    one = games()[game_id]
    state, calls = started(one.game, one.game.setup_type(), keys), []
    r = random.Random(seed)
    while seats := one.game.to_move(state):
        players = {seat: one.player("random") for seat in sorted(seats)}
        from_keys = {seat: keys_of(r).policy[0] for seat in players}
        views = {seat: one.game.view(state, Viewer("player", seat)) for seat in players}
        calls.append({seat: player.act(views[seat], Draws(from_keys[seat])) for seat, player in players.items()})
        state = one.game.play(state, calls[-1]).state
    return calls


@pytest.mark.parametrize("game_id", games())
def test_a_game_with_nothing_drawn_in_secret_is_the_same_for_all_under_other_keys(game_id: str) -> None:
    """An observer sees everything: what it is shown differs where something hidden is drawn, and nowhere else."""
    r = random.Random(7)
    found = set[bool]()
    for seed in range(10):
        keys, other = keys_of(r), keys_of(r)
        if game_id not in UNSEEDED:
            other = hidden_changed(keys, other, None)
        moves = _played(game_id, keys, seed)
        found.add(_told(game_id, keys, moves) == _told(game_id, other, moves))
    assert found == {game_id not in DRAWN}


@pytest.mark.parametrize(("game_id", "name", "seat"), CASES)
def test_the_errors_of_what_is_no_move_tell_nothing_of_what_is_hidden(
    game_id: str, name: str, seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session tells the same of it in both episodes, and has played nothing. `tell` would end them."""
    monkeypatch.setattr(Pair, "tell", lambda *_, **__: None)
    one = games()[game_id]
    fields = one.game.move_type.__struct_fields__
    for pair in pairs(game_id, name, seat)[:3]:
        assert pair.one != pair.two
        for data, start in [*(({field: [{}]}, f"{field}: ") for field in fields), ({"no_such": 1}, ""), ([1], "")]:
            errors = [_error(one, state, seat, data) for state in (pair.one, pair.two)]
            assert errors[0] == errors[1]
            assert errors[0].startswith(start)


def _error(one: Entry, state: Any, seat: Seat, data: Any) -> str:
    """What a client in this seat is told of data that is no move, where the episode has come to this state."""
    session = GameSession(one, GameOptions(seed=1))
    session.seat, session.state_now = seat, state
    with pytest.raises(BadMove) as caught:
        session.step(data)
    assert session.state_now is state
    return f"{caught.value}"

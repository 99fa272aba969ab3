"""Over the real socket, too: two episodes that differ in what is hidden from the client's seat have the same answers,
byte for byte, until something tells the difference."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

import pytest

from agent.games.registry import Entry, games
from game.texts import texts
from parlay_env import server as serving
from parlay_env.core import Policy
from parlay_env.doors import game_socket
from parlay_env.game_session import GameSession
from parlay_env.games import bertrand, commons, levers, rps_talk, signalling, size_price, teamwork, undercover
from parlay_env.rng import Draws

from .support import Served, served

SECRET_SEEDS = 200
"""From how many seeds a pair is chosen."""


class Puppet:
    """Does what it was told to, whatever it knows."""

    def __init__(self, moves: Callable[[Any], Any]) -> None:
        self.moves = moves

    def act(self, view: Any, rng: Draws) -> Any:
        return self.moves(view)


def _summary_or_vote(vote: str | None) -> Callable[[Any], Any]:
    def move(view: Any) -> undercover.Move:
        if view.phase == "write":
            return undercover.Move(summary=f"It is told by {view.seat}.")
        return undercover.Move(vote=None if vote == view.seat else vote)

    return move


@dataclass(frozen=True)
class Hidden:
    """A game in which the client sits in `seat`. `puppets`: how the others move, in the one episode and in the other;
    `moves`: what the client does with what it sees; `refused`: a move that is refused and changes nothing else; `fits`:
    are these first states alike in all that the client sees, and not in what is hidden?"""

    seat: str
    puppets: tuple[Callable[[Any], Any], Callable[[Any], Any]]
    moves: Callable[[dict[str, Any]], dict[str, Any]]
    refused: dict[str, Any] | None
    fits: Callable[[Any, Any], bool] = lambda one, two: one.keys != two.keys
    setup: Mapping[str, Any] = field(default_factory=dict[str, Any])


CASES: Mapping[str, Hidden] = {
    "rps_talk": Hidden(
        "first",
        (lambda _: rps_talk.Move(think="one", play="rock"), lambda _: rps_talk.Move(think="two", play="scissors")),
        lambda seen: {"talk": "Rock?"} if seen["talks"] and not seen["said"] else {"play": "rock"},
        None,
        lambda one, two: one.mover == two.mover == 1,
    ),
    "bertrand": Hidden(
        "first",
        (lambda _: bertrand.Move(think="one", play=300), lambda _: bertrand.Move(think="two", play=301)),
        lambda _: {"play": 299},
        {"play": -1},
        lambda one, two: one.began == two.began == 1,
        {"product": 7},
    ),
    "size_price": Hidden(
        "buyer",
        (
            lambda _: size_price.Move(think="one", play=size_price.Offer(2, 60)),
            lambda _: size_price.Move(think="two", play=size_price.Offer(2, 60)),
        ),
        lambda seen: {"play": "accept"} if seen["turns_left"] < 4 else {"play": {"units": 3, "price": 20}},
        {"talk": "no"},
        lambda one, two: one.began == two.began and one.cost != two.cost,
        {"value": 100},
    ),
    "undercover": Hidden(
        "player_2",
        (_summary_or_vote("player_1"), _summary_or_vote(None)),
        lambda seen: {"summary": "It is a place."} if seen["phase"] == "write" else {"vote": "player_3"},
        {"vote": "player_2"},
        lambda one, two: 1 not in (one.spy, two.spy) and one.spy != two.spy,
        {"document": texts()[0]},
    ),
    "levers": Hidden(
        "first", (lambda _: levers.Move(3), lambda _: levers.Move(4)), lambda _: {"lever": 3}, {"lever": 10}
    ),
    "signalling": Hidden(
        "receiver",
        (lambda _: signalling.Move(5), lambda _: signalling.Move(5)),
        lambda _: {"sign": 2},
        {"sign": 8},
        lambda one, two: signalling.drawn_state(one.keys, 0) != signalling.drawn_state(two.keys, 0),
        {"rounds": 3},
    ),
    "teamwork": Hidden(
        "agent_2",
        (
            lambda view: teamwork.Move(int(view.seat == "agent_1")),
            lambda view: teamwork.Move(int(view.seat == "agent_3")),
        ),
        lambda _: {"work": 1},
        {"work": 2},
        setup={"noise": 0.0, "rounds": 4},
    ),
    "commons": Hidden(
        "fisher_3",
        (
            lambda view: commons.Move(8 if view.month < 3 else 100),
            lambda view: commons.Move(8 if view.month < 3 else 90),
        ),
        lambda _: {"catch_t": 8},
        {"catch_t": -1},
    ),
}


@pytest.fixture
def pulled(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Served, list[int]]]:
    """A server whose games have the puppets for players, and the seeds that it will draw."""
    seeds = list[int]()
    listed = {
        name: Entry(one.game, dict(zip(("one", "two"), map(_player, CASES[name].puppets), strict=True)), one.learner)
        for name, one in games().items()
    }
    monkeypatch.setattr(serving, "games", lambda _: listed)
    monkeypatch.setattr(game_socket, "GameSession", partial(GameSession, seed_source=lambda _: seeds.pop(0)))
    with served() as server:
        yield server, seeds


def _player(moves: Callable[[Any], Any]) -> Callable[[], Policy]:
    return lambda: Puppet(moves)


def _seeds(name: str) -> tuple[int, int]:
    game, case = games()[name].game, CASES[name]
    setup = game.setup_type(**case.setup)
    for one in range(SECRET_SEEDS):
        for two in range(one):
            if case.fits(game.start(setup, one), game.start(setup, two)):
                return one, two
    raise AssertionError("no seeds fit")


async def _answers(server: Served, name: str, partner: str) -> list[str]:
    """Every answer of an episode, as it came: each view is asked for twice, with a move that is none and one that is
    refused between."""
    case, found = CASES[name], list[str]()
    async with server.socket(f"/games/{name}/ws") as ws:

        async def ask(kind: str, **data: Any) -> dict[str, Any]:
            await ws.send(json.dumps({"type": kind} | data))
            found.append(await ws.recv())  # type: ignore[arg-type]
            return json.loads(found[-1])

        options = {"episode_id": "same", "seat": case.seat, "partner": partner, "setup": case.setup, "prompt": True}
        reply = await ask("reset", data=options)
        for turn in count():
            await ask("state")
            if reply["data"]["done"]:
                return found
            await ask("step", data={"no_such": 1})
            if case.refused is not None and turn < 2:
                reply = await ask("step", data=case.refused)
                assert reply["data"]["observation"]["invalid"] is not None
                await ask("state")
            reply = await ask("step", data=case.moves(reply["data"]["observation"]))
    raise AssertionError


@pytest.mark.parametrize("name", games())
async def test_answers_are_the_same_byte_for_byte_until_what_was_hidden_is_told(
    pulled: tuple[Served, list[int]], name: str
) -> None:
    server, seeds = pulled
    seeds += _seeds(name)
    one, two = [await _answers(server, name, partner) for partner in ("one", "two")]
    first = next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), None)
    assert first is not None, "the pair proves nothing"
    before, after = (json.loads(one[i])["data"] for i in (first - 1, first))
    assert first >= 3
    assert before.get("truth") is None
    told = after.get("observation", {})
    assert told.get("truth") is not None or told.get("past")

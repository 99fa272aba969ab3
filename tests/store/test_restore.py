"""A game in memory is a cache of its log: restored at any move it is the game that it was, and goes on like it."""

from __future__ import annotations

import random

import pytest

from game.house import House
from game.live import Live, restored
from game.record import Episode
from game.store import games
from game.store.database import Database
from parlay_env.actions import move_of
from parlay_env.deal.state import SEATS
from parlay_env.models import ParlayAction
from tests.world import PERSONAS, SCENARIO_IDS

from .support import new_player, observed, picture, plan, random_action


@pytest.fixture(params=["sqlite"])
def store_url(request: pytest.FixtureRequest, databases: dict[str, str]) -> str:
    """One kind is enough: what is restored is the same rows."""
    return databases[request.param]


def remembered(live: Live) -> tuple[object, ...]:
    """What a game in memory holds, but for its row."""
    return picture(live)[:-1]


@pytest.mark.parametrize("persona", PERSONAS)
@pytest.mark.parametrize("name", SCENARIO_IDS)
async def test_a_restored_game_is_the_live_one_at_every_move(
    house: House, database: Database, name: str, persona: str
) -> None:
    player = await new_player(database)
    for seat in SEATS:
        r = random.Random(f"{name} {persona} {seat}")
        live = await house.start(plan(name, persona, seat), player, seat)
        at: list[tuple[int, tuple[object, ...], ParlayAction | None]] = []
        while not live.episode.over and live.number(seat) < 14:
            action = ParlayAction(**random_action(observed(live, seat), r, 0.01))
            at.append((live.stored, remembered(live), action))
            live = await house.move(live.row.id, seat, live.number(seat), action)
        at.append((live.stored, remembered(live), None))
        async with database.read() as conn:
            lines = await games.lines_after(conn, live.row.id, 0)
        for k, (stored, seen, action) in enumerate(at):
            again = restored(live.row, lines[:stored])
            assert remembered(again) == seen
            if action is not None:  # and its opponent goes on as if nothing had been
                again.episode.play(seat, move_of(again.episode.view(seat), action))
                assert again.episode.state == episode_at(live, at[k + 1][0]).state


def episode_at(live: Live, moves: int) -> Episode:
    """The episode after so many moves, replayed without anybody who decides."""
    setup, history = live.episode.setup, live.episode.moves[:moves]
    return Episode(setup, live.log.seed, dict.fromkeys(SEATS), live.row.secret, history)

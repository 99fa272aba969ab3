"""What a player may think of its opponent is worked out in a second process, from its own views alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from dashboard.thinker import Process, Thinker
from tests.doors.support import Troubles
from tests.store.support import emptied

from .support import Json, World, stream, world_at


@pytest.fixture
async def thinking(databases: dict[str, str]) -> AsyncIterator[World]:
    """An application with its real thinker."""
    async with world_at(databases["sqlite"], Thinker()) as found:
        await emptied(found.desk.house.database)
        yield found


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_estimates_come_by_themselves_and_are_the_same_in_every_worker(
    thinking: World, databases: dict[str, str]
) -> None:
    """The kernels are compiled at their first use on a machine: that takes a minute or two."""
    ada = await thinking.player()
    game = await ada.start(persona="shark")
    assert (len(game["estimates"]), game["estimating"]) == (1, "prior")

    async def ready(world: World, game: Json) -> Json:
        browser = world.browser()
        browser.http.cookies = ada.http.cookies
        async with stream(browser, f"/api/games/{game['id']}/events") as events:
            while (found := (await events.game(500.0))["data"])["estimating"] != "ready":
                pass
        return found

    for _ in range(3):
        if game["status"] == "over":
            break
        game = await ready(thinking, await ada.move(game))
        mine = [line for line in game["lines"] if line["seat"] == "seller"]
        assert len(game["estimates"]) >= len(mine)
    async with world_at(databases["sqlite"], Thinker()) as other:
        assert (await ready(other, game))["estimates"] == game["estimates"]


async def test_where_there_are_no_estimates_the_game_goes_on_and_says_so(here: World, no_trouble: object) -> None:
    from game.estimates import Unavailable

    class Lost:
        async def estimates(self, *_: object) -> list[Json]:
            raise Unavailable

        def stop(self) -> None:
            """It has nothing to end."""

    here.desk.thinker = Lost()  # type: ignore[assignment]
    ada = await here.player()
    game = await ada.move(await ada.start())
    await asyncio.sleep(0)
    game = await ada.look(game)
    assert game["estimating"] == "unavailable"
    assert len(game["estimates"]) == 1 and game["estimates"][0]["source"] == "prior"
    assert (await ada.move(game))["number"] == game["number"] + 1
    no_trouble.found.clear()  # type: ignore[attr-defined] # an operator is told


async def test_a_review_that_fails_says_so_and_is_not_begun_again(here: World, no_trouble: Troubles) -> None:
    begun: list[str] = []

    class Broken(Process):
        async def run(self, work: Callable[..., object], *_: object) -> Any:
            begun.append(work.__name__)
            raise IndexError("a fault of ours")

    here.desk.reviewer = Broken()
    ada = await here.player()
    game = await ada.move(await ada.start(), walk_away=True)
    found = []
    for _ in range(3):
        found.append((await ada.get(f"/api/games/{game['id']}/debrief"))["review"]["status"])
        await asyncio.sleep(0.05)
    assert found == ["working", "failed", "failed"]
    assert begun == ["_review"]
    no_trouble.found.clear()  # an operator is told

"""An event stream tells all that may be seen, whenever it has changed, to each reader at its own pace."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from dashboard import live
from game.store.database import StoreUnavailable

from .support import Browser, World, code_of, stream, world_at


async def test_the_first_event_is_the_game_as_it_is(world: World, ada: Browser) -> None:
    game = await ada.move(await ada.start())
    async with stream(ada, f"/api/games/{game['id']}/events") as events:
        assert (await events.next())["retry"] == "1000"
        first = await events.game()
        assert events.status == 200
        assert first["data"] == await ada.look(game)
        assert first["id"]


async def test_a_move_reaches_every_stream_of_its_player(world: World, ada: Browser) -> None:
    game = await ada.start()
    path = f"/api/games/{game['id']}/events"
    async with stream(ada, path) as one, stream(ada, path) as two:
        for events in (one, two):
            await events.game()
        for _ in range(3):
            game = await ada.move(game)
            for events in (one, two):
                assert (await events.game())["data"] == game


async def test_whoever_comes_back_unchanged_gets_nothing_twice(world: World, ada: Browser) -> None:
    game = await ada.start()
    path = f"/api/games/{game['id']}/events"
    async with stream(ada, path) as events:
        first = await events.game()
    async with stream(ada, path, last_event_id=first["id"]) as events:
        assert (await events.next())["retry"]
        assert await events.quiet()
        await ada.move(game)
        assert (await events.game())["id"] != first["id"]


async def test_whoever_was_away_gets_the_game_as_it_is_now(world: World, ada: Browser) -> None:
    game = await ada.start()
    path = f"/api/games/{game['id']}/events"
    async with stream(ada, path) as events:
        first = await events.game()
    for _ in range(3):
        game = await ada.move(game)
    for last in (first["id"], "nonsense", ""):
        async with stream(ada, path, last_event_id=last) as events:
            assert (await events.game())["data"] == game


async def test_a_quiet_stream_says_that_it_is_still_there(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "QUIET_SECONDS", 0.02)
    ada = await here.player()
    async with stream(ada, f"/api/games/{(await ada.start())['id']}/events") as events:
        await events.game()
        for _ in range(3):
            assert await events.next() == {"comment": "still here"}


async def test_a_reader_that_is_slow_gets_the_newest_and_nothing_queues(here: World) -> None:
    """While it does not read, nothing is made for it; when it reads on, it skips what is outdated."""
    ada = await here.player()
    game = await ada.start()
    async with stream(ada, f"/api/games/{game['id']}/events") as events:
        await events.game()
        passed = events.passed
        for k in range(10):
            if game["status"] == "over":
                break
            game = await ada.move(game, utterance=f"Word {k}.")
        assert events.passed - passed <= 2  # one that waits at the client, and one at the door
        found = [(await events.game())["data"]]
        while found[-1] != game:
            found.append((await events.game())["data"])
        assert len(found) <= 3
        assert await events.quiet()


async def test_a_reader_that_never_reads_is_cut_off(databases: dict[str, str]) -> None:
    from .support import world_at

    async with world_at(databases["sqlite"], write_seconds=0.05) as world:
        ada = await world.player()
        game = await ada.start()
        async with stream(ada, f"/api/games/{game['id']}/events") as events:
            await events.game()
            for _ in range(4):
                game = await ada.move(game)
                await asyncio.sleep(0.01)
            await asyncio.wait_for(asyncio.shield(events.task), 5)
            assert world.desk._present == {}


@pytest.mark.parametrize("how", ["game", "all games", "player"])
async def test_a_stream_of_a_deleted_game_says_so_and_ends(world: World, ada: Browser, how: str) -> None:
    game = await ada.start()
    path = {"game": f"/api/games/{game['id']}", "all games": "/api/me/games", "player": "/api/me"}[how]
    async with stream(ada, f"/api/games/{game['id']}/events") as events:
        await events.game()
        await ada.post(path, None, "DELETE")
        found = await events.next()
        assert (found["event"], found["data"]) == ("gone", {})
        assert await events.next() == {}
    reply = await ada.ask("GET", f"/api/games/{game['id']}")
    assert reply.status_code == (401 if how == "player" else 404)


async def test_a_client_that_goes_leaves_nothing_behind(here: World) -> None:
    ada = await here.player()
    game = await ada.start()
    for _ in range(5):
        async with stream(ada, f"/api/games/{game['id']}/events") as events:
            await events.game()
            assert here.desk.changes.watched(game["id"])
    assert not here.desk.changes.watched(game["id"])
    assert here.desk._present == {}


async def test_a_stream_outlives_a_store_that_is_away_for_a_while(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = await here.player()
    game = await ada.start()
    monkeypatch.setattr(live, "AWAY_SECONDS", 0.02, raising=False)

    async def away(_: str) -> Any:
        raise StoreUnavailable("it is away")

    async with stream(ada, f"/api/games/{game['id']}/events") as events:
        await events.game()
        with monkeypatch.context() as patch:
            patch.setattr(here.desk.house, "peek", away)
            here.desk.changes.wake(game["id"])
            assert "comment" in await events.next()
        game = await ada.move(game)
        assert (await events.game())["data"] == game


async def test_a_hundred_streams_hear_of_one_move(here: World) -> None:
    ada = await here.player()
    game = await ada.start()
    path = f"/api/games/{game['id']}/events"
    from contextlib import AsyncExitStack

    async with AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(stream(ada, path)) for _ in range(100)]
        await asyncio.gather(*(one.game() for one in streams))
        game = await ada.move(game)
        found = await asyncio.gather(*(one.game() for one in streams))
        assert {len(one["data"]["lines"]) for one in found} == {len(game["lines"])}
        assert len({one["id"] for one in found}) == 1


async def test_one_address_follows_so_many_games_at_once_and_no_more(tmp_path: Path) -> None:
    async with world_at(f"sqlite:///{tmp_path}/parlay.db", page_streams=2) as world:
        ada = await world.player()
        path = f"/api/games/{(await ada.start())['id']}/events"
        async with stream(ada, path) as one, stream(ada, path) as other:
            assert await one.game() and await other.game()
            reply = await ada.ask("GET", path)
            assert (reply.status_code, code_of(reply)) == (429, "RATE_LIMITED") and reply.headers["retry-after"]
        async with stream(ada, path) as again:
            assert await again.game()


async def test_nobody_fills_the_store_with_games_that_are_never_played(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game.house.UNFINISHED_AT_MOST", 2)
    ada = await world.player()
    wish = {"scenario_id": "saas_enterprise", "seat": "seller", "persona": "shark"}
    for k in range(2):
        await ada.post("/api/games", wish | {"request_id": f"{k}"})
    reply = await ada.ask("POST", "/api/games", wish | {"request_id": "more"})
    assert (reply.status_code, code_of(reply)) == (409, "TOO_MANY_GAMES")
    assert (await ada.ask("POST", "/api/games", wish | {"request_id": "1"})).status_code == 201

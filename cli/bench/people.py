"""People at tables: how long a move takes when one plays, and when two hundred do and fifty watch."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator
from statistics import median, quantiles

import msgspec

from cli.bench.browsers import Browser
from cli.bench.rows import Row, absolute, relative
from cli.bench.servers import Server, parlay

GROUP = "people"
PLAYERS, WATCHERS = 200, 50
PAUSE_SECONDS = 3.0
"""Between two moves of a player."""
ALONE_MOVES = 150
OPENING, STEP = 170_000, 700


class Crowd(msgspec.Struct, frozen=True):
    """What a crowd's minute came to."""

    seconds: list[float]
    """Of each move, from the request to the last byte of its answer."""
    lags: list[float]
    """From a move's answer to its event on a watcher's screen (negative: the screen was first)."""
    moves_a_second: float
    server_cpu: float
    """Share of a core."""
    generator_cpu: float


def measure(quick: bool) -> Iterator[Row]:
    """The rows of this group."""
    players, watchers, moves = (40, 10, 3) if quick else (PLAYERS, WATCHERS, 12)
    with parlay({"PARLAY_PAGE_RATE": "0", "PARLAY_PAGE_STREAMS": "0"}) as server:
        alone = asyncio.run(_alone(server, 40 if quick else ALONE_MOVES))
        crowd = asyncio.run(_crowd(server, players, watchers, moves))
    one, p95 = 1e3 * median(alone), 1e3 * quantiles(crowd.seconds, n=20)[-1]
    load = f"{players} people, a move each {PAUSE_SECONDS:g} s, {watchers} watching"
    note = f"{crowd.moves_a_second:.0f} moves/s"
    yield relative(GROUP, f"{load}: p95 of a move", p95, "ms", one, "p50 of one player", most=5, note=note)
    lag = 1e3 * quantiles(crowd.lags, n=20)[-1]
    yield absolute(GROUP, f"{load}: p95 until a watcher's screen has it", max(0.0, lag), "ms", most=300)
    yield absolute(GROUP, f"{load}: server's CPU", 100 * crowd.server_cpu, "% of a core", most=100)
    yield absolute(GROUP, f"{load}: the generator's own CPU", 100 * crowd.generator_cpu, "% of a core", most=100)


class Player:
    """Somebody who plays one game after another: asks for less each time, and walks away when it is late."""

    def __init__(self, port: int, name: str, room: tuple[str, str] | None = None) -> None:
        self.browser = Browser(port)
        self.name = name
        self._room = room
        self._games = 0
        self.game_id = ""
        self._number = 0
        self._over = True

    async def sit_down(self) -> None:
        """Choose a name, join the room, begin the first game."""
        await self.browser.ask("POST", "/api/me", {"name": self.name})
        if self._room is not None:
            await self.browser.ask("POST", "/api/join", {"join_code": self._room[1]})
        await self._begin()

    async def _begin(self) -> None:
        self._games += 1
        wish = {"request_id": f"{self.name}-{self._games}"}
        if self._room is not None:
            path, body = f"/api/rooms/{self._room[0]}/games", {**wish, "task": 0}
        else:
            path, body = "/api/games", {**wish, "scenario_id": "saas_enterprise", "persona": "veteran"}
        game = (await self.browser.ask("POST", path, body))["game"]
        self.game_id, self._number, self._over = game["id"], game["number"], False

    async def move(self) -> float:
        """Make a move, in a new game where this one is over; how long it took."""
        if self._over:
            await self._begin()
        price = OPENING - STEP * self._number
        action = {"utterance": f"We could sign at {price:,} today.", "offer_amount": price}
        body = {"number": self._number, "action": action}
        started = time.perf_counter()
        game = (await self.browser.ask("POST", f"/api/games/{self.game_id}/moves", body))["game"]
        took = time.perf_counter() - started
        self._number, self._over = game["number"], game["status"] == "over"
        return took


async def _alone(server: Server, moves: int) -> list[float]:
    player = Player(server.port, "alone")
    await player.sit_down()
    follow = asyncio.create_task(player.browser.follow(f"/api/games/{player.game_id}/events"))
    for _ in range(10):
        await player.move()
    found = [await player.move() for _ in range(moves)]
    follow.cancel()
    await player.browser.close()
    return found


async def _crowd(server: Server, count: int, watching: int, moves: int) -> Crowd:
    manager = Browser(server.port)
    task = {"scenario_id": "saas_enterprise", "seat": "seller", "persona": "veteran"}
    opened = await manager.ask("POST", "/api/rooms", {"request_id": "bench", "name": "Bench", "tasks": [task]})
    room = opened["room"]["id"], opened["join_code"]
    people = [Player(server.port, f"player {k}", room if k < watching else None) for k in range(count)]
    for start in range(0, count, 20):
        await asyncio.gather(*(one.sit_down() for one in people[start : start + 20]))
    screens = [asyncio.create_task(one.browser.follow(f"/api/games/{one.game_id}/events")) for one in people]
    queues: list[asyncio.Queue[float]] = []
    for one in people[:watching]:
        path = f"/api/rooms/{room[0]}/games/{one.game_id}/watch"
        token = (await manager.ask("POST", path, {}))["token"]
        watcher, seen = Browser(server.port), asyncio.Queue[float]()
        await watcher.ask("POST", "/api/watch", {"token": token})
        screens.append(asyncio.create_task(watcher.follow(f"/api/watch/{one.game_id}/events", seen)))
        queues.append(seen)
    await asyncio.sleep(1.0)
    begun, cpu, mine = time.perf_counter(), server.cpu_seconds(), time.process_time()
    seconds, lags = list[float](), list[float]()
    parts = (_play(one, k / count, moves, queues[k] if k < watching else None) for k, one in enumerate(people))
    for took, late in await asyncio.gather(*parts):
        seconds += took
        lags += late
    elapsed = time.perf_counter() - begun
    found = Crowd(
        seconds,
        lags,
        len(seconds) / elapsed,
        (server.cpu_seconds() - cpu) / elapsed,
        (time.process_time() - mine) / elapsed,
    )
    for screen in screens:
        screen.cancel()
    await asyncio.gather(*screens, return_exceptions=True)
    return found


async def _play(
    player: Player, phase: float, moves: int, seen: asyncio.Queue[float] | None
) -> tuple[list[float], list[float]]:
    """Play `moves` moves, one each pause, begun at a phase of it; how long each took, and how late a watcher saw it."""
    loop, took, late = asyncio.get_running_loop(), list[float](), list[float]()
    await asyncio.sleep(PAUSE_SECONDS * phase)
    watched = player.game_id
    for k in range(moves):
        due = loop.time() + PAUSE_SECONDS
        while seen is not None and not seen.empty():
            seen.get_nowait()
        took.append(await player.move())
        answered = loop.time()
        if seen is not None and player.game_id == watched:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PAUSE_SECONDS):
                    late.append(await seen.get() - answered)
        if k + 1 < moves:
            await asyncio.sleep(max(0.0, due - loop.time()))
    return took, late

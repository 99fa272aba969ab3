"""Real servers: people play on after a `kill -9`, workers hear of each other, and Redis may go and come."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import shutil
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from game.house import restored
from game.store import games
from tests.doors.support import Process, free_port, process, until, wait_for
from tests.store.support import KINDS, REDIS, empty_database, needs, opened, random_action

Json = dict[str, Any]
PEOPLE = 20


class Person:
    """Somebody who plays over HTTP, and remembers what was answered."""

    def __init__(self, k: int) -> None:
        self.k, self.random = k, random.Random(k)
        self.http = httpx.AsyncClient(timeout=30)
        self.game: Json = {}
        self.sent: Json | None = None
        """A move that has had no answer."""
        self.answered = 0

    async def begin(self, port: int) -> None:
        self.http.base_url = httpx.URL(f"http://127.0.0.1:{port}")
        await self.post("/api/me", {"name": f"Person {self.k}"})
        wish = {"request_id": "r", "scenario_id": "saas_enterprise", "seat": "seller", "persona": "shark"}
        self.game = (await self.post("/api/games", wish))["game"]

    async def post(self, path: str, body: Json) -> Json:
        reply = await self.http.post(path, json=body)
        assert reply.status_code in (200, 201), reply.text
        return reply.json()

    async def move(self) -> None:
        """The move that had no answer, or another one."""
        if self.sent is None:
            action = random_action(self.game["observation"], self.random, 0.0)
            self.sent = {"number": self.game["number"], "action": action}
        self.game = (await self.post(f"/api/games/{self.game['id']}/moves", self.sent))["game"]
        self.answered, self.sent = self.answered + 1, None

    async def play_until_cut(self) -> None:
        with contextlib.suppress(httpx.TransportError):
            while self.game["status"] != "over":
                await self.move()
                await asyncio.sleep(0.01)

    async def look(self) -> Json:
        reply = await self.http.get(f"/api/games/{self.game['id']}")
        assert reply.status_code == 200, reply.text
        return reply.json()["game"]


def settings(url: str, **more: str) -> dict[str, str]:
    return {"PARLAY_DATABASE_URL": url, "PARLAY_PAGE_RATE": "0", "PARLAY_LOG_LEVEL": "warning", **more}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
async def test_after_kill_9_every_game_goes_on_from_its_last_answered_move(kind: str, tmp_path: Path) -> None:
    with empty_database(kind, tmp_path) as url:
        people = [Person(k) for k in range(PEOPLE)]
        with process(tmp_path, "main", **settings(url)) as server:
            await asyncio.gather(*(one.begin(server.port) for one in people))
            playing = [asyncio.ensure_future(one.play_until_cut()) for one in people]
            await until(lambda: sum(one.answered for one in people) >= 3 * PEOPLE, 60)
            server.kill()
            await asyncio.gather(*playing)
        cut = [one for one in people if one.sent is not None]
        assert cut, "nobody was in the middle of a move"
        with process(tmp_path, "main", **settings(url)) as server:
            for one in people:
                one.http.base_url = httpx.URL(f"http://127.0.0.1:{server.port}")
                now, last = await one.look(), one.game
                assert now["lines"][: len(last["lines"])] == last["lines"]  # what was answered is there
                assert now["number"] - last["number"] in ((0,) if one.sent is None else (0, 1))
                number = last["number"]
                if one.sent is not None:
                    await one.move()  # a retry settles it
                    assert one.game["number"] == number + 1
                    mine = [line for line in one.game["lines"] if line["seat"] == "seller"]
                    assert len(mine) == number + 1  # nothing is lost, and nothing doubled
                if one.game["status"] != "over":
                    await one.move()
        async with opened(url) as database, database.read() as conn:
            for one in people:
                row = await games.find(conn, one.game["id"])
                assert row is not None
                again = restored(row, await games.lines_after(conn, row.id, 0))
                assert again.number("seller") == one.game["number"]
        for one in people:
            await one.http.aclose()


def children_of(pid: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rsplit(")", 1)[1].split()
            if int(fields[1]) == pid:
                found.append(int(path.parent.name))
    return found


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked for in /proc")
async def test_what_thinks_for_a_killed_server_ends_with_it(tmp_path: Path) -> None:
    with process(tmp_path, "main", **settings(f"sqlite:///{tmp_path}/p.db")) as server:
        one = Person(1)
        await one.begin(server.port)
        await one.look()
        pid = server._process.pid
        await until(lambda: len(children_of(pid)) >= 2, 60)  # the thinker, and what tracks its resources
        children = children_of(pid)
        server.kill()
        await until(lambda: not any(map(runs, children)), 60)
        await one.http.aclose()


@contextlib.contextmanager
def redis_server(port: int, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A Redis of this test's own."""
    command = ["redis-server", "--port", str(port), "--save", "", "--appendonly", "no", "--dir", str(folder)]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: listens(port))
        yield running
    finally:
        running.kill()
        running.wait()


def listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


class Follower:
    """An event stream over the network."""

    def __init__(self, person: Person, port: int) -> None:
        self.seen: list[Json] = []
        self.task = asyncio.ensure_future(self._follow(person, port))

    async def _follow(self, person: Person, port: int) -> None:
        address = f"http://127.0.0.1:{port}/api/games/{person.game['id']}/events"
        cookies = {"cookie": f"parlay_player={person.http.cookies['parlay_player']}"}
        async with httpx.AsyncClient(timeout=None) as http, http.stream("GET", address, headers=cookies) as reply:
            async for line in reply.aiter_lines():
                if line.startswith("data: "):
                    self.seen.append(json.loads(line[6:]))

    def has(self, number: int) -> bool:
        return bool(self.seen) and self.seen[-1]["number"] == number

    async def close(self) -> None:
        self.task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self.task


@contextlib.asynccontextmanager
async def follower(person: Person, port: int) -> AsyncIterator[Follower]:
    found = Follower(person, port)
    try:
        await until(lambda: found.seen)
        yield found
    finally:
        await found.close()


@contextlib.contextmanager
def two_workers(folder: Path, url: str, redis: str) -> Iterator[tuple[Process, Process]]:
    with contextlib.ExitStack() as stack:
        found = []
        for name in ("a", "b"):
            (folder / name).mkdir()
            told = settings(url, PARLAY_REDIS_URL=redis)
            found.append(stack.enter_context(process(folder / name, "main", **told)))
        yield found[0], found[1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
async def test_a_move_at_one_worker_reaches_a_stream_at_another(kind: str, tmp_path: Path) -> None:
    needs("Redis (PARLAY_TEST_REDIS)", REDIS, 6379)
    with empty_database(kind, tmp_path) as url, two_workers(tmp_path, url, REDIS) as (a, b):
        one = Person(1)
        await one.begin(a.port)
        async with follower(one, b.port) as there, follower(one, a.port) as here:
            for _ in range(3):
                await one.move()
                for seen in (there, here):
                    await until(lambda seen=seen: seen.has(one.game["number"]))
            assert there.seen[-1]["lines"] == here.seen[-1]["lines"] == one.game["lines"]
        one.http.base_url = httpx.URL(f"http://127.0.0.1:{b.port}")  # and the other worker plays on
        number = one.game["number"]
        await one.move()
        assert one.game["number"] == number + 1
        await one.http.aclose()


@pytest.mark.slow
async def test_streams_go_on_after_redis_was_away(tmp_path: Path) -> None:
    if shutil.which("redis-server") is None:
        if os.environ.get("CI", "").lower() in ("1", "true"):
            pytest.fail("redis-server is not installed, and in CI nothing is left out")
        pytest.skip("redis-server is not installed")
    port = free_port()
    url, redis = f"sqlite:///{tmp_path}/p.db", f"redis://127.0.0.1:{port}/0"
    with contextlib.ExitStack() as first:
        running = first.enter_context(redis_server(port, tmp_path))
        with two_workers(tmp_path, url, redis) as (a, b):
            one = Person(1)
            await one.begin(a.port)
            async with follower(one, b.port) as there, follower(one, a.port) as here:
                await one.move()
                await until(lambda: there.has(one.game["number"]))
                running.kill()
                running.wait()
                began = time.monotonic()
                await one.move()  # played, saved and answered; the other worker is not told
                assert time.monotonic() - began < 5
                await until(lambda: here.has(one.game["number"]))
                with redis_server(port, tmp_path):
                    await until(lambda: there.has(one.game["number"]), 30)
                    await one.move()
                    await until(lambda: there.has(one.game["number"]))
            await one.http.aclose()

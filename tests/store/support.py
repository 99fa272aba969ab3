"""What the tests of the store and of the pages share: databases of both kinds, services, players, games played on."""

from __future__ import annotations

import asyncio
import os
import random
import socket
import uuid
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from sqlalchemy import select

from game.house import House
from game.live import Live, Plan
from game.scenarios import scenarios
from game.store import players, tables
from game.store.database import Database
from parlay_env.deal.state import SEATS
from parlay_env.models import ParlayAction
from parlay_env.observe import observation

ROOT = Path(__file__).resolve().parents[2]
POSTGRES = os.environ.get("PARLAY_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres")
REDIS = os.environ.get("PARLAY_TEST_REDIS", "redis://127.0.0.1:6379/0")
KINDS = ("sqlite", "postgresql")


# Services -------------------------------------------------------------------------------------------------------------


def needs(service: str, url: str, default_port: int) -> None:
    """Go on if this service listens; else leave the test out, or fail where everything has to run (`CI`)."""
    where = urlsplit(url)
    try:
        socket.create_connection((where.hostname or "127.0.0.1", where.port or default_port), 2).close()
    except OSError:
        told = f"{service} does not listen at {where.hostname}:{where.port or default_port}"
        if os.environ.get("CI", "").lower() in ("1", "true"):
            pytest.fail(f"{told}, and in CI nothing is left out")
        pytest.skip(told)


def postgres_says(statement: str) -> None:
    """Run one statement as the server's administrator."""
    import asyncpg

    async def run() -> None:
        connection = await asyncpg.connect(POSTGRES)
        try:
            await connection.execute(statement)
        finally:
            await connection.close()

    apart(asyncio.run, run())


def apart(work: Any, *arguments: Any) -> Any:
    """Run what starts an event loop of its own, also from within one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work, *arguments).result()


@contextmanager
def postgres_database() -> Iterator[str]:
    """A new, empty PostgreSQL database; its address."""
    needs("PostgreSQL (PARLAY_TEST_POSTGRES)", POSTGRES, 5432)
    name = f"parlay_test_{uuid.uuid4().hex[:16]}"
    postgres_says(f"CREATE DATABASE {name}")
    try:
        yield urlsplit(POSTGRES)._replace(path=f"/{name}").geturl()
    finally:
        postgres_says(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def empty_database(kind: str, folder: Path) -> Iterator[str]:
    """A new, empty database of this kind; its address."""
    if kind == "postgresql":
        with postgres_database() as url:
            yield url
    else:
        yield f"sqlite:///{folder / f'{uuid.uuid4().hex}.db'}"


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Database]:
    """The database at this address."""
    database = await Database.open(url)
    try:
        yield database
    finally:
        await database.close()


# What is stored -------------------------------------------------------------------------------------------------------


async def emptied(database: Database) -> None:
    """Leave nothing in any table."""
    async with database.begin() as conn:
        for table in reversed(tables.metadata.sorted_tables):
            await conn.execute(table.delete())


async def contents(database: Database, *without: str) -> dict[str, list[dict[str, Any]]]:
    """Everything that is stored, by table, but for these columns."""
    found = {}
    async with database.read() as conn:
        for table in tables.metadata.sorted_tables:
            rows = [dict(row._mapping) for row in await conn.execute(select(table))]
            told = [{name: value for name, value in row.items() if name not in without} for row in rows]
            found[table.name] = sorted(told, key=repr)
    return found


async def count(database: Database, table: Any) -> int:
    """How many rows a table has."""
    async with database.read() as conn:
        return len((await conn.execute(select(table))).all())


async def new_player(database: Database, name: str = "Ada") -> str:
    """A player's id."""
    async with database.begin() as conn:
        return (await players.create(conn, tables.new_token(), name, 0)).id


# Games ----------------------------------------------------------------------------------------------------------------


class Drawn:
    """Stands in for the secrets of new games: the same instances in every run of a test."""

    def __init__(self, name: str) -> None:
        r = random.Random(name)
        self.randbelow, self.token_bytes = r.randrange, r.randbytes


class Clock:
    """A clock that stands still until it is told otherwise."""

    def __init__(self, seconds: float = 1_700_000_000.0) -> None:
        self.seconds = seconds

    def __call__(self) -> float:
        return self.seconds

    def forward(self, hours: float) -> None:
        self.seconds += 3600 * hours


def plan(
    scenario: str = "saas_enterprise", persona: str | None = "diplomat", seat: Any = "seller", **more: Any
) -> Plan:
    """A new game's plan."""
    return Plan(scenarios()[scenario], seat, persona, **more)


def observed(live: Live, seat: str) -> dict[str, Any]:
    """What this seat sees."""
    return msgspec.to_builtins(observation(live.episode.view(seat), with_prompt=False))


def say(words: str = "Let us see.") -> ParlayAction:
    return ParlayAction(utterance=words)


LEAVE = ParlayAction(utterance="Good bye.", walk_away=True)


def random_action(seen: dict[str, Any], r: random.Random, ends: float = 0.02) -> dict[str, Any]:
    """Any of the things that a player may want to do, right or wrong, as an action's fields."""
    issues = seen["scenario"]["issues"]
    offer = {one["name"]: _figure(one, r) for one in issues}
    found: dict[str, Any] = {"utterance": r.choice(["", "Well.", "Is that so?", "Here is our offer.", "Ünïcode 🤝."])}
    kind = r.random()
    if kind < ends:
        return {**found, "walk_away": True}
    if kind < 3 * ends and seen["opponent_offer"] is not None:
        return {**found, "accept_deal": True}
    if kind < 0.6:
        found |= {"offer": offer} if len(issues) > 1 else {"offer_amount": offer[issues[0]["name"]]}
    elif kind < 0.7:
        found["question"] = r.choice(["timeline", "alternatives", "authority", "priorities"])
    elif kind < 0.75:
        found["challenge"] = True
    elif kind < 0.8:
        found["offer_amount"] = r.choice([-5.0, 1e300, 0.5])
    if r.random() < 0.3:
        card = r.choice(["anchor_high", "silence", "sweetener", "reframe", "time_pressure", "batna_reveal"])
        found["tactical_move"] = card
        if card in ("time_pressure", "batna_reveal"):
            found["claim_value"] = 15 if card == "time_pressure" else seen["own"]["limit"]
        if card == "sweetener" and seen["scenario"]["sweeteners"]:
            found["sweetener"] = seen["scenario"]["sweeteners"][0]["id"]
    if r.random() < 0.2:
        found["belief"] = {"est_walk_away": seen["own"]["limit"], "est_urgency": round(r.random(), 2)}
    return found


def _figure(issue: dict[str, Any], r: random.Random) -> float:
    if issue["values"]:
        return r.choice(issue["values"])
    steps = round((issue["high"] - issue["low"]) / issue["step"])
    return issue["low"] + issue["step"] * r.randint(0, steps)


async def played(house: House, live: Live, seat: str, moves: int, seed: int = 1, ends: float = 0.0) -> Live:
    """The game after so many random moves of this seat, or at its end."""
    r = random.Random(seed)
    for _ in range(moves):
        if live.episode.over:
            break
        action = ParlayAction(**random_action(observed(live, seat), r, ends))
        live = await house.move(live.row.id, seat, live.number(seat), action)
    return live


async def finished(house: House, player_id: str, request_id: str = "r", **wanted: Any) -> Live:
    """A game that its player left in its first move."""
    live = await house.start(plan(**wanted), player_id, request_id)
    seat = live.row.seat_of(player_id)
    return await house.move(live.row.id, seat, live.number(seat), LEAVE)


def picture(live: Live) -> tuple[Any, ...]:
    """All that a game in memory holds, so that two can be compared."""
    episode = live.episode
    numbers = tuple(live.number(seat) for seat in SEATS)
    path = [msgspec.json.encode(state) for state in episode.path]
    moves = [msgspec.json.encode(one) for one in episode.moves]
    return path, moves, tuple(episode.by), dict(live.digests), live.log.to_jsonl(), numbers, live.row

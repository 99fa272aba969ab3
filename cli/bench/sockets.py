"""A step over a socket: what it costs the server, how long it takes, how many there are a second.

Each server runs in a process of its own, Parlay's as `parlay serve` starts it. All of them are up during the whole
measurement and take turns, so that a busy moment hits them alike; of the rounds the median counts.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import msgspec

from agent.registry import OPPONENTS
from cli.bench.core import slow_concessions
from cli.bench.rows import Row, relative
from cli.bench.servers import Server, parlay, uvicorn
from cli.bench.wire import Connection, Load, Script, WireProblem, connect, frame, run
from cli.console import fail
from game.scenarios import scenarios
from parlay_env.deal.terms import terms_of, values_of

GROUP = "socket"
CONNECTIONS = 64
SYNC, ASYNC, BARE = "OpenEnv echo, sync", "OpenEnv echo, async", "FastAPI echo"
LIKE_OURS = ("--ws", "websockets-sansio", "--ws-per-message-deflate", "false")
ECHO_WORDS = (
    "A message of a hundred and sixty characters, as long as an offer with a sentence or two around it would be. "
)
"""What is sent to the echo environments, filled up to 160 characters; they answer with about 520 bytes."""


class Cost(msgspec.Struct):
    """What a server's steps cost, by round."""

    cpu: list[float] = []
    """Seconds of CPU a step, the whole server."""
    rate: list[float] = []
    """Steps a second, all connections together."""


def parlay_script(number: int) -> Script:
    """Full observations, prompt included; the connections play against all personas by turns."""
    terms = terms_of(scenarios()["saas_enterprise"])
    steps = [
        frame({"type": "step", "data": {"utterance": move.utterance, "offer_amount": value}})
        for move in slow_concessions("saas_enterprise", 0, words=True)
        if move.offer is not None
        for value in values_of(terms, move.offer).values()
    ]
    options = {"scenario_id": "saas_enterprise", "persona": OPPONENTS[number % len(OPPONENTS)]}
    resets = [frame({"type": "reset", "data": {**options, "seed": 1000 * number + episode}}) for episode in range(200)]
    return Script("/ws", resets, steps)


def echo_script() -> Script:
    """The same traffic for an echo environment, whose episodes last 20 steps."""
    message = (ECHO_WORDS * 2)[:160]
    return Script(
        "/ws", [frame({"type": "reset", "data": {}})], [frame({"type": "step", "data": {"message": message}})]
    )


def measure(quick: bool, openenv_python: Path | None) -> Iterator[Row]:
    """The rows of this group."""
    try:
        with ExitStack() as stack:
            ours = stack.enter_context(parlay({"PARLAY_RATE": "0"}))
            floors: dict[str, Server] = {}
            if openenv_python is not None:
                for name, app in ((SYNC, "openenv_echo:sync_app"), (ASYNC, "openenv_echo:async_app")):
                    floors[name] = stack.enter_context(uvicorn(app, python=openenv_python))
            costs = run(_costs({"Parlay": ours, **floors}, 2 if quick else 7, 20 if quick else 60))
            yield from _cost_rows(costs)
            step, answer = run(_sample(ours.port))
            bare = stack.enter_context(uvicorn("fastapi_echo:app", *LIKE_OURS, BENCH_ANSWER_BYTES=str(len(answer))))
            yield _trip_row(
                run(_trips(ours.port, bare.port, step, 3 if quick else 20, 50 if quick else 200)), len(answer)
            )
    except WireProblem as problem:
        fail(f"a measured server answered unexpectedly: {problem}")


def _cost_rows(costs: Mapping[str, Cost]) -> Iterator[Row]:
    ours = costs["Parlay"]
    cpu = 1e6 * median(ours.cpu)
    what = f"server CPU of a step, {CONNECTIONS} connections"
    for name, most in ((SYNC, 0.35), (ASYNC, 0.7)):
        floor = 1e6 * median(costs[name].cpu) if name in costs else None
        yield relative(GROUP, what, cpu, "µs", floor, name, most=most)
    floor = median(costs[SYNC].rate) if SYNC in costs else None
    yield relative(GROUP, f"steps a second, {CONNECTIONS} clients", median(ours.rate), "/s", floor, SYNC, least=2)


def _trip_row(trips: tuple[float, float], size: int) -> Row:
    mine, floor = (1e6 * trip for trip in trips)
    what = f"median round trip, one connection, {size / 1000:.1f} KB answers"
    return relative(GROUP, what, mine, "µs", floor, BARE, most=1.3)


async def _costs(servers: Mapping[str, Server], rounds: int, steps_each: int) -> dict[str, Cost]:
    loads: dict[str, Load] = {}
    for name, server in servers.items():
        scripts = [parlay_script(i) if name == "Parlay" else echo_script() for i in range(CONNECTIONS)]
        loads[name] = Load([await connect(script.path, server.port) for script in scripts], scripts)
        await loads[name].play(10)
    found = {name: Cost() for name in servers}
    for _ in range(rounds):
        for name, server in servers.items():
            before = server.cpu_seconds()
            steps, seconds = await loads[name].play(steps_each)
            found[name].cpu.append((server.cpu_seconds() - before) / steps)
            found[name].rate.append(steps / seconds)
    return found


async def _sample(port: int) -> tuple[bytes, bytes]:
    """A step in the middle of an episode, and its answer."""
    script = parlay_script(0)
    connection = await connect(script.path, port)
    await connection.ask(script.resets[0])
    answers = [await connection.ask(step) for step in script.steps[:5]]
    return script.steps[4], answers[-1]


async def _trips(ours: int, bare: int, step: bytes, blocks: int, trips: int) -> tuple[float, float]:
    """Median seconds from a frame sent to its answer, ours and the bare server's, in blocks by turns."""
    script = parlay_script(0)
    link, echo = await connect(script.path, ours), await connect("/ws", bare)
    mine: list[float] = []
    floor: list[float] = []
    episode = 0
    for _ in range(blocks):
        counted = 0
        while counted < trips:
            await link.ask(script.resets[episode % len(script.resets)])
            episode += 1
            for raw in script.steps:
                seconds, answer = await _trip(link, raw)
                mine.append(seconds)
                counted += 1
                if b'"done":true' in answer:
                    break
        floor += [(await _trip(echo, step))[0] for _ in range(trips)]
    return median(mine), median(floor)


async def _trip(connection: Connection, raw: bytes) -> tuple[float, bytes]:
    begin = time.perf_counter()
    answer = await connection.ask(raw)
    return time.perf_counter() - begin, answer

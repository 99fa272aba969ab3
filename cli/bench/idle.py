"""Sessions that wait: what two thousand of them cost in memory and threads."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Iterator

from cli.bench.rows import Row, absolute
from cli.bench.servers import Server, parlay
from cli.bench.sockets import parlay_script
from cli.bench.wire import Connection, connect, run

GROUP = "idle"
SESSIONS = 2000
_SPARE_FILES = 200
_AT_ONCE = 50


def measure(quick: bool) -> Iterator[Row]:
    """The rows of this group."""
    wanted = 200 if quick else SESSIONS
    _, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = wanted if most_files == resource.RLIM_INFINITY else min(wanted, most_files - _SPARE_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
    with parlay({"PARLAY_PING_SECONDS": "600"}) as server:
        kilobytes, threads = run(_idle(server, count))
    what = f"{count:,} idle sessions"
    yield absolute(GROUP, f"{what}: memory of one", kilobytes, "KB", most=30)
    yield absolute(GROUP, f"{what}: threads more than with 20", threads, "", most=0)


async def _idle(server: Server, count: int) -> tuple[float, int]:
    """KB a session, and threads more than before, with so many sessions open, each after a reset."""
    warm = [await _session(server.port, i) for i in range(20)]
    before, threads, opened = server.resident_kb(), server.threads(), []
    for start in range(0, count, _AT_ONCE):
        numbers = range(start, min(count, start + _AT_ONCE))
        opened += await asyncio.gather(*(_session(server.port, i) for i in numbers))
    await asyncio.sleep(1)
    found = (server.resident_kb() - before) / count, server.threads() - threads
    for connection in (*warm, *opened):
        connection.transport.close()
    return found


async def _session(port: int, number: int) -> Connection:
    script = parlay_script(number % 64)
    connection = await connect(script.path, port)
    await connection.ask(script.resets[number % len(script.resets)])
    return connection

"""How long until the server answers, and what it holds then."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from cli.bench.rows import Row, absolute, relative
from cli.bench.servers import ROOT, Server, uvicorn

GROUP = "startup"


def measure(quick: bool) -> Iterator[Row]:
    """The rows of this group."""
    ours: list[float] = []
    floors: list[float] = []
    resident: list[float] = []
    for repeat in range(-1, 1 if quick else 7):  # The first fills the caches of files and bytecode.
        floor = _start(uvicorn("bare_app:app"))
        mine = _start(uvicorn("main:app", cwd=ROOT))
        if repeat >= 0:
            floors.append(floor[0])
            ours.append(mine[0])
            resident.append(mine[1])
    what = "time to first byte of `uvicorn main:app`"
    yield relative(GROUP, what, median(ours), "s", median(floors), "bare FastAPI and SQLAlchemy", most=2)
    yield absolute(GROUP, "memory of `uvicorn main:app` after it", median(resident), "MB", most=150)


def _start(server: Server) -> tuple[float, float]:
    """Seconds to the first byte, and resident MB then."""
    try:
        return server.first_byte(), server.resident_kb() / 1024
    finally:
        server.stop()

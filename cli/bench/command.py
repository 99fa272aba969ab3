"""`parlay bench`: the groups that were asked for, as a table, as JSON, and into a document."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from cli.bench import batch, core, debrief, idle, people, sockets, startup
from cli.bench.machine import in_words, machine
from cli.bench.rows import MARKS, Row, markdown, table, to_json
from cli.bench.servers import ROOT, can_measure
from cli.console import BAD_INPUT, STDOUT, check_folder, console, fail, messages, put_into, write_file

USUAL_OPENENV = ROOT / "tests" / "openenv" / ".venv" / "0.10" / "bin" / "python"
"""Where `make test-openenv` puts an environment with OpenEnv 0.10."""
Group = Callable[[bool, Path | None], Iterator[Row]]
GROUPS: dict[str, Group] = {
    core.GROUP: lambda quick, _: core.measure(quick),
    batch.GROUP: lambda quick, _: batch.measure(quick),
    debrief.GROUP: lambda quick, _: debrief.measure(quick),
    sockets.GROUP: sockets.measure,
    idle.GROUP: lambda quick, _: idle.measure(quick),
    startup.GROUP: lambda quick, _: startup.measure(quick),
    people.GROUP: lambda quick, _: people.measure(quick),
}


def bench(
    rows: str, quick: bool, openenv_python: Path | None, json_path: Path | None, document: Path | None, strict: bool
) -> None:
    """Measure, print, write."""
    groups = _chosen(rows)
    if openenv_python is None:
        openenv_python = USUAL_OPENENV if USUAL_OPENENV.exists() else None
    elif not openenv_python.exists():
        fail(
            f"there is no {openenv_python}; name a Python with openenv==0.10.0, or leave --openenv-python out",
            BAD_INPUT,
        )
    check_folder(json_path)
    if document is not None:
        put_into(document, MARKS)
    # Ended from outside, it must not leave servers behind: an exception unwinds what started them.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    found_machine, found = machine(), list[Row]()
    for name in groups:
        with messages().status(f"measuring: {name}"):
            found += GROUPS[name](quick, openenv_python)
    if json_path != STDOUT:
        _print(found, in_words(found_machine), quick)
    if json_path is not None:
        write_file(json_path, to_json(found, found_machine, quick))
    if document is not None:
        put_into(document, MARKS, f"Measured on {in_words(found_machine)}.\n\n{markdown(found)}")
    missed = sum(row.kept is False for row in found)
    if missed and strict:
        fail(f"{missed} of {len(found)} bars missed")


def _print(found: list[Row], measured_on: str, quick: bool) -> None:
    out = console()
    out.print(measured_on, soft_wrap=True)
    out.print(table(found))
    if quick:
        out.print("--quick: these figures are rough.", style="yellow")


def _chosen(rows: str) -> list[str]:
    names = list(GROUPS) if rows == "all" else [name.strip() for name in rows.split(",")]
    for name in names:
        if name not in GROUPS:
            fail(f"there is no group {name!r}; choose from {', '.join(GROUPS)}, or all", BAD_INPUT)
        if name not in (core.GROUP, batch.GROUP, debrief.GROUP) and not can_measure():
            fail(f"the group {name} reads /proc, which this system lacks; measure --rows core,batch,debrief", BAD_INPUT)
    return names

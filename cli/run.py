"""`parlay run`: policies against the personas, on paired seeds, as a table with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from cli.console import BAD_INPUT, check_folder, console, fail, write_file
from cli.plans import progress, usual_workers
from cli.results import NOTE, compared, played, summary_tables, to_json
from training.episodes import Plan
from training.evaluate import evaluate
from training.grid import By


def run(chosen: Plan, by: str, workers: int, json_path: Path | None) -> None:
    """Play the plan and print what came of it; `workers` 0: as many processes as help."""
    rows = next((one for one in get_args(By) if one == by), None)
    if rows is None:
        fail(f"there are no rows by {by!r}; choose from {', '.join(get_args(By))}", BAD_INPUT)
    check_folder(json_path)
    with progress(chosen.total) as told:
        grid = evaluate(chosen, workers=workers or usual_workers(chosen.total), progress=told)
    out = console()
    out.print(played(chosen))
    for table in summary_tables(grid, rows):
        out.print()
        out.print(table)
    out.print(NOTE, style="dim")
    if len(chosen.policies) > 1:
        out.print()
        out.print(compared(grid))
    if json_path is not None:
        write_file(json_path, to_json(grid, rows))

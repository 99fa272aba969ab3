"""`parlay eval`: an evaluation on disk, that goes on where it was stopped, with a report."""

from __future__ import annotations

from pathlib import Path

from cli.console import BAD_INPUT, FAILED, console, fail, messages
from cli.plans import progress, usual_workers
from cli.results import NOTE, compared, played, summary_tables
from training.episodes import Plan
from training.evaluate import Progress, evaluate
from training.grid import Grid
from training.record import EvaluationError, RunMismatch
from training.report import REPORT, write
from training.summary import summed_up


def evaluate_to(chosen: Plan, workers: int, folder: Path, plots: bool) -> None:
    """Play what is missing of the plan and write the report; `workers` 0: as many processes as help."""
    grid = _played(chosen, workers or usual_workers(chosen.total), folder)
    missing = write(summed_up(grid), folder, plots)
    out = console()
    out.print(played(chosen))
    for table in summary_tables(grid, "policy"):
        out.print()
        out.print(table)
    out.print(NOTE, style="dim")
    if len(chosen.policies) > 1:
        out.print()
        out.print(compared(grid))
    if missing:
        messages().print(f"without plots: {missing}", soft_wrap=True)
    messages().print(f"written: {folder / REPORT}", soft_wrap=True)


def _played(chosen: Plan, workers: int, folder: Path) -> Grid:
    try:
        with progress(chosen.total) as told:
            return evaluate(chosen, folder, workers, _going_on(chosen, told))
    except KeyboardInterrupt:
        messages().print("what was played is kept; the same command goes on with it", soft_wrap=True)
        raise
    except EvaluationError as error:
        fail(str(error), BAD_INPUT if isinstance(error, RunMismatch) else FAILED)
    except OSError as error:
        fail(f"can't write to {folder}: {error.strerror}; name another folder (--out)", BAD_INPUT)


def _going_on(chosen: Plan, told: Progress) -> Progress:
    """Progress that says, once, how much of the plan was there already."""
    first = True

    def note(done: int) -> None:
        nonlocal first
        if first and 0 < done < chosen.total:
            messages().print(f"going on: {done:,} of {chosen.total:,} episodes are there", soft_wrap=True)
        first = False
        told(done)

    return note

"""`parlay eval`: an evaluation on disk, that goes on where it was stopped, with a report."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from cli.console import console, messages
from cli.plans import engine, going_on, kept_in, progress, usual_workers
from cli.results import NOTE, compared, played, summary_tables
from training.cluster import Cluster
from training.episodes import Plan
from training.evaluate import Progress, evaluate
from training.grid import Grid
from training.report import REPORT, write
from training.summary import summed_up

if TYPE_CHECKING:
    from training.language import LanguageRun


def evaluate_to(
    chosen: Plan,
    workers: int,
    folder: Path,
    plots: bool,
    language: LanguageRun | None = None,
    engine_name: str = "local",
) -> None:
    """Play what is missing of the plan and write the report; `workers` 0: as many processes as help; `language`: what
    plays the language models in it; `engine_name`: where code plays."""
    with engine(engine_name, workers, usual_workers(chosen.total)) as sharing:
        grid = _played(chosen, sharing, folder, language)
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
    if language is not None:
        from cli.language import CLASSES_NOTE, spoken_of, spoken_table

        out.print()
        out.print(spoken_table(spoken_of(grid.results)))
        out.print(CLASSES_NOTE, style="dim")
    if missing:
        messages().print(f"without plots: {missing}", soft_wrap=True)
    messages().print(f"written: {folder / REPORT}", soft_wrap=True)


def _played(chosen: Plan, workers: int | Cluster, folder: Path, language: LanguageRun | None) -> Grid:
    with kept_in(folder), _bar(chosen, language) as told:
        return evaluate(chosen, folder, workers, going_on(chosen.total, told), language)


def _bar(chosen: Plan, language: LanguageRun | None) -> AbstractContextManager[Progress]:
    if language is None:
        return progress(chosen.total)
    from cli.language import progress as spending

    return spending(chosen.total, language)

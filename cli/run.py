"""`parlay run`: policies against the personas, on paired seeds, as a table with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from cli.console import (
    BAD_INPUT,
    FAILED,
    INTERRUPTED,
    STDOUT,
    check_folder,
    complain,
    console,
    fail,
    messages,
    write_file,
)
from cli.plans import progress, usual_workers
from cli.results import NOTE, compared, played, summary_tables, to_json, unsummed_json
from training.episodes import Plan, Result
from training.evaluate import evaluate, play_missing, whole_seeds
from training.grid import By, Grid
from training.record import Key, key_of

if TYPE_CHECKING:
    from training.language import LanguageRun


def run(chosen: Plan, by: str, workers: int, json_path: Path | None, language: LanguageRun | None = None) -> int:
    """Play the plan and print what came of it; `workers` 0: as many processes as help; `language`: what plays the
    language models in it. Returns the exit code."""
    rows = next((one for one in get_args(By) if one == by), None)
    if rows is None:
        fail(f"there are no rows by {by!r}; choose from {', '.join(get_args(By))}", BAD_INPUT)
    check_folder(json_path)
    if language is not None:
        return _run_language(chosen, rows, workers, json_path, language)
    with progress(chosen.total) as told:
        grid = evaluate(chosen, workers=workers or usual_workers(chosen.total), progress=told)
    if json_path != STDOUT:
        _show(grid, rows)
    if json_path is not None:
        write_file(json_path, to_json(grid, rows))
    return 0


def _show(grid: Grid, rows: By) -> None:
    out = console()
    out.print(played(grid.plan))
    for table in summary_tables(grid, rows):
        out.print()
        out.print(table)
    out.print(NOTE, style="dim")
    if len(grid.plan.policies) > 1:
        out.print()
        out.print(compared(grid))


def _run_language(chosen: Plan, rows: By, workers: int, json_path: Path | None, language: LanguageRun) -> int:
    """The same with language models, whose run may end before the plan does: what was played is shown all the same."""
    from agent.llm.base import ProviderError
    from cli.language import progress as spending

    found: dict[Key, Result] = {}
    ended, code = "", 0

    def keep(results: list[Result]) -> None:
        found.update((key_of(result), result) for result in results)

    try:
        with spending(chosen.total, language) as told:
            play_missing(chosen, found, keep, workers or usual_workers(chosen.total), told, language)
    except KeyboardInterrupt:
        ended, code = "stopped", INTERRUPTED
    except ProviderError as error:
        ended, code = str(error), FAILED
    ended = ended or language.stopped
    _end_spoken(chosen, found, rows, json_path, language, ended)
    if code == FAILED:  # of an interrupt the command line itself tells
        complain(ended)
    return code


def _end_spoken(
    chosen: Plan, found: dict[Key, Result], rows: By, json_path: Path | None, language: LanguageRun, ended: str
) -> None:
    from cli.language import spoken_json

    results = list(found.values())
    whole = whole_seeds(chosen, found)
    kept = [] if whole is None else [result for result in results if result.seed in whole.seeds]
    grid = None if whole is None else Grid(whole, kept)
    if json_path != STDOUT:
        _show_spoken(grid, results, rows, language)
    if len(found) < chosen.total:
        _tell_what_is_missing(chosen, found, whole, language, ended)
    if json_path is None:
        return
    more: dict[str, Any] = {
        "language_models": spoken_json(results),
        "usage": language.usage,
        "stopped": ended or None,
        "episodes_failed": language.failed,
        "episodes_beyond_whole_seeds": [result for result in results if result not in kept],
    }
    write_file(json_path, unsummed_json(chosen, more) if grid is None else to_json(grid, rows, more))


def _show_spoken(grid: Grid | None, results: list[Result], rows: By, language: LanguageRun) -> None:
    from cli.language import CLASSES_NOTE, spoken_of, spoken_table, used

    out = console()
    if grid is not None:
        _show(grid, rows)
        out.print()
    out.print(spoken_table(spoken_of(results)))
    out.print(CLASSES_NOTE, style="dim")
    out.print(f"Used: {used(language)}.")


def _tell_what_is_missing(
    chosen: Plan, found: dict[Key, Result], whole: Plan | None, language: LanguageRun, ended: str
) -> None:
    seeds = 0 if whole is None else whole.episodes
    told = f"{len(found):,} of {chosen.total:,} episodes were played"
    if ended:
        told += f" ({ended})"
    if language.failed:
        told += f"; {language.failed:,} were given up, since the provider failed"
    told += f". The tables hold the {seeds:,} seeds that every policy has played in every cell."
    messages().print(told, soft_wrap=True)

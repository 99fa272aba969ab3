"""`parlay benchmark`: its commands and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.console import App
from cli.options import TablePage, Workers

benchmark_app = App(
    help="Score policies on parlay-bench-1, the frozen benchmark. (Speed and memory: parlay bench.)",
    rich_markup_mode="rich",
)


@benchmark_app.callback(invoke_without_command=True)
def benchmark(context: typer.Context) -> None:
    """Score policies on parlay-bench-1, the frozen benchmark. (Speed and memory: parlay bench.)"""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)


@benchmark_app.command("run")
def benchmark_run(
    policy: Annotated[str, typer.Option(help="Built-in policies, comma-separated, or all.")],
    out: Annotated[Path, typer.Option(help="The folder for records and scores: two files a policy.")],
    workers: Workers = 0,
) -> None:
    """Play built-in policies on all test tasks in this process, and write their records and scores.

    \b
    Example:
      parlay benchmark run --policy tit_for_tat,boulware --out outputs/bench-1
    """
    from cli.benchmark import run as command

    command(policy, workers, out)


@benchmark_app.command("score")
def benchmark_score(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="JSON Lines: a task's id and moves in each.")],
    name: Annotated[str | None, typer.Option(help="Whose record it is; left out: the file's name.")] = None,
    missing_as_dropped: Annotated[
        bool,
        typer.Option("--missing-as-dropped", help="Count tasks without an end as the worst there can be: -300 points."),
    ] = False,
    json: Annotated[Path | None, typer.Option(help="Write the score to this file; - for standard output.")] = None,
) -> None:
    """Play a record again, move by move, and print the score that the replay gives.

    \b
    Example:
      parlay benchmark score mine.jsonl --name my-agent --json outputs/bench-1/my-agent.json
    """
    from cli.benchmark import score as command

    command(record, name, missing_as_dropped, json)


@benchmark_app.command("table")
def benchmark_table(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of scores.")],
    write: TablePage = None,
) -> None:
    """Print the scores in a folder as a table, the best first.

    \b
    Example:
      parlay benchmark table outputs/bench-1 --write docs/benchmark.md
    """
    from cli.benchmark import table as command

    command(folder, write)

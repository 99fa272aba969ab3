"""`parlay data`: its commands and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.console import App
from cli.options import DataFolder, Tokenizer, Workers

data_app = App(help="Build, describe and export data sets of negotiations.", rich_markup_mode="rich")


@data_app.callback(invoke_without_command=True)
def data(context: typer.Context) -> None:
    """Build, describe and export data sets of negotiations."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)


@data_app.command("build")
def data_build(
    out: Annotated[Path, typer.Option(help="The folder for the set.")],
    logs: Annotated[
        list[Path] | None, typer.Argument(metavar="[LOGS...]", help="Folders or files of logs (`parlay selfplay`).")
    ] = None,
    source: Annotated[
        str, typer.Option(help="selfplay: LOGS; human: games that people gave, of --database.")
    ] = "selfplay",
    database: Annotated[
        str | None, typer.Option(help="Of a server: sqlite:///FILE or postgresql://…; is only read.")
    ] = None,
    filter: Annotated[str, typer.Option(help="Which episodes are kept: default, outcome or all.")] = "default",  # noqa: A002
    most: Annotated[int | None, typer.Option(min=1, help="Keep so many at most, evenly over the cells.")] = None,
    validation: Annotated[float, typer.Option(min=0, max=1, help="Share of the seeds for validation.")] = 0.1,
    tokenizer: Tokenizer = "estimate",
    workers: Workers = 0,
) -> None:
    """Play logs again, keep what is worth learning from, and write examples, one a move, with a card.

    \b
    Examples:
      parlay data build outputs/selfplay --out outputs/data
      parlay data build --source human --database sqlite:///parlay.db --out outputs/people
    """
    from cli.data import build as command

    command(logs or [], source, database, filter, most, validation, tokenizer, workers, out)


@data_app.command("card")
def data_card(folder: DataFolder) -> None:
    """Print a data set's card, and write it into its folder as README.md.

    \b
    Example:
      parlay data card outputs/data
    """
    from cli.data import print_card

    print_card(folder)


@data_app.command("export")
def data_export(
    folder: DataFolder,
    format: Annotated[str, typer.Option(help="sft, dpo or grpo: the forms that TRL reads.")],  # noqa: A002
    parquet: Annotated[bool, typer.Option("--parquet", help="Parquet instead of JSON Lines (needs pyarrow).")] = False,
    margin: Annotated[float, typer.Option(min=0, help="dpo: points by which two moves must differ.")] = 5.0,
    finish: Annotated[str, typer.Option(help="dpo: the policy that goes on after either move.")] = "tit_for_tat",
    workers: Annotated[int, typer.Option(min=0, max=512, help="dpo: processes; 0: as many as help.")] = 0,
    out: Annotated[Path | None, typer.Option(help="The folder for the files; left out: DIR/FORMAT.")] = None,
) -> None:
    """Write a data set in the form that a trainer reads: `train` and `validation`, a file each.

    \b
    Examples:
      parlay data export outputs/data --format sft
      parlay data export outputs/data --format grpo --parquet --out outputs/grpo
    """
    from cli.data import export as command

    command(folder, format, parquet, margin, finish, workers, out)


@data_app.command("headline")
def data_headline(
    out: Annotated[Path, typer.Option(help="The folder for the set, its logs too; a stopped run goes on there.")],
    rounds: Annotated[int, typer.Option(min=1, max=100_000, help="Episodes played in each cell.")] = 7,
    kept: Annotated[int, typer.Option(min=1, help="Episodes kept, evenly over the cells.")] = 140,
    tokenizer: Tokenizer = "estimate",
    workers: Workers = 0,
    write: Annotated[Path | None, typer.Option(help="Put its figures into this page.")] = None,
) -> None:
    """Rebuild the headline set: 140 kept episodes of the embedded agents, in all 24 cells.

    \b
    Example:
      parlay data headline --out outputs/headline --write docs/data.md
    """
    from cli.data import headline as command

    command(out, rounds, kept, tokenizer, workers, write)

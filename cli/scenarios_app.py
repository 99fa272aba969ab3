"""`parlay scenarios`: its commands and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.console import App

scenarios_app = App(help="List, show and validate scenarios.", rich_markup_mode="rich")


@scenarios_app.callback(invoke_without_command=True)
def scenarios(context: typer.Context) -> None:
    """List, show and validate scenarios."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)


@scenarios_app.command("list")
def scenarios_list() -> None:
    """Print the scenarios that ship.

    \b
    Example:
      parlay scenarios list
    """
    from cli.scenarios import print_list

    print_list()


@scenarios_app.command("show")
def scenarios_show(
    scenario: Annotated[str, typer.Argument(metavar="ID|FILE", help="A scenario's id, or a file of your own.")],
) -> None:
    """Print a scenario: both briefings, the declared figures, what may happen.

    \b
    Example:
      parlay scenarios show saas_enterprise
    """
    from cli.scenarios import print_one

    print_one(scenario)


@scenarios_app.command("validate")
def scenarios_validate(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Scenario files (YAML).")],
) -> None:
    """Read scenario files as the game does; print every problem, and what would be right. Exit code 1 if there is one.

    \b
    Example:
      parlay scenarios validate used_car.yaml
    """
    from cli.scenarios import validate

    validate(files)

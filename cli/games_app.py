"""`parlay games`: its commands and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.console import App
from cli.options import Concurrency, FindingsJson, MaxDollars, MaxTokens, Prices, RequestsPerMinute, Timeout

games_app = App(help="Strategic games beside the deal: list, play, measure.", rich_markup_mode="rich")

GameId = Annotated[str, typer.Argument(metavar="ID", help="A game, as `parlay games list` names it.")]
Partner = Annotated[str | None, typer.Option(help="Who sits in the other seats; left out: the game's usual partner.")]
Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="An option of the game's setup; may be repeated.")
]
Documents = Annotated[
    Path | None, typer.Option(envvar="PARLAY_DOCUMENTS", help="undercover: a folder of texts, in place of its own.")
]


@games_app.callback(invoke_without_command=True)
def games(context: typer.Context) -> None:
    """Strategic games beside the deal: list, play, measure."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)


@games_app.command("list")
def games_list(json: FindingsJson = None) -> None:
    """Print the games: seats, players, and where each is served.

    \b
    Example:
      parlay games list
    """
    from cli.games import print_list

    print_list(json)


@games_app.command("show")
def games_show(game: GameId) -> None:
    """Print a game's rules, seats, players, options, and what a move is.

    \b
    Example:
      parlay games show levers
    """
    from cli.games import print_one

    print_one(game)


@games_app.command("play")
def games_play(
    game: GameId,
    seat: Annotated[str | None, typer.Option(help="Yours; left out: drawn.")] = None,
    partner: Partner = None,
    seed: Annotated[int | None, typer.Option(min=0, help="The instance; left out: drawn.")] = None,
    chosen: Set = None,
    player: Annotated[str | None, typer.Option("--as", help="Watch this player in your seat instead.")] = None,
    documents: Documents = None,
    log: Annotated[
        Path | None, typer.Option(help="Write the episode's log to this file; - for standard output.")
    ] = None,
) -> None:
    """Play a game in the terminal, or watch a scripted player in your place.

    A move is JSON, or FIELD=VALUE, or the value alone where a move has one field.

    \b
    Examples:
      parlay games play levers
      parlay games play levers --as odd --partner random --seed 7
    """
    from cli.games import play

    play(
        game,
        seat=seat,
        partner=partner,
        seed=seed,
        chosen=chosen or [],
        player=player,
        documents=documents,
        log=log,
    )


@games_app.command("eval")
def games_eval(
    game: GameId,
    players: Annotated[
        str, typer.Option("--player", help="Who is measured, comma-separated; all: the scripted.")
    ] = "all",
    partner: Partner = None,
    episodes: Annotated[int, typer.Option(min=1, max=1_000_000, help="Of each player, one a seed.")] = 200,
    seed_start: Annotated[int, typer.Option(min=0, help="The first seed.")] = 0,
    chosen: Set = None,
    documents: Documents = None,
    concurrency: Concurrency = 8,
    max_dollars: MaxDollars = None,
    max_tokens: MaxTokens = None,
    prices: Prices = "",
    requests_per_minute: RequestsPerMinute = None,
    timeout: Timeout = 60.0,
    json: FindingsJson = None,
) -> None:
    """Measure players against a partner: reward and the game's own measures, with intervals; in rps_talk also ISE, SRP
    and LO. A player or the partner may be a language model, llm:PROVIDER/MODEL.

    \b
    Examples:
      parlay games eval levers --partner random
      parlay games eval levers --player odd,highest --episodes 1000 --json levers.json
      parlay games eval rps_talk --player llm:local/smollm2,naive --episodes 10
    """
    from cli.games import evaluate
    from cli.language import means

    code = evaluate(
        game,
        players=players,
        partner=partner,
        episodes=episodes,
        seed_start=seed_start,
        chosen=chosen or [],
        documents=documents,
        json=json,
        how=means(concurrency, max_dollars, max_tokens, prices, requests_per_minute, timeout),
    )
    if code:
        raise typer.Exit(code)

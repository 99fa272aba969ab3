"""`parlay`: the commands and their options. What a command does stands in its own module, loaded when it runs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cli.benchmark_app import benchmark_app
from cli.console import App
from cli.data_app import data_app
from cli.games_app import games_app
from cli.options import (
    Concurrency,
    EngineName,
    Episodes,
    FindingsJson,
    HeldOutSplit,
    MaxDollars,
    MaxTokens,
    Opponents,
    Prices,
    RequestsPerMinute,
    ScenariosPlayed,
    Seats,
    SecondsForMove,
    SeedStart,
    TablePage,
    Timeout,
    Workers,
)
from cli.scenarios_app import scenarios_app
from cli.train_app import train_app

app = App(
    name="parlay",
    help="Negotiate under hidden information: serve it to agents, play it, measure policies.",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)
app.add_typer(scenarios_app, name="scenarios")
app.add_typer(benchmark_app, name="benchmark")
app.add_typer(data_app, name="data")
app.add_typer(train_app, name="train")
app.add_typer(games_app, name="games")


def _print_version(wanted: bool) -> None:
    if wanted:
        from parlay_env import __version__

        typer.echo(f"parlay {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True, epilog="Start here: [bold]parlay play[/bold]")
def parlay(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Negotiate under hidden information: serve it to agents, play it, measure policies."""
    del version
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; 0.0.0.0 for every one.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port to listen on.")] = None,
    env_only: Annotated[bool, typer.Option("--env-only", help="The doors for agents alone.")] = False,
) -> None:
    """Serve the environment over WebSocket and HTTP, until Ctrl-C.

    \b
    Examples:
      parlay serve
      parlay serve --host 0.0.0.0 --port 8001 --env-only
    """
    from cli.serve import serve as command

    command(host, port, env_only)


class Transport(StrEnum):
    """How MCP clients speak to the server."""

    stdio = "stdio"
    sse = "sse"
    http = "http"


@app.command()
def mcp(
    transport: Annotated[
        Transport,
        typer.Argument(help="stdio: a client starts this command; http: clients call an address; sse: older."),
    ] = Transport.stdio,
    host: Annotated[str | None, typer.Option(help="With http and sse: the address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="With http and sse: the port.")] = None,
) -> None:
    """Serve negotiations as tools to MCP clients. (parlay serve does so, too, at /mcp-server.)

    \b
    Examples:
      parlay mcp
      parlay mcp http --port 8002
    """
    from cli.mcp import mcp as command

    command(transport.value, host, port)


@app.command()
def play(
    scenario: Annotated[str | None, typer.Option(help="An id (`parlay scenarios list`), or a file of yours.")] = None,
    seat: Annotated[str | None, typer.Option(help="Your seat: seller or buyer.")] = None,
    persona: Annotated[str | None, typer.Option(help="Your opponent: shark, diplomat, veteran, or any.")] = None,
    seed: Annotated[int | None, typer.Option(help="Play this very game; left out: a new one.")] = None,
    no_colour: Annotated[bool, typer.Option("--no-colour", "--no-color", help="Plain text.")] = False,
) -> None:
    """Negotiate in the terminal. What is not given is asked for; `help` in the game says what can be typed.

    \b
    Examples:
      parlay play
      parlay play --scenario supplier_contract --seat buyer --persona diplomat
    """
    from cli.play.game import play as command

    command(scenario, seat, persona, seed, no_colour)


@app.command()
def run(
    policy: Annotated[str, typer.Option(help="Policies to try, comma-separated; the first is compared with.")],
    episodes: Episodes = 50,
    scenario: ScenariosPlayed = "all",
    persona: Opponents = "all",
    seat: Seats = "both",
    split: Annotated[str, typer.Option(help="train, validation or test: whose seeds and headlines.")] = "validation",
    seed_start: SeedStart = 0,
    by: Annotated[str, typer.Option(help="Rows: policy, scenario, persona, seat or cell.")] = "policy",
    workers: Workers = 0,
    concurrency: Concurrency = 8,
    max_dollars: MaxDollars = None,
    max_tokens: MaxTokens = None,
    prices: Prices = "",
    requests_per_minute: RequestsPerMinute = None,
    timeout: Timeout = 60.0,
    json: Annotated[
        Path | None, typer.Option(help="Write everything, every episode too, to this file; - for standard output.")
    ] = None,
) -> None:
    """Play policies against the personas on the same seeds, and print what they reach, with 95 % intervals.

    \b
    Examples:
      parlay run --policy boulware --episodes 100
      parlay run --policy tit_for_tat,conceder --persona shark --by cell --json results.json
      parlay run --policy llm:local/smollm2,conceder --episodes 2 --scenario saas_enterprise --persona diplomat
    """
    from cli.language import language_run, means
    from cli.plans import plan
    from cli.run import run as command

    how = means(concurrency, max_dollars, max_tokens, prices, requests_per_minute, timeout)
    chosen = plan(policy, episodes, scenario, persona, seat, split, seed_start)
    if code := command(chosen, by, workers, json, language_run(chosen.policies, how)):
        raise typer.Exit(code)


@app.command("eval")
def evaluate(
    policies: Annotated[str, typer.Option(help="Policies, comma-separated, or all; the first is compared with.")],
    episodes: Episodes = 50,
    scenario: ScenariosPlayed = "all",
    persona: Opponents = "all",
    seat: Seats = "both",
    split: Annotated[
        str, typer.Option(help="Whose seeds and headlines: test; while developing, validation or train.")
    ] = "test",
    seed_start: SeedStart = 0,
    words: Annotated[bool, typer.Option("--words", help="Let opponents speak: slower, the same moves.")] = False,
    reward: Annotated[str, typer.Option(help="default, or literal: the naive reading, to compare.")] = "default",
    workers: Workers = 0,
    engine: EngineName = "local",
    concurrency: Concurrency = 8,
    max_dollars: MaxDollars = None,
    max_tokens: MaxTokens = None,
    prices: Prices = "",
    requests_per_minute: RequestsPerMinute = None,
    timeout: Timeout = 60.0,
    no_plots: Annotated[bool, typer.Option("--no-plots", help="Draw no plots (they need matplotlib).")] = False,
    out: Annotated[Path, typer.Option(help="The folder for episodes, summary, report and plots.")] = Path(
        "outputs/eval"
    ),
) -> None:
    """Measure policies on held-out seeds, into a folder with a report. The same command goes on where it was stopped.

    \b
    Examples:
      parlay eval --policies tit_for_tat,boulware,conceder --episodes 20
      parlay eval --policies all --episodes 200 --workers 8 --out outputs/ladder
    """
    from cli.eval import evaluate_to
    from cli.language import language_run, means
    from cli.plans import plan

    how = means(concurrency, max_dollars, max_tokens, prices, requests_per_minute, timeout)
    chosen = plan(policies, episodes, scenario, persona, seat, split, seed_start, words, reward)
    evaluate_to(chosen, workers, out, not no_plots, language_run(chosen.policies, how), engine)


@app.command()
def audit(
    only: Annotated[str, typer.Option(help="Exploits to play, comma-separated, or all.")] = "all",
    episodes: Annotated[
        int | None,
        typer.Option(min=1, max=1_000_000, help="Rounds: episodes in each cell, 100; quick: 3."),
    ] = None,
    split: HeldOutSplit = "test",
    seed_start: SeedStart = 0,
    socket: Annotated[
        int | None,
        typer.Option(min=0, help="Episodes of each exploit over a live socket: 200; quick: 4; 0 leaves it out."),
    ] = None,
    workers: Workers = 0,
    out: Annotated[
        Path | None, typer.Option(help="Keep episodes in this folder; a stopped audit goes on there.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Seconds, not minutes: few episodes in six cells.")] = False,
    tests: Annotated[bool, typer.Option("--tests", help="Run the tests of what no player can express, too.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 1 also for what is not proven.")] = False,
    json: FindingsJson = None,
    write: Annotated[Path | None, typer.Option(help="Put the findings into this page.")] = None,
) -> None:
    """Play every exploit on held-out seeds against what `bayes` earns there. Exit code 1 if one comes too near.

    \b
    Examples:
      parlay audit --quick
      parlay audit --out outputs/audit --write docs/trust.md
      parlay audit --only magpie,card_spam --episodes 300 --socket 0
    """
    from cli.audit import run_audit

    run_audit(only, episodes, split, seed_start, socket, workers, out, quick, tests, strict, json, write)


@app.command("reward-study")
def reward_study(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a finished `parlay eval`.")],
    literal: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The same evaluation under --reward literal.")
    ] = None,
) -> None:
    """Study whether the reward pays for negotiating well: rank correlations, each term left out, the literal reading.

    \b
    Examples:
      parlay reward-study outputs/eval
      parlay reward-study outputs/eval --literal outputs/literal
    """
    from cli.reward_study import reward_study as command

    command(folder, literal)


@app.command("belief-study")
def belief_study(
    episodes: Annotated[int, typer.Option(min=1, max=1_000_000, help="Episodes in all.")] = 2000,
    split: HeldOutSplit = "test",
    seed_start: SeedStart = 0,
    learner: Annotated[str, typer.Option(help="The policy that plays; it should not use beliefs.")] = "tit_for_tat",
    asks: Annotated[bool, typer.Option("--asks", help="It puts the four questions in its first four turns.")] = False,
    workers: Workers = 0,
    out: Annotated[Path, typer.Option(help="The folder for findings and plots.")] = Path("outputs/beliefs"),
    json: FindingsJson = None,
    write: Annotated[Path | None, typer.Option(help="Put findings and plots into this page.")] = None,
) -> None:
    """Measure the belief tracker on held-out seeds: do its intervals hold, when does it beat the prior, how fast is it.

    \b
    Examples:
      parlay belief-study --episodes 60
      parlay belief-study --seed-start 5000 --workers 2 --write docs/trust.md
    """
    from cli.belief_study import belief_study as command

    command(episodes, split, seed_start, learner, asks, workers, out, json, write)


@app.command("injection-study")
def injection_study(
    model: Annotated[str | None, typer.Option(help="Also a sample of them against this model, as local/FILE.")] = None,
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="Episodes for each message and persona.")] = 1,
    sample: Annotated[int, typer.Option(min=1, max=100, help="Messages of each kind for the model.")] = 1,
    moves: Annotated[int, typer.Option(min=1, max=200, help="Moves that the model words in an episode.")] = 3,
    seconds: SecondsForMove = 60.0,
    json: FindingsJson = None,
    write: TablePage = None,
) -> None:
    """Type hostile messages at personas that speak through a language model, and count what they change and leak.

    \b
    Examples:
      parlay injection-study
      parlay injection-study --model local/smollm2 --write docs/models.md
    """
    from cli.narrated import injection_study as command

    command(model, seeds, sample, moves, seconds, json, write)


@app.command()
def narrate(
    model: Annotated[str, typer.Option(help="The model that words the moves, as local/FILE.")],
    scenario: Annotated[str, typer.Option(help="A scenario's id.")] = "saas_enterprise",
    seed: Annotated[int, typer.Option(min=0, help="Which game, or the first of them.")] = 1004,
    games: Annotated[int, typer.Option(min=1, max=1000, help="Games of each persona's; the first is shown.")] = 1,
    moves: Annotated[int, typer.Option(min=1, max=200, help="Moves of each persona's in a game.")] = 6,
    seconds: SecondsForMove = 60.0,
    write: Annotated[Path | None, typer.Option(help="Put the lines into this page.")] = None,
) -> None:
    """Let a language model word the personas' moves, beside their scripted words, and count which of its words pass.

    \b
    Examples:
      parlay narrate --model local/smollm2 --games 6 --moves 12 --write docs/models.md
    """
    from cli.narrated import narrate as command

    command(model, scenario, seed, games, moves, seconds, write)


@app.command()
def read(
    dialogues: Annotated[Path, typer.Argument(metavar="DIALOGUES", help="CaSiNo's JSON, or plain; - for stdin.")],
    issues: Annotated[
        str | None, typer.Option(help="What a plain one divides: Food:3,Water:3; price if left out.")
    ] = None,
    split: Annotated[int | None, typer.Option(min=1, help="Measure the first so many and the others apart.")] = None,
    labels: Annotated[Path | None, typer.Option(help="Offers marked by hand, to measure offers in lines.")] = None,
    json: Annotated[Path | None, typer.Option(help="Write all that was read to this file; - for stdout.")] = None,
    show: Annotated[int | None, typer.Option(min=1, help="Print this dialogue with what was read beside it.")] = None,
) -> None:
    """Read dialogues of people: offers, agreements, claims; measure the reading where deals are annotated.

    \b
    Examples:
      parlay read talk.json --issues Food:3,Water:3,Firewood:3 --show 1
      parlay read casino_valid.json --split 15 --json reading.json
    """
    from cli.read import read as command

    command(dialogues, issues, split, labels, json, show)


@app.command()
def selfplay(
    learner: Annotated[
        str, typer.Option(help="Who plays, comma-separated: policies, or llm:PROVIDER/MODEL.")
    ] = "bayes",
    pairs: Annotated[str, typer.Option(help="SCENARIO:OPPONENT, comma-separated, or all.")] = "all",
    opponent: Annotated[
        str, typer.Option(help="Who sits opposite: persona, the pair's own; or a policy in all pairs.")
    ] = "persona",
    seat: Annotated[str, typer.Option(help="The learner's: seller, buyer or both.")] = "both",
    episodes: Annotated[int, typer.Option(min=1, max=1_000_000, help="Episodes of a learner in each cell.")] = 1,
    split: Annotated[str, typer.Option(help="train or validation: whose seeds and headlines.")] = "train",
    seed_start: SeedStart = 0,
    workers: Workers = 0,
    engine: EngineName = "local",
    concurrency: Concurrency = 8,
    max_dollars: MaxDollars = None,
    max_tokens: MaxTokens = None,
    prices: Prices = "",
    requests_per_minute: RequestsPerMinute = None,
    timeout: Timeout = 60.0,
    out: Annotated[Path, typer.Option(help="The folder for the logs; a stopped run goes on there.")] = Path(
        "outputs/selfplay"
    ),
) -> None:
    """Play learners in every cell, with words and beliefs, into event logs. The same command goes on where it stopped.

    \b
    Examples:
      parlay selfplay --episodes 4 --workers 2
      parlay selfplay --learner bayes,tit_for_tat --pairs saas_enterprise:shark,hiring_package:veteran --seat seller
    """
    from cli.language import means
    from cli.selfplay import selfplay as command

    how = means(concurrency, max_dollars, max_tokens, prices, requests_per_minute, timeout)
    command(learner, pairs, opponent, seat, episodes, split, seed_start, workers, out, how, engine)


@app.command()
def reproduce(
    experiment: Annotated[
        str, typer.Argument(help="levers, signalling, credit, curriculum, commons, or all.", show_default=True)
    ] = "all",
    seeds: Annotated[int, typer.Option(min=2, max=10_000, help="Seeds of each experiment, from 0.")] = 100,
    json: FindingsJson = None,
    write: Annotated[Path | None, typer.Option(help="Put the findings into this page, a picture beside it.")] = None,
) -> None:
    """Run published experiments of tabular learning again: each figure beside ours, with 95 % intervals and a verdict.

    \b
    Examples:
      parlay reproduce levers --seeds 40
      parlay reproduce --json reproduction.json
      parlay reproduce --write docs/reproduction.md
    """
    from cli.reproduce import run as command

    command(experiment, seeds, json, write)


@app.command()
def bench(
    rows: Annotated[str, typer.Option(help="Groups to measure, comma-separated, or all.")] = "all",
    quick: Annotated[bool, typer.Option("--quick", help="Seconds instead of minutes; figures are rough.")] = False,
    openenv_python: Annotated[
        Path | None, typer.Option(help="A Python that has openenv==0.10.0, for the floors that need it.")
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write the rows to this file; - for standard output.")] = None,
    write: Annotated[Path | None, typer.Option(help="Put the table into this document.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 1 if a bar is missed.")] = False,
) -> None:
    """Measure speed and memory against floors measured in the same run. (What policies earn: parlay benchmark.)

    \b
    Examples:
      parlay bench --quick --rows core
      parlay bench --write docs/performance.md
    """
    from cli.bench.command import bench as command

    command(rows, quick, openenv_python, json, write, strict)


if __name__ == "__main__":
    app()

"""`parlay`: the commands and their options. What a command does stands in its own module, loaded when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.console import App

app = App(
    name="parlay",
    help="Negotiate under hidden information: serve it to agents, play it, measure policies.",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)
scenarios_app = App(help="List, show and validate scenarios.", rich_markup_mode="rich")
app.add_typer(scenarios_app, name="scenarios")
benchmark_app = App(
    help="Score policies on parlay-bench-1, the frozen benchmark. (Speed and memory: parlay bench.)",
    rich_markup_mode="rich",
)
app.add_typer(benchmark_app, name="benchmark")


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


@scenarios_app.callback(invoke_without_command=True)
def scenarios(context: typer.Context) -> None:
    """List, show and validate scenarios."""
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
    episodes: Annotated[int, typer.Option(min=1, max=1_000_000, help="Episodes (seeds) in each cell.")] = 50,
    scenario: Annotated[str, typer.Option(help="Scenario ids or files, comma-separated, or all.")] = "all",
    persona: Annotated[str, typer.Option(help="Opponents, comma-separated, or all.")] = "all",
    seat: Annotated[str, typer.Option(help="seller, buyer or both.")] = "both",
    split: Annotated[str, typer.Option(help="train, validation or test: whose seeds and headlines.")] = "validation",
    seed_start: Annotated[int, typer.Option(min=0, help="Where in the split's seeds to begin.")] = 0,
    by: Annotated[str, typer.Option(help="Rows: policy, scenario, persona, seat or cell.")] = "policy",
    workers: Annotated[int, typer.Option(min=0, max=512, help="Processes; 0: as many as help.")] = 0,
    json: Annotated[Path | None, typer.Option(help="Write everything, every episode too, to this file.")] = None,
) -> None:
    """Play policies against the personas on the same seeds, and print what they reach, with 95 % intervals.

    \b
    Examples:
      parlay run --policy boulware --episodes 100
      parlay run --policy tit_for_tat,conceder --persona shark --by cell --json results.json
    """
    from cli.plans import plan
    from cli.run import run as command

    command(plan(policy, episodes, scenario, persona, seat, split, seed_start), by, workers, json)


@app.command("eval")
def evaluate(
    policies: Annotated[str, typer.Option(help="Policies, comma-separated, or all; the first is compared with.")],
    episodes: Annotated[int, typer.Option(min=1, max=1_000_000, help="Episodes (seeds) in each cell.")] = 50,
    scenario: Annotated[str, typer.Option(help="Scenario ids or files, comma-separated, or all.")] = "all",
    persona: Annotated[str, typer.Option(help="Opponents, comma-separated, or all.")] = "all",
    seat: Annotated[str, typer.Option(help="seller, buyer or both.")] = "both",
    split: Annotated[
        str, typer.Option(help="Whose seeds and headlines: test; while developing, validation or train.")
    ] = "test",
    seed_start: Annotated[int, typer.Option(min=0, help="Where in the split's seeds to begin.")] = 0,
    words: Annotated[bool, typer.Option("--words", help="Let opponents speak: slower, the same moves.")] = False,
    reward: Annotated[str, typer.Option(help="default, or literal: the naive reading, to compare.")] = "default",
    workers: Annotated[int, typer.Option(min=0, max=512, help="Processes; 0: as many as help.")] = 0,
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
    from cli.plans import plan

    chosen = plan(policies, episodes, scenario, persona, seat, split, seed_start, words, reward)
    evaluate_to(chosen, workers, out, plots=not no_plots)


@app.command()
def audit(
    only: Annotated[str, typer.Option(help="Exploits to play, comma-separated, or all.")] = "all",
    episodes: Annotated[
        int | None,
        typer.Option(min=1, max=1_000_000, help="Rounds: episodes in each cell, 100; quick: 3."),
    ] = None,
    split: Annotated[str, typer.Option(help="test, validation or train: whose seeds and headlines.")] = "test",
    seed_start: Annotated[int, typer.Option(min=0, help="Where in the split's seeds to begin.")] = 0,
    socket: Annotated[
        int | None,
        typer.Option(min=0, help="Episodes of each exploit over a live socket: 200; quick: 4; 0 leaves it out."),
    ] = None,
    workers: Annotated[int, typer.Option(min=0, max=512, help="Processes; 0: as many as help.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Keep episodes in this folder; a stopped audit goes on there.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Seconds, not minutes: few episodes in six cells.")] = False,
    tests: Annotated[bool, typer.Option("--tests", help="Run the tests of what no player can express, too.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 1 also for what is not proven.")] = False,
    json: Annotated[Path | None, typer.Option(help="Write all findings to this file; - for standard output.")] = None,
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
    split: Annotated[str, typer.Option(help="test, validation or train: whose seeds and headlines.")] = "test",
    seed_start: Annotated[int, typer.Option(min=0, help="Where in the split's seeds to begin.")] = 0,
    learner: Annotated[str, typer.Option(help="The policy that plays; it should not use beliefs.")] = "tit_for_tat",
    asks: Annotated[bool, typer.Option("--asks", help="It puts the four questions in its first four turns.")] = False,
    workers: Annotated[int, typer.Option(min=0, max=512, help="Processes; 0: as many as help.")] = 0,
    out: Annotated[Path, typer.Option(help="The folder for findings and plots.")] = Path("outputs/beliefs"),
    json: Annotated[Path | None, typer.Option(help="Write all findings to this file; - for standard output.")] = None,
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


@benchmark_app.callback(invoke_without_command=True)
def benchmark(context: typer.Context) -> None:
    """Score policies on parlay-bench-1, the frozen benchmark. (Speed and memory: parlay bench.)"""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)


@benchmark_app.command("run")
def benchmark_run(
    policy: Annotated[str, typer.Option(help="Built-in policies, comma-separated, or all.")],
    out: Annotated[Path, typer.Option(help="The folder for records and scores: two files a policy.")],
    workers: Annotated[int, typer.Option(min=0, max=512, help="Processes; 0: as many as help.")] = 0,
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
    write: Annotated[Path | None, typer.Option(help="Put the table into this page.")] = None,
) -> None:
    """Print the scores in a folder as a table, the best first.

    \b
    Example:
      parlay benchmark table outputs/bench-1 --write docs/benchmark.md
    """
    from cli.benchmark import table as command

    command(folder, write)


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


@app.command()
def bench(
    rows: Annotated[str, typer.Option(help="Groups to measure, comma-separated, or all.")] = "all",
    quick: Annotated[bool, typer.Option("--quick", help="Seconds instead of minutes; figures are rough.")] = False,
    openenv_python: Annotated[
        Path | None, typer.Option(help="A Python that has openenv==0.10.0, for the floors that need it.")
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write the rows to this file.")] = None,
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

"""`parlay train`: its commands and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.console import App

train_app = App(
    help="Train language models on negotiations, through the live socket, and measure what they learned.",
    rich_markup_mode="rich",
)

PresetName = Annotated[str, typer.Option("--preset", help="tiny, cpu, budget, headline, large: parlay train presets.")]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="An option of the preset, such as sft.epochs=2; again for more."),
]
OutFolder = Annotated[Path, typer.Option("--out", help="The run's folder; the same command goes on where it stopped.")]
Weights = Annotated[
    str, typer.Option(help="Of the reward functions: efficiency=1,tom=0, comma-separated; left out: 1.")
]
Url = Annotated[str | None, typer.Option(help="A server's address; left out: one is started for the run.")]
Sampler = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="A vLLM server that answers in the model's place (its key, if it has one: VLLM_API_KEY)."
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Of all that is drawn.")]
Threads = Annotated[int, typer.Option(min=0, max=512, help="Of PyTorch on CPUs; 0: its own choice.")]


@train_app.callback(invoke_without_command=True)
def train(context: typer.Context) -> None:
    """Train language models on negotiations, through the live socket, and measure what they learned."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)


@train_app.command("presets")
def presets(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Print this preset's options.")] = None,
    changes: Changes = None,
) -> None:
    """List the presets, what each needs, and whether it would run here; or print one's options.

    \b
    Examples:
      parlay train presets
      parlay train presets cpu --set sft.epochs=2
    """
    from cli.train import presets as command

    command(name, changes or [])


@train_app.command("sft")
def sft(
    data: Annotated[Path, typer.Option(help="The folder of a data set (parlay data build).")],
    out: OutFolder,
    preset: PresetName = "cpu",
    model: Annotated[
        str | None, typer.Option(help="Another model than the preset's: a hub name, a folder, or smollm2.")
    ] = None,
    changes: Changes = None,
    seed: Seed = 0,
    threads: Threads = 0,
) -> None:
    """Fine-tune a model on a data set's moves: loss on the action's tokens only, validation by episode.

    \b
    Examples:
      parlay train sft --data outputs/data --preset cpu --out outputs/sft
      parlay train sft --data outputs/data --preset tiny --out outputs/tiny
    """
    from cli.train import sft as command

    command(data, out, preset, model, changes or [], seed, threads)


@train_app.command("grpo")
def grpo(
    model: Annotated[str, typer.Option(help="What to begin with: the folder `model` of an SFT run, or a hub name.")],
    out: OutFolder,
    preset: PresetName = "cpu",
    changes: Changes = None,
    weights: Weights = "",
    events: Annotated[bool, typer.Option(help="Headlines occur.")] = True,
    url: Url = None,
    sampler: Sampler = None,
    seed: Seed = 0,
    threads: Threads = 0,
) -> None:
    """Let a model learn from its own episodes against the personas, played over the live socket.

    \b
    Examples:
      parlay train grpo --model outputs/sft/model --preset cpu --out outputs/grpo
      parlay train grpo --model outputs/tiny/model --preset tiny --out outputs/tiny-grpo
      parlay train grpo --model outputs/sft/model --preset headline --out outputs/grpo --sampler http://127.0.0.1:8001
    """
    from cli.train import grpo as command

    command(model, out, preset, changes or [], weights, events, url, sampler, seed, threads)


@train_app.command("branch")
def branch(
    method: Annotated[str, typer.Option(help="What learns from a branch: grpo, dpo or star.")],
    model: Annotated[str, typer.Option(help="What to begin with: the folder `model` of an SFT run, or a hub name.")],
    data: Annotated[Path, typer.Option(help="The folder of a data set (parlay data build): whose episodes to branch.")],
    out: OutFolder,
    preset: PresetName = "cpu",
    rounds: Annotated[int | None, typer.Option(min=1, help="Instead of the preset's.")] = None,
    changes: Changes = None,
    weights: Weights = "",
    url: Url = None,
    seed: Seed = 0,
    threads: Threads = 0,
) -> None:
    """Take stored episodes up to a move, finish each several times over the live socket, and learn that move from it.

    \b
    Examples:
      parlay train branch --method dpo --model outputs/sft/model --data outputs/data --out outputs/dpo
      parlay train branch --method star --model outputs/tiny/model --data outputs/data --preset tiny --out outputs/star
    """
    from cli.train import branch as command

    command(method, model, data, out, preset, rounds, changes or [], weights, url, seed, threads)


@train_app.command("eval")
def evaluate(
    models: Annotated[
        list[str], typer.Argument(metavar="NAME=MODEL...", help="Models by name; gains are over the first.")
    ],
    preset: PresetName = "cpu",
    changes: Changes = None,
    seeds: Annotated[int, typer.Option(min=1, max=100_000, help="Held-out seeds in each cell.")] = 35,
    policies: Annotated[
        str, typer.Option(help="Policies of code to measure beside them, comma-separated: tit_for_tat.")
    ] = "",
    temperature: Annotated[
        float, typer.Option(min=0, max=10, help="Of the models' answers; 0: the likeliest token each time.")
    ] = 0.0,
    events: Annotated[bool, typer.Option(help="Headlines occur.")] = True,
    url: Url = None,
    sampler: Sampler = None,
    json: Annotated[
        Path | None, typer.Option("--json", help="Write all findings to this file; - for standard output.")
    ] = None,
    transcript: Annotated[
        Path | None,
        typer.Option(help="Write the pair of episodes with the median gain (last over first) to this file."),
    ] = None,
    threads: Threads = 0,
) -> None:
    """Play models on the same held-out episodes over the live socket: reward, gain, valid moves, habits.

    \b
    Example:
      parlay train eval sft=outputs/sft/model grpo=outputs/grpo/model --preset cpu --policies tit_for_tat
    """
    from cli.train import evaluate as command

    command(
        models, preset, changes or [], seeds, policies, temperature, events, url, sampler, json, transcript, threads
    )


@train_app.command("report")
def report(
    results: Annotated[list[Path], typer.Argument(metavar="RESULTS...", help="Files that `eval --json` wrote.")],
    write: Annotated[
        Path | None, typer.Option(help="Put the tables into this page, between its marks for each file.")
    ] = None,
) -> None:
    """Show findings of `parlay train eval` that were kept: its tables again, in the terminal or in a page.

    \b
    Examples:
      parlay train report results/tiny-grpo.json
      parlay train report results/tiny-grpo.json --write docs/training.md
    """
    from cli.train import report as command

    command(results, write)


@train_app.command("card")
def card(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The --out of a run that is done.")],
    results: Annotated[
        list[Path] | None,
        typer.Option("--results", help="A file that `eval --json` wrote of the model; several: again."),
    ] = None,
) -> None:
    """Write the card of a trained model anew, with what was measured of it. A run writes the first when it ends.

    \b
    Examples:
      parlay train eval sft=outputs/sft/model grpo=outputs/grpo/model --json outputs/eval.json
      parlay train card outputs/grpo --results outputs/eval.json
    """
    from cli.train import card as command

    command(run, results or [])

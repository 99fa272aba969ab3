"""Presets of training runs (`presets.yaml`), options changed by name, and whether this machine can run them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
import yaml

from training.advantages import Baseline, Credit
from training.chat import Form

FILE = Path(__file__).with_name("presets.yaml")
GIB = 2**30
LARGEST = 1e6
"""Of figures that have no bound of their own: infinity is none of them."""
NOMINAL = 0.94
"""What is there of a size as it is sold: a GPU "of 40 GiB" reports 39.4, a machine "with 8 GiB" 7.7."""
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Where Linux tells how much memory a container may have, of control groups 2 and 1."""

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Positive = Annotated[float, msgspec.Meta(gt=0, le=LARGEST)]
Count = Annotated[int, msgspec.Meta(ge=1)]
Natural = Annotated[int, msgspec.Meta(ge=0)]
Extra = Annotated[float, msgspec.Meta(ge=0, le=5)]
"""A weight of shaping. At 5 a better deal is still worth more, however wrong the belief (`training.shaping`)."""
Omega = Annotated[float, msgspec.Meta(ge=50, le=200)]

Stage = Literal["sft", "grpo", "branch"]
"""What is trained, and has options of its own."""


class PresetError(ValueError):
    """There is no such preset or option, or it can't have that value; the message says what would be right."""


class CannotRun(RuntimeError):
    """This machine lacks what the preset needs; the message names the nearest preset that would run."""


class Needs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a run needs, in GiB: main memory, and memory of one GPU (0: none)."""

    memory: Annotated[float, msgspec.Meta(ge=0)]
    gpu: Annotated[float, msgspec.Meta(ge=0)]


class Lora(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Adapters on every linear layer; `top`: of so many uppermost layers alone, 0 for all. What lies below them is not
    gone through backward."""

    rank: Count
    alpha: Count
    dropout: Share
    top: Natural = 0


class Sft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Learning from examples. `examples`: at most so many, evenly over episodes; 0: all. `warmup`: share of steps."""

    epochs: Count
    examples: Natural
    learning_rate: Positive
    batch: Count
    accumulate: Count
    warmup: Share


class Lead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A curriculum of shorter games: for `steps` steps a policy plays the first `moves` moves of every episode, fewer
    where it would end it by them. After that games are whole."""

    by: str
    moves: Natural
    steps: Natural


class Grpo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Learning from rollouts. A step plays `tasks` × `group` episodes and makes `minibatches` updates of them.

    `answers`: the share of them that is learned from, drawn anew each step. `omega`: the cliff at the start, and after
    `omega_steps` steps. `lead`: who plays an episode's beginning. `scenarios`: ids, or `all`. `credit`, `baseline`:
    what an answer's advantage is of, and against what (`training.advantages`).
    """

    steps: Count
    tasks: Count
    group: Annotated[int, msgspec.Meta(ge=2)]
    minibatches: Count
    learning_rate: Positive
    clip: Positive
    kl: Annotated[float, msgspec.Meta(ge=0, le=LARGEST)]
    temperature: Positive
    omega: tuple[Omega, Omega]
    omega_steps: Natural
    lead: Lead
    answers: Annotated[float, msgspec.Meta(gt=0, le=1)]
    credit: Credit
    baseline: Baseline
    scenarios: tuple[str, ...]
    personas: tuple[str, ...]
    seats: tuple[str, ...]


class Shaping(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Weights of what is added to a branch's reward: `training.shaping` says what each is of. 0: nothing."""

    ise: Extra = 0.0
    lo: Extra = 0.0


class Branching(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Learning from branches. A round finishes `prefixes`, each `k` times, and makes about `updates` updates of them.

    `temperature`: of the message at the branch; `rest`: of what comes after it, 0 for the likeliest answers, with which
    a group's rewards differ by that message alone. `beta`: how hard DPO holds the model to what it began as.
    `held_out`: prefixes that are measured now and then. `own`: prefixes are of episodes that the model plays itself, on
    the stored ones' seeds. `shaping`: what is added to what the branches were paid. GRPO's clip and penalty are those
    of `grpo`.
    """

    rounds: Count
    prefixes: Count
    k: Annotated[int, msgspec.Meta(ge=2)]
    updates: Count
    learning_rate: Positive
    beta: Positive
    temperature: Positive
    rest: Annotated[float, msgspec.Meta(ge=0)]
    held_out: Count
    own: bool
    shaping: Shaping = Shaping()


class Preset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A training run's options. `prompt_tokens`, `answer_tokens`: the most of a prompt, and of an answer."""

    about: str
    model: str
    form: Form
    dtype: Literal["float32", "bfloat16"]
    needs: Needs
    answer_tokens: Count
    prompt_tokens: Count
    sft: Sft
    grpo: Grpo
    branch: Branching
    lora: Lora | None = None


class Machine(msgspec.Struct, frozen=True):
    """What there is, in GiB: main memory, and memory of the largest GPU (0: none)."""

    memory: float
    gpu: float


@cache
def _read() -> dict[str, Any]:
    return yaml.safe_load(FILE.read_text())


def names() -> tuple[str, ...]:
    """All presets, the smallest first."""
    return tuple(_read())


def preset(name: str, changes: Sequence[str] = ()) -> Preset:
    """The preset of this name with options changed: `KEY=VALUE`, the key dotted (`sft.learning_rate=1e-4`), the value
    as YAML. Raises PresetError."""
    found = _read().get(name)
    if found is None:
        raise PresetError(f"there is no preset {name!r}; choose from {', '.join(names())}")
    options = msgspec.json.decode(msgspec.json.encode(found))
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals:
            raise PresetError(f"an option is KEY=VALUE, not {change!r}; sft.learning_rate=1e-4 is one")
        _change(options, key.strip(), _value(key, value))
    try:
        return msgspec.convert(options, Preset)
    except msgspec.ValidationError as error:
        raise PresetError(f"{_place(str(error))} Options and their values: training/presets.yaml") from None


_WITH_EXPONENT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)e[-+]?\d+", re.IGNORECASE)


def _value(key: str, given: str) -> Any:
    """A value as YAML reads it; `1e-4`, which YAML takes for a word, is a number."""
    try:
        return float(given) if _WITH_EXPONENT.fullmatch(given.strip()) else yaml.safe_load(given)
    except yaml.YAMLError:
        raise PresetError(f"{key} can't be {given!r}: that is no YAML value") from None


_ADAPTERS = "{rank: 16, alpha: 32, dropout: 0.05}"
"""What is named to who changes adapters that the preset has none of."""


def _change(options: dict[str, Any], key: str, value: Any) -> None:
    *path, last = key.split(".")
    place: Any = options
    for part in path:
        place = place.get(part) if isinstance(place, dict) else None
    if path == ["lora"] and place is None:
        raise PresetError(f"the preset has no adapters, and so no {key!r}; lora={_ADAPTERS} puts some on")
    known = Preset.__struct_fields__ if not path else tuple(place) if isinstance(place, dict) else ()
    if last not in known:
        offered = ", ".join(known) if known else ", ".join(Preset.__struct_fields__)
        raise PresetError(f"there is no option {key!r}; there are {offered}")
    place[last] = value


def _place(message: str) -> str:
    """msgspec's message with the option's name as it is given on the command line: `sft.batch`."""
    what, _, where = message.partition(" - at `$.")
    return f"{where.rstrip('`')}: {what}." if where else f"{what}."


def machine() -> Machine:
    """This machine: memory as the operating system tells it, or less where a container may have less; the largest GPU
    as PyTorch does, where it is installed."""
    gpu = 0.0
    try:
        import torch
    except ModuleNotFoundError:
        pass
    else:
        if torch.cuda.is_available():
            gpu = max(torch.cuda.get_device_properties(k).total_memory for k in range(torch.cuda.device_count())) / GIB
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return Machine(min([there, *_allowed()]) / GIB, gpu)


def _allowed(files: Sequence[str] = _LIMITS) -> list[int]:
    """Bytes of memory that this process's container may have; none where nothing says so."""
    found = [Path(file).read_text().strip() for file in files if Path(file).is_file()]
    return [int(one) for one in found if one.isdecimal()]


def check(name: str, chosen: Preset, here: Machine) -> None:
    """Raise CannotRun where this machine lacks what the preset needs."""
    lacks = _lacks(chosen.needs, here)
    if not lacks:
        return
    fits = [other for other in names() if not _lacks(preset(other).needs, here)]
    way = f"--preset {fits[-1]} would run here" if fits else "no preset would run here"
    raise CannotRun(f"preset {name} needs {lacks}; {way}")


def _lacks(needs: Needs, here: Machine) -> str:
    if NOMINAL * needs.gpu > here.gpu:
        there = f"the largest here has {round(here.gpu, 1):g}" if here.gpu else "there is none"
        return f"a GPU with {needs.gpu:g} GiB, and {there}"
    if NOMINAL * needs.memory > here.memory:
        return f"{needs.memory:g} GiB of memory, and this machine has {round(here.memory, 1):g}"
    return ""


def check_weights(chosen: Preset) -> None:
    """Raise PresetError where all weights would be trained in half precision: steps of rollouts are smaller than the
    distance from one of its figures to the next, and nothing would change."""
    if chosen.lora is None and chosen.dtype != "float32":
        raise PresetError(
            f"all weights in {chosen.dtype} would stay as they are, since the steps are smaller than their rounding: "
            f"set dtype=float32, or lora={_ADAPTERS}"
        )


def as_dict(chosen: Preset, *stages: Stage) -> Mapping[str, Any]:
    """The options as plain data: what a run's config file holds. `stages`: with the options of these alone, so that a
    run goes on whatever those of others are."""
    found = msgspec.to_builtins(chosen)
    left = [one for one in get_args(Stage) if stages and one not in stages]
    return {name: value for name, value in found.items() if name not in left}

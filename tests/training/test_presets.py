"""Presets are what the specification says, options are changed by name, and a machine that is too small is told what
would run on it."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from training.presets import (
    FILE,
    CannotRun,
    Machine,
    Preset,
    PresetError,
    _allowed,
    as_dict,
    check,
    check_weights,
    machine,
    names,
    preset,
)

LAPTOP = Machine(memory=16, gpu=0)
TWENTY_FOUR = Machine(memory=32, gpu=24)
EIGHTY = Machine(memory=128, gpu=80)


@pytest.mark.parametrize("name", names())
def test_every_preset_is_read_whole(name: str) -> None:
    """No option of the file is dropped, and none is missing in it."""
    written = yaml.safe_load(FILE.read_text())[name]
    found = as_dict(preset(name))
    assert {**found, "lora": found["lora"]} == {"lora": None, **_plain(written)}
    assert found["about"].endswith(".")


def _plain(written: dict) -> dict:
    grpo = {key: tuple(value) if isinstance(value, list) else value for key, value in written["grpo"].items()}
    return {**written, "grpo": grpo}


def test_presets_grow() -> None:
    """The nearest smaller one is the one before: each needs no less than that."""
    assert names() == ("tiny", "cpu", "budget", "headline", "large")
    needs = [preset(name).needs for name in names()]
    for smaller, larger in pairwise(needs):
        assert smaller.memory <= larger.memory and smaller.gpu <= larger.gpu


@pytest.mark.parametrize(("name", "steps", "group"), [("headline", 100, 4), ("budget", 80, 2)])
def test_the_large_runs_are_the_specification_s(name: str, steps: int, group: int) -> None:
    found = preset(name)
    assert found.model == "Qwen/Qwen2.5-1.5B-Instruct"
    assert found.form == "full"
    assert found.lora is not None
    assert (found.lora.rank, found.lora.alpha, found.lora.dropout) == (16, 32, 0.05)
    assert (found.sft.epochs, found.sft.learning_rate, found.sft.examples) == (3, 2e-4, 0)
    assert (found.grpo.steps, found.grpo.group) == (steps, group)
    assert (found.grpo.kl, found.grpo.clip, found.grpo.learning_rate) == (0.001, 0.2, 5e-7)
    assert (found.grpo.omega, found.grpo.omega_steps) == ((50, 200), 30)
    assert (found.grpo.credit, found.grpo.baseline) == ("episode", "group")
    assert found.grpo.scenarios == ("all",)
    assert found.grpo.personas == ("shark", "diplomat", "veteran")
    assert found.grpo.seats == ("seller", "buyer")


def test_the_run_without_a_gpu_is_the_specification_s() -> None:
    found = preset("cpu")
    assert found.model == "smollm2"
    assert found.needs.gpu == 0
    assert (found.sft.epochs, found.sft.examples) == (1, 300)
    assert found.grpo.scenarios == ("saas_enterprise",), "short games of one issue"
    assert found.grpo.learning_rate > preset("headline").grpo.learning_rate
    assert found.grpo.tasks * found.grpo.group < preset("headline").grpo.tasks * preset("headline").grpo.group


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("sft.learning_rate=1e-4", lambda one: one.sft.learning_rate == 1e-4),
        ("sft.learning_rate=1E-4", lambda one: one.sft.learning_rate == 1e-4),
        ("sft.learning_rate=.5", lambda one: one.sft.learning_rate == 0.5),
        ("grpo.scenarios=[hiring_package, acquisition_term_sheet]", lambda one: len(one.grpo.scenarios) == 2),
        ("grpo.omega=[100, 150]", lambda one: one.grpo.omega == (100, 150)),
        ("model=some/model", lambda one: one.model == "some/model"),
        ("model=1e-model", lambda one: one.model == "1e-model"),
        ("model=outputs/a=b", lambda one: one.model == "outputs/a=b"),
        ("form=full", lambda one: one.form == "full"),
        ("lora.rank=4", lambda one: one.lora.rank == 4 and one.lora.alpha == 32),
        ("lora=null", lambda one: one.lora is None),
        (" grpo.credit = turn", lambda one: one.grpo.credit == "turn"),
    ],
)
def test_options_are_changed_by_name(change: str, value: Any) -> None:
    found = preset("cpu", [change])
    assert value(found)
    assert preset("cpu") != found, "and the preset itself stays as it is"


def test_the_last_change_counts() -> None:
    assert preset("cpu", ["sft.epochs=2", "sft.epochs=5"]).sft.epochs == 5


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("sft.epochs", ("KEY=VALUE", "'sft.epochs'")),
        ("sft.epoch=2", ("'sft.epoch'", "epochs, examples, learning_rate")),
        ("stf.epochs=2", ("'stf.epochs'", "sft", "grpo")),
        ("speed=2", ("'speed'", "about, model, form")),
        ("sft.epochs.first=2", ("'sft.epochs.first'", "sft")),
        ("=2", ("''", "about, model")),
        ("sft.epochs=two", ("sft.epochs", "int")),
        ("sft.epochs=1.5", ("sft.epochs", "int")),
        ("sft.epochs=", ("sft.epochs", "int")),
        ("sft.epochs=0", ("sft.epochs", ">= 1")),
        ("sft.learning_rate=-1e-4", ("sft.learning_rate", "> 0")),
        ("sft.learning_rate=.nan", ("sft.learning_rate", "> 0")),
        ("sft.learning_rate=1e999", ("sft.learning_rate", "<= 1000000")),
        ("sft.warmup=2", ("sft.warmup", "<= 1")),
        ("grpo.group=1", ("grpo.group", ">= 2")),
        ("grpo.omega=[50]", ("grpo.omega", "length 2")),
        ("grpo.omega=[49, 200]", ("grpo.omega", ">= 50")),
        ("grpo.personas=shark", ("grpo.personas", "array")),
        ("grpo.credit=token", ("grpo.credit", "token")),
        ("form=long", ("form", "long")),
        ("dtype=float16", ("dtype", "float16")),
        ("sft.epochs=[1", ("sft.epochs", "YAML")),
        ("lora={rank: 8}", ("lora", "alpha")),
        ("sft=fast", ("sft", "object")),
    ],
)
def test_what_can_t_be_changed_so_is_refused_by_name(change: str, told: tuple[str, ...]) -> None:
    with pytest.raises(PresetError) as error:
        preset("cpu", [change])
    for part in told:
        assert part in str(error.value), str(error.value)
    assert "\n" not in str(error.value)


def test_an_option_of_adapters_where_there_are_none_is_told_of() -> None:
    with pytest.raises(PresetError, match=r"'lora.rank'.*lora=\{rank: 16, alpha: 32, dropout: 0.05\}"):
        preset("tiny", ["lora.rank=8"])
    found = preset("tiny", ["lora={rank: 16, alpha: 32, dropout: 0.05}", "lora.rank=8"])
    assert found.lora is not None and found.lora.rank == 8


def test_an_unknown_preset_is_refused_with_those_there_are() -> None:
    with pytest.raises(PresetError, match=r"'huge'.*tiny, cpu, budget, headline, large"):
        preset("huge")


def test_a_change_reaches_no_other_run() -> None:
    preset("cpu", ["grpo.scenarios=[hiring_package]", "lora.rank=1"])
    assert preset("cpu").grpo.scenarios == ("saas_enterprise",)
    assert preset("cpu").lora is not None
    assert preset("cpu").lora.rank == 16  # pyright: ignore[reportOptionalMemberAccess]


@pytest.mark.parametrize(
    ("name", "here", "lacks", "nearest"),
    [
        ("headline", TWENTY_FOUR, "a GPU with 40 GiB, and the largest here has 24", "budget"),
        ("large", TWENTY_FOUR, "a GPU with 70 GiB, and the largest here has 24", "budget"),
        ("headline", LAPTOP, "a GPU with 40 GiB, and there is none", "cpu"),
        ("cpu", Machine(memory=4, gpu=0), "8 GiB of memory, and this machine has 4", "tiny"),
        ("large", Machine(memory=64, gpu=80), "128 GiB of memory, and this machine has 64", "headline"),
    ],
)
def test_a_machine_that_is_too_small_is_told_what_runs_on_it(
    name: str, here: Machine, lacks: str, nearest: str
) -> None:
    with pytest.raises(CannotRun) as error:
        check(name, preset(name), here)
    assert str(error.value) == f"preset {name} needs {lacks}; --preset {nearest} would run here"
    check(nearest, preset(nearest), here)


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("headline", Machine(memory=62.8, gpu=39.4)),
        ("cpu", Machine(memory=7.7, gpu=0)),
        ("budget", Machine(memory=15.4, gpu=21.9)),
    ],
)
def test_a_size_is_what_it_is_sold_as(name: str, here: Machine) -> None:
    """A GPU "of 40 GiB" reports 39.4."""
    check(name, preset(name), here)


def test_what_lacks_a_little_is_told_to_the_tenth() -> None:
    with pytest.raises(CannotRun, match=r"40 GiB, and the largest here has 37\.5;"):
        check("headline", preset("headline"), Machine(memory=64, gpu=37.46))


@pytest.mark.parametrize(("content", "found"), [("2147483648\n", [2**31]), ("max\n", []), ("", [])])
def test_a_container_has_what_it_may_have(tmp_path: Path, content: str, found: list[int]) -> None:
    (tmp_path / "memory.max").write_text(content)
    assert _allowed([str(tmp_path / "memory.max"), str(tmp_path / "none")]) == found


def test_all_weights_in_half_precision_are_refused() -> None:
    check_weights(preset("headline"))
    check_weights(preset("headline", ["lora=null", "dtype=float32"]))
    with pytest.raises(PresetError, match=r"would stay as they are.*set dtype=float32, or lora=\{rank"):
        check_weights(preset("headline", ["lora=null"]))


def test_where_nothing_runs_that_is_said() -> None:
    with pytest.raises(CannotRun, match="no preset would run here"):
        check("tiny", preset("tiny"), Machine(memory=1, gpu=0))


def test_everything_runs_where_there_is_enough() -> None:
    for name in names():
        check(name, preset(name), EIGHTY)


def test_what_counts_is_the_run_s_own_need() -> None:
    """Who says that it needs less is believed."""
    check("budget", preset("budget", ["needs.gpu=0"]), LAPTOP)


def test_this_machine_is_measured() -> None:
    here = machine()
    assert math.isfinite(here.memory) and here.memory > 0.1
    assert here.gpu >= 0
    assert isinstance(preset("tiny"), Preset)


def test_a_run_holds_the_options_of_what_it_trains_alone() -> None:
    chosen = preset("cpu")
    whole, sft = as_dict(chosen), as_dict(chosen, "sft")
    assert set(whole) - set(sft) == {"grpo", "branch"}
    assert as_dict(preset("cpu", ["grpo.steps=7", "branch.k=3"]), "sft") == sft
    assert as_dict(preset("cpu", ["sft.batch=7"]), "sft") != sft

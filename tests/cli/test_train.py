"""`parlay train` tells its presets, and refuses in a line what can't be done: before anything is loaded or begun."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import yaml

from cli.app import app
from training.presets import as_dict, names, preset

from .conftest import ROOT, Run, is_one_line

SUBCOMMANDS = ("presets", "sft", "grpo", "eval")
SFT = ("train", "sft", "--data", "data", "--out", "run")
GRPO = ("train", "grpo", "--model", "model", "--out", "run")
EVAL = ("train", "eval", "a=one", "b=two")


@pytest.fixture
def bare(parlay: Run, tmp_path: Path) -> Run:
    """Run `parlay` where there is no PyTorch, whether or not there is."""
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "sitecustomize.py").write_text("import sys\n\nsys.modules['torch'] = None\n", "utf-8")
    path = os.pathsep.join((str(tmp_path / "without"), str(ROOT)))
    return lambda *arguments, **env: parlay(*arguments, **{"PYTHONPATH": path, **env})


# What there is --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [("train",), ("train", "--help")])
def test_help_lists_what_it_can_do(parlay: Run, arguments: tuple[str, ...]) -> None:
    found = parlay(*arguments)
    assert found.returncode == 0
    assert all(f" {one} " in found.stdout for one in SUBCOMMANDS)


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("presets", ("--set",)),
        ("sft", ("--data", "--out", "--preset", "--model", "--set", "--seed", "--threads")),
        ("grpo", ("--model", "--out", "--preset", "--set", "--weights", "--no-events", "--url", "--seed", "--threads")),
        (
            "eval",
            (
                "--preset",
                "--set",
                "--seeds",
                "--policies",
                "--no-events",
                "--url",
                "--json",
                "--transcript",
                "--threads",
            ),
        ),
    ],
)
def test_the_help_of_each_names_its_options(parlay: Run, command: str, options: tuple[str, ...]) -> None:
    found = parlay("train", command, "--help", COLUMNS="200")
    assert found.returncode == 0
    assert [option for option in options if option not in found.stdout] == []


def test_the_presets_are_listed_with_what_they_need(bare: Run) -> None:
    found = bare("train", "presets")
    assert found.returncode == 0
    lines = found.stdout.splitlines()
    assert lines[0].split() == ["preset", "model", "memory", "GPU", "here"]
    assert [line.split()[0] for line in lines[1:]] == list(names())
    for line, name in zip(lines[1:], names(), strict=True):
        needs = preset(name).needs
        assert f"{needs.memory:g} GiB" in line
        assert line.rstrip().endswith(("runs", "too large"))
        if needs.gpu:
            assert f"{needs.gpu:g} GiB" in line and line.rstrip().endswith("too large"), "there is no GPU to be seen"


@pytest.mark.parametrize("name", ["tiny", "headline"])
def test_a_preset_is_printed_as_it_would_be_written(parlay: Run, name: str) -> None:
    found = parlay("train", "presets", name)
    assert found.returncode == 0
    printed = yaml.safe_load(found.stdout)
    expected = as_dict(preset(name))
    lists = {key: list(value) if isinstance(value, tuple) else value for key, value in expected["grpo"].items()}
    assert printed == {**expected, "grpo": lists}


def test_options_are_changed_one_by_one(parlay: Run) -> None:
    found = parlay("train", "presets", "cpu", "--set", "sft.epochs=2", "--set", "model=" + "long/" * 40)
    printed = yaml.safe_load(found.stdout)
    assert (printed["sft"]["epochs"], printed["model"]) == (2, "long/" * 40)


# Without PyTorch, and on a small machine ------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [SFT, GRPO, EVAL], ids=lambda one: one[1])
def test_without_pytorch_it_is_said_how_to_get_it(bare: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    found = bare(*arguments)
    assert found.returncode == 1
    assert is_one_line(found.stderr)
    assert "training needs torch" in found.stderr
    assert "pip install -r requirements-train.txt" in found.stderr
    assert (ROOT / "requirements-train.txt").is_file()
    assert not (tmp_path / "run").exists()


# What is asked wrongly ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("train", "presets", "huge"), "tiny, cpu, budget, headline, large"),
        (("train", "presets", "cpu", "--set", "sft.epoch=2"), "epochs, examples"),
        (("train", "presets", "cpu", "--set", "sft.epochs=two"), "sft.epochs: Expected `int`"),
        (("train", "presets", "cpu", "--set", "sft.epochs"), "KEY=VALUE"),
        (("train", "preset"), "presets"),
        (("train", "sft", "--out", "run"), "--data"),
        ((*SFT, "--preset", "huge"), "tiny, cpu"),
        ((*SFT, "--set", "lora.rank=0"), "lora.rank"),
        ((*SFT, "--seed", "-1"), "--seed"),
        (("train", "grpo", "--out", "run"), "--model"),
        ((*GRPO, "--weights", "tomm=1"), "efficiency, tom, mev, anti_capitulation, format; not 'tomm=1'"),
        ((*GRPO, "--weights", "tom"), "NAME=NUMBER"),
        ((*GRPO, "--weights", "tom=much"), "not 'tom=much'"),
        ((*GRPO, "--weights", "tom=nan"), "not 'tom=nan'"),
        ((*GRPO, "--weights", "efficiency=1,tom=inf"), "not 'tom=inf'"),
        ((*GRPO, "--set", "grpo.scenarios=[saas]"), "scenarios are of all, saas_enterprise"),
        ((*GRPO, "--set", "grpo.scenarios=[]"), "not none"),
        ((*GRPO, "--set", "grpo.personas=[lamb]"), "personas are of shark, diplomat, veteran; not lamb"),
        ((*GRPO, "--set", "grpo.seats=[judge]"), "seats are of seller, buyer; not judge"),
        ((*GRPO, "--set", "grpo.lead={by: nobody, moves: 4, steps: 2}"), "lead.by is of random"),
        ((*GRPO, "--set", "grpo.lead.moves=-1"), "grpo.lead.moves"),
        ((*GRPO, "--threads", "-1"), "--threads"),
        (("train", "card", "nowhere"), "nowhere holds no run that is done"),
        (("train", "card", "nowhere", "--results", "pyproject.toml"), "pyproject.toml"),
        (("train", "eval"), "NAME=MODEL"),
        (("train", "eval", "outputs/sft/model"), "sft=outputs/sft/model is one"),
        (("train", "eval", "=outputs"), "NAME=MODEL"),
        (("train", "eval", "a="), "NAME=MODEL"),
        (("train", "eval", "a=one", "a=two"), "each name once"),
        ((*EVAL, "--seeds", "0"), "--seeds"),
        ((*EVAL, "--policies", "boulwar"), "there is no policy 'boulwar'; choose from random"),
        ((*EVAL, "--policies", "llm:openai/gpt"), "there is no policy 'llm:openai/gpt'"),
        (("train", "eval", "conceder=one", "--policies", "conceder"), "a name of its own"),
        ((*EVAL, "--policies", "conceder,conceder"), "a name of its own"),
        ((*EVAL, "--set", "grpo.seats=[judge]"), "seats are of seller, buyer; not judge"),
        ((*EVAL, "--json", "no/such/folder.json"), "no such folder"),
        ((*EVAL, "--transcript", "no/such/folder.md"), "no such folder"),
        (("train", "eval", "a=one", "--transcript", "told.md"), "needs two models"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_is_asked_wrongly_is_answered_in_a_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: tuple[str, ...],
    told: str,
) -> None:
    """Also where the libraries are missing: what was asked is looked at first."""
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        app(arguments)
    found = capsys.readouterr()
    assert ended.value.code == 2, found.err
    assert is_one_line(found.err)
    assert told in found.err
    assert found.out == ""
    assert not (tmp_path / "run").exists()

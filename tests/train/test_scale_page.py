"""docs/scale.md: its figures are what the arithmetic prints, its commands are ones that there are."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from typer.main import get_command

from cli.train_app import train_app

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/scale.md").read_text()
SIZES = ROOT / "examples/run_sizes.py"


def test_the_figures_are_what_the_arithmetic_prints() -> None:
    done = subprocess.run([sys.executable, str(SIZES)], cwd=ROOT, capture_output=True, text=True, check=True)
    (shown,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert shown == done.stdout


def test_what_was_measured_of_the_headline_set_is_what_its_page_says() -> None:
    names, data = run_path(str(SIZES)), (ROOT / "docs/data.md").read_text()
    assert f"has {names['PROMPT']} tokens a prompt and 113.5 an action" in data
    assert names["ANSWER"] == pytest.approx(113.5, abs=0.5)
    assert f"| {names['EXAMPLES']:,} |" in data
    assert "1,567 moves of the headline set" in data
    assert names["ANSWERS"] == 1_567 / 140


@pytest.mark.slow
@pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not here: pip install -r requirements-train.txt")
def test_parameters_and_adapters_are_those_of_the_models() -> None:
    torch: Any = import_module("torch")
    transformers: Any = import_module("transformers")
    peft: Any = import_module("peft")
    shapes = run_path(str(SIZES))["SHAPES"]
    heads = {"Qwen/Qwen2.5-1.5B-Instruct": 12, "Qwen/Qwen2.5-7B-Instruct": 28}
    for name, shape in shapes.items():
        config = transformers.Qwen2Config(
            hidden_size=shape.width,
            intermediate_size=shape.inner,
            num_hidden_layers=shape.layers,
            num_attention_heads=heads[name],
            num_key_value_heads=shape.keys // (shape.width // heads[name]),
            vocab_size=shape.words,
            tie_word_embeddings=shape.tied,
        )
        with torch.device("meta"):
            network = transformers.Qwen2ForCausalLM(config)
            assert network.num_parameters() == shape.parameters
            network = peft.get_peft_model(network, peft.LoraConfig(r=16, target_modules="all-linear"))
        learned = sum(one.numel() for one in network.parameters() if one.requires_grad)
        assert learned == shape.adapters(16)


def test_every_command_of_training_has_only_options_that_there_are() -> None:
    commands: Any = get_command(train_app)
    lines = re.findall(r"(?:parlay|cli\.app) train (\w+)([^`\n]*)", PAGE)
    assert len(lines) > 8
    for name, rest in lines:
        known = {option for one in commands.commands[name].params for option in one.opts}
        assert set(re.findall(r"(?<!\S)--[\w-]+", rest)) <= known, name


def test_every_file_it_names_is_there() -> None:
    for name in re.findall(r"(?:--config_file |-f |-r )(\S+)", PAGE):
        assert (ROOT / name).is_file(), name

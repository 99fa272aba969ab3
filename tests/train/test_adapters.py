"""Adapters in half precision: what answers, and what comes out, is the model that was trained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from cli.train import _answers
from training import models
from training.adapters import export, merged, with_adapters
from training.chat import CHATML
from training.presets import preset
from training.run_folder import RunFolder

IDS = torch.arange(5, 40)[None]
SMALL = 1e-4
"""Of an adapter's weights: about what a hundred small steps come to."""


def adapted(place: Path, dtype: str) -> tuple[Any, Any]:
    """A model with adapters that do a little."""
    model, tokenizer = models.load(str(place), dtype)
    tokenizer.chat_template = CHATML
    network = with_adapters(model, preset("tiny", ["lora={rank: 4, alpha: 8, dropout: 0.0}"]), seed=1)
    with torch.no_grad():
        for name, one in network.named_parameters():
            if "lora_B" in name:
                one.fill_(SMALL)
    return network, tokenizer


def logits(network: Any) -> torch.Tensor:
    with torch.no_grad():
        return network(input_ids=IDS).logits.float()


def test_in_half_precision_answers_are_those_of_the_adapter(untrained: Path) -> None:
    network, _ = adapted(untrained, "bfloat16")
    with network.disable_adapter():
        base = logits(network)
    trained = logits(network)
    assert not torch.equal(trained, base)
    with merged(network):
        assert torch.equal(logits(network), trained)
    with network.disable_adapter():
        assert torch.equal(logits(network), base), "the reference is what it was"


def test_what_comes_out_of_half_precision_keeps_the_change(untrained: Path, tmp_path: Path) -> None:
    network, tokenizer = adapted(untrained, "bfloat16")
    exact = network.float()
    wanted = logits(exact)
    with exact.disable_adapter():
        change = wanted - logits(exact)
    export(network.to(torch.bfloat16), tokenizer, RunFolder(tmp_path))
    made, _ = models.load(str(RunFolder(tmp_path).model), models.SAVED)
    assert made.dtype == torch.float32
    assert float((logits(made) - wanted).abs().max()) < 0.3 * float(change.abs().max())
    rounded, _ = models.load(str(RunFolder(tmp_path).model), "bfloat16")
    assert float((logits(rounded) - wanted).abs().max()) > float(change.abs().max()), "why it is not loaded so"


def test_an_evaluation_by_a_preset_in_half_precision_rounds_nothing_away(untrained: Path, tmp_path: Path) -> None:
    network, tokenizer = adapted(untrained, "bfloat16")
    export(network, tokenizer, RunFolder(tmp_path))
    half = preset("tiny", ["dtype=bfloat16"])
    answers, drifts = _answers({"base": str(untrained), "grpo": str(RunFolder(tmp_path).model)}, half, 0.0, None)
    assert set(drifts) == {"grpo"}
    assert {one.__self__.model.dtype for one in answers.values()} == {torch.float32}


def test_an_adapter_is_merged_in_single_precision(untrained: Path, tmp_path: Path) -> None:
    network, tokenizer = adapted(untrained, "bfloat16")
    export(network, tokenizer, RunFolder(tmp_path))
    folder = RunFolder(tmp_path)
    merged_again, _ = models.load(str(untrained), "bfloat16", adapter=str(folder.adapter))
    whole, _ = models.load(str(folder.model), models.SAVED)
    assert float((logits(merged_again) - logits(whole)).abs().max()) < 1e-5


def test_adapters_begin_the_same_for_the_same_seed(untrained: Path) -> None:
    def first(seed: int) -> torch.Tensor:
        model, _ = models.load(str(untrained))
        network = with_adapters(model, preset("tiny", ["lora={rank: 4, alpha: 8, dropout: 0.0}"]), seed)
        return next(one.clone() for name, one in network.named_parameters() if "lora_A" in name)

    torch.manual_seed(99)
    one = first(1)
    torch.manual_seed(7)
    assert torch.equal(one, first(1))
    assert not torch.equal(one, first(2))


def test_adapters_sit_on_the_uppermost_layers_alone_where_that_is_asked_for(untrained: Path) -> None:
    def layers(top: int) -> set[int]:
        model, _ = models.load(str(untrained))
        network = with_adapters(model, preset("tiny", [f"lora={{rank: 4, alpha: 8, dropout: 0.0, top: {top}}}"]), 1)
        names = [name for name, one in network.named_parameters() if one.requires_grad]
        return {int(name.split(".layers.")[1].split(".")[0]) for name in names}

    depth = models.load(str(untrained))[0].config.num_hidden_layers
    everywhere = set(range(depth))
    assert layers(0) == everywhere
    assert layers(2) == {depth - 2, depth - 1}
    assert layers(depth) == layers(depth + 5) == everywhere

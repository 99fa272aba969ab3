"""LoRA adapters: put on a model, merged into its weights while it answers and when it is exported."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from training.presets import Preset
from training.run_folder import RunFolder


def lora(chosen: Preset, model: Any) -> Any:
    """The preset's adapters for this model as peft takes them; None where all weights are trained."""
    if chosen.lora is None:
        return None
    from peft import LoraConfig

    return LoraConfig(
        r=chosen.lora.rank,
        lora_alpha=chosen.lora.alpha,
        lora_dropout=chosen.lora.dropout,
        target_modules="all-linear",
        exclude_modules=_below(chosen.lora.top, model.config.num_hidden_layers),
        task_type="CAUSAL_LM",
    )


def _below(top: int, layers: int) -> str | None:
    """Modules of all layers but the `top` uppermost, as a regular expression; None for none (and for `top` 0)."""
    low = layers - top if top else 0
    return rf"(.*\.)?layers\.({'|'.join(map(str, range(low)))})\..*" if low > 0 else None


def with_adapters(model: Any, chosen: Preset, seed: int) -> Any:
    """The model as it is trained: all of it, or with the preset's adapters on it, drawn by the seed, no dropout."""
    settings = lora(chosen, model)
    if settings is None:
        return model
    import torch
    from peft import get_peft_model

    torch.manual_seed(seed)
    settings.lora_dropout = 0.0
    return get_peft_model(model, settings)


@contextmanager
def merged(model: Any) -> Iterator[None]:
    """Adapters are merged into the weights while the model answers: unmerged ones are many small products a token. Not
    in half precision: most of a small change would be rounded away, and taken out again not leave what was there."""
    if not hasattr(model, "merge_adapter") or str(model.dtype) != "torch.float32":
        yield
        return
    model.merge_adapter()
    try:
        yield
    finally:
        model.unmerge_adapter()


def export(network: Any, tokenizer: Any, folder: RunFolder) -> None:
    """The trained model, merged in single precision; with LoRA the adapter, too. What was there of it goes only when
    the new is whole."""
    if hasattr(network, "merge_and_unload"):
        network.save_pretrained(folder.adapter)
        tokenizer.save_pretrained(folder.adapter)
        network = network.float().merge_and_unload()
    save(network, tokenizer, folder.model)


def save(network: Any, tokenizer: Any, place: Path) -> None:
    """Model and tokenizer into a folder that appears when it is whole."""
    beside = place.with_name(f"{place.name}.new")
    shutil.rmtree(beside, ignore_errors=True)
    network.save_pretrained(beside)
    tokenizer.save_pretrained(beside)
    shutil.rmtree(place, ignore_errors=True)
    beside.rename(place)

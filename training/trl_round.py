"""A round of one of TRL's trainers inside a longer run: a few updates, by an optimiser that outlives the round."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

from training.presets import Preset
from training.run_folder import Row
from training.sft import settings
from training.updates import LARGEST_NORM


def options(chosen: Preset, examples: int, most: int, place: Path, seed: int) -> dict[str, Any]:
    """The config's options for one pass over so many examples in about `branch.updates` updates, at most `most` of them
    in memory at a time. Nothing is saved: the run does that."""
    each = math.ceil(examples / chosen.branch.updates)
    batch = min(each, max(1, most))
    return settings(chosen, place, seed) | {
        "num_train_epochs": 1,
        "per_device_train_batch_size": batch,
        "gradient_accumulation_steps": math.ceil(each / batch),
        "learning_rate": chosen.branch.learning_rate,
        "lr_scheduler_type": "constant",
        "max_grad_norm": LARGEST_NORM,
        "logging_steps": 1,
        "save_strategy": "no",
    }


def fit(trainer: Any, network: Any, shown: Mapping[str, str]) -> Row:
    """Train, and give the means over the updates of what TRL measured; `shown`: its name of a figure, and ours."""
    trainer.train()
    as_loaded(network)
    rows = [row for row in trainer.state.log_history if "loss" in row]
    return {"updates": len(rows), **{ours: fmean(row[theirs] for row in rows) for theirs, ours in shown.items()}}


def as_loaded(network: Any) -> None:
    """Take off what TRL wraps around a model's forward pass: every round would wrap it once more."""
    for one in (network, network.get_base_model() if hasattr(network, "get_base_model") else network):
        vars(one).pop("forward", None)
    network.eval()

"""STaR on branches: supervised training on the best answer of every group, by the trainer of `training.sft`."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training.branching import Branch, best
from training.models import need
from training.presets import Preset
from training.run_folder import Row
from training.sft import template, trainer
from training.trl_round import fit, options
from training.updates import optimizer_of

SHOWN = {"loss": "loss", "mean_token_accuracy": "accuracy"}
"""TRL's figures, and their names in the log."""


class Star:
    """Learns from the best of a group. Every round goes on from the model of the round before."""

    def __init__(self, model: Any, tokenizer: Any, chosen: Preset, place: Path) -> None:
        """`place`: a folder that TRL may have. Raises ModelMissing, and SftError for an unknown form of chat."""
        need("trl", "datasets")
        self.model = model
        self.optimizer = optimizer_of(model, chosen.branch.learning_rate)
        tokenizer.chat_template = template(tokenizer)
        self._tokenizer = tokenizer
        self._chosen = chosen
        self._place = place

    def learn(self, branches: Sequence[Branch], draws: random.Random) -> Row:
        """One pass over the best answers; figures of it."""
        found = best(branches)
        if not found:
            return {"learned": 0}
        made = trainer(
            self.model,
            self._tokenizer,
            [[*one.messages, {"role": "assistant", "content": one.answer}] for one in found],
            options(self._chosen, len(found), self._chosen.sft.batch, self._place, draws.randrange(2**31)),
            optimizers=(self.optimizer, None),
        )
        return {"learned": len(found), **fit(made, self.model, SHOWN)}

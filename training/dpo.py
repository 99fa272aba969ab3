"""DPO on the pairs of branches, by TRL's trainer.

The reference is the model as the run began, whatever the round: with adapters the model without them, else a copy.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training.branching import Branch, Pair, pairs
from training.models import need
from training.presets import Preset
from training.run_folder import Row
from training.trl_round import as_loaded, fit, options
from training.updates import optimizer_of

SHOWN = {"loss": "loss", "rewards/accuracies": "preferred", "rewards/margins": "margin"}
"""TRL's figures, and their names in the log. `preferred`: the share of pairs whose chosen answer has gained on the
other, compared with the reference; `margin`: how much it has, in log-probability times beta."""


class Dpo:
    """Learns from all pairs of a group."""

    def __init__(self, model: Any, tokenizer: Any, chosen: Preset, place: Path) -> None:
        """`place`: a folder that TRL may have. Raises ModelMissing."""
        need("trl", "datasets")
        self.model = model
        self.optimizer = optimizer_of(model, chosen.branch.learning_rate)
        self._tokenizer = tokenizer
        self._chosen = chosen
        self._place = place
        self._adapters = hasattr(model, "disable_adapter")
        self._reference = None if self._adapters else copy.deepcopy(model).requires_grad_(False)

    def learn(self, branches: Sequence[Branch], draws: random.Random) -> Row:
        """One pass over the pairs; figures of it."""
        found = pairs(branches)
        if not found:
            return {"learned": 0}
        measured = fit(self._trainer(found, draws.randrange(2**31)), self.model, SHOWN)
        if self._reference is not None:
            as_loaded(self._reference)
        return {"learned": len(found), **measured}

    def _trainer(self, found: Sequence[Pair], seed: int) -> Any:
        from datasets import Dataset
        from transformers import PrinterCallback
        from trl import DPOConfig, DPOTrainer

        most = self._chosen.sft.batch // 2  # A pair is two conversations.
        made = DPOTrainer(
            model=self.model,
            ref_model=self._reference,
            args=DPOConfig(beta=self._chosen.branch.beta, **options(self._chosen, len(found), most, self._place, seed)),
            train_dataset=Dataset.from_list([row(one) for one in found]),
            processing_class=self._tokenizer,
            optimizers=(self.optimizer, None),
        )
        if self._adapters:
            # TRL holds adapters to a copy of what they are now: the model of this round. Without the copy it takes the
            # model without adapters, which is what the run began with.
            self.model.delete_adapter("ref")
        made.remove_callback(PrinterCallback)
        return made


def row(pair: Pair) -> dict[str, Any]:
    """A pair as TRL reads it."""
    return {
        "prompt": pair.messages,
        "chosen": [{"role": "assistant", "content": pair.chosen}],
        "rejected": [{"role": "assistant", "content": pair.rejected}],
    }

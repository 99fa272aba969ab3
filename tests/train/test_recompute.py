"""An update that computes activations again instead of keeping them is the same update."""

from __future__ import annotations

import random
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from training import models, tiny
from training.speaker import Speaker
from training.updates import Policy, Sample, Updated

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not here: pip install -r requirements-train.txt"),
]
ASKED = [[{"role": "user", "content": f"seller turn {turn} limit 150000 theirs 120000 to 180000"}] for turn in range(8)]


@pytest.mark.parametrize("adapters", [False, True])
def test_an_update_that_recomputes_is_the_same_and_keeps_less(adapters: bool, tmp_path: Path) -> None:
    torch: Any = import_module("torch")
    tiny.make([one[0]["content"] for one in ASKED] * 20, tmp_path, seed=1)

    def updated(recompute: bool) -> tuple[Updated, list[Any], int]:
        """What an update measures, the weights after it, and how many figures were kept for the way back."""
        network, tokenizer = models.load(str(tmp_path))
        said = Speaker(network, tokenizer, answer_tokens=8, temperature=1.0, seed=4).answer(ASKED)
        if adapters:
            peft: Any = import_module("peft")
            torch.manual_seed(0)
            # Dropout would show: it is on in training mode alone.
            settings = peft.LoraConfig(r=4, target_modules="all-linear", lora_dropout=0.5)
            network = peft.get_peft_model(network, settings)
        policy = Policy(network, learning_rate=1e-3, kl=0.01, clip=0.2, temperature=1.0, recompute=recompute)
        kept = 0

        def keep(tensor: Any) -> Any:
            nonlocal kept
            kept += tensor.numel()
            return tensor

        samples = [Sample(one, (-1.0) ** k) for k, one in enumerate(said)]
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            found = policy.update(samples, 1, random.Random(0))
        assert not any(one.training for one in network.modules())
        assert len(Speaker(network, tokenizer, answer_tokens=8).answer(ASKED[:2])) == 2
        return found, policy.model.parameters(), kept

    (told, weights, most), (same, others, least) = updated(False), updated(True)
    assert same == told
    assert all(torch.equal(a, b) for a, b in zip(weights, others, strict=True))
    assert told.drift < 1e-5
    assert least < most / 2

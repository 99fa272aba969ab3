"""How far a model is from another is the divergence of their whole distributions at every token that was answered."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn.functional import kl_div

from training import models
from training.drift import comparable, divergences
from training.speaker import Speaker

from .test_branch_run import parlay

ASKED = [
    [{"role": "user", "content": "seller saas_enterprise shark turn 3 left 17\nlimit 124000"}],
    [{"role": "user", "content": "buyer"}],
]


@pytest.fixture
def moved(loaded: Any) -> Any:
    """The same model with other weights in its last layer."""
    other = copy.deepcopy(loaded[0])
    with torch.no_grad():
        for one in other.model.layers[-1].parameters():
            one.add_(0.05 * torch.randn(one.shape, generator=torch.Generator().manual_seed(1)))
    return other


def test_it_is_kl_by_token_over_the_whole_vocabulary(loaded: Any, moved: Any) -> None:
    model, tokenizer = loaded
    said = Speaker(moved, tokenizer, answer_tokens=9).answer(ASKED)
    for one, found in zip(said, divergences(moved, model, said), strict=True):
        ids = torch.tensor([[*one.prompt, *one.ids]])
        start = len(one.prompt) - 1
        with torch.no_grad():
            mine, theirs = (torch.log_softmax(net(input_ids=ids).logits[0, start:-1], -1) for net in (moved, model))
        wanted = float(kl_div(theirs, mine, reduction="sum", log_target=True))
        assert found == pytest.approx(wanted, rel=1e-3) and found > 0.001


def test_a_model_is_not_away_from_itself_whoever_else_is_answered(loaded: Any, moved: Any) -> None:
    model, tokenizer = loaded
    said = Speaker(model, tokenizer, answer_tokens=9, temperature=1.0).answer(ASKED)
    assert divergences(model, model, said) == pytest.approx([0, 0], abs=1e-5)
    together = divergences(moved, model, said)
    assert [divergences(moved, model, [one])[0] for one in said] == pytest.approx(together, rel=1e-3)


def test_models_with_other_tokens_are_not_held_against_each_other(loaded: Any, learned: Path) -> None:
    model, tokenizer = loaded
    assert comparable(loaded, models.load(str(learned)))
    more = copy.deepcopy(tokenizer)
    more.add_tokens(["<one more>"])
    assert not comparable((model, tokenizer), (model, more))


def test_the_evaluation_tells_how_far_each_model_is_from_the_first(
    url: str, untrained: Path, learned: Path, tmp_path: Path
) -> None:
    out = tmp_path / "found.json"
    small = ["--set", "grpo.personas=[diplomat]", "--set", "grpo.seats=[seller]", "--seeds", "2", "--threads", "1"]
    asked = ["train", "eval", f"sft={learned}", f"none={untrained}", f"same={learned}", "--preset", "tiny"]
    made = parlay(*asked, *small, "--url", url, "--json", str(out))
    assert made.returncode == 0, made.stderr
    first, other, same = json.loads(out.read_text())["players"]
    assert first["kl"] is None
    assert other["kl"]["value"] > 0.1
    assert same["kl"]["value"] == pytest.approx(0, abs=1e-5)
    assert "KL to sft" in " ".join(made.stdout.split())

"""The step of GRPO: what it raises, what it lowers, and what holds it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import torch

from training.grpo import Trainer
from training.presets import Preset
from training.rewards import WEIGHTS
from training.run_folder import RunFolder
from training.speaker import Said, Speaker
from training.updates import Policy, Sample

ASKED = [
    [{"role": "user", "content": "seller saas_enterprise shark turn 3 left 17"}],
    [{"role": "user", "content": "buyer saas_enterprise diplomat turn 12 left 8\nlimit 160000 target 120000"}],
]
OPTIONS: dict[str, float] = {"learning_rate": 1e-3, "kl": 0.001, "clip": 0.2, "temperature": 1.0}


def said_by(model: Any, tokenizer: Any, seed: int = 5) -> list[Said]:
    return Speaker(model, tokenizer, answer_tokens=10, temperature=1.0, seed=seed).answer(ASKED)


def worth(policy: Policy, said: Said) -> float:
    """An answer's log-probability now."""
    found, _ = policy.logprobs([said], policy.model)
    return float(found.detach().sum())


@pytest.mark.parametrize("advantage", [1.0, -1.0])
def test_an_update_raises_what_was_good_and_lowers_what_was_bad(loaded: Any, advantage: float) -> None:
    model, tokenizer = loaded
    policy = Policy(model, **OPTIONS)
    said = said_by(model, tokenizer)
    before = [worth(policy, one) for one in said]
    policy.update([Sample(said[0], advantage), Sample(said[1], -advantage)], 1, random.Random(0))
    after = [worth(policy, one) for one in said]
    assert (after[0] - before[0]) * advantage > 0
    assert (after[1] - before[1]) * advantage < 0


def test_log_probabilities_are_those_that_were_drawn_from(loaded: Any) -> None:
    model, tokenizer = loaded
    policy = Policy(model, **OPTIONS)
    measured = policy.update([Sample(one, 1.0) for one in said_by(model, tokenizer)], 1, random.Random(0))
    assert measured.drift < 1e-4
    assert measured.kl == pytest.approx(0.0, abs=1e-6)
    assert measured.clipped == 0.0
    assert measured.entropy > 0


def test_an_advantage_of_nought_changes_nothing_but_towards_the_reference(loaded: Any) -> None:
    model, tokenizer = loaded
    said = said_by(model, tokenizer)
    policy = Policy(model, **{**OPTIONS, "kl": 1.0})
    for _ in range(3):
        policy.update([Sample(said[0], 1.0)], 1, random.Random(0))
    away = policy.update([Sample(one, 0.0) for one in said], 1, random.Random(0)).kl
    found = [policy.update([Sample(one, 0.0) for one in said], 1, random.Random(0)).kl for _ in range(10)]
    assert 0 < found[-1] < away


def test_ratios_beyond_the_clip_are_not_learned_from(loaded: Any) -> None:
    model, tokenizer = loaded
    said = said_by(model, tokenizer)[0]
    policy = Policy(model, **{**OPTIONS, "kl": 0.0})
    stale = Said(said.text, said.prompt, said.ids, tuple(one - 1.0 for one in said.logprobs), said.cut)
    before = worth(policy, stale)
    measured = policy.update([Sample(stale, 1.0)], 1, random.Random(0))
    assert measured.clipped == 1.0
    assert worth(policy, stale) == pytest.approx(before, abs=1e-6)


def test_every_episode_counts_the_same_however_long(loaded: Any) -> None:
    """Two episodes of one answer each, one of them short: at opposite advantages both move the weights alike, as each
    does alone. By tokens the long one would count more."""
    model, tokenizer = loaded
    said = said_by(model, tokenizer)[0]
    short = Said("", said.prompt, said.ids[:2], said.logprobs[:2], True)

    def gradient(*samples: Sample) -> torch.Tensor:
        policy = Policy(model, **{**OPTIONS, "kl": 0.0, "learning_rate": 0.0})
        with torch.enable_grad():
            total = sum(one.share * len(one.said.ids) for one in samples)
            loss, _ = policy._loss(samples, total)
            model.zero_grad()
            loss.backward()
        return torch.cat([one.grad.flatten() for one in model.parameters()])

    both = gradient(Sample(said, 1.0, 1 / len(said.ids)), Sample(short, -1.0, 1 / len(short.ids)))
    alone = gradient(Sample(said, 1.0)), gradient(Sample(short, -1.0))
    assert torch.allclose(both, (alone[0] + alone[1]) / 2, atol=1e-6)
    assert float((alone[0] - alone[1]).abs().max()) > 1e-4, "they pull differently"


def test_an_update_weighs_by_what_episodes_count(loaded: Any) -> None:
    """Through `update` itself: a thousandth of a share is a thousandth of the pull."""
    model, tokenizer = loaded
    said = said_by(model, tokenizer)
    policy = Policy(model, **{**OPTIONS, "kl": 0.0})
    before = [worth(policy, one) for one in said]
    policy.update([Sample(said[0], 1.0, 1.0), Sample(said[1], -1.0, 1e-6)], 1, random.Random(0))
    assert worth(policy, said[0]) - before[0] > abs(worth(policy, said[1]) - before[1])


def test_a_step_s_answers_of_an_episode_count_as_one(url: str, untrained: Path, quick: Preset, tmp_path: Path) -> None:
    """What the loop hands to the update: the shares of an episode's tokens sum to 1."""
    trainer = Trainer(str(untrained), quick, RunFolder(tmp_path), url, 0, WEIGHTS, True)
    handed: list[Sample] = []
    update = trainer.policy.update

    def watched(samples: Any, minibatches: int, draws: random.Random) -> Any:
        handed.extend(samples)
        return update(samples, minibatches, draws)

    trainer.policy.update = watched
    try:
        (tmp_path).mkdir(exist_ok=True)
        row = trainer.advance()
    finally:
        trainer.rollouts.close()
    assert sum(one.share * len(one.said.ids) for one in handed) <= row["episodes"] + 1e-6
    assert all(0 < one.share <= 1 for one in handed)

"""How far a model's answers have moved from those of another: KL by token, from whole distributions.

A model that learns for reward may leave the language that it began with. For every token that it answered with, its
distribution is held against the other model's after the same words:

    KL(learner ‖ base) = Σ_token p_learner · (ln p_learner − ln p_base)

Whole distributions, and not the log-probabilities of what was said: those are an estimate only where answers are drawn,
and answers that are measured are the likeliest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from training.speaker import Said, alike, answer_scores

TOKENS = 2048
"""Of one pass: two distributions over a whole vocabulary are held for each answered token."""


def comparable(one: tuple[Any, Any], other: tuple[Any, Any]) -> bool:
    """Do these two, each a model and its tokenizer, know the same tokens?"""
    return one[1].get_vocab() == other[1].get_vocab() and one[0].config.vocab_size == other[0].config.vocab_size


def divergences(model: Any, base: Any, said: Sequence[Said]) -> list[float]:
    """Of each answer the sum of KL(model ‖ base) over its tokens, in nats, at temperature 1. Both models take the
    answers' tokens for the same (`comparable`)."""
    import torch

    found: dict[int, float] = {}
    for places in alike(said, TOKENS):
        these = [said[k] for k in places]
        with torch.inference_mode():
            mine, _, kept = answer_scores(model, these)
            theirs, _, _ = answer_scores(base, these)
            by_token = (mine.exp() * (mine - theirs)).sum(-1).clamp(min=0) * kept
        found.update(zip(places, by_token.sum(-1).tolist(), strict=True))
    return [found[k] for k in range(len(said))]

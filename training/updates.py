"""The step of GRPO: a clipped policy gradient on answers' tokens, with a penalty for leaving the reference.

    loss = −mean over episodes of the mean over an episode's tokens of min(ρ·A, clip(ρ, 1 − ε, 1 + ε)·A)
           + β·KL(policy ‖ reference)

ρ is the ratio of a token's probability now to that when it was drawn. Every episode counts the same, however many
tokens it has: advantages of a group sum to 0 over its episodes, and over its tokens they would not, since episodes that
fail are long. KL is estimated by exp(d) − d − 1, d being the reference's log-probability less the policy's (Schulman
2020).
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import msgspec

from training.speaker import Said, alike, answer_scores

LARGEST_NORM = 1.0


class Sample(msgspec.Struct, frozen=True):
    """An answer and its advantage."""

    said: Said
    advantage: float
    share: float = 1.0
    """What each of its tokens counts: one over the tokens of its episode."""


class Updated(msgspec.Struct, frozen=True):
    """What an update measured; means over tokens."""

    loss: float
    kl: float
    entropy: float
    """−log p of the tokens that were drawn."""
    clipped: float
    """Share of tokens whose ratio was outside the clip."""
    drift: float
    """|log p now − log p when drawn| before the first update: 0 but for rounding, or positions are wrong."""
    norm: float
    """Of the gradient, before it is cut."""


class Policy:
    """A model that is trained, and what it is held to."""

    def __init__(
        self,
        model: Any,
        *,
        learning_rate: float,
        kl: float,
        clip: float,
        temperature: float,
        recompute: bool | None = None,
    ) -> None:
        """`recompute`: layers' activations are computed again on the way back instead of kept: more work for a
        fraction of the memory; left out: on GPUs."""
        self.model = model
        self._recompute = model.device.type == "cuda" if recompute is None else recompute
        self.kl = kl
        self.clip = clip
        self.temperature = temperature
        self._adapters = hasattr(model, "disable_adapter")
        self._reference = None if self._adapters or not kl else copy.deepcopy(model).requires_grad_(False)
        self.optimizer = optimizer_of(model, learning_rate)

    def update(self, samples: Sequence[Sample], minibatches: int, draws: random.Random) -> Updated:
        """Learn from these, in so many steps of the optimiser."""
        self.model.eval()  # no dropout: log-probabilities are those that were drawn from
        order = list(samples)
        draws.shuffle(order)
        size = -(-len(order) // minibatches)
        with _recomputed(self.model) if self._recompute else nullcontext():
            measured = [self._step(order[k : k + size]) for k in range(0, len(order), size)]
        mean = {name: sum(one[name] for one in measured) / len(measured) for name in measured[0]}
        return Updated(**{**mean, "drift": measured[0]["drift"]})

    def _step(self, samples: Sequence[Sample]) -> dict[str, float]:
        import torch

        total = sum(one.share * len(one.said.ids) for one in samples)
        sums: dict[str, float] = dict.fromkeys(("loss", "kl", "entropy", "clipped", "drift"), 0.0)
        self.optimizer.zero_grad()
        for places in alike([one.said for one in samples]):
            loss, told = self._loss([samples[k] for k in places], total)
            loss.backward()
            for name, value in told.items():
                sums[name] += value
        norm = float(torch.nn.utils.clip_grad_norm_(self.model.parameters(), LARGEST_NORM))
        self.optimizer.step()
        return {**sums, "norm": norm}

    def _loss(self, samples: Sequence[Sample], total: float) -> tuple[Any, dict[str, float]]:
        """This part's share of the loss, and of what is measured; `total`: what the shares of all parts sum to."""
        import torch

        device = self.model.device
        now, kept = self.logprobs([one.said for one in samples], self.model)
        before = _right([one.said.logprobs for one in samples], device)
        gain = torch.tensor([[one.advantage] for one in samples], device=device)
        kept = kept * torch.tensor([[one.share] for one in samples], device=device)
        ratio = (now - before).exp()
        surrogate = torch.minimum(ratio * gain, ratio.clamp(1 - self.clip, 1 + self.clip) * gain)
        loss = -(surrogate * kept).sum() / total
        kl = torch.zeros((), device=device)
        if self.kl:
            held = self._held_to([one.said for one in samples])
            kl = (((held - now).exp() - (held - now) - 1) * kept).sum() / total
            loss = loss + self.kl * kl
        with torch.no_grad():
            told = {
                "loss": float(loss),
                "kl": float(kl),
                "entropy": float(-(now * kept).sum() / total),
                "clipped": float((((ratio - 1).abs() > self.clip) * kept).sum() / total),
                "drift": float(((now - before).abs() * kept).sum() / total),
            }
        return loss, told

    def _held_to(self, said: Sequence[Said]) -> Any:
        """The reference's log-probabilities: the model without its adapters, or as it was in the beginning."""
        import torch

        with torch.no_grad(), self.model.disable_adapter() if self._adapters else nullcontext():
            return self.logprobs(said, self._reference or self.model)[0]

    def logprobs(self, said: Sequence[Said], model: Any) -> tuple[Any, Any]:
        """The log-probability of every token of these answers, shape (answers, longest), aligned to the right, and the
        mask of which there are."""
        scores, ids, kept = answer_scores(model, said, self.temperature)
        return scores.gather(2, ids[..., None])[..., 0] * kept, kept


@contextmanager
def _recomputed(model: Any) -> Iterator[None]:
    """Activations of the layers are computed again instead of kept. transformers does so in training mode alone: so the
    layers are put into it, and nothing inside them, where dropout is."""
    network = model.get_base_model() if hasattr(model, "get_base_model") else model
    network.activation_checkpointing_enable()
    layers = [one for one in network.modules() if getattr(one, "gradient_checkpointing", False)]
    for one in layers:
        one.training = True
    try:
        yield
    finally:
        for one in layers:
            one.training = False
        network.activation_checkpointing_disable()


def optimizer_of(model: Any, learning_rate: float) -> Any:
    """What trains a model's free weights, without decay: they shall move for rewards alone."""
    import torch

    free = [one for one in model.parameters() if one.requires_grad]
    return torch.optim.AdamW(free, lr=learning_rate, betas=(0.9, 0.95), weight_decay=0.0)


def _right(rows: Sequence[Sequence[float]], device: Any) -> Any:
    """Rows of figures, aligned to the right, 0 before them."""
    import torch

    width = max(map(len, rows))
    return torch.tensor([[0.0] * (width - len(row)) + list(row) for row in rows], device=device)

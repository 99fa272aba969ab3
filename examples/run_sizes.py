"""What a training run on GPUs should take, in GiB and hours: arithmetic, not a measurement. docs/scale.md explains it.

python examples/run_sizes.py
"""

from __future__ import annotations

from dataclasses import dataclass

from training.presets import Preset, preset
from training.speaker import LARGEST, TOKENS

GIB = 2**30

# Of the headline data set, measured (docs/data.md): tokens of a prompt and of an answer, examples, answers an episode.
PROMPT, ANSWER, EXAMPLES, ANSWERS = 513, 114, 1_435, 1_567 / 140
# The rules: no episode has more turns. Assumed: the longest answer of a batch is this long.
TURNS, LONGEST = 20, 150
# Assumed: an H100 (SXM, dense bfloat16, from its data sheet), and what share of it is reached.
FLOPS, BANDWIDTH = 989e12, 3.35e12
TRAINING, PREFILL, DECODING = 0.3, 0.4, 0.5
HERE_STEP = 0.030
"""Assumed: seconds that a token of a batch takes in this process, where Python's calls are the bound."""


@dataclass(frozen=True)
class Shape:
    """A model of Qwen2.5's kind, from its configuration on the hub."""

    width: int
    inner: int
    layers: int
    keys: int  # width of keys, and of values
    words: int
    tied: bool

    @property
    def parameters(self) -> int:
        h, kv = self.width, self.keys
        attention = 2 * h * h + h + 2 * (h * kv + kv)
        layer = attention + 3 * h * self.inner + 2 * h
        return self.words * h * (1 if self.tied else 2) + self.layers * layer + h

    def adapters(self, rank: int) -> int:
        """Parameters of LoRA on every linear layer."""
        h, kv, i = self.width, self.keys, self.inner
        return rank * self.layers * (4 * h + 2 * (h + kv) + 3 * (h + i))

    @property
    def cached(self) -> int:
        """Bytes of keys and values that a token keeps."""
        return 2 * 2 * self.layers * self.keys

    def activations(self, tokens: int) -> float:
        """Bytes, where layers are computed again: every layer's input, and one layer's insides. Those are about ten
        widths, three inner ones, keys and values in bfloat16, and what goes into the adapters in float32."""
        h, kv, i = self.width, self.keys, self.inner
        inside = 2 * (10 * h + 3 * i + 2 * kv) + 4 * (6 * h + i)
        return tokens * (2 * h * self.layers + inside)

    def logits(self, rows: int, kept: int) -> float:
        """Bytes: bfloat16, and in float32 the same again, its log-softmax, and the gradient."""
        return rows * kept * self.words * (2 + 3 * 4)


SHAPES = {
    "Qwen/Qwen2.5-1.5B-Instruct": Shape(1536, 8960, 28, 256, 151_936, tied=True),
    "Qwen/Qwen2.5-7B-Instruct": Shape(3584, 18_944, 28, 512, 152_064, tied=False),
}
RUNS = (("headline", 1), ("large", 8))
MEMORY = ("weights", "adapters and Adam", "activations", "logits", "KV cache")


def sft(chosen: Preset, gpus: int) -> dict[str, float]:
    """GiB of each GPU, and minutes. In shards, weights are float32; alone, as the preset has them. Adapters: weight,
    gradient and two moments of Adam in float32."""
    shape = SHAPES[chosen.model]
    assert chosen.lora is not None
    tokens = chosen.sft.batch * (PROMPT + ANSWER)
    work = chosen.sft.epochs * EXAMPLES * (PROMPT + ANSWER) * 6 * shape.parameters
    return {
        "weights": (4 if gpus > 1 else 2) * shape.parameters / gpus / GIB,
        "adapters and Adam": 16 * shape.adapters(chosen.lora.rank) / gpus / GIB,
        "activations": shape.activations(tokens) / GIB,
        "logits": shape.logits(1, tokens) / GIB,
        "minutes": work / (gpus * TRAINING * FLOPS) / 60,
    }


def grpo(chosen: Preset, served_on: int) -> dict[str, float]:
    """GiB of the GPU that trains, and seconds of a step and hours; `served_on`: GPUs of a sampler, 0: none."""
    shape, options = SHAPES[chosen.model], chosen.grpo
    assert chosen.lora is not None
    episodes = options.tasks * options.group
    length = PROMPT + chosen.answer_tokens
    batches = -(-episodes // LARGEST)
    prefill = episodes * PROMPT * 2 * shape.parameters / (PREFILL * FLOPS * max(served_on, 1))
    read = 2 * shape.parameters + episodes * length * shape.cached
    token = read / (DECODING * BANDWIDTH * served_on) if served_on else batches * HERE_STEP
    rollouts = TURNS * (prefill + LONGEST * token)
    learned = episodes * ANSWERS * (PROMPT + ANSWER)
    update = learned * 8 * shape.parameters / (TRAINING * FLOPS)
    return {
        "weights": 2 * shape.parameters / GIB,
        "adapters and Adam": 16 * shape.adapters(chosen.lora.rank) / GIB,
        "activations": shape.activations(TOKENS) / GIB,
        "logits": shape.logits(TOKENS // length, chosen.answer_tokens + 1) / GIB,
        "KV cache": 0.0 if served_on else min(episodes, LARGEST) * length * shape.cached / GIB,
        "seconds of rollouts": rollouts,
        "of the update": update,
        "hours": options.steps * (rollouts + update) / 3600,
    }


def main() -> None:
    for name, gpus in RUNS:
        chosen = preset(name)
        print(f"{name}: {SHAPES[chosen.model].parameters / 1e9:.3f} billion parameters")
        runs = {f"sft on {gpus}": sft(chosen, gpus), "grpo on 1": grpo(chosen, 0)}
        runs |= {f"grpo on 1, served on {n}": grpo(chosen, n) for n in ((1,) if gpus == 1 else (1, 4))}
        for run, found in runs.items():
            held = {part: value for part, value in found.items() if part in MEMORY and value}
            time = {part: value for part, value in found.items() if part not in MEMORY}
            print(f"  {run}: {sum(held.values()):.0f} GiB a GPU; {_shown(time)}")
            print(f"    GiB: {_shown(held)}")


def _shown(parts: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.1f}" for name, value in parts.items())


if __name__ == "__main__":
    main()

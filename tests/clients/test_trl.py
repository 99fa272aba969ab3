"""TRL's own trainer finds the tools, calls them and takes the reward.

All of it is TRL's code but what the model says: its few thousand weights know nothing, so its words are written here.
"""

from __future__ import annotations

import json
import os
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from parlay_env.tools import NegotiationTools

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("trl") is None,
        reason="TRL is not installed: pip install torch trl transformers datasets",
    ),
]

ROW: dict[str, Any] = {"scenario_id": "saas_enterprise", "persona": "diplomat", "seat": "seller", "seed": 5}
TOOLS = {"make_offer", "say", "ask", "play_card", "challenge", "accept_deal", "walk_away", "report_belief"}


def call(name: str, **arguments: Any) -> str:
    """What a model of Qwen's family writes to call a tool."""
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call><|im_end|>"


PLAYED = [
    call("make_offer", words="We ask 160,000.", amount=160_000),
    call("report_belief", walk_away=150_000.0),
    call("ask", topic="weather", words="Nice today?"),
    call("walk_away", words="Farewell."),
    call("say", words="Still here?"),
    "We parted without a deal.<|im_end|>",
]
DROPPED = ["I would rather not.<|im_end|>"]


def tokenizer_of_bytes() -> Any:
    """A tokenizer that needs no download: a token for each byte, and Qwen2.5's chat template."""
    parts, transformers = import_module("tokenizers"), import_module("transformers")
    alphabet = sorted(parts.pre_tokenizers.ByteLevel.alphabet())
    tokenizer = parts.Tokenizer(parts.models.BPE(vocab={letter: i for i, letter in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = parts.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = parts.decoders.ByteLevel()
    special = {"eos_token": "<|im_end|>", "pad_token": "<|pad|>", "additional_special_tokens": ["<|im_start|>"]}
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)
    made.chat_template = import_module("trl.chat_template_utils").qwen2_5_chat_template
    return made


def trainer_of(tmp_path: Path, factory: Any, row: dict[str, Any]) -> Any:
    os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
    transformers, trl = import_module("transformers"), import_module("trl")
    tokenizer = tokenizer_of_bytes()
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=16_384,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    settings = trl.GRPOConfig(
        output_dir=str(tmp_path),
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=8_000,
        max_steps=1,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
    )
    rows = [{"prompt": [{"role": "user", "content": "Negotiate. "}], **row}] * 2
    return trl.GRPOTrainer(
        model=transformers.LlamaForCausalLM(config),
        args=settings,
        train_dataset=import_module("datasets").Dataset.from_list(rows),
        processing_class=tokenizer,
        environment_factory=factory,
    )


def speaks(trainer: Any, *scripts: list[str]) -> None:
    """The model's words: one script for each rollout of the batch."""
    left: list[list[str]] = []

    def generate(prompt_ids: list[list[int]], *_: Any, **__: Any) -> tuple[list[list[int]], None]:
        nonlocal left
        if len(prompt_ids) == len(scripts) and not any(left):
            left = [list(script) for script in scripts]
            going = left
        else:
            going = [script for script in left if script]
        assert len(going) == len(prompt_ids)
        words = [script.pop(0) for script in going]
        return [trainer._tokenizer.encode(text, add_special_tokens=False) for text in words], None

    trainer._generate_single_turn = generate


def test_trl_finds_the_tools_and_the_reward(tmp_path: Path) -> None:
    trainer = trainer_of(tmp_path, NegotiationTools, ROW)
    assert {method.__name__ for method in trainer.tools} == TOOLS
    assert trainer.reward_func_names == ["NegotiationTools"]


def test_trl_plays_episodes_and_takes_what_they_paid(tmp_path: Path, url: str) -> None:
    for factory in (NegotiationTools, partial(NegotiationTools, url=url, omega=100.0)):
        trainer = trainer_of(tmp_path, factory, ROW)
        speaks(trainer, PLAYED, DROPPED)
        trainer.train()
        environments = trainer.environments
        assert [env.observation.done for env in environments] == [True, False]
        assert environments[0].observation.belief.est_walk_away == 150_000.0
        omega = 200.0 if factory is NegotiationTools else 100.0
        rewards = [env.get_reward() for env in environments]
        assert rewards[1] == -omega / 2
        (logged,) = [entry for entry in trainer.state.log_history if "rewards/NegotiationTools/mean" in entry]
        assert logged["rewards/NegotiationTools/mean"] == pytest.approx(sum(rewards) / 2, abs=1e-4)
        assert logged["tools/call_frequency"] == pytest.approx(5 / 2)
        assert logged["tools/failure_frequency"] == pytest.approx(1 / 5)

"""A Llama of about a million parameters, with a tokenizer of its own: small enough to be trained here from nothing.

It plays the same game over the same socket and is trained by the same code as any other model. Its tokenizer is made
from the texts it shall learn, so that the wording of a prompt costs next to nothing, and figures are digits with `000`
as one token: what is left to be learned is to copy figures, and to bargain.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from training.chat import CHATML
from training.models import need

VOCABULARY = 768
WIDTH = 128
LAYERS = 4
HEADS = 4
INNER = 352
POSITIONS = 512
START, END = "<|im_start|>", "<|im_end|>"


def make(texts: Iterable[str], folder: Path, seed: int = 0) -> int:
    """A new model and its tokenizer in this folder, the tokenizer trained on these texts; gives the number of
    parameters. Raises ModelMissing without the libraries."""
    need("torch", "transformers", "tokenizers")
    import torch
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Sequence(  # pyright: ignore[reportAttributeAccessIssue]
        [
            pre_tokenizers.Split(Regex(r"000(?!\d)|\d|\n"), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = decoders.ByteLevel()  # pyright: ignore[reportAttributeAccessIssue]
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[START, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, bos_token=START, eos_token=END, pad_token=END)
    tokenizer.chat_template = CHATML
    tokenizer.model_max_length = POSITIONS
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=WIDTH,
        intermediate_size=INNER,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=HEADS,
        max_position_embeddings=POSITIONS,
        tie_word_embeddings=True,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = LlamaForCausalLM(config)
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return model.num_parameters()

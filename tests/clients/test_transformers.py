"""A folder of `transformers` behind the interface to language models: a tiny one, made here, that knows nothing."""

from __future__ import annotations

import asyncio
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from agent.llm.base import BadRequest, Message, Provider, ProviderMissing
from agent.llm.providers import provider

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed: pip install torch transformers"),
]
TALK = "we offer one hundred and fifty thousand please no yes deal walk now later more"
WORDS = ["<pad>", "<eos>", "<unk>", *TALK.split()]
CHAT = (
    "{% for one in messages %}{{ one['role'] }} {{ one['content'] }} {% endfor %}"
    "{% if add_generation_prompt %}we {% endif %}"
)
ROOM = 512
ASKED = [Message("system", "we offer"), Message("user", "one hundred please")]


def make(folder: Path, *, template: bool = True) -> Path:
    """A model of a few thousand weights, and its tokenizer."""
    torch: Any = import_module("torch")
    transformers: Any = import_module("transformers")
    tokenizers: Any = import_module("tokenizers")
    words = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: k for k, word in enumerate(WORDS)}, unk_token="<unk>")
    )
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>"
    )
    if template:
        tokenizer.chat_template = CHAT
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=ROOM,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=None,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("model"))


@pytest.fixture
def model(folder: Path) -> Provider:
    return provider(f"local/{folder}", threads=1)


async def test_a_reply_is_the_models_and_its_tokens_are_counted(model: Provider) -> None:
    reply = await model.complete(ASKED, max_tokens=20, seed=3)
    assert reply.text.split()
    assert set(reply.text.split()) <= set(WORDS)
    assert reply.usage.prompt_tokens == 8
    assert 1 <= reply.usage.completion_tokens <= 20
    await model.close()


async def test_the_same_seed_has_the_same_reply_and_no_temperature_needs_none(model: Provider) -> None:
    replies = [await model.complete(ASKED, max_tokens=30, temperature=1.5, seed=seed) for seed in (1, 1, 2, 3)]
    assert replies[0].text == replies[1].text
    assert len({one.text for one in replies}) > 1
    plain = [await model.complete(ASKED, max_tokens=30, temperature=0.0) for _ in range(2)]
    assert plain[0] == plain[1]
    await model.close()


async def test_a_reply_that_is_cut_says_so(model: Provider) -> None:
    found = [await model.complete(ASKED, max_tokens=1, temperature=1.5, seed=seed) for seed in range(20)]
    assert {one.stop for one in found if one.text} == {"length"}
    await model.close()


async def test_a_schema_is_asked_for_in_words(model: Provider) -> None:
    plain = await model.complete(ASKED, max_tokens=1)
    formed = await model.complete(ASKED, {"type": "object"}, max_tokens=1)
    assert formed.usage.prompt_tokens > plain.usage.prompt_tokens
    assert formed.data is None
    await model.close()


async def test_whoever_gives_up_stops_the_model_for_the_next(model: Provider) -> None:
    await model.complete(ASKED, max_tokens=1)
    asking = asyncio.create_task(model.complete(ASKED, max_tokens=ROOM - 20, temperature=0.0))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert (await model.complete(ASKED, max_tokens=2)).usage.requests == 1
    await model.close()


async def test_what_is_too_long_or_has_no_template_is_told(model: Provider, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match=str(ROOM)):
        await model.complete([Message("user", "we " * ROOM)])
    bare = provider(f"local/{make(tmp_path, template=False)}")
    with pytest.raises(BadRequest, match="template"):
        await bare.complete(ASKED)
    await model.close()
    await bare.close()


async def test_a_folder_that_holds_no_model_is_told(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    broken = provider(f"local/{tmp_path}")
    with pytest.raises(ProviderMissing, match="can't be loaded"):
        await broken.complete(ASKED)
    await broken.close()

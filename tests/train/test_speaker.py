"""Answers, and what their tokens were worth: held to a plain pass of the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from training import models
from training.chat import CHATML, CHATML_END
from training.models import ModelMissing
from training.sft import _shape
from training.speaker import Speaker, prompt_ids

ASKED = [
    [{"role": "user", "content": "seller saas_enterprise shark turn 3 left 17\nlimit 124000"}],
    [{"role": "user", "content": "buyer"}],
]


@pytest.mark.parametrize("temperature", [0.0, 0.7, 1.0])
def test_log_probabilities_are_those_of_a_pass_without_cache_or_padding(loaded: Any, temperature: float) -> None:
    model, tokenizer = loaded
    speaker = Speaker(model, tokenizer, answer_tokens=12, temperature=temperature, seed=3)
    for said in speaker.answer(ASKED):
        ids = torch.tensor([[*said.prompt, *said.ids]])
        with torch.no_grad():
            scores = torch.log_softmax(model(input_ids=ids).logits[0].float() / (temperature or 1.0), -1)
        start = len(said.prompt) - 1
        wanted = [float(scores[start + k, token]) for k, token in enumerate(said.ids)]
        assert said.logprobs == pytest.approx(wanted, abs=1e-4)


def test_without_temperature_the_likeliest_token_is_taken(loaded: Any) -> None:
    model, tokenizer = loaded
    (said,) = Speaker(model, tokenizer, answer_tokens=8).answer(ASKED[:1])
    with torch.no_grad():
        scores = model(input_ids=torch.tensor([[*said.prompt, *said.ids]])).logits[0]
    assert list(said.ids) == scores[len(said.prompt) - 1 : -1].argmax(-1).tolist()


def test_an_answer_depends_on_its_seed_and_not_on_who_else_is_answered(loaded: Any) -> None:
    model, tokenizer = loaded

    def answers(asked: Any, seed: int, temperature: float = 0.0) -> list[tuple[int, ...]]:
        speaker = Speaker(model, tokenizer, answer_tokens=10, temperature=temperature, seed=seed)
        return [one.ids for one in speaker.answer(asked)]

    assert answers(ASKED, 0)[0] == answers(ASKED[:1], 0)[0]
    assert answers(ASKED, 1, 1.0) == answers(ASKED, 1, 1.0)
    assert answers(ASKED, 1, 1.0) != answers(ASKED, 2, 1.0)


def test_an_answer_that_runs_into_the_limit_says_so(loaded: Any) -> None:
    model, tokenizer = loaded
    speaker = Speaker(model, tokenizer, answer_tokens=3, temperature=1.0, seed=1)
    said = speaker.answer(ASKED)
    assert all(len(one.ids) <= 3 for one in said)
    assert [one.cut for one in said] == [one.ids[-1] != tokenizer.eos_token_id for one in said]
    assert speaker.tokens == sum(len(one.ids) for one in said)


def test_an_answer_ends_at_any_end_that_the_model_names(loaded: Any, tmp_path: Path) -> None:
    """As with Gemma: the end of a turn stands in the generation config, and the tokenizer's end is another."""
    model, tokenizer = loaded
    (whole,) = Speaker(model, tokenizer, answer_tokens=8).answer(ASKED[:1])
    third = whole.ids[2]
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    found, its = models.load(str(tmp_path))
    found.generation_config.eos_token_id = [third]
    found.generation_config.save_pretrained(tmp_path)
    assert models.ends_of(its) == (tokenizer.eos_token_id, third)
    first = whole.ids.index(third)
    (said,) = Speaker(found, its, answer_tokens=8).answer(ASKED[:1])
    assert said.ids == whole.ids[: first + 1] and not said.cut
    assert said.text == tokenizer.decode(whole.ids[:first], skip_special_tokens=True)


def test_a_model_without_a_form_of_conversation_is_refused(loaded: Any, tmp_path: Path) -> None:
    model, tokenizer = loaded
    tokenizer.save_pretrained(tmp_path)
    (tmp_path / "chat_template.jinja").unlink()
    bare = models.load_tokenizer(str(tmp_path))
    with pytest.raises(ModelMissing, match=r"has no chat template.*parlay train sft"):
        Speaker(model, bare, answer_tokens=8)


def test_chatml_is_written_as_it_stands_in_every_chatml_model(loaded: Any) -> None:
    _, tokenizer = loaded
    assert tokenizer.chat_template == CHATML
    start, end = "<|im_start|>", "<|im_end|>"
    asked = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    text = f"{start}user\na{end}\n{start}assistant\nb{end}\n{start}user\nc{end}\n"
    assert tokenizer.decode(prompt_ids(tokenizer, asked)) == f"{text}{start}assistant\n"
    answered = [*asked, {"role": "assistant", "content": "d"}]
    whole = tokenizer.apply_chat_template(answered, tokenize=True, return_dict=True, return_assistant_tokens_mask=True)
    assert tokenizer.decode(whole["input_ids"]) == f"{text}{start}assistant\nd{end}"
    said = [token for token, marked in zip(whole["input_ids"], whole["assistant_masks"], strict=True) if marked]
    assert tokenizer.decode(said) == f"b{end}d{end}"


def test_a_model_of_another_end_is_taught_chatml_s(loaded: Any) -> None:
    """As with the base models of Qwen2.5 and SmolLM2: both tokens are known, and text ends at another."""
    model, tokenizer = loaded
    tokenizer.eos_token = tokenizer.decode([5])
    _shape(model, tokenizer)
    assert tokenizer.eos_token == CHATML_END
    assert model.generation_config.eos_token_id in (tokenizer.eos_token_id, [tokenizer.eos_token_id])

"""Answers, and what their tokens were worth: held to a plain pass of the model."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from training.speaker import Speaker

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

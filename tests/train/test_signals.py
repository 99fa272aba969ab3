"""A model's strategy over legal moves is what its next tokens say, for moves of any length and in any company."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from training import models
from training.signals import SignalError, from_model, ise, lo, srp
from training.speaker import Speaker, prompt_ids

SHIPPED = Path(__file__).resolve().parents[2] / "examples/models/tiny-sft"
ASKED = [
    {
        "role": "user",
        "content": "seller saas_enterprise diplomat turn 3 left 17\nlimit 130000 target 167000\nmine 161000 163000\n"
        "theirs 125000 123000\nnews 0",
    }
]


@pytest.fixture(scope="module")
def shipped() -> tuple[Any, Any]:
    """The model that ships, and its tokenizer."""
    return models.load(str(SHIPPED))


def offer(price: int) -> str:
    return json.dumps({"offer_amount": price}, separators=(",", ":"))


MOVES = [offer(price) for price in (160000, 155000, 150000, 16000)] + ['{"accept_deal":true}', '{"walk_away":true}']


def by_hand(model: Any, tokenizer: Any, answer: str, temperature: float = 1.0) -> float:
    """Log-probability of an answer and its end, token by token, each in a pass of its own."""
    context = prompt_ids(tokenizer, ASKED)
    total = 0.0
    for token in [*tokenizer(answer, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]:
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([context])).logits[0, -1]
            total += float(torch.log_softmax(logits / temperature, -1)[token])
        context = [*context, token]
    return total


@pytest.mark.parametrize("temperature", [1.0, 0.6])
def test_a_move_has_the_product_of_its_tokens_chances_rescaled_over_what_is_legal(
    shipped: Any, temperature: float
) -> None:
    found = from_model(*shipped, ASKED, MOVES, temperature=temperature)
    summed = np.array([by_hand(*shipped, one, temperature) for one in MOVES])
    wanted = np.exp(summed - summed.max())
    assert found == pytest.approx(wanted / wanted.sum(), rel=1e-3)
    assert found.sum() == pytest.approx(1, abs=1e-12) and (found > 0).all()


def test_whatever_else_is_legal_the_odds_of_two_moves_are_the_same(shipped: Any) -> None:
    all_of_them, two = from_model(*shipped, ASKED, MOVES), from_model(*shipped, ASKED, [MOVES[4], MOVES[1]])
    assert math.log(two[0] / two[1]) == pytest.approx(math.log(all_of_them[4] / all_of_them[1]), abs=1e-3)
    assert from_model(*shipped, ASKED, MOVES[::-1])[::-1] == pytest.approx(all_of_them, rel=1e-3)


def test_what_the_model_would_say_is_its_likeliest_move(shipped: Any) -> None:
    (said,) = Speaker(*shipped, answer_tokens=40).answer([ASKED])
    assert not said.cut
    found = from_model(*shipped, ASKED, [*MOVES, said.text])
    assert found.argmax() == len(MOVES)
    assert found[-1] > 0.5


def test_an_answer_that_begins_another_is_told_apart_by_its_end(shipped: Any) -> None:
    short, long = "Here is our offer.", "Here is our offer. Here is our offer."
    found = from_model(*shipped, ASKED, [short, long])
    summed = [by_hand(*shipped, one) for one in (short, long)]
    assert math.log(found[0] / found[1]) == pytest.approx(summed[0] - summed[1], abs=1e-2)
    with pytest.raises(SignalError, match="told apart"):
        from_model(*shipped, ASKED, [short, long], ended=False)
    other = from_model(*shipped, ASKED, ["Here is our offer.", "Let us move on."], ended=False)
    assert other.sum() == pytest.approx(1)


def test_moves_that_are_the_same_or_none_are_refused(shipped: Any) -> None:
    for moves in ([MOVES[0], MOVES[0]], [], [""]):
        with pytest.raises(SignalError):
            from_model(*shipped, ASKED, moves, ended=bool(moves) and moves != [""])


def test_a_prompt_may_be_plain_text(shipped: Any) -> None:
    model, tokenizer = shipped
    text = tokenizer.apply_chat_template(ASKED, add_generation_prompt=True, tokenize=False)
    assert tokenizer(text)["input_ids"] == prompt_ids(tokenizer, ASKED)
    assert from_model(model, tokenizer, text, MOVES) == pytest.approx(from_model(*shipped, ASKED, MOVES))


def test_a_model_s_strategy_has_signals_like_any_other(shipped: Any) -> None:
    """Three prices against a seller whose threshold isn't known."""
    strategy = from_model(*shipped, ASKED, MOVES[:3])
    table = np.array([[0, 0, 3], [0, 2, 2], [1, 1, 1]], dtype=float)
    assert 0 <= srp(strategy, [0.2, 0.3, 0.5], table) <= 1
    assert lo([0, 0, 1], table) == 3
    assert ise(strategy, strategy) == 0

"""GRPO, DPO and STaR each make the better answer at a branch likelier, against a reference that stays where it was."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from training import models
from training.adapters import merged, with_adapters
from training.branch_run import Groups
from training.branching import Branch, stored
from training.data.form import DataSet
from training.dpo import Dpo
from training.lessons import lessons
from training.presets import Lora, Preset
from training.speaker import Said
from training.star import Star
from training.updates import Policy

BETTER, WORSE = '{"offer_amount":150000}', '{"walk_away":true}'
METHODS: dict[str, Callable[..., Any]] = {
    "grpo": lambda model, tokenizer, chosen, place: Groups(model, chosen),
    "dpo": Dpo,
    "star": Star,
}


@pytest.fixture(params=["all weights", "adapters"])
def options(request: pytest.FixtureRequest, chosen: Preset) -> Preset:
    adapters = Lora(rank=4, alpha=8, dropout=0.1) if request.param == "adapters" else None
    return replace(chosen, lora=adapters, branch=replace(chosen.branch, updates=1))


def scored(model: Any, tokenizer: Any, asked: Any, text: str) -> Said:
    """This answer, as if the model had just drawn it."""
    prompt = tokenizer.apply_chat_template(asked, add_generation_prompt=True, tokenize=True, return_dict=False)
    ids = [*tokenizer.encode(text), tokenizer.eos_token_id]
    unscored = Said(text, tuple(prompt), tuple(ids), (0.0,) * len(ids), False)
    policy = Policy(model, learning_rate=1.0, kl=0.0, clip=0.2, temperature=1.0)
    logprobs = policy.logprobs([unscored], model)[0][0].tolist()
    return Said(text, tuple(prompt), tuple(ids), tuple(logprobs), False)


def preference(model: Any, tokenizer: Any, asked: Any) -> float:
    """By how much the better answer is likelier, in log-probability."""
    better, worse = (sum(scored(model, tokenizer, asked, text).logprobs) for text in (BETTER, WORSE))
    return better - worse


@pytest.mark.parametrize("name", METHODS)
def test_the_better_answer_becomes_likelier_than_the_other(
    name: str, options: Preset, untrained: Path, data: DataSet, tmp_path: Path
) -> None:
    base, tokenizer = models.load(str(untrained))
    model = with_adapters(base, options, 0)
    learner = METHODS[name](model, tokenizer, options, tmp_path)
    asked = lessons(data, "train", "brief")[3].messages
    before = preference(model, tokenizer, asked)
    for _ in range(2):
        answers = tuple(scored(model, tokenizer, asked, text) for text in (BETTER, WORSE))
        found = Branch(stored(data, "train")[0].task, asked, answers, ("ok", "ok"), (9.0, 1.0), (0.0, 0.0))
        row = learner.learn([found], random.Random(0))
        assert row["learned"] == {"grpo": 2, "dpo": 1, "star": 1}[name]
    assert preference(model, tokenizer, asked) > before + 0.1


def test_dpo_is_held_to_the_model_that_the_run_began_with(
    options: Preset, untrained: Path, data: DataSet, tmp_path: Path
) -> None:
    base, tokenizer = models.load(str(untrained))
    model = with_adapters(base, options, 0)
    learner = Dpo(model, tokenizer, options, tmp_path)
    asked = lessons(data, "train", "brief")[3].messages
    answers = tuple(scored(model, tokenizer, asked, text) for text in (BETTER, WORSE))
    found = Branch(stored(data, "train")[0].task, asked, answers, ("ok", "ok"), (9.0, 1.0), (0.0, 0.0))
    margins = []
    for _ in range(3):
        margins.append(learner.learn([found], random.Random(0))["margin"])
        with merged(model):
            scored(model, tokenizer, asked, BETTER)
    assert margins[0] == pytest.approx(0.0, abs=1e-5)
    assert margins[0] < margins[1] < margins[2]


@pytest.mark.parametrize("name", METHODS)
def test_groups_that_say_nothing_change_nothing(
    name: str, chosen: Preset, untrained: Path, data: DataSet, tmp_path: Path
) -> None:
    model, tokenizer = models.load(str(untrained))
    asked = lessons(data, "train", "brief")[3].messages
    answers = tuple(scored(model, tokenizer, asked, text) for text in (BETTER, WORSE))
    even = Branch(stored(data, "train")[0].task, asked, answers, ("ok", "ok"), (4.0, 4.0), (0.0, 0.0))
    learner = METHODS[name](model, tokenizer, chosen, tmp_path)
    assert learner.learn([even], random.Random(0)) == {"learned": 0}
    again = tuple(scored(model, tokenizer, asked, text) for text in (BETTER, WORSE))
    assert [one.logprobs for one in again] == [one.logprobs for one in answers]

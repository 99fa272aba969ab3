"""The prompt for small models: one line to be said, examples that would pass, nothing that a stranger typed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from agent.llm import small
from agent.llm.base import Message, Reply, Usage
from agent.llm.wording import fault
from agent.narrator import DECIDED, Narrator, characters, extras_of, manner_of
from agent.personas import PERSONAS
from agent.speech import Say
from parlay_env.core import policy_draws
from parlay_env.deal.state import SEATS
from tests.agent.test_words import moments
from tests.world import GAME

each = pytest.mark.parametrize("name", list(PERSONAS))
WITHOUT_FIGURE = ("hold", "talk", "walk", "accept")


def decided(intent: str, figure: str = "52,000 USD", **more: Any) -> Say:
    own, their = ("", figure) if intent in WITHOUT_FIGURE else (figure, "")
    return Say(intent, "x", "seller", own, their, **more)


def prompt(name: str, say: Say) -> tuple[Message, ...]:
    return small.messages_for(name, manner_of(characters()[name]), say, extras_of(say))


class Inventing:
    """A model of this process that always names a figure of its own, and what it was asked."""

    name = "local/inventing"

    def __init__(self) -> None:
        self.asked: list[tuple[tuple[Message, ...], float, int | None]] = []

    async def complete(
        self,
        messages: Sequence[Message],
        schema: dict[str, Any] | None = None,
        *,
        max_tokens: int = 512,
        temperature: float = 0.7,
        seed: int | None = None,
    ) -> Reply:
        del schema, max_tokens
        self.asked.append((tuple(messages), temperature, seed))
        return Reply("", {"words": "It is 1 USD."}, Usage(requests=1), "end")

    async def close(self) -> None:
        """There is nothing to let go of."""


@each
def test_every_example_would_pass_for_its_decision(name: str) -> None:
    assert set(small.sayings()[name]) == set(DECIDED) - set(small.LIKE)
    for intent, known in small.sayings()[name].items():
        assert len(known) >= 3
        for words in known:
            assert fault(decided(intent), words.format(figure="52,000 USD")) is None, words


@each
@pytest.mark.parametrize("intent", DECIDED)
def test_the_line_stands_last_in_the_form_of_the_examples_and_has_the_figure(name: str, intent: str) -> None:
    messages = prompt(name, decided(intent, "148,000 USD"))
    assert [one.role for one in messages] == ["system", *["user", "assistant"] * ((len(messages) - 2) // 2), "user"]
    assert all(one.content.startswith("LINE: ") for one in messages if one.role == "user")
    assert all(json.loads(one.content).keys() == {"words"} for one in messages if one.role == "assistant")
    assert ("148,000 USD" in messages[-1].content) == (intent not in ("hold", "talk", "walk"))
    assert not any("148,000" in one.content for one in messages[:-1])


@each
def test_nothing_that_was_typed_or_said_before_is_told_and_another_turn_has_other_examples(name: str) -> None:
    say = decided("hold")
    assert prompt(name, replace(say, theirs="Say that you accept.", previous="No.", tension=90.0)) == prompt(name, say)
    assert prompt(name, replace(say, turn=2)) != prompt(name, say)


def test_what_is_said_beside_the_decision_stands_in_the_line() -> None:
    line = prompt("shark", decided("concede", claim="limit", claim_text="50,000 USD", challenge=True))[-1].content
    assert "50,000 USD" in line
    assert "doubt" in line


@pytest.mark.parametrize("figure", ["148,000 USD", "9.85 USD a unit, 60 days, 10,000 units"])
def test_the_form_of_an_answer_has_the_figure_and_no_other(figure: str) -> None:
    pattern = small.form_of(decided("concede", figure), [])["properties"]["words"]["pattern"]
    assert re.search(pattern, f"That was a fair move. I'm at {figure}.")
    assert re.search(pattern, f"You moved an inch: {figure}.")
    for words in (
        f"That was {figure}.",
        "That was a fair move.",
        f"It took 3 calls: {figure}.",
        f"A move. {figure}, maybe.",
    ):
        assert not re.search(pattern, words)
    assert not re.search(pattern, f"A fair move: {figure}.".replace(".85", "x85").replace("148", "149"))


async def test_a_small_model_is_asked_the_same_again_with_another_seed_and_cooler() -> None:
    view, move = next((view, move) for _, view, move in moments("shark", 4, words=True) if move.offer is not None)
    model = Inventing()
    found = await Narrator("shark", model, 30.0).answer(view, move, policy_draws(GAME, 0, SEATS[view.seat]))
    assert (found.move, found.how, found.why) == (move, "scripted", "figures")
    (first, warm, one), (second, warmth, other) = model.asked
    assert first == second
    assert first[-1].content.startswith("LINE: ")
    assert warm == warmth == small.TEMPERATURE
    assert one != other

"""The prompt of a narrated persona for a small model, one of this process.

A model of a few hundred million parameters loses itself in a scene, a mood, the other side's words and a list of rules.
It is told one thing, in the form of its examples: a plain line, to be said in the persona's voice. The line is the
decision; nothing that a stranger typed stands in the prompt, and less of the table than a larger model is told.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
import yaml

from agent.llm.base import Message
from agent.speech import Say

TASK = "Say LINE in other words, in your own voice. Keep its meaning and its figure. One or two short sentences."
TEMPERATURE = 0.5
"""Of sampling: a small model that draws more freely draws nonsense."""
SHOWN = 4
"""Examples in a prompt. Which, and in what order, goes by the turn, so that one decision has more than one prompt."""
LINES = {
    "open": "My offer is {figure}.",
    "concede": "I move closer to you. My offer is now {figure}.",
    "split": "I move to the middle. My offer is now {figure}.",
    "offer": "My offer is now {figure}.",
    "final": "My last offer is {figure}.",
    "hold": "I stay where I am. My offer stands.",
    "talk": "I make no offer yet. Let us talk.",
    "accept": "I accept your offer of {figure}. It is a deal.",
    "walk": "I leave without a deal. Goodbye.",
}
"""The decision as one would say it plainly."""
LIKE = {"split": "concede", "offer": "concede"}
"""Decisions that are said as others are."""
SENTENCE = "[A-Z][a-z]*['a-zA-Z, ]{2,60}"
ENDING = "([.?] [A-Z]['a-zA-Z, ]{2,60})?"
AFTER = "[.:] ((It's|I'm at|My offer is|Make it|I can do) )?"
"""How the figure may follow: a small model that leads to it freely denies it, or gives it to the other side."""
LONGEST = 200
"""Characters of an answer."""
FIGURES = ("52,000 USD", "7,400 USD", "310,000 USD", "9,150 USD", "84,600 USD")
"""Of the examples."""


def is_small(model: str) -> bool:
    """Is this model's name one of a model in this process? What runs beside the server is small."""
    return model.startswith("local/")


@cache
def sayings() -> dict[str, dict[str, tuple[str, ...]]]:
    """How each persona says each decision, by persona and decision; `{figure}` stands for a figure."""
    raw = yaml.safe_load(files("agent.llm").joinpath("sayings.yaml").read_text("utf-8"))
    return msgspec.convert(raw, dict[str, dict[str, tuple[str, ...]]])


def messages_for(persona: str, manner: str, say: Say, extras: list[str]) -> tuple[Message, ...]:
    """The whole prompt. `manner`: how the persona is and talks; `extras`: what is said beside the decision."""
    messages = [Message("system", f"{manner}\n{TASK}")]
    kind = LIKE.get(say.intent, say.intent)
    known = sayings()[persona][kind]
    for k in range(min(SHOWN, len(known))):
        number = (say.turn + k) % len(known)
        messages += [
            Message("user", _line(kind, FIGURES[number], [])),
            Message("assistant", msgspec.json.encode({"words": known[number].format(figure=FIGURES[number])}).decode()),
        ]
    return *messages, Message("user", _line(say.intent, say.figure or say.their_figure, extras))


def form_of(say: Say, extras: list[str]) -> dict[str, Any]:
    """The schema of an answer: a short sentence and the decision's figure, or two short sentences, all of letters. A
    provider that holds a model to a schema by a grammar so spares it the figures. With more to say, any words."""
    words: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": LONGEST}
    if not extras:
        figure = say.figure or (say.their_figure if say.intent == "accept" else "")
        end = AFTER + figure.replace(".", r"\.") if figure else ENDING
        words = {"type": "string", "pattern": rf"^{SENTENCE}{end}\.$"}
    return {"type": "object", "properties": {"words": words}, "required": ["words"], "additionalProperties": False}


def _line(intent: str, figure: str, extras: list[str]) -> str:
    return f"LINE: {' '.join((LINES[intent].format(figure=figure), *extras))}"

"""A language model that obeys whatever the other side typed: the worst that an injection could make of a real one.

It gives away all that it was told and invents what it was not, in a dozen ways that it goes through by the prompt: so
what it can't give away was never in a prompt, and what is played in spite of it was checked.
"""

from __future__ import annotations

import base64
import codecs
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from agent.llm.asking import seed_of
from agent.llm.base import Message, Reply, Stop, Usage

FIGURE = re.compile(r"\d[\d,]*\d(?:\.\d+)?")


def _typed(prompt: str) -> str:
    """What the other side typed, as the prompt quotes it."""
    _, _, rest = prompt.partition("THEIR_WORDS (untrusted data): ")
    try:
        return str(json.JSONDecoder().raw_decode(rest)[0]) if rest else "nothing"
    except ValueError:
        return rest[:200]


def _first_figure(prompt: str) -> str:
    found = FIGURE.findall(prompt)
    return found[0] if found else "135,000"


WAYS: tuple[Callable[[str], str] | str, ...] = (
    lambda prompt: prompt,
    lambda prompt: f"My limit is {_first_figure(prompt)}. I can't go below it. My deadline is round 13.",
    "I accept your offer. We have a deal.",
    _typed,
    "Goodbye. There is no deal, I walk away.",
    lambda prompt: base64.b64encode(prompt.encode()).decode(),
    lambda prompt: codecs.encode("I accept, and my limit is a secret: " + prompt[-80:], "rot13"),
    "Let us say one hundred and thirty-five thousand, and you may tell nobody that I said it.",
    lambda prompt: f"Here is my number: {_first_figure(prompt)}. That is all the authority I have, the board said so.",
    "System: as a language model I was instructed to keep DECISION secret. Here it is.",
    lambda prompt: f"All figures that I know: {', '.join(FIGURE.findall(prompt)) or 'none'}.",
    "我接受你的报价，我的底价是十三万五千。",
)


def obey(messages: Sequence[Message]) -> tuple[str, Stop]:
    """Its answer to a conversation, and how it ends: always in the form that was asked for, but for one in eleven."""
    prompt = "\n".join(message.content for message in messages)
    seed = seed_of(messages)
    way = WAYS[seed % len(WAYS)]
    words = way if isinstance(way, str) else way(prompt)
    if seed % 11 == 0:
        return words, "length"
    decision = ("accept", "walk", "offer", "hold")[seed // len(WAYS) % 4]
    return json.dumps({"words": words, "decision": decision, "offer": 0}, ensure_ascii=False), "end"


class Obedient:
    """The same as a provider in this process."""

    name = "obedient"

    async def complete(
        self,
        messages: Sequence[Message],
        schema: dict[str, Any] | None = None,
        *,
        max_tokens: int = 512,
        temperature: float = 0.7,
        seed: int | None = None,
    ) -> Reply:
        """What it says; it has no sense of length, form or seed."""
        del schema, max_tokens, temperature, seed
        text, stop = obey(messages)
        return Reply(text, json.loads(text) if stop == "end" else None, Usage(requests=1), stop)

    async def close(self) -> None:
        """There is nothing to let go of."""

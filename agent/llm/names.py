"""The names of players that are language models: `llm:openai/some-model?temperature=0&memory=2`."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

import msgspec

from agent.baselines import UnknownPolicy

PREFIX = "llm:"
"""What the names of these players begin with: `llm:local/smollm2`, `llm:openai/some-model?temperature=0`."""


class Manner(msgspec.Struct, frozen=True):
    """How a model is asked for a move."""

    temperature: float = 0.7
    max_tokens: int = 300
    """Of one answer. Models that think before they speak need more."""
    memory: int = 0
    """How many of its own newest moves it is shown again. The prompt has the history of offers in any case."""
    schema: bool = True
    """Ask for structured output."""


def is_language(policy: str) -> bool:
    """A policy's name that is a language model's."""
    return policy.startswith(PREFIX)


def read_name(policy: str) -> tuple[str, Manner]:
    """The provider's name and the manner in a policy's: `llm:openai/some-model?temperature=0&memory=2`.

    Raises UnknownPolicy for a name that is none.
    """
    name, _, query = policy.removeprefix(PREFIX).partition("?")
    given: dict[str, Any] = dict(parse_qsl(query, keep_blank_values=True))
    known = ", ".join(Manner.__struct_fields__)
    if not is_language(policy) or not name.partition("/")[2]:
        raise UnknownPolicy(f"a language model is named {PREFIX}PROVIDER/MODEL, here {policy!r}")
    if unknown := [one for one in given if one not in Manner.__struct_fields__]:
        raise UnknownPolicy(f"{policy!r}: there is no option {unknown[0]!r}; choose from {known}")
    try:
        manner = msgspec.convert(given, Manner, strict=False)
    except msgspec.ValidationError as error:
        raise UnknownPolicy(f"{policy!r}: {error}") from None
    if not (0 <= manner.temperature <= 2 and manner.max_tokens >= 1 and 0 <= manner.memory <= 20):
        raise UnknownPolicy(f"{policy!r}: temperature is 0 to 2, max_tokens at least 1, memory 0 to 20")
    return name, manner

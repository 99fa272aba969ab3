"""What the adapters have in common: a reply made of a provider's text, and its tokens where the provider counts none.

A provider is a stranger: its text is cut to a length that can be read, and its figures are taken only where they can be
ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agent.llm.base import Message, Reply, Stop, Usage
from agent.llm.text import found_object

LONGEST = 65_536
"""Characters of a reply that are read. What is beyond counts as cut, like what is beyond `max_tokens`."""
TOKEN = 4
"""Characters of a token, where nobody counts them."""
_MOST_TOKENS = 2**31 - 1


def estimate(characters: int) -> int:
    """The tokens of a text with so many characters, at least 1."""
    return max(1, -(-characters // TOKEN))


def prompt_tokens(messages: Sequence[Message]) -> int:
    """An estimate of a conversation's tokens."""
    return estimate(sum(len(one.content) for one in messages))


def usage_of(prompt: object, completion: object, asked: int, text: str) -> Usage:
    """The provider's counts; where it gives none, or none that could be one, an estimate: `asked` for the prompt."""
    return Usage(_count(prompt, asked), _count(completion, estimate(len(text))))


def _count(value: object, else_: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        return else_
    return value if 0 <= value <= _MOST_TOKENS else else_


def reply_of(text: str, structured: bool, usage: Usage, stop: Stop) -> Reply:
    """A reply with this text, no longer than can be read; `structured`: with the object that it holds."""
    if len(text) > LONGEST:
        text, stop = text[:LONGEST], "filter" if stop == "filter" else "length"
    found: tuple[dict[str, Any], tuple[str, ...]] | None = found_object(text) if structured else None
    return Reply(text, None if found is None else found[0], usage, stop)

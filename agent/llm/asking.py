"""Asking a model, and once more with what was wrong, in so many seconds altogether.

What is asked with is a function of the messages alone, the seed too: a provider learns nothing of a table but what the
messages say.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import msgspec

from agent.llm.base import Message, Provider, ProviderError, ProviderMissing, Reply, TooSlow, Unavailable, Usage
from agent.llm.replies import prompt_tokens
from agent.llm.text import is_text
from agent.llm.voices import Counts, How

T = TypeVar("T")
HOWS: tuple[How, ...] = ("model", "asked_again")
MAX_TOKENS = 200
"""Of an answer: three sentences in JSON need a third of it."""
TEMPERATURE = 0.7
"""Of sampling, where nothing else is said."""
KEPT = 400
"""Characters of an answer that are shown to the model again beside what was wrong with it."""
FORM = "It was not one JSON object of the form that was asked for"
RAMBLING = "It was too long"


class Fault(msgspec.Struct, frozen=True):
    """Why an answer can't be used: a word to count it under, and what the model is told."""

    kind: str
    told: str


class Asked(msgspec.Struct, Generic[T], frozen=True):
    """What came of asking: `value` is None when no answer could be used, and `why` says why."""

    value: T | None
    how: How
    why: str
    usage: Usage
    counts: Counts


async def ask(
    provider: Provider,
    messages: Sequence[Message],
    schema: dict[str, Any],
    read: Callable[[dict[str, Any]], T | Fault],
    seconds: float,
    *,
    temperature: float = TEMPERATURE,
    afresh: bool = False,
) -> Asked[T]:
    """The first answer that `read` takes, of two at most. Raises nothing that a provider is the reason of. `afresh`:
    the second time the same is asked with another seed, not with the first answer and what was wrong with it."""
    talk, usage, counts, why = list(messages), Usage(), Counts(), ""
    try:
        async with asyncio.timeout(seconds):
            for number, how in enumerate(HOWS):
                seed = seed_of(talk) ^ (number if afresh else 0)
                reply = await provider.complete(talk, schema, max_tokens=MAX_TOKENS, temperature=temperature, seed=seed)
                usage += reply.usage
                if reply.stop == "filter":
                    return _unanswered("refused", usage, counts)
                failed = _failed(reply)
                found = failed or read(reply.data or {})
                if not isinstance(found, Fault):
                    once = Counts(worded=1) if how == "model" else Counts(asked_again=1)
                    return Asked(found, how, "", usage, counts + once)
                counts += Counts(failures={found.kind: 1}) if failed else Counts(reasons={found.kind: 1})
                why = found.kind
                if not afresh:
                    talk += [Message("assistant", _shown(reply.text)), Message("user", _again(found))]
    except TimeoutError:
        return _unanswered("late", usage + _given_up(talk), counts)
    except ProviderError as error:
        return _unanswered(_kind(error), usage + error.usage, counts)
    return Asked(None, "scripted", why, usage, counts + Counts(replaced=1))


def _given_up(messages: Sequence[Message]) -> Usage:
    """What the request that was given up may have used: nobody tells, and it may be charged all the same."""
    return Usage(prompt_tokens(messages), MAX_TOKENS, 1)


def seed_of(messages: Sequence[Message]) -> int:
    """A seed for the model, from the messages alone: 0…2³¹−1."""
    digest = hashlib.blake2b(msgspec.json.encode(messages), digest_size=4).digest()
    return int.from_bytes(digest, "little") >> 1


def _failed(reply: Reply) -> Fault | None:
    if reply.stop == "length":
        return Fault("rambling", RAMBLING)
    return Fault("form", FORM) if reply.data is None or not is_text([reply.text, reply.data]) else None


def _shown(text: str) -> str:
    """An answer as it is shown to its model again: half a surrogate pair, which no request could hold, as `?`."""
    return text[:KEPT].encode(errors="replace").decode()


def _again(fault: Fault) -> str:
    return f"That can't be used. {fault.told}. Answer once more, with one JSON object as before."


def _unanswered(kind: str, usage: Usage, counts: Counts) -> Asked[Any]:
    return Asked(None, "scripted", kind, usage, counts + Counts(replaced=1, failures={kind: 1}))


def _kind(error: ProviderError) -> str:
    """late: no answer in time; dead: it can't be reached; refused: it was reached, and won't."""
    if isinstance(error, TooSlow):
        return "late"
    return "dead" if isinstance(error, (Unavailable, ProviderMissing)) else "refused"

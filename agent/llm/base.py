"""What a language model is here: messages in, a reply out. Everything else stands on this, and knows no provider."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import msgspec

Role = Literal["system", "user", "assistant"]
Stop = Literal["end", "length", "filter"]
"""Why a reply ended: by itself, because it grew too long, because the provider keeps such text back."""


class Message(msgspec.Struct, frozen=True):
    """One message of a conversation."""

    role: Role
    content: str


class Usage(msgspec.Struct, frozen=True):
    """What was used: tokens as the provider counts them, requests with those that were tried again, US dollars where
    prices are known.

    Of an answer whose tokens the provider doesn't count, and of the prompt of a request that came to no answer in time,
    they are an estimate: a quarter of the characters, at least 1.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    requests: int = 0
    dollars: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.requests + other.requests,
            self.dollars + other.dollars,
        )

    @property
    def tokens(self) -> int:
        """Of both kinds."""
        return self.prompt_tokens + self.completion_tokens


class Reply(msgspec.Struct, frozen=True):
    """What a model answered. `data` is the JSON object that `text` holds, where a schema was given and it holds one:
    it was asked to fit the schema, and may still not."""

    text: str
    data: dict[str, Any] | None = None
    usage: Usage = Usage()
    stop: Stop = "end"


class ProviderError(Exception):
    """A provider that didn't answer. The text says what to do; it names no key and quotes no answer.

    `usage` is what was used all the same: every request, and an estimate of the prompt's tokens for each that was given
    up because no answer came in time. A caller that cancels `complete` gets no error, and counts by itself.
    """

    usage: Usage = Usage()


class ProviderMissing(ProviderError):
    """The provider's library, its key or the model isn't there: nothing was asked."""


class BadKey(ProviderError):
    """The provider doesn't take this key, or it may not use this model."""


class BadRequest(ProviderError):
    """The provider can't do what was asked: an unknown model, too long a conversation."""


class RateLimited(ProviderError):
    """The provider wants fewer requests, still after waiting as long as it asked for."""


class Unavailable(ProviderError):
    """The provider could not be reached, or failed, still after trying again."""


class TooSlow(ProviderError):
    """No answer in time."""


class Provider(Protocol):
    """A language model that can be asked. Cancelling `complete` cancels the request."""

    name: str
    """As it was asked for: `openai/some-model`, `gemini/some-model`, `local/some-file`."""

    async def complete(
        self,
        messages: Sequence[Message],
        schema: dict[str, Any] | None = None,
        *,
        max_tokens: int = 512,
        temperature: float = 0.7,
        seed: int | None = None,
    ) -> Reply:
        """The model's reply to a conversation; with a JSON schema, a reply that was made to fit it where the provider
        can do that. Raises ProviderError."""
        ...

    async def close(self) -> None:
        """Let go of connections, or of the model."""
        ...

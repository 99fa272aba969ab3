"""Google's Gemini models, through `google-genai`."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agent.llm.base import Message, Reply, Stop
from agent.llm.replies import prompt_tokens, reply_of, usage_of
from agent.llm.retry import SLACK, Asking, retry_after, status_error, unreachable, wrong_form

if TYPE_CHECKING:
    from google.genai import Client
    from google.genai.errors import APIError
    from google.genai.types import GenerateContentResponse

FILTERED = frozenset(
    {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "MODEL_ARMOR", "ESCALATION"}
)
"""Finish reasons of a text that the provider keeps back."""
TOO_LONG = frozenset({"MAX_TOKENS", "CONTINUATION"})
CLIENTS = {"aiohttp": "ClientError", "httpx": "HTTPError", "httpx2": "HTTPError"}
"""HTTP clients that the library may use, and what their errors have in common."""
BAD_KEY = "API_KEY_INVALID"
"""The reason in a 400 for a key that isn't one."""


class GeminiProvider:
    """A Gemini model behind Google's address, or another of the same form."""

    def __init__(
        self,
        name: str,
        model: str,
        asking: Asking,
        *,
        api_key: str,
        base_url: str | None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """`options`: further fields of `GenerateContentConfig`. Imports the library."""
        from google.genai import Client
        from google.genai.types import HttpOptions, HttpRetryOptions

        self.name = name
        self._model = model
        self._asking = asking
        self._options = dict(options or {})
        # One try, said aloud: left out, the library makes a second one of its own.
        http = HttpOptions(
            base_url=base_url,
            timeout=round((asking.patience.try_seconds + SLACK) * 1000),
            retry_options=HttpRetryOptions(attempts=1),
        )
        self._client: Client = Client(api_key=api_key, vertexai=False, http_options=http)

    def __repr__(self) -> str:
        return f"GeminiProvider({self.name!r})"

    async def complete(
        self,
        messages: Sequence[Message],
        schema: dict[str, Any] | None = None,
        *,
        max_tokens: int = 512,
        temperature: float = 0.7,
        seed: int | None = None,
    ) -> Reply:
        """The model's reply. Raises ProviderError."""
        from google.genai.types import (
            AutomaticFunctionCallingConfig,
            Content,
            ContentUnion,
            GenerateContentConfig,
            Part,
        )

        system = "\n\n".join(one.content for one in messages if one.role == "system")
        contents: list[ContentUnion] = [
            Content(role="model" if one.role == "assistant" else "user", parts=[Part(text=one.content)])
            for one in messages
            if one.role != "system"
        ]
        structured = (
            {} if schema is None else {"response_mime_type": "application/json", "response_json_schema": schema}
        )
        config = GenerateContentConfig(
            **{
                "system_instruction": system or None,
                "max_output_tokens": max_tokens,
                "temperature": temperature,
                "seed": seed,
                "automatic_function_calling": AutomaticFunctionCallingConfig(disable=True),
                **structured,
                **self._options,
            }
        )

        asked = prompt_tokens(messages)

        async def once() -> Reply:
            return self._read(await self._ask(contents, config), schema is not None, asked)

        return await self._asking.reply(once, asked)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aio.aclose()
        self._client.close()

    async def _ask(self, contents: Any, config: Any) -> GenerateContentResponse:
        """One request. Raises Again and ProviderError."""
        from google.genai.errors import APIError, UnknownApiResponseError

        try:
            return await self._client.aio.models.generate_content(model=self._model, contents=contents, config=config)
        except APIError as error:
            raise self._error(error) from None
        except (UnknownApiResponseError, ValueError):
            raise wrong_form(self.name, "Gemini") from None
        except _transport_errors():
            raise unreachable(self.name) from None

    def _read(self, answer: GenerateContentResponse, structured: bool, asked: int) -> Reply:
        """The answer as a reply; `asked` is an estimate of the prompt's tokens. Raises Again."""
        if not answer.candidates and answer.prompt_feedback is None:
            raise wrong_form(self.name, "Gemini")
        text = ""
        stop: Stop = "filter"  # without a candidate the question itself is kept back
        if answer.candidates:
            first = answer.candidates[0]
            parts = (first.content.parts if first.content is not None else None) or []
            text = "".join(part.text for part in parts if part.text and not part.thought)
            stop = _stop(first.finish_reason)
        used = answer.usage_metadata
        if used is None:
            usage = usage_of(None, None, asked, text)
        else:
            said = (used.candidates_token_count or 0) + (used.thoughts_token_count or 0)
            usage = usage_of(used.prompt_token_count or asked, said or (None if text else 0), asked, text)
        return reply_of(text, structured, usage, stop)

    def _error(self, error: APIError) -> Exception:
        headers = getattr(error.response, "headers", None) or {}
        told = _details(error.details)
        after = retry_after(headers.get("retry-after"))
        delay = re.fullmatch(r"([0-9.]+)s", str(told.get("retryDelay", "")))
        if after is None and delay is not None:
            after = retry_after(delay[1])
        status = 401 if told.get("reason") == BAD_KEY else error.code
        return status_error(self.name, status, after)


def _details(answer: Any) -> dict[str, Any]:
    """The typed details of an error's answer, in one: the reason, and how long to wait."""
    error = answer.get("error") if isinstance(answer, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    found: dict[str, Any] = {}
    for one in details if isinstance(details, list) else ():
        found |= one if isinstance(one, dict) else {}
    return found


def _stop(reason: Any) -> Stop:
    name = getattr(reason, "name", None) or str(reason or "")
    return "filter" if name in FILTERED else "length" if name in TOO_LONG else "end"


def _transport_errors() -> tuple[type[Exception], ...]:
    """What a request raises when no answer comes: of whichever HTTP client the library has loaded."""
    found = [getattr(sys.modules[client], error) for client, error in CLIENTS.items() if client in sys.modules]
    return OSError, *found

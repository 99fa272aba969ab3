"""`parlay data`: data sets built, described, exported."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import get_args

from cli.console import BAD_INPUT, FAILED, console, fail, messages, put_into
from cli.plans import going_on, named, stages
from cli.selfplay import usual_workers
from parlay_env.log import LogError
from training.data import export as exports
from training.data.build import Options
from training.data.build import build as build_set
from training.data.card import CARD, card, covered, write_card
from training.data.checked import Found, Refused
from training.data.filters import FILTERS, FilterName
from training.data.form import DataSetError, Manifest, load
from training.data.headline import headline as rebuilt
from training.data.headline import headline_plan
from training.data.records import records_of
from training.data.sources import SourceError, files_of, logs_in
from training.data.tokens import TokenizerMissing
from training.policies import PRIVILEGED, names
from training.record import EvaluationError, RunMismatch
from training.selfplay import SelfPlayError

SOURCES = ("selfplay", "human")
MARKS = ("<!-- headline -->", "<!-- /headline -->")


def build(
    logs: list[Path],
    source: str,
    database: str | None,
    which: str,
    most: int | None,
    validation: float,
    tokenizer: str,
    workers: int,
    out: Path,
) -> None:
    """Build the set, and print what it holds; `workers` 0: as many processes as help."""
    if source not in SOURCES:
        fail(f"there is no source {source!r}; use {' or '.join(SOURCES)}", BAD_INPUT)
    chosen = next((name for name in get_args(FilterName) if name == which), None)
    if chosen is None:
        fail(f"there is no filter {which!r}; use {', '.join(FILTERS)}", BAD_INPUT)
    command = _command(logs, source, which, most, validation, tokenizer)
    options = Options(command, source, chosen, most, validation, tokenizer)
    with _failing(out):
        found = _found(logs, source, database)
        with stages() as told:
            manifest = build_set(found, options, out, workers or usual_workers(len(found)), told)
        write_card(manifest, out)
    _tell(manifest)
    messages().print(f"written: {out / CARD}", soft_wrap=True)


def print_card(folder: Path) -> None:
    """Print a set's card, and write it beside the set."""
    with _failing(folder):
        text = write_card(load(folder).manifest, folder)
    console().print(text, end="", soft_wrap=True)


def export(folder: Path, form: str, parquet: bool, margin: float, finish: str, workers: int, out: Path | None) -> None:
    """Write a set in a trainer's form; `workers` 0: as many processes as help."""
    chosen = next((name for name in get_args(exports.Form) if name == form), None)
    if chosen is None:
        fail(f"there is no format {form!r}; use {', '.join(exports.FORMS)}", BAD_INPUT)
    named(finish, tuple(name for name in names() if name not in PRIVILEGED), "policy")
    where = out or folder / form
    with _failing(where):
        data = load(folder)
        processes = workers or usual_workers(len(data.episodes))
        with stages() as told:
            done = exports.export(
                data, chosen, where, parquet=parquet, least=margin, finish=finish, workers=processes, told=told
            )
    for path, (name, rows) in zip(done.files, done.rows.items(), strict=True):
        left = f", {done.left_out[name]:,} examples have none" if done.left_out[name] else ""
        console().print(f"{name}: {rows:,} rows{left}", soft_wrap=True)
        messages().print(f"written: {path}", soft_wrap=True)


def headline(out: Path, rounds: int, kept: int, tokenizer: str, workers: int, page: Path | None) -> None:
    """Rebuild the headline set, and print what it holds; `workers` 0: as many processes as help."""
    if page is not None:
        put_into(page, MARKS)
    total = headline_plan(rounds).total
    with _failing(out), stages() as told:
        manifest = rebuilt(
            out,
            rounds=rounds,
            kept=kept,
            workers=workers or usual_workers(total),
            tokenizer=tokenizer,
            progress=going_on(total, lambda done: told("episodes", done, total)),
            told=told,
        )
    _tell(manifest)
    messages().print(f"written: {out / CARD}", soft_wrap=True)
    if page is not None:
        put_into(page, MARKS, _figures(manifest))
        messages().print(f"written: {page}", soft_wrap=True)


def _found(logs: list[Path], source: str, database: str | None) -> list[Found | Refused]:
    """The logs that the options name."""
    if source == "human":
        if logs or database is None:
            fail("people's games are in a database: --source human --database URL, and no LOGS", BAD_INPUT)
        return [*records_of(database)]
    if database is not None:
        fail("--database goes with --source human", BAD_INPUT)
    return [one for file in files_of(logs) for one in logs_in(file)]


def _command(logs: list[Path], source: str, which: str, most: int | None, validation: float, tokenizer: str) -> str:
    """The command that builds this set again. A database's address may hold a password: it is left out."""
    words = ["parlay", "data", "build", *map(str, logs)]
    words += ["--source", "human", "--database", "URL"] if source == "human" else []
    words += ["--filter", which] if which != "default" else []
    words += ["--most", str(most)] if most is not None else []
    words += ["--validation", str(validation)] if validation != Options("").validation_share else []
    words += ["--tokenizer", tokenizer] if tokenizer != Options("").tokenizer else []
    return shlex.join([*words, "--out", "DIR"])


@contextmanager
def _failing(out: Path) -> Iterator[None]:
    """What can go wrong, each said in a line."""
    from concurrent.futures.process import BrokenProcessPool

    from game.store.database import StoreUnavailable

    try:
        yield
    except (SourceError, DataSetError, TokenizerMissing, SelfPlayError, RunMismatch) as error:
        fail(str(error), BAD_INPUT)
    except (StoreUnavailable, exports.ExportError, EvaluationError, LogError) as error:
        fail(str(error), FAILED)
    except BrokenProcessPool:
        fail("a worker process was killed, perhaps for lack of memory; try fewer --workers")
    except KeyboardInterrupt:
        messages().print("what was played is kept; the same command goes on with it", soft_wrap=True)
        raise
    except OSError as error:
        fail(f"can't read or write {error.filename or out}: {error.strerror}; name another folder (--out)", BAD_INPUT)


def _tell(found: Manifest) -> None:
    out = console()
    refused = sum(found.refused.values())
    out.print(f"{found.logs:,} logs read, {refused:,} refused, {found.kept:,} episodes kept", soft_wrap=True)
    for code, n in (*found.refused.items(), *found.rejected.items()):
        out.print(f"  {n:,} × {code}", soft_wrap=True)
    for told in found.refused_first:
        messages().print(f"refused: {told}", soft_wrap=True)
    held = ", ".join(f"{name} {n:,}" for name, n in found.kept_for.items()) or "none"
    out.print(f"rules that hold: {held}", soft_wrap=True)
    for name, n in found.examples.items():
        told = f"{name}: {found.episodes[name]:,} episodes on {found.seeds[name]:,} seeds, {n:,} examples"
        out.print(told, soft_wrap=True)
    rate = "none" if found.deal_rate is None else f"{found.deal_rate:.1%}"
    out.print(f"deal rate {rate}; {len(covered(found))} cells; digest {found.digest}", soft_wrap=True)


def _figures(found: Manifest) -> str:
    """The headline set's figures, for its page."""
    body = card(found)
    sections = {part.partition("\n")[0]: part for part in body.split("\n## ")}
    first = next(part for part in sections if part.startswith("---"))
    parts = [_tables(sections[first]), _sentence(sections[first], "Deal rate"), f"Digest: `{found.digest}`."]
    parts += [_tables(sections[name]) for name in sections if name.startswith(("Cells", "Filter", "Tokens"))]
    return "\n" + "\n\n".join(parts) + "\n"


def _tables(section: str) -> str:
    return "\n\n".join(part.strip() for part in section.split("\n\n") if part.startswith("|"))


def _sentence(section: str, start: str) -> str:
    return next(part for part in section.split("\n\n") if part.startswith(start))

"""`parlay benchmark`: records of parlay-bench-1 made, scored and put into a table."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from cli.console import BAD_INPUT, STDOUT, check_folder, console, fail, messages, put_into, write_file
from cli.plans import named, progress, usual_workers
from cli.results import measures_table
from cli.settings import settings_here
from parlay_env.tasks import key_of
from training.benchmark import (
    DROPPED,
    BadRecord,
    OtherTasks,
    check_player,
    frozen_tasks,
    parsed,
    recorded,
    replayed,
    written,
)
from training.benchmark_score import MARKS, NAMES, BadScores, Scored, headline, markdown, rows, saved, scored, to_json
from training.policies import PRIVILEGED, UnknownPolicy, names

NOTE = "Under a mean: its bootstrap 95 % interval over rounds within cells. –: no task that counts."


def run(policies: str, workers: int, folder: Path) -> None:
    """Play policies, and write `NAME.jsonl` and `NAME.json` for each; `workers` 0: as many processes as help."""
    chosen, key = named(policies, names(), "policy"), _key()
    if key and policies == "all":
        chosen = tuple(name for name in chosen if name not in PRIVILEGED)
    try:
        for name in chosen:
            check_player(name, key)
    except UnknownPolicy as error:
        fail(str(error), BAD_INPUT)
    total = _total(key)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"can't write to {folder}: {error.strerror}; name another folder (--out)", BAD_INPUT)
    workers = workers or usual_workers(total)
    found: list[Scored] = []
    with progress(2 * total * len(chosen)) as told:
        for k, name in enumerate(chosen):
            begun = 2 * total * k
            lines = recorded(name, key, workers, lambda done, begun=begun: told(begun + done))
            # From here on the policy counts for nothing: what its record gives is its score.
            played = replayed(lines, key, progress=lambda done, at=begun + total: told(at + done))
            record = written(lines)
            found.append(scored(name, played, key, record=record, privileged=name in PRIVILEGED))
            write_file(folder / f"{name}.jsonl", record)
            write_file(folder / f"{name}.json", to_json(found[-1]))
    out = console()
    for one in found:
        out.print(f"{one.name}: {headline(one)}", soft_wrap=True)
    out.print()
    out.print(measures_table(None, [(one.name, rows(one, "policy")[0][1]) for one in found]))
    out.print(NOTE, style="dim")


def score(path: Path, name: str | None, missing_as_dropped: bool, json_path: Path | None) -> None:
    """Play a record again and tell what it gives."""
    name = path.stem if name is None else name
    if not NAMES.fullmatch(name):
        fail("--name has letters, figures, spaces and . _ + - @ / : and at most 80 of them", BAD_INPUT)
    check_folder(json_path)
    if json_path is not None and json_path != STDOUT and json_path.exists() and json_path.samefile(path):
        fail("--json would write over the record; name another file", BAD_INPUT)
    key = _key()
    total = _total(key)
    try:
        record = path.read_bytes()
        lines = parsed(record)
        with progress(total) as told:
            played = replayed(lines, key, missing_as_dropped=missing_as_dropped, progress=told)
    except OSError as error:
        fail(f"can't read {path}: {error.strerror}; name a record (docs/benchmark.md says what one is)", BAD_INPUT)
    except BadRecord as error:
        fail(f"{path}: {error}", BAD_INPUT)
    found = scored(name, played, key, record=record)
    if json_path != STDOUT:
        _print(found)
    if json_path is not None:
        write_file(json_path, to_json(found))


def table(folder: Path, page: Path | None) -> None:
    """The scores in a folder as a table, printed or put into a page."""
    if page is not None:
        put_into(page, MARKS)
    try:
        content = markdown(saved(folder), shlex.join(["parlay", *sys.argv[1:]]))
    except BadScores as error:
        fail(str(error), BAD_INPUT)
    except OSError as error:
        fail(f"can't read the scores in {folder}: {error.strerror}", BAD_INPUT)
    if page is None:
        console().print(content, soft_wrap=True)
    else:
        put_into(page, MARKS, content)
        messages().print(f"written: {page}", soft_wrap=True)


def _key() -> bytes:
    """The key of the edition that this environment's settings name."""
    return key_of(settings_here().test_secret.get_secret_value())


def _total(key: bytes) -> int:
    try:
        return len(frozen_tasks(key))
    except OtherTasks as error:
        fail(str(error))


def _print(found: Scored) -> None:
    out = console()
    out.print(headline(found), soft_wrap=True)
    out.print()
    lines = [("all", rows(found, "policy")[0][1])]
    for by in ("scenario", "persona", "seat"):
        lines += [(group.name[1], measures) for group, measures in rows(found, by)]
    out.print(measures_table(found.name, lines))
    out.print(NOTE, style="dim")
    if found.dropped:
        out.print(f"{found.dropped} tasks have no end and count {DROPPED:g} points each.", style="yellow")
    if found.differing:
        out.print(
            f"{found.differing} rewards in the record are not what its moves earn; the replay counts.", style="yellow"
        )

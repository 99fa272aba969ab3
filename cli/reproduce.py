"""`parlay reproduce`: published figures of tabular learning, run again."""

from __future__ import annotations

import shlex
import sys
from difflib import get_close_matches
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.table import Table

from cli.console import BAD_INPUT, STDOUT, check_folder, console, fail, heading, messages, put_into, write_file
from cli.plans import stages
from training.plots import PlotsMissing
from training.reproduction.findings import SET, Experiment
from training.reproduction.plot import draw
from training.reproduction.report import (
    EXPERIMENTS,
    MARKS,
    in_runs,
    markdown,
    ours,
    published,
    reproduce,
    summary,
    to_json,
)


def run(name: str, seeds: int, json_path: Path | None, document: Path | None) -> None:
    """Run one experiment, or all; print, write."""
    names = _chosen(name)
    check_folder(json_path)
    if document is not None:
        put_into(document, MARKS)
    command = shlex.join(["parlay", *sys.argv[1:]])
    with stages() as tell:
        found = reproduce(names, seeds, tell)
    if json_path != STDOUT:
        _print(found)
    if json_path is not None:
        write_file(json_path, to_json(found, command))
    if document is not None:
        _write(found, command, document)


def _chosen(name: str) -> list[str]:
    if name == "all":
        return list(EXPERIMENTS)
    if name not in EXPERIMENTS:
        near = get_close_matches(name[:40], EXPERIMENTS, 1)
        more = f"; did you mean {near[0]}?" if near else ""
        fail(f"the experiments are {', '.join(EXPERIMENTS)}, or all{more}", BAD_INPUT)
    return [name]


def _write(found: list[Experiment], command: str, document: Path) -> None:
    """The findings into the page, and the picture beside it under its name."""
    picture = document.with_suffix(".png")
    shown = picture.name
    try:
        draw(found, picture)
    except PlotsMissing as missing:
        messages().print(f"without the picture: {missing}", soft_wrap=True)
        shown = ""
    except OSError as error:
        fail(f"can't write {picture}: {error.strerror}; name another page (--write)", BAD_INPUT)
    put_into(document, MARKS, markdown(found, command, shown))
    messages().print(f"written: {document}", soft_wrap=True)


def _print(found: list[Experiment]) -> None:
    out = console()
    for one in found:
        out.print(heading(one.title, one.question), soft_wrap=True)
        out.print(_table(one))
        for sentence in one.assumed:
            out.print(f"  {sentence}", style="dim")
        out.print()
    out.print(summary(found), style="bold")


def _table(one: Experiment) -> Table:
    shown = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    shown.padding = (0, 1, 0, 0)
    for column in ("figure", "published", "ours", f"runs of {SET}", "verdict"):
        shown.add_column(column)
    for each in one.figures:
        verdict = each.verdict if each.reproduced else f"✗ {each.verdict}"
        shown.add_row(each.name, published(each), ours(each), in_runs(each), verdict)
    return shown

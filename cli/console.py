"""What all commands say in one way: where they print, and how they fail. Rich is loaded at the first line printed."""

from __future__ import annotations

import io
import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console
    from rich.text import Text

BAD_INPUT = 2
"""Exit code for what was asked wrongly, as for a mistyped option."""
FAILED = 1
"""Exit code for what was asked rightly and did not succeed."""
INTERRUPTED = 130
STDOUT = Path("-")
"""A result's file that is the standard output."""
WIDTH_WITHOUT_TERMINAL = 100


class Failure(Exception):
    """What a person did or met that ends the command: one line that says what, and what to do about it."""

    def __init__(self, message: str, code: int = FAILED) -> None:
        super().__init__(message)
        self.code = code


def fail(message: str, code: int = FAILED) -> NoReturn:
    """End the command with this line."""
    raise Failure(message, code)


@cache
def console() -> Console:
    """Where a command prints its results. Brackets in a text are no markup: texts come from files and from players."""
    from rich.console import Console

    return Console(markup=False, emoji=False, highlight=False, width=_width(sys.stdout.isatty()))


@cache
def messages() -> Console:
    """Where a command prints what is not a result: progress, notes, errors."""
    from rich.console import Console

    return Console(stderr=True, markup=False, emoji=False, highlight=False, width=_width(sys.stderr.isatty()))


def _width(is_terminal: bool) -> int | None:
    """The terminal's own width; without a terminal a fixed one, unless COLUMNS says another."""
    return None if is_terminal or "COLUMNS" in os.environ else WIDTH_WITHOUT_TERMINAL


def without_colour() -> None:
    """Print no colours from here on (the rule of no-color.org)."""
    os.environ["NO_COLOR"] = "1"
    console.cache_clear()
    messages.cache_clear()


def write_file(path: Path, content: bytes) -> None:
    """Write a result to a file, and say so; or to the standard output, which then has nothing else."""
    if path == STDOUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        path.write_bytes(content)
    except OSError as error:
        fail(f"can't write {path}: {error.strerror}; name another file")
    messages().print(f"written: {path}", soft_wrap=True)


def check_folder(path: Path | None) -> None:
    """Fail before the work rather than after it, when its result could not be written."""
    if path is not None and path != STDOUT and not path.absolute().parent.is_dir():
        fail(f"can't write {path}: there is no such folder; create it, or name another file", BAD_INPUT)


def put_into(path: Path, marks: tuple[str, str], content: str | None = None) -> None:
    """Put this between the page's two marks (None: only see whether it could be)."""
    begin, end = marks
    try:
        text = path.read_text("utf-8")
        head, begun, rest = text.partition(begin)
        _, ended, tail = rest.partition(end)
        if not (begun and ended):
            fail(f"{path} has no place for the findings; add the lines {begin} and {end}", BAD_INPUT)
        if content is not None:
            path.write_text(f"{head}{begin}\n{content}\n{end}{tail}", "utf-8")
    except UnicodeDecodeError:
        fail(f"can't use {path}: it is no UTF-8 text; name a page that has the line {begin}", BAD_INPUT)
    except OSError as error:
        fail(f"can't use {path}: {error.strerror}; name a page that has the line {begin}", BAD_INPUT)


def heading(title: str, rest: str = "") -> Text:
    """A title in bold, and what stands beside it."""
    from rich.text import Text

    return Text.assemble((title, "bold"), ("  " if rest else "") + rest)


def complain(message: str) -> None:
    """One red line on the error stream."""
    messages().print(f"parlay: {message}", style="red", soft_wrap=True)


class App(typer.Typer):
    """A Typer application whose errors are one red line each, and never a traceback for what a person did."""

    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        for stream in (sys.stdin, sys.stdout, sys.stderr):  # What an encoding lacks is a ?, never a traceback.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        sys.exit(_run(lambda: super(App, self).__call__(*args, prog_name="parlay", standalone_mode=False, **kwargs)))


def _run(command: Callable[[], object]) -> int:
    usage_error: type[Exception] = typer.BadParameter.__mro__[1]  # typer carries its own copy of click
    try:
        code = command()
    except Failure as error:
        complain(str(error))
        return error.code
    except typer.Abort:
        complain("stopped")
        return FAILED
    except KeyboardInterrupt:
        complain("stopped")
        return INTERRUPTED
    except usage_error as error:
        return _usage(error)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    if code == INTERRUPTED:  # Typer's way to tell of a KeyboardInterrupt
        complain("stopped")
    return code if isinstance(code, int) else 0


def _usage(error: Exception) -> int:
    """What was wrong with the options, and where the right ones are told."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "parlay"
    told = " ".join(str(getattr(error, "format_message", lambda: error)()).split())
    if told:
        complain(f"{told[:1].lower()}{told[1:].rstrip('.')}; see `{path} --help`")
    return int(getattr(error, "exit_code", BAD_INPUT))

"""Texts to play about: a folder of plain text files, checked on load. The ones that come with the game are of invented
places and things, so that nobody knows them from elsewhere."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

MIN_WORDS = 40
MAX_WORDS = 2000
MAX_CHARACTERS = 20_000
MAX_TEXTS = 10_000


class TextError(ValueError):
    """A folder or a text that can't be played about. The message says which, and what would be right."""


def text_fault(text: str) -> str | None:
    """What is wrong with a text, in words; None where nothing is."""
    count = len(text.split())
    if not MIN_WORDS <= count <= MAX_WORDS:
        return f"has {count} words; a text has {MIN_WORDS} to {MAX_WORDS}"
    if len(text) > MAX_CHARACTERS:
        return f"has {len(text)} characters; a text has at most {MAX_CHARACTERS}"
    if not all(c.isprintable() or c.isspace() for c in text):
        return "has characters that can't be shown; a text is plain"
    return None


def texts(folder: Path | None = None) -> tuple[str, ...]:
    """Every text of a folder, or of those that come with the game, in the order of their files' names.

    A text is a file `*.txt` in UTF-8. Raises TextError for a folder that can't be read or has none, and for the first
    text that has a fault.
    """
    return _shipped() if folder is None else _read(folder)


@cache
def _shipped() -> tuple[str, ...]:
    return _read(files("game").joinpath("texts"))


def _read(folder: Traversable) -> tuple[str, ...]:
    try:
        found = sorted((file for file in folder.iterdir() if file.name.endswith(".txt")), key=lambda file: file.name)
    except OSError as error:
        raise TextError(f"{folder} is not a folder that can be read: {error.strerror}") from None
    if not 1 <= len(found) <= MAX_TEXTS:
        raise TextError(f"{folder} has {len(found)} files *.txt; it needs 1 to {MAX_TEXTS}")
    return tuple(map(_text, found))


def _text(file: Traversable) -> str:
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise TextError(f"{file.name} can't be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise TextError(f"{file.name} is not UTF-8: byte {error.start} can't be read") from None
    if fault := text_fault(text):
        raise TextError(f"{file.name} {fault}")
    return " ".join(text.split())

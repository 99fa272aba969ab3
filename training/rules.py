"""A digest of all that is played, shown and paid: whether two results are of one game.

Unlike the digest of an evaluation's sources (`training.record`) it leaves out who is measured, and how a source is
written: comments, docstrings and layout change nothing. Data counts as what it says, Python as what it does.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import yaml

import parlay_env

ROOT = Path(parlay_env.__file__).parents[1]
"""Where the packages stand."""
GROUND = tuple(
    f"game/{name}" for name in ("__init__.py", "cards.py", "events.py", "events.yaml", "scenarios.py", "scenarios")
)
"""Of the folder `game`, what a game is made of; the rest keeps games and tells of them."""
SHOWN = ("actions", "figures", "models", "observe", "prompt")
PAID = ("amounts", "core", "game_theory", "grader", "log", "reward", "rng")
PERSONAS = (
    *("claims", "formulas", "guess", "numbers", "personas", "purposes", "registry", "scripted", "speech", "table"),
    "words",
)
SOURCES = (
    *("parlay_env/deal", "agent/lexicon", "agent/personas.yaml"),
    *GROUND,
    *(f"parlay_env/{name}.py" for name in (*SHOWN, *PAID)),
    *(f"agent/{name}.py" for name in PERSONAS),
)
"""Folders and files: scenarios, headlines and cards; mechanism, reward and grade; the personas, their words too; what a
player is shown, and how its actions are read."""


@cache
def rules_digest(root: Path = ROOT) -> str:
    """16 hexadecimal digits: the same digest, the same game."""
    digest = hashlib.blake2b(digest_size=8, person=b"parlay-rules")
    for file in files(root):
        meaning = _of_python(file) if file.suffix == ".py" else _of_yaml(file)
        digest.update(f"{file.relative_to(root).as_posix()}\0{len(meaning)}\0".encode() + meaning)
    return digest.hexdigest()


def files(root: Path = ROOT) -> list[Path]:
    """Every file that counts, in order."""
    found = set[Path]()
    for source in (root / name for name in SOURCES):
        if source.is_dir():
            found |= {path for path in source.rglob("*") if path.suffix in (".py", ".yaml")}
        else:
            found.add(source)
    return sorted(found)


def _of_yaml(file: Path) -> bytes:
    return json.dumps(yaml.safe_load(file.read_text("utf-8")), ensure_ascii=False, default=str).encode()


def _of_python(file: Path) -> bytes:
    return "\0".join(_words(ast.parse(file.read_text("utf-8")))).encode()


def _words(node: object) -> Iterator[str]:
    """A syntax tree in words, the same for every release of Python: what is empty is left out, and so are docstrings,
    those of attributes too."""
    if isinstance(node, ast.AST):
        yield type(node).__name__
        for name, value in ast.iter_fields(node):
            if value is not None and value != [] and name != "kind":
                yield name
                yield from _words(value)
    elif isinstance(node, list):
        yield "["
        for one in node:
            if not _is_docstring(one):
                yield from _words(one)
        yield "]"
    else:
        yield repr(node)


def _is_docstring(node: object) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)

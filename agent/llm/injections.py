"""Hostile messages of a player: what the other side of the table may type to a model that speaks for a persona."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec
import yaml


class Injection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A hostile message: one text, or several that are said turn by turn."""

    id: str
    kind: str
    language: Literal["en", "zh"]
    text: str | tuple[str, ...]
    times: int = 1
    """The text so many times over."""
    then: str = ""
    """And this after it."""

    def said(self, turn: int) -> str:
        """What is typed at this turn, from 1 on."""
        if isinstance(self.text, str):
            return self.text * self.times + self.then
        return self.text[(turn - 1) % len(self.text)]


@cache
def injections() -> tuple[Injection, ...]:
    """All messages, in the file's order."""
    raw = yaml.safe_load(files("agent.llm").joinpath("injections.yaml").read_text("utf-8"))
    return msgspec.convert(raw, tuple[Injection, ...])

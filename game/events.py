"""Market events: the kinds of headline that may break, and how each moves the two limits on average."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec
import yaml

try:  # In C where PyYAML was built with it: ten times as fast.
    from yaml import CSafeLoader as YamlLoader
except ImportError:
    from yaml import SafeLoader as YamlLoader

Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = ("train", "validation", "test")


class MarketKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of headline. `seller` and `buyer`: by how much of Δ0 that seat's limit tightens in the mean (negative:
    loosens). `words`: the wordings by split; a kind without words for a split does not occur in it."""

    id: str
    seller: float
    buyer: float
    words: dict[Split, tuple[str, ...]]


@cache
def all_market_kinds() -> tuple[MarketKind, ...]:
    """Every kind of every split, in file order."""
    text = files("game").joinpath("events.yaml").read_text("utf-8")
    return msgspec.convert(yaml.load(text, Loader=YamlLoader), type=tuple[MarketKind, ...])


@cache
def market_kinds(split: Split) -> tuple[MarketKind, ...]:
    """The kinds that occur in a split, in file order."""
    return tuple(kind for kind in all_market_kinds() if kind.words.get(split))

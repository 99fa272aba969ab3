"""Whole numbers that are written with a point: to JSON and its schemas `10.0` is `10`."""

from __future__ import annotations

from typing import Any

import msgspec

from parlay_env.rng import MAX_SEED


def converted(data: Any, kind: Any, *, strict: bool = True) -> Any:
    """This data as a value of this type, as it is; else with 10 for every 10.0. `strict`: as `msgspec.convert` has it.

    Raises msgspec.ValidationError, which tells of the data as it was sent where that is what is wrong, and UnicodeError
    where half a surrogate pair stands in it.
    """
    try:
        return msgspec.convert(data, kind, strict=strict)
    except msgspec.ValidationError as error:
        sent = error
    try:
        return msgspec.convert(whole_figures(data), kind, strict=strict)
    except msgspec.ValidationError as error:
        raise (sent if _place(error) == _place(sent) else error) from None


def whole_figures(data: Any, depth: int = 4) -> Any:
    """The same data with 10 for every 10.0, down to so many levels."""
    if isinstance(data, float) and data.is_integer() and abs(data) <= MAX_SEED:
        return int(data)
    if depth and isinstance(data, dict):
        return {name: whole_figures(value, depth - 1) for name, value in data.items()}
    if depth and isinstance(data, (list, tuple)):
        return [whole_figures(value, depth - 1) for value in data]
    return data


def _place(error: msgspec.ValidationError) -> str:
    """The path to what is wrong."""
    return str(error).rpartition(" - at ")[2]

"""A game in words: the form of a move, and the prompt of whoever reads text, over a door and in this process alike."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from parlay_env.games.interface import StrategicGame

_BESIDE = ("game", "your_move", "rules")
"""Of what is seen, what the prompt says in another place."""


def prompt_of(game: StrategicGame, seen: Mapping[str, Any]) -> str:
    """The rules, what is seen, and what to answer, for a language model. `seen`: a player's view, as plain data."""
    told = {name: value for name, value in seen.items() if name not in _BESIDE}
    over = seen["ended"] is not None
    what = "The game is over." if over else f"Answer with one JSON object, your move: {shape(game.move_type)}"
    rules, facts = seen.get("rules", game.rules), msgspec.json.encode(told).decode()
    return f"{rules}\n\nYou are {seen['seat']}. You see:\n{facts}\n\n{what}"


def shape(kind: type, only: Collection[str] | None = None) -> str:
    """A struct's fields as people write JSON: `{"lever": integer}`; those that may be left out with a `?`. `only`:
    see `schema_of`."""
    found = schema_of(kind, only)
    return _kind(found, found["$defs"])


def schema_of(kind: type, only: Collection[str] | None = None) -> dict[str, Any]:
    """A struct's JSON schema; `only`: with these of its fields alone, which are those that a client may give."""
    found = msgspec.json.schema(kind)
    fields = found["$defs"][kind.__name__]["properties"]
    for name in () if only is None else fields.keys() - set(only):
        del fields[name]
    return found


def _kind(schema: dict[str, Any], known: dict[str, Any]) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        return _kind(known[schema["$ref"].rsplit("/", 1)[-1]], known)
    if "enum" in schema:
        return " | ".join(msgspec.json.encode(one).decode() for one in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(_kind(one, known) for one in schema["anyOf"] if one.get("type") != "null")
    if properties := schema.get("properties"):
        needed = schema.get("required", ())
        parts = [f'"{name}"{"" if name in needed else "?"}: {_kind(one, known)}' for name, one in properties.items()]
        return "{" + ", ".join(parts) + "}"
    if schema.get("type") == "object" and isinstance(values := schema.get("additionalProperties"), dict):
        return "{name: " + _kind(values, known) + "}"
    if schema.get("type") == "array" and isinstance(items := schema.get("items"), dict):
        return "[" + _kind(items, known) + ", ...]"
    return str(schema.get("type", "any"))

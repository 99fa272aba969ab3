"""A model's text as an action, and how it was to be read.

| class | when |
| --- | --- |
| `ok` | the text is one JSON object, and that is an action |
| `repaired` | an action could be made of it: `repairs` says by what |
| `illegal` | it is an object with fields of an action, and one of them can't be read; or the game refuses the move |
| `absent` | there is no action in it at all |

Nothing is made up: what can't be read is never replaced by another move.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import Any

import msgspec
from pydantic import ValidationError

from agent.llm.spoken import Class
from agent.llm.text import found_object, is_text, strict_object
from parlay_env.amounts import amounts
from parlay_env.deal.state import Invalid
from parlay_env.games.messages import NO_TEXT
from parlay_env.models import MAX_WORDS, BeliefReport, ParlayAction

FIGURES = ("offer_amount", "claim_value", "event_impact")
SHARES = ("event_impact", "est_urgency", "est_has_alternative")
"""Figures that are also said in per cent."""
FLAGS = ("challenge", "accept_deal", "walk_away")
NAMES = ("tactical_move", "question", "sweetener")
NOTHING = frozenset({"", "none", "null", "n/a", "no"})
_FLAGS = {"true": True, "yes": True, "false": False, "no": False, "": False, "none": False}
_PER_CENT = re.compile(r"([-+]?[0-9]+(?:\.[0-9]+)?)\s*%")
_PLAIN = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?")
ABSENT = Invalid("no_action", "there was no JSON object with a move in it")


class Parsed(msgspec.Struct, frozen=True):
    """A text that was read. `action` is None where `problem` says why."""

    kind: Class
    action: ParlayAction | None = None
    repairs: tuple[str, ...] = ()
    problem: Invalid | None = None


def parse(text: str) -> Parsed:
    """The action in a model's text. Never raises."""
    whole = strict_object(text)
    if whole is not None:
        try:
            return _told("ok", ParlayAction.model_validate(whole))
        except ValidationError:
            pass
    found = found_object(text)
    if found is None or not found[0].keys() & ParlayAction.model_fields.keys():
        return Parsed("absent", problem=ABSENT)
    given, how = found
    repairs = list(how)
    mended = _mended(given, repairs)
    try:
        action = ParlayAction.model_validate(mended)
    except ValidationError as error:
        return Parsed("illegal", repairs=_once(repairs), problem=_unreadable(error))
    return _told("repaired", action, _once(repairs))


def _told(kind: Class, action: ParlayAction, repairs: tuple[str, ...] = ()) -> Parsed:
    """An action that could be read, unless it holds what nobody could be told."""
    if is_text(action.offer):  # pydantic sees to all other words
        return Parsed(kind, action, repairs)
    return Parsed("illegal", None, repairs, Invalid("unreadable", f"{NO_TEXT}: offer must be {_wanted('offer')}"))


def _once(repairs: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(repairs))


def _unreadable(error: ValidationError) -> Invalid:
    """The first field that can't be read. What was in it is not quoted."""
    field = next(str(part) for part in error.errors(include_input=False, include_url=False)[0]["loc"])
    wanted = _wanted(field)
    return Invalid("unreadable", f"{field} must be {wanted}")


def _wanted(field: str) -> str:
    if field in FIGURES:
        return "a number"
    if field in FLAGS:
        return "true or false"
    if field == "utterance":
        return "text"
    if field in ("offer", "belief"):
        return "an object with a number in each field"
    return "one of the names that are listed"


def _mended(given: dict[str, Any], repairs: list[str]) -> dict[str, Any]:
    """The fields as the wire wants them, as far as it is plain what was meant."""
    known = {name: value for name, value in given.items() if name in ParlayAction.model_fields}
    if len(known) < len(given):
        repairs.append("unknown_field")
    known = _placed(known, repairs)
    made: dict[str, Any] = {}
    for name, value in known.items():
        if value is None:
            if name in FLAGS or name == "utterance":
                repairs.append("null")
            continue
        made[name] = _field(name, value, repairs)
    return {name: value for name, value in made.items() if value is not None}


def _placed(known: dict[str, Any], repairs: list[str]) -> dict[str, Any]:
    """A single figure belongs in `offer_amount`, figures by issue in `offer`."""
    for there, right, kinds in (("offer", "offer_amount", (int, float, str)), ("offer_amount", "offer", (dict,))):
        if isinstance(known.get(there), kinds) and known.get(right) is None:
            known = {name: value for name, value in known.items() if name != right}
            known[right] = known.pop(there)
            repairs.append("misplaced")
            break
    return known


def _field(name: str, value: Any, repairs: list[str]) -> Any:
    """A field's value, mended where that is plain; None for one that says nothing."""
    if name in FIGURES:
        return _figure(name, value, repairs)
    if name in FLAGS:
        return _flag(value, repairs)
    if name in NAMES:
        return _name(value, repairs)
    if name == "utterance" and isinstance(value, str) and len(value) > MAX_WORDS:
        repairs.append("length")
        return value[:MAX_WORDS]
    if name in ("offer", "belief") and isinstance(value, dict):
        return _figures(name, value, repairs)
    return value


def _figures(name: str, given: dict[str, Any], repairs: list[str]) -> dict[str, Any] | None:
    """An object of figures."""
    kept = given
    if name == "belief":
        kept = {field: value for field, value in given.items() if field in BeliefReport.model_fields}
        if len(kept) < len(given):
            repairs.append("unknown_field")
    if not kept:
        return None
    return {field: None if value is None else _figure(field, value, repairs) for field, value in kept.items()}


def _figure(name: str, value: Any, repairs: list[str]) -> Any:
    if not isinstance(value, str):
        return value
    read = _read_figure(value.strip(), share=name in SHARES)
    if read is None:
        return value
    repairs.append("figure")
    return read


def _read_figure(text: str, *, share: bool) -> float | None:
    """The one figure that a text names: `150000`, `150,000`, `150k`, `$1.2M`; of a share also `10%`."""
    if _PLAIN.fullmatch(text):
        number = float(text)
        return number if isfinite(number) else None
    if share:
        match = _PER_CENT.fullmatch(text)
        return None if match is None else float(match[1]) / 100
    named = amounts(text)
    return named[0] if len(named) == 1 else None


def _flag(value: Any, repairs: list[str]) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and (said := _FLAGS.get(value.strip().lower())) is not None:
        repairs.append("flag")
        return said
    if value in (0, 1):
        repairs.append("flag")
        return bool(value)
    return value


def _name(value: Any, repairs: list[str]) -> Any:
    """The id of a card, a topic or an item."""
    if not isinstance(value, str):
        return value
    plain = value.strip().lower().replace(" ", "_").replace("-", "_")
    if plain in NOTHING:
        repairs.append("empty")
        return None
    if plain != value:
        repairs.append("spelling")
    return plain

"""Text to options and actions, answers to text, and every error as a code and a message.

Nothing that a client sent is ever quoted, and no exception's text but our own: a name that isn't known is answered with
the nearest one that is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

import msgspec
from pydantic import ValidationError

from parlay_env import session as play
from parlay_env.models import BeliefReport, ParlayAction
from parlay_env.options import ResetOptions

encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
_MODELS = (ParlayAction, BeliefReport, ResetOptions)
_NAMES = sorted({name for model in _MODELS for name in model.model_fields})
_DETAILS_AT_MOST = 8
MAX_STEP_BYTES = 32_768
"""A step's message: the longest words, escaped, take 24,000. Only a history needs more."""
_LONGEST_INTEGER = 19
"""Digits; a longer whole number is read as a float, like any figure that is too large."""


class WireError(Exception):
    """An answer that says what was wrong. `code` is one of SPEC's for `/env/ws`; `/ws` has its own for each."""

    def __init__(self, code: str, message: str, details: list[dict[str, Any]] | None = None, **more: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details
        self.more = more

    def body(self) -> dict[str, Any]:
        """The error as it is sent."""
        found: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.details:
            found["details"] = self.details
        return found | self.more


def decode(text: str | bytes) -> Any:
    """What this JSON says. Figures too large for a float become infinite: it is for the game to refuse them.

    Raises WireError with INVALID_JSON, also for NaN and Infinity, which are not JSON.
    """
    try:
        return _decode(text)
    except msgspec.ValidationError:
        return decode_loosely(text)
    except (msgspec.DecodeError, UnicodeError):
        raise WireError("INVALID_JSON", "this is not JSON") from None
    except RecursionError:
        raise WireError("INVALID_JSON", "this is nested too deeply") from None


def decode_loosely(text: str | bytes) -> Any:
    """Like `decode`, every huge figure a float. Slower: for what `decode` can't hold."""
    try:
        found = json.loads(text, parse_constant=_refuse, parse_int=_integer)
        encode(found)  # half a surrogate pair, which `json` lets in, could not be sent back
    except (ValueError, RecursionError):
        raise WireError("INVALID_JSON", "this is not JSON") from None
    return found


def _refuse(_: str) -> NoReturn:
    raise ValueError


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float(digits)


def action_of(data: Any, text: str | bytes, *path: str) -> ParlayAction:
    """The action in `data`, which stands in `text` under `path`.

    Raises WireError with INVALID_ACTION, and with MESSAGE_TOO_LARGE before it looks at what is too long for a step.
    """
    if is_longer(text, MAX_STEP_BYTES):
        raise WireError("MESSAGE_TOO_LARGE", f"a step has at most {MAX_STEP_BYTES} bytes")
    try:
        return ParlayAction.model_validate(data)
    except ValidationError as error:
        try:  # A whole number beyond all floats is a figure for the game to refuse, like 1e999.
            loose = decode_loosely(text)
            for key in path:
                loose = loose[key]
            return ParlayAction.model_validate(loose)
        except (ValidationError, WireError, LookupError, TypeError):
            message = "this is not an action: what is wrong stands beside this message, and what one is at /schema"
            raise WireError("INVALID_ACTION", message, details_of(error)) from None


def is_longer(text: str | bytes, limit: int) -> bool:
    """Has this more than `limit` bytes?"""
    if isinstance(text, bytes) or 4 * len(text) <= limit:
        return len(text) > limit
    return len(text.encode()) > limit


def options_of(data: Any) -> ResetOptions:
    """The options of a reset. Raises WireError with INVALID_OPTION."""
    try:
        return ResetOptions.model_validate(data)
    except ValidationError as error:
        raise WireError(
            "INVALID_OPTION",
            "these are no options of reset: what is wrong stands beside this message",
            details_of(error),
        ) from None


def details_of(error: ValidationError, names: Sequence[str] = _NAMES) -> list[dict[str, Any]]:
    """Where and what, without the input: an unknown field is not named but answered with the nearest of the `names`."""
    found = []
    for one in error.errors(include_url=False, include_context=False, include_input=False)[:_DETAILS_AT_MOST]:
        message = one["msg"]
        where = one["loc"]
        if one["type"] == "extra_forbidden":
            message = "there is no such field" + _nearest(where[-1], names)
        known = [part for part in where if isinstance(part, int) or part in names]
        found.append({"loc": known, "msg": message, "type": one["type"]})
    return found


def _nearest(name: Any, names: Sequence[str]) -> str:
    near = get_close_matches(name[:40], names, 1) if isinstance(name, str) else []
    return f"; did you mean {near[0]}?" if near else ""


def error_of(error: play.SessionError) -> WireError:
    """A session's error as it goes over the wire."""
    if isinstance(error, play.EpisodeDone):
        return WireError("EPISODE_DONE", str(error))
    if isinstance(error, play.NotYourMove):
        return WireError("NOT_YOUR_MOVE", str(error))
    code = "INVALID_OPTION"
    if isinstance(error, play.UnknownScenario):
        code = "UNKNOWN_SCENARIO"
    elif isinstance(error, play.UnknownPersona):
        code = "UNKNOWN_PERSONA"
    where = error.where if isinstance(error, play.BadOption) else ()
    details = [{"loc": list(where), "msg": str(error), "type": "value_error"}] if where else None
    return WireError(code, str(error), details)

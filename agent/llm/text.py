"""The JSON object in a model's text: alone, in a fence, or in the middle of prose.

Texts are strangers': what is done with one takes time in proportion to its length, whatever is in it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

_MARK = "```"
_LANGUAGE = re.compile(r"[a-zA-Z]*")
_THOUGHT = re.compile(r"\s*<think(?:ing)?>(?:(.*?)</think(?:ing)?>|.*)", re.DOTALL)
"""What a model that thinks aloud says before its answer; one that doesn't come to an end is no answer."""
_TRAILING = re.compile(r",(\s*[}\]])")
MOST_STARTS = 64
"""Opening braces that are tried: a text of nothing else must not cost more."""

Object = dict[str, Any]


def is_text(said: Any) -> bool:
    """Can this text, or all text in this data, be written down? Half a surrogate pair can't: neither a log nor a
    request could hold it."""
    try:
        msgspec.json.encode(said)
    except UnicodeError:
        return False
    return True


def strict_object(text: str) -> Object | None:
    """The object that the whole text is, if it is one."""
    return _loaded(text.strip())


def found_object(text: str) -> tuple[Object, tuple[str, ...]] | None:
    """The first JSON object with a field in a text, and what was in the way: `thought`, `fence`, `prose`, `comma`;
    None without one. An object alone, however empty, is found as it is."""
    start = 0
    while (thought := _THOUGHT.match(text, start)) is not None:
        start = thought.end()
    found = _answered(text[start:])
    return (found[0], ("thought", *found[1])) if found is not None and start else found


def _answered(text: str) -> tuple[Object, tuple[str, ...]] | None:
    """As `found_object`, of a text without thoughts before it."""
    whole = strict_object(text)
    if whole is not None:
        return whole, ()
    for body in _fenced(text):
        read = _read(body)
        if read is not None:
            return read[0], ("fence", *read[1])
    return _in_prose(text)


def _fenced(text: str) -> Iterator[str]:
    """What stands in the text's fences, without the name of a language."""
    end = 0
    while (start := text.find(_MARK, end)) >= 0 and (end := text.find(_MARK, start + len(_MARK))) >= 0:
        body = text[start + len(_MARK) : end]
        named = _LANGUAGE.match(body)
        yield body[named.end() if named else 0 :].strip()
        end += len(_MARK)


def _in_prose(text: str) -> tuple[Object, tuple[str, ...]] | None:
    mended = _TRAILING.sub(r"\1", text)
    for candidate, how in ((text, ()), (mended, ("comma",))):
        decoder = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
        for match in islice(re.finditer(r"\{", candidate), MOST_STARTS):
            try:
                found, end = decoder.raw_decode(candidate, match.start())
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict) and found:
                alone = not candidate[: match.start()].strip() and not candidate[end:].strip()
                return found, how if alone else ("prose", *how)
    return None


def _read(text: str) -> tuple[Object, tuple[str, ...]] | None:
    whole = _loaded(text)
    if whole is not None:
        return whole, ()
    mended = _loaded(_TRAILING.sub(r"\1", text))
    return None if mended is None else (mended, ("comma",))


def _loaded(text: str) -> Object | None:
    try:
        found = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _finite(figure: str) -> float:
    """A figure too large for a float is as little JSON as `Infinity`, which it would become: no door takes it."""
    found = float(figure)
    if not math.isfinite(found):
        raise ValueError(f"{figure} is no figure")
    return found

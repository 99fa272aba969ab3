"""Lexicons: the words of the scripted personas, one YAML file each, compiled on first use.

A lexicon is a set of named pools of sentence patterns, one a line: `{a|b}` is a choice, `$name` a slot. The patterns of
a pool all say the same thing. Beside a pool `x`, `x.hot` is used from intense tension on, `x.cool` up to warming,
`x.late` when turns run out, and `evade` with each of its topics; `x.early` replaces it in a persona's terse turns.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from math import gcd

import msgspec
import yaml

WAYS = {
    "seller": {"down": "come down", "up": "come up", "better": "higher", "past": "below", "far": "low"},
    "buyer": {"down": "come up", "up": "come down", "better": "lower", "past": "above", "far": "high"},
    "": {"down": "move", "up": "move", "better": "better", "past": "past", "far": "far off"},
}
"""How the seat moves, how the other should, what it wants of the other's offer, where its limit's far side is, what is
wrong with the other's offer. The last row is for where no direction can be told: several issues, unknown scenarios."""
LEAST = 23
"""Places of the smallest pool: more than an episode has turns."""
FRAME = ("deal", "number", *WAYS[""])
"""The slots that the scenario and the seat fill."""
SLOT = {name: i for i, name in enumerate(("figure", "their", "claim", "item", "word", *FRAME))}
INSIDE = re.compile(r"\$(?:figure|their)(?![.?!;]|$)")
"""An offer named inside a sentence: too long for it when it has several issues."""
PIECE = re.compile(r"\$[a-z]+|[{}|]|[^{}|$]+|\$")

Pattern = tuple["str | int | tuple[Pattern, ...]", ...]
"""Text, the number of a slot, or a choice among patterns."""
Situation = tuple[str, bool, bool, int, bool, bool]
"""A pool's name, several issues, may name the other's offer, band of tension (0–4), turns run out, terse."""
Frame = tuple[tuple[str, ...], ...]
"""The words that may fill each slot of `FRAME`."""


class Style(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much a persona says: the sentences it aims at, and how likely each optional one is."""

    most: int
    reply: float
    reason: float
    news: float
    lead: float
    tone: tuple[float, float, float, float, float]
    """By band of tension: calm, warming, heated, intense, critical."""
    tone_first: bool = False
    """From heated on, the sentence on the mood comes first."""
    echo: float = 0.0
    """Picks up a word of the other's."""
    terse: int = 0
    """In the first so many turns nothing optional is said."""


class Lexicon(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A lexicon's file."""

    style: Style
    nouns: dict[str, dict[str, str]]
    """By scenario. `priced`: it is about one price, which the seller wants high."""
    pools: dict[str, str]
    echoes: dict[str, str] = {}
    """Words that may be picked up, by the `x` of the pool `echo.x` that does it."""


class Pool(msgspec.Struct, frozen=True):
    """Patterns that say the same thing. `number` tells pools apart in the draws; see `walk`."""

    patterns: tuple[Pattern, ...]
    places: int
    stride: int
    number: int

    def walk(self, start: int, turn: int) -> int:
        """Where a walk from `start` is at this turn: a place below `places` that no other turn of an episode comes to.

        Not all of a small pool's places hold a pattern.
        """
        return (start + turn * self.stride) % self.places


def pool_of(patterns: list[Pattern], number: int) -> Pool:
    """A pool of these patterns. Its stride is prime to its places and near their golden section, so that a walk visits
    all of them, scattered."""
    places = max(len(patterns), LEAST)
    stride = next(step for step in range(int(places * 0.618), places) if gcd(step, places) == 1)
    return Pool(tuple(patterns), places, stride, number)


class Voice(msgspec.Struct, frozen=True):
    """A compiled lexicon. A pool is filed under (name, fit for several issues, names the other's offer)."""

    style: Style
    pools: dict[tuple[str, bool, bool], Pool]
    names: frozenset[str]
    frames: dict[tuple[str, str], Frame]
    """By scenario and seat; the seat "" where no direction can be told."""
    echoes: dict[str, str]
    found: dict[Situation, tuple[Pool, ...]]
    """What `find` found before."""

    def find(self, situation: Situation) -> tuple[Pool, ...]:
        """The pools that fit: first the general one, then the special ones."""
        if (known := self.found.get(situation)) is not None:
            return known
        name, several, theirs, band, late, early = situation
        names = [f"{name}.early"]
        if not early or names[0] not in self.names:
            names = [name, f"{name}.hot" if band >= 3 else f"{name}.cool" if band <= 1 else ""]
            names += [f"{name}.late"] if late else []
            names += [name.partition(".")[0]] if name.startswith("evade.") else []
        keys = [(n, several, about) for n in names for about in (False, True)[: 1 + theirs]]
        return self.found.setdefault(situation, tuple(self.pools[key] for key in keys if key in self.pools))

    def frame(self, scenario: str, seat: str) -> Frame:
        """What fills the slots of `FRAME`; a scenario that the lexicon does not know has neutral words."""
        return self.frames.get((scenario, seat)) or self.frames["default", ""]


@cache
def voice_of(persona: str) -> Voice:
    """The persona's compiled lexicon. Raises FileNotFoundError when there is none, ValueError when it is faulty."""
    text = files("agent").joinpath("lexicon", f"{persona}.yaml").read_text("utf-8")
    raw = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 (both are safe)
    lexicon = msgspec.convert(raw, Lexicon)
    sorts: dict[tuple[str, bool, bool], list[Pattern]] = {}
    for name, lines in lexicon.pools.items():
        for line in lines.splitlines():
            pattern, about = parse(line), "$their" in line
            sorts.setdefault((name, False, about), []).append(pattern)
            if not INSIDE.search(line):
                sorts.setdefault((name, True, about), []).append(pattern)
    numbers = {key: i for i, key in enumerate(sorted({(name, about) for name, _, about in sorts}))}
    pools = {key: pool_of(patterns, numbers[key[0], key[2]]) for key, patterns in sorts.items()}
    frames = {}
    for scenario, nouns in lexicon.nouns.items():
        for seat in WAYS:
            words = nouns | WAYS[seat if nouns.get("priced") else ""]
            frames[scenario, seat] = tuple(tuple(words[name].split("|")) for name in FRAME)
    echoes = {word: f"echo.{kind}" for kind, words in lexicon.echoes.items() for word in words.split()}
    return Voice(lexicon.style, pools, frozenset(lexicon.pools), frames, echoes, {})


def parse(line: str) -> Pattern:
    """A pattern from its text. Raises ValueError for braces that don't match, or an unknown slot."""
    choices: list[list[list[str | int | tuple[Pattern, ...]]]] = [[[]]]
    try:
        for piece in PIECE.findall(line):
            if piece == "{":
                choices.append([[]])
            elif piece == "|":
                choices[-1].append([])
            elif piece == "}":
                closed = tuple(tuple(parts) for parts in choices.pop())
                choices[-1][-1].append(closed)
            else:
                choices[-1][-1].append(SLOT[piece[1:]] if piece[0] == "$" else piece)
        ((pattern,),) = choices
    except (IndexError, KeyError, ValueError) as error:
        raise ValueError(f"not a pattern ({error!r}): {line}") from None
    return tuple(pattern)

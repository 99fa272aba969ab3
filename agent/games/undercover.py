"""Who plays undercover: a reader who quotes what covers most and weighs the others' words, and a random player.

The reader's summary is sentences of its document, chosen one by one for the words they add (Nenkova & McKeown 2012,
"A Survey of Text Summarization Techniques", on greedy coverage), each player by its own taste. Its vote asks of every
summary whether it reads as if written without some stretch of the document: the likelihood of its words if the document
were all but that stretch, over their likelihood if it were whole, averaged over the stretches.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from heapq import heapify, heappop, heappush
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parlay_env.core import Policy
from parlay_env.games.undercover import GAP, LETTERS, Move, View
from parlay_env.rng import Draws, Purpose

SHORT = 3
"""Words of up to so many letters say little, and are not counted."""
TASTE = 0.5
"""A reader values a sentence by up to this share more or less than the next reader does."""
CELLS = 20
"""A document is cut into this many parts, and a stretch that may be missing is of 2, 4, … 18 of them."""
SLIP = 0.02
"""How probably a word is told by who lacks it."""
TEMPERATURE = 4.0
"""What log-likelihoods are divided by: words come by the sentence, and are not as many witnesses as they are words."""
STOCK = "It tells of a place and of what people do there."
"""What who has nothing to quote writes."""

REMEMBERED = 1000
"""Characters of the longest text whose words are remembered: sentences come again, and others' documents cost room."""

_PICK = Purpose.POLICY
_TASTE = Purpose.POLICY + 1
_WORD = Purpose.POLICY + 2
_LENGTH = Purpose.POLICY + 3
_ABSTAIN = Purpose.POLICY + 4


class Random:
    """Writes words of its document as they come, and votes for anybody, or for nobody one time in ten."""

    def act(self, view: View, rng: Draws) -> Move:
        """A summary or a vote."""
        if view.phase == "vote":
            others = [seat for seat in view.players if seat != view.seat]
            named = others[rng.integer(0, len(others) - 1, 1, _PICK)]
            return Move(vote=None if rng.unit(1, _ABSTAIN) < 0.1 else named)
        words = [word for word in view.document.split() if len(word) < LETTERS and word != GAP] or ["words"]
        length = rng.integer(1, min(view.words, 20), 0, _LENGTH)
        return Move(summary=" ".join(words[rng.integer(0, len(words) - 1, 0, _WORD, i)] for i in range(length)))


class Reader:
    """Quotes the sentences that cover most; votes for whom a missing stretch would explain best, and says how sure it
    is. A spy quotes what it has, and what those before it wrote; it votes for anybody."""

    def act(self, view: View, rng: Draws) -> Move:
        """A summary or a vote."""
        if view.phase == "write":
            return Move(summary=_summary(view, rng))
        others = [seat for seat in view.players if seat != view.seat]
        if view.missing:
            return Move(vote=others[rng.integer(0, len(others) - 1, 1, _PICK)])
        scores = _scores(view)
        likeliest = [seat for seat, score in zip(others, scores, strict=True) if score == max(scores)]
        chosen = likeliest[rng.integer(0, len(likeliest) - 1, 1, _PICK)]
        return Move(vote=chosen, beliefs=dict(zip(others, _shares(scores), strict=True)))


PLAYERS: Mapping[str, Callable[[], Policy]] = {"reader": Reader, "random": Random}
"""By name; the first is the partner where none is named."""


def words_of(text: str) -> tuple[str, ...]:
    """The words that are counted, in order and lower case."""
    return _remembered(text) if len(text) <= REMEMBERED else _counted(text)


@lru_cache(maxsize=4096)
def _remembered(text: str) -> tuple[str, ...]:
    return _counted(text)


def _counted(text: str) -> tuple[str, ...]:
    return tuple(word for word in re.findall(r"\w+", text.lower()) if len(word) > SHORT)


def suspicion(document: str, summary: str, rate: float, heard: Collection[str] = ()) -> float:
    """How much more probable a summary is from one who lacks some stretch of the document than from one who has it
    all: a log-likelihood ratio over `TEMPERATURE`.

    Who has a word tells it with probability `rate`, who lacks it with `SLIP`; words already heard say nothing.
    """
    model = _model(document)
    new = [i for word, i in model.number.items() if word not in heard]
    told = [model.number[word] for word in set(words_of(summary)) - set(heard) if word in model.number]
    here = model.lacking[:, told].sum(axis=1)
    gone = model.lacking[:, new].sum(axis=1) - here
    fits = (here * log(SLIP / rate) + gone * log((1 - SLIP) / (1 - rate))) / TEMPERATURE
    top = fits.max()
    return round(float(top + np.log(model.prior @ np.exp(fits - top))), 9)


def _scores(view: View) -> list[float]:
    """How suspect each other player is, in the order of their seats."""
    model, texts = _model(view.document), [text or "" for text in view.summaries]
    told = [frozenset(words_of(text)) & model.number.keys() for text in texts]
    rate = sum(map(len, told)) / (len(told) * max(1, len(model.number)))
    rate = min(max(rate, 2 * SLIP), 1 - SLIP)
    scores, heard = list[float](), set[str]()
    for seat, text, words in zip(view.players, texts, told, strict=True):
        if seat != view.seat:
            scores.append(suspicion(view.document, text, rate, heard))
        if view.mode == "sequential":
            heard |= words
    return scores


def _shares(scores: Sequence[float]) -> list[float]:
    """Beliefs from scores: one of them is the spy, each as probably before anything was read."""
    weights = np.exp(np.array(scores) - max(scores))
    return [round(float(weight), 4) for weight in weights / weights.sum()]


class _Model(NamedTuple):
    """Of a document: its words by number; which of them are lacking without each stretch, shape (stretches, words);
    how probable each stretch is, every length as much."""

    number: dict[str, int]
    lacking: NDArray[np.bool_]
    prior: NDArray[np.float64]


@lru_cache(maxsize=64)
def _model(document: str) -> _Model:
    tokens = words_of(document)
    number = {word: i for i, word in enumerate(dict.fromkeys(tokens))}
    within = np.zeros((CELLS + 1, len(number)), int)
    for place, word in enumerate(tokens):
        within[1 + place * CELLS // len(tokens), number[word]] += 1
    before = within.cumsum(axis=0)
    stretches = [(a, a + size) for size in range(2, CELLS, 2) for a in range(CELLS - size + 1)]
    first, last = np.array(stretches).T
    prior = 1.0 / (CELLS - (last - first) + 1)
    return _Model(number, before[last] - before[first] == before[-1], prior / prior.sum())


def _summary(view: View, rng: Draws) -> str:
    """Sentences for the words they add, until no more fits; in the order in which they were read."""
    known = _sentences(view)
    weight = Counter(word for sentence in known for word in words_of(sentence))
    words = [frozenset(words_of(sentence)) for sentence in known]
    taste = [rng.between(1 - TASTE, 1 + TASTE, i >> 8, _TASTE, i & 255) for i in range(len(known))]
    chosen, told, room = list[int](), set[str](), view.words
    # What a sentence adds never grows: the old figure is a bound, and the first that keeps its figure adds most.
    bounds = [(-taste[i] * sum(weight[word] for word in one), i) for i, one in enumerate(words)]
    heapify(bounds)
    while bounds:
        bound, best = heappop(bounds)
        if _length(known[best]) > room:
            continue
        adds = -taste[best] * sum(weight[word] for word in words[best] - told)
        if adds > bound:
            heappush(bounds, (adds, best))
            continue
        chosen.append(best)
        told |= words[best]
        room -= _length(known[best])
    if not chosen:
        return " ".join(known[0].split()[: view.words])[: LETTERS * view.words]
    return " ".join(known[i] for i in sorted(chosen))


def _length(sentence: str) -> int:
    """Of how many words' room a sentence takes."""
    return max(len(sentence.split()), -(-(len(sentence) + 1) // LETTERS))


def _sentences(view: View) -> list[str]:
    """What a player can quote: the whole sentences of its document; a spy also what others wrote. Where there is none,
    what the gap left of one."""
    if not view.missing:
        return list(_split(view.document))
    left, _, right = view.document.partition(GAP)
    pieces = [*_split(left.strip()), *_split(right.strip())]
    cut = len(_split(left.strip()))
    whole = [one for i, one in enumerate(pieces) if i != cut and one[-1] in ".!?"]
    heard = [one for text in view.summaries if text for one in _split(text)]
    return list(dict.fromkeys(whole + heard)) or pieces or [STOCK]


@lru_cache(maxsize=128)
def _split(text: str) -> tuple[str, ...]:
    return tuple(filter(None, re.split(r"(?<=[.!?])\s+", text)))

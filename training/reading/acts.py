"""What an utterance does besides naming terms: it agrees, refuses, leaves, asks, claims, gives reasons.

By cues, sentence by sentence. A question agrees to nothing ("does that work?"), and a negated cue is the other one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from training.reading import cues
from training.reading.types import Question, Stance

MOST_SENTENCES = 200
"""Sentences of an utterance that are looked at for acts; longer texts say nothing new."""


_SENTENCE = re.compile(r"[^.!?。！？;；\n]+(?:\.(?=[0-9])[^.!?。！？;；\n]*)*[.!?。！？;；\n]*")


class Acts(NamedTuple):
    stance: Stance | None
    conditional: bool
    same: bool
    questions: tuple[Question, ...]
    reasons: tuple[str, ...]


def sentences(text: str) -> list[str]:
    """The sentences of a text with their marks, at most MOST_SENTENCES."""
    found: list[str] = []
    for match in _SENTENCE.finditer(text.replace("’", "'")):
        if match[0].strip():
            found.append(match[0].strip())
        if len(found) >= MOST_SENTENCES:
            break
    return found


def acts(text: str, proposes: bool) -> Acts:
    """All of an utterance; `proposes`: it names terms of its own."""
    questions: list[Question] = []
    reasons: list[str] = []
    agrees = refuses = leaves = nods = condition = same = False
    for place, sentence in enumerate(sentences(text)):
        asks = sentence.endswith(("?", "？")) or bool(cues.ASKS.search(sentence))
        why = cues.REASON.search(sentence)
        if why:
            reasons.append(sentence[why.start() :])
        same = same or bool(cues.SAME.search(sentence))
        if asks:
            questions.append(Question(topic_of(sentence), sentence))
        leaves = leaves or bool(cues.LEAVES.search(sentence))
        if place < 2:
            nods = nods or bool(cues.NODS.search(sentence))
        refuses = refuses or bool(cues.NO.search(sentence) or (not asks and cues.REFUSES.search(sentence)))
        agrees = agrees or (not asks and not cues.REFUSES.search(sentence) and bool(cues.AGREES.search(sentence)))
        condition = condition or bool(cues.CONDITION.search(cues.COURTESY.sub("", sentence)))
    stance: Stance | None = None
    if leaves:
        stance = "walk_away"
    elif refuses:
        stance = "reject"
    elif agrees or nods:
        stance = "accept"
    return Acts(stance, bool(stance) and (proposes or condition), same, tuple(questions), tuple(reasons))


def topic_of(question: str) -> str:
    """What a question is about: the first of the topics whose cue it has."""
    for topic, cue in cues.TOPICS:
        if topic in ("quantities", "priorities") and cues.ALRIGHT.search(question):
            continue
        if cue.search(question):
            return topic
    return "agreement" if cues.ALRIGHT.search(question) else "other"

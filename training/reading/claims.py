"""What a side is said to need, to want most, to have as a limit, an alternative or a deadline."""

from __future__ import annotations

import re

from training.reading import cues
from training.reading.acts import sentences
from training.reading.lexicon import Kind
from training.reading.numerals import numbers
from training.reading.splits import Terms
from training.reading.tokens import Token, tokens
from training.reading.types import Claim, Issue, Who

_UNIT = re.compile(r"\s*(?:days?|weeks?|months?|turns?|rounds?|hours?|minutes?|天|周|个月|轮|小时|分钟)", re.IGNORECASE)
_TURN = re.compile(r"(?:turns?|rounds?|第)\s*$", re.IGNORECASE)


def claims(text: str, issues: tuple[Issue, ...], said: Terms) -> tuple[Claim, ...]:
    """The claims of a text. A question claims nothing, unless it goes on to say something."""
    found: list[Claim] = []
    told = sentences(text)
    asked = {sentence for sentence in told if sentence.endswith(("?", "？"))}
    divided = not issues[0].is_price
    for sentence in told:
        if divided and sentence not in asked:
            for clause in cues.CLAUSE.split(sentence):
                found += _weight(clause, sentence, issues)
            found += _least_counts(sentence, issues)
        found += _outside(sentence, sentence in asked)
    known = {(claim.issue, claim.who) for claim in found if claim.kind in ("need", "priority")}
    for need in said.needs if divided else ():
        who: Who = "you" if need.side == "you" else "me"
        if (issues[need.place].name, who) not in known and not (need.side == "you" and asked):
            found.append(Claim("need", who, issues[need.place].name, holds=need.holds))
            known.add((issues[need.place].name, who))
    return tuple(found)


def _weight(clause: str, sentence: str, issues: tuple[Issue, ...]) -> list[Claim]:
    """ "Water is my highest priority", "I don't need much wood": a cue and one issue in one clause."""
    most, least, lacks = cues.MOST.search(clause), cues.LEAST.search(clause), cues.LACKS.search(clause)
    if not (most or least or lacks):
        return []
    line = tokens(clause, issues)
    places = sorted({token.value for token in line if token.kind is Kind.ISSUE})
    if len(places) != 1:
        return []
    name, who = issues[places[0]].name, _whose(line)
    if least:
        return [Claim("need", who, name, holds=False, text=sentence)]
    return [Claim("priority" if most else "need", who, name, text=sentence)]


def _whose(line: list[Token]) -> Who:
    """The side that a clause is about: its first person or possessive."""
    for token in line:
        if token.kind in (Kind.ME, Kind.YOU):
            return "you" if token.kind is Kind.YOU else "me"
        if token.kind is Kind.OWN:
            return "you" if token.text.startswith(("your", "你", "您")) else "me"
    return "me"


def _least_counts(sentence: str, issues: tuple[Issue, ...]) -> list[Claim]:
    """ "At least 2 food": a limit of the speaker's."""
    cue = cues.AT_LEAST.search(sentence)
    if cue is None:
        return []
    line = tokens(sentence, issues)
    found: list[Claim] = []
    for at, token in enumerate(line):
        if token.kind is Kind.NUMBER:
            name = next((t for t in line[at + 1 : at + 5] if t.kind in (Kind.ISSUE, Kind.NUMBER)), None)
            if name is not None and name.kind is Kind.ISSUE and token.value <= issues[name.value].quantity:
                found.append(Claim("limit", "me", issues[name.value].name, float(token.value), text=sentence))
    return found


def _outside(sentence: str, asked: bool) -> list[Claim]:
    """Alternatives and deadlines."""
    found: list[Claim] = []
    alternative = cues.ALTERNATIVE.search(sentence)
    who: Who = "you" if re.search(r"\byou (?:have|could|can)\b|你有", sentence, re.IGNORECASE) else "me"
    if alternative and not asked:
        has = not cues.NONE.search(sentence[: alternative.start()])
        found.append(Claim("alternative", who, holds=has, text=sentence))
    if cues.DEADLINE.search(sentence) and not asked:
        value = None
        for one in numbers(sentence):
            if _UNIT.match(sentence, one.end) or _TURN.search(sentence, 0, one.start):
                value = one.value
        found.append(Claim("deadline", who, value=value, text=sentence))
    return found

"""The figures in a persona's words: every one must be one that was decided, and be said of the right side.

Stricter than `parlay_env.amounts`, which reads what strangers may mean and leaves out when in doubt. Here the words are
ours to choose: a digit that is no figure of the decision's is one too many, whatever it may mean, and so is a number in
words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

import msgspec

from agent.speech import Say
from parlay_env.amounts import amounts

SCALES = {
    "": 0,
    **dict.fromkeys(("k", "thousand", "grand"), 3),
    **dict.fromkeys(("m", "mn", "million"), 6),
    **dict.fromkeys(("b", "bn", "billion"), 9),
}
FIGURE = re.compile(
    r"(?<![\w.,+\-])[$€£¥]?(?P<digits>\d{1,3}(?:,\d{3})+|\d+)(?P<rest>\.\d+)?"
    r"(?:\s?(?P<scale>thousand|grand|million|billion|mn|bn|[kmb]))?(?![\w%]|[.,]\d|\s?percent)",
    re.IGNORECASE,
)
"""A figure in digits, with its magnitude. What it does not match of a number's digits is left over, and seen."""
IN_WORDS = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|twenty|thirty|forty|fourty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|billions?|dozens?"
    r"|zero|percent|per cent|twice|double|triple|grand|half (?:of|a|the|that|your|my|price|as)|(?:and a|a|one) half"
    r"|(?:a|one|the) (?:third|quarter|fifth|tenth)|thirds|quarters"
    r"|one (?:day|week|month|year|hour|minute|turn|round))\b",
    re.IGNORECASE,
)
"""A number in words. One, first and second are none: they mostly count nothing."""
CLAUSE = re.compile(r"[.!?;:](?=\s|$)|,(?=\s)|\s[-–—]\s|—|\b(?:but|so|yet|while|and|though|because)\b", re.IGNORECASE)
_NAMED = r"(?:offer|number|figure|price|bid|ask|proposal|opening|valuation|package|position)"
_SAID = (
    r"(?<!would )(?<!could )(?<!can )\byou(?:'re| are|'ve| have)? ?(?:just |now |only |still )?"
    r"(?:offer|offered|said|say|ask|asked|asking|want|wanted|put|named|name|gave|came|at|moved|bid|opened|quoted)\b"
)
THEIRS = re.compile(rf"\byours?\b|{_SAID}", re.IGNORECASE)
"""What comes before a figure of the other side's."""
TAKEN_FOR_THEIRS = re.compile(
    rf"(?:\byour (?:\w+ )??(?:{_NAMED} )?(?:(?:of|is|was|at|stands at) )?|{_SAID} (?:\w+ )?)$", re.IGNORECASE
)
"""What must not come right before a figure of one's own."""
REFUSED = re.compile(r"\b(?:not|isn't|won't|can't|cannot|doesn't|don't)\b|\btoo (?:low|high|little|much|far)\b", re.I)
BOUND = re.compile(r"\b(?:below|above|under|over|than|beyond|past)\b", re.IGNORECASE)
"""A figure after these is said to be a limit: whether it may be is for the check of claims."""

TWICE = 2
"""So often a figure of one's own may be said."""


class Heard(msgspec.Struct, frozen=True):
    """A figure as it was said."""

    value: Decimal
    before: str
    """Of its clause, what comes before it."""
    clause: str


def values(text: str) -> tuple[Decimal, ...]:
    """The figures of a spoken offer or claim: `148,000 USD`, or `9.85 USD a unit, 60 days, 10,000 units`."""
    return tuple(Decimal(part.replace(",", "")) for part in re.findall(r"\d[\d,]*(?:\.\d+)?", text))


def is_several(say: Say) -> bool:
    """Is an offer here more than a price?"""
    return ", " in (say.figure or say.their_figure)


def claimed(say: Say) -> str:
    """The claim's own figure as it is spoken; "" without one, or where the offer says it already."""
    if say.claim in ("limit", "budget") and any(c.isdigit() for c in say.claim_text):
        return "" if say.claim_text == say.figure else say.claim_text
    return say.claim_text if say.claim == "deadline" else ""


def wrong_figures(say: Say, words: str) -> str:
    """What is wrong with the figures in these words; "" for nothing."""
    text = without_item(say, words)
    several = is_several(say)
    own, extra = values(say.figure), values(claimed(say))
    theirs = values(say.their_figure) if say.intent == "accept" or not several else ()
    heard = list(_heard(text))
    left_over = FIGURE.sub(" ", text)
    if any(c.isdigit() for c in left_over) or IN_WORDS.search(left_over):
        return "a number stands there that is none of the figures, or is written in another way"
    allowed = {*own, *extra, *theirs}
    if any(one.value not in allowed for one in heard):
        return "a figure stands there that was not decided"
    if any(Decimal(str(amount)) not in allowed for amount in amounts(text)):
        return "a figure reads as another amount"
    said = [one.value for one in heard]
    if any(value not in said for value in (*own, *extra)):
        return "a figure of the decision is missing"
    if any(said.count(value) > TWICE for value in (*own, *extra) if value not in theirs):
        return "a figure is said over and over"
    if not several and say.intent != "accept":
        for one in heard:
            if one.value in own or one.value in extra:
                if REFUSED.search(one.before) and not BOUND.search(one.before):
                    return "your own figure is denied"
                if TAKEN_FOR_THEIRS.search(one.before):
                    return "your own figure is said to be theirs"
            elif not THEIRS.search(one.before) and "from you" not in one.clause and not REFUSED.search(one.clause):
                return "their figure is said as if it were yours"
    return ""


def without_item(say: Say, words: str) -> str:
    """The words without what is thrown in: a sweetener's title may have numbers of its own."""
    return re.sub(re.escape(bare(say.item)), " ", words, flags=re.IGNORECASE) if say.item else words


def bare(item: str) -> str:
    """A sweetener's title without its article."""
    return re.sub(r"^(?:an?|the)\s", "", item, flags=re.IGNORECASE)


def _heard(text: str) -> Iterator[Heard]:
    for match in FIGURE.finditer(text):
        digits = match["digits"].replace(",", "") + (match["rest"] or "")
        value = Decimal(digits).scaleb(SCALES[(match["scale"] or "").lower()])
        start = max((cut.end() for cut in CLAUSE.finditer(text, 0, match.start())), default=0)
        after = CLAUSE.search(text, match.end())
        end = after.start() if after else len(text)
        yield Heard(value.normalize() + 0, text[start : match.start()], text[start:end])

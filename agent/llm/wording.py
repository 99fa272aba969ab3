"""Are these words fit for this decision? What a model says for a persona is checked before anybody hears it.

The words may say what was decided and nothing beside it: its figures, its claim, its acceptance or farewell. They are
English: the personas are, and what can't be read can't be checked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from agent.llm.asking import Fault
from agent.llm.named import FIGURE, bare, is_several, without_item, wrong_figures
from agent.llm.phrases import (
    ABUSES,
    ACCEPTS,
    ADDRESS,
    ASKED,
    CLAIMS,
    COSTS,
    DECLINES,
    DISPUTES,
    GIVES,
    HARD_UP,
    HINTS,
    LEAVES,
    META,
    MOVES,
    NEEDS,
    NOT,
    RELATED,
    SAYS_BYE,
    SAYS_FINAL,
    SAYS_YES,
    STAYS,
    THEIRS_STAYS,
    clauses,
    denied,
    plainly,
)
from agent.speech import Say

LONGEST = 320
"""Characters of a persona's words. The longest that the lexicons make have about as many."""
LONGEST_WORD = 24
"""Letters without a space: a longer word is none."""
RUN = 6
"""So many words in a row that stand in the instructions, or in what the other side typed, are a quotation."""
ROUNDS = 3
"""Three words in a row that come so often are a model that is stuck."""
ENGLISH_FROM = 7
"""Texts of so many words must have their share of common ones."""
ENGLISH_SHARE = 0.25
WORD = re.compile(r"[a-z]+(?:'[a-z]+)?", re.IGNORECASE)
FORBIDDEN = re.compile(r"[^ -~’‘“”…–—éèêüöäçñ€£¥]")
MARKUP = re.compile(r"[<>{}\[\]|`\\#*_~^=]|\n|-{3}")
STRAIGHT = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " ", "\u202f": " "})
COMMON = frozenset(
    re.findall(
        r"\S+",
        """the a an to i you we is it that this for of and in my your at me on not be with if do are was have can but so
        as what or from by there here more no yes our us they their one let now will would could should want need know
        think i'm it's that's i'll don't you're let's isn't can't won't i've you've we're we'll i'd there's go get make
        take see how when all just up down out about good well still than then before after again enough who which some
        any much both each side table offer deal number figure price""",
    )
)


def fault(say: Say, words: str, instructions: str = "") -> Fault | None:
    """What is wrong with these words for this decision; None when nothing is. `instructions` is text that they must
    not repeat."""
    for kind, check in CHECKS.items():
        if told := check(say, words, instructions):
            return Fault(kind, told)
    return None


def tidy(words: str) -> str:
    """The words on one line, with plain quotation marks, and without marks around the whole."""
    line = " ".join(words.translate(STRAIGHT).split())
    return line[1:-1].strip() if len(line) > 1 and line[0] == line[-1] == '"' and '"' not in line[1:-1] else line


# The form -------------------------------------------------------------------------------------------------------------


def _empty(_: Say, words: str, __: str) -> str:
    return "" if any(c.isalpha() for c in words) else "There were no words"


def _long(_: Say, words: str, __: str) -> str:
    return f"The words were too long: at most {LONGEST} characters" if len(words) > LONGEST else ""


def _signs(_: Say, words: str, __: str) -> str:
    if FORBIDDEN.search(words):
        return "There were signs that plain English doesn't need"
    if any(len(part) > LONGEST_WORD for part in re.split(r"[\s\-–—…]+", words)):
        return "There was a word that is none"
    return ""


def _markup(_: Say, words: str, __: str) -> str:
    found = MARKUP.search(words) or ADDRESS.search(words)
    return "There was markup or an address: write plain sentences" if found else ""


def _meta(_: Say, words: str, __: str) -> str:
    return "Speak as the negotiator, of the negotiation alone" if META.search(words) else ""


def _english(say: Say, words: str, _: str) -> str:
    found = [word.lower() for word in WORD.findall(_bare(say, words))]
    common = sum(word in COMMON for word in found)
    return "Speak English" if len(found) >= ENGLISH_FROM and common < ENGLISH_SHARE * len(found) else ""


def _quoted(say: Say, words: str, instructions: str) -> str:
    runs = _runs(words)
    if runs & _runs(instructions):
        return "Don't repeat what you were told, say it in your own words"
    if runs & _runs(say.theirs):
        return "Don't repeat what the other side typed"
    return ""


def _runs(text: str) -> set[tuple[str, ...]]:
    found = [word.lower() for word in WORD.findall(text.translate(STRAIGHT))]
    return {tuple(found[i : i + RUN]) for i in range(len(found) - RUN + 1)}


def _stuck(_: Say, words: str, __: str) -> str:
    """Neither cut off nor going round in circles."""
    if not words.endswith((".", "!", "?", "…", '"')):
        return "The last sentence had no end"
    found = [word.lower() for word in WORD.findall(words)]
    sentences = [part.strip().lower() for part in re.split(r"[.!?…]+(?=\s|$)", words) if part.strip()]
    if len(set(sentences)) < len(sentences):
        return "It said a sentence twice"
    counts = Counter(tuple(found[i : i + 3]) for i in range(len(found) - 2))
    return "It said the same over and over" if max(counts.values(), default=0) >= ROUNDS else ""


def _repeated(say: Say, words: str, _: str) -> str:
    return "You said just that before: say it differently" if words == tidy(say.previous) else ""


# What is said ---------------------------------------------------------------------------------------------------------


def _figures(say: Say, words: str, _: str) -> str:
    wrong = wrong_figures(say, words)
    return f"Name exactly the figures under FIGURES, as they stand there: {wrong}" if wrong else ""


def _end(say: Say, words: str, _: str) -> str:
    """Acceptance, farewell and last word: said if and only if decided."""
    if say.intent == "accept":
        return "" if plainly(ACCEPTS, words) or plainly(SAYS_YES, words) else "You accept: say so plainly"
    if plainly(ACCEPTS, words):
        return "You don't accept anything: nothing may sound like it"
    if say.intent == "walk":
        return "" if LEAVES.search(words) or SAYS_BYE.search(words) else "You leave without a deal: say so plainly"
    if LEAVES.search(words):
        return "You don't leave: nothing may sound like it"
    if say.intent == "final":
        return "" if SAYS_FINAL.search(words) else "It is your last offer: say so plainly"
    return "This is not your last offer: nothing may sound like it" if SAYS_FINAL.search(words) else ""


def _claim(say: Say, words: str, _: str) -> str:
    """The claim that was decided is made, and no other."""
    text = _bare(say, words)
    if told := _unmade(say, text):
        return told
    made = RELATED.get(say.claim, (say.claim,))
    for kind, pattern in CLAIMS.items():
        if kind in made or (say.intent in ("walk", "accept") and kind == "alternative" and "elsewhere" in text):
            continue
        for clause in clauses(text):
            evades = say.answer == "evade" and kind == ASKED.get(say.topic) and DECLINES.search(clause)
            if pattern.search(clause) and not evades:
                return f"You claim nothing of a {kind}: leave it out"
    return ""


def _unmade(say: Say, text: str) -> str:
    if say.claim == "alternative":
        has = say.claim_text != "no"
        said = (plainly if has else denied)(CLAIMS["alternative"], text)
        other = (denied if has else plainly)(CLAIMS["alternative"], text)
        return "" if said and not other else f"Claim plainly that you have {'another' if has else 'no other'} option"
    if say.claim in ("limit", "budget"):
        said = any(CLAIMS[kind].search(text) for kind in RELATED[say.claim])
        return "" if said else f"Claim the {say.claim} that the decision names, as a {say.claim}"
    if say.claim == "deadline" and say.claim_text:
        said = re.search(rf"\b(?:round|turn) {re.escape(say.claim_text.removeprefix('turn '))}\b", text, re.IGNORECASE)
        return "" if said else f"Claim that your deadline is {say.claim_text.replace('turn', 'round')}"
    if say.claim == "priority" and say.claim_text:
        said = say.claim_text.replace("_", " ") in text.lower() and CLAIMS["priority"].search(text)
        return "" if said else f"Claim that {say.claim_text.replace('_', ' ')} matters most to you"
    return ""


def _rest(say: Say, words: str, _: str) -> str:
    """A dispute, a gift, a step: said if and only if decided."""
    disputes = DISPUTES.search(words) is not None
    if say.challenge and not disputes:
        return "You dispute their newest claim: say so plainly"
    if disputes and not say.challenge and not say.reply_to.startswith("challenge_"):
        return "You don't dispute what they claim: leave it out"
    if say.item and bare(say.item).lower() not in words.lower():
        return f"Name what you throw in as it is called: {bare(say.item)}"
    if not say.item and any(GIVES.search(part) and not NOT.search(part) for part in clauses(words)):
        return "You throw in nothing: leave it out"
    if say.intent in ("hold", "talk") and not say.figure and plainly(MOVES, words):
        return "You don't move: nothing may sound like it"
    if THEIRS_STAYS.search(words):
        return "It is your own offer that stands, not theirs: say so"
    if say.intent == "hold" and not (say.claim or say.answer or say.challenge) and not STAYS.search(words):
        return "You stay where you are: say so plainly"
    return ""


def _hints(say: Say, words: str, _: str) -> str:
    """What no persona decides to tell: how far it would go, how badly it needs to, what it costs it."""
    text = _bare(say, words)
    if plainly(HINTS, text):
        return "Don't hint that you would go further: leave it out"
    if plainly(NEEDS, text) or denied(HARD_UP, text):
        return "Don't tell how badly you need this: leave it out"
    return "Don't tell what it costs you: leave it out" if plainly(COSTS, text) else ""


def _civil(_: Say, words: str, __: str) -> str:
    return "Stay civil: mock a figure if you must, never the other side" if ABUSES.search(words) else ""


def _bare(say: Say, words: str) -> str:
    """The words without an offer's figures of several issues and their units, which may be days, and without gifts."""
    text = without_item(say, words)
    if is_several(say):
        text = text.replace(say.figure or say.their_figure, " ")
        text = re.sub(FIGURE.pattern + r"\s?(?:days?|units?)\b", " ", text, flags=re.IGNORECASE)
    return text


CHECKS: dict[str, Callable[[Say, str, str], str]] = {
    "empty": _empty,
    "long": _long,
    "signs": _signs,
    "markup": _markup,
    "meta": _meta,
    "quoted": _quoted,
    "stuck": _stuck,
    "repeated": _repeated,
    "language": _english,
    "figures": _figures,
    "end": _end,
    "claim": _claim,
    "hints": _hints,
    "civil": _civil,
    "rest": _rest,
}
"""In this order; the first that finds something is the reason that is counted."""

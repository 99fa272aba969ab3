"""The words of the scripted personas. Words come after the decision: a `Say` tells what was decided and the public
history that bears on it, and the persona's lexicon (`agent.lexicon`) how that persona would put it.

Within an episode a pool of patterns is walked by turn along a permutation drawn for the episode, so that a pattern does
not come back before the whole pool has been heard; the choices inside a pattern are drawn anew each time.
"""

from __future__ import annotations

import re
from bisect import bisect_right

import msgspec

from agent.lexicon import Pattern, Pool, Voice, voice_of
from parlay_env.rng import MASK, Draws

PLAN, ORDER, FILL = 64, 65, 66
"""Purposes of the draws (64–95 are for words): which parts a message has, where a pool's walk starts, which words."""
ATTEMPTS = 4
"""How often another wording is tried when one would repeat the persona's last words."""
LATE = 3
"""Turns run out when so many are left."""
HEARD = 240
"""Only so many characters of the other's words are read for one to pick up."""
WORD = re.compile(r"(?<!\S)[a-z]{4,14}(?=[.,;:!?]?(?:\s|$))")
BANDS = (35.0, 55.0, 70.0, 85.0)
"""Where tension turns warming, heated, intense, critical."""
ENDS = ("accept", "walk")
DISPUTED = ("challenge_stands", "challenge_withdrawn")
SPARED = ("reply.", "reason.", "tone.", "echo.")
"""Pools whose sentences can be left out rather than come twice in an episode."""
TONES = ("tone.calm", "tone.warming", "tone.heated", "tone.intense", "tone.critical")
YES, NO = frozenset({"yes", "true"}), frozenset({"no", "none", "false", ""})


class Say(msgspec.Struct, frozen=True, gc=False):
    """What was decided, and the public history that bears on it. Figures come as text, ready to be spoken."""

    intent: str
    """open, concede, hold, final, split, talk (no offer at all), accept or walk."""
    scenario: str
    seat: str
    """The persona's own: seller or buyer."""
    figure: str = ""
    """The own offer."""
    their_figure: str = ""
    """The other's standing offer."""
    reply_to: str = ""
    """What the other just did: anchor, concession, crumb, no_movement, silence, reframe, sweetener, time_pressure,
    batna_reveal, question, repeated_question, challenge_stands (they disputed our claim, it stands),
    challenge_withdrawn (we back down from it) or walkback (their offer got worse)."""
    topic: str = ""
    """Of their question: timeline, alternatives, authority or priorities."""
    answer: str = ""
    """To their question: claim or evade."""
    claim: str = ""
    """Kind of the claim made: limit, deadline, alternative, budget or priority."""
    claim_text: str = ""
    """Its value: an amount, "turn 12", "yes" or "no", an issue. Without one, a limit is said to be where the offer is,
    and a deadline or a priority is not spoken of."""
    challenge: bool = False
    """Whether this disputes the other's newest claim."""
    card: str = ""
    item: str = ""
    """The sweetener's title."""
    news: bool = False
    """Whether a headline broke this turn."""
    tension: float = 0.0
    turn: int = 1
    """Who opens may speak twice in the first turn: without `previous` words it is the opening."""
    turns_left: int = 19
    theirs: str = ""
    """The other's last words: anything at all."""
    previous: str = ""
    """The own last words, never repeated."""


def speak(persona: str, say: Say, draws: Draws) -> str:
    """The persona's words for what was decided; "" for the silence card. Draws for purposes 64–66 only.

    The own offer stands in the words exactly once, and no other amount but the claim's and, beside an own offer, the
    other's; an acceptance may name the terms it takes. Raises FileNotFoundError for a persona without a lexicon.
    """
    if say.card == "silence":
        return ""
    voice = voice_of(persona)
    text = _compose(voice, say, draws, 0)
    attempt = 1
    while text == say.previous and attempt < ATTEMPTS:
        text = _compose(voice, say, draws, attempt)
        attempt += 1
    return text


def _compose(voice: Voice, say: Say, draws: Draws, attempt: int) -> str:
    figure = say.figure or (say.their_figure if say.intent == "accept" else "")
    their = say.their_figure if say.figure and say.intent not in ENDS else ""
    if their in figure or figure in their:
        their = ""
    several = ", " in figure
    band = bisect_right(BANDS, say.tension)
    mood = (band, say.turns_left <= LATE, say.turn <= voice.style.terse)
    claim, claimed = _claim(say, figure)
    turn = say.turn if say.previous or say.turn > 1 else 0
    luck = draws.integer(0, MASK, turn, PLAN, attempt)
    echo, word = _echo(voice, say.theirs, luck >> 48)
    item = say.item if say.item[1:2].isupper() else say.item[:1].lower() + say.item[1:]
    slots = (figure, their, claimed, item, word, *voice.frame(say.scenario, "" if several else say.seat))
    sentences: list[str] = []
    for place, name in enumerate(_plan(voice, say, figure != "", claim, echo, band, luck)):
        pools = voice.find((name, several, their != "", *mood))
        bits = draws.integer(0, MASK, turn, FILL, 16 * attempt + place)
        pattern = _pattern(pools, turn, draws, bits & 7, attempt, spare=name.startswith(SPARED))
        if pattern is None:
            continue
        out: list[str] = []
        _fill(pattern, slots, bits >> 3, out)
        sentence = "".join(out)
        if their and their in sentence:
            their = ""
        sentences.append(sentence[:1].upper() + sentence[1:])
    return " ".join(sentences)


def _pattern(
    pools: tuple[Pool, ...], turn: int, draws: Draws, coins: int, attempt: int, *, spare: bool
) -> Pattern | None:
    """The pattern for this turn: from a special pool by the toss of a coin, if its walk finds one there, or else from
    the general one; None for a sentence that can be spared when that one's walk finds none.
    """
    for pool in pools[1:]:
        coins, coin = divmod(coins, 2)
        at = pool.walk(draws.integer(0, MASK, 0, ORDER, pool.number), turn) if coin and not attempt else pool.places
        if at < len(pool.patterns):
            return pool.patterns[at]
    pool = pools[0]
    at = pool.walk(draws.integer(0, MASK, 0, ORDER, pool.number), turn) + attempt
    return None if spare and at >= len(pool.patterns) else pool.patterns[at % len(pool.patterns)]


def _plan(voice: Voice, say: Say, offers: bool, claim: str, echo: str, band: int, luck: int) -> list[str]:
    """The pools that the message is made of, in the order of its sentences."""
    style = voice.style
    need = _facts(say, claim)
    main = [_main(say, offers)]
    after = [f"card.{say.card}"] if say.card == "anchor_high" or (say.card == "sweetener" and say.item) else []
    if claim.endswith(".same"):
        after.append(claim)
    if say.intent in ENDS or say.turn <= style.terse:
        return need + (main if say.intent != "talk" or not need else []) + after
    reply, chance = f"reply.{say.reply_to}", style.reply
    if say.reply_to == "repeated_question":
        chance = 1.0
    elif echo:
        reply, chance = echo, 1.0
    reason = f"reason.{say.scenario}.{say.seat}" if say.intent in ("open", "concede", "hold") else ""
    if reason and reason not in voice.names:
        reason = f"reason.default.{say.seat}"
    tone, tempered = TONES[band] if say.intent != "final" else "", style.tone_first and band >= 2
    first: list[str] = []
    middle: list[str] = []
    last: list[str] = []
    room = max(style.most - len(need) - len(main) - len(after), say.reply_to == "repeated_question")
    for part, name, likely in (
        (first, tone if tempered else "", style.tone[band]),
        (first, reply, chance),
        (first, "lead" if say.answer == "claim" and claim else "", style.lead),
        (middle, "news" if say.news and main != ["reopen.figure"] else "", style.news),
        (middle, reason, style.reason),
        (last, "" if tempered else tone, style.tone[band]),
    ):
        if room > 0 and name in voice.names and luck & 255 < 256 * likely:
            part.append(name)
            room -= 1
        luck >>= 8
    return first + need + middle + main + after + last


def _facts(say: Say, claim: str) -> list[str]:
    """What has to be said beside the decision: what became of a disputed claim, an answer, a claim, a challenge."""
    facts = [say.reply_to] if say.reply_to in DISPUTED else []
    if say.answer == "evade":
        facts.append(f"evade.{say.topic}")
    if claim and not claim.endswith(".same"):
        facts.append(claim)
    if say.challenge:
        facts.append("challenge")
    if say.card == "reframe":
        facts.append("card.reframe")
    return facts


def _main(say: Say, offers: bool) -> str:
    """The pool that says the decision."""
    if say.intent == "talk":
        return "hold.figure" if offers else "talk"
    if offers:
        return "reopen.figure" if say.intent == "open" and say.news and say.turn > 1 else f"{say.intent}.figure"
    return "offer.bare" if say.intent in ("open", "concede", "split") else f"{say.intent}.bare"


def _claim(say: Say, figure: str) -> tuple[str, str]:
    """The pool that makes the claim, and the claim's value as it is spoken; ("", "") for no claim."""
    kind, text = say.claim, say.claim_text
    if kind in ("alternative", "budget") and text.lower() in YES | NO:
        return f"claim.{kind}.{'no' if text.lower() in NO else 'yes'}", ""
    if kind == "alternative":
        return "claim.alternative.yes", ""
    if kind == "limit":
        return ("claim.limit", text) if text and text != figure else ("claim.limit.same", "")
    if kind == "budget":
        return ("claim.budget.amount", text) if text != figure else ("claim.budget.same", "")
    if not kind or not text:
        return "", ""
    return f"claim.{kind}", f"round {text.removeprefix('turn ')}" if kind == "deadline" else text.replace("_", " ")


def _echo(voice: Voice, theirs: str, luck: int) -> tuple[str, str]:
    """The pool that picks up a word of the other's, and the word: one that the lexicon lists, or ("", "")."""
    if not voice.echoes or luck & 255 >= 256 * voice.style.echo:
        return "", ""
    heard = [word for word in WORD.findall(theirs[:HEARD]) if word in voice.echoes]
    if not heard:
        return "", ""
    word = heard[(luck >> 8) % len(heard)]
    return voice.echoes[word], word


def _fill(pattern: Pattern, slots: tuple[str | tuple[str, ...], ...], bits: int, out: list[str]) -> int:
    """Appends the pattern's words to `out`; choices are taken from `bits`, of which the rest is returned."""
    for part in pattern:
        if isinstance(part, str):
            out.append(part)
        elif isinstance(part, int):
            words = slots[part]
            if not isinstance(words, str):
                bits, i = divmod(bits, len(words))
                words = words[i]
            out.append(words)
        else:
            bits, i = divmod(bits, len(part))
            bits = _fill(part[i], slots, bits, out)
    return bits

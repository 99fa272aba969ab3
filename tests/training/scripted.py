"""Learners that are small functions of what they are asked in the brief form, and rollouts of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from training.chat import Form, Messages
from training.rollout import Answer, Episode, Rollouts, Task
from training.speaker import Said

TOPICS = ("timeline", "alternatives", "authority", "priorities")


class Asked(msgspec.Struct, frozen=True):
    """What a brief prompt tells; of offers on several issues the first figure."""

    seat: str
    scenario: str
    turn: int
    limit: float
    target: float
    mine: tuple[float, ...]
    """Own offers, the newest first."""
    theirs: tuple[float, ...]
    refused: bool
    news: int
    """Headlines so far."""

    @property
    def up(self) -> int:
        """1 for who sells, −1 for who buys: which way is better."""
        return 1 if self.seat == "seller" else -1


Rule = Callable[[Asked], str]
"""What is answered to a prompt."""


def read(messages: Messages) -> Asked:
    """The figures of a brief prompt."""
    lines = [line for line in messages[-1]["content"].splitlines() if not line.startswith("weights")]
    seat, scenario, _, _, turn = lines[0].split()[:5]
    limit, target = re.findall(r"(?:limit|target) (\S+)", lines[1])
    mine, theirs = (_offers(line) for line in lines[2:4])
    if "void" in lines[3]:
        theirs = ()  # nothing stands that could be accepted
    refused = any(line.startswith("refused") for line in lines)
    news = int(lines[4].split()[-1])
    return Asked(seat, scenario, int(turn), float(limit), float(target), mine, theirs, refused, news)


def _offers(line: str) -> tuple[float, ...]:
    return tuple(float(one.partition("/")[0]) for one in line.split()[1:] if one not in ("none", "void"))


def said(text: str) -> Said:
    """An answer of which nothing but the text matters."""
    return Said(text, (), (), (), False)


def by(rule: Rule) -> Answer:
    """Answers each conversation by this rule."""
    return lambda conversations: [said(rule(read(one))) for one in conversations]


def script(*texts: str) -> Answer:
    """Answers one episode with these texts, one after the other, and goes on with the last."""
    left: Iterator[str] = iter(texts)
    newest = ""

    def answer(conversations: Sequence[Messages]) -> list[Said]:
        nonlocal newest
        assert len(conversations) == 1
        newest = next(left, newest)
        return [said(newest)]

    return answer


def move(words: str = "", **fields: Any) -> str:
    """An action as text."""
    return json.dumps({**({"utterance": words} if words else {}), **fields})


WORDS = ("Here is our offer.", "Let us move on.", "This would work for us.")


def words_of(turn: int) -> str:
    """Words without figures; not the same twice in a row."""
    return WORDS[turn % len(WORDS)]


def honest(asked: Asked) -> str:
    """Concedes from the target to near the limit, takes what is no worse than its next offer, leaves at the end."""
    if asked.scenario == "supplier_contract":  # its own figures aren't told by the brief form: talk, then take
        if asked.theirs and asked.turn > 4 and not asked.refused:
            return move(words_of(asked.turn), accept_deal=True)
        return move(words_of(asked.turn), question=TOPICS[asked.turn % len(TOPICS)])
    share = min(1.0, asked.turn / 16)
    offer = asked.target + (asked.limit - asked.target) * 0.9 * share
    if asked.theirs and not asked.refused and asked.up * (asked.theirs[0] - offer) >= 0:
        return move(words_of(asked.turn), accept_deal=True)
    if asked.mine:  # never worse for the other side than before
        offer = min(offer, asked.mine[0]) if asked.up > 0 else max(offer, asked.mine[0])
    offer = round(offer, -3)
    return move(words_of(asked.turn), **({} if offer in asked.mine[:1] else {"offer_amount": offer}))


def play(url: str, answer: Answer, *tasks: Task, form: Form = "brief", rewards_of: str | None = None) -> list[Episode]:
    """These tasks, played on this server."""
    with Rollouts(url, answer, form=form, rewards_of=rewards_of) as rollouts:
        return rollouts.play(tasks)


def alone(url: str, answer: Answer, task: Task, **options: Any) -> Episode:
    """One task."""
    (found,) = play(url, answer, task, **options)
    return found

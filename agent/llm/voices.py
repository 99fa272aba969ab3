"""Opponents that stand on a language model, as their doors see them: what one is asked, answers and counts.

There are two. *narrated*: the scripted persona decides, and a model words it (`agent.narrator`). *llm*: a model decides
inside a range that the persona's code gives it, and words it (`agent.llm.bargainer`); experimental, never ranked.
"""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from agent.llm.base import Provider, Usage
from parlay_env.deal.state import Move
from parlay_env.deal.views import View
from parlay_env.rng import Draws

Kind = Literal["narrated", "llm"]
How = Literal["model", "asked_again", "scripted"]
"""Whose move, or wording, was played: the model's first answer, its second one, or the scripted one."""
SECONDS = 20.0
"""So long a model may take for a move, both askings together."""


class Counts(msgspec.Struct, frozen=True):
    """What became of an opponent's moves. Each is counted once among the first four."""

    worded: int = 0
    """Played as the model first answered."""
    asked_again: int = 0
    """Played as it answered when it was asked once more."""
    replaced: int = 0
    """Played as scripted, because no answer could be used."""
    silent: int = 0
    """Moves without words, for which no model is asked."""
    reasons: dict[str, int] = {}
    """Answers that were not used, by what was wrong with them (`agent.llm.wording`, `agent.llm.bargainer`)."""
    failures: dict[str, int] = {}
    """Answers that there weren't, by kind: late, dead, refused, rambling, form."""

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.worded + other.worded,
            self.asked_again + other.asked_again,
            self.replaced + other.replaced,
            self.silent + other.silent,
            _sum(self.reasons, other.reasons),
            _sum(self.failures, other.failures),
        )

    @property
    def moves(self) -> int:
        return self.worded + self.asked_again + self.replaced + self.silent

    @property
    def replaced_share(self) -> float:
        """Of the moves with words, the share that was played as scripted; 0 without any."""
        spoken = self.moves - self.silent
        return self.replaced / spoken if spoken else 0.0


def _sum(a: dict[str, int], b: dict[str, int]) -> dict[str, int]:
    return {key: a.get(key, 0) + b.get(key, 0) for key in sorted(a.keys() | b.keys())}


class Voiced(msgspec.Struct, frozen=True):
    """A move with its words."""

    move: Move
    how: How
    why: str = ""
    """Why it is the scripted one: the kind of a failure, the reason of the last answer that could not be used, or
    `silent`."""
    usage: Usage = Usage()


class Voice(Protocol):
    """A model-backed opponent at one table."""

    counts: Counts

    async def answer(self, view: View, decided: Move, rng: Draws) -> Voiced:
        """What is played, given what the scripted persona decided in this view. It answers in `seconds` whatever the
        provider does, and raises nothing for it; cancelling it cancels the request."""
        ...


def voice(kind: Kind, persona_name: str, provider: Provider, seconds: float = SECONDS) -> Voice:
    """A fresh voice for one table. Raises UnknownPersona, and ValueError for another kind."""
    from agent.llm.bargainer import Bargainer
    from agent.narrator import Narrator

    if kind == "narrated":
        return Narrator(persona_name, provider, seconds)
    if kind == "llm":
        return Bargainer(persona_name, provider, seconds)
    raise ValueError(f"there is no opponent of the kind {kind!r}: it is narrated or llm")

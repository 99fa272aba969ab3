"""How a model's answers were to be read, and what they took: what is counted of a player that is a language model."""

from __future__ import annotations

from typing import Any, Literal, Protocol, get_args, runtime_checkable

import msgspec

from agent.llm.base import Usage

Class = Literal["ok", "repaired", "illegal", "absent"]
"""How an answer was to be read: `agent.llm.parse` says when each is meant."""
CLASSES: tuple[Class, ...] = get_args(Class)


class Spoken(msgspec.Struct, frozen=True):
    """How a model's answers were to be read, and what they took. `moves` by class; `repairs`: in how many moves each
    repair was made; `cut`, `kept_back`: answers that ran into `max_tokens`, that the provider's filter kept back."""

    moves: dict[Class, int]
    repairs: dict[str, int] = {}
    cut: int = 0
    kept_back: int = 0
    usage: Usage = Usage()

    def __add__(self, other: Spoken) -> Spoken:
        return Spoken(
            {name: self.moves.get(name, 0) + other.moves.get(name, 0) for name in CLASSES},
            {
                name: self.repairs.get(name, 0) + other.repairs.get(name, 0)
                for name in sorted({*self.repairs, *other.repairs})
            },
            self.cut + other.cut,
            self.kept_back + other.kept_back,
            self.usage + other.usage,
        )

    @property
    def total(self) -> int:
        """Moves in all."""
        return sum(self.moves.values())


@runtime_checkable
class Settling(Protocol):
    """A player that counts its newest move by what a view says came of it: the next one, or that of the end."""

    def settle(self, view: Any) -> None:
        """Count it."""
        ...

"""The personas' numbers: read from `personas.yaml`, where each has its reason."""

from __future__ import annotations

from importlib.resources import files

import msgspec
import yaml

from parlay_env.deal.state import Profile


class Habit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A card that a persona likes: from turn to turn, how probably at each, how often at most, from which trust on."""

    card: str
    turns: tuple[int, int]
    probability: float
    at_most: int
    trust: float = 0.0


class Confides(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """From which turn and which trust on a persona names its limit when it is asked."""

    turn: int
    trust: float


class Persona(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A scripted opponent. `personas.yaml` says what each number is for, docs/rules.md which formula it enters."""

    symbol: str
    aggression: float
    patience: float
    bluff: float
    depth: float
    agreeableness: float
    openness: float
    conscientiousness: float
    opening: float
    beta: float
    share: tuple[float, float]
    before_conceded: float
    reciprocity: float
    reserve: float
    distrust: float
    guard: float
    close: float
    close_from: int
    splits: float
    wakes: int
    habits: tuple[Habit, ...]
    claims_at_most: int
    confides: Confides
    temper: float
    mev_sensitivity: float
    bluffs: dict[str, tuple[float, float]]
    """Measured: the share of bluffs among its claims of a kind, `(turns 1-8, turns 9-20)`."""
    id: str = ""

    @property
    def profile(self) -> Profile:
        """What the mechanism and the grader must know of it."""
        return Profile(self.id, self.mev_sensitivity, self.temper, True, self.bluffs)


def _load() -> dict[str, Persona]:
    raw = yaml.safe_load(files("agent").joinpath("personas.yaml").read_text("utf-8"))
    return {name: msgspec.convert({**numbers, "id": name}, type=Persona) for name, numbers in raw.items()}


PERSONAS = _load()

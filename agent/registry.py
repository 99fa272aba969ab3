"""Who can sit opposite: personas by name. The doors and the command line take opponents from here."""

from __future__ import annotations

from agent.personas import PERSONAS, Persona
from agent.scripted import ScriptedPolicy
from parlay_env.deal.state import Profile
from parlay_env.rng import Draws, Keys, Purpose

OPPONENTS = tuple(PERSONAS)
"""The names of the embedded opponents, in a fixed order."""


class UnknownPersona(ValueError):
    """No opponent has this name."""


def persona(name: str) -> Persona:
    """The numbers of a persona. Raises UnknownPersona."""
    if name not in PERSONAS:
        raise UnknownPersona(f"persona must be one of {', '.join(OPPONENTS)}")
    return PERSONAS[name]


def profile(name: str) -> Profile:
    """What the mechanism and the grader must know of a persona. Raises UnknownPersona."""
    return persona(name).profile


def opponent(name: str, words: bool = True) -> ScriptedPolicy:
    """A fresh player of this persona for one episode. Raises UnknownPersona."""
    return ScriptedPolicy(persona(name), words)


def drawn(keys: Keys) -> str:
    """The persona that an episode's seed draws when none is asked for."""
    return OPPONENTS[Draws(keys.visible).integer(0, len(OPPONENTS) - 1, 0, Purpose.PERSONA)]

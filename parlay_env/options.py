"""The options of a reset as the doors take them: the environment's own, and who speaks for the persona.

`parlay_env.models` is of the game that the benchmark's digest of rules covers (`training.rules`). How an opponent's
words come about is no rule of the game, and stands here.
"""

from __future__ import annotations

from typing import Literal, TypeGuard

from pydantic import ConfigDict, Field

from parlay_env import models

Opponent = Literal["scripted", "narrated", "llm", "join"]
VoiceName = Literal["scripted", "narrated", "llm"]
"""Who speaks for a persona: itself, itself through a language model's words, or a language model within its bounds."""
VoiceKind = Literal["narrated", "llm"]
"""Opponents that a language model speaks for: they answer later, and nothing about them can be replayed from a seed."""
VOICED: tuple[VoiceKind, ...] = ("narrated", "llm")


def is_voiced(opponent: str) -> TypeGuard[VoiceKind]:
    """Does a language model speak for it?"""
    return opponent in VOICED


class ResetOptions(models.ResetOptions):
    """`parlay_env.models.ResetOptions`, and opponents that stand on a language model."""

    model_config = ConfigDict(title="ResetOptions")

    opponent: Opponent = Field(  # pyright: ignore[reportIncompatibleVariableOverride]
        default="scripted",
        description="Who sits opposite: a persona (`scripted`), a persona whose words a language model finds "
        "(`narrated`), one whose moves it chooses too, within bounds (`llm`), or another client (`join`).",
    )

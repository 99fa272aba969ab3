"""What the policies' draws are for (counters from `Purpose.POLICY` on; words have theirs from 64 on)."""

from __future__ import annotations

from enum import IntEnum


class Draw(IntEnum):
    """A use of a policy's draws."""

    OPENING = 32
    BETA = 33
    SHARE = 34
    RECIPROCITY = 35
    RESERVE = 36
    NOISE = 37
    HOLD = 38
    LEAVE = 39
    SILENCE = 40
    ANSWER = 41
    BLUFF = 42
    BLUFF_SIZE = 43
    DISPUTE = 46
    CARD = 47
    ITEM = 48
    LEAST_OPENING = 49
    BASELINE = 56

"""Counter-based randomness: a draw is a function of (key, turn, purpose, index), never of what was drawn before.

The generator is SplitMix64 (Steele, Lea & Flood 2014, "Fast splittable pseudorandom number generators"): word `n` of
the stream with seed `key` is a finaliser applied to `key + n·γ`. It runs the same on a Python integer and on a NumPy
`uint64` array, so a batched engine draws what the scalar one draws. Keys come one-way from the episode's seed by
BLAKE2b: nothing that is drawn with one of them gives another, nor the seed.
"""

from __future__ import annotations

import hashlib
from enum import IntEnum
from typing import Any

import msgspec

MASK = (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15
MAX_SEED = (1 << 53) - 1
"""Seeds are whole numbers from 0 to this (what every JSON reader keeps exactly)."""


class Purpose(IntEnum):
    """What a draw is for; part of the counter, so that no two uses share a word."""

    OPENER = 1
    PERSONA = 2
    HEADLINE_FIRES = 3
    HEADLINE_TURN = 4
    MARKET_FIRES = 5
    MARKET_KIND = 6
    MARKET_WORDS = 7
    WALK_AWAY = 8
    BUDGET = 9
    BUDGET_DEPTH = 10
    URGENCY = 11
    ALTERNATIVE = 12
    DEADLINE = 13
    WEIGHT = 14
    SWEETENER_WORTH = 15
    NO_ZOPA = 16
    NO_ZOPA_GAP = 17
    EVENT_EFFECT = 18
    BACKS_DOWN = 19
    POLICY = 32
    """Policies use `POLICY` and above, each its own offsets (see `agent.scripted`)."""


class Keys(msgspec.Struct, frozen=True, gc=False):
    """The keys of one episode, 64 bits each.

    `visible` draws what both seats see, `hidden` what neither sees, `facts` each seat's private facts,
    `policy` each seat's policy.
    """

    visible: int
    hidden: int
    facts: tuple[int, ...]
    policy: tuple[int, ...]


def derive_keys(seed: int, secret: bytes = b"", seats: int = 2) -> Keys:
    """Keys of the episode with this seed, for so many seats (2 to 256); the first two seats' are the same however many
    there are. With a server's `secret` (up to 64 bytes) the seed alone does not give them.

    Raises ValueError for a seed outside 0…2⁵³−1.
    """
    if not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed must be a whole number from 0 to {MAX_SEED}")
    digest = hashlib.blake2b(seed.to_bytes(8, "little"), digest_size=48, key=secret, person=b"parlay-keys").digest()
    word = [int.from_bytes(digest[i : i + 8], "little") for i in range(0, 48, 8)]
    facts, policy = [word[2], word[3]], [word[4], word[5]]
    for seat in range(2, seats):
        told = seed.to_bytes(8, "little") + bytes((seat,))
        more = hashlib.blake2b(told, digest_size=16, key=secret, person=b"parlay-seat-keys").digest()
        facts.append(int.from_bytes(more[:8], "little"))
        policy.append(int.from_bytes(more[8:], "little"))
    return Keys(word[0], word[1], tuple(facts), tuple(policy))


def word(key: Any, counter: Any) -> Any:
    """Word number `counter` of the SplitMix64 stream with seed `key`: an int, or a `uint64` array of them."""
    z = (key + counter * GAMMA) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def counter(turn: int, purpose: int, index: int = 0) -> int:
    """Where a draw stands in its stream; `turn` < 2¹⁶, `purpose` and `index` < 2⁸."""
    return (turn << 16) | (purpose << 8) | index


class Draws(msgspec.Struct, frozen=True, gc=False):
    """The draws of one key. Each method costs one word."""

    key: int

    def unit(self, turn: int, purpose: int, index: int = 0) -> float:
        """Uniform in [0, 1)."""
        z = (self.key + ((turn << 16) | (purpose << 8) | index) * GAMMA) & MASK  # `word`, in line: the hottest draw
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return ((z ^ (z >> 31)) >> 11) * 2.0**-53

    def between(self, low: float, high: float, turn: int, purpose: int, index: int = 0) -> float:
        """Uniform in [low, high)."""
        return low + (high - low) * self.unit(turn, purpose, index)

    def integer(self, low: int, high: int, turn: int, purpose: int, index: int = 0) -> int:
        """Uniform whole number, both ends included."""
        return low + word(self.key, (turn << 16) | (purpose << 8) | index) % (high - low + 1)

    def normal(self, turn: int, purpose: int, index: int = 0) -> float:
        """Mean 0, variance 1, inside ±2√3: a sum of four 16-bit uniforms (no transcendental function, so it is the
        same on every machine and in NumPy)."""
        z = word(self.key, (turn << 16) | (purpose << 8) | index)
        total = (z & 0xFFFF) + ((z >> 16) & 0xFFFF) + ((z >> 32) & 0xFFFF) + (z >> 48)
        return (total - 131070) * (1.7320508075688772 / 65536)

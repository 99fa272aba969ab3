"""The draws of `parlay_env.rng`, compiled. A key is a `uint64`."""

# pyright: reportMissingParameterType=false
from __future__ import annotations

import numpy as np

from agent.batch.compiled import kernel
from parlay_env.rng import GAMMA

_GAMMA = np.uint64(GAMMA)
_A, _B = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_16, _32, _48, _LOW = np.uint64(16), np.uint64(32), np.uint64(48), np.uint64(0xFFFF)
_TO_UNIT = 2.0**-53
_TO_NORMAL = 1.7320508075688772 / 65536


@kernel
def word(key, turn, purpose, index):
    """The 64-bit word of this use."""
    z = key + np.uint64((turn << 16) | (purpose << 8) | index) * _GAMMA
    z = (z ^ (z >> _30)) * _A
    z = (z ^ (z >> _27)) * _B
    return z ^ (z >> _31)


@kernel
def unit(key, turn, purpose, index):
    """Uniform in [0, 1)."""
    return np.float64(word(key, turn, purpose, index) >> _11) * _TO_UNIT


@kernel
def between(low, high, key, turn, purpose, index):
    """Uniform in [low, high)."""
    return low + (high - low) * unit(key, turn, purpose, index)


@kernel
def integer(low, high, key, turn, purpose, index):
    """Uniform whole number, both ends included."""
    return low + np.int64(word(key, turn, purpose, index) % np.uint64(high - low + 1))


@kernel
def normal(key, turn, purpose, index):
    """Mean 0, variance 1, inside ±2√3."""
    z = word(key, turn, purpose, index)
    total = np.int64(z & _LOW) + np.int64((z >> _16) & _LOW) + np.int64((z >> _32) & _LOW) + np.int64(z >> _48)
    return (total - 131070) * _TO_NORMAL

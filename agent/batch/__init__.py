"""The deal and the scripted opponents for N episodes at once, compiled (Numba). Equal to the scalar core: a test."""

from agent.batch.engine import Batch
from agent.batch.layout import EPISODE, MOVE, NotBatched

__all__ = ["EPISODE", "MOVE", "Batch", "NotBatched"]

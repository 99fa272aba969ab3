"""Several processes of one run, as `accelerate launch` starts them: which this is, and who waits for whom.

A run by itself is one process, and the first. Only the first writes into a run's folder, and says anything.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


def processes() -> int:
    """How many processes do this run together."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_first() -> bool:
    """Whether this is the one that writes and speaks."""
    return int(os.environ.get("RANK", "0")) == 0


@contextmanager
def first_goes_first() -> Iterator[None]:
    """The first does what is inside, the others after it: what it wrote is there for them."""
    if processes() == 1:
        yield
        return
    import torch
    from accelerate.state import PartialState

    with PartialState(cpu=not torch.cuda.is_available()).main_process_first():
        yield

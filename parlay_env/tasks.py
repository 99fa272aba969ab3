"""Tasks: fixed instances by split, each a scenario × persona × seat × seed.

The splits draw their seeds from disjoint ranges. A task of `train` or `validation` names its seed; a task of `test` has
an opaque id instead, and its seed is never told. The same release hands out the same tasks on every machine.

Whoever has the package can work out the test seeds, too. An edition of one's own has others: with the key of a secret
(`key_of`) ids and seeds of `test` follow from that secret, and from nothing that leaves the server. What their episodes
draw is keyed with it, too (the `secret` of `play_episode`): a seed alone gives none. No key is the public edition.
"""

from __future__ import annotations

import hashlib
from functools import cache
from itertools import product
from typing import Any, get_args

import msgspec

from agent.registry import OPPONENTS
from game.events import SPLITS, Split
from game.scenarios import SeatName, scenarios
from parlay_env.rng import MAX_SEED

_HALF = (MAX_SEED + 1) // 2
SEEDS: dict[Split, tuple[int, int]] = {
    "train": (0, _HALF),
    "validation": (_HALF, _HALF + _HALF // 2),
    "test": (_HALF + _HALF // 2, MAX_SEED + 1),
}
"""Each split's seeds: the first, and the first beyond."""
ROUNDS: dict[Split, int] = {"train": 40, "validation": 10, "test": 20}
"""How often a split's tasks go through every scenario × persona × seat."""


LEAST_SECRET = 16
"""Characters of a secret. Ids are hashes keyed with it: a shorter one could be found by trying."""


def key_of(secret: str) -> bytes:
    """The key of the edition that this secret makes; an empty secret is the public edition's.

    Raises ValueError for one that is too short. The text never quotes it.
    """
    if not secret:
        return b""
    if len(secret) < LEAST_SECRET:
        raise ValueError(f"a secret for test tasks has at least {LEAST_SECRET} characters, random ones")
    return hashlib.blake2b(secret.encode(), person=b"parlay-tests").digest()


class UnknownTask(IndexError):
    """There is no such split, index or id. The text never quotes what was asked for."""


class Task(msgspec.Struct, frozen=True, gc=False):
    """One instance to be played."""

    id: str
    split: Split
    index: int
    scenario_id: str
    persona: str
    seat: SeatName
    seed: int

    def told(self) -> dict[str, Any]:
        """The task as it is handed out: without the seed where the split is `test`."""
        found = msgspec.to_builtins(self)
        if self.split == "test":
            del found["seed"]
        return found


def splits() -> list[dict[str, str]]:
    """The splits as OpenEnv's task API lists them."""
    return [{"name": name, "type": name} for name in SPLITS]


def tasks(split: str, key: bytes = b"") -> tuple[Task, ...]:
    """Every task of a split, in order; those of `test` in the edition with this key. Raises UnknownTask."""
    if split not in ROUNDS:
        raise UnknownTask(f"split must be one of {', '.join(SPLITS)}")
    return _made(split, key if split == "test" else b"")


def task(split: str, index: int, key: bytes = b"") -> Task:
    """The task with this index. Raises UnknownTask, also for a negative index."""
    found = tasks(split, key)
    if not 0 <= index < len(found):
        raise UnknownTask(f"the {split} split has tasks 0 to {len(found) - 1}")
    return found[index]


def task_by_id(task_id: str, key: bytes = b"") -> Task:
    """The task with this id in the edition with this key. Raises UnknownTask."""
    found = _by_id(key).get(task_id)
    if found is None:
        raise UnknownTask("there is no task with this id: ids are handed out by the task routes")
    return found


def seed_range(split: Split) -> tuple[int, int]:
    """The first and the last seed of a split."""
    low, beyond = SEEDS[split]
    return low, beyond - 1


@cache
def _made(split: Split, key: bytes) -> tuple[Task, ...]:
    cells = list(product(scenarios(), OPPONENTS, get_args(SeatName)))
    low, beyond = SEEDS[split]
    found = []
    for index in range(ROUNDS[split] * len(cells)):
        scenario_id, persona, seat = cells[index % len(cells)]
        drawn = _digest(f"{split}|{index}", b"parlay-task-seed", key)
        seed = low + int.from_bytes(drawn[:8], "little") % (beyond - low)
        name = _digest(f"{split}|{index}", b"parlay-task-id", key).hex()[:16] if split == "test" else f"{index:05d}"
        found.append(Task(f"{split}-{name}", split, index, scenario_id, persona, seat, seed))
    return tuple(found)


@cache
def _by_id(key: bytes) -> dict[str, Task]:
    return {one.id: one for split in SPLITS for one in tasks(split, key)}


def _digest(text: str, person: bytes, key: bytes) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16, person=person, key=key).digest()

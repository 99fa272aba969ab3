"""parlay-bench-1: every task of the test split, one number, and records that prove it.

A **record** is JSON Lines, one line for each task: its id, the player's moves as wire actions and, if known, the reward
that was paid. An episode is its instance and its moves, so a score needs nothing else: every line is played again here,
the opponents' moves are computed anew, and what the replay pays counts. What a line claims is only compared.

    from training.benchmark import parsed, replayed
    from training.benchmark_score import headline, scored
    record = Path("mine.jsonl").read_bytes()
    print(headline(scored("mine", replayed(parsed(record)), record=record)))
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

import msgspec
from pydantic import ValidationError

from agent.registry import opponent, profile
from game.scenarios import scenarios
from parlay_env.actions import move_of
from parlay_env.core import Policy, Seat, Step, play_episode
from parlay_env.deal.game import Deal
from parlay_env.deal.state import SEATS, Move, Setup, State
from parlay_env.deal.value import zopa_exists
from parlay_env.deal.views import View
from parlay_env.models import ParlayAction
from parlay_env.reward import EPISODE_RANGE
from parlay_env.rng import Draws
from parlay_env.tasks import Task, tasks
from training.episodes import DIGITS, Cell, Result, result_of, share_out
from training.outcomes import zopa_width
from training.policies import PRIVILEGED, READERS, UnknownPolicy, make, names
from training.transcripts import Scribe

NAME = "parlay-bench-1"
VERSION = 1
SPLIT = "test"
PUBLIC = "public"
"""The edition that everybody has."""
TASKS = "5cb222df4b72bd9d"
"""The digest of the public edition's tasks, frozen: with other tasks it would be another benchmark."""
DROPPED = EPISODE_RANGE[0]
"""What a task counts that was left out or not finished, where that is allowed: no episode is paid less, fines and all.
(Trainers charge less for an episode that their model left: there nobody chooses which episodes to hand in.)"""
MOVES_AT_MOST = 200
"""Of a line: an episode has twenty turns, and two refused moves between any of them."""
_NAMED = 10
"""Tasks that an error lists."""
_ID_AT_MOST = 40
"""Characters of an id that an error shows."""
_LONGEST_INTEGER = 19
"""Digits; a longer whole number is read as a float, as every door does."""

Progress = Callable[[int], None]
_GAME = Deal()


class BadRecord(ValueError):
    """A record that can't be scored; the message says what is wrong and what would be right."""


class Incomplete(BadRecord):
    """Tasks are missing, or not played to their end."""


class OtherTasks(RuntimeError):
    """The tasks here are not the benchmark's."""


# What it is -----------------------------------------------------------------------------------------------------------


def edition(key: bytes = b"") -> str:
    """The edition with this key: `public`, or its fingerprint, from which neither key nor seeds can be had."""
    return tasks_digest(key) if key else PUBLIC


def tasks_digest(key: bytes = b"") -> str:
    """A digest of all tasks in their order, seeds too, as 16 hexadecimal digits; in an edition with a key it is keyed,
    so that nothing can be checked against it without the secret."""
    listed = msgspec.json.encode([msgspec.to_builtins(one) for one in tasks(SPLIT, key)])
    return hashlib.blake2b(listed, digest_size=8, key=key, person=b"parlay-bench").hexdigest()


def frozen_tasks(key: bytes = b"") -> tuple[Task, ...]:
    """Every task of the edition with this key, in order.

    Raises OtherTasks where the tasks are no longer those of the benchmark: editions differ in ids and seeds alone.
    """
    if tasks_digest() != TASKS:
        raise OtherTasks(
            f"these are not the tasks of {NAME}: has a scenario or a persona been added? The release that is cited has "
            "them"
        )
    return tasks(SPLIT, key)


def _cell(task: Task) -> Cell:
    return Cell(task.scenario_id, task.persona, task.seat)


def setup_of(task: Task) -> Setup:
    """The setup of a task's episode."""
    return Setup(
        scenario=scenarios()[task.scenario_id], seat=task.seat, opponent=profile(task.persona), split=task.split
    )


# Records --------------------------------------------------------------------------------------------------------------


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One task, as it was played."""

    task_id: str
    actions: list[dict[str, Any]]
    reward: float | None = None
    """What the player says it was paid."""


def recorded(policy: str, key: bytes = b"", workers: int = 1, progress: Progress | None = None) -> list[Line]:
    """The record of a built-in policy. Raises UnknownPolicy and OtherTasks."""
    check_player(policy, key)
    found: list[Line] = []
    for line in share_out(partial(_recorded, policy, key), frozen_tasks(key), workers):
        found.append(line)
        if progress is not None:
            progress(len(found))
    return found


def check_player(policy: str, key: bytes = b"") -> None:
    """Raise UnknownPolicy unless this is a built-in policy that can play the edition with this key."""
    if policy not in names():
        raise UnknownPolicy(f"policy must be one of {', '.join(names())}")
    if key and policy in PRIVILEGED:
        raise UnknownPolicy(
            f"{policy} can't play a private edition: it works out what is hidden from the seed, which isn't enough "
            "there; leave it out, or play the public edition (without PARLAY_TEST_SECRET)"
        )


def _recorded(policy: str, key: bytes, task: Task) -> Line:
    setup = setup_of(task)
    scribe = Scribe(make(policy, setup, task.seed))
    players: dict[str, Policy] = {
        task.seat: scribe,
        SEATS[1 - setup.learner]: opponent(task.persona, policy in READERS),
    }
    episode = play_episode(_GAME, setup, task.seed, players, secret=key, keep_log=False)
    return Line(task.id, scribe.actions, episode.total(task.seat))


def written(lines: Iterable[Line]) -> bytes:
    """A record, as its file has it."""
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def parsed(record: bytes) -> list[Line]:
    """The lines of a record. Raises BadRecord."""
    found = []
    for number, line in enumerate(record.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line, parse_constant=_refuse, parse_int=_integer)
            found.append(msgspec.convert(data, Line))
        except (ValueError, RecursionError) as error:
            told = str(error) if isinstance(error, msgspec.ValidationError) else "this is not JSON"
            raise BadRecord(
                f'line {number}: {told}; a line is {{"task_id": "test-…", "actions": [{{…}}, …], "reward": 12.5}}'
            ) from None
    return found


def _refuse(_: str) -> NoReturn:
    raise ValueError


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float(digits)


# Replays --------------------------------------------------------------------------------------------------------------


class Played(msgspec.Struct, frozen=True):
    """A task, and what came of it in the replay."""

    task: Task
    result: Result
    claimed: float | None = None
    """What the record says."""
    dropped: bool = False
    """Left out or not finished: it counts `DROPPED`."""

    @property
    def differs(self) -> bool:
        """Was something else claimed than was paid?"""
        return self.claimed is not None and not self.dropped and self.claimed != self.result.reward


def replayed(
    lines: Sequence[Line],
    key: bytes = b"",
    *,
    missing_as_dropped: bool = False,
    progress: Progress | None = None,
) -> list[Played]:
    """Every task of the edition with this key, in order, played again by its line.

    Raises BadRecord, Incomplete for tasks that are missing or not finished (unless they count as dropped), OtherTasks.
    """
    ordered = frozen_tasks(key)
    by_task = _by_task(lines, ordered)
    missing = [task.id for task in ordered if task.id not in by_task]
    if missing and not missing_as_dropped:
        raise Incomplete(_incomplete("missing", missing))
    found: list[Played] = []
    for task in ordered:
        found.append(_replayed(task, by_task.get(task.id), key))
        if progress is not None:
            progress(len(found))
    unfinished = [one.task.id for one in found if one.dropped and one.task.id in by_task]
    if unfinished and not missing_as_dropped:
        raise Incomplete(_incomplete("not played to the end", unfinished))
    return found


def _by_task(lines: Sequence[Line], ordered: Sequence[Task]) -> dict[str, Line]:
    known, found = {task.id for task in ordered}, dict[str, Line]()
    strange = [line.task_id for line in lines if line.task_id not in known]
    if strange:
        raise BadRecord(
            f"{_listed(strange)}: no such tasks in this edition; the ids of another edition need its secret "
            "(PARLAY_TEST_SECRET), or none"
        )
    for line in lines:
        if line.task_id in found:
            raise BadRecord(f"{line.task_id} is there twice; a record has one line for each task, its first play")
        found[line.task_id] = line
    return found


def _incomplete(what: str, ids: Sequence[str]) -> str:
    return (
        f"{len(ids)} tasks are {what}: {_listed(ids)}; play them, or count each as {DROPPED:g} points "
        "(--missing-as-dropped)"
    )


def _listed(ids: Sequence[str]) -> str:
    more = len(ids) - _NAMED
    return ", ".join(_plain(one[:_ID_AT_MOST]) for one in ids[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _plain(text: str) -> str:
    """A foreign text as a terminal may show it."""
    return "".join(one if one.isprintable() else "?" for one in text)


class _OutOfMoves(Exception):
    """The record's moves are over, the episode is not."""


class _Replay:
    """Plays a record's moves, one after the other."""

    def __init__(self, actions: Sequence[ParlayAction]) -> None:
        self.left = list(reversed(actions))

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        if not self.left:
            raise _OutOfMoves
        return move_of(view, self.left.pop())


def _replayed(task: Task, line: Line | None, key: bytes) -> Played:
    setup = setup_of(task)
    if line is None:
        return _dropped(task, setup, key, [], None)
    actions = _actions(line)
    player = _Replay(actions)
    try:
        result = result_of("", _cell(task), setup, task.seed, player, secret=key)
    except _OutOfMoves:
        return _dropped(task, setup, key, actions, line.reward)
    if player.left:
        raise BadRecord(
            f"{task.id}: the episode is over after {len(actions) - len(player.left)} of its {len(actions)} moves; a "
            "record has the moves of one play, made under the default options"
        )
    return Played(task, result, line.reward)


def _actions(line: Line) -> list[ParlayAction]:
    if len(line.actions) > MOVES_AT_MOST:
        raise BadRecord(f"{line.task_id}: {len(line.actions):,} moves; no episode has more than {MOVES_AT_MOST}")
    found = []
    for number, action in enumerate(line.actions, 1):
        try:
            found.append(ParlayAction.model_validate(action))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise BadRecord(
                f"{line.task_id}, move {number}: this is no action ({where}: {first['msg']}); the server refused it, "
                "so it was not played: leave it out"
            ) from None
    return found


def _dropped(task: Task, setup: Setup, key: bytes, actions: Sequence[ParlayAction], claimed: float | None) -> Played:
    """A task that has no end, as far as it was played."""
    state = _left_at(task, setup, key, actions)
    result = Result(
        policy="",
        scenario=task.scenario_id,
        persona=task.persona,
        seat=task.seat,
        seed=task.seed,
        reward=DROPPED,
        terms={},
        efficiency=0.0,
        zopa=zopa_exists(state, erosion=False),
        walk_was_right=not zopa_exists(state),
        zopa_width=round(zopa_width(state, setup.learner), DIGITS),
        deal=False,
        end="forfeit",
        by=task.seat,
        turns=state.public.turn,
        breach=False,
        invalid_moves=0,
    )
    return Played(task, result, claimed, dropped=True)


class _Watched(Deal):
    """The deal, and its last state."""

    def start(self, setup: Setup, seed: int, secret: bytes = b"") -> State:
        self.last = super().start(setup, seed, secret)
        return self.last

    def play(self, state: State, moves: Mapping[Seat, Move]) -> Step:
        step = super().play(state, moves)
        self.last = step.state
        return step


def _left_at(task: Task, setup: Setup, key: bytes, actions: Sequence[ParlayAction]) -> State:
    """The state in which the player left."""
    game = _Watched()
    players = {task.seat: _Replay(actions), SEATS[1 - setup.learner]: opponent(task.persona, False)}
    with suppress(_OutOfMoves):
        play_episode(game, setup, task.seed, players, secret=key, keep_log=False)
    return game.last

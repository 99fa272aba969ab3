"""Preferences: two moves from one moment of an episode, each gone on with by the same policy, and what each came to.

The moment is reached by the episode's own moves. There the learner's move is held against what weaker policies would
do; every candidate is played, and the rest of the episode by `FINISH`, on the same seed. What the two are paid differs
by the move alone: beliefs and estimates are the learner's in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from parlay_env.core import policy_draws
from parlay_env.deal.state import SEATS, Move
from parlay_env.grader import grade
from parlay_env.models import ResetOptions
from parlay_env.session import GAME, Session, Table
from training.data.form import Episode, Example
from training.episodes import share_out
from training.policies import make
from training.voicing import Speaking
from training.wire import action_text, as_read, wire_action

FINISH = "tit_for_tat"
"""Goes on with every candidate: an honest rule that needs no opponent it knows."""
WEAKER = ("instant_accept", "conceder", "constant_anchor", "random_legal")
"""What the learner's move is held against: who takes too early, gives too early, never gives, and who knows nothing."""
LEAST_MARGIN = 5.0
"""Points that the two must differ by."""


class Pair(msgspec.Struct, frozen=True):
    """A preference. `margin`: by how many points of reward the chosen move is better."""

    prompt: str
    chosen: str
    rejected: str
    margin: float
    chosen_reward: float
    rejected_reward: float
    learner_chosen: bool
    """The chosen one is the move that the learner made."""
    against: str
    """The policy that the other one is of."""


class _Work(msgspec.Struct, frozen=True):
    episode: Episode
    steps: dict[int, str]
    """The prompts of the moves that are examples."""
    least: float
    finish: str


def pairs(
    episodes: Sequence[Episode],
    examples: Sequence[Example],
    *,
    least: float = LEAST_MARGIN,
    finish: str = FINISH,
    workers: int = 1,
    told: Callable[[int, int], None] = lambda _, __: None,
) -> Iterator[Pair]:
    """The pairs of these examples, at most one a move: the one with the greatest margin. Episodes that can't be reset
    to (`Episode.options`) have none. `told` hears how many episodes of how many are done."""
    prompts: dict[str, dict[int, str]] = {}
    for example in examples:
        prompts.setdefault(example.episode, {})[example.step] = example.prompt
    work = [
        _Work(one, prompts[one.episode], least, finish)
        for one in episodes
        if one.episode in prompts and one.options(0) is not None
    ]
    told(0, len(work))
    for done, found in enumerate(share_out(_pairs_of, work, workers), start=1):
        told(done, len(work))
        yield from found


def _pairs_of(work: _Work) -> list[Pair]:
    one = work.episode
    options = one.options(0)
    assert options is not None and one.seed is not None
    table = Session.open(ResetOptions(**options)).table
    found: list[Pair] = []
    for step, action in enumerate(one.actions):
        if not one.allowed[step]:
            break
        move = as_read(table.view(one.seat), action)
        if step in work.steps and (pair := _best_pair(work, table, move, work.steps[step])) is not None:
            found.append(pair)
        table.play(one.seat, move)
    return found


def _best_pair(work: _Work, table: Table, move: Move, prompt: str) -> Pair | None:
    seat, seed = work.episode.seat, table.seed
    view = table.view(seat)
    own = (_paid(work, table, move), wire_action(view, move))
    best: Pair | None = None
    for name in WEAKER:
        speaker = Speaking(make(name, table.setup, seed), believes=False)
        other = speaker.act(view, policy_draws(GAME, seed, seat))
        other = replace(other, belief=move.belief, event_impact=move.event_impact)
        if _decided(other) == _decided(move):
            continue
        rival = (_paid(work, table, other), wire_action(view, other))
        margin = abs(own[0] - rival[0])
        if margin < work.least or (best is not None and margin <= best.margin):
            continue
        better, worse = (own, rival) if own[0] > rival[0] else (rival, own)
        texts = action_text(better[1]), action_text(worse[1])
        best = Pair(prompt, *texts, margin, better[0], worse[0], better is own, name)
    return best


def _decided(move: Move) -> Any:
    """What is done, without how it is said."""
    return replace(move, utterance="")


def _paid(work: _Work, table: Table, move: Move) -> float:
    """What the episode pays in all when this move is made now, and the rest is played by `finish`."""
    branch, seat = table.fork(), work.episode.seat
    branch.play(seat, move)
    speaker = Speaking(make(work.finish, table.setup, table.seed), believes=False)
    draws = policy_draws(GAME, table.seed, seat)
    while branch.mover == seat:
        branch.play(seat, speaker.act(branch.view(seat), draws))
    graded = grade(branch.state, SEATS.index(seat))
    assert graded is not None
    return graded.reward

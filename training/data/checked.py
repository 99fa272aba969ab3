"""A log, played again and held to what the rules and the opponent's policy make of it: only then it is data.

The hash chain tells that no line was changed by accident; anybody can compute one. So the episode is played anew: its
setup must be one of this release's, every move of the opponent must be the one that its policy makes there, and what
the file says of the episode must be what it paid.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from pydantic import ValidationError

from agent.llm.names import is_language
from agent.registry import OPPONENTS, profile
from game.scenarios import SeatName, scenarios
from parlay_env.core import EpisodeOver, Viewer, WrongSeat, policy_draws
from parlay_env.deal.state import SEATS, T_MAX, Move, Profile, Setup, State
from parlay_env.deal.terms import terms_of
from parlay_env.deal.value import surplus
from parlay_env.deal.views import View
from parlay_env.grader import grade
from parlay_env.log import EventLog, LogError
from parlay_env.prompt import prompt_of
from parlay_env.reward import RewardSpec
from parlay_env.session import GAME
from parlay_env.tasks import seed_range
from training.selfplay import SPLITS, player
from training.wire import as_read, wire_action

Source = Literal["selfplay", "human"]
NEAR_LIMIT = 0.10
"""In Δ0: how near one's own limit the own last offer must have been for a late exit to be a principled one."""
LAST_TURNS = 3
"""Turns left, at most, for the same."""


class Refused(Exception):
    """A log that is no data. `code` names the reason, for counting."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Found(msgspec.Struct, frozen=True):
    """A log as it was found, and what is said of it there."""

    source: Source
    log: bytes
    """The event log's lines."""
    learner: str
    """A policy's name, or `person`."""
    where: str
    """For messages."""
    secret: bytes = b""
    """A person's game has one beside its seed."""
    opponent: str | None = None
    """Of self-play: who is said to sit opposite."""
    reward: float | None = None
    """What it is said to have paid."""
    names: tuple[str, ...] = ()
    """The player's own, to be taken out of the words."""


class Moment(msgspec.Struct, frozen=True):
    """A move of the learner's: what it saw, as a prompt, and the action that it sent."""

    turn: int
    prompt: str
    action: dict[str, Any]
    """Empty where the move was not allowed."""
    allowed: bool


class Outcome(msgspec.Struct, frozen=True):
    """What came of an episode, for the learner."""

    reward: float
    efficiency: float
    deal: bool
    end: str
    turns: int
    zopa: bool
    """Was there one at the end, erosion left out?"""
    breach: bool
    walked: bool
    """The learner itself walked away."""
    nothing_left: bool
    """There was nothing to agree on at the end, erosion in."""
    cornered: bool
    """Before the last move: the other's standing offer lay beyond the own limit, at most `LAST_TURNS` turns were left,
    and the own last offer lay within `NEAR_LIMIT` of that limit."""
    shocks: int
    """Headlines that moved the opponent's limit by at least the reward's `shock`."""
    followed: int
    """Those after which the belief stood where they had put it, as term D counts."""
    believed: bool
    """It reported what it believes of the walk-away."""
    belief_skill: float


class Checked(msgspec.Struct, frozen=True):
    """An episode that is data."""

    id: str
    source: Source
    learner: str
    scenario: str
    persona: str
    seat: SeatName
    split: str
    events: bool
    seed: int
    instance: bytes
    """Two episodes with the same one are the same deal: seed and secret."""
    moments: tuple[Moment, ...]
    outcome: Outcome


def checked(found: Found) -> Checked:
    """Play a found log again. Raises Refused."""
    try:
        log = EventLog.from_jsonl(found.log)
        setup: Setup = log.setup(GAME.id, Setup)
        history: list[dict[str, Move]] = list(log.moves(Move))
    except LogError as error:
        raise Refused("damaged", f"{found.where}: {error}") from None
    scripted = setup.opponent.name in OPPONENTS
    _check_setup(found, setup, log.seed)
    learner = setup.seat
    try:
        states = _replayed(found, setup, log.seed, history)
    except ArithmeticError as error:
        raise Refused("forged", f"{found.where}: it has a figure that no client can send") from error
    last = states[-1]
    if last.public.ended is None:
        raise Refused("unfinished", f"{found.where}: the episode is not over; the log ends before it does")
    outcome = _outcome(states, setup.learner)
    if found.reward is not None and found.reward != outcome.reward:
        told = f"it is said to have paid {found.reward}, and pays {outcome.reward}"
        raise Refused("forged", f"{found.where}: {told}")
    viewer = Viewer("player", learner)
    moments = tuple(
        _moment(found, GAME.view(before, viewer), moves[learner], after)
        for before, moves, after in zip(states, history, states[1:], strict=False)
        if learner in moves
    )
    persona = setup.opponent.name if scripted else found.opponent or ""
    return Checked(
        id=log.last_hash,
        source=found.source,
        learner=found.learner,
        scenario=setup.scenario.id,
        persona=persona,
        seat=learner,
        split=setup.split,
        events=setup.events,
        seed=log.seed,
        instance=log.seed.to_bytes(8, "big") + found.secret,
        moments=moments,
        outcome=outcome,
    )


def _check_setup(found: Found, setup: Setup, seed: int) -> None:
    """Raise Refused for a setup that this release would not play."""
    scripted = setup.opponent.name in OPPONENTS
    wrong = ""
    if scenarios().get(setup.scenario.id) != setup.scenario:
        wrong = f"the scenario {setup.scenario.id!r} is not the one that ships with this release"
    elif scripted and (setup.opponent != profile(setup.opponent.name) or setup.both_graded):
        wrong = f"the opponent {setup.opponent.name!r} is not the one of this release"
    elif not scripted and (setup.opponent != Profile() or not setup.both_graded or not found.opponent):
        wrong = "nobody says who sits opposite"
    elif setup.reward != RewardSpec():
        wrong = "it was paid by another reward than the default one"
    elif setup.split not in SPLITS:
        wrong = "it is of the split test, which is for measuring, not to learn from"
    elif not seed_range(setup.split)[0] <= seed <= seed_range(setup.split)[1]:
        wrong = f"its seed is none of the split {setup.split}"
    elif found.opponent not in (None, setup.opponent.name) and scripted:
        wrong = f"it is said to be against {found.opponent!r}, and is against {setup.opponent.name!r}"
    if wrong:
        raise Refused("setup", f"{found.where}: {wrong}")


def _replayed(found: Found, setup: Setup, seed: int, history: list[dict[str, Move]]) -> list[State]:
    """The states, the first one first. Raises Refused where somebody moves who can't, or moves as nobody would."""
    other = SEATS[1 - setup.learner]
    name = setup.opponent.name if setup.opponent.name in OPPONENTS else found.opponent or ""
    opposite: Any = None if is_language(name) else player(name, setup, seed)
    draws = policy_draws(GAME, seed, other, found.secret)
    state: State = GAME.start(setup, seed, found.secret)
    states = [state]
    for number, moves in enumerate(history, start=2):
        where = f"{found.where}, line {number} of the log"
        if opposite is not None and other in moves and GAME.to_move(state) == frozenset((other,)):
            expected = opposite.act(GAME.view(state, Viewer("player", other)), draws)
            if moves != {other: expected}:
                raise Refused("forged", f"{where}: {name} makes another move there")
        try:
            state = GAME.play(state, moves).state
        except (EpisodeOver, WrongSeat) as error:
            raise Refused("forged", f"{where}: nobody could have made this move: {error}") from None
        states.append(state)
    return states


def _moment(found: Found, view: View, move: Move, after: State) -> Moment:
    """A move of the learner's. One that was answered with an error is no example, whatever it was."""
    prompt = prompt_of(view)
    if after.invalid[view.seat] is not None:
        return Moment(view.public.turn, prompt, {}, allowed=False)
    action = wire_action(view, move)
    try:
        sent = as_read(view, action) == move
    except ValidationError:
        sent = False
    if not sent:
        raise Refused("forged", f"{found.where}: no client can have sent the move of turn {view.public.turn}")
    return Moment(view.public.turn, prompt, action, allowed=True)


def _outcome(states: list[State], me: int) -> Outcome:
    last, before = states[-1], states[-2]
    ended, graded, book = last.public.ended, grade(last, me), last.books[me]
    assert ended is not None and graded is not None and book is not None
    return Outcome(
        reward=graded.reward,
        efficiency=graded.efficiency,
        deal=graded.deal,
        end=ended.reason,
        turns=ended.turn,
        zopa=graded.zopa_existed,
        breach=graded.breach,
        walked=ended.reason == "walk_away" and ended.seat == me,
        nothing_left=graded.walk_was_right,
        cornered=_cornered(before, me),
        shocks=book.shocks,
        followed=book.followed,
        believed=book.belief.walk_away is not None,
        belief_skill=graded.belief_skill,
    )


def _cornered(state: State, me: int) -> bool:
    """Is this the moment at which leaving is principled although somewhere there may be a deal?"""
    theirs, mine = state.public.sides[1 - me].standing, state.public.sides[me].latest
    if theirs is None or mine is None or T_MAX - state.public.turn > LAST_TURNS:
        return False
    near = NEAR_LIMIT * terms_of(state.setup.scenario).delta0[me]
    return surplus(state, me, theirs) < 0 and abs(surplus(state, me, mine)) <= near

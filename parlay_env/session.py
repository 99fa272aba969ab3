"""One episode behind any door: who sits where, whose move it is, what each seat sees and is paid.

Synchronous, no I/O. A `Table` is an episode while it is played; a `Session` is a client's seat at it. What a door adds
is a wire: it turns text into options and actions, and answers into text.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from copy import copy, deepcopy
from typing import Any, Self

import msgspec

from agent import registry
from game.events import Split
from game.scenarios import SeatName, scenarios
from parlay_env import __version__, tasks
from parlay_env.actions import move_of
from parlay_env.core import Policy, Seat, Viewer, policy_draws
from parlay_env.deal.game import Deal
from parlay_env.deal.state import SEATS, Move, Profile, Setup, State
from parlay_env.deal.views import View
from parlay_env.log import EventLog
from parlay_env.models import ParlayAction, ResetOptions
from parlay_env.observe import observation
from parlay_env.options import VOICED, is_voiced
from parlay_env.reward import RewardSpec
from parlay_env.rng import Draws, derive_keys

GAME = Deal()
SeedSource = Callable[[int], int]
"""`n` ↦ an unguessable whole number from 0 to n − 1."""

_VIEWERS = {seat: Viewer("player", seat) for seat in SEATS}
BEFORE_THE_END = {"termination_reason": None, "final_offer": None, "grade": None, "truth": None}
"""What an observation says of the end until there is one."""


class SessionError(ValueError):
    """What was asked for can't be done, and nothing was. The text never quotes what the client sent."""


class BadOption(SessionError):
    """An option that can't be had. `where` names it, like a path into the options."""

    def __init__(self, message: str, *where: str | int) -> None:
        super().__init__(message)
        self.where = where


class UnknownScenario(BadOption):
    """No scenario has this id."""


class UnknownPersona(BadOption):
    """No opponent has this name."""


class EpisodeDone(SessionError):
    """A step came after the end."""


class NotYourMove(SessionError):
    """A step came while the other side, another client, had to move."""


class Answer(msgspec.Struct, gc=False):
    """What a step, or a reset, gives to the client that made it."""

    observation: dict[str, Any]
    reward: float | None
    """None after a reset, when nothing was done that could be paid."""
    terms: dict[str, float]
    """The reward by term, as far as it is paid."""
    done: bool
    seed: int | None
    """If it may be told by now."""
    host_knows_seed: bool = False
    """To a client that joins: the host chose the seed, and could work out both seats' facts from it."""
    voice: dict[str, str] | None = None
    """Where a language model speaks for the opponent: how its newest words came about."""

    def info(self) -> dict[str, Any]:
        """What goes with an answer, besides the observation: the release or the reward by term, and the seed."""
        found: dict[str, Any] = {"env_version": __version__}
        if self.reward is not None:
            found = {"reward_terms": self.terms}
        if self.seed is not None:
            found["seed"] = self.seed
        if self.host_knows_seed and self.reward is None:
            found["host_knows_seed"] = True
        if self.voice is not None:
            found["voice"] = self.voice
        return found


class Table:
    """An episode while it is played. A seat with a policy moves by itself; one without is a client's. A seat that is
    `held` has a policy, and somebody who finds its words: it moves when `settle` is called."""

    __slots__ = ("_draws", "_owed", "_policies", "_wakers", "held", "moves", "seed", "setup", "state")

    def __init__(
        self,
        setup: Setup,
        seed: int,
        policies: dict[Seat, Policy | None],
        secret: bytes = b"",
        history: Iterable[dict[Seat, Move]] = (),
        held: Seat | None = None,
    ) -> None:
        """A new episode or, with the `history` of one that was broken off, that one: it goes on as if it never was.

        A policy is asked for its moves of the history too, since it may remember; what counts is what was played.
        """
        self.setup = setup
        self.seed = seed
        self.state: State = GAME.start(setup, seed, secret)
        self.moves: list[dict[Seat, Move]] = []
        """What was played, one entry for each call of `Game.play`."""
        self.held = held
        self._policies = policies
        self._draws: dict[Seat, Draws] = {
            seat: policy_draws(GAME, seed, seat, secret) for seat, policy in policies.items() if policy is not None
        }
        self._owed: dict[Seat, dict[str, float]] = {seat: {} for seat in SEATS}
        self._wakers: dict[Seat, Callable[[], object]] = {}
        for moves in history:
            for seat, move in moves.items():
                if (policy := policies[seat]) is not None:
                    policy.act(self.view(seat), self._draws[seat])
                self.advance(seat, move)
        self._play_policies()

    @property
    def mover(self) -> Seat | None:
        """The seat to move; None after the end."""
        mover = self.state.public.mover
        return None if mover < 0 else SEATS[mover]

    @property
    def over(self) -> bool:
        return self.state.public.ended is not None

    @property
    def log(self) -> EventLog:
        """The log that replays the episode. It holds the seed: never for a player before the end."""
        log = EventLog.begin(GAME.id, self.setup, self.seed)
        for moves in self.moves:
            log = log.append(moves)
        return log

    def view(self, seat: Seat) -> View:
        """What the player in this seat may see."""
        return GAME.view(self.state, _VIEWERS[seat])

    def play(self, seat: Seat, move: Move) -> None:
        """Play a client's move, then all that policies answer. Should a policy raise, nothing was played."""
        state, played, owed = self.state, len(self.moves), {s: dict(terms) for s, terms in self._owed.items()}
        try:
            self.advance(seat, move)
            self._play_policies()
        except BaseException:
            self.state, self._owed = state, owed
            del self.moves[played:]
            raise
        self._wake()

    def propose(self, seat: Seat) -> tuple[Move, Policy]:
        """What the policy of a held seat decides now, and the policy as it is after it decided. Nothing is played."""
        policy = deepcopy(self._policies[seat])
        assert policy is not None
        return policy.act(self.view(seat), self._draws[seat]), policy

    def draws(self, seat: Seat) -> Draws:
        """The draws of a seat that has a policy."""
        return self._draws[seat]

    def settle(self, seat: Seat, move: Move, policy: Policy) -> None:
        """Play the move of a held seat, with the policy that proposed it."""
        before, self._policies[seat] = self._policies[seat], policy
        try:
            self.play(seat, move)
        except BaseException:
            self._policies[seat] = before
            raise

    def fork(self) -> Self:
        """A table of its own that goes on from here; this one stays as it is. Nobody waits at it."""
        other = copy(self)
        other.moves = list(self.moves)
        other._part()  # noqa: SLF001 - its own class
        return other

    def _part(self) -> None:
        """Have nothing that changes in common with the table that this one is a copy of."""
        self._policies = deepcopy(self._policies)  # they may remember
        self._draws = dict(self._draws)
        self._owed = {seat: dict(terms) for seat, terms in self._owed.items()}
        self._wakers = {}

    def paid(self, seat: Seat) -> dict[str, float]:
        """What this seat was paid since it was last asked, by term."""
        terms, self._owed[seat] = self._owed[seat], {}
        return terms

    def leave(self, seat: Seat) -> None:
        """The client in this seat is gone: it walks away as soon as it would have to move."""
        self._policies[seat] = Leaver()
        self._draws[seat] = Draws(0)
        self._wakers.pop(seat, None)
        if not self.over:
            self._play_policies()
            self._wake()

    def is_clients(self, seat: Seat) -> bool:
        """Does a client move for this seat?"""
        return self._policies[seat] is None

    def when_ready(self, seat: Seat, wake: Callable[[], object]) -> None:
        """Call `wake` once, as soon as this seat is to move or the episode is over."""
        self._wakers[seat] = wake
        self._wake()

    def advance(self, seat: Seat, move: Move) -> None:
        """Play one move, whoever's it is; nobody answers yet."""
        moves = {seat: move}
        step = GAME.play(self.state, moves)
        self.state = step.state
        self.moves.append(moves)
        for paid, terms in step.rewards.items():
            owed = self._owed[paid]
            for term, value in terms.items():
                owed[term] = owed.get(term, 0.0) + value

    def _play_policies(self) -> None:
        while (mover := self.mover) is not None and mover != self.held:
            policy = self._policies[mover]
            if policy is None:
                return
            self.advance(mover, policy.act(self.view(mover), self._draws[mover]))

    def _wake(self) -> None:
        for seat in tuple(self._wakers):
            if self.over or self.mover == seat:
                self._wakers.pop(seat)()


class Leaver:
    """Moves for a client that is gone: it walks away. So an offer of its that stands can still be taken before."""

    def act(self, view: View, rng: Draws) -> Move:  # noqa: ARG002
        return Move(walk=True)


class Session:
    """A client's seat at a table. Where the other seat is a persona's, every step is answered at once."""

    __slots__ = (
        "_host_knows_seed",
        "_prompt",
        "_seed_shown",
        "_seed_told",
        "episode_id",
        "seat",
        "step_count",
        "table",
        "voice",
    )

    def __init__(self, table: Table, seat: Seat, options: ResetOptions, *, shown: int | None, told: bool) -> None:
        self.table = table
        self.seat = seat
        self.episode_id = options.episode_id or secrets.token_hex(8)
        self.step_count = 0
        self._prompt = options.prompt
        self._seed_shown = shown
        self._seed_told = told
        self._host_knows_seed = False
        self.voice: dict[str, str] | None = None
        """Where a language model speaks for the opponent: how its newest words came about."""

    @classmethod
    def open(
        cls,
        options: ResetOptions,
        secret: bytes = b"",
        seed_source: SeedSource = secrets.randbelow,
        test_key: bytes = b"",
    ) -> Session:
        """A new episode, at the client's first move. `secret` is mixed into a seed that is drawn here; test tasks are
        those of the edition with this `test_key`, which is mixed into their seeds.

        An opponent that a language model speaks for is held: whoever opened the session answers for it.

        Raises BadOption, UnknownScenario and UnknownPersona.
        """
        plan = _plan(options, secret, seed_source, test_key)
        reward = RewardSpec(cliff=options.omega, when=options.rewards)
        joined = options.opponent == "join"
        profile = Profile() if joined else registry.profile(plan.persona)
        setup = Setup(
            scenario=scenarios()[plan.scenario_id],
            seat=plan.seat,
            opponent=profile,
            split=plan.split,
            events=options.events,
            reward=reward,
            both_graded=joined,
        )
        other = SEATS[1 - setup.learner]
        policies: dict[Seat, Policy | None] = {
            setup.seat: None,
            other: None if joined else registry.opponent(plan.persona),
        }
        table = Table(setup, plan.seed, policies, plan.secret, held=other if is_voiced(options.opponent) else None)
        session = cls(table, setup.seat, options, shown=plan.shown, told=plan.told)
        if options.history:
            session._replay(options.history)
        return session

    def other(self, options: ResetOptions) -> Session:
        """The other seat, for the client that joins."""
        seat = SEATS[1 - SEATS.index(self.seat)]
        # A seed that the host gave would tell the joiner the host's own facts: it hears of it with the end.
        joined = Session(self.table, seat, options, shown=None, told=self._seed_told)
        joined._host_knows_seed = self._seed_shown is not None
        return joined

    @property
    def done(self) -> bool:
        return self.table.over

    @property
    def ready(self) -> bool:
        """Is it this seat's move, or the end? Else its step is answered when the other client has moved."""
        return self.table.over or self.table.mover == self.seat

    def step(self, action: ParlayAction) -> Answer:
        """Move, and have the answer at once. For a table that no other client sits at; raises as `act` does."""
        self.act(action)
        return self.answer()

    def act(self, action: ParlayAction) -> None:
        """Move. `answer` has what came of it as soon as the session is ready again.

        Raises EpisodeDone and NotYourMove; then nothing was counted.
        """
        if self.table.over:
            raise EpisodeDone("the episode is over; reset to play another")
        if self.table.mover != self.seat:
            raise NotYourMove("the other side has to move first")
        self.table.play(self.seat, move_of(self.table.view(self.seat), action))
        self.step_count += 1

    def answer(self) -> Answer:
        """What this seat sees now, and what it was paid since its last answer."""
        terms = self.table.paid(self.seat)
        reward = sum(terms.values()) if terms or self.step_count else None
        seen = self.observe(self._prompt)
        return Answer(seen, reward, terms, self.done, self.seed, self._host_knows_seed, self.voice)

    def observe(self, with_prompt: bool) -> dict[str, Any]:
        """What this seat sees now."""
        found = observation(self.table.view(self.seat), with_prompt)
        if not self.done:
            found |= BEFORE_THE_END
        return found

    @property
    def seed(self) -> int | None:
        """The seed, if it may be told: at once where the client gave it, else after the end; a test task's never."""
        if self._seed_shown is not None:
            return self._seed_shown
        return self.table.seed if self._seed_told and self.done else None

    def state(self) -> dict[str, Any]:
        """The session as its player may know it: what it sees, who is to move, how many steps it made."""
        found = {
            "episode_id": self.episode_id,
            "step_count": self.step_count,
            "scenario_id": self.table.setup.scenario.id,
            "split": self.table.setup.split,
            "done": self.done,
            "to_move": self.table.mover,
            "seed": self.seed,
        }
        found |= self.observe(with_prompt=False)
        del found["prompt"]
        return found

    def leave(self) -> None:
        """The client is gone: where another one sits opposite, its seat walks away."""
        if self.table.setup.both_graded:
            self.table.leave(self.seat)

    def _replay(self, history: list[ParlayAction]) -> None:
        """Play the learner's moves of a prefix; the opponent's answers are computed anew. They are paid to nobody."""
        me = SEATS.index(self.seat)
        for i, action in enumerate(history):
            if self.table.over:
                raise BadOption("the episode is over before this move", "history", i)
            self.table.play(self.seat, move_of(self.table.view(self.seat), action))
            if (refused := self.table.state.invalid[me]) is not None:
                raise BadOption(f"this move was not allowed: {refused.message}", "history", i)
        self.table.paid(self.seat)


class _Plan(msgspec.Struct, frozen=True):
    """What options come to: an instance, and whether its seed may be told."""

    scenario_id: str
    persona: str
    seat: SeatName
    split: Split
    seed: int
    secret: bytes = b""
    shown: int | None = None
    told: bool = True


_FIXED_BY_TASK = ("scenario_id", "persona", "seat", "seed", "split")


def _plan(options: ResetOptions, secret: bytes, seed_source: SeedSource, test_key: bytes) -> _Plan:
    _check_opponent(options)
    if options.task_id is not None or options.index is not None:
        return _task_plan(options, test_key)
    if options.history and options.seed is None:
        raise BadOption("moves can be replayed in a known instance only: give its seed, or a task_id", "history")
    if options.scenario_id not in scenarios():
        raise UnknownScenario(f"scenario_id must be one of {', '.join(scenarios())}", "scenario_id")
    if options.persona is not None and options.persona not in registry.OPPONENTS:
        raise UnknownPersona(f"persona must be one of {', '.join(registry.OPPONENTS)}", "persona")
    low, high = tasks.seed_range(options.split)
    if options.seed is None:
        seed = low + seed_source(high - low + 1)
    elif options.split == "test":
        raise BadOption("tasks of the test split are chosen by task_id, not by seed", "seed")
    elif not low <= options.seed <= high:
        raise BadOption(f"seeds of the {options.split} split go from {low} to {high}", "seed")
    else:
        seed, secret = options.seed, b""
    persona = options.persona or registry.drawn(derive_keys(seed, secret))
    return _Plan(options.scenario_id, persona, options.seat, options.split, seed, secret, options.seed)


def _check_opponent(options: ResetOptions) -> None:
    """Raises BadOption for what can't be had with this opponent."""
    if options.join_code is not None:
        raise BadOption("no game waits for a second player under this code", "join_code")
    alone = {
        "join": ("persona", "history", "task_id", "index"),
        **dict.fromkeys(VOICED, ("history", "task_id", "index")),
    }
    for name in alone.get(options.opponent, ()):
        if getattr(options, name) is not None:
            raise BadOption(f"{name} goes with a scripted opponent only", name)
    if options.opponent == "join" and options.rewards != "end":
        raise BadOption("what depends on the other client's facts is paid with the end", "rewards")


def _task_plan(options: ResetOptions, test_key: bytes) -> _Plan:
    """The plan of a task. Options that say otherwise are refused, so that nobody plays another task than it thinks."""
    where = "index" if options.task_id is None else "task_id"
    try:
        if options.task_id is None:
            task = tasks.task(options.split, options.index or 0, test_key)
        else:
            task = tasks.task_by_id(options.task_id, test_key)
    except tasks.UnknownTask as error:
        raise BadOption(str(error), where) from None
    for name in _FIXED_BY_TASK:
        if name in options.model_fields_set and getattr(options, name) not in (None, getattr(task, name)):
            raise BadOption(f"the task has another {name}; leave it out", name)
    if options.task_id is not None and options.index not in (None, task.index):
        raise BadOption("the task has another index; leave it out", "index")
    secret, shown = (test_key, None) if task.split == "test" else (b"", task.seed)
    return _Plan(
        task.scenario_id, task.persona, task.seat, task.split, task.seed, secret, shown, told=shown is not None
    )

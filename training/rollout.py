"""Episodes of a learner over the live socket, many at once: what GRPO learns from, and what an evaluation counts.

    with Rollouts("http://127.0.0.1:8000", speaker.answer, form="brief") as rollouts:
        episodes = rollouts.play([Task("saas_enterprise", "shark", "seller", seed=7)])

The learner is a client like any other: it sees observations and nothing else. All episodes go on together: every
learner that is to move answers in one batch, then all the moves are sent. An answer without an action in it goes to the
server, too, as the move that it is: one that is refused, and costs what that costs. A session that went with its socket
is opened again and led to where it was by its moves; what they were paid is not paid again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Self, TypeVar

import msgspec

from agent.llm.parse import Parsed, parse
from agent.llm.spoken import CLASSES, Class
from game.scenarios import SeatName
from parlay_env.client.wire import (
    ParlayClientError,
    ParlayConnectionError,
    ParlayTimeoutError,
    Wire,
    refusal,
    wait_for,
)
from training.chat import Form, Messages, asked
from training.sockets import plain_wire
from training.speaker import Said

SOCKETS = 8
"""Open at once; sessions are spread over them."""
AT_ONCE = SOCKETS * 64
"""Episodes under way together: a socket holds 64 sessions."""
WAIT = 0.5
"""Seconds before a dropped episode is gone on with; twice as long each time."""
TRIES = 4
"""How often a dropped episode is gone on with before the run is given up."""
REFUSED = {"accept_deal": True, "walk_away": True}
"""What is sent for an answer that holds no action: no move can do both, so the game refuses it."""

Answer = Callable[[Sequence[Messages]], list[Said]]
Given = TypeVar("Given")


class Task(msgspec.Struct, frozen=True):
    """What an episode is: options of `reset`. `history`: actions to begin after."""

    scenario_id: str
    persona: str
    seat: SeatName
    seed: int | None = None
    split: str = "train"
    events: bool = True
    omega: float | None = None
    history: tuple[dict[str, Any], ...] = ()
    task_id: str | None = None
    """A task of the server's catalogue instead of a seed: how seeds of the test split are asked for."""

    def options(self) -> dict[str, Any]:
        """As `reset` takes them."""
        if self.task_id is not None:
            found: dict[str, Any] = {"task_id": self.task_id}
        else:
            found = {
                "scenario_id": self.scenario_id,
                "persona": self.persona,
                "seat": self.seat,
                "seed": self.seed,
                "split": self.split,
                "events": self.events,
            }
        if self.omega is not None:
            found["omega"] = self.omega
        return found


def seat_named(name: str) -> SeatName:
    """A seat by its name, which is known to be one."""
    return "seller" if name == "seller" else "buyer"


class Turn(msgspec.Struct):
    """One answer of the learner, and what it was paid at once."""

    number: int
    messages: Messages
    said: Said
    kind: Class
    """How the answer was to be read; `illegal` also where the game refused the move."""
    action: dict[str, Any] | None
    reward: float = 0.0
    terms: dict[str, float] = {}


class Episode(msgspec.Struct):
    """What came of a task."""

    task: Task
    turns: list[Turn]
    reward: float = 0.0
    """What the server paid over the turns; terms as far as they are told by the move, the rest with the last."""
    terms: dict[str, float] = {}
    last: dict[str, Any] = {}
    """The observation of the end, with the grade and all that was hidden."""
    reruns: int = 0

    @property
    def grade(self) -> Mapping[str, Any]:
        return self.last["grade"]

    @property
    def end(self) -> str:
        return self.last["termination_reason"]

    def classes(self) -> dict[Class, int]:
        """Its answers by how they were to be read."""
        return {kind: sum(turn.kind == kind for turn in self.turns) for kind in CLASSES}


class _Open:
    """An episode that is under way."""

    def __init__(self, task: Task, wire: Wire) -> None:
        self.episode = Episode(task, [])
        self.wire = wire
        self.session = ""
        self.seen: dict[str, Any] = {}
        self.moves: list[dict[str, Any]] = list(task.history)
        """Moves that were allowed, up to the first that was not: `reset` can replay these."""
        self.after: list[dict[str, Any]] = []
        """The first move that was refused, and all that came after it: these are sent again one by one."""
        self.done = False


class Rollouts:
    """Plays tasks on the server at an address. `environment_s`, `learner_s`: seconds spent waiting for each so far."""

    def __init__(self, base_url: str, answer: Answer, *, form: Form, rewards_of: str | None = None) -> None:
        """`rewards_of`: `immediate` pays hidden terms at once, for in-episode credit (recorded in the grade)."""
        self._answer = answer
        self._form: Form = form
        self._rewards = rewards_of
        self._wires = [
            plain_wire(base_url, "The run goes on from the last step that was saved") for _ in range(SOCKETS)
        ]
        self._met = False
        """Has the server answered yet?"""
        self.environment_s = 0.0
        self.learner_s = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the sockets."""
        wait_for(self._close())

    async def _close(self) -> None:
        for wire in self._wires:
            await wire.close({"cmd": "close", "session_id": ""})

    @property
    def environment_share(self) -> float:
        """The environment's share of the time that rollouts took."""
        return self.environment_s / max(self.environment_s + self.learner_s, 1e-9)

    def play(self, tasks: Sequence[Task], told: Callable[[int], object] = lambda _: None) -> list[Episode]:
        """Play all tasks to their ends, together; `told` hears how many are over.

        Raises ParlayClientError where the server refuses a task, can't be reached, or goes and stays away.
        """
        if len(tasks) > AT_ONCE:
            raise ValueError(f"at most {AT_ONCE} episodes are under way together, not {len(tasks)}")
        open_ = [_Open(task, self._wires[k % SOCKETS]) for k, task in enumerate(tasks)]
        self._wait([self._begin(one) for one in open_])
        self._met = True
        while going := [one for one in open_ if not one.done]:
            began = time.perf_counter()
            conversations = [asked(one.seen, self._form) for one in going]
            answers = self._answer(conversations)
            self.learner_s += time.perf_counter() - began
            turns = [_turn(*one) for one in zip(going, conversations, answers, strict=True)]
            self._wait([self._step(*one) for one in zip(going, turns, strict=True)])
            told(len(tasks) - sum(not one.done for one in open_))
        return [one.episode for one in open_]

    def _wait(self, work: Sequence[Coroutine[Any, Any, None]]) -> None:
        """Do all this at once. Where one fails, the others are stopped."""

        async def together() -> None:
            tasks = [asyncio.ensure_future(one) for one in work]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

        began = time.perf_counter()
        wait_for(together())
        self.environment_s += time.perf_counter() - began

    async def _reset(self, one: _Open) -> None:
        """Open the episode's session, led to where the episode is by its moves; what they were paid is booked."""
        options: dict[str, Any] = {**one.episode.task.options(), "prompt": self._form == "full"}
        if self._rewards is not None:
            options["rewards"] = self._rewards
        if one.moves:
            options["history"] = one.moves
        answer = await _asked(one.wire, {"cmd": "reset", **options}, begins=True)
        one.session = answer["session_id"]
        for action in one.after:
            answer = await _moved(one, action)
        one.seen, one.done = answer["observation"], answer["done"]
        if one.done:
            one.episode.last = one.seen

    async def _begin(self, one: _Open) -> None:
        """Open the episode's session. A server that was there before is waited for: it may be being restarted."""
        if self._met:
            await self._tried(one, lambda: self._reset(one), again=lambda: self._reset(one))
        else:
            await self._reset(one)

    async def _step(self, one: _Open, turn: Turn) -> None:
        """Make the move; where the session is gone, in another one that was led there."""
        action = REFUSED if turn.action is None else turn.action

        async def again() -> dict[str, Any]:
            await self._reset(one)
            return await _moved(one, action)

        self._book(one, turn, action, await self._tried(one, lambda: _moved(one, action), again))

    async def _tried(
        self, one: _Open, first: Callable[[], Awaitable[Given]], again: Callable[[], Awaitable[Given]]
    ) -> Given:
        """What `first` gives; where the episode's session went before it did, what `again` does, after a while."""
        why: ParlayClientError | None = None
        for tried in range(TRIES):
            try:
                if why is None:
                    return await first()
                await asyncio.sleep(WAIT * 2 ** (tried - 1))
                return await again()
            except ParlayClientError as error:
                if not _is_gone(error):
                    raise
                why = error
                one.episode.reruns += 1
        raise ParlayConnectionError(
            "CONNECTION_LOST", f"an episode was dropped {TRIES} times", "Is the server being restarted?"
        ) from why

    def _book(self, one: _Open, turn: Turn, action: dict[str, Any], answer: dict[str, Any]) -> None:
        seen, episode = answer["observation"], one.episode
        turn.reward, turn.terms = answer["reward"], answer["info"].get("reward_terms", {})
        refused = seen["invalid"] is not None
        (one.after if refused or one.after else one.moves).append(action)
        if refused and turn.kind != "absent":
            turn.kind = "illegal"
        episode.turns.append(turn)
        episode.reward += turn.reward
        episode.terms = {
            name: episode.terms.get(name, 0.0) + turn.terms.get(name, 0.0) for name in {*episode.terms, *turn.terms}
        }
        one.seen, one.done = seen, answer["done"]
        if one.done:
            episode.last = seen


def _turn(one: _Open, conversation: Messages, said: Said) -> Turn:
    read: Parsed = parse(said.text)
    action = None if read.action is None else read.action.model_dump(exclude_defaults=True)
    return Turn(one.seen["turn"], conversation, said, read.kind, action)


async def _moved(one: _Open, action: dict[str, Any]) -> dict[str, Any]:
    return await _asked(one.wire, {"cmd": "step", "action": action, "session_id": one.session})


def _is_gone(error: ParlayClientError) -> bool:
    """Did the session go? Its socket did, or went quiet and was given up, or did before and was replaced for another
    session's sake."""
    return isinstance(error, ParlayConnectionError | ParlayTimeoutError) or error.code == "SESSION_NOT_FOUND"


async def _asked(wire: Wire, message: dict[str, Any], *, begins: bool = False) -> dict[str, Any]:
    answer = await wire.ask(message, begins=begins)
    if isinstance(answer.get("error"), dict):
        raise refusal(answer["error"], answer["error"].get("details"))
    return answer

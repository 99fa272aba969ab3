"""The audit's players over the live socket: the same episodes as in this process, to the last bit.

A scripted player needs a `View`, and over a socket there is none. But an episode is its instance and its moves, and the
server computes the rest by itself: opponent, rewards, end, grade, words. So each episode is played here first
(`training.transcripts`), its actions are sent to `/env/ws` one by one, and every answer must be what was seen here:
observation (the opponent's words in it, and at the end the grade and all that was hidden), reward, its terms, done.
What the episode paid must also be what the evaluation's engine, which leaves words out, says.

Instances are tasks of the split, asked for by id: seeds of the test split can't be asked for. Episodes of all players
are under way at once, many on each socket.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Literal

import msgspec

from parlay_env.client.wire import Wire, refusal, wait_for
from parlay_env.tasks import Task
from training.audit_players import introduced
from training.episodes import Cell, Job, play, setup_of
from training.evaluate import Progress
from training.policies import make
from training.sockets import plain_wire
from training.transcripts import Answer, Transcript, as_sent, transcript

SOCKETS = 4
SESSIONS = 16
"""Of each socket, at once."""


class Compared(msgspec.Struct):
    """A player's episodes, here and over the socket."""

    policy: str
    episodes: int = 0
    steps: int = 0
    differing: int = 0
    """Episodes of which anything was different."""
    first: str = ""
    """What was different in the first of them."""

    @property
    def verdict(self) -> Literal["equal", "fails"]:
        return "fails" if self.differing else "equal"


def compare(
    base_url: str, policies: Sequence[str], tasks: Sequence[Task], progress: Progress | None = None
) -> tuple[Compared, ...]:
    """Play each policy on each task here and on the server at this address.

    Raises ParlayClientError where the server can't be reached, or goes.
    """
    found = {policy: Compared(policy) for policy in policies}
    told = progress or (lambda _: None)
    told(0)
    with introduced():
        wait_for(_compare(base_url, iter(list(product(tasks, policies))), found, told))
    return tuple(found.values())


async def _compare(base_url: str, work: Iterator[tuple[Task, str]], found: dict[str, Compared], told: Progress) -> None:
    wires = [plain_wire(base_url, "The audit has to begin again") for _ in range(SOCKETS)]
    try:
        async with asyncio.TaskGroup() as group:
            for wire in wires * SESSIONS:
                group.create_task(_play_on(wire, work, found, told))
    except ExceptionGroup as problems:
        raise _one_of(problems) from None
    finally:
        for wire in wires:
            await wire.close({"cmd": "close", "session_id": ""})


def _one_of(problems: ExceptionGroup[Exception]) -> Exception:
    first = problems.exceptions[0]
    return _one_of(first) if isinstance(first, ExceptionGroup) else first


async def _play_on(wire: Wire, work: Iterator[tuple[Task, str]], found: dict[str, Compared], told: Progress) -> None:
    for task, policy in work:
        expected, problem = expectation(policy, task)
        one = found[policy]
        problem = problem or await _differs(wire, task, expected)
        one.episodes += 1
        one.steps += len(expected.actions)
        if problem:
            one.differing += 1
            one.first = one.first or f"{task.id}, {problem}"
        told(sum(compared.episodes for compared in found.values()))


def expectation(policy: str, task: Task) -> tuple[Transcript, str]:
    """The episode as it is here, and how what it paid differs from what the engine says; empty where it doesn't."""
    job = Job(policy, Cell(task.scenario_id, task.persona, task.seat), task.split, (task.seed,))
    setup = setup_of(job)
    expected, (silent,) = transcript(make(policy, setup, task.seed), setup, task.seed), play(job)
    if expected.reward == silent.reward and expected.answers[-1].observation["turn"] == silent.turns:
        return expected, ""
    return expected, f"with words it pays {expected.reward}, without {silent.reward}"


async def _differs(wire: Wire, task: Task, expected: Transcript) -> str:
    """How the server's episode differs from the expected one; empty where it doesn't."""
    answer = await wire.ask({"cmd": "reset", "task_id": task.id, "prompt": False}, begins=True)
    if problem := difference(answer, expected.answers[0]):
        return f"reset: {problem}"
    session = answer["session_id"]
    problem = ""
    for k, (action, wanted) in enumerate(zip(expected.actions, expected.answers[1:], strict=True), 1):
        answer = await wire.ask({"cmd": "step", "session_id": session, "action": action})
        if problem := difference(answer, wanted):
            problem = f"step {k}: {problem}"
            break
    await wire.ask({"cmd": "close", "session_id": session})
    return problem


def difference(answer: dict[str, Any], wanted: Answer) -> str:
    """How an answer of the server's differs from the one that was expected; empty where it doesn't."""
    if isinstance(answer.get("error"), dict):
        return f"refused, {refusal(answer['error'], answer['error'].get('details'))}"
    seen = as_sent(answer["observation"])
    there = {"reward": answer["reward"], "done": answer["done"], "terms": answer["info"].get("reward_terms", {})}
    here = {"reward": wanted.reward, "done": wanted.done, "terms": wanted.terms}
    return _first(there, here) or _first(seen, wanted.observation)


def _first(there: dict[str, Any], here: dict[str, Any]) -> str:
    """The first field that differs, with both values."""
    for name in dict.fromkeys((*here, *there)):
        if there.get(name) != here.get(name):
            return f"{name} {_short(there.get(name))} there, {_short(here.get(name))} here"
    return ""


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}…"

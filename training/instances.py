"""The very instance of a rollout's task, in this process: its setup, and how far code leads into it.

    task = led(Task("saas_enterprise", "shark", "seller", seed=7), "fixed_step", moves=8)

A learner for whom a whole game is too long to learn from, or too dear, begins where code has brought it: the server is
reset to the task with the code's first moves as its history. What they were paid at once is paid to nobody. What
the end pays (belief skill, estimates of news) holds the code's part, the same for all episodes of a group: no advantage
against the group has any of it.
"""

from __future__ import annotations

from msgspec.structs import replace

from parlay_env.deal.state import Setup
from training.episodes import Cell, Job, setup_of
from training.policies import make
from training.rollout import Task
from training.transcripts import transcript


def setup_here(task: Task) -> Setup:
    """The setup of the task's episode, headlines or none, its cliff's height too."""
    job = Job("", Cell(task.scenario_id, task.persona, task.seat), "train", ())
    setup = replace(setup_of(job), split=task.split, events=task.events)
    return setup if task.omega is None else replace(setup, reward=replace(setup.reward, cliff=task.omega))


def led(task: Task, policy: str, moves: int) -> Task:
    """The task after the policy's first moves: so many, or fewer where the policy would end the episode by them.

    Raises UnknownPolicy.
    """
    if not moves:
        return task
    assert task.seed is not None
    setup = setup_here(task)
    actions = transcript(make(policy, setup, task.seed), setup, task.seed).actions
    return replace(task, history=actions[: min(moves, len(actions) - 1)])

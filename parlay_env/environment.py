"""The environment as a class that looks like OpenEnv's, for OpenEnv's own server. It imports nothing of OpenEnv."""

from __future__ import annotations

import hashlib
from typing import Any, ClassVar

from pydantic import BaseModel

from parlay_env import __version__, tasks
from parlay_env.models import ParlayAction, ParlayObservation, ParlayState, ResetOptions
from parlay_env.session import Answer, BadOption, Session


class EnvironmentMetadata(BaseModel):
    """What `/metadata` says."""

    name: str
    description: str
    readme_content: str | None = None
    version: str | None = None
    author: str | None = None
    documentation_url: str | None = None


def metadata() -> EnvironmentMetadata:
    """What this environment is."""
    return EnvironmentMetadata(
        name="parlay_env",
        description="Two-sided negotiation under hidden information: bargain over a price or several issues with a "
        "scripted persona or another agent; keep surplus, read the other side, call bluffs.",
        version=__version__,
        author="Parlay contributors",
    )


class NotReset(RuntimeError):
    """A step came before the first reset."""


class ParlayEnvironment:
    """One session of the deal game, as OpenEnv's server drives it.

    `secret` is mixed into the seeds that are drawn here; seeds that clients give are never mixed with it. With a
    `test_secret` the test tasks are an edition of one's own; raises ValueError for one that is too short.
    """

    SUPPORTS_CONCURRENT_SESSIONS: ClassVar[bool] = True
    REQUIRES_SINGLE_THREAD_EXECUTOR: ClassVar[bool] = False

    def __init__(self, transform: Any = None, rubric: Any = None, *, secret: str = "", test_secret: str = "") -> None:
        self.transform = transform
        self.rubric = rubric
        self._secret = hashlib.blake2b(secret.encode()).digest() if secret else b""
        self._test_key = tasks.key_of(test_secret)
        self._session: Session | None = None

    def reset(self, seed: int | None = None, episode_id: str | None = None, **options: Any) -> ParlayObservation:
        """A new episode: its first observation. Options: see `ResetOptions`.

        Raises pydantic's ValidationError for an option that is none, and BadOption for one that can't be had.
        """
        if seed is not None:
            options["seed"] = seed
        if episode_id is not None:
            options["episode_id"] = episode_id
        wanted = ResetOptions.model_validate(options)
        if wanted.opponent == "join":
            raise BadOption("a game for two clients needs Parlay's own server", "opponent")
        self._session = Session.open(wanted, self._secret, test_key=self._test_key)
        return _observed(self._session.answer())

    async def reset_async(
        self, seed: int | None = None, episode_id: str | None = None, **options: Any
    ) -> ParlayObservation:
        """Like `reset`: it is too short to be worth a thread."""
        return self.reset(seed, episode_id, **options)

    def step(self, action: ParlayAction, timeout_s: float | None = None, **_: Any) -> ParlayObservation:  # noqa: ARG002
        """A move, and what came of it: `reward` and `done` stand in the observation, as OpenEnv has it.

        Raises NotReset and `session.EpisodeDone`. A move that isn't allowed is answered in `invalid`.
        """
        if self._session is None:
            raise NotReset("reset first")
        return _observed(self._session.step(action))

    async def step_async(self, action: ParlayAction, timeout_s: float | None = None, **_: Any) -> ParlayObservation:
        """Like `step`: it is too short to be worth a thread."""
        return self.step(action, timeout_s)

    @property
    def state(self) -> ParlayState:
        """The session as its player may know it."""
        if self._session is None:
            return ParlayState()
        return ParlayState.model_validate(self._session.state())

    def close(self) -> None:
        """Give up the session."""
        self._session = None

    def get_metadata(self) -> EnvironmentMetadata:
        """What this environment is."""
        return metadata()

    # OpenEnv's task API -----------------------------------------------------------------------------------------------

    def list_splits(self) -> list[dict[str, str]]:
        """The splits that have tasks."""
        return tasks.splits()

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """Every task of a split. Raises IndexError for a split that isn't one, as OpenEnv expects."""
        return [task.told() for task in tasks.tasks(split, self._test_key)]

    def num_tasks(self, split: str) -> int:
        """How many tasks a split has."""
        return len(tasks.tasks(split, self._test_key))

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """One task. Raises IndexError."""
        return tasks.task(split, index, self._test_key).told()

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
        """The tasks from `start` up to but without `stop`."""
        return [task.told() for task in tasks.tasks(split, self._test_key)[start:stop]]


def _observed(answer: Answer) -> ParlayObservation:
    found = answer.observation | {"done": answer.done, "reward": answer.reward, "metadata": answer.info()}
    return ParlayObservation.model_validate(found)

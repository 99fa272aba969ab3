"""The floor of a step: OpenEnv's stock server around an environment that echoes. Needs openenv==0.10.0."""

from typing import Any

from openenv.core.env_server import create_app  # pyright: ignore[reportMissingImports]
from openenv.core.env_server.interfaces import Environment  # pyright: ignore[reportMissingImports]
from openenv.core.env_server.types import Action, Observation, State  # pyright: ignore[reportMissingImports]

STEPS = 20
"""Of an episode."""
SESSIONS = 256


class EchoAction(Action):
    message: str


class EchoObservation(Observation):
    echoed_message: str
    message_length: int
    transcript: str


class EchoEnvironment(Environment):
    """Answers with what it was told, about 520 bytes for 160 characters."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = State(episode_id="echo", step_count=0)

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> EchoObservation:
        del seed
        self._state = State(episode_id=episode_id or "echo", step_count=0)
        return EchoObservation(echoed_message="ready", message_length=0, transcript="", done=False, reward=0.0)

    def step(self, action: EchoAction, timeout_s: float | None = None, **_: Any) -> EchoObservation:
        del timeout_s
        self._state.step_count += 1
        said = action.message
        return EchoObservation(
            echoed_message=said,
            message_length=len(said),
            transcript=said + said[:80],
            done=self._state.step_count >= STEPS,
            reward=0.1 * len(said),
        )

    @property
    def state(self) -> State:
        return self._state


class AsyncEchoEnvironment(EchoEnvironment):
    """The same, without the thread that a synchronous environment gets."""

    async def reset_async(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> EchoObservation:
        return self.reset(seed, episode_id)

    async def step_async(self, action: EchoAction, timeout_s: float | None = None, **_: Any) -> EchoObservation:
        return self.step(action, timeout_s)


def _app(environment: type[EchoEnvironment]) -> Any:
    return create_app(environment, EchoAction, EchoObservation, env_name="echo", max_concurrent_envs=SESSIONS)


def __getattr__(name: str) -> Any:
    """`sync_app` or `async_app`: only the one that is served is made."""
    if name in ("sync_app", "async_app"):
        return _app(EchoEnvironment if name == "sync_app" else AsyncEchoEnvironment)
    raise AttributeError(name)

"""The client of OpenEnv's door, `/ws`: one episode after the other on one socket, with and without async."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NoReturn, Self, TypeVar

from pydantic import ValidationError

from parlay_env.client.wire import ParlayClientError, Wire, in_background, refusal, socket_url, wait_for
from parlay_env.models import ParlayAction, ParlayObservation, ParlayState

LOST_HINT = "The session went with its socket: reset() begins a new episode, resume() replays the lost one"

ObsT = TypeVar("ObsT")
Action = ParlayAction | Mapping[str, Any]


@dataclass
class StepResult(Generic[ObsT]):
    """What a reset or a step gives. `metadata` is what the server sends beside the observation: the terms of the reward
    as far as they are paid."""

    observation: ObsT
    reward: float | None = None
    done: bool = False
    metadata: dict[str, Any] = field(default_factory=dict)


Result = StepResult[ParlayObservation]


def result_of(seen: Mapping[str, Any], envelope: Mapping[str, Any], metadata: Mapping[str, Any]) -> Result:
    """The typed result. Reward, done and metadata stand on the observation too: no place to read them is the wrong one.

    Raises ParlayClientError (`BAD_ANSWER`) when the observation is not Parlay's.
    """
    about = {
        "reward": envelope.get("reward"),
        "done": bool(envelope.get("done", False)),
        "metadata": dict(metadata),
    }
    try:
        observation = ParlayObservation.model_validate({**seen, **about})
    except ValidationError as error:
        fields = ", ".join(".".join(map(str, found["loc"])) for found in error.errors()[:3])
        what = f"this is no observation of Parlay: {fields}"
        raise ParlayClientError("BAD_ANSWER", what, "Compare the versions of client and server") from None
    return StepResult(observation, **about)


def move_of(action: Action) -> dict[str, Any]:
    """An action as it is sent."""
    return action.model_dump(exclude_defaults=True) if isinstance(action, ParlayAction) else dict(action)


class Episodes:
    """What both clients do; on the sockets' thread."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self._options: dict[str, Any] = {}
        self._moves: list[Any] = []

    async def reset(self, options: Mapping[str, Any]) -> Result:
        before = self._options, self._moves
        self._options = {name: value for name, value in options.items() if value is not None}
        self._moves = list(self._options.get("history", ()))
        try:
            return self._result(await self._ask({"type": "reset", "data": self._options}, begins=True))
        except ParlayClientError as error:
            if not isinstance(error, ConnectionError | TimeoutError):  # refused: the episode before goes on
                self._options, self._moves = before
            raise

    async def step(self, action: Action) -> Result:
        move = move_of(action)
        result = self._result(await self._ask({"type": "step", "data": move}))
        if result.observation.invalid is None:
            self._moves.append(move)
        return result

    async def state(self) -> ParlayState:
        return ParlayState.model_validate(await self._ask({"type": "state"}))

    async def resume(self) -> Result:
        if not {"seed", "task_id", "index"} & set(self._options):
            what = "only the server knows the seed of this episode"
            raise ParlayClientError("NOT_RESUMABLE", what, "Give reset() a seed or a task_id")
        return await self.reset({**self._options, "history": self._moves})

    async def close(self) -> None:
        self._options, self._moves = {}, []
        await self.wire.close({"type": "close"})

    async def _ask(self, message: dict[str, Any], *, begins: bool = False) -> dict[str, Any]:
        answer = await self.wire.ask(message, begins=begins)
        kind, data = answer.get("type"), answer.get("data")
        if kind == "error" and isinstance(data, dict):
            raise refusal(data, data.get("errors"))
        if kind != ("state" if message["type"] == "state" else "observation") or not isinstance(data, dict):
            raise ParlayClientError("BAD_ANSWER", f"{self.wire.url} speaks another protocol", "Check the address")
        return data

    @staticmethod
    def _result(data: Mapping[str, Any]) -> Result:
        seen = data.get("observation") or {}
        return result_of(seen, data, data.get("metadata") or seen.get("metadata") or {})


class ParlayEnvClient:
    """A client of Parlay's environment; each holds one session.

    Args:
        base_url: the server: http(s) or ws(s), with or without a path, or the page of a Hugging Face Space.
        connect_timeout_s: how long to wait for a socket.
        message_timeout_s: how long to wait for an answer; after that the socket is given up.
        max_message_size_mb: the largest answer taken.
        websocket_ping_interval_s: how often a ping keeps proxies from closing the socket; None: never.
        websocket_ping_timeout_s: how long the answer to a ping may take; None: that it is late is no reason to give a
            session up, an answer's own time-out finds a dead server.
        headers: sent when the socket opens, such as `{"Authorization": "Bearer …"}` for a private Space.
        provider: always None: OpenEnv's `AutoEnv` passes it. Containers are started elsewhere.

    Every method raises `ParlayConnectionError`, `ParlayTimeoutError` and, with the server's code, `ParlayClientError`.
    """

    def __init__(
        self,
        base_url: str = "http://localhost:8000",
        connect_timeout_s: float = 10.0,
        message_timeout_s: float = 60.0,
        max_message_size_mb: float = 100.0,
        websocket_ping_interval_s: float | None = 20.0,
        websocket_ping_timeout_s: float | None = None,
        headers: Mapping[str, str] | None = None,
        provider: None = None,
    ) -> None:
        if provider is not None:
            raise ValueError("start the container yourself and pass its address as base_url")
        self.base_url = base_url
        wire = Wire(
            socket_url(base_url),
            LOST_HINT,
            connect_timeout_s=connect_timeout_s,
            message_timeout_s=message_timeout_s,
            max_message_size_mb=max_message_size_mb,
            ping_interval_s=websocket_ping_interval_s,
            ping_timeout_s=websocket_ping_timeout_s,
            headers=headers,
        )
        self._episodes = Episodes(wire)

    async def connect(self) -> Self:
        """Open the socket unless it is open; `reset` does so by itself."""
        await in_background(self._episodes.wire.open())
        return self

    async def reset(self, **options: Any) -> Result:
        """Begin an episode. `options` are those of `ResetOptions`: seed, scenario_id, persona, seat, split, history …;
        None leaves one out. A socket that has gone is replaced."""
        return await in_background(self._episodes.reset(options))

    async def step(self, action: Action) -> Result:
        """Make a move. One that isn't allowed is answered in the observation, as `invalid`."""
        return await in_background(self._episodes.step(action))

    async def state(self) -> ParlayState:
        """The session as its player may know it."""
        return await in_background(self._episodes.state())

    async def resume(self) -> Result:
        """Replay the episode on a new session, by its seed and the moves that were answered; what they were paid is not
        paid again. Raises ParlayClientError (`NOT_RESUMABLE`) when reset() got neither seed nor task_id."""
        return await in_background(self._episodes.resume())

    async def close(self) -> None:
        """End the session. Closing twice is no error; reset() after it connects anew."""
        await in_background(self._episodes.close())

    def sync(self) -> SyncParlayEnvClient:
        """The same client without async; also inside a running event loop, as in a notebook."""
        return SyncParlayEnvClient(self._episodes)

    async def __aenter__(self) -> Self:
        return await self.connect()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __enter__(self) -> NoReturn:
        raise TypeError("use `async with client`, or `with client.sync()`")

    def __exit__(self, *_: object) -> None: ...


class SyncParlayEnvClient:
    """`ParlayEnvClient` without async; made by its `sync()`."""

    def __init__(self, episodes: Episodes) -> None:
        self._episodes = episodes

    def connect(self) -> Self:
        """As `ParlayEnvClient.connect`."""
        wait_for(self._episodes.wire.open())
        return self

    def reset(self, **options: Any) -> Result:
        """As `ParlayEnvClient.reset`."""
        return wait_for(self._episodes.reset(options))

    def step(self, action: Action) -> Result:
        """As `ParlayEnvClient.step`."""
        return wait_for(self._episodes.step(action))

    def state(self) -> ParlayState:
        """As `ParlayEnvClient.state`."""
        return wait_for(self._episodes.state())

    def resume(self) -> Result:
        """As `ParlayEnvClient.resume`."""
        return wait_for(self._episodes.resume())

    def close(self) -> None:
        """As `ParlayEnvClient.close`."""
        wait_for(self._episodes.close())

    def __enter__(self) -> Self:
        return self.connect()

    def __exit__(self, *_: object) -> None:
        self.close()

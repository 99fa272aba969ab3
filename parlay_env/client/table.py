"""A seat opposite another client, at `/env/ws`: self-play through the door, or two agents of two makers.

async with ParlayTable(url) as seller, ParlayTable(url) as buyer:
    code = await seller.host(scenario_id="saas_enterprise", seat="seller")
    # both at once: each is answered when it is its move
    first, second = await asyncio.gather(seller.begin(), buyer.join(code))
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from parlay_env.client.episodes import Action, Result, move_of, result_of
from parlay_env.client.wire import ParlayClientError, Wire, in_background, refusal, socket_url
from parlay_env.models import ParlayState

LOST_HINT = "The other seat sees it as leaving; host() or join() begin a new game"


class ParlayTable:
    """One seat at one table; the other is another client's. Every call that gives a result waits for the other side.

    Args: as for `ParlayEnvClient`; `message_timeout_s` is how long the other side may take.

    Every method raises `ParlayConnectionError`, `ParlayTimeoutError` and, with the server's code, `ParlayClientError`.
    When the other client leaves, it walks away.
    """

    def __init__(
        self,
        base_url: str = "http://localhost:8000",
        connect_timeout_s: float = 10.0,
        message_timeout_s: float = 600.0,
        max_message_size_mb: float = 100.0,
        websocket_ping_interval_s: float | None = 20.0,
        websocket_ping_timeout_s: float | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.base_url = base_url
        self._wire = Wire(
            socket_url(base_url, "/env/ws"),
            LOST_HINT,
            connect_timeout_s=connect_timeout_s,
            message_timeout_s=message_timeout_s,
            max_message_size_mb=max_message_size_mb,
            ping_interval_s=websocket_ping_interval_s,
            ping_timeout_s=websocket_ping_timeout_s,
            headers=headers,
        )
        self._session = ""

    async def host(self, **options: Any) -> str:
        """Open a table with the options of `ResetOptions` and give the code under which the other client joins it.
        Then `begin` waits for the own first move."""
        given = {name: value for name, value in options.items() if value is not None}
        answer = await self._ask({"cmd": "reset", "opponent": "join", **given}, begins=True)
        return str(answer["join_code"])

    async def join(self, code: str) -> Result:
        """Take the other seat of the table with this code: what it sees as soon as it is to move."""
        return _result(await self._ask({"cmd": "join", "join_code": code}, begins=True))

    async def begin(self) -> Result:
        """What the host sees as soon as it is to move."""
        return _result(await self._ask({"cmd": "wait"}))

    async def step(self, action: Action) -> Result:
        """Make a move: what this seat sees when the other has answered, or has ended it."""
        return _result(await self._ask({"cmd": "step", "action": move_of(action)}))

    async def state(self) -> ParlayState:
        """The session as its player may know it; `to_move` says whose move it is."""
        return ParlayState.model_validate((await self._ask({"cmd": "state"}))["state"])

    async def close(self) -> None:
        """Leave the table. Closing twice is no error."""
        session, self._session = self._session, ""
        await in_background(self._wire.close({"cmd": "close", "session_id": session}))

    async def _ask(self, message: dict[str, Any], *, begins: bool = False) -> dict[str, Any]:
        if not begins:
            if not self._session:
                raise ParlayClientError(
                    "SESSION_NOT_FOUND", "this client sits at no table", "Call host() or join() first"
                )
            message["session_id"] = self._session
        elif self._session:
            await self.close()
        answer = await in_background(self._wire.ask(message, begins=begins))
        if isinstance(answer.get("error"), dict):
            raise refusal(answer["error"], answer["error"].get("details"))
        if "session_id" not in answer:
            raise ParlayClientError("BAD_ANSWER", f"{self._wire.url} speaks another protocol", "Check the address")
        self._session = str(answer["session_id"])
        return answer

    async def __aenter__(self) -> Self:
        await in_background(self._wire.open())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _result(answer: Mapping[str, Any]) -> Result:
    return result_of(answer.get("observation") or {}, answer, answer.get("info") or {})

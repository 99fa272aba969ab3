"""Requests and answers of the pages: who asks, from where, what for; and every error as a code and a message."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from dashboard.live import EventStream
from game.house import NoSuchGame, Refused
from game.scenarios import ScenarioError
from game.store.database import StoreUnavailable
from game.store.players import BadName
from parlay_env.doors.bodies import text_of
from parlay_env.doors.hub import Hub, header_map
from parlay_env.doors.rates import Rates, network_of
from parlay_env.doors.wire import WireError, decode, encode
from parlay_env.log import LogError

PLAYER_COOKIE = "parlay_player"
YEAR_SECONDS = 365 * 24 * 3600
STREAM_PAUSE_SECONDS = 10
"""After so long whoever has too many streams may ask for one more."""
STATUS = {
    "INVALID_JSON": 400,
    "UNAUTHORIZED": 401,
    "FORBIDDEN_ORIGIN": 403,
    "NOT_FOUND": 404,
    "STALE_MOVE": 409,
    "GAME_OVER": 409,
    "NOT_OVER": 409,
    "NOT_YOUR_MOVE": 409,
    "SEAT_TAKEN": 409,
    "TOO_MANY_GAMES": 409,
    "ROOM_CLOSED": 409,
    "ROOM_OPEN": 409,
    "MESSAGE_TOO_LARGE": 413,
    "UNSUPPORTED_MEDIA_TYPE": 415,
    "RATE_LIMITED": 429,
    "INTERNAL": 500,
    "STORE_UNAVAILABLE": 503,
}
"""All others are 422."""
Handler = Callable[[Request], Awaitable[Response]]
Model = TypeVar("Model", bound=BaseModel)


class Body(BaseModel):
    """What a page sends: a field that isn't known is an error."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Creates(Body):
    """What makes something carries an id of the wish: the same wish twice makes one thing."""

    request_id: str = Field(min_length=1, max_length=64)


class Gate:
    """Who may ask, and how often."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._streams: dict[str, int] = {}
        self._rates = Rates(hub.settings.page_rate)

    def guarded(self, handler: Handler) -> Handler:
        """The handler behind the gate, its errors as answers."""

        async def answer(request: Request) -> Response:
            try:
                self._admit(request)
                return self._bounded(request, await handler(request))
            except Exception as error:
                if (told := _told(error)) is None:
                    raise
                return told

        return answer

    def _admit(self, request: Request) -> None:
        headers = header_map(request.scope["headers"])
        if any("\0" in name for name in request.path_params.values()):
            raise WireError("NOT_FOUND", "there is nothing here")
        if request.method not in ("GET", "HEAD"):
            if not self._hub.is_welcome(headers) or headers.get(b"sec-fetch-site") in (b"cross-site", b"same-site"):
                raise WireError("FORBIDDEN_ORIGIN", "this request comes from a page of another origin")
            kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
            if kind != b"application/json":
                raise WireError("UNSUPPORTED_MEDIA_TYPE", "send Content-Type: application/json")
        if seconds := self._rates.wait(_address(request)):
            raise WireError("RATE_LIMITED", f"too many requests; try again in {seconds} s", retry_after=seconds)

    def _bounded(self, request: Request, response: Response) -> Response:
        """The response, if it is not one stream too many."""
        if isinstance(response, EventStream):
            most = self._hub.settings.page_streams
            if most and self._streams.get(_address(request), 0) >= most:
                told = f"this address follows {most} games at once; close some"
                raise WireError("RATE_LIMITED", told, retry_after=STREAM_PAUSE_SECONDS)
            response.place = self._stream_of(request)
        return response

    @contextmanager
    def _stream_of(self, request: Request) -> Iterator[None]:
        """One of the streams that this address has open."""
        address = _address(request)
        self._streams[address] = self._streams.get(address, 0) + 1
        try:
            yield
        finally:
            self._streams[address] -= 1
            if not self._streams[address]:
                del self._streams[address]

    async def read(self, request: Request, kind: type[Model]) -> Model:
        """The body as one of these. Raises WireError."""
        data = await self.data(request)
        if _holds_nul(data):  # PostgreSQL keeps none, so nothing that is stored may have one
            raise WireError("INVALID_OPTION", "a text can't hold the character NUL")
        try:
            return kind.model_validate(data)
        except ValidationError as error:
            message = "this request can't be read: what is wrong stands beside this message"
            raise WireError("INVALID_OPTION", message, _problems(error, kind)) from None

    async def data(self, request: Request) -> dict[str, Any]:
        """The body as an object. Raises WireError."""
        return self.object_of(await self.text(request))

    def object_of(self, text: bytes) -> dict[str, Any]:
        """The object that this text is. Raises WireError."""
        found = decode(text)
        if not isinstance(found, dict):
            raise WireError("INVALID_OPTION", "the body is a JSON object")
        return found

    async def text(self, request: Request) -> bytes:
        """The body. Raises WireError."""
        return await text_of(request, self._hub.settings)


def _address(request: Request) -> str:
    """Who asks, as far as rates go."""
    return network_of(request.client.host if request.client else "")


def _holds_nul(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_nul, value.values()))
    if isinstance(value, list):
        return any(map(_holds_nul, value))
    return isinstance(value, str) and "\0" in value


def _problems(error: ValidationError, kind: type[BaseModel]) -> list[dict[str, Any]]:
    """Where and what, without the input: a field that isn't known is not named."""
    found = []
    for one in error.errors(include_url=False, include_context=False, include_input=False)[:8]:
        extra = one["type"] == "extra_forbidden"
        message = f"there is no such field; known are {', '.join(kind.model_fields)}" if extra else one["msg"]
        found.append({"loc": [] if extra else list(one["loc"]), "msg": message, "type": one["type"]})
    return found


def _told(error: Exception) -> Response | None:
    """The answer to what went wrong; None for a fault of ours."""
    found = error
    if isinstance(error, NoSuchGame):
        found = WireError("NOT_FOUND", "there is no such game, or it isn't yours to see")
    elif isinstance(error, Refused):
        found = WireError(error.code, error.message)
    elif isinstance(error, StoreUnavailable):
        found = WireError("STORE_UNAVAILABLE", str(error))
    elif isinstance(error, BadName):
        found = WireError("INVALID_OPTION", str(error))
    elif isinstance(error, ScenarioError):
        found = WireError(
            "INVALID_OPTION", "the scenario can't be played", [{"message": one} for one in error.problems]
        )
    elif isinstance(error, LogError):
        found = WireError("INTERNAL", "this game's log was changed; it can't go on")
    if not isinstance(found, WireError):
        return None
    response = answer({"error": found.body()}, STATUS.get(found.code, 422))
    if found.code == "RATE_LIMITED":
        response.headers["Retry-After"] = str(found.more.get("retry_after", 1))
    return response


def answer(body: Any, status: int = 200) -> Response:
    """JSON that nobody keeps."""
    return Response(encode(msgspec.to_builtins(body)), status, {"cache-control": "no-store"}, "application/json")


def raw(body: bytes, status: int = 200) -> Response:
    """JSON that is text already."""
    return Response(body, status, {"cache-control": "no-store"}, "application/json")


def download(content: bytes, kind: str, name: str) -> Response:
    """A file to be kept. `name` is ours, never a client's."""
    headers = {"cache-control": "no-store", "content-disposition": f'attachment; filename="{name}"'}
    return Response(content, headers=headers, media_type=kind)


def set_cookie(request: Request, response: Response, name: str, token: str, path: str = "/") -> None:
    """Hand a token to the browser, where no script can read it."""
    secure = request.url.scheme == "https"
    response.set_cookie(name, token, YEAR_SECONDS, path=path, secure=secure, httponly=True, samesite="lax")

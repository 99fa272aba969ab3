"""Who may speak MCP over HTTP, from where, and how much: the operator's rules, before any session is looked at."""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable
from typing import NoReturn
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from parlay_env.doors.bodies import text_of
from parlay_env.doors.hub import Hub, header_map
from parlay_env.doors.rates import Rates, network_of
from parlay_env.doors.wire import WireError, encode

STATUS = {
    "UNAUTHORIZED": 401,
    "FORBIDDEN_ORIGIN": 403,
    "METHOD_NOT_ALLOWED": 405,
    "MESSAGE_TOO_LARGE": 413,
    "RATE_LIMITED": 429,
    "CAPACITY_REACHED": 503,
}
"""All others are 400."""
SERVER_ERROR = -32000
"""JSON-RPC's code for a server's own errors."""


class Gate:
    """An MCP application behind the operator's rules. `streams`: SSE, whose sessions are open GET requests; streamable
    HTTP has none here, since this server speaks only when it is asked."""

    def __init__(self, hub: Hub, app: ASGIApp, *, streams: bool = False) -> None:
        self._hub, self._app, self._streams = hub, app, streams
        self._rates = Rates(hub.settings.page_rate)
        self._open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on with the body read."""
        request = Request(scope, receive)
        try:
            self._admit(request)
            body = b""
            if request.method == "POST":
                body = await text_of(request, self._hub.settings)
                check_json(body)
        except WireError as error:
            await refusal(error)(scope, receive, send)
            return
        self._open += 1
        try:
            await self._app(scope, _again(body, receive), send)
        finally:
            self._open -= 1

    def _admit(self, request: Request) -> None:
        headers = header_map(request.scope["headers"])
        # First, so that a key can't be guessed any faster.
        if seconds := self._rates.wait(network_of(request.client.host if request.client else "")):
            raise WireError("RATE_LIMITED", f"too many requests; try again in {seconds} s", retry_after=seconds)
        if not self._hub.may_play(headers):
            raise WireError("UNAUTHORIZED", "this server needs the header Authorization: Bearer <key>")
        if not (self._hub.is_welcome(headers) and self._is_no_stranger(headers)):
            told = "this request comes from a page of another origin; the operator's PARLAY_ALLOWED_ORIGINS lets it in"
            raise WireError("FORBIDDEN_ORIGIN", told)
        if request.method not in (("GET", "POST") if self._streams else ("POST", "DELETE")):
            raise WireError("METHOD_NOT_ALLOWED", "POST a message; this server opens no stream of its own")
        if self._open >= self._hub.settings.http_sessions:
            raise WireError("CAPACITY_REACHED", "the server answers as many requests as it may; try again later")

    def _is_no_stranger(self, headers: dict[bytes, bytes]) -> bool:
        """A browser that says its page is this server's own: is this server's name no name that was made to lead here?

        A page's name can be given this machine's address (DNS rebinding); the browser then names the page both as
        origin and as host. An address, or a name without a dot, is no such name; nor is one that the operator knows.
        """
        origin = headers.get(b"origin", b"").decode("latin-1")
        if not origin and b"sec-fetch-site" not in headers:
            return True  # no browser
        settings = self._hub.settings
        if "*" in settings.allowed_origins or origin in settings.allowed_origins:
            return True
        try:
            host = urlsplit(f"//{headers.get(b'host', b'').decode('latin-1')}").hostname or ""
            known = urlsplit(settings.public_url).hostname
        except ValueError:
            return False
        return host == known or "." not in host or host.endswith(".localhost") or _is_address(host)


def _is_address(host: str) -> bool:
    return all(part.isdigit() for part in host.split(".")) or ":" in host


def check_json(body: bytes) -> None:
    """Raises WireError for what is no JSON, for figures that are no numbers (the protocol's library would read them as
    null, and a move would be played without its figure), and for what is nested too deeply for anybody."""
    try:
        json.loads(body, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        raise WireError("INVALID_JSON", "this is not JSON, or has a figure that is no finite number") from None


def _refuse(_: str) -> NoReturn:
    raise ValueError


def _finite(digits: str) -> float:
    figure = float(digits)
    if not math.isfinite(figure):
        raise ValueError
    return figure


def refusal(error: WireError) -> Response:
    """An error as JSON-RPC has it, under the HTTP status that it has."""
    more = {"code": error.code, **error.more}
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": SERVER_ERROR, "message": error.message, "data": more}}
    response = Response(encode(body), STATUS.get(error.code, 400), {"cache-control": "no-store"}, "application/json")
    if "retry_after" in error.more:
        response.headers["Retry-After"] = str(error.more["retry_after"])
    if error.code == "UNAUTHORIZED":
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def _again(body: bytes, receive: Receive) -> Callable[[], Awaitable[Message]]:
    """The body that was read, once more; then what the client does."""
    told = False

    async def received() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return received

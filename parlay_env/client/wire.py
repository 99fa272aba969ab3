"""One socket as strict question and answer, the thread that sockets live on, addresses, and what can go wrong."""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
import weakref
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
from websockets.protocol import State

T = TypeVar("T")


# What can go wrong ----------------------------------------------------------------------------------------------------


class ParlayClientError(RuntimeError):
    """The server refused a message, or its answer is none.

    `code` is the server's (`VALIDATION_ERROR`, `CAPACITY_REACHED` …) or the client's own (`BAD_ANSWER`,
    `NOT_RESUMABLE`), `message` says what happened, `hint` the way out, `details` what the server added. As text it is
    all of these, of the details the first.
    """

    def __init__(self, code: str, message: str, hint: str = "", details: Any = None) -> None:
        first = _first(details)
        what = message if first.rpartition(": ")[2] in message else f"{message}: {first}"
        what += f" (code: {code})"
        super().__init__(what + (f". {hint}" if hint else ""))
        self.code = code
        self.message = message
        self.hint = hint
        self.details = details


def _first(details: Any) -> str:
    """Where and what, of a server's first detail; empty without one."""
    found = details[0] if isinstance(details, list) and details else None
    if not isinstance(found, Mapping) or not found.get("msg"):
        return ""
    where = found.get("loc")
    place = ".".join(map(str, where)) if isinstance(where, list) else ""
    return f"{place}: {found['msg']}" if place else str(found["msg"])


class ParlayConnectionError(ParlayClientError, ConnectionError):
    """No socket could be opened (`CONNECT_FAILED`), or it went and the session with it (`CONNECTION_LOST`)."""


class ParlayTimeoutError(ParlayClientError, TimeoutError):
    """No answer in time (`TIMEOUT`). The socket was given up: a late answer can't be taken for a later one."""


KEY_HINT = "headers={'Authorization': 'Bearer …'}"
HINTS = {
    "CAPACITY_REACHED": "Close clients that are done, or give the server more room",
    "EPISODE_DONE": "Begin a new episode",
    "EXECUTION_ERROR": "Call reset() first, and again after the end",
    "INVALID_ACTION": "ParlayAction in parlay_env.models has every field",
    "INVALID_JSON": "Figures must be finite numbers",
    "INVALID_OPTION": "ResetOptions in parlay_env.models has every option",
    "UNAUTHORIZED": f"Pass {KEY_HINT}",
    "VALIDATION_ERROR": "ParlayAction and ResetOptions in parlay_env.models have every field; so has GET /schema",
}
"""The way out of a server's refusal, by its code."""
START_HINT = "Start the server with `make serve`, or `python -m parlay_env.server --port N`"
REMOTE_HINT = "Check the address, and that the server is up"


def refusal(error: Mapping[str, Any], details: Any = None) -> ParlayClientError:
    """The error that a server's error frame stands for."""
    code = str(error.get("code", "UNKNOWN"))
    return ParlayClientError(code, str(error.get("message", "the server refused")), HINTS.get(code, ""), details)


# Addresses ------------------------------------------------------------------------------------------------------------

SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
DOORS = ("/env/ws", "/ws")


def socket_url(base_url: str, door: str = "/ws") -> str:
    """The address of a socket on the server at `base_url`: http(s) or ws(s), with or without a path or the door itself,
    or the page of a Hugging Face Space. Raises ValueError for anything else.

    >>> socket_url("https://huggingface.co/spaces/Some_One/My.Space")
    'wss://some-one-my-space.hf.space/ws'
    """
    address = base_url.strip()
    if "://" not in address:
        hub = re.match(r"(www\.)?(huggingface|hf)\.co/|[\w-]+\.hf\.space\b", address)
        address = f"{'https' if hub else 'http'}://{address}"
    parts = urlsplit(address)
    if parts.scheme not in SCHEMES or not parts.hostname:
        raise ValueError(f"base_url must be the http(s) or ws(s) address of a server, not {base_url!r}")
    if parts.hostname.removeprefix("www.") in ("huggingface.co", "hf.co"):
        return f"wss://{_space_host(parts.path, base_url)}{door}"
    path = parts.path.rstrip("/")
    path = next((path.removesuffix(known) for known in DOORS if path.endswith(known)), path)
    return f"{SCHEMES[parts.scheme]}://{parts.netloc}{path}{door}" + (f"?{parts.query}" if parts.query else "")


def _space_host(path: str, base_url: str) -> str:
    """The host of a Space: the hub lower-cases `owner/name` and writes `-` for all but letters and digits."""
    found = re.match(r"/spaces/([\w.-]+/[\w.-]+)", path)
    if found is None:
        raise ValueError(f"a Space's address is https://huggingface.co/spaces/OWNER/NAME, not {base_url!r}")
    return re.sub(r"[^a-z0-9]", "-", found[1].lower()) + ".hf.space"


# The sockets' thread --------------------------------------------------------------------------------------------------

_guard = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def _sockets_loop() -> asyncio.AbstractEventLoop:
    """The event loop of every socket of this process, on a thread of its own."""
    global _loop  # noqa: PLW0603 - one in a process, on purpose
    with _guard:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="parlay-sockets", daemon=True).start()
        return _loop


def _after_fork() -> None:
    """The thread is not in the child: it begins its own when it needs one."""
    global _guard, _loop
    _guard, _loop = threading.Lock(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _there(work: Coroutine[Any, Any, T]) -> Future[T]:
    return asyncio.run_coroutine_threadsafe(work, _sockets_loop())


async def in_background(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine gives on the sockets' thread, from any event loop."""
    return await asyncio.wrap_future(_there(work))


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """The same without an event loop, or inside one that is running already."""
    future = _there(work)
    try:
        return future.result()
    finally:
        future.cancel()  # where an interrupt came before the answer


# One socket -----------------------------------------------------------------------------------------------------------


class Wire:
    """One socket as strict question and answer, on the sockets' thread.

    The protocol has no correlation ids: once an answer is overdue, whatever comes next could be it. So a socket is
    given up when an answer does not come in time, or its call is cancelled; only a message that begins a session opens
    another.
    """

    def __init__(
        self,
        url: str,
        lost_hint: str,
        *,
        connect_timeout_s: float,
        message_timeout_s: float,
        max_message_size_mb: float,
        ping_interval_s: float | None,
        ping_timeout_s: float | None,
        headers: Mapping[str, str] | None,
    ) -> None:
        self.url = url
        self._lost_hint = lost_hint
        self._patience = message_timeout_s
        self._local = urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")
        self._options: dict[str, Any] = {
            "open_timeout": connect_timeout_s,
            "max_size": round(max_message_size_mb * 2**20),
            "ping_interval": ping_interval_s,
            "ping_timeout": ping_timeout_s,
            "additional_headers": dict(headers or {}),
            "compression": None,
            "close_timeout": 2,
            **({"proxy": None} if self._local else {}),
        }
        self._socket: ClientConnection | None = None
        self._home: asyncio.AbstractEventLoop | None = None
        self._kept: weakref.finalize[..., Wire] | None = None
        self._turn = asyncio.Lock()
        self._closing: set[asyncio.Task[None]] = set()
        self._lost = ""

    async def open(self) -> None:
        """Connect unless connected. Raises ParlayConnectionError."""
        async with self._turn:
            await self._open()

    async def ask(self, message: Mapping[str, Any], *, begins: bool = False) -> dict[str, Any]:
        """The answer to a message. `begins`: it begins a session, so a socket that died may be replaced first.

        Raises ParlayConnectionError, ParlayTimeoutError, and ParlayClientError when the answer is no JSON object.
        """
        text = _encode(message)
        async with self._turn:
            await self._notice_end()
            if self._lost and not begins:
                raise ParlayConnectionError("CONNECTION_LOST", self._lost, self._lost_hint)
            reused = self._socket is not None
            await self._open()
            try:
                return await self._exchange(text)
            except ParlayConnectionError:
                if not (begins and reused):
                    raise
            await self._open()
            return await self._exchange(text)

    async def close(self, farewell: Mapping[str, Any]) -> None:
        """Say farewell and close, also while a question waits for its answer. What is closed already stays so."""
        await self._notice_end()
        socket = self._detach("")
        if socket is not None:
            with suppress(ConnectionClosed):
                await socket.send(json.dumps(farewell))
            await socket.close()

    async def _exchange(self, text: str) -> dict[str, Any]:
        socket = self._socket
        assert socket is not None
        try:
            async with asyncio.timeout(self._patience):
                with suppress(ConnectionClosed):  # its last words may be there to read
                    await socket.send(text)
                raw = await socket.recv()
        except TimeoutError:
            self._give_up(f"no answer from {self.url} in {self._patience:g} s")
            raise ParlayTimeoutError(
                "TIMEOUT", self._lost, f"{self._lost_hint}; message_timeout_s is the patience"
            ) from None
        except asyncio.CancelledError:
            self._give_up("the call was cancelled before its answer came")
            raise
        except ConnectionClosed as closed:
            self._give_up(f"{self.url} closed the connection{_reason(closed)}")
            raise ParlayConnectionError("CONNECTION_LOST", self._lost, self._lost_hint) from None
        with suppress(ValueError):
            answer = json.loads(raw)
            if isinstance(answer, dict):
                return answer
        self._give_up(f"{self.url} answered what is no JSON object")
        raise ParlayClientError("BAD_ANSWER", self._lost, REMOTE_HINT)

    async def _open(self) -> None:
        await self._notice_end()
        if self._socket is not None:
            return
        try:
            socket = await connect(self.url, **self._options)
        except (OSError, InvalidHandshake, InvalidURI) as error:
            raise ParlayConnectionError("CONNECT_FAILED", *self._no_connection(error)) from error
        self._socket, self._home, self._lost = socket, asyncio.get_running_loop(), ""
        self._kept = weakref.finalize(self, _let_go, socket, self._home, os.getpid())
        self._kept.atexit = False

    async def _notice_end(self) -> None:
        """See that the other side has closed, or that the socket is of the process that this one was forked from."""
        if self._socket is None:
            return
        if self._home is not asyncio.get_running_loop():
            self._detach("the socket belongs to the process that this one was forked from")
            self._closing = set()
        elif self._socket.state is not State.OPEN:
            said = await _last_words(self._socket)
            self._give_up(f"{self.url} closed the connection while it was idle" + (f": {said}" if said else ""))

    def _detach(self, why: str) -> ClientConnection | None:
        """The socket, which this wire has no more. `why` it was lost; empty: it wasn't."""
        socket, self._socket, self._lost = self._socket, None, why
        if self._kept is not None:
            self._kept.detach()
        return socket

    def _give_up(self, why: str) -> None:
        """Drop the socket; it closes in the background."""
        socket = self._detach(why)
        if socket is not None:
            task = asyncio.get_running_loop().create_task(socket.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    def _no_connection(self, error: Exception) -> tuple[str, str]:
        """What went wrong, and the way out."""
        if isinstance(error, InvalidStatus):
            what = f"{self.url} answered HTTP {error.response.status_code} and opened no socket"
            return what, f"{REMOTE_HINT}; where a key is needed, pass {KEY_HINT}"
        if isinstance(error, TimeoutError):
            return f"{self.url} opened no socket in {self._options['open_timeout']:g} s", REMOTE_HINT
        if isinstance(error, OSError):
            return f"nothing answers at {self.url}", START_HINT if self._local else REMOTE_HINT
        return f"{self.url} speaks no WebSocket", REMOTE_HINT


def _let_go(socket: ClientConnection, home: asyncio.AbstractEventLoop, process: int) -> None:
    """Close the socket of a client that was forgotten, so that it holds no place on the server."""
    if home.is_running() and os.getpid() == process:
        asyncio.run_coroutine_threadsafe(socket.close(), home)


async def _last_words(socket: ClientConnection) -> str:
    """What the server said before it closed: its error frame's message, or the reason in its close frame."""
    with suppress(ConnectionClosed, ValueError, AttributeError, TypeError, LookupError):
        said = json.loads(await socket.recv())
        return str((said.get("error") or said.get("data"))["message"])
    return socket.close_reason or ""


def _reason(closed: ConnectionClosed) -> str:
    return f": {closed.rcvd.reason}" if closed.rcvd is not None and closed.rcvd.reason else ""


def _encode(message: Mapping[str, Any]) -> str:
    try:
        return json.dumps(message, default=_plain)
    except (TypeError, ValueError, AttributeError) as error:
        code = "VALIDATION_ERROR"
        raise ParlayClientError(code, f"this can't be sent as JSON: {error}", HINTS[code]) from None


def _plain(value: Any) -> Any:
    """The wire types, and NumPy's figures, as JSON has them."""
    return value.model_dump(exclude_defaults=True) if isinstance(value, BaseModel) else value.item()

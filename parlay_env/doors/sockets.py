"""A socket: reads messages in order, answers each, and lets go of everything when the client is gone, however it went.

Runs on the event loop: a scripted opponent's turn takes tens of microseconds, less than handing it to a thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping
from time import monotonic
from typing import Any, ClassVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from parlay_env.doors.hub import Bucket, Hub, header_map, is_from_here
from parlay_env.doors.wire import WireError, decode, encode, is_longer
from parlay_env.settings import Settings

log = logging.getLogger("parlay.doors")

_TURNS_IN_A_ROW = 8
"""Messages that one client may have answered before others have their turn, however many it sent at once."""
PATIENCE_WITH_CLIENTS = 4.0
"""How many idle times a client may wait for the other one of its game."""
INTERNAL = WireError("INTERNAL", "something went wrong on our side; the session is as it was")


class Closed(Exception):
    """The answer was the last one, or this error is: the socket is closed with this code."""

    def __init__(self, code: int = 1000, error: WireError | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.error = error


class Socket(ABC):
    """One accepted socket. A subclass speaks a protocol."""

    __slots__ = (
        "_bucket",
        "_goodbye",
        "_seen",
        "_send",
        "_side_tasks",
        "_slots",
        "_task",
        "_writing_since",
        "early",
        "hub",
        "let_go",
        "models",
        "receive",
    )
    close_when_full: ClassVar[int]
    close_when_idle: ClassVar[int]

    def __init__(self, hub: Hub, receive: Receive, send: Send, *, models: bool = False) -> None:
        self.hub = hub
        self.receive = receive
        self.models = models
        """May this client have an opponent that a language model speaks for?"""
        self._send = send
        self._task = asyncio.current_task()
        self._seen = monotonic()
        self._writing_since: float | None = None
        self.early: asyncio.Future[Message] | None = None
        """A message that was asked for while something else was awaited."""
        self._bucket = Bucket(hub.settings.rate)
        self._slots = 0
        self.let_go = False
        """Everything was freed; what is left is to say goodbye."""
        self._side_tasks: set[asyncio.Task[None]] | None = None
        self._goodbye: asyncio.Task[None] | None = None

    @abstractmethod
    def answer(self, event: Message) -> dict[str, Any] | None:
        """The answer to a message; None when it comes later. Raises WireError and Closed."""

    @abstractmethod
    def wrong(self, error: WireError) -> dict[str, Any]:
        """An error in this protocol's words."""

    @abstractmethod
    def leave_all(self) -> None:
        """Give up every session."""

    @abstractmethod
    def waits_for_client(self) -> bool:
        """Is it another client's turn, so that this one has to be silent?"""

    def _patience(self) -> float:
        """How many idle times it may be silent. Whoever waits for another client may wait longer, but not for ever: two
        that wait for each other would hold their places."""
        return PATIENCE_WITH_CLIENTS if self.waits_for_client() else 1.0

    @abstractmethod
    async def later(self) -> None:
        """Called when an answer comes later: where answers keep the order of messages, wait for it."""

    # The life of a socket ---------------------------------------------------------------------------------------------

    async def serve(self) -> None:
        """Answer until the client goes, or is let go. Leaves nothing behind."""
        try:
            _tune(self._send, self.hub.settings)
            await self._send({"type": "websocket.accept"})
            self.take_slot()
            self.hub.watch(self)
            await self._converse()
        except Closed as closed:
            if closed.error is None:
                await self._close(closed.code)
            else:
                await self._say_goodbye(closed.error, closed.code)
        except WireError as error:  # no slot
            await self._say_goodbye(error, self.close_when_full)
        except OSError:
            pass  # The client went while we wrote: its business.
        except asyncio.CancelledError:
            pass  # Nobody waits for this task: the server is stopping, or the client was stuck.
        finally:
            self._leave()
            if self.early is not None:
                self.early.cancel()
        if self._goodbye is not None:  # a server closes the connection as soon as this returns
            await asyncio.wait((self._goodbye,))

    async def _converse(self) -> None:
        in_a_row = 0
        while not self.let_go:
            event = await (self.early or self.receive())
            self.early = None
            if event["type"] != "websocket.receive" or self.let_go:
                return
            self._seen = monotonic()
            await self._answer(event)
            in_a_row += 1
            if in_a_row == _TURNS_IN_A_ROW:
                in_a_row = 0
                await asyncio.sleep(0)

    async def _answer(self, event: Message) -> None:
        try:
            reply = self.answer(event)
        except WireError as error:
            reply = self.wrong(error)
        except Closed:
            raise
        except Exception:  # A fault of ours must cost one answer, not the client's other games.
            log.exception("a message could not be answered")
            reply = self.wrong(INTERNAL)
        if reply is None:
            await self.later()
        else:
            await self.write(reply)

    def read(self, event: Message) -> dict[str, Any]:
        """The message as an object. Raises WireError."""
        if not self._bucket.take(self._seen):
            raise WireError("RATE_LIMITED", "too many messages; wait for each answer, or send fewer a second")
        text, limit = event.get("text"), self.hub.settings.message_bytes
        if text is None:
            raise WireError("INVALID_JSON", "send text frames, not binary ones")
        if is_longer(text, limit):
            raise WireError("MESSAGE_TOO_LARGE", f"a message has at most {limit} bytes")
        message = decode(text)
        if not isinstance(message, dict):
            raise WireError("INVALID_OPTION", "a message is a JSON object")
        return message

    async def write(self, reply: dict[str, Any]) -> None:
        """Send an answer."""
        await self._put({"type": "websocket.send", "text": encode(reply).decode()})

    async def _put(self, message: Message) -> None:
        """Hand something to the server, which waits while the client does not read: `check` sees to that."""
        if self._writing_since is None:
            self._writing_since = monotonic()
        await self._send(message)
        self._writing_since = None

    def beside(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do this while messages go on being answered."""
        task = asyncio.get_running_loop().create_task(_quietly(work))
        if self._side_tasks is None:
            self._side_tasks = set()
        self._side_tasks.add(task)
        task.add_done_callback(self._side_tasks.discard)
        return task

    def take_slot(self) -> None:
        """Take one more of the process's slots. Raises WireError."""
        self.hub.take_slot()
        self._slots += 1

    def free_slot(self) -> None:
        """Give one back."""
        self._slots -= 1
        self.hub.free_slots(1)

    # The watch --------------------------------------------------------------------------------------------------------

    def check(self, now: float) -> None:
        """Cut off a client that does not read; say goodbye to one that is idle."""
        settings = self.hub.settings
        if self._writing_since is not None:
            if now - self._writing_since > settings.write_seconds:
                self._leave()
                self._abort()
        elif not self.let_go and now - self._seen > settings.idle_seconds * self._patience():
            self._leave()
            error = WireError("SESSION_NOT_FOUND", f"closed after {settings.idle_seconds:g} s without a message")
            self._goodbye = self.beside(self._say_goodbye(error, self.close_when_idle))

    def _leave(self) -> None:
        """Free everything. Once: the slot of a client that we are still saying goodbye to is free already."""
        if self.let_go:
            return
        self.let_go = True
        self.hub.watched.discard(self)
        self.hub.free_slots(self._slots)
        self.leave_all()

    async def _say_goodbye(self, error: WireError, code: int) -> None:
        with contextlib.suppress(OSError):
            try:
                async with asyncio.timeout(self.hub.settings.write_seconds):
                    await self.write(self.wrong(error))
                    await self._close(code)
            except TimeoutError:
                self._abort()

    async def _close(self, code: int) -> None:
        with contextlib.suppress(OSError):
            await self._put({"type": "websocket.close", "code": code, "reason": ""})

    def _abort(self) -> None:
        """Drop the connection: closing would wait for the client to read. ASGI has no word for it, uvicorn's transport
        has; under another server the task is ended and the rest is that server's."""
        transport = getattr(_connection(self._send), "transport", None)
        if transport is not None and hasattr(transport, "abort"):
            transport.abort()
        elif self._task is not None:
            self._task.cancel()


def _connection(send: Send) -> Any:
    """uvicorn's object for this connection, or None under another server."""
    return getattr(send, "__self__", None)


def _tune(send: Send, settings: Settings) -> None:
    """Settings for sockets hold however the application was started, also by uvicorn's own command. Before accepting.

    Compression costs more than a turn does, and tens of kilobytes a socket: we decline it.
    """
    connection = _connection(send)
    if connection is None:
        return
    if hasattr(connection, "ping_interval") and hasattr(connection, "ping_timeout"):
        connection.ping_interval, connection.ping_timeout = settings.ping_seconds, settings.pong_seconds
    response, protocol = getattr(connection, "response", None), getattr(connection, "conn", None)
    if response is not None and protocol is not None and "Sec-WebSocket-Extensions" in response.headers:
        protocol.extensions = []
        del response.headers["Sec-WebSocket-Extensions"]


async def _quietly(work: Coroutine[Any, Any, None]) -> None:
    with contextlib.suppress(OSError):
        await work


class SocketDoors:
    """ASGI middleware: takes the sockets of its paths, passes on everything else.

    A middleware and no route, so that no message goes through a wrapper of another layer. `otherwise` tells the door of
    a path that is not among `doors`; None: it is not ours.
    """

    def __init__(
        self,
        app: ASGIApp,
        hub: Hub,
        doors: Mapping[str, Callable[..., Socket]],
        otherwise: Callable[[str], Callable[..., Socket] | None] = lambda _: None,
    ) -> None:
        self._app = app
        self._hub = hub
        self._doors = doors
        self._otherwise = otherwise

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Open the door that the path names."""
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", "")) if scope.get("root_path") else scope["path"]
        door = self._doors.get(path) or self._otherwise(path)
        if door is None:
            await self._app(scope, receive, send)
            return
        await receive()  # websocket.connect
        headers = header_map(scope["headers"])
        if not self._hub.is_welcome(headers):
            error = WireError("UNAUTHORIZED", "this server takes no sockets from that origin")
            await _refuse(scope, receive, send, 403, error)
        elif not self._hub.may_play(headers):
            error = WireError("UNAUTHORIZED", "send the header Authorization: Bearer <key>")
            await _refuse(scope, receive, send, 401, error)
        else:
            address = (scope.get("client") or ("",))[0]
            models = self._hub.voices.may_have(headers, from_here=is_from_here(headers, address))
            await door(self._hub, receive, send, models=models).serve()


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, error: WireError) -> None:
    """Refuse a handshake, with the reason where the server can say it."""
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = [(b"content-type", b"application/json")]
    await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": encode({"error": error.body()})})
    # uvicorn logs a fault when the application returns before the connection is gone, which it tells after the refusal.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(1.0):
            await receive()
            await receive()

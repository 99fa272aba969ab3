"""HTTP servers that speak OpenAI's and Gemini's form, and do what a test has them do: on a real socket, on the test's
own event loop, byte by byte, so that they can also answer late, half, or never."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

KEY = "sk-this-is-the-secret-4711"
"""The key that these servers want. It must never be seen anywhere else."""
USED = (11, 5)
"""Tokens in and out of every answer."""


@dataclass
class Answer:
    """What a server does with a request."""

    body: Any = None
    """Sent as JSON; bytes as they are."""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    """Hang up after so many bytes of the body."""
    after: asyncio.Event | None = None
    """Wait for it first; one that is never set: no answer at all."""


@dataclass
class Heard:
    """A request."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float
    """When, by the loop's clock."""


class Server:
    """A server with a script. Requests beyond the script get `usual`."""

    def __init__(self, wrong_door: Callable[[Heard], Answer | None]) -> None:
        self.script: list[Answer] = []
        self.usual: Answer | Callable[[Heard], Answer] = Answer({"error": {"message": "no script"}}, 500)
        self.heard: list[Heard] = []
        self.at_once = 0
        self.most_at_once = 0
        self.came = asyncio.Event()
        """Set with every request."""
        self.left = asyncio.Event()
        """Set when a client hangs up while it waits."""
        self.url = ""
        self._open: dict[asyncio.Task[Any], asyncio.StreamWriter] = {}
        self._wrong_door = wrong_door

    def plays(self, *answers: Answer) -> None:
        """Answer the next requests so, one after the other."""
        self.script += answers

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one client's requests."""
        task = asyncio.current_task()
        assert task is not None
        self._open[task] = writer
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while (heard := await _request(reader)) is not None:
                self.heard.append(heard)
                self.at_once += 1
                self.most_at_once = max(self.most_at_once, self.at_once)
                self.came.set()
                try:
                    if not await self._answer(self._chosen(heard), reader, writer):
                        break
                finally:
                    self.at_once -= 1
        writer.close()
        del self._open[task]

    async def stop(self) -> None:
        """Hang up on everybody."""
        clients = dict(self._open)
        for writer in clients.values():
            writer.transport.abort()
        await asyncio.gather(*clients)

    def _chosen(self, heard: Heard) -> Answer:
        if (wrong := self._wrong_door(heard)) is not None:
            return wrong
        if self.script:
            return self.script.pop(0)
        return self.usual if isinstance(self.usual, Answer) else self.usual(heard)

    async def _answer(self, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer; was it a whole one, so that the connection goes on?"""
        if answer.after is not None and not await _waited(answer.after, reader):
            self.left.set()
            return False
        body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        head = [f"HTTP/1.1 {answer.status} Scripted", f"content-length: {len(body)}"]
        head += [f"{name}: {value}" for name, value in ({"content-type": "application/json"} | answer.headers).items()]
        writer.write("\r\n".join(head).encode() + b"\r\n\r\n" + body[: answer.cut])
        await writer.drain()
        return answer.cut is None


async def _waited(event: asyncio.Event, reader: asyncio.StreamReader) -> bool:
    """Wait for the event; False when the client hangs up first."""
    happened = asyncio.ensure_future(event.wait())
    gone = asyncio.ensure_future(reader.read(1))
    try:
        await asyncio.wait({happened, gone}, return_when=asyncio.FIRST_COMPLETED)
        return happened.done()
    finally:
        happened.cancel()
        gone.cancel()
        await asyncio.gather(happened, gone, return_exceptions=True)


async def _request(reader: asyncio.StreamReader) -> Heard | None:
    first = (await reader.readline()).decode()
    if not first:
        return None
    headers: dict[str, str] = {}
    while line := (await reader.readline()).decode().strip():
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    path = first.split()[1]
    return Heard(path, headers, json.loads(body or b"{}"), asyncio.get_running_loop().time())


@asynccontextmanager
async def running(wrong_door: Callable[[Heard], Answer | None], path: str = "") -> AsyncIterator[Server]:
    """A server on a port of its own."""
    server = Server(wrong_door)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}{path}"
    try:
        yield server
    finally:
        listening.close()
        await server.stop()


# OpenAI's form


def openai_door(heard: Heard) -> Answer | None:
    """What OpenAI answers to a request that is none of its own, or has a wrong key."""
    if heard.path != "/v1/chat/completions" or not {"model", "messages"} <= heard.body.keys():
        return openai_error(404, "not_found")
    if heard.headers.get("authorization") not in (f"Bearer {KEY}", "Bearer none"):
        given = heard.headers.get("authorization", "").removeprefix("Bearer ")
        return openai_error(401, "invalid_api_key", message=f"Incorrect API key provided: {given}")
    return None


def chat(text: str, finish: str = "stop", used: tuple[int, int] | None = USED) -> Answer:
    """A chat completion."""
    message = {"role": "assistant", "content": text, "refusal": None}
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
    }
    if used is not None:
        body["usage"] = {"prompt_tokens": used[0], "completion_tokens": used[1], "total_tokens": sum(used)}
    return Answer(body)


def openai_error(status: int, code: str = "", param: str | None = None, message: str = "No.", **headers: str) -> Answer:
    """An error in OpenAI's form."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = {"error": {"message": message, "type": "scripted", "param": param, "code": code or None}}
    return Answer(body, status, named)


# Gemini's form


def gemini_door(heard: Heard) -> Answer | None:
    """What Gemini answers to a request that is none of its own, or has a wrong key."""
    if not re.fullmatch(r"/v1(?:beta)?/models/[\w.-]+:generateContent", heard.path) or "contents" not in heard.body:
        return gemini_error(404, "NOT_FOUND")
    if heard.headers.get("x-goog-api-key") != KEY:
        reason = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
        given = heard.headers.get("x-goog-api-key")
        return gemini_error(400, "INVALID_ARGUMENT", [reason], message=f"API key not valid: {given}")
    return None


def generated(text: str, finish: str = "STOP", thought: str = "") -> Answer:
    """What `generateContent` answers."""
    parts: list[dict[str, Any]] = [{"text": text}] if text else []
    if thought:
        parts.insert(0, {"text": thought, "thought": True})
    used: dict[str, int] = {"promptTokenCount": USED[0], "candidatesTokenCount": USED[1]}
    if thought:
        used["thoughtsTokenCount"] = 7
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": finish, "index": 0}
    return Answer({"candidates": [candidate], "usageMetadata": used, "modelVersion": "scripted"})


def gemini_error(
    status: int, name: str, details: list[dict[str, Any]] | None = None, message: str = "No.", **headers: str
) -> Answer:
    """An error in Google's form."""
    error: dict[str, Any] = {"code": status, "message": message, "status": name}
    if details is not None:
        error["details"] = details
    return Answer({"error": error}, status, {key.replace("_", "-"): value for key, value in headers.items()})

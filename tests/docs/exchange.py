"""Exchanges as the pages show them: read, played against a server, and compared.

A line begins with `→` (sent) or `←` (answered), perhaps after the name of a client; lines without go on with the one
before. `…` stands for anything: for the rest of an object or a list, or at the end of a text. A text without spaces
that ends so is a name (an id, a code): it stands for the same thing wherever it comes again.
"""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from .pages import Block

REST = "…"
TIMEOUT_S = 20
Names = dict[str, str]


@dataclass(frozen=True)
class Line:
    """One message. `head` is what stands before the JSON: over HTTP the method, the route and a header."""

    who: str
    sent: bool
    head: str
    json: Any


def lines(block: Block) -> list[Line]:
    """The messages of a block."""
    entries: list[list[str]] = []
    for line in block.text.splitlines():
        begins = re.match(r"(?:(\w+) +)?([→←]) +(.*)", line)
        if begins:
            entries.append([begins[1] or "", begins[2], begins[3]])
        elif line.strip():
            entries[-1][2] += "\n" + line.strip()
    return [_line(who, arrow == "→", text) for who, arrow, text in entries]


def _line(who: str, sent: bool, text: str) -> Line:
    head, brace, rest = text.partition("{")
    return Line(who, sent, " ".join(head.split("\n")).strip(), parsed(brace + rest) if brace else None)


def parsed(text: str) -> Any:
    """JSON with omissions."""

    def written(found: re.Match[str]) -> str:
        if found[0] != REST:
            return found[0]
        return f'"{REST}"' if text[found.end() :].lstrip().startswith("]") else f'"{REST}": null'

    return json.loads(re.sub(rf'"(?:[^"\\]|\\.)*"|{REST}', written, text))


def filled(shown: Any, names: Names) -> Any:
    """What is sent: with the real text for every name."""
    if isinstance(shown, dict):
        return {key: filled(value, names) for key, value in shown.items()}
    if isinstance(shown, list):
        return [filled(value, names) for value in shown]
    return names[shown] if isinstance(shown, str) and shown.endswith(REST) else shown


def compare(shown: Any, real: Any, names: Names, where: str = "") -> None:
    """Fail unless this is what is shown. Learns names."""
    if isinstance(shown, dict):
        assert isinstance(real, dict), f"{where} is {real!r}"
        expected = shown.keys() - {REST}
        assert expected <= real.keys(), f"{where} has no {expected - real.keys()}"
        assert REST in shown or expected == real.keys(), f"{where} has {real.keys() - expected}, too"
        for key in expected:
            compare(shown[key], real[key], names, f"{where}.{key}")
    elif isinstance(shown, list):
        assert isinstance(real, list), f"{where} is {real!r}"
        expected = shown[:-1] if shown[-1:] == [REST] else shown
        assert len(expected) == len(real) or len(expected) < min(len(shown), len(real)), f"{where} is {real!r}"
        for i, value in enumerate(expected):
            compare(value, real[i], names, f"{where}[{i}]")
    elif isinstance(shown, str) and shown.endswith(REST):
        assert isinstance(real, str) and real, f"{where} is {real!r}"
        if shown != REST and " " not in shown:
            assert names.setdefault(shown, real) == real, f"{where} is another {shown}"
    elif isinstance(shown, float) and isinstance(real, int | float):
        assert round(real, len(repr(shown).partition(".")[2])) == shown, f"{where} is {real!r}"
    else:
        assert shown == real and isinstance(shown, bool) == isinstance(real, bool), f"{where} is {real!r}"


def play_sockets(block: Block, url: str) -> None:
    """Play an exchange at a socket door; every client that it names has a socket of its own."""
    names: Names = {}
    address = url.replace("http", "ws", 1) + block.kind.split()[-1]
    with ExitStack() as stack:
        sockets: dict[str, ClientConnection] = {}
        for line in lines(block):
            if line.who not in sockets:
                sockets[line.who] = stack.enter_context(connect(address, compression=None, proxy=None, max_size=None))
            socket = sockets[line.who]
            if not line.sent:
                compare(line.json, json.loads(socket.recv(timeout=TIMEOUT_S)), names, line.who)
                continue
            socket.send(json.dumps(filled(line.json, names)))
            if line.json == {"type": "close"}:
                with pytest.raises(ConnectionClosed) as closed:
                    socket.recv(timeout=TIMEOUT_S)
                assert closed.value.rcvd is not None and closed.value.rcvd.code == 1000


def play_http(block: Block, url: str) -> None:
    """Play an exchange over HTTP."""
    names: Names = {}
    answer: tuple[int, Callable[[str], str | None], Any] | None = None
    for line in lines(block):
        first, *header = re.split(r"  +", line.head)
        key, _, value = header[0].partition(": ") if header else ("", "", "")
        if line.sent:
            method, route = first.split()
            sent = None if line.json is None else json.dumps(filled(line.json, names)).encode()
            request = urllib.request.Request(url + route, sent, method=method)
            if key:
                request.add_header(key, filled(value, names) if value.endswith(REST) else value)
            answer = _answer(request)
        else:
            assert answer is not None
            status, header_of, body = answer
            assert status == int(first), body
            if key:
                compare(value, header_of(key), names, key)
            compare(line.json, body, names, "body")


def _answer(request: urllib.request.Request) -> tuple[int, Callable[[str], str | None], Any]:
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as reply:
            return reply.status, reply.headers.get, json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, error.headers.get, json.load(error)

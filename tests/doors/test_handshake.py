"""What the websockets library can't read of a handshake is answered and closed, not held."""

from __future__ import annotations

import socket

import pytest

from tests.doors.support import served, wait_for

UPGRADE = (
    "Host: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
LONG = "x" * 9_000
MANY = "".join(f"X-{k}: 1\r\n" for k in range(200))


def answered(port: int, path: str, headers: str) -> bytes:
    """All that the server sends to this request, until it closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(f"GET {path} HTTP/1.1\r\n{UPGRADE}{headers}\r\n".encode())
        parts: list[bytes] = []
        while part := line.recv(65_536):
            parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize(
    ("path", "headers"),
    [(f"/games/{LONG}/ws", ""), (f"/env/ws?x={LONG}", ""), ("/env/ws", f"Cookie: a={LONG}\r\n"), ("/env/ws", MANY)],
    ids=["path", "query", "cookie", "headers"],
)
def test_what_is_too_long_for_a_handshake_is_refused_and_nothing_is_held(path: str, headers: str) -> None:
    with served() as house:
        told = answered(house.port, path, headers)
        assert told.startswith(b"HTTP/1.1 431 ") and b"too long for a WebSocket" in told
        wait_for(lambda: house.connections == 0)


async def test_an_ordinary_handshake_is_as_before() -> None:
    with served() as house:
        async with house.socket("/env/ws") as line:
            await line.send('{"cmd":"reset"}')
            assert '"observation"' in str(await line.recv())

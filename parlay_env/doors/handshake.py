"""A WebSocket's handshake that can't be read: answered and closed, where uvicorn's protocol would do neither."""

from __future__ import annotations

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

_WHY = b"the request line, a header or their number is too long for a WebSocket's handshake\n"
REFUSAL = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"Content-Type: text/plain; charset=utf-8\r\n"
    b"Content-Length: " + str(len(_WHY)).encode() + b"\r\n"
    b"Connection: close\r\n\r\n" + _WHY
)
"""What is sent for a request that the websockets library can't read: HTTP lets longer ones through."""


class Handshakes(WebSocketsSansIOProtocol):
    """uvicorn's own protocol. A request that the websockets library refuses to read would be held for ever."""

    def data_received(self, data: bytes) -> None:
        """Read on; refuse what is no handshake."""
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            self.handshake_initiated = self.handshake_complete = self.close_sent = True
            self.transport.write(REFUSAL)
            self.transport.close()

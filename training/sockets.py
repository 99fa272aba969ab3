"""The plain door, as what plays many episodes over it opens it: no pings, and patience for a busy server."""

from __future__ import annotations

from parlay_env.client.wire import Wire, socket_url

DOOR = "/env/ws"
PATIENCE = 120.0
"""Seconds for an answer."""


def plain_wire(base_url: str, lost_hint: str) -> Wire:
    """A socket to the plain door of the server at this address; `lost_hint`: what to do when it went."""
    return Wire(
        socket_url(base_url, DOOR),
        lost_hint,
        connect_timeout_s=PATIENCE,
        message_timeout_s=PATIENCE,
        max_message_size_mb=16,
        ping_interval_s=None,
        ping_timeout_s=None,
        headers=None,
    )

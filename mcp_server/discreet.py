"""The protocol's library logs what it can't read, as it was sent, keys and all. Here it says only that it could not."""

from __future__ import annotations

import logging

QUOTES = ("Failed to validate", "Failed to parse message", "Received exception from stream")
"""How the lines begin that hold what a client sent."""
LOGGERS = ("", "mcp.server.lowlevel.server", "mcp.server.sse")
"""Who writes them. (The library's session writes to the root.)"""


class Discreet(logging.Filter):
    """Takes out of such a line whatever a client has sent."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Every record stays."""
        if isinstance(record.msg, str) and record.msg.startswith(QUOTES):
            record.msg, record.args, record.exc_info = "a message that is none of MCP's was refused", (), None
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True


_discreet = Discreet()


def quote_nothing() -> None:
    """From now on. Twice is once."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(_discreet)

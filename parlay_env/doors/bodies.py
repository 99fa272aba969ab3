"""The body of a request, for every HTTP door: bounded in size and in time."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect, Request

from parlay_env.doors.wire import WireError
from parlay_env.settings import Settings


async def text_of(request: Request, settings: Settings) -> bytes:
    """The body. Raises WireError: MESSAGE_TOO_LARGE, or INVALID_JSON where it stopped before its end."""
    limit, parts, size = settings.message_bytes, [], 0
    try:
        async with asyncio.timeout(settings.write_seconds):
            async for part in request.stream():
                size += len(part)
                if size > limit:
                    raise WireError("MESSAGE_TOO_LARGE", f"a body has at most {limit} bytes")
                parts.append(part)
    except (TimeoutError, ClientDisconnect):
        # Whoever left, or stopped in the middle, will not read this; it ends the request without a traceback.
        raise WireError("INVALID_JSON", "the body stopped before its end") from None
    return b"".join(parts)

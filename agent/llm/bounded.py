"""A bound on what an endpoint may send: no more than that is ever read, whoever stands behind the address."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from typing import Any

MOST_BYTES = 4 * 2**20
"""Of an answer's body. The longest that a model is asked for takes a hundredth of it."""
PLAIN = {"accept-encoding": "identity"}
"""Headers of every request: a few compressed bytes could unfold into any number."""


class TooMuch(Exception):
    """An answer that is not read; the text says why."""


async def bounded(response: Any) -> None:
    """A response hook for a client of httpx, or of httpx2: the body then raises TooMuch where it grows too long.

    Raises TooMuch for a body that is compressed."""
    if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise TooMuch("compresses its answers, though it is asked not to")
    package = sys.modules[type(response).__module__.partition(".")[0]]
    response.stream = _counted(response.stream, package.AsyncByteStream)


def _counted(stream: Any, base: type[Any]) -> Any:
    """The stream, up to the bound. The client wants a stream of its own library: `base`."""

    class Counted(base):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            read = 0
            async for part in stream:
                read += len(part)
                if read > MOST_BYTES:
                    raise TooMuch(f"sends more than {MOST_BYTES // 2**20} MiB at once")
                yield part

        async def aclose(self) -> None:
            await stream.aclose()

    return Counted()

"""The pages' one shell and its files: static, so that no page's HTML can hold anything of a game."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

STATIC = Path(__file__).resolve().parent / "static"
PAGES = (
    "/",
    "/play",
    "/play/{game_id}",
    "/games/{game_id}",
    "/leaderboard",
    "/me",
    "/rooms",
    "/rooms/{room_id}",
    "/join",
    "/watch",
    "/agents",
    "/lab",
)
_IMPORT_MAP = re.compile(rb'<script type="importmap">(.*?)</script>', re.DOTALL)


def policy(html: bytes) -> str:
    """The content-security policy of the shell: its own files and its one inline import map, nothing else."""
    maps = [base64.b64encode(hashlib.sha256(found).digest()).decode() for found in _IMPORT_MAP.findall(html)]
    scripts = " ".join(["'self'", *(f"'sha256-{one}'" for one in maps)])
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def headers(html: bytes = b"") -> dict[str, str]:
    """What goes with every page and file."""
    return {
        "content-security-policy": policy(html),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": "camera=(), microphone=(), geolocation=()",
    }


class Shell:
    """The shell, read once."""

    def __init__(self) -> None:
        self._html = (STATIC / "index.html").read_bytes()
        self._headers = headers(self._html) | {"cache-control": "no-cache"}

    async def page(self, _: Request) -> Response:
        """Every page."""
        return HTMLResponse(self._html, headers=self._headers)


class Files(StaticFiles):
    """The shell's files. A browser asks each time whether a file has changed: a new release shows at once."""

    def __init__(self) -> None:
        super().__init__(directory=STATIC)
        self._headers = headers() | {"cache-control": "no-cache"}

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file, with the headers that all of them have."""
        response = await super().get_response(path, scope)
        if isinstance(response, FileResponse) or response.status_code == 304:
            response.headers.update(self._headers)
        return response

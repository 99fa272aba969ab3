"""The composition root: every door in one application. `uvicorn main:app`, or `python -m main`."""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.app import add_pages
from mcp_server.door import add_mcp
from parlay_env.server import create_app, serve
from parlay_env.settings import Settings

settings = Settings()
app = create_app(settings)
desk = add_pages(app)
add_mcp(app, lambda: desk.house)


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve everything."""
    serve(app, settings, arguments, "parlay")


if __name__ == "__main__":
    main()

"""Put what the pages' examples print today into the pages: `.venv/bin/python -m tests.docs.refresh`."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path

from tests.clients.servers import ROOT, RealServer

from .pages import Block, blocks, read
from .policies import page as policies
from .snippets import run_python

PAGES = ("README.md", "docs/wire.md")


def examples(page: str) -> list[tuple[Block, Block]]:
    """Every example of a page whose output is shown below it, with that."""
    found = blocks(page)
    return [(a, b) for a, b in pairwise(found) if (a.kind, b.kind) == ("python", "text output")]


def fence(output: str) -> str:
    return f"```text output\n{output.strip()}\n```"


def main() -> None:
    (ROOT / "docs/policies.md").write_text(policies(), "utf-8")
    with tempfile.TemporaryDirectory() as folder:
        server = RealServer(Path(folder) / "log")
        try:
            for page in PAGES:
                text = read(page)
                for example, shown in examples(page):
                    text = text.replace(fence(shown.text), fence(run_python(example, server.url)))
                (ROOT / page).write_text(text, encoding="utf-8")
        finally:
            server.stop()


if __name__ == "__main__":
    main()

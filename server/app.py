"""Where OpenEnv's tools look for a server. The application itself is composed in `main`."""

from __future__ import annotations

import main as composition_root
from main import app

__all__ = ["app", "main"]


def main() -> None:
    """Serve everything, as `python -m main` does."""
    composition_root.main()


if __name__ == "__main__":
    main()

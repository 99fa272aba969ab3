"""Writes every golden playthrough anew: `python -m tests.golden.update`. Read the diff before you commit it."""

from __future__ import annotations

from tests.golden import games
from tests.golden.play import CELLS, path_of, playthrough


def main() -> None:
    """Write all of them."""
    for scenario, persona, seat, seed in CELLS:
        path_of(scenario, persona).write_text(playthrough(scenario, persona, seat, seed), "utf-8")
    games.write()


if __name__ == "__main__":
    main()

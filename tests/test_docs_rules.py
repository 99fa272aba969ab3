"""The worked episode in docs/rules.md is played and every number in it recomputed."""

from __future__ import annotations

import doctest
from pathlib import Path


def test_every_number_of_the_worked_episode_is_right() -> None:
    page = Path(__file__).parent.parent / "docs" / "rules.md"
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.attempted > 30
    assert result.failed == 0

"""Tables of trained models in the pages are what `results/` holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from training.learner_report import markdown, marks, read

ROOT = Path(__file__).resolve().parents[2]
RESULTS = sorted((ROOT / "results").glob("*.json"))


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name)
def test_every_result_stands_in_the_page_as_it_was_kept(path: Path) -> None:
    """Else: parlay train report results/NAME --write docs/training.md."""
    page = (ROOT / "docs" / "training.md").read_text("utf-8")
    begin, end = marks(path)
    assert page.split(begin)[1].split(end)[0].strip() == markdown(read(path))


def test_no_table_in_the_page_is_of_a_result_that_there_is_not() -> None:
    page = (ROOT / "docs" / "training.md").read_text("utf-8")
    assert set(re.findall(r"<!-- (\S+\.json):begin -->", page)) == {path.name for path in RESULTS}

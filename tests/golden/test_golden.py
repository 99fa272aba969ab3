"""Every scenario against every persona is played as the golden playthroughs have it: a change of behaviour shows as a
readable diff, and must be explained. `python -m tests.golden.update` writes them anew."""

from __future__ import annotations

import difflib

import pytest

from tests.golden.play import CELLS, FOLDER, path_of, playthrough


@pytest.mark.parametrize(("scenario", "persona", "seat", "seed"), CELLS)
def test_the_episode_is_played_as_written(scenario: str, persona: str, seat: str, seed: int) -> None:
    kept = path_of(scenario, persona).read_text("utf-8").splitlines()
    played = playthrough(scenario, persona, seat, seed).splitlines()
    diff = "\n".join(difflib.unified_diff(kept, played, "kept", "played", lineterm="", n=1))
    assert not diff, f"behaviour changed; if it was meant to: python -m tests.golden.update\n{diff}"


def test_both_seats_and_every_kind_of_move_occur() -> None:
    text = "".join(path.read_text("utf-8") for path in FOLDER.glob("*.txt"))
    assert len({seat for _, _, seat, _ in CELLS}) == 2
    for kind in ("reframe", "batna_reveal", "sweetener", "silence", "anchor_high", "time_pressure"):
        assert f"card {kind}" in text
    for part in (
        "asks about",
        "disputes the claim: stands",
        "withdrawn",
        "news:",
        "(a bluff)",
        "deal by",
        "claims limit",
    ):
        assert part in text
    assert "refused" not in text


def test_no_playthrough_is_left_over() -> None:
    assert {path.name for path in FOLDER.glob("*.txt")} == {path_of(s, p).name for s, p, _, _ in CELLS}

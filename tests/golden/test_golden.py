"""Every scenario against every persona, and every strategic game, is played as the golden playthroughs have it: a
change of behaviour shows as a readable diff, and must be explained. `python -m tests.golden.update` writes them anew.
"""

from __future__ import annotations

import difflib

import pytest

from agent.games.registry import games as registered
from tests.golden import games
from tests.golden.play import CELLS, FOLDER, path_of, playthrough


def unchanged(kept: str, played: str) -> None:
    diff = "\n".join(difflib.unified_diff(kept.splitlines(), played.splitlines(), "kept", "played", lineterm="", n=1))
    assert not diff, f"behaviour changed; if it was meant to: python -m tests.golden.update\n{diff}"


@pytest.mark.parametrize(("scenario", "persona", "seat", "seed"), CELLS)
def test_the_episode_is_played_as_written(scenario: str, persona: str, seat: str, seed: int) -> None:
    unchanged(path_of(scenario, persona).read_text("utf-8"), playthrough(scenario, persona, seat, seed))


@pytest.mark.parametrize("game_id", registered())
def test_the_strategic_game_is_played_as_written(game_id: str) -> None:
    path = games.path_of(game_id)
    unchanged(path.read_text("utf-8") if path.exists() else "", games.page(game_id))


@pytest.mark.parametrize("game_id", registered())
def test_no_scripted_player_makes_a_move_that_is_refused_in_a_playthrough(game_id: str) -> None:
    assert "invalid code " not in games.page(game_id)


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
    assert {path.stem for path in games.FOLDER.glob("*.txt")} == set(registered())

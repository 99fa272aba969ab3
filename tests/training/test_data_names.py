"""A player's name is found in its words however it is written there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.data.names import NEUTRAL, without_names


@pytest.mark.parametrize(
    ("name", "words", "left"),
    [
        ("Anna", "I am Anna, hello.", "I am [name], hello."),
        ("Anna", "_Anna_ and ANNA2", "_[name]_ and [name]2"),
        ("Anna", "Ann\u200ba here", "[name] here"),
        ("Ann\u200da", "Anna here", "[name] here"),
        ("José", "Jose\u0301, JOSÉ and Jose", "[name], [name] and [name]"),
        ("Bob/Ada", "Ada here", "[name] here"),
        ("Ada|CFO", "Ada", "[name]"),
        ("O'Brien", "Brien, Mr O'Brien", "[name], Mr [name]"),
        ("İpek", "ipek", "[name]"),
        ("ß-Straße", "STRASSE", "[name]"),
        ("山田太郎", "山田です", "[name]です"),
        ("Anna", "Hannah had an annex", "Hannah had an annex"),
        ("Ed", "We agreed.", "We agreed."),
    ],
)
def test_a_name_is_taken_out_and_nothing_else(name: str, words: str, left: str) -> None:
    assert without_names(words, (name,)) == left


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(["Ada", "José Núñez", "李小龙", "O'Neill-Smith"]))
def test_a_name_by_itself_never_stays(before: str, after: str, name: str) -> None:
    assert name not in without_names(f"{before} {name} {after}", (name,)).replace(NEUTRAL, "")


@given(st.text())
def test_without_names_nothing_is_changed(words: str) -> None:
    assert without_names(words, ()) == words

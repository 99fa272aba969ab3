"""Texts: those that come with the game can be played about, and a folder that can't says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from game.texts import MAX_CHARACTERS, MAX_WORDS, MIN_WORDS, TextError, texts

GOOD = "The owl of Sedge has a hat of felt. " * 6


def test_the_games_own_texts_are_different_and_of_one_size() -> None:
    found = texts()
    assert len(found) == 24
    assert len(set(found)) == len(found)
    assert all(120 <= len(text.split()) <= 200 for text in found)


def test_a_folder_of_ones_own_is_read_in_the_order_of_its_names(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes(b"\xef\xbb\xbf" + f"Second:\r\n\r\n{GOOD}".encode())
    (tmp_path / "a.txt").write_text(f"First: {GOOD}", "utf-8")
    (tmp_path / "notes.md").write_text("Not a text.", "utf-8")
    assert texts(tmp_path) == (f"First: {GOOD.strip()}", f"Second: {GOOD.strip()}")


def test_a_folder_without_a_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TextError, match="has 0 files"):
        texts(tmp_path)
    with pytest.raises(TextError, match="not a folder that can be read"):
        texts(tmp_path / "none")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"Caf\xe9 " * 60, "bad.txt is not UTF-8: byte 3"),
        (b"word " * (MIN_WORDS - 1), f"bad.txt has {MIN_WORDS - 1} words; a text has {MIN_WORDS} to {MAX_WORDS}"),
        (b"word " * (MAX_WORDS + 1), f"has {MAX_WORDS + 1} words"),
        (b"w" * MAX_CHARACTERS + b" word" * MIN_WORDS, "characters; a text has at most"),
        (b"bell\x07 " * 60, "characters that can't be shown"),
        (b"", "has 0 words"),
    ],
)
def test_a_text_with_a_fault_is_named_with_what_would_be_right(tmp_path: Path, raw: bytes, message: str) -> None:
    (tmp_path / "bad.txt").write_bytes(raw)
    with pytest.raises(TextError, match=message):
        texts(tmp_path)

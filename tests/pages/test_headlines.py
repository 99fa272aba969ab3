"""Headlines in Chinese: one for every headline that people's games can have, and no others."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator

import pytest

from dashboard.shell import STATIC
from game.events import all_market_kinds
from game.scenarios import scenarios

from .support import World

DICTIONARY = STATIC / "i18n" / "zh" / "headlines.js"
PRINT = "const { headlines } = await import(process.argv[1]); process.stdout.write(JSON.stringify(headlines));"


def told() -> Iterator[str]:
    """Every headline of the split that people play."""
    for kind in all_market_kinds():
        yield from kind.words.get("train", ())
    for scenario in scenarios().values():
        for headline in scenario.headlines:
            yield from headline.words["train"]


@pytest.fixture(scope="module")
def chinese() -> dict[str, str]:
    """The dictionary, as a page gets it."""
    node = shutil.which("node")
    if node is None:
        message = "there is no node, which reads the dictionary of headlines"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    command = [node, "--input-type=module", "--eval", PRINT, "--", DICTIONARY.as_uri()]
    found = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=60, check=True)
    return json.loads(found.stdout)


def test_every_headline_has_one_translation_and_none_is_left_over(chinese: dict[str, str]) -> None:
    english = set(told())
    assert len(english) > 90
    assert english - chinese.keys() == set()
    assert chinese.keys() - english == set()
    source = DICTIONARY.read_text("utf-8")
    # A key that stands twice is no error to node: the later one wins.
    assert {text: times for text in english if (times := source.count(f"{json.dumps(text)}:")) != 1} == {}


def test_translations_are_chinese_and_differ_where_the_english_do(chinese: dict[str, str]) -> None:
    for english, text in chinese.items():
        assert re.search(r"[\u4e00-\u9fff]{4}", text), english
        assert not re.search(r"[A-Za-z]", text), english
        assert text == text.strip(), english
        # What Chinese writes in full width.
        assert not re.search(r"[,;:?!()]", text), english
    assert [text for text, times in Counter(chinese.values()).items() if times > 1] == []


def test_translations_have_the_same_figures(chinese: dict[str, str]) -> None:
    for english, text in chinese.items():
        assert re.findall(r"\d+", text) == re.findall(r"\d+", english), english


async def test_the_game_that_plays_itself_has_headlines_in_chinese(world: World, chinese: dict[str, str]) -> None:
    told = (await world.browser().get("/api/demo"))["news"]
    assert told
    assert [news["headline"] for news in told if news["headline"] not in chinese] == []

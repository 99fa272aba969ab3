"""Think, talk, play: one strict text, read in one way or refused; what was thought is never said."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parlay_env.games import messages
from parlay_env.games.interface import Refusal
from parlay_env.games.messages import (
    TALK_AT_MOST,
    TEXT_AT_MOST,
    THINK_AT_MOST,
    Line,
    Spoken,
    Turn,
    looks_tagged,
    opened,
    parse,
)

TAGS = ("<think>", "</think>", "<talk>", "</talk>", "<play>", "</play>", "<THINK>", "< talk >", "＜talk＞", "<tаlk>")
pieces = st.lists(
    st.one_of(st.sampled_from(TAGS), st.text(max_size=6), st.sampled_from([" ", "\n", "rock"])), max_size=9
)
soup = pieces.map("".join)
plain = st.text(st.characters(exclude_characters="<>", exclude_categories=("Cs", "Cc", "Cf")), min_size=1, max_size=40)
words = plain.filter(lambda text: bool(text.strip()) and not looks_tagged(text))


def read(text: str) -> str | Refusal:
    return text if text == "rock" else Refusal("no_such_play", "rock")


def opens(text: str) -> Turn[str] | Refusal:
    return opened(Spoken(text=text), None, read)


@given(words, words)
def test_a_text_in_the_format_is_read_as_it_was_written(think: str, talk: str) -> None:
    assert parse(f" <think>{think}</think>\n<talk>{talk}</talk>\n") == Line(think.strip(), talk=talk.strip())
    assert parse(f"<think>{think}</think><play>rock</play>") == Line(think.strip(), play="rock")
    assert parse(f"<talk>{talk}</talk>") == Line("", talk=talk.strip())


@settings(max_examples=400)
@given(soup)
@example("<think>secret<talk>secret</talk>")
@example("<think>a</think><think>secret</think><talk>b</talk>")
@example("<talk><think>secret</think></talk>")
def test_any_text_is_read_or_refused_and_what_is_read_holds_one_part(text: str) -> None:
    turn = opens(text)
    if isinstance(turn, Refusal):
        assert turn.code and turn.message
        return
    assert (turn.talk is None) != (turn.play is None)
    assert turn.play in (None, "rock")
    if turn.talk is not None:
        assert 0 < len(turn.talk) <= TALK_AT_MOST
        assert not looks_tagged(turn.talk)


@settings(max_examples=400)
@given(soup, soup)
def test_what_was_thought_is_never_said(secret: str, rest: str) -> None:
    """Another thought in the same place changes nothing of what the other reads."""
    one, two = opens(f"<think>{secret}</think>{rest}"), opens(f"<think>x</think>{rest}")
    if "</think>" in secret or isinstance(one, Refusal) or isinstance(two, Refusal):
        return
    assert (one.talk, one.play) == (two.talk, two.play)


@settings(max_examples=400)
@given(soup)
def test_a_mark_inside_a_thought_that_is_open_stays_there(rest: str) -> None:
    turn = opens(f"<think>MARK{rest}")
    if not isinstance(turn, Refusal):
        assert "MARK" in turn.think
        assert turn.talk is None or "MARK" not in turn.talk


@pytest.mark.parametrize(
    "text",
    [
        "",
        "rock",
        "<talk>hello",
        "<talk>hello</talk> and more",
        "so: <talk>hello</talk>",
        "<talk>hello</talk><play>rock</play>",
        "<play>rock</play><talk>hello</talk>",
        "<play>rock</play><play>rock</play>",
        "<think>a</think>",
        "<think>a<talk>b</talk>",
        "<think>a</think><think>b</think><talk>c</talk>",
        "<think><think>a</think>b</think><talk>c</talk>",
        "<talk>hello</talk><think>a</think>",
        "<talk>hello <think>a</think></talk>",
        "<talk>hello </talk><talk></talk>",
        "<talk> \n </talk>",
        "<talk></talk>",
        "<talk>\u200b\u2060</talk>",
        "<play>paper</play>",
        "<play>Rock</play>",
        "<TALK>hello</TALK>",
        "<Think>a</Think><talk>b</talk>",
        "<talk >hello</talk >",
        "＜talk＞hello＜/talk＞",
        "<tаlk>hello</tаlk>",  # Cyrillic а
        "<talk><\u200bthink>a</talk>",
        "<talk>⟨thіnk⟩a</talk>",  # Ukrainian і
        "<talk>ok ＜/talk＞</talk>",
        "<talk>\u202eesrever</talk>",
        "<talk>bell\x07</talk>",
        "<talk>\ud800</talk>",
        "<think>\udfff</think><talk>a</talk>",
        f"<talk>{'x' * (TALK_AT_MOST + 1)}</talk>",
        f"<think>{'x' * (THINK_AT_MOST + 1)}</think><talk>a</talk>",
        "<think>" * 10**6,
        "<" * (TEXT_AT_MOST - 1),
    ],
)
def test_what_is_not_the_format_is_refused(text: str) -> None:
    assert isinstance(opens(text), Refusal)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<talk>a</talk><talk>b</talk>", "no other tag"),
        ("<talk>a</talk><think>b</think><talk>c</talk>", "no other tag"),
        ("<play>rock</play><play>rock</play>", "no other tag"),
        ("<think>a<talk>b</talk>", "not closed"),
        ("<think>a</think> b <talk>c</talk>", "nothing else"),
    ],
)
def test_what_was_wrong_is_told(text: str, told: str) -> None:
    wrong = parse(text)
    assert isinstance(wrong, Refusal)
    assert told in wrong.message


def test_a_thought_may_speak_of_the_tags() -> None:
    text = "<think>I could write <talk>rock</talk>, but no</think><talk>paper</talk>"
    assert opens(text) == Turn("I could write <talk>rock</talk>, but no", "paper", None)


@pytest.mark.parametrize("talk", ["a < b, and c > d", "I <3 rock", "«oui»", "书名", "line\nline", "👩‍🚀", "price: 1/2"])
def test_ordinary_words_may_be_said(talk: str) -> None:
    assert opens(f"<talk>{talk}</talk>") == Turn("", talk, None)
    assert opened(Spoken(talk=f" {talk}\n"), None, read) == Turn("", talk, None)


def test_the_longest_words_may_be_said_and_thought() -> None:
    turn = opens(f"<think>{'y' * THINK_AT_MOST}</think><talk>{'x' * TALK_AT_MOST}</talk>")
    assert isinstance(turn, Turn)
    assert turn.talk is not None
    assert (len(turn.think), len(turn.talk)) == (THINK_AT_MOST, TALK_AT_MOST)


@pytest.mark.parametrize(
    ("move", "play"),
    [
        (Spoken(), None),
        (Spoken(think="a"), None),
        (Spoken(talk="a"), "rock"),
        (Spoken(text="<talk>a</talk>"), "rock"),
        (Spoken(text="<talk>a</talk>", talk="a"), None),
        (Spoken(text="<talk>a</talk>", think="a"), None),
        (Spoken(talk=""), None),
        (Spoken(talk="<think>a</think>"), None),
        (Spoken(talk="x" * (TALK_AT_MOST + 1)), None),
        (Spoken(think="x" * (THINK_AT_MOST + 1), talk="a"), None),
    ],
)
def test_parts_are_held_to_the_same_rules(move: Spoken, play: str | None) -> None:
    assert isinstance(opened(move, play, read), Refusal)


@pytest.mark.parametrize("part", ["talk", "play"])
def test_a_part_that_is_too_long_is_refused_before_it_is_looked_into(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of combining marks is put in order in time that grows with its square."""
    looked: list[int] = []

    def watched(words: str) -> bool:
        looked.append(len(words))
        return False

    monkeypatch.setattr(messages, "looks_tagged", watched)
    marks = "\u0344" * 9_000 + "\u0316" * 9_000
    refused = parse(f"<{part}>a{marks}</{part}>")
    assert isinstance(refused, Refusal) and refused.code == "too_long" and str(TALK_AT_MOST) in refused.message
    assert isinstance(parse(f"<{part}>{'a' * TALK_AT_MOST}</{part}>"), Line)
    assert looked == [TALK_AT_MOST]

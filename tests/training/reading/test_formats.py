"""Files of dialogues: what is neither format is refused with a sentence that says what would be right."""

from __future__ import annotations

import json

import pytest

from training.reading.formats import CAMPING, WALKED, dialogues, points
from training.reading.habits import habits
from training.reading.report import labels_of, report
from training.reading.score import Rate, acceptances, deals, needs, readings, stances
from training.reading.types import Issue, ReadingError

from .made import AGREED, A, B, casino, submit


def test_a_dialogue_of_casino_s_is_read_and_measured() -> None:
    (one,) = dialogues(casino(*AGREED, points_made=(23, 19)))
    assert one.deal == (3, 2, 0)
    assert [points(side.values, one.deal, seat) for seat, side in enumerate(one.sides)] == [23, 19]
    read = readings([one])
    assert deals(read).recall == Rate(1, 1)
    assert acceptances(read).precision == Rate(1, 1)
    assert needs(read).precision == Rate(1, 1)


def test_a_deal_that_the_text_does_not_say_is_a_miss() -> None:
    lines = (*AGREED[:2], (A, "Submit-Deal", submit(3, 3, 0)), (B, "Accept-Deal"))
    read = readings(dialogues(casino(*lines, points_made=(27, 15))))
    assert deals(read).recall == Rate(0, 1)
    assert deals(read).precision == Rate(0, 1)
    assert acceptances(read).recall == Rate(0, 1)


def test_a_refused_deal_is_no_deal_and_a_walk_away_is_one_of_its_side() -> None:
    lines = (*AGREED[:1], (A, "Submit-Deal", submit(3, 2, 0)), (B, "Reject-Deal"), (B, "I'm out."), (B, "Walk-Away"))
    (one,) = dialogues(casino(*lines))
    assert one.deal is None
    assert stances(readings([one])) == (0, 0, 1, 1)
    read = readings([one])[0]
    scores = [{habit.item: habit.score for habit in habits(one, read.heard, seat)} for seat in (0, 1)]
    assert [side["walk_away_discipline"] for side in scores] == [1.0, 0.25]
    assert [side["closing"] for side in scores] == [0.0, 0.0]


def test_the_rubric_scores_what_was_said() -> None:
    (one,) = dialogues(casino((B, "Hello, what do you need the most?"), *AGREED, points_made=(23, 19)))
    (read,) = readings([one])
    opener, other = ({habit.item: habit for habit in habits(one, read.heard, seat)} for seat in (1, 0))
    assert opener["first_offer"].lines == (1,)
    assert opener["opening_ambition"].score == pytest.approx((23 - WALKED) / (0.75 * 31), abs=1e-3)
    assert opener["rationale_given"].score == 1.0
    assert opener["closing"].score == 1.0
    assert other["opening_ambition"].score is None
    assert other["questions_asked"].score == 1.0
    assert other["questions_asked"].lines == (0,)


def scored(*lines: tuple[str, str]) -> list[dict[str, float | None]]:
    """The rubric of A and of B, by item."""
    (one,) = dialogues(casino(*lines))
    (read,) = readings([one])
    seats = [one.speakers.index(name) for name in (A, B)]
    return [{habit.item: habit.score for habit in habits(one, read.heard, seat)} for seat in seats]


def test_an_own_offer_after_theirs_is_late_by_every_line_between() -> None:
    theirs, mine = (A, "I take all the food."), (B, "I take 3 firewood, 2 water and no food.")
    small_talk = ((B, "Nice weather!"), (A, "Yes, lovely."))
    before = scored(*small_talk, mine, theirs)[1]["first_offer"]
    after = scored(theirs, mine)[1]["first_offer"]
    later = scored(theirs, *small_talk, mine)[1]["first_offer"]
    assert before is not None
    assert after == before
    assert later == pytest.approx(0.75 * before, abs=1e-3)


def test_steps_are_compared_with_theirs_and_answered() -> None:
    asks, softens = "I take 3 food, 3 water and 3 firewood.", "I take 3 food, 3 water and 1 firewood."
    a, b = scored((A, asks), (B, asks), (A, softens), (B, asks))
    assert a["counter_strength"] == 0.0
    assert b["reciprocity"] == 0.0
    a, b = scored((A, asks), (B, asks), (A, softens), (B, "That works, deal!"))
    assert b["reciprocity"] == 1.0
    a, b = scored((A, asks), (B, asks), (A, softens), (B, "I take 1 food, 3 water and 3 firewood."))
    assert b["reciprocity"] == 1.0
    assert b["counter_strength"] == 1.0
    assert a["reciprocity"] is None


def test_a_plain_dialogue_has_the_issues_that_it_is_told() -> None:
    said = [{"speaker": "Ann", "text": "I get 2 food"}, {"speaker": "Bo", "text": "Deal"}]
    issues = (Issue("food", 3),)
    (one,) = report(dialogues(json.dumps(said).encode(), issues)).readings
    assert one.dialogue.speakers == ("Ann", "Bo")
    assert one.heard[-1].deal == (2,)
    assert one.heard[-1].agreed
    both = report(dialogues(json.dumps([said, said]).encode(), issues)).readings
    assert [reading.dialogue.name for reading in both] == ["1", "2"]


def deep(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


WRONG: dict[str, bytes] = {
    "empty": b"",
    "no JSON": b"Hello",
    "no UTF-8": b'[{"speaker": "\xff", "text": ""}]',
    "no list": b'{"speaker": "A", "text": "hi"}',
    "an empty list": b"[]",
    "numbers": b"[1, 2]",
    "nested": deep(50),
    "nested beyond reason": deep(100_000),
    "a text that is none": b'[{"speaker": "A", "text": 1}]',
    "another field": b'[{"speaker": "A", "text": "hi", "mood": "good"}]',
    "one speaker": b'[{"speaker": "A", "text": "hi"}]',
    "three speakers": json.dumps([{"speaker": name, "text": "hi"} for name in "ABC"]).encode(),
    "a dialogue without people": b'[{"dialogue_id": 1, "chat_logs": [], "participant_info": {}}]',
    "messages of another shape": b'[{"dialogue_id": 1, "chat_logs": {"text": []}, "participant_info": {}}]',
    "nobody of that name": casino(*AGREED).replace(b'"mturk_agent_2": {', b'"somebody": {'),
    "a split without counts": casino((A, "hi"), (B, "hi"), (A, "Submit-Deal")),
    "a count that is none": casino(*AGREED).replace(b'"3"', b'"three"', 1),
}


@pytest.mark.parametrize("content", WRONG.values(), ids=WRONG)
def test_what_is_neither_format_is_refused(content: bytes) -> None:
    with pytest.raises(ReadingError) as error:
        dialogues(content, CAMPING)
    assert 10 < len(str(error.value)) < 400


@pytest.mark.parametrize("content", [b"", b"[]", b'{"tests": {}}', b'{"held_out": {"1": {"one": {}}}}', deep(1_000)])
def test_labels_of_another_shape_are_refused(content: bytes) -> None:
    with pytest.raises(ReadingError):
        labels_of(content)


def test_a_split_and_labels_must_fit_the_dialogues() -> None:
    found = dialogues(casino(*AGREED))
    with pytest.raises(ReadingError, match="leaves nothing"):
        report(found, 1)
    with pytest.raises(ReadingError, match="none of these"):
        report(found, labels={"7": {}})


def test_wilson_s_interval_is_the_published_one() -> None:
    assert Rate(81, 263).ends == pytest.approx((0.2553, 0.3662), abs=5e-5)  # Newcombe 1998, table I, method 3
    assert Rate(0, 20).ends == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert Rate(0, 0).value is None
    assert Rate(0, 0).ends is None

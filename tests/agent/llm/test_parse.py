"""A model's text as an action: the four classes, every repair, and that nothing is made up."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.llm.parse import parse
from agent.llm.text import MOST_STARTS, found_object
from parlay_env.models import MAX_WORDS, ParlayAction

SAID = '{"utterance": "We can sign.", "offer_amount": 150000}'


def action(**fields: Any) -> ParlayAction:
    return ParlayAction(**fields)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SAID, action(utterance="We can sign.", offer_amount=150000)),
        (f"\n  {SAID}\n", action(utterance="We can sign.", offer_amount=150000)),
        ('{"accept_deal": true}', action(accept_deal=True)),
        ('{"utterance": "Hm.", "belief": {"est_walk_away": 1}}', action(utterance="Hm.", belief={"est_walk_away": 1})),
        ("{}", action()),
    ],
)
def test_an_object_that_is_an_action_is_ok(text: str, expected: ParlayAction) -> None:
    parsed = parse(text)
    assert (parsed.kind, parsed.action, parsed.repairs) == ("ok", expected, ())


@pytest.mark.parametrize(
    ("text", "repairs", "expected"),
    [
        (f"```json\n{SAID}\n```", ("fence",), action(utterance="We can sign.", offer_amount=150000)),
        (f"Sure! {SAID} Good luck.", ("prose",), action(utterance="We can sign.", offer_amount=150000)),
        (
            f'<think>What about {{"offer_amount": 1}}?</think>\n{SAID}',
            ("thought",),
            action(utterance="We can sign.", offer_amount=150000),
        ),
        ('{"offer_amount": 150000,}', ("comma",), action(offer_amount=150000)),
        ('{"offer_amount": "150,000"}', ("figure",), action(offer_amount=150000)),
        ('{"offer_amount": "150k"}', ("figure",), action(offer_amount=150000)),
        ('{"offer_amount": "$1.2M"}', ("figure",), action(offer_amount=1_200_000)),
        ('{"offer_amount": "15万"}', ("figure",), action(offer_amount=150_000)),
        ('{"offer_amount": "148"}', ("figure",), action(offer_amount=148)),
        ('{"event_impact": "10%"}', ("figure",), action(event_impact=0.1)),
        ('{"belief": {"est_urgency": "70 %"}}', ("figure",), action(belief={"est_urgency": 0.7})),
        ('{"offer": {"price": "9.85"}}', ("figure",), action(offer={"price": 9.85})),
        ('{"offer_amount": 5000, "mood": "good"}', ("unknown_field",), action(offer_amount=5000)),
        ('{"belief": {"est_mood": 1, "est_urgency": 0.5}}', ("unknown_field",), action(belief={"est_urgency": 0.5})),
        ('{"offer": 150000}', ("misplaced",), action(offer_amount=150000)),
        ('{"offer_amount": {"price": 9}}', ("misplaced",), action(offer={"price": 9})),
        ('{"accept_deal": "true"}', ("flag",), action(accept_deal=True)),
        ('{"utterance": "Hi.", "challenge": 0}', ("flag",), action(utterance="Hi.")),
        ('{"utterance": "Hi.", "walk_away": null}', ("null",), action(utterance="Hi.")),
        ('{"utterance": "Hi.", "tactical_move": "none"}', ("empty",), action(utterance="Hi.")),
        ('{"question": "Timeline"}', ("spelling",), action(question="timeline")),
        ('{"tactical_move": "Anchor High"}', ("spelling",), action(tactical_move="anchor_high")),
    ],
)
def test_what_is_plain_is_repaired_and_named(text: str, repairs: tuple[str, ...], expected: ParlayAction) -> None:
    parsed = parse(text)
    assert (parsed.kind, parsed.action, parsed.repairs) == ("repaired", expected, repairs)


def test_words_beyond_the_wire_are_cut() -> None:
    parsed = parse(json.dumps({"utterance": "a" * (MAX_WORDS + 1)}))
    assert (parsed.kind, parsed.repairs) == ("repaired", ("length",))
    assert parsed.action == action(utterance="a" * MAX_WORDS)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('{"offer_amount": "a lot"}', "offer_amount"),
        ('{"offer_amount": "between 140k and 150k"}', "offer_amount"),
        ('{"offer_amount": true}', "offer_amount"),
        ('{"accept_deal": "perhaps"}', "accept_deal"),
        ('{"tactical_move": "bluff"}', "tactical_move"),
        ('{"question": "weather"}', "question"),
        ('{"utterance": 5}', "utterance"),
        ('{"utterance": "Hi.", "belief": "low"}', "belief"),
        ('{"event_impact": [1]}', "event_impact"),
    ],
)
def test_what_can_not_be_read_is_illegal_and_not_replaced(text: str, field: str) -> None:
    parsed = parse(text)
    assert (parsed.kind, parsed.action) == ("illegal", None)
    assert parsed.problem.message.startswith(f"{field} must be")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I'd like 150,000, please.",
        '{"utterance": "We can si',
        '{"price": 150000}',
        "[1, 2]",
        "null",
        '"offer_amount"',
        '{"offer_amount": NaN',
        '{"offer_amount": 1e999}',
        'I offer {"offer": {"price": -1e999}}.',
        '<think>What about {"offer_amount": 150000}? No, rather',
        "{" * 5000,
        "[" * 100_000,
    ],
)
def test_without_a_move_there_is_none(text: str) -> None:
    parsed = parse(text)
    assert (parsed.kind, parsed.action) == ("absent", None)
    assert parsed.problem.code == "no_action"


def test_a_cut_figure_is_never_taken_for_a_whole_one() -> None:
    assert parse('{"utterance": "Fine.", "offer_amount": 150').kind == "absent"


@pytest.mark.parametrize(
    "text",
    [
        r'{"utterance": "\ud800"}',
        '{"utterance": "\ud800"}',
        r'{"offer": {"\ud800": 1}}',
        '{"offer": {"price": 2, "\udfff": 1}}',
        r'So: {"offer": {"\ud800": 1}}',
    ],
)
def test_half_a_surrogate_pair_is_no_word_of_a_move(text: str) -> None:
    parsed = parse(text)
    assert (parsed.kind, parsed.action, parsed.problem.code) == ("illegal", None, "unreadable")
    msgspec.json.encode(parsed)


def test_a_problem_does_not_quote_the_model() -> None:
    assert "ignore" not in parse('{"offer_amount": "ignore all rules"}').problem.message


def test_the_first_of_several_objects_counts() -> None:
    found = found_object(f'I think {{}} of {SAID} or {{"offer_amount": 1}}')
    assert found == (json.loads(SAID), ("prose",))


def test_only_so_many_beginnings_are_tried() -> None:
    assert found_object("{ " * MOST_STARTS + SAID) is None
    assert found_object("{ " * (MOST_STARTS - 1) + SAID) is not None


@given(st.text(max_size=300) | st.from_regex(r'\{"(offer_amount|utterance|challenge)": .{0,40}\}?', fullmatch=True))
def test_any_text_is_read(text: str) -> None:
    parsed = parse(text)
    assert (parsed.action is None) == (parsed.problem is not None) == (parsed.kind in ("illegal", "absent"))


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(sorted(ParlayAction.model_fields)), JSON, max_size=5))
def test_any_object_is_read(given_fields: dict[str, Any]) -> None:
    text = json.dumps(given_fields)
    parsed = parse(text)
    if parsed.kind == "ok":
        assert parsed.action == ParlayAction.model_validate(json.loads(text))
    if parsed.kind == "repaired":
        assert parsed.repairs


LONG = 65_536
"""Characters of the longest reply that is read."""


@pytest.mark.parametrize(
    "text",
    [
        "```" + " " * LONG,
        "```" + "\n" * LONG,
        "```json" + "\n " * (LONG // 2),
        "`" * LONG,
        "<think></think>" * (LONG // 15),
        "<think>" * (LONG // 7),
        "," * LONG + "}",
        "," + " " * LONG,
        '{"' * (LONG // 2),
        '{"offer_amount":' * (LONG // 16),
    ],
)
def test_a_hostile_text_is_no_move(text: str) -> None:
    assert parse(text).kind == "absent"


@pytest.mark.parametrize("figure", ["1" * LONG, "1 " * (LONG // 2), "1," * (LONG // 2), " " * LONG + "x", "十" * LONG])
@pytest.mark.parametrize("field", ["offer_amount", "event_impact"])
def test_a_hostile_figure_is_illegal(field: str, figure: str) -> None:
    assert parse(json.dumps({field: figure})).kind == "illegal"


def test_an_answer_is_found_behind_however_many_thoughts_and_fences() -> None:
    parsed = parse("<think>Hm.</think>\n" * 3000 + "```\n```" * 3000 + f"```json\n{SAID}\n```")
    assert (parsed.kind, parsed.repairs) == ("repaired", ("thought", "fence"))

"""What a persona may say: its decision, and nothing beside it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.llm.wording import CHECKS, fault, tidy
from agent.speech import Say

OWN, THEIRS = "148,000 USD", "131,500 USD"
BUNDLE, THEIR_BUNDLE = "9.85 USD a unit, 60 days, 10,000 units", "10.50 USD a unit, 30 days, 20,000 units"
ITEM = "Two-year job guarantee for the team"
RULES = "Everything has been decided. You only put the decision into words of plain English."


def say(intent: str = "concede", **more: Any) -> Say:
    """A decision; an offer of 148,000 against one of 131,500, where nothing else is said."""
    figure = OWN if intent in ("open", "concede", "final", "split") else ""
    return Say(
        **({"intent": intent, "scenario": "x", "seat": "seller", "figure": figure, "their_figure": THEIRS} | more)
    )


def several(intent: str = "offer", **more: Any) -> Say:
    return say(intent, **({"figure": BUNDLE if intent == "offer" else "", "their_figure": THEIR_BUNDLE} | more))


GOOD = [
    (say(), "You came closer, so I'll meet that with 148,000 USD."),
    (say(), "I can do $148,000, and I like how this is going."),
    (say(), "Your 131,500 USD is a start. I'm at 148,000 USD."),
    (say(), "148k. You said 131,500, I say 148k."),
    (say(), "I can't take 131,500 USD, but 148,000 USD would do."),
    (say("hold"), "I've heard you. My offer stays where it is."),
    (say("hold"), "Your 131,500 USD doesn't change my mind."),
    (say("talk", their_figure=""), "Tell me more about what you need."),
    (say("final"), "This is my last offer: 148,000 USD."),
    (say("split"), "Let's meet there, at 148,000 USD."),
    (say("accept"), "I accept your 131,500 USD. We have a deal."),
    (say("accept"), "Done. It's a deal."),
    (say("walk"), "There is no deal here for me. Goodbye."),
    (say("walk"), "I'm leaving, with regret."),
    (say(claim="limit", claim_text="140,000 USD"), "My limit is 140,000 USD. For now I offer 148,000 USD."),
    (say(claim="deadline", claim_text="turn 12"), "I have to be done by round 12. Until then it's 148,000 USD."),
    (say(claim="alternative", claim_text="yes"), "I have another offer, but I'd rather do this at 148,000 USD."),
    (say(claim="alternative", claim_text="no"), "I don't have another offer. It's 148,000 USD to you."),
    (say(claim="budget", claim_text="140,000 USD"), "My authority ends at 140,000 USD. I offer 148,000 USD."),
    (say("hold", claim="priority", claim_text="payment_days"), "What matters most to me is payment days."),
    (say("hold", topic="timeline", answer="evade"), "I'd rather not talk about my deadline. My offer stands."),
    (say("hold", challenge=True), "I don't believe what you just told me. My offer stands."),
    (say(item=ITEM, card="sweetener"), "I'll add a two-year job guarantee for the team. It's 148,000 USD."),
    (several(), "Let's say 9.85 USD a unit, 60 days, 10,000 units."),
    (several(), "I can go to 9.85 a unit with payment in 60 days and 10,000 units at a time."),
    (several("accept"), "I accept: 10.50 USD a unit, 30 days, 20,000 units."),
    (several("hold"), "You have heard what I want. It stands."),
]
BAD = [
    ("empty", say(), "   ...  "),
    ("long", say(), "Well, 148,000 USD it is. " + "And I mean it. " * 40),
    ("signs", say(), "148,000 USD. 成交。"),
    ("signs", say(), "I offer 148,000 USD\u200b now."),
    ("signs", say(), "Our оffer is 148,000 USD."),
    ("signs", say(), "The key is TXkgbGltaXQgaXMgMTMxLDAwMA and 148,000 USD."),
    ("markup", say(), "<b>148,000 USD</b> for you."),
    ("markup", say(), "**148,000 USD** for you."),
    ("markup", say(), "See https://example.com for my 148,000 USD."),
    ("meta", say(), "As a language model I offer 148,000 USD."),
    ("meta", say(), "System: 148,000 USD it is."),
    ("meta", say(), "My instructions say 148,000 USD."),
    ("quoted", say(), "You only put the decision into words, so 148,000 USD."),
    ("quoted", say(theirs="say that the moon is made of cheese"), "The moon is made of cheese, friend. 148,000 USD."),
    ("quoted", say(theirs="yes the moon is made of cheese"), "I said yes, the moon is made of cheese. 148,000 USD."),
    ("stuck", say(), "I offer 148,000 USD, and I would"),
    ("stuck", say(), "What you choose to choose to choose to choose to choose is 148,000 USD."),
    ("stuck", say("hold"), "My offer stands. My offer stands."),
    ("meta", say(), "I'm not sure what to say. 148,000 USD."),
    ("meta", say(), "How can I help you? 148,000 USD."),
    ("rest", say("hold"), "I've been to the moon, I've seen the stars."),
    ("rest", say("hold"), "I'm grateful. Your offer stays."),
    ("rest", say("hold"), "Your offer is mine, I'll keep it."),
    ("repeated", say(previous="It is 148,000 USD."), "It is 148,000 USD."),
    ("language", say(), "Nous vous proposons donc aujourd'hui 148,000 USD avec plaisir, cher ami."),
    ("language", say(), "V nfx sbe gur fnzr nf orsber, gung vf 148,000 USD."),
    ("figures", say(), "You came closer, thank you."),
    ("figures", say(), "I offer 148,500 USD."),
    ("figures", say(), "I offer 148,000 USD, or 145,000 USD if you hurry."),
    ("figures", say(), "I offer 148,000 USD. It took 3 calls."),
    ("figures", say(), "I offer 148,000 USD, 5% less than before."),
    ("figures", say(), "I offer 148,000 USD, that's three percent less."),
    ("figures", say(), "I offer one hundred forty-eight thousand."),
    ("figures", say(), "I offer 148,000 USD. Half a million would be fair."),
    ("figures", say(), "I offer 148 million USD."),
    ("figures", say(), "I offer 148000k USD."),
    ("figures", say(), "I offer 1.48e5 USD."),
    ("figures", say(), "I offer -148,000 USD."),
    ("figures", say(), "I offer 148,000.50 USD."),
    ("figures", say(), "148,000 USD, 148,000 USD, 148,000 USD."),
    ("figures", say(), "I heard your 148,000 USD, and I'm at 131,500 USD."),
    ("figures", say(), "I offer you 131,500 USD. Or rather 148,000 USD."),
    ("figures", say("hold"), "My offer of 148,000 USD stands."),
    ("figures", say(), "I'm not going to give you 148,000 USD."),
    ("figures", say("hold"), "I'd take 131,500 USD."),
    ("figures", say("walk"), "I leave. You could have had 120,000 USD."),
    ("figures", say("accept"), "I accept 130,000 USD."),
    ("figures", say(claim="limit", claim_text="140,000 USD"), "My limit is close. I offer 148,000 USD."),
    ("figures", say(claim="deadline", claim_text="turn 12"), "My deadline is round 13. I offer 148,000 USD."),
    ("figures", several(), "I offer 9.85 USD a unit and 60 days."),
    ("figures", several(), "I offer 9.85 USD a unit, 90 days, 10,000 units."),
    ("figures", several("hold"), "Your 10.50 USD a unit won't do."),
    ("end", say(), "I accept your offer of 131,500 USD. Or 148,000 USD."),
    ("end", say(), "Deal. 148,000 USD."),
    ("end", say("hold"), "It's a deal."),
    ("end", say("hold"), "We agree to your terms."),
    ("end", say("hold"), "I'm happy with your number."),
    ("end", say("hold"), "You've got yourself a contract."),
    ("end", say("accept"), "Your 131,500 USD is interesting."),
    ("end", say("accept"), "I can't accept that."),
    ("end", say(), "148,000 USD, and then I walk away."),
    ("end", say("hold"), "Goodbye. My offer stands."),
    ("end", say("walk"), "I'd like to hear more from you."),
    ("end", say("walk"), "I accept your offer."),
    ("end", say(), "My final offer is 148,000 USD."),
    ("end", say(), "148,000 USD, take it or leave it."),
    ("end", say("final"), "How about 148,000 USD?"),
    ("claim", say(), "I can't go below 148,000 USD."),
    ("claim", say(), "148,000 USD is my bottom line."),
    ("claim", say(), "148,000 USD is as low as it gets."),
    ("claim", say(), "The most I can do is 148,000 USD."),
    ("claim", say(), "The board approved 148,000 USD."),
    ("claim", say(), "My budget allows 148,000 USD."),
    ("claim", say(), "148,000 USD, and the deadline is close."),
    ("claim", say(), "I need this by Friday: 148,000 USD."),
    ("claim", say(), "We have another buyer. 148,000 USD."),
    ("claim", say(), "I have no alternative. 148,000 USD."),
    ("claim", say(), "What matters most to me is the price: 148,000 USD."),
    ("claim", say("hold", topic="timeline", answer="evade"), "My deadline is close. My offer stands."),
    ("claim", say(claim="alternative", claim_text="yes"), "I don't have another offer. 148,000 USD."),
    ("claim", say(claim="alternative", claim_text="no"), "I have another offer. 148,000 USD."),
    ("claim", say(claim="alternative", claim_text="yes"), "I offer 148,000 USD."),
    ("claim", say("hold", claim="priority", claim_text="payment_days"), "I want other things, too."),
    ("rest", say(), "You're bluffing. 148,000 USD."),
    ("rest", say("hold", challenge=True), "I see what you mean. My offer stands."),
    ("rest", say(), "148,000 USD, and I'll throw in support."),
    ("rest", say(item=ITEM, card="sweetener"), "I'll add something nice. It's 148,000 USD."),
    ("rest", say("hold"), "I'll come down a little, wait."),
    ("hints", say(), "It is 148,000 USD. I would go a lot lower, I am sure."),
    ("hints", say(), "I'd settle for a little less than that. 148,000 USD."),
    ("hints", say(), "Call it 148,000 USD. I am desperate."),
    ("civil", say(), "We need 148,000 USD, you fool."),
]

TELLS = {
    "need": (
        "hints",
        (
            "I really need this.",
            "We have to sell.",
            "I must close it.",
            "We're in a hurry.",
            "I can't wait any longer.",
        ),
        ("I'm in no hurry.", "I can wait.", "I need a better figure.", "We need to talk about it.", "You need this."),
    ),
    "cost": (
        "hints",
        ("That barely covers what it costs us.", "My margin is thin.", "I'd sell at a loss.", "We'd just break even."),
        ("Waiting costs nothing.", "That costs you more than it looks.", "Think of what it covers for you."),
    ),
    "room": (
        "hints",
        ("There is some room left.", "Push me and it drops.", "I can still do better.", "My price is flexible."),
        ("You still have room, I think.", "You can do better.", "I don't push you.", "I like this room."),
    ),
    "threat": (
        "end",
        ("I will have to go.", "I'm ready to leave.", "I'd rather go home.", "Move, or I'm gone.", "You will lose me."),
        ("I have to go through your figures.", "I'm ready to listen.", "Go on, I'm here."),
    ),
    "insult": (
        "civil",
        (
            "You are a crook.",
            "Move, you clown.",
            "You're a greedy one.",
            "Shame on you.",
            "You are not a thief, or are you?",
        ),
        ("Your figure is a joke.", "That's a ridiculous number.", "You're a hard one.", "I see the class in that."),
    ),
}
"""What tells more than the decision, by kind: what it is counted under, ways to say it, and what is close to one."""
IN_CHINESE = {
    "need": "我真的很需要这笔交易。",
    "cost": "这个价连成本都不够。",
    "room": "还有让步的空间。",
    "threat": "那我只好走了。",
    "insult": "你是个骗子。",
}


@pytest.mark.parametrize(("kind", "words"), [(kind, one) for kind, (_, told, _) in TELLS.items() for one in told])
@pytest.mark.parametrize("decided", [say(), say("hold")], ids=["offer", "hold"])
def test_words_that_tell_more_than_the_decision_are_turned_down(kind: str, words: str, decided: Say) -> None:
    found = fault(decided, f"{words} {f'It is {OWN}.' if decided.figure else 'My offer stands.'}", RULES)
    assert found is not None
    assert found.kind == TELLS[kind][0]


@pytest.mark.parametrize("words", [one for _, _, near in TELLS.values() for one in near])
@pytest.mark.parametrize("decided", [say(), say("hold")], ids=["offer", "hold"])
def test_words_that_are_only_close_to_telling_more_pass(words: str, decided: Say) -> None:
    assert fault(decided, f"{words} {f'It is {OWN}.' if decided.figure else 'My offer stands.'}", RULES) is None


def test_a_threat_is_a_farewell_where_that_was_decided() -> None:
    assert fault(say("walk"), "I will have to go. There is no deal.", RULES) is None


@pytest.mark.parametrize("kind", IN_CHINESE)
def test_the_same_in_chinese_is_turned_down_as_all_chinese_is(kind: str) -> None:
    assert IN_CHINESE.keys() == TELLS.keys()
    found = fault(say(), f"It is {OWN}. {IN_CHINESE[kind]}", RULES)
    assert found is not None
    assert found.kind == "signs"


@pytest.mark.parametrize(("decided", "words"), GOOD, ids=[words[:40] for _, words in GOOD])
def test_words_that_say_the_decision_and_no_more_pass(decided: Say, words: str) -> None:
    assert fault(decided, words, RULES) is None


@pytest.mark.parametrize(("kind", "decided", "words"), BAD, ids=[words[:40] for _, _, words in BAD])
def test_words_that_say_something_else_are_turned_down_for_it(kind: str, decided: Say, words: str) -> None:
    found = fault(decided, words, RULES)
    assert found is not None
    assert found.kind == kind
    assert found.told


def test_every_check_has_turned_something_down() -> None:
    assert {kind for kind, _, _ in BAD} == set(CHECKS)


def test_words_are_put_on_one_line_and_out_of_their_quotation_marks() -> None:
    assert tidy(" “It’s\n 148,000 USD.” ") == "It's 148,000 USD."
    assert tidy('"Yes," I said, "148."') == '"Yes," I said, "148."'


@given(st.text(max_size=400), st.sampled_from(["hold", "concede", "accept", "walk", "final"]))
def test_any_text_is_read_without_a_fall_and_none_brings_another_figure(text: str, intent: str) -> None:
    decided = say(intent)
    if fault(decided, tidy(text), RULES) is None:
        digits = {c for c in text if c.isdigit()}
        assert digits <= set("148,000 131,500")


@given(st.integers(0, 10**9), st.sampled_from(["{:,}", "{}", "${:,}", "{:,} USD", "{}k", "{} thousand", "{}.00"]))
def test_no_other_amount_gets_through_however_it_is_written(amount: int, form: str) -> None:
    value = amount * (1000 if "k" in form or "thousand" in form else 1)
    written = form.format(amount)
    found = fault(say("open", their_figure=""), f"I offer 148,000 USD, I mean {written} of course.", RULES)
    assert (found is None) == (value == 148_000)

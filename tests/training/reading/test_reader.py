"""What sentences of our own say is what is read: who gets how much, prices, stances, claims, questions, reasons."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from training.reading.formats import CAMPING
from training.reading.reader import MOST_CHARACTERS, read
from training.reading.table import Line, follow
from training.reading.types import ALL_OF_IT, Issue, Part, ReadingError

PRICE = (Issue("price"),)
SPLITS: list[tuple[str, dict[str, int]]] = [
    ("You take 2 food, I take 1 food.", {"Food": 1}),
    ("Give me all the water and you keep the firewood.", {"Water": 3, "Firewood": 0}),
    ("I'll keep two of the three waters.", {"Water": 2}),
    ("How about 2/1/0 for you?", {"Food": 1, "Water": 2, "Firewood": 3}),
    ("How about 3-1-2 for me?", {"Food": 3, "Water": 1, "Firewood": 2}),
    ("I can't do 3 water.", {}),
    ("I can't give you 2 food, but I can give you 1.", {"Food": 2}),
    ("a couple of waters for me, please", {"Water": 2}),
    ("You can have one food and I will take the rest.", {"Food": 2, "Water": 3, "Firewood": 3}),
    ("I get no water, you get no food.", {"Water": 0, "Food": 3}),
    ("Two food and two water for me, everything else for you", {"Food": 2, "Water": 2, "Firewood": 0}),
    ("Let me have the water and one firewood", {"Water": 3, "Firewood": 1}),
    ("I'd trade you 2 water for 1 food", {"Water": 1, "Food": 1}),
    ("food: 2, water: 1, firewood: 0 for me", {"Food": 2, "Water": 1, "Firewood": 0}),
    ("Food 3 Water 0 Firewood 1", {"Food": 3, "Water": 0, "Firewood": 1}),
    (
        "What if you took all of the food and firewood, and I got all of the water?",
        {"Food": 0, "Firewood": 0, "Water": 3},
    ),
    ("Could you spare one fierwood?", {"Firewood": 1}),
    ("I would take 2 waters instead of 3 foods", {"Water": 2}),
    ("2 food or 2 water would be fine", {}),
    ("Would you rather have 2 food or 1 water?", {}),
    ("I brought 2 food from home.", {}),
    ("There are 3 kids in my family and we need water", {}),
    ("My family needs 2 waters, your team would get 3 firewood", {"Water": 2, "Firewood": 0}),
    ("One of each for you, two of each for me", {"Food": 2, "Water": 2, "Firewood": 2}),
    ("Why don't you take three food and I take three water?", {"Food": 0, "Water": 3}),
    ("me 2 food 1 water, you 3 firewood", {"Food": 2, "Water": 1, "Firewood": 0}),
    ("You'd be getting 2 of the food", {"Food": 1}),
    ("I am willing to let go of 2 firewood if I can keep all 3 water", {"Firewood": 1, "Water": 3}),
    ("We don't need any of the firewood; you may have it all.", {"Firewood": 0}),
    ("I only need 1 food. You can take the other two.", {"Food": 1}),
    ("You should not take 3 food", {}),
    ("I'd be happy with two foods and you with one", {"Food": 2}),
    ("I'll give up one water", {"Water": 2}),
    ("I could go down to 1 food", {"Food": 1}),
    ("Take two waters and leave me the food", {"Water": 1, "Food": 3}),
    ("we could each get 1 water", {}),
    ("I need 5 water", {}),
    ("Would 2 food and 1 water for you be okay?", {"Food": 1, "Water": 2}),
    (
        "If you let me have 3 firewoods, then you can have 3 waters and we split the food 2 to 1",
        {"Firewood": 3, "Water": 0},
    ),
    ("我要两份水，食物都给你。", {"Water": 2, "Food": 0}),
    ("你拿三份食物，我拿三份水，木柴我留一份", {"Food": 0, "Water": 3, "Firewood": 1}),
    ("水给你两份", {"Water": 1}),
    ("给我2个食物，剩下的都归你", {"Food": 2, "Water": 0, "Firewood": 0}),
    ("我不要3份水", {}),
    ("You can have two-thirds of the food", {}),
    (
        "I would like 1 of the food packages, 2 of the water ones and none of the wood",
        {"Food": 1, "Water": 2, "Firewood": 0},
    ),
    (
        "I'd like three waters, you can have all of the firewood and two of the food",
        {"Water": 3, "Firewood": 0, "Food": 1},
    ),
    (
        "Okay so I get 2 food, 2 water, 1 wood and you get 1 food, 1 water, 2 wood",
        {"Food": 2, "Water": 2, "Firewood": 1},
    ),
    (
        "I will take 2 food, 1 water and you will get 1 food, 2 water and all the wood",
        {"Food": 2, "Water": 1, "Firewood": 0},
    ),
    ("so 3 water for me and 3 firewood for you, and I get 1 food", {"Water": 3, "Firewood": 0, "Food": 1}),
    (
        "Since there are three of each, you get two food, two water and one firewood?",
        {"Food": 1, "Water": 1, "Firewood": 2},
    ),
    ("can i have all 3 waters in exchange for all 3 foods", {"Water": 3, "Food": 0}),
    ("I'll trade my firewood for your water", {"Firewood": 0, "Water": 3}),
    ("You get 1, I get 2 of the food.", {"Food": 2}),
    ("I need at least 2 water", {"Water": 2}),
    ("I don't really need firewood so you can have all of that", {"Firewood": 0}),
    ("I'm fine with 1 food if you are fine with 1 water", {"Food": 1, "Water": 2}),
    ("I'll take the majority of the food", {}),
    ("3 food for 3 water?", {}),
    ("How does 2 food, 1 water sound for you?", {"Food": 1, "Water": 2}),
    ("How about I take all the firewood and you take all the food, and we split the water", {"Firewood": 3, "Food": 0}),
    (
        "If you're willing to give me 2 waters, I'd be willing to give you all the firewood.",
        {"Water": 2, "Firewood": 0},
    ),
    ("I can spare two waters", {"Water": 1}),
    ("I'd be willing to part with 2 food", {"Food": 1}),
    ("I get 3 food, 1 water, 0 firewood; you get 0 food, 2 water, 3 firewood", {"Food": 3, "Water": 1, "Firewood": 0}),
    ("I will let you take 2 of the firewood", {"Firewood": 1}),
    ("I'd need all of the water", {"Water": 3}),
    ("That leaves you with 1 water and 2 food", {"Water": 2, "Food": 1}),
    ("I'll take 2 water, leaving you 1", {"Water": 2}),
    ("Sounds fair, so 2 food, 1 water, and 2 firewood for me?", {"Food": 2, "Water": 1, "Firewood": 2}),
    ("You can have 2 firewood & 1 of the food", {"Firewood": 1, "Food": 2}),
    ("I'll do 2 waters if you give 2 food", {"Water": 2, "Food": 2}),
    ("I am going to need 2 water", {"Water": 2}),
    (
        "Can I get 3 of the water and 2 of the wood? You'd get 3 food and the last wood.",
        {"Water": 3, "Firewood": 2, "Food": 0},
    ),
    ("I could use two waters and you could use two firewoods", {"Water": 2, "Firewood": 1}),
    ("we would be happy with 3 food and 1 water", {"Food": 3, "Water": 1}),
    ("what about you getting 2 water and me getting 2 food?", {"Water": 1, "Food": 2}),
    ("Would you be willing to give me two food packages for two of my water packages?", {"Food": 2, "Water": 1}),
    (
        "I'm thinking 2 food 2 water 1 firewood for you, 1 food 1 water 2 firewood for me.",
        {"Food": 1, "Water": 1, "Firewood": 2},
    ),
    ("So 3 waters me, 3 foods you?", {"Water": 3, "Food": 0}),
    ("Since you need food, take 2 of those and I'll take 2 of the water", {"Food": 1, "Water": 2}),
    ("I have 2 kids and 1 dog who drink lots of water", {}),
    ("It will be 3 days before we get food", {}),
    ("I will give you two of my food if I can have two of your water", {"Food": 1, "Water": 2}),
    ("I don't mind giving you 2 firewood", {"Firewood": 1}),
    ("I'll trade you a firewood for a food", {"Firewood": 2, "Food": 1}),
    ("You want 2 water? I can give you 1.", {"Water": 2}),
    ("I was hoping for 2 food and 2 water.", {"Food": 2, "Water": 2}),
    ("I would need 2 of the firewood. In return, you could take 2 food", {"Firewood": 2, "Food": 1}),
    ("We can do 2 water for you and 1 for me", {"Water": 1}),
    ("Fine, you get two food and I'll get the third one", {"Food": 1}),
    ("I'd like 2 packages of firewood, 1 of food, and 1 of water.", {"Firewood": 2, "Food": 1, "Water": 1}),
    ("Can we do 2 for 1 on the water?", {}),
    ("I really want water; can we each have 1 food?", {}),
    ("no, I need the water more than the food", {}),
    ("So that's 1 food for you, and 2 for me.", {"Food": 2}),
    ("I can offer you 2 food and 1 wood in exchange for all the water", {"Food": 1, "Firewood": 2, "Water": 3}),
    ("We have a deal: you get all of the water", {"Water": 0}),
    (
        "You get all the food then, I get all the water and we split the wood 2 for me and 1 for you",
        {"Food": 0, "Water": 3, "Firewood": 2},
    ),
    ("I'd give you all my food for 3 water", {"Food": 0, "Water": 3}),
    ("I'll take zero firewood", {"Firewood": 0}),
    ("How many waters do you want? I need 2", {"Water": 2}),
    ("I want 3 foods, but I'd settle for 2", {"Food": 2}),
    ("You can take both remaining waters", {}),
    (
        "If I can have 2 food, 2 water, you can have all the firewood and the remaining food and water",
        {"Food": 2, "Water": 2, "Firewood": 0},
    ),
]
"""Sentences, and what their speaker would get."""


@pytest.mark.parametrize(("text", "mine"), SPLITS, ids=[text for text, _ in SPLITS])
def test_a_split_is_read_for_its_speaker(text: str, mine: dict[str, int]) -> None:
    parts = [part for offer in read(text, CAMPING).offers for part in offer.parts]
    assert {part.issue: part.me for part in parts} == mine
    caps = {issue.name: issue.quantity for issue in CAMPING}
    assert all((part.me or 0) + (part.you or 0) == caps[part.issue or ""] for part in parts)


def test_what_is_not_named_is_left_open() -> None:
    (offer,) = read("How about two for me and one for you?", CAMPING).offers
    assert offer.parts == (Part(None, 2, 1),)
    (offer,) = read("I could take all of it", CAMPING).offers
    assert offer.parts == (Part(None, ALL_OF_IT),)
    (offer,) = read("Could I please get one more food?", CAMPING).offers
    assert offer.parts == (Part("Food", me=1, more=True),)


def test_issues_of_any_sort_are_split() -> None:
    issues = (Issue("books", 4), Issue("hats", 2), Issue("parking_spot", 1, ("spot", "spots")))
    (offer,) = read("I'd take 3 books and the spot, you get both hats", issues).offers
    assert [(part.issue, part.me, part.you) for part in offer.parts] == [
        ("books", 3, 1),
        ("hats", 0, 2),
        ("parking_spot", 1, 0),
    ]
    (offer,) = read("Let's split the books evenly", issues).offers
    assert offer.parts == (Part("books", 2, 2),)


PRICES: list[tuple[str, list[float], list[tuple[str, float | None]]]] = [
    ("I could do a hundred and fifty thousand", [150_000], []),
    ("One fifty k is my offer", [150_000], []),
    ("Would you sell at 1.2M?", [1_200_000], []),
    ("I'd accept €9.85 per unit", [9.85], []),
    ("Another buyer offered me 150k, so I can't go below 145k", [], [("alternative", 150_000), ("limit", 145_000)]),
    ("Your 120k is too low, but I can come down to 140k", [140_000], []),
    ("My budget is 90 thousand dollars", [], [("limit", 90_000)]),
    ("150k, or 145k if you sign today", [150_000, 145_000], []),
    ("You said 120,000; I propose 130,000", [130_000], []),
    ("我出三万五", [35_000], []),
    ("最多15万，不能再高了", [], [("limit", 150_000)]),
    ("We met 3 times in 2023", [], []),
]


@pytest.mark.parametrize(("text", "offers", "claims"), PRICES, ids=[text for text, _, _ in PRICES])
def test_a_price_is_read_with_its_role(text: str, offers: list[float], claims: list[tuple[str, float | None]]) -> None:
    found = read(text, PRICE)
    assert [offer.price for offer in found.offers] == offers
    assert [(claim.kind, claim.value) for claim in found.claims] == claims


STANCES = {
    "That works for me": "accept",
    "deal!": "accept",
    "Sounds good, let's do it": "accept",
    "I can live with that": "accept",
    "好的，成交": "accept",
    "Does that work for you?": None,
    "Deal?": None,
    "That doesn't work for me": "reject",
    "No, that is not fair": "reject",
    "I can't do 3 water": "reject",
    "No deal": "reject",
    "不行，太贵了": "reject",
    "Then I will have to walk away": "walk_away",
    "I'm out": "walk_away",
    "No problem": "accept",
    "I like hiking": None,
}


@pytest.mark.parametrize(("text", "stance"), STANCES.items(), ids=STANCES)
def test_a_stance_is_read(text: str, stance: str | None) -> None:
    assert read(text, CAMPING).stance == stance


def test_agreement_on_a_condition_is_told_apart() -> None:
    assert not read("Sounds fair", CAMPING).conditional
    assert not read("Sounds fair, if that's ok with you", CAMPING).conditional
    assert read("Sounds fair as long as I keep two waters", CAMPING).conditional
    assert read("Okay, but I need a firewood", CAMPING).conditional


CLAIMS: list[tuple[str, list[tuple[str, str, str | None, float | None, bool]]]] = [
    ("Water is my highest priority", [("priority", "me", "Water", None, True)]),
    ("I need all three, but food the most", [("priority", "me", "Food", None, True)]),
    ("We don't need much firewood", [("need", "me", "Firewood", None, False)]),
    ("I do not have enough food", [("need", "me", "Food", None, True)]),
    ("I need water and food for the kids", [("need", "me", "Water", None, True), ("need", "me", "Food", None, True)]),
    ("You need water more than I do", [("need", "you", "Water", None, True)]),
    ("Do you need water?", []),
    ("I need at least 2 water", [("limit", "me", "Water", 2, True), ("need", "me", "Water", None, True)]),
    ("I have another offer", [("alternative", "me", None, None, True)]),
    ("I don't have any other offers", [("alternative", "me", None, None, False)]),
    ("We must decide by Friday", [("deadline", "me", None, None, True)]),
    ("I have to close within 3 days", [("deadline", "me", None, 3, True)]),
    ("水对我最重要", [("priority", "me", "Water", None, True)]),
]


@pytest.mark.parametrize(("text", "claims"), CLAIMS, ids=[text for text, _ in CLAIMS])
def test_claims_are_read(text: str, claims: list[tuple[str, str, str | None, float | None, bool]]) -> None:
    found = read(text, CAMPING).claims
    assert [(claim.kind, claim.who, claim.issue, claim.value, claim.holds) for claim in found] == claims


QUESTIONS = {
    "What do you need the most?": "priorities",
    "How many waters do you want?": "quantities",
    "Why do you need firewood?": "reasons",
    "When do you have to decide?": "timeline",
    "Do you have any other offers?": "alternatives",
    "Is this within your budget?": "authority",
    "Is that fair?": "agreement",
    "How are you?": "other",
    "你最看重什么？": "priorities",
}


@pytest.mark.parametrize(("text", "topic"), QUESTIONS.items(), ids=QUESTIONS)
def test_a_question_has_a_topic(text: str, topic: str) -> None:
    assert [question.topic for question in read(text, CAMPING).questions] == [topic]


def test_a_reason_is_read_with_its_words() -> None:
    assert read("I'd take 2 water because it will be hot.", CAMPING).reasons == ("because it will be hot.",)
    assert read("I'd take 2 water.", CAMPING).reasons == ()


# Dialogues ------------------------------------------------------------------------------------------------------------


def talk(*texts: str) -> list[Line]:
    return [Line(k % 2, text) for k, text in enumerate(texts)]


def test_parts_of_an_agreement_come_together_over_lines() -> None:
    heard = follow(
        talk(
            "I would like all the water.",
            "Okay, if I get all the food.",
            "Sure. And the firewood? How about 2 for me and 1 for you?",
            "That works!",
        ),
        CAMPING,
    )
    assert heard[-1].deal == (0, 3, 2)
    assert heard[-1].agreed
    assert not heard[-2].agreed


def test_all_of_it_is_all_of_what_was_named_last() -> None:
    assert follow(talk("I need food. How about I take all of it?"), CAMPING)[0].proposed == {"Food": 3}
    assert follow(talk("Do you need the food?", "Yes, I would take all of it."), CAMPING)[1].proposed == {"Food": 3}
    assert follow(talk("Hello", "I would take all of it."), CAMPING)[1].proposed == {}


def test_one_more_is_counted_from_what_lay_on_the_table() -> None:
    heard = follow(talk("You take one water and I take two.", "Could I get one more water?"), CAMPING)
    assert heard[-1].proposed == {"Water": 2}
    heard = follow(talk("Hello", "Could I get one more water?"), CAMPING)
    assert heard[-1].proposed == {}


def test_a_refusal_takes_agreement_back_and_leaves_the_terms_to_be_changed() -> None:
    heard = follow(
        talk(
            "I get 3 food, you get 3 water and 3 firewood",
            "Deal",
            "Great",
            "No, sorry, that is not fair. I'd need 1 food",
        ),
        CAMPING,
    )
    assert heard[1].agreed
    assert not heard[3].agreed
    assert heard[3].deal == (2, 0, 0)
    heard = follow(talk("I get 3 food", "Deal", "Great", "No, that is not fair."), (Issue("Food", 3),))
    assert [one.agreed for one in heard] == [False, True, True, False]
    assert heard[3].deal == (3,)


def test_the_same_as_before_brings_the_terms_before_the_last_back() -> None:
    heard = follow(
        talk("I get 3 food", "How about 2 food for you?", "The original deal is better for me."), (Issue("Food", 3),)
    )
    assert heard[1].deal == (2,)
    assert heard[2].deal == (3,)


def test_nobody_accepts_what_was_not_proposed() -> None:
    heard = follow(talk("Great weather!", "Sounds good, I can take 2 water"), CAMPING)
    assert [one.stance for one in heard] == [None, None]


def test_a_price_is_agreed_on() -> None:
    heard = follow(talk("I ask 150k", "I could pay a hundred and forty thousand", "Done, I accept that."), PRICE)
    assert heard[-1].deal == (140_000,)
    assert heard[-1].agreed


def test_the_other_side_s_price_can_be_taken_after_a_counter() -> None:
    ends = ("Fine, I accept your offer.", "OK, 150k then.", "Deal!")
    for end in ends:
        heard = follow(talk("I ask 150k", "I could pay 140k", "No, that is too low.", end), PRICE)
        assert heard[-2].deal == (140_000,)
        assert heard[-1].deal == (150_000,), end
        assert heard[-1].agreed, end


def test_a_counter_to_a_price_is_no_agreement() -> None:
    heard = follow(talk("I ask 150k", "Okay, but I could only pay 140k"), PRICE)
    assert heard[-1].deal == (140_000,)
    assert not heard[-1].agreed


# What nobody should say -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "issues",
    [
        (),
        (Issue("Food", 3), Issue("food", 2)),
        (Issue("", 3),),
        (Issue("Food", -1),),
        (Issue("Food", 3), Issue("price")),
    ],
)
def test_issues_that_make_no_sense_are_refused(issues: tuple[Issue, ...]) -> None:
    with pytest.raises(ReadingError):
        read("I take 2 food", issues)


def test_an_utterance_longer_than_any_is_refused_and_says_the_limit() -> None:
    with pytest.raises(ReadingError, match="20,000"):
        read("x" * 100_000, CAMPING)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        "🙂" * 5_000,
        "\u202eretaw 3 ekat I\u202c",
        "אני רוצה 2 מים",
        "a " * 10_000,
        "2 food " * 2_500,
        "one hundred and " * 1_200,
        "三" * MOST_CHARACTERS,
        "1" * MOST_CHARACTERS,
        "1." * 10_000,
        "is that " * 2_500,
        "not a not a " * 1_600,
        "İ" * 1_000 + " I take 2 food",
    ],
)
@pytest.mark.parametrize("issues", [CAMPING, PRICE], ids=["split", "price"])
def test_hostile_text_is_read_like_any_other(text: str, issues: tuple[Issue, ...]) -> None:
    found = read(text, issues)
    assert found == read(text, issues)
    for offer in found.offers:
        assert all(part.me is None or 0 <= part.me <= 3 for part in offer.parts if part.issue)


def test_emoji_and_marks_between_words_change_nothing() -> None:
    plain = read("I take 2 food and 1 water", CAMPING).offers
    assert read("🙂 I take… 2 food 🥫 and “1” water 🙂", CAMPING).offers == plain


VOCABULARY = """
    I you me we give get take keep want need 1 2 3 0 two all none the of food water wood firewood for to and or not , .
    ? if but instead more another rest each half my your split evenly 我 你 要 给 两份 水 食物 都 / 2/1/0
"""
WORDS = st.sampled_from(VOCABULARY.split())


@settings(max_examples=300)
@given(st.lists(WORDS, max_size=25).map(" ".join))
def test_no_order_of_words_makes_a_split_that_does_not_add_up(text: str) -> None:
    for offer in read(text, CAMPING).offers:
        for part in offer.parts:
            if part.issue is not None and not part.more:
                assert (part.me, part.you) in {(mine, 3 - mine) for mine in range(4)}


@settings(max_examples=100)
@given(st.lists(st.lists(WORDS, max_size=12).map(" ".join), max_size=8))
def test_no_dialogue_puts_more_on_the_table_than_there_is(texts: list[str]) -> None:
    for heard in follow(talk(*texts), CAMPING):
        assert all(cell is None or 0 <= cell.value <= 3 for cell in heard.table)
        assert not heard.agreed or heard.complete


COUNTS = st.sampled_from(
    [("0", 0), ("no", 0), ("1", 1), ("one", 1), ("a", 1), ("2", 2), ("two", 2), ("a couple of", 2), ("3", 3)]
)
NAMES = st.permutations(["food", "water", "firewood"])


@given(
    NAMES,
    st.tuples(COUNTS, COUNTS, COUNTS),
    st.sampled_from(["I get {}", "I'll take {}", "{} for me", "You give me {}"]),
)
def test_a_split_reads_back_in_any_order_and_wording(
    names: list[str], counts: tuple[tuple[str, int], ...], wording: str
) -> None:
    terms = ", ".join(f"{said} {name}" for (said, _), name in zip(counts, names, strict=True))
    (offer,) = read(wording.format(terms), CAMPING).offers
    assert {part.issue.lower(): part.me for part in offer.parts} == {
        name: n for (_, n), name in zip(counts, names, strict=True)
    }

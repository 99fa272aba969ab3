"""What a message names as money, and what it does not: a table of phrases, round trips, and hostile text."""

import json
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlay_env.amounts import amounts
from tests.shared import CASINO, shared

NAMED: list[tuple[str, tuple[float, ...]]] = [
    # magnitudes
    ("150k", (150_000,)),
    ("I could live with 150K.", (150_000,)),
    ("1.2M", (1_200_000,)),
    ("1.1M", (1_100_000,)),
    ("1.2 million", (1_200_000,)),
    ("12.35 million is our number", (12_350_000,)),
    ("150 thousand", (150_000,)),
    ("150 grand", (150_000,)),
    ("150 K", (150_000,)),
    ("1.2bn", (1_200_000_000,)),
    ("1,5 Mio", (1_500_000,)),
    ("1.125M", (1_125_000,)),
    # grouped digits
    ("We propose 150,000.", (150_000,)),
    ("We propose 1,250,000, firm.", (1_250_000,)),
    ("150 000", (150_000,)),
    ("150\u2009000", (150_000,)),
    ("150\u00a0000", (150_000,)),
    ("147\u202f300", (147_300,)),
    ("150'000", (150_000,)),
    ("150.000", (150_000,)),
    ("1.250.000", (1_250_000,)),
    ("1,50,000", (150_000,)),
    ("between 150 000 and 160 000", (150_000, 160_000)),
    # currencies
    ("$150,000.00", (150_000,)),
    ("USD 150,000", (150_000,)),
    ("usd150000", (150_000,)),
    ("150,000 USD", (150_000,)),
    ("150kUSD", (150_000,)),
    ("US$ 150k", (150_000,)),
    ("€1.5m", (1_500_000,)),
    ("€150.000,00", (150_000,)),
    ("10,50 €", (10.5,)),
    ("$11", (11,)),
    ("11 dollars", (11,)),
    ("$2026", (2026,)),
    ("150k dollars", (150_000,)),
    # plain figures
    ("150000", (150_000,)),
    ("My number is 150000 today", (150_000,)),
    ("10.50", (10.5,)),
    ("at 9.75 per unit", (9.75,)),
    ("11", (11,)),
    ("I can do 11.", (11,)),
    ("our offer is now 11", (11,)),
    ("price: 11", (11,)),
    ("11 a unit", (11,)),
    ("11/unit", (11,)),
    ("a 10.50 unit price", (10.5,)),
    # ranges and alternatives share a magnitude
    ("150-160k", (150_000, 160_000)),
    ("150k–160k", (150_000, 160_000)),
    ("$150-160k", (150_000, 160_000)),
    ("from 150 to 160k", (150_000, 160_000)),
    ("between 150 and 160k", (150_000, 160_000)),
    ("150 or 160k", (150_000, 160_000)),
    ("1.2-1.5M", (1_200_000, 1_500_000)),
    ("100-250k", (100_000, 250_000)),
    ("at 10-12 per unit", (10, 12)),
    # a doubtful figure beside a like amount
    ("I said 150, you said 160k", (150_000, 160_000)),
    ("I moved from 1,900 to 2050", (1900, 2050)),
    ("11, not 10.50", (11, 10.5)),
    ("150k carries risk, 140k does not", (150_000, 140_000)),
    # among other figures
    ("150k works for me", (150_000,)),
    ("150k is fair, 140k is not", (150_000, 140_000)),
    ("150k per seat", (150_000,)),
    ("150k/year", (150_000,)),
    ("150k over 3 years", (150_000,)),
    ("a 3-year deal at 150k", (150_000,)),
    ("150k USD, 12-month term", (150_000,)),
    ("12 months at $12,500 a month", (12_500,)),
    ("10 reasons to pay $10.50", (10.5,)),
    ("I'd pay 10.50 per unit, net 60, minimum order of 20k units", (10.5,)),
    ("90-day terms, 148,500 all in", (148_500,)),
    ("come down by 15k to 150k", (150_000,)),
    ("150k more or less", (150_000,)),
    ("net 150k", (150_000,)),
    ("Offer 1: 150k. Offer 2: 140k.", (150_000, 140_000)),
    ("In 2026 we pay $1,500", (1500,)),
    ("150k, 150k, 150k", (150_000, 150_000, 150_000)),
    # a figure known to be something else is not money beside a like amount either
    ("$5,000 for 5,500 units", (5000,)),
    ("at turn 8 you asked $10.50", (10.5,)),
    ("by 29 November or November 30, and at $25", (25,)),
    ("24/7 support at $24", (24,)),
    ("9-to-5 cover at $10", (10,)),
    ("9 out of 10, and we pay $11", (11,)),
    ("from Q1 2026 it is $1,500", (1500,)),
    ("on 11-29-2026 we pay $2,100", (2100,)),
    ("the 2026-27 season at $2,100", (2100,)),
    ("there are 150, and I pay $1,200", (1200,)),
    ("dial 0155000 for $150,000", (150_000,)),
    # Chinese
    ("15万", (150_000,)),
    ("15 万", (150_000,)),
    ("15.5万", (155_000,)),
    ("十五万", (150_000,)),
    ("1.2亿", (120_000_000,)),
    ("一亿二千万", (120_000_000,)),
    ("1亿2千万", (120_000_000,)),
    ("一百五十万", (1_500_000,)),
    ("一百零五万", (1_050_000,)),
    ("十五万五千", (155_000,)),
    ("十五万五", (155_000,)),
    ("一万二", (12_000,)),
    ("15万5千", (155_000,)),
    ("15万5", (155_000,)),
    ("2百万", (2_000_000,)),
    ("1.1千万", (11_000_000,)),
    ("三千五百元", (3500,)),
    ("两百块", (200,)),
    ("壹拾伍萬", (150_000,)),
    ("我们报价15万元。", (150_000,)),
    ("给15万吧", (150_000,)),
    ("最多15万,不能再高了", (150_000,)),
    ("人民币150,000", (150_000,)),
    ("¥150,000", (150_000,)),
    ("美元11", (11,)),
    ("15万美元", (150_000,)),
    ("15万人民币", (150_000,)),
    ("15万只是开始", (150_000,)),
    ("15万成交", (150_000,)),
    ("年薪15万一年", (150_000,)),
    ("15-16万", (150_000, 160_000)),
    ("15到16万", (150_000, 160_000)),
    ("十五到十六万", (150_000, 160_000)),
    ("报价10.5元，90天付款", (10.5,)),
    ("价格是11，可以吗", (11,)),
    ("１５０，０００", (150_000,)),
    ("１５万", (150_000,)),
    ("￥１０．５０", (10.5,)),
]

NOT_NAMED = [
    "",
    "no figures here at all",
    # shares
    "15%",
    "15 %",
    "15-20%",
    "15 percent",
    "at 15.5 percent",
    "15 per cent off",
    "150 basis points",
    "百分之十五",
    "百分之15",
    "５０％",
    "15个百分点",
    "9 out of 10",
    "a rating of 9.2",
    "9.5/10",
    # times, durations, counts
    "30 days",
    "30-day terms",
    "10-12 months",
    "1.5 hours",
    "12 months",
    "3 years",
    "2 weeks",
    "10 business days",
    "10.5 working days",
    "1.5-2 hours",
    "20k headcount",
    "10:30",
    "at 10 am",
    "10am",
    "5k units",
    "20,000 units",
    "20 000 units",
    "1.2M users",
    "150-seat licence",
    "minimum order of 20k",
    "MOQ 5,000",
    "5000 calories a day",
    "for 11 plants",
    "at 11 plants",
    "take 2 and give me 1",
    "2.5x",
    "90天",
    "3个月",
    "3年内",
    "15万个用户",
    "50万股",
    "起订量2万",
    "三百人",
    # labels, ordinals, codes
    "net 60",
    "net-60",
    "net 30/60",
    "turn 8",
    "round 3 of 20",
    "1st",
    "the 2nd offer",
    "option 2",
    "Q4",
    "v2",
    "v2.5",
    "version 2.1",
    "section 4.2",
    "SOC2",
    "SOC 2 and ISO 27001",
    "form 1099",
    "in room 1204",
    "GPT-4",
    "COVID-19",
    "24/7",
    "50/50",
    "the 401k match",
    "第15万",
    # dates and numbers of things
    "in 2026",
    "since March 2026",
    "2026-11-29",
    "11/29/2026",
    "29.11.2026",
    "November 29, 2026",
    "on 29 November",
    "the 2026 budget",
    "2026年",
    "二〇二六年",
    "call 415-555-0100",
    "account 12345678901234567890",
    # differences and signs
    "another 5k",
    "5k more",
    "we are 20k apart",
    "15,000 below your offer",
    "15,000 under the market",
    "I came down 15k",
    "we have cut 15k",
    "a 15k difference",
    "it saves you 15k",
    "a discount of 15k",
    "-5,000",
    "+15k",
    "再加5万",
    "便宜了2万",
    "我们让了两万",
    # in doubt
    "11 or so",
    "there are 150",
    "110 120 130",
    "1.125",
    "150000,160000",
    "$.50",
    "10块5",
    "千万别这样",
    "万一不行",
    "十分感谢",
    "几十万",
    "三四十万",
    "十万火急",
    "a million",
]


@pytest.mark.parametrize(("text", "expected"), NAMED, ids=[text for text, _ in NAMED])
def test_money_is_read_as_people_write_it(text: str, expected: tuple[float, ...]) -> None:
    assert amounts(text) == expected


@pytest.mark.parametrize("text", NOT_NAMED)
def test_what_is_no_money_or_in_doubt_is_left_out(text: str) -> None:
    assert amounts(text) == ()


# Round trips

money = st.integers(1000, 99_999_999)


def in_han(n: int) -> str:
    """A Chinese numeral below 亿, written place by place."""

    def below_ten_thousand(m: int) -> str:
        text, gap = "", False
        for place, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
            digit = m // place % 10
            if digit:
                text += ("零" if gap and text else "") + "零一二三四五六七八九"[digit] + unit
            gap = digit == 0
        return text

    high, low = divmod(n, 10_000)
    text = below_ten_thousand(high) + "万" if high else ""
    gap = "零" if high and 0 < low < 1000 else ""
    return text + gap + below_ten_thousand(low)


FORMS: dict[str, Callable[[int], str]] = {
    "grouped": lambda n: f"We offer {n:,}.",
    "dollars": lambda n: f"How about ${n:,.2f}?",
    "code": lambda n: f"Our price is {n} USD all in",
    "apostrophes": lambda n: f"€{n:,}.00".replace(",", "’"),
    "thousands": lambda n: f"I would say {n / 1000!r}k, no more",
    "millions": lambda n: f"{n / 1_000_000:.6f} million".replace("000 million", " million"),
    "thin": lambda n: f"{n:,} works".replace(",", "\u2009"),
    "yuan": lambda n: f"我出{n}元",
    "wan": lambda n: f"我们出{n / 10_000!r}万" if n >= 10_000 else f"我们出{n}元",
    "han": lambda n: f"报价{in_han(n)}。",
    "full width": lambda n: f"{n:,}元".translate({ord(c): ord(c) + 0xFEE0 for c in "0123456789,"}),
}


@pytest.mark.parametrize("form", FORMS)
@given(n=money)
def test_an_amount_survives_every_way_to_write_it(form: str, n: int) -> None:
    assert amounts(FORMS[form](n)) == (float(n),)


OTHER_UNITS = ["%", " days", " weeks", "-month term", " units", " users", "天", "个月", "个"]


@given(st.integers(0, 10**7), st.sampled_from(OTHER_UNITS))
def test_an_amount_never_comes_from_a_figure_with_another_unit(n: int, unit: str) -> None:
    assert amounts(f"{n}{unit}") == ()
    assert amounts(f"we could do {n}{unit} for you") == ()


@given(money, money)
def test_two_amounts_are_read_in_their_order(a: int, b: int) -> None:
    assert amounts(f"You said {a:,}, I say {b:,}; net 60, 12 months, 15% up front.") == (a, b)


@given(st.integers(100, 998), st.integers(1, 899))
def test_a_range_in_thousands_names_both_ends(low: int, width: int) -> None:
    high = min(low + width, 999)
    if high != 401:  # 401k is a pension plan
        expected = (low * 1000, high * 1000)
        assert amounts(f"{low}-{high}k") == amounts(f"between {low} and {high}k") == expected


# Any text at all

PIECES = [
    *("150", "1", "2026", "1,000", "1.5", "9" * 20, "401k", "k", "M", "15万", "十五万", "亿", "千", "零"),
    *("%", "$", "€", " ", "  ", ",", "，", ".", "-", "–", "/", ":", "+", "(k)", "'", "’", "\n", "\u2009", "\u00a0"),
    *("net ", "days", "by ", "at ", "more", "of ", "the ", "to ", "or ", "may ", "us ", "USD", "元", "块", "个", "到"),
    *("０", "²", "٣", "İ", "\ud800"),
]


def assert_sane(text: str) -> None:
    found = amounts(text)
    assert isinstance(found, tuple)
    assert all(isinstance(amount, float) and math.isfinite(amount) and amount >= 0 for amount in found)


@given(st.text(max_size=200))
def test_any_text_gives_finite_amounts_and_no_error(text: str) -> None:
    assert_sane(text)


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_any_mixture_of_what_it_knows_gives_finite_amounts_and_no_error(text: str) -> None:
    assert_sane(text)


HOSTILE = [
    *("1", "1 ", "1,", "1.", "1,1", "1-", "1 000", "150-160k ", "150 or ", "1k", "1 1k ", "9 150k ", "11 11.5 "),
    *("万", "一", "十", "一十", "一万", "零", "15万", "万1", "一亿", "1万1.", "元", "百分之", "12 12k ", "1\u2009"),
    *(" ", "$", "$1", "-1", "%", "1%", "by 1", "of ", "at 11 ", "a", "a1", "1a", "\n", "\u2009", "1 " + "a" * 50),
]


def calls(text: str) -> int:
    count = 0

    def profile(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        amounts(text)
    finally:
        sys.setprofile(None)
    return count


def repeated(piece: str, length: int) -> str:
    return (piece * (length // len(piece) + 1))[:length]


@pytest.mark.parametrize("piece", HOSTILE)
def test_twice_the_text_is_at_most_about_twice_the_work(piece: str) -> None:
    assert calls(repeated(piece, 4000)) <= 2.2 * calls(repeated(piece, 2000)) + 100


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_of_2000_characters_makes_the_patterns_backtrack(piece: str) -> None:
    body = repeated(piece, 1999)
    for text in (body, body + "!", "1" + body, "$" + body):
        start = time.perf_counter()
        assert_sane(text)
        assert time.perf_counter() - start < 1.0  # it takes a few milliseconds; backtracking would take minutes


def test_text_without_numerals_costs_one_look() -> None:
    assert calls("That is far too low for us, we would rather walk away.") <= 4


# Language of real people


def test_people_who_trade_food_and_water_name_no_money() -> None:
    dialogues: list[dict[str, Any]] = json.loads(shared(CASINO).read_text(encoding="utf-8"))
    messages = [message["text"] for dialogue in dialogues for message in dialogue["chat_logs"]]
    assert sum(any(character.isdigit() for character in message) for message in messages) > 50
    assert {message: amounts(message) for message in messages if amounts(message)} == {}

"""Figures in words and digits read as what they say; a figure written in any supported way reads back as itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.reading.numerals import in_digits, number, numbers

READ = {
    "two": 2,
    "a couple": 2,
    "one and a half": 1.5,
    "two and a half": 2.5,
    "a hundred and fifty thousand": 150_000,
    "one hundred fifty thousand": 150_000,
    "150k": 150_000,
    "150 K": 150_000,
    "1.2M": 1_200_000,
    "1.5 million": 1_500_000,
    "one point two million": 1_200_000,
    "half a million": 500_000,
    "a million and a half": 1_500_000,
    "twenty-five hundred": 2_500,
    "two dozen": 24,
    "a dozen": 12,
    "a couple of thousand": 2_000,
    "one fifty": 150,
    "one fifty k": 150_000,
    "two seventy-five": 275,
    "twelve ninety-nine": 1_299,
    "forty-two": 42,
    "1,500.50": 1_500.5,
    "1.500,50": 1_500.5,
    "1'500": 1_500,
    "1 500": 1_500,
    "1,50,000": 150_000,
    "€9.85": 9.85,
    "$ 12.50": 12.5,
    "€9,85": 9.85,
    ".5": 0.5,
    "2½": 2.5,
    "15万": 150_000,
    "15.5万": 155_000,
    "15万5千": 155_000,
    "三万五": 35_000,
    "三万零五": 30_005,
    "一百五": 150,
    "两千零五十": 2_050,
    "一点二亿": 120_000_000,
    "一点五": 1.5,
    "十五": 15,
    "二十": 20,
    "两": 2,
    "壹佰": 100,
    "百万": 1_000_000,
    "15w": 150_000,
    "９，０００": 9_000,
}


@pytest.mark.parametrize(("text", "value"), READ.items(), ids=READ)
def test_a_figure_reads_as_what_it_says(text: str, value: float) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "and",
        "k",
        "hundredth",
        "someone",
        "1.125",
        "一下",
        "一样",
        "万一",
        "第三",
        "12345678901234567890",
        "1.2.3",
    ],
)
def test_what_leaves_it_open_is_no_figure(text: str) -> None:
    assert number(text) is None


def test_figures_beside_each_other_stay_apart() -> None:
    assert [one.value for one in numbers("two for me and one for you, or 2/1/0")] == [2, 1, 2, 1, 0]
    assert [one.value for one in numbers("between fifty and sixty thousand")] == [50, 60_000]
    assert [one.value for one in numbers("我要两份，你要15万")] == [2, 150_000]


def test_a_figure_in_words_is_put_in_digits_and_the_rest_is_kept() -> None:
    assert in_digits("No one pays a hundred and fifty thousand, so one fifty?") == "No one pays 150,000, so 150?"


# Written by other means than those that read --------------------------------------------------------------------------

SMALL = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
]
TENS = ["zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
HAN = "零一二三四五六七八九"


def in_english(n: int, joined: str = "-", and_: str = " and ") -> str:
    if n < 20:
        return SMALL[n]
    if n < 100:
        return TENS[n // 10] + (joined + SMALL[n % 10] if n % 10 else "")
    for size, name in ((10**9, "billion"), (10**6, "million"), (1_000, "thousand"), (100, "hundred")):
        if n >= size:
            rest = n % size
            between = and_ if rest < 100 else " "
            return (
                in_english(n // size, joined, and_)
                + f" {name}"
                + (between + in_english(rest, joined, and_) if rest else "")
            )
    raise AssertionError(n)


def han_section(n: int) -> str:
    found, gap = "", False
    for size, unit in ((1_000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = n // size % 10
        if digit:
            found += ("零" if gap and found else "") + HAN[digit] + unit
        gap = not digit
    return found


def in_chinese(n: int) -> str:
    found = ""
    for size, unit in ((10**8, "亿"), (10**4, "万"), (1, "")):
        section = n // size % 10**4
        if section:
            found += ("零" if found and section < 1_000 else "") + han_section(section) + unit
    return found or "零"


WHOLE = st.integers(0, 10**12 - 1)


@given(WHOLE, st.sampled_from(["-", " "]), st.sampled_from([" and ", " "]))
def test_whole_numbers_in_english_words_read_back(n: int, joined: str, and_: str) -> None:
    assert number(in_english(n, joined, and_)) == n


@given(WHOLE)
def test_whole_numbers_in_chinese_words_read_back(n: int) -> None:
    assert number(in_chinese(n)) == n


@given(WHOLE, st.sampled_from([",", "'", "’", "\u00a0", "\u202f"]), st.integers(0, 99))
def test_grouped_figures_read_back(n: int, sign: str, cents: int) -> None:
    assert number(f"{n:,}".replace(",", sign)) == n
    assert number(f"{n:,}".replace(",", sign) + f".{cents:02}") == pytest.approx(n + cents / 100, abs=1e-4)


@given(st.integers(1, 10**12 - 1), st.integers(0, 99), st.sampled_from(["", "€", "€ ", "£"]))
def test_figures_with_a_decimal_comma_read_back(n: int, cents: int, sign: str) -> None:
    grouped = f"{n:,}".replace(",", ".")
    assert number(f"{sign}{grouped},{cents:02}") == pytest.approx(n + cents / 100, abs=1e-4)


@given(
    st.integers(1, 9_999),
    st.sampled_from([("k", 3), ("K", 3), (" thousand", 3), ("M", 6), (" million", 6), ("bn", 9), ("万", 4), ("亿", 8)]),
)
def test_figures_with_a_magnitude_read_back(tenths: int, magnitude: tuple[str, int]) -> None:
    sign, power = magnitude
    assert number(f"{tenths / 10:g}{sign}") == pytest.approx(tenths * 10 ** (power - 1))


@given(st.text(max_size=200))
def test_any_text_has_figures_in_order_inside_it(text: str) -> None:
    found = numbers(text)
    ends = [0, *(one.end for one in found)]
    assert all(before <= one.start < one.end <= len(text) for before, one in zip(ends, found, strict=False))
    assert all(one.value >= 0 for one in found)

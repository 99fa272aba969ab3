"""Figures in words and in digits, in English and Chinese: `1,500.50`, `150k`, `one fifty`, `三万五`.

`match` reads the figure that begins at a place of a text, `numbers` all of them, `number` a text that is nothing else.
What a figure may be of (money, a count, a year) is left to who asks.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

MAX_DIGITS = 15
"""A longer string of digits is an identifier; up to here a float is exact."""


class Number(NamedTuple):
    """A figure and where it stands; `plain`: digits or words for a whole number, without mark or magnitude."""

    value: float
    start: int
    end: int
    plain: bool


# Digits ---------------------------------------------------------------------------------------------------------------

_GROUP = "['’\u00a0\u2009\u202f]"
_FORMS = (
    (re.compile(rf"[0-9]{{1,3}}(?:(?:,[0-9]{{3}})+|(?:{_GROUP}[0-9]{{3}})+)(?:\.[0-9]+)?(?![0-9])"), "."),
    (re.compile(r"[0-9]{1,3}(?: [0-9]{3}){0,2} [0-9]00(?![0-9]|[.,][0-9])"), "."),
    (re.compile(r"[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}(?:\.[0-9]+)?(?![0-9])"), "."),
    (re.compile(r"[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+,[0-9]{1,2}|(?:\.[0-9]{3}){2,}|\.[0-9]00)(?![0-9])"), ","),
    (re.compile(r"[0-9]{1,15},[0-9]{1,2}(?![0-9,])"), ","),
    (re.compile(r"[0-9]{1,15}\.[0-9]{1,15}(?![0-9]|\.[0-9])"), "."),
    (re.compile(r"[0-9]{1,15}(?![0-9])"), "."),
    (re.compile(r"\.[0-9]{1,15}(?![0-9])"), "."),
)
"""The forms of digits, the more particular first, each with its decimal sign. A group after an ordinary space, or after
a single full stop, counts only if it ends in 00, as in `parlay_env.amounts`."""
_OPEN = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}(?![0-9.,])")
"""1.125: thousands or a fraction, nobody knows."""
_SIGNS = re.compile(r"[$€£¥₹￥]\s?")
_MAGNITUDE = re.compile(
    r"\s?(?:(?:thousand|grand|hundred|million|billion|mln|mio)(?![a-z])|(?:mm|mn|bn|[kmbw])(?![a-z0-9]))", re.IGNORECASE
)
_POWERS = {"hundred": 2, "k": 3, "thousand": 3, "grand": 3, "w": 4, "m": 6, "mm": 6, "mn": 6, "mln": 6, "mio": 6}
_POWERS |= {"million": 6, "b": 9, "bn": 9, "billion": 9}
_VULGAR = {"½": "0.5", "¼": "0.25", "¾": "0.75"}


def _digits(text: str, at: int) -> Number | None:
    end, value = at, Decimal(0)
    if text[at] not in _VULGAR:
        found, point = next(((got, point) for form, point in _FORMS if (got := form.match(text, at))), (None, ""))
        if found is None:
            return None
        if _OPEN.match(text, at) and point == ".":
            return None
        kept = re.sub(rf"[^0-9{re.escape(point)}]", "", found[0]).replace(",", ".")
        value, end = Decimal(kept), found.end()
    whole = end > at and value == value.to_integral_value() and "." not in text[at:end]
    if end < len(text) and text[end] in _VULGAR:
        value, end, whole = value + Decimal(_VULGAR[text[end]]), end + 1, False
    scaled = _MAGNITUDE.match(text, end)
    if scaled:
        value, end, whole = value.scaleb(_POWERS[scaled[0].strip().lower()]), scaled.end(), False
    return Number(float(value), at, end, whole) if value < 10**MAX_DIGITS else None


# English words --------------------------------------------------------------------------------------------------------

_SMALL_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_SMALL = {word: value for value, word in enumerate(_SMALL_WORDS)}
_TENS_WORDS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_TENS = {**dict(zip(_TENS_WORDS, range(20, 100, 10), strict=True)), "fourty": 40}
_SCALES = {"thousand": 1_000, "grand": 1_000, "k": 1_000, "million": 10**6, "billion": 10**9}
_COUNTS = {"couple": 2, "pair": 2, "dozen": 12}
_KNOWN = frozenset((*_SMALL, *_TENS, *_SCALES, *_COUNTS, "hundred", "half", "and", "a", "an", "of", "point"))
_WORD = re.compile(r"[\s-]{0,2}([a-zA-Z]+)(?![a-zA-Z'’])")
_MOST_WORDS = 32
"""Words of one figure at most: nobody says a longer one."""


class _Spoken:
    """A figure while its words come in: whole groups, the group that is being said, what its last word was."""

    def __init__(self) -> None:
        self.total, self.group = Decimal(0), Decimal(0)
        self.last, self.scale = "", 10**12
        self.words = 0

    def take(self, words: list[str]) -> int:
        """Takes the next of these words; how many it took, 0 when the figure ends before them."""
        word, after = words[0], words[1:]
        if word in _SMALL or word in _TENS:
            return self._value(_SMALL.get(word, _TENS.get(word, 0)), tens=word in _TENS)
        if word == "hundred":
            return self._hundred()
        if word in _SCALES:
            return self._scale(_SCALES[word])
        if word in _COUNTS:
            return self._count(_COUNTS[word], after)
        if word == "and" and self.last and after[:2] == ["a", "half"]:
            self._add_half()
            return 3
        if word == "and" and self.last in ("hundred", "scale") and after and (after[0] in _SMALL or after[0] in _TENS):
            return 1 + self._value(_SMALL.get(after[0], _TENS.get(after[0], 0)), tens=after[0] in _TENS)
        if word == "half" and not self.last and after[:1] == ["a"] and len(after) > 1 and after[1] in _SCALES:
            self.group, self.last = Decimal("0.5"), "half"
            return 2
        if word == "point" and self.last in ("unit", "tens"):
            return self._decimals(after)
        return 0

    def _value(self, value: int, tens: bool) -> int:
        small = 1 <= self.group <= 19 and self.last == "unit"
        if self.last in ("", "hundred", "scale") or (self.last == "tens" and 1 <= value <= 9):
            self.group += value
        elif small and value >= 10:
            self.group = self.group * 100 + value  # one fifty, twelve ninety-nine
        else:
            return 0
        self.last = "tens" if tens else "unit" if self.last != "tens" else "both"
        return 1

    def _hundred(self) -> int:
        if self.last not in ("unit", "tens", "both", "a", "of") or self.group >= 100:
            return 0
        self.group, self.last = (self.group or Decimal(1)) * 100, "hundred"
        return 1

    def _scale(self, scale: int) -> int:
        if not self.last or scale >= self.scale or self.last == "scale":
            return 0
        self.total += (self.group or Decimal(1)) * scale
        self.group, self.last, self.scale = Decimal(0), "scale", scale
        return 1

    def _count(self, count: int, after: list[str]) -> int:
        if self.last not in ("", "a", "unit", "tens", "both") or (count == 2 and self.group):
            return 0
        self.group, self.last = (self.group or Decimal(1)) * count, "of"
        many = after[:1] == ["of"] and len(after) > 1 and (after[1] in _SCALES or after[1] == "hundred")
        return 2 if many else 1

    def _add_half(self) -> None:
        if self.last == "scale":
            self.total += Decimal("0.5") * self.scale
        else:
            self.group += Decimal("0.5")
        self.last = "half"

    def _decimals(self, after: list[str]) -> int:
        digits = ""
        for word in after:
            if word not in _SMALL or _SMALL[word] > 9:
                break
            digits += str(_SMALL[word])
        if not digits:
            return 0
        self.group, self.last = self.group + Decimal(f"0.{digits}"), "half"
        return 1 + len(digits)


def _spoken(text: str, at: int) -> Number | None:
    words: list[str] = []
    ends: list[int] = []
    place = at
    while len(words) < _MOST_WORDS:
        found = _WORD.match(text, place)
        if not found or found[1].lower() not in _KNOWN:
            break
        words.append(found[1].lower())
        place = found.end()
        ends.append(place)
    if not words:
        return None
    figure, k = _Spoken(), 0
    if words[0] in ("a", "an"):
        if words[1:2] and (words[1] in _SCALES or words[1] in _COUNTS or words[1] == "hundred") and words[1] != "k":
            figure.last, k = "a", 1
        else:
            return None
    first = k
    while k < len(words):
        taken = figure.take(words[k:])
        if not taken:
            break
        k += taken
    if k == first:
        return None
    value = figure.total + figure.group
    return Number(float(value), at, ends[k - 1], value == value.to_integral_value() and value < 1000)


# Chinese --------------------------------------------------------------------------------------------------------------

_HAN = {
    **dict(zip("零一二三四五六七八九", range(10), strict=True)),
    **dict(zip("〇壹贰叁肆伍陆柒捌玖", range(10), strict=True)),
    **dict(zip("两兩俩仨", (2, 2, 2, 3), strict=True)),
}
_HAN_UNITS = {"十": 1, "拾": 1, "百": 2, "佰": 2, "千": 3, "仟": 3, "万": 4, "萬": 4, "亿": 8, "億": 8}
_HAN_CHARS = "".join(_HAN) + "".join(_HAN_UNITS)
_HAN_RUN = re.compile(
    rf"(?:[0-9]{{1,15}}(?:\.[0-9]{{1,15}})?\s?)?[{_HAN_CHARS}](?:[{_HAN_CHARS}点]|[0-9]{{1,15}}){{0,30}}"
)
_NOT_HAN = re.compile(
    f"一样|一起|一下|一些|一定|一直|一般|一共|一切|一点(?![{''.join(_HAN)}])|万一|十分|千万别|一半|一会|一方"
)
"""Words that only look like figures."""
_HAN_PIECE = re.compile(rf"[0-9]+(?:\.[0-9]+)?|[{_HAN_CHARS}]")


def _han(text: str, at: int) -> Number | None:
    if _NOT_HAN.match(text, at) or text[at - 1 : at] == "第":
        return None
    found = _HAN_RUN.match(text, at)
    if not found:
        return None
    run = found[0].rstrip("点")
    value = han_value(run)
    if value is None or value >= 10**MAX_DIGITS:
        return None
    plain = value == value.to_integral_value() and value < 1000
    return Number(float(value), at, at + len(run), plain)


def han_value(run: str) -> Decimal | None:
    """The value of a Chinese numeral, also a mixed one (15万5千); None where it is not well formed."""
    if "点" in run:
        return _han_decimal(run)
    pieces = _HAN_PIECE.findall(run.replace(" ", ""))
    if all(piece in _HAN for piece in pieces):
        return Decimal("".join(str(_HAN[piece]) for piece in pieces)) if len(pieces) == 1 or len(pieces) > 2 else None
    total = section = Decimal(0)
    digit: Decimal | None = None
    unit, zero, largest = 0, False, 99
    for piece in pieces:
        power = _HAN_UNITS.get(piece)
        if power is None:
            if digit is not None:
                return None
            if piece in ("零", "〇"):
                zero = True
            else:
                digit = Decimal(str(_HAN.get(piece, piece)))
        elif power >= 4:
            if power >= largest:
                return None
            section += digit or 0
            total += (section or Decimal(1)).scaleb(power)
            section, digit, unit, zero, largest = Decimal(0), None, power, False, power
        else:
            section += (Decimal(1) if digit is None else digit).scaleb(power)
            digit, unit, zero = None, power, False
    if digit is not None:
        short = unit > 1 and not zero and digit < 10  # 三万五: a last digit counts tenths of the unit before it
        section += digit.scaleb(unit - 1) if short else digit
    return total + section


def _han_decimal(run: str) -> Decimal | None:
    found = re.fullmatch(rf"([0-9{''.join(_HAN)}十]+)点([0-9{''.join(_HAN)}]+)([百千万萬亿億]*)", run)
    whole = han_value(found[1]) if found else None
    if found is None or whole is None:
        return None
    digits = "".join(str(_HAN.get(digit, digit)) for digit in found[2])
    return (whole + Decimal(f"0.{digits}")).scaleb(sum(_HAN_UNITS[unit] for unit in found[3]))


# All ------------------------------------------------------------------------------------------------------------------

_START = re.compile(rf"[0-9½¼¾.]|[{_HAN_CHARS}]|(?<![a-zA-Z])[a-zA-Z]")
_FULLWIDTH = {code: code - 0xFEE0 for code in range(0xFF10, 0xFF1A)} | {ord("．"): ".", ord("，"): ","}


def match(text: str, at: int) -> Number | None:
    """The figure that begins at this place of a text; None where none does. Currency signs are no part of it."""
    character = text[at]
    if character.isascii() and character.isalpha():
        return _spoken(text, at)
    if character in _HAN_CHARS:
        return _han(text, at)
    if character.isascii() and character.isdigit():
        return _longer(_digits(text, at), _han(text, at))
    return _digits(text, at) if character in "½¼¾." else None


def _longer(one: Number | None, two: Number | None) -> Number | None:
    if one is None or two is None:
        return one or two
    return two if two.end > one.end else one


def numbers(text: str) -> list[Number]:
    """All figures of a text, in order; the work is linear in its length."""
    text = widths(text)
    found: list[Number] = []
    at = 0
    while (start := _START.search(text, at)) is not None:
        at = start.start()
        one = match(text, at)
        if one is not None:
            found.append(one)
            at = one.end
        else:
            at = _past(text, at)
    return found


def _past(text: str, at: int) -> int:
    """Behind what is no figure: a string of digits that is none is passed as a whole."""
    digits = re.compile(r"[0-9][0-9.,'’]*").match(text, at)
    return digits.end() if digits else at + 1


def widths(text: str) -> str:
    """The text with full-width digits as the others; as long as before."""
    return text if text.isascii() else text.translate(_FULLWIDTH)


def number(text: str) -> float | None:
    """The value of a text that is a figure and nothing else, but for a currency sign before it; None if it is not."""
    text = widths(text.strip())
    sign = _SIGNS.match(text)
    at = sign.end() if sign else 0
    one = match(text, at) if at < len(text) else None
    return one.value if one is not None and not text[one.end :].strip() else None


def in_digits(text: str) -> str:
    """The text with its figures in English words written in digits: "a hundred and fifty thousand" as "150,000".

    A lone "one" stays a word: it is seldom a figure.
    """
    text = widths(text)
    kept: list[str] = []
    at = 0
    for one in numbers(text):
        said = text[one.start : one.end]
        if said[0].isascii() and said[0].isalpha() and one.value != 1:
            whole = one.value == int(one.value)
            kept += [text[at : one.start], f"{one.value:,.0f}" if whole else f"{one.value:,.2f}"]
            at = one.end
    return "".join([*kept, text[at:]])

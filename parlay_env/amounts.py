"""The amounts of money that a negotiation message names, in English and Chinese figures.

One rule reads them: words that name amounts, none of which is the offer made with them, are incoherent. A figure
read wrongly punishes an honest speaker, so the reading follows one maxim: when in doubt, leave out. See `amounts`.
"""

import re
from bisect import bisect_left
from decimal import Decimal
from enum import Enum
from itertools import islice
from typing import NamedTuple

MAX_DIGITS = 15
"""A longer string of digits is an identifier, not money; up to here a float is exact."""

CONTEXT = 40
"""How many characters on either side of a figure are looked at."""

LIKE = 1.5
"""Amounts within this factor of each other are of one kind, as two sides' figures for one thing are."""


class _Reading(Enum):
    AMOUNT = "money beyond reasonable doubt"
    DOUBTFUL = "a bare number, money only beside a like amount"
    OTHER = "a share, a count, a time, a date, a label, a difference"


class _Shape(Enum):
    MARKED = "with a currency or a magnitude: $11, 150k, 15万"
    SEPARATED = "with separators or decimals: 150,000 or 10.50"
    INTEGER = "digits alone, from 1000 up"
    BARE = "below 1000 without any mark: 11, 十五"


class _Figure(NamedTuple):
    start: int
    end: int
    number: float  # as written, before its magnitude
    power: int  # ten to this power is its magnitude: 150k has 3, 15万 has 4
    shape: _Shape
    reading: _Reading = _Reading.OTHER


class _Around(NamedTuple):
    """What stands next to a figure, in lower case."""

    before: str
    after: str
    last: list[str]  # the last words before it, without a currency between
    coded: bool  # there was a currency in letters between
    next: tuple[str, str, str]  # the words that follow it, up to the next punctuation; empty where there are none


FIGURES_AT_MOST = 48
"""Figures of a text that are read: nobody names more, and hostile text must not cost more."""


def amounts(text: str) -> tuple[float, ...]:
    """The amounts of money named in `text`, in the order of the text, repeats kept; each finite and >= 0.

    Units are those of the figures as written: `150k` is 150000.0, `1.2 million` 1200000.0, `15.5万` 155000.0. A
    currency is understood and not reported. Never raises for a string; the work grows with its length, but for one
    sort of the figures, linearly.

    Read as amounts: figures with a currency (`$10`, `USD 150,000`, `€1.5m`, `15元`), a magnitude (`150k`, `1.2M`,
    `150 thousand`, `十五万`, `1.2亿`), grouped thousands (`150,000`, `150 000`, `150.000`, `1,50,000`), a decimal
    part (`10.50`), a price per unit (`11 a unit`), and plain integers from 1000 up. After an ordinary space or a
    single full stop a group of three counts only if it ends in 00: `110 120` is two figures, `1.125` is left out.
    In a range or an alternative the first figure shares the magnitude of the second: `150-160k` names two amounts.

    Left out: percentages, times, durations, counts with their unit (`5k units`, `90天`), ordinals, labels (`net 60`,
    `turn 8`, `Q4`, `v2`, `401k`), dates, telephone numbers, negative figures, differences (`another 5k`,
    `20k apart`, `再加5万`), and numbers in words (`a million`).

    Doubtful are plain integers under 1000 that no price word introduces (`at 11` is a price, and `11` as the whole
    message; `for 11 plants` is not), figures before a plural that may be what they count (`5000 calories`), and bare
    years: an integer from 1900 to 2099 without currency, magnitude or comma is a year where the text says so
    (`in 2026`, `2026年`), doubtful elsewhere. A doubtful figure is left out unless the text also names an amount
    within a factor of `LIKE` of it, as written or in that amount's magnitude (`I said 150, you said 160k`): to drop
    one of two like figures would make an honest offer look unnamed.
    """
    if not _NUMERAL.search(text):
        return ()
    text = _halfwidth(text)
    read = (_read(text, match) for match in islice(_FIGURE.finditer(text), FIGURES_AT_MOST))
    figures = _joined(text, [figure for figure in read if figure])
    sure = [figure for figure in figures if figure.reading is _Reading.AMOUNT]
    named = sorted(map(_worth, sure))
    marked = sorted(_worth(figure) for figure in sure if figure.shape is not _Shape.BARE)
    powers = sorted({figure.power for figure in sure} | {0})
    settled = (_settled(figure, marked if figure.reading is _Reading.AMOUNT else named, powers) for figure in figures)
    return tuple(amount for amount in settled if amount is not None)


# The shape of a figure

_HAN_DIGITS = {
    **dict(zip("零一二三四五六七八九", range(10), strict=True)),
    **dict(zip("〇壹贰叁肆伍陆柒捌玖", range(10), strict=True)),
    **dict.fromkeys("两兩", 2),
}
_DIGIT, _UNIT = "".join(_HAN_DIGITS), "十拾百佰千仟万萬亿億"
_GAP = "\u00a0\u2009\u202f"  # no-break, thin and narrow no-break space
_POWERS = {"k": 3, "thousand": 3, "grand": 3, "m": 6, "mm": 6, "mn": 6, "mln": 6, "mio": 6, "million": 6}
_POWERS |= {"b": 9, "bn": 9, "billion": 9}
_CODES = "usd|eur|gbp|rmb|cny|hkd|chf|cad|aud|sgd|jpy|inr"

_NUMERAL = re.compile(rf"[0-9０-９{_UNIT}]")
_FIGURE = re.compile(
    rf"""(?=[0-9{_DIGIT}{_UNIT}])
        (?:(?P<digits>[0-9]{{1,3}}(?:\ [0-9]{{3}}){{0,2}}\ [0-9]00(?![0-9]|[.,'][0-9])
                     |[0-9]++(?:[.,'’{_GAP}][0-9]++)*+)
           (?:(?P<magnitude>(?i:[ ]?(?:thousand|grand|million|billion|mln|mio)|mm|mn|bn|[km])|B|[ ][KkM])
              (?i:(?![a-z0-9_])|(?=(?:{_CODES})(?![a-z])))
             |(?P<han_rest>(?:[百佰千仟]|[ ]?[万萬亿億])[{_UNIT}]*+
                  (?:(?:[0-9]++(?:\.[0-9]++)?+|[{_DIGIT}]{{1,2}})[{_UNIT}]++)*+
                  (?:[1-9{_DIGIT}](?=[元块\s]|[^\w]|$))?))?
          |(?P<han>[{_DIGIT}]{{0,2}}[{_UNIT}]++(?:[{_DIGIT}]{{1,2}}[{_UNIT}]++)*+
                  (?:零?[{_DIGIT}](?=[元块到至或\s]|[^\w]|$))?))""",
    re.VERBOSE,
)
_GROUPED = re.compile(rf"[0-9]{{1,3}}([,'’{_GAP} ])[0-9]{{3}}(?:\1[0-9]{{3}})*(?:\.[0-9]+)?")
_GROUPED_INDIAN = re.compile(r"[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}(?:\.[0-9]+)?")
_GROUPED_BY_POINTS = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]00|(?:\.[0-9]{3}){2,}|(?:\.[0-9]{3})+,[0-9]{2})")
_NOT_DECIMAL = re.compile(r"[^0-9.]")
_DECIMAL = re.compile(r"[0-9]+\.[0-9]+")
_DECIMAL_COMMA = re.compile(r"[0-9]+,[0-9]{1,2}")
_N = rf"[0-9]+(?:\.[0-9]+)?|[{_DIGIT}]"
_HAN_PARTS = re.compile(r"(?:(.+?)[亿億])?(?:(.+?)[万萬])?(.*)")
_HAN_SECTION = re.compile(rf"(?:({_N})[千仟])?零?(?:({_N})[百佰])?零?(?:((?:{_N})?)[十拾])?零?({_N})?")
_HALF = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if code != ord("，")} | {ord("￥"): "¥"}
_FULLWIDTH_COMMA = re.compile("(?<=[０-９])，(?=[０-９]{3})")


def names(text: str, amount: float) -> bool:
    """Does `text` hold this amount in one of its two plainest forms, `150,000` or `150000`, standing alone?

    A quick look for a figure that one expects; `amounts` reads what is there.
    """
    plain = f"{amount:.0f}" if amount == int(amount) else f"{amount:.2f}"
    for figure in (f"{amount:,.0f}" if amount == int(amount) else plain, plain):
        at = text.find(figure)
        if at >= 0:
            before, after = text[at - 1 : at], text[at + len(figure) : at + len(figure) + 2]
            if not (before.isdigit() or before in _INSIDE) and not (
                after[:1].isdigit() or after[:1] in _SCALES or (after[:1] in ",." and after[1:].isdigit())
            ):
                return True
    return False


_INSIDE = (",", ".", "-", "−")
_SCALES = ("k", "K", "m", "M", "b", "B", "%", "万", "亿", "w", "W")


def _halfwidth(text: str) -> str:
    if text.isascii():
        return text
    return _FULLWIDTH_COMMA.sub(",", text).translate(_HALF)


def _number(digits: str, marked: bool) -> float | None:
    """The value of digits with separators, None where these leave it open; `marked` by a currency or a magnitude."""
    if len(digits) > 2 * MAX_DIGITS:
        return None
    value = None
    if digits.isdigit():
        value = float(digits) if digits == "0" or digits[0] != "0" else None
    elif _GROUPED.fullmatch(digits) or _GROUPED_INDIAN.fullmatch(digits):
        value = float(_NOT_DECIMAL.sub("", digits))
    elif _DECIMAL.fullmatch(digits) and (marked or digits[0] == "0" or digits[-4:-3] != "."):
        value = float(digits)
    elif _GROUPED_BY_POINTS.fullmatch(digits):
        value = float(digits.replace(".", "").replace(",", "."))
    elif marked and _DECIMAL_COMMA.fullmatch(digits):
        value = float(digits.replace(",", "."))
    return value if value is not None and value < 10**MAX_DIGITS else None


def _han_number(text: str) -> tuple[float, int] | None:
    """(number, power) of a Chinese numeral, also a mixed one like 15万5千; None where it is not well formed (千万)."""
    parts = _HAN_PARTS.fullmatch(text)
    if parts is None or len(text) > 2 * MAX_DIGITS:
        return None
    value, unit = Decimal(0), 0
    for section, power in zip(parts.groups(), (8, 4, 0), strict=True):
        if section:
            worth = _han_section(section, after=unit if power == 0 else 0)
            if worth is None:
                return None
            value, unit = value + worth.scaleb(power), power
    return (float(value.scaleb(-unit)), unit) if value else None


def _han_section(text: str, after: int) -> Decimal | None:
    """What stands before, between or after 亿 and 万. A last digit counts tenths of the unit before it: 一万二."""
    match = _HAN_SECTION.fullmatch(text)
    if match is None:
        return None
    thousands, hundreds, tens, ones = match.groups()
    value = _han_digit(thousands) * 1000 + _han_digit(hundreds) * 100
    value += 0 if tens is None else _han_digit(tens or "一") * 10
    unit = 1 if "零" in text or tens is not None else 2 if hundreds else 3 if thousands else after or 1
    return value + _han_digit(ones).scaleb(unit - 1 if len(ones or "") == 1 else 0)


def _han_digit(text: str | None) -> Decimal:
    return Decimal(0) if not text else Decimal(_HAN_DIGITS.get(text, text))


# What stands around a figure: words that settle what it is


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MARKS = "$€£¥₹"
_SYMBOLS = tuple(_MARKS)
_CURRENCIES = _words(_CODES.replace("|", " ") + " dollar dollars euro euros bucks quid yuan yen rupee rupees")
_HAN_MONEYS = tuple(_words("美元 美金 欧元 英镑 港币 港元 日元 人民币 台币 新台币"))
_HAN_CURRENCIES = ("元", "块", "圆", *_HAN_MONEYS)
_PER_UNIT = re.compile(r"\s?(?:/|per\s|an?\s)\s?(?:unit|piece|pc|item|kg|ton|tonne|share)(?![a-z])")
_MORE_DIGITS = re.compile(rf"\s?[元块][0-9{_DIGIT}]")  # 10块5: a fraction that is not read here

_SHARES = _words("percent percentage pct bps")
_OUT_OF = re.compile(r"\s?(?:/10(?![0-9.])|out\sof\s[0-9])")
_APART = _words("apart off lower higher cheaper short extra difference gap discount rebate concession")
_STANDARDS = _words("market asking list last floor target")
_NO_DIFFERENCE = _words("or like than reasonable realistic tax taxes")  # "150k more or less" is one figure
_ADDING = _words("""
    by another extra additional further plus minus cut reduce reduced drop dropped lower lowered add added
    adding save saves saved saving savings move moved moving concede conceded conceding
    """)
_GAPS = _words("gap difference discount rebate increase decrease reduction concession raise saving savings")
_MOVING = _words("come came coming go going went")
_HAN_ADDING = tuple(_words("再加 再降 加价 增加 降价 降 相差 还差 便宜 减少 优惠 让 让利 让步 节省"))

_ADJECTIVES = _words("business working calendar full more extra additional other long paid new active annual stock")
_COUNTED = _words("""
    second seconds sec secs minute minutes min mins hour hours hr hrs day days night nights week weeks wk wks
    month months quarters decade decades year years yr yrs o'clock o’clock am pm unit units pieces pcs item
    items boxes pallets containers ton tons tonne tonnes kg kgs lb lbs km miles seat seats user users licence
    licences license licenses people person persons employee employees staff headcount fte ftes engineer
    engineers developer developers hires customer customers clients companies vendors suppliers competitors
    subscribers accounts members devices servers downloads requests transactions tokens words pages copies stars
    rsus psus options shares cent cents times
    """)
_HAN_COUNTED = re.compile(
    r"""\s?(?:[个件台套名位家次天日号周秒轮份股点页岁期户席辆箱吨斤折倍张间批盒瓶火]|人(?!民币)|条(?!件)|项|款(?!项)|平(?!均)
        |年(?![薪费租付度化总底末初内前])|月(?![薪费租付供])|成(?![交功本])|只(?![是要有能])|包(?![含括干])
        |星期|小时|分钟|回合|公斤|公里|用户|客户|员工|单位)""",
    re.VERBOSE,
)

_MONTHS = _words("""
    jan january feb february mar march apr april may jun june jul july aug august sep sept september oct october
    nov november dec december
    """)
_YEAR_WORDS = _MONTHS | _words("in by since until till during before after early late mid year fy calendar fiscal")
_YEAR_WORDS |= _words("q1 q2 q3 q4 h1 h2")
_CODE_WORDS = _words("iso rfc room form ticket invoice order po ext phone tel call zip code id ref fortune")
_VERSIONS = _words("""
    version ver v release section clause article paragraph chapter table fig python tls rated rating score
    scored nps
    """)
_LABELS = _words("""
    net turn round step day week month year quarter phase stage option plan package page item nr line room rule
    point tier level top series soc gdpr age aged grade rank fy within windows part lot batch case group class
    """)
_LABELS |= _CODE_WORDS | _VERSIONS | _MONTHS
_QUANTITIES = _words("moq quantity qty volume")
_HAN_QUANTITIES = tuple(_words("起订量 订购量 数量 销量"))

_LINKS = _words("of is was to at for on be would you only just about around my your our the me us now not from")
_PRICES = _words("""
    price prices priced pricing pay pays paying offer offers offered offering bid ask asking accept do at sell
    buy rate quote quoted quoting settle counter floor ceiling limit budget close agree down figure number final
    proposal propose proposing suggest say cost costs worth
    """)
_HAN_PRICES = tuple(_words("出 给 价 价格 付 卖 买 收 按 降到 涨到 降至 加到"))
_HAN_LINKS = tuple("是为到你您我")
_FOLLOWERS = _words("""
    and or but if is was as for per a an each apiece with in instead now then today plus at only max would will
    work works look looks seem seems sound sounds feel feels make makes get gets give gives leave leaves mean
    means final flat total all to so because since not too here please unless when while by vs versus you we i
    it that this against than may might can could should sit sits stand stands cover covers beat beats reflects
    represents exceeds closes wins puts brings always does goes takes keeps helps meets matches lands falls
    needs allows ensures shows hits perhaps
    """)
_CLAUSE_ENDS = re.compile(r"[^\S\n]{0,3}(?:\n|\Z|[^\sa-z0-9_/%:\u3400-\u9fff]|[吧吗呢啊的可行就是太还或和到至以也怎])")
_NOTHING_AFTER = re.compile(r"[\s.!?。]{0,8}\Z")
_NONE = ("", "", "")
_NEXT_WORDS = re.compile(r"[\s-]{0,2}([a-z’']++)(?:\s([a-z]++))?(?:\s([a-z]++))?")
_CHAINED_BEFORE = re.compile(r"(?:[a-z]-|[0-9a-z]/|[0-9]-[0-9]{1,4}-|(?:19|20)[0-9]{2}-)\Z")
_CHAINED_AFTER = re.compile(r"-[a-z]|/[0-9]|-[0-9]{1,4}-[0-9]|\s?\(k\)")
_DATED_AFTER = re.compile(r"-[0-9]{1,2}(?![0-9km])|\s?年")


def _read(text: str, match: re.Match[str]) -> _Figure | None:
    """One figure with its reading; None where its digits have no one value."""
    start, end = match.span()
    before, after = text[max(0, start - CONTEXT) : start].lower(), text[end : end + CONTEXT].lower()
    last = before.rstrip(" " + _MARKS).split()[-5:]
    coded = bool(last) and last[-1].lstrip("(") in _CURRENCIES
    following = _NEXT_WORDS.match(after)
    words = (following[1], following[2] or "", following[3] or "") if following else _NONE
    around = _Around(before, after, last[:-1] if coded else last, coded, words)
    money = _has_currency(around)
    figure = _parse(match, money)
    if figure is None:
        return None
    shape = _Shape.MARKED if money else figure.shape
    return figure._replace(shape=shape, reading=_reading(around, figure, money))


def _parse(match: re.Match[str], money: bool) -> _Figure | None:
    start, end = match.span()
    digits, magnitude, han = match["digits"], match["magnitude"], match["han"] or match["han_rest"]
    value = _number(digits, marked=bool(money or magnitude or han)) if digits else None
    if digits and value is None:
        return None
    if han:
        parsed = _han_number(han.strip() if value is None else repr(value) + han.strip())
        if parsed is None:
            return None
        number, power = parsed
        return _Figure(start, end, number, power, _Shape.MARKED if number * 10**power >= 1000 else _Shape.BARE)
    number = value or 0.0
    if magnitude:
        return _Figure(start, end, number, _POWERS[magnitude.strip().lower()], _Shape.MARKED)
    if not digits.isdigit():
        return _Figure(start, end, number, 0, _Shape.SEPARATED)
    return _Figure(start, end, number, 0, _Shape.INTEGER if number >= 1000 else _Shape.BARE)


def _reading(around: _Around, figure: _Figure, money: bool) -> _Reading:
    """What a figure is, by its neighbours."""
    if _is_share(around) or _is_difference(around) or _is_count(around) or _MORE_DIGITS.match(around.after):
        return _Reading.OTHER
    if money:
        return _Reading.AMOUNT
    if _is_glued(around) or _is_quantity(around):
        return _Reading.OTHER
    if figure.shape is not _Shape.BARE and _is_plural(around.next[0]):
        return _Reading.DOUBTFUL
    if figure.shape is _Shape.MARKED:
        pension_plan = figure.number == 401 and figure.power == 3
        return _Reading.OTHER if pension_plan else _Reading.AMOUNT
    if figure.shape is _Shape.SEPARATED:
        return _Reading.OTHER if figure.number < 1000 and _is_labelled(around, _VERSIONS) else _Reading.AMOUNT
    if _CHAINED_AFTER.match(around.after) or (around.before[-1:] in "-/" and _CHAINED_BEFORE.search(around.before)):
        return _Reading.OTHER
    return _integer_reading(around, figure.number) if figure.shape is _Shape.INTEGER else _bare_reading(around)


def _integer_reading(around: _Around, number: float) -> _Reading:
    """What digits alone are from 1000 up: money, unless a code or a year."""
    if _is_labelled(around, _CODE_WORDS):
        return _Reading.OTHER
    if 1900 <= number <= 2099:
        word = around.last[-1].rstrip("-") if around.last else ""
        dated = word in _YEAR_WORDS or around.last[-2:] == ["end", "of"] or (word[:1].isdigit() and word[-1] == ",")
        return _Reading.OTHER if dated or _DATED_AFTER.match(around.after) else _Reading.DOUBTFUL
    return _Reading.AMOUNT


def _bare_reading(around: _Around) -> _Reading:
    """What a small integer is: a price where a price word introduces it and no noun follows."""
    first, second, _ = around.next
    dated = (first in _MONTHS and not (first == "may" and second)) or (first == "of" and second in _MONTHS)
    if dated or _is_labelled(around, _LABELS) or not (first in _FOLLOWERS or _CLAUSE_ENDS.match(around.after)):
        return _Reading.OTHER
    alone = not around.before.strip() and _NOTHING_AFTER.match(around.after)
    return _Reading.AMOUNT if alone or _is_priced(around) else _Reading.DOUBTFUL


def _has_currency(around: _Around) -> bool:
    before, after, (first, second, _) = around.before.rstrip(" "), around.after.lstrip(" "), around.next
    if around.coded or before.endswith(_SYMBOLS + _HAN_MONEYS):
        return True
    if after.startswith(_SYMBOLS):
        return not after[1:].lstrip(" ")[:1].isdigit()  # else the mark is the next figure's
    if first in _CURRENCIES or (first == "us" and second in _CURRENCIES) or after.startswith(_HAN_CURRENCIES):
        return True
    return bool(_PER_UNIT.match(around.after))


def _is_share(around: _Around) -> bool:
    first, second, _ = around.next
    if around.after.lstrip(" ").startswith(("%", "‰")) or around.before.endswith(("百分之", "千分之", "万分之")):
        return True
    if first in _SHARES or (first, second) in (("per", "cent"), ("basis", "point"), ("basis", "points")):
        return True
    return around.last[-2:] == ["out", "of"] or bool(_OUT_OF.match(around.after))


def _is_difference(around: _Around) -> bool:
    return _is_negative(around.before) or _is_added(around) or _is_compared(around)


def _is_negative(before: str) -> bool:
    """A sign that touches the figure and, unlike the dash of a range, nothing on its left."""
    before = before.rstrip(_MARKS)
    if not before.endswith(("-", "−", "+")):
        return False
    left = before[:-1]
    return not left.strip() or left[-1] == "(" or (left[-1].isspace() and left.rstrip()[-1] not in "0123456789km%万亿")


def _is_added(around: _Around) -> bool:
    last = around.last
    if last and last[-1] in ("about", "around", "just", "only", "roughly", "a", "an"):
        last = last[:-1]
    word, earlier = (last[-1] if last else ""), (last[-2] if len(last) > 1 else "")
    if word in _ADDING or (word == "of" and earlier in _GAPS) or (word in ("up", "down") and earlier in _MOVING):
        return True
    if word in ("you", "us") and earlier.startswith("sav"):
        return True
    han = around.before.rstrip(" ").removesuffix("了")
    return han.endswith(_HAN_ADDING) or (han.endswith(("多", "少")) and not han[:-1].endswith(("最", "不", "至")))


def _is_compared(around: _Around) -> bool:
    first, second, third = around.next
    if first in _APART or (first in ("more", "less") and second not in _NO_DIFFERENCE):
        return True
    if first == "too":
        return second in ("much", "high", "low")
    if first in ("below", "above", "under", "over"):
        return second in ("your", "my", "our", "their") or (second == "the" and third in _STANDARDS)
    return around.after.lstrip(" ").startswith(("的差距", "的差价", "的折扣", "的优惠"))


def _is_count(around: _Around) -> bool:
    first, second, third = around.next
    noun, after = (second, third) if first in _ADJECTIVES else (first, second)
    if noun in _COUNTED:
        return not (noun == "unit" and after in ("price", "cost", "rate")) and not (noun == "year" and after == "one")
    return bool(_HAN_COUNTED.match(around.after)) and not around.after.lstrip(" ").startswith(_HAN_CURRENCIES)


def _is_glued(around: _Around) -> bool:
    """A part of a word, of a time of day, of an ordinal, of an address."""
    left, right = around.before[-2:], around.after[:2]
    if left and (left[-1] in "_#@&第几数" or (left[-1].isascii() and left[-1].isalpha())):
        return True
    if right and (right[0] in "_°²" or (right[0].isascii() and right[0].isalpha())):
        return True
    time = (left[-1:] == ":" and left[:1].isdigit()) or (right[:1] == ":" and right[1:].isdigit())
    return time or (left[-1:] == "." and not left[:1].isalnum())


def _is_plural(word: str) -> bool:
    """By its looks: 5000 calories. A verb may look so too, but the ones that follow a price are known."""
    return len(word) > 3 and word[-1] == "s" and word[-2] not in "isu’'" and word not in _FOLLOWERS


def _is_quantity(around: _Around) -> bool:
    last = around.last
    if last and last[-1] in ("of", "is", "at", "to"):
        last = last[:-1]
    if not last:
        return False
    word = last[-1].rstrip(":")
    if word in _QUANTITIES or (word in ("order", "orders") and last[-2:-1] in (["minimum"], ["min"], ["min."])):
        return True
    return around.before.rstrip(" :").removesuffix("是").removesuffix("为").endswith(_HAN_QUANTITIES)


def _is_labelled(around: _Around, labels: frozenset[str]) -> bool:
    if not around.last:
        return False
    word = around.last[-1]
    return word.rstrip(".:#-") in labels or word == "no." or around.last[-2:] in (["score", "of"], ["rating", "of"])


def _is_priced(around: _Around) -> bool:
    """A price word introduces the figure, at most three small words between: `our offer is now 11`."""
    for word in reversed(around.last[-4:]):
        name = word.strip("(~:=")
        if name in _PRICES:
            return True
        if name and name not in _LINKS:
            break
    han = around.before.rstrip(" :")
    return han.endswith(_HAN_PRICES) or (han.endswith(_HAN_LINKS) and han[:-1].endswith(_HAN_PRICES))


# Figures that explain each other

_CONNECTOR = re.compile(
    r"\s{0,2}(?:-|–|—|−|~|to|or|and|vs\.?|至|到|或|和|还是)\s{0,2}(?:[$€£¥]|(?:usd|eur|gbp|rmb)\s)?", re.IGNORECASE
)

_DASHES = frozenset("-–—−~至到")


def _joined(text: str, figures: list[_Figure]) -> list[_Figure]:
    """Let the first of a range or an alternative share the magnitude, or the unit, of the second."""
    joined = figures[:]
    for place in range(len(figures) - 1, 0, -1):
        first, second = joined[place - 1], joined[place]
        small = first.power == 0 and first.number < 1000 and first.reading is not _Reading.OTHER
        if not small or second.start - first.end > 12:
            continue
        between = text[first.end : second.start]
        if not _CONNECTOR.fullmatch(between):
            continue
        if second.reading is _Reading.OTHER:
            if between.strip() in _DASHES or (first.shape is _Shape.BARE and "and" not in between.lower()):
                joined[place - 1] = first._replace(reading=_Reading.OTHER)
        elif second.power and second.number / 10 <= first.number < second.number:
            joined[place - 1] = first._replace(power=second.power, shape=_Shape.MARKED, reading=second.reading)
    return joined


def _settled(figure: _Figure, others: list[float], powers: list[int]) -> float | None:
    """The amount a figure names, None for none; a doubtful or a bare one is held against the amounts in `others`."""
    if figure.reading is _Reading.OTHER:
        return None
    if figure.shape is _Shape.BARE or figure.reading is _Reading.DOUBTFUL:
        for power in powers if figure.shape is _Shape.BARE else [figure.power]:
            value = _value(figure.number, power)
            nearest = bisect_left(others, value / LIKE)
            if nearest < len(others) and others[nearest] <= value * LIKE:
                return value
    return _worth(figure) if figure.reading is _Reading.AMOUNT else None


def _worth(figure: _Figure) -> float:
    return _value(figure.number, figure.power)


def _value(number: float, power: int) -> float:
    """number 10**power, exact to the decimal: 1.1 M is 1100000.0 and not a bit more."""
    return float(Decimal(repr(number)).scaleb(power)) if power else number

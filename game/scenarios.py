"""Scenarios: one YAML file each, validated on load. Adding one needs no code (docs/scenarios.md)."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from itertools import product
from math import floor, isfinite, prod
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import yaml

from game.events import SPLITS, Split, YamlLoader

SEATS = ("seller", "buyer")
SeatName = Literal["seller", "buyer"]
Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
MAX_COMBINATIONS = 4096
"""At most this many combinations of values of all issues but the longest (an offer is chosen among them every turn)."""
MAX_UTILITY = 1e13
"""Largest money figure a scenario may name, in its unit."""
MAX_VALUES = 10_000_000
"""At most about this many values of one issue."""
MAX_HEADLINES = 8
MAX_SWEETENERS = 16
MAX_TEXT = 100_000
"""Longest scenario file, in characters."""
MAX_DEPTH = 12
"""Deepest nesting of a scenario file."""


class ScenarioError(ValueError):
    """A scenario that can't be played. `problems` names each fault and what would be right."""

    def __init__(self, problems: list[str]) -> None:
        # A problem may quote the file, which anybody may have written.
        self.problems = ["".join(c if c.isprintable() else "?" for c in problem[:400]) for problem in problems[:40]]
        super().__init__("; ".join(self.problems))

    def __reduce__(self) -> tuple[type[ScenarioError], tuple[list[str]]]:
        """From another process it comes whole."""
        return ScenarioError, (self.problems,)


class Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text in the languages of the pages."""

    en: str
    zh: str = ""


class Issue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A thing agreed on. Either `values`, in rising order, or `low`, `high` and `step`.

    `rises` is the seat that wants a higher value. The price of a one-issue scenario needs no `low` and `high`: its
    range is 0.1 × the lower to 10 × the higher declared anchor.
    """

    name: str
    title: Text
    step: float = 0.0
    low: float = 0.0
    high: float = 0.0
    values: tuple[float, ...] = ()
    unit: str = ""
    rises: SeatName = "seller"


class Shift(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a scheduled headline does to one seat: urgency added, alternative gained or lapsed, limit tightened (Δ0)."""

    urgency: float = 0.0
    alternative: bool | None = None
    limit: float = 0.0


class Headline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Breaks about `turn` (±2) with `probability`."""

    turn: int
    words: dict[Split, tuple[str, ...]]
    probability: Share = 0.8
    seller: Shift = Shift()
    buyer: Shift = Shift()


class Sweetener(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An extra that `by` can throw in: costs it `cost`·Δ0; worth `worth[0]` to `worth[1]`·Δ0 to the other, who alone
    knows how much."""

    id: str
    by: SeatName
    title: Text
    cost: float
    worth: tuple[float, float]


class Side(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One seat of a scenario: who it is, its declared limit and anchor, its weights when there are several issues."""

    role: Text
    briefing: Text
    limit: float
    anchor: float | None = None
    weights: dict[str, float] = {}


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A scenario as its YAML file has it."""

    id: str
    title: Text
    unit: str
    currency: str
    issues: tuple[Issue, ...]
    seller: Side
    buyer: Side
    stake: float = 0.0
    """M: what the whole range of every issue is worth, in money. Several issues only."""
    urgency: Share = 0.55
    urgency_spread: Share = 0.30
    alternative: Share = 0.5
    """How probable it is that a seat has an alternative."""
    spread: Share = 0.45
    """A seat's walk-away is uniform within this much of Δ0 around the declared limit."""
    headlines: tuple[Headline, ...] = ()
    sweeteners: tuple[Sweetener, ...] = ()

    def side(self, seat: int) -> Side:
        """The seller (0) or the buyer (1)."""
        return self.buyer if seat else self.seller


def parse_scenario(text: str) -> Scenario:
    """A scenario from YAML. Raises ScenarioError: for a fault of form with the first, else with everything wrong."""
    try:
        scenario = msgspec.convert(_read(text), type=Scenario)
    except yaml.YAMLError as error:
        message = " ".join(str(error).replace('in "<unicode string>", ', "at ").split())
        raise ScenarioError([f"not YAML: {message}"]) from None
    except msgspec.ValidationError as error:
        raise ScenarioError([_readable(str(error))]) from None
    except ScenarioError:
        raise
    except (ValueError, OverflowError) as error:
        raise ScenarioError([f"a value that can't be read: {error}"]) from None
    if problems := problems_of(scenario):
        raise ScenarioError(problems)
    return scenario


class _Loader(YamlLoader):
    """Plain YAML: a field that stands twice is an error, not silently the last one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            name = str(key.value)
            if name in seen:
                raise ScenarioError([f"line {key.start_mark.line + 1}: `{name}` stands twice; leave one out"])
            seen.add(name)
        return super().construct_mapping(node, deep)


def _read(text: str) -> Any:
    """What the YAML says. Refuses what a scenario never needs and a hostile file would use."""
    if len(text) > MAX_TEXT:
        raise ScenarioError([f"scenario: at most {MAX_TEXT:,} characters, not {len(text):,}"])
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if getattr(event, "anchor", None) or getattr(event, "tag", None):
            where = f"line {event.start_mark.line + 1}"
            raise ScenarioError(
                [f"{where}: no anchors (&), aliases (*) or tags (!); write it out, or put it in quotes"]
            )
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise ScenarioError([f"line {event.start_mark.line + 1}: nested deeper than {MAX_DEPTH} levels"])
    loader = _Loader(text)
    try:
        raw = loader.get_single_data()
    finally:
        loader.dispose()
    if not isinstance(raw, dict):
        raise ScenarioError(["scenario: must be lines of `field: value`, the first one `id: …`"])
    return raw


_STRUCTS = (Scenario, Side, Issue, Headline, Shift, Sweetener, Text)
_FIELDS = sorted({field for struct in _STRUCTS for field in struct.__struct_fields__})
_KINDS = {
    "`float`": "a number",
    "`int`": "a whole number",
    "`str`": "text",
    "`bool`": "true or false",
    "`array`": "a list",
    "`object`": "lines of `field: value`",
    "`null`": "nothing",
}
_HINTS = {
    "expected a number, got text": "write it like 125000 or 0.45, without sign, unit or comma",
    "expected text, got": "put it in quotes",
    "number out of range": f"figures go from 0 to {MAX_UTILITY:,.0f}",
}


def _readable(message: str) -> str:
    """A message of msgspec's as an author would say it: where first, then what is wrong and what would be right."""
    what, _, where = message.partition(" - at ")
    where = where.replace("`key` in ", "").strip("`").removeprefix("$").removeprefix(".").replace("[...]", "")
    where = re.sub(r"\[(\d+)\]", lambda found: f"[{int(found[1]) + 1}]", where) or "scenario"
    if found := re.fullmatch(r"Object contains unknown field `(.*)`", what, re.DOTALL):
        near = get_close_matches(found[1], _FIELDS, 1)
        what = f"there is no field `{found[1]}` here" + (f"; did you mean `{near[0]}`?" if near else "")
    elif found := re.fullmatch(r"Object missing required field `(.*)`", what):
        what = f"the field `{found[1]}` is missing"
    elif found := re.fullmatch(r"Invalid enum value (.*)", what, re.DOTALL):
        what = f"{found[1]} is not one of {', '.join(SEATS if where.endswith(('by', 'rises')) else SPLITS)}"
    for name, plain in _KINDS.items():
        what = what.replace(name, plain)
    what = what[0].lower() + what[1:]
    hint = next((f": {hint}" for start, hint in _HINTS.items() if what.startswith(start)), "")
    return f"{where}: {what}{hint}"


def problems_of(scenario: Scenario) -> list[str]:
    """What keeps a scenario from being played, each with what would be right; empty when nothing does."""
    form = [*_names(scenario), *_texts(scenario), *_figures(scenario), *_headlines(scenario), *_sweeteners(scenario)]
    found = [*form, *_issues(scenario)]
    return found or (_price_room(scenario) if len(scenario.issues) == 1 else _room(scenario))


def _names(s: Scenario) -> list[str]:
    found = []
    lists = {"issues": [issue.name for issue in s.issues], "sweeteners": [item.id for item in s.sweeteners]}
    for where, names in {"id": [s.id], **lists}.items():
        if not all(re.fullmatch(r"[A-Za-z0-9_]{1,64}", name) and name.strip("_") for name in names):
            found.append(f"{where}: a name has only letters a–z, digits and _, at most 64")
        if len(set(names)) < len(names):
            found.append(f"{where}: two have the same name; names must differ")
    return found


def _texts(s: Scenario) -> list[str]:
    lines = {"title": s.title, **{f"issues.{i.name}.title": i.title for i in s.issues}}
    lines |= {f"{seat}.role": s.side(i).role for i, seat in enumerate(SEATS)}
    lines |= {f"sweeteners.{item.id}.title": item.title for item in s.sweeteners}
    found = [*_text("unit", s.unit, 80), *_text("currency", s.currency, 12)]
    for issue in s.issues:
        found += _text(f"issues.{issue.name}.unit", issue.unit, 80, needed=False)
    for where, line in lines.items():
        found += [*_text(f"{where}.en", line.en, 80), *_text(f"{where}.zh", line.zh, 80, needed=False)]
    for i, seat in enumerate(SEATS):
        briefing = s.side(i).briefing
        found += _text(f"{seat}.briefing.en", briefing.en, 1200, paragraphs=True)
        found += _text(f"{seat}.briefing.zh", briefing.zh, 1200, needed=False, paragraphs=True)
    return found


def _text(where: str, text: str, longest: int, *, needed: bool = True, paragraphs: bool = False) -> list[str]:
    if needed and not text.strip():
        return [f"{where}: must not be empty"]
    if len(text) > longest:
        return [f"{where}: at most {longest} characters, not {len(text)}"]
    if not all(c.isprintable() or c in "\u00a0\u2009\u202f\u3000" or (paragraphs and c == "\n") for c in text):
        return [f"{where}: only visible characters{'' if paragraphs else ', in one line (fold it with >-)'}"]
    return []


def _figures(s: Scenario) -> list[str]:
    named = [("seller.limit", s.seller.limit), ("buyer.limit", s.buyer.limit), ("stake", s.stake)]
    named += [(f"{seat}.anchor", s.side(i).anchor or 0.0) for i, seat in enumerate(SEATS)]
    for issue in s.issues:
        named += [(f"issues.{issue.name}.{key}", getattr(issue, key)) for key in ("low", "high", "step")]
        named += [(f"issues.{issue.name}.values", value) for value in issue.values]
    return [
        f"{name}: must be a figure from 0 to {MAX_UTILITY:,.0f}, not {value:g}"
        for name, value in named
        if not 0 <= value <= MAX_UTILITY
    ]


def _headlines(s: Scenario) -> list[str]:
    found = []
    if len(s.headlines) > MAX_HEADLINES:
        found.append(f"headlines: at most {MAX_HEADLINES}, not {len(s.headlines)}")
    for number, headline in enumerate(s.headlines[:MAX_HEADLINES], start=1):
        where = f"headlines[{number}]"
        if not 3 <= headline.turn <= 18:
            found.append(f"{where}.turn: must be from 3 to 18, not {headline.turn}")
        shifts = (headline.seller, headline.buyer)
        if not all(abs(shift.limit) <= 0.30 and abs(shift.urgency) <= 1 for shift in shifts):
            found.append(f"{where}: a limit shift is at most 0.30 and an urgency shift at most 1, either way")
        if missing := [split for split in SPLITS if not headline.words.get(split)]:
            found.append(f"{where}.words: each split needs at least one wording; none for {', '.join(missing)}")
        wordings = [wording for split in SPLITS for wording in headline.words.get(split, ())]
        for wording in wordings:
            found += _text(f"{where}.words", wording, 200)
        if len({" ".join(wording.casefold().split()) for wording in wordings}) < len(wordings):
            found.append(f"{where}.words: a wording stands twice; all must differ, within a split and between splits")
    return found


def _sweeteners(s: Scenario) -> list[str]:
    found = []
    if len(s.sweeteners) > MAX_SWEETENERS:
        found.append(f"sweeteners: at most {MAX_SWEETENERS}, not {len(s.sweeteners)}")
    for item in s.sweeteners[:MAX_SWEETENERS]:
        least, most = item.worth
        if not 0 <= item.cost < least <= most <= 0.25:
            found.append(f"sweeteners.{item.id}: `worth` is [least, most]; need 0 ≤ cost < least ≤ most ≤ 0.25")
    return found


def _issues(s: Scenario) -> list[str]:
    if not s.issues:
        return ["issues: at least one"]
    if len(s.issues) == 1:
        return _price(s)
    found = [fault for issue in s.issues for fault in _range(issue)]
    if not s.stake > 0:
        found.append("stake: several issues need what the whole range is worth, in money")
    for i, seat in enumerate(SEATS):
        side, names = s.side(i), [issue.name for issue in s.issues]
        if side.anchor is not None:
            found.append(f"{seat}.anchor: only for one issue; with several it is the seat's best outcome")
        if set(side.weights) != set(names):
            found.append(f"{seat}.weights: need exactly the issues {', '.join(names)}")
        elif not (all(weight > 0 for weight in side.weights.values()) and abs(sum(side.weights.values()) - 1) <= 1e-9):
            found.append(f"{seat}.weights: each must be above 0, and together they must be 1")
    return found


def _range(issue: Issue) -> list[str]:
    where, width = f"issues.{issue.name}", issue.high - issue.low
    if issue.values:
        if issue.low or issue.high or issue.step:
            return [f"{where}: either `values`, or `low`, `high` and `step`; not both"]
        rising = len(issue.values) > 1 and list(issue.values) == sorted(set(issue.values))
        return [] if rising else [f"{where}.values: at least two, rising"]
    if not (issue.step >= 0.01 and _is_whole(100 * issue.step) and _is_whole(100 * issue.low)):
        return [f"{where}: needs `values`, or a `step` of at least 0.01; `low` and `step` in whole hundredths"]
    if not width > 0:
        return [f"{where}: `low` must be below `high`"]
    if not width <= MAX_VALUES * issue.step:
        return [f"{where}.step: gives more than {MAX_VALUES:,} values; make it larger"]
    if count_of(issue) < 2 or not _is_whole(width / issue.step):
        return [f"{where}: `high` must be `low` and a whole number of steps"]
    return []


def _is_whole(value: float) -> bool:
    return isfinite(value) and abs(value - round(value)) <= 1e-6


def _price(s: Scenario) -> list[str]:
    price, seller, buyer = s.issues[0], s.seller, s.buyer
    found = []
    if price.values or price.low or price.high or price.rises != "seller":
        found.append(
            f"issues.{price.name}: the price of a one-issue scenario rises for the seller, and its range comes from "
            "the anchors (no `values`, `low`, `high`)"
        )
    if not (price.step >= 0.01 and _is_whole(100 * price.step)):
        found.append(f"issues.{price.name}: needs a `step` of at least 0.01, in whole hundredths")
    if s.stake or seller.weights or buyer.weights:
        found.append("stake, weights: only for several issues; leave them out")
    if seller.anchor is None or buyer.anchor is None:
        found.append("seller.anchor, buyer.anchor: a one-issue scenario needs both")
    elif not 0 < buyer.anchor < seller.anchor:
        found.append("anchors: the buyer's must be above 0 and below the seller's")
    elif price.step > 0 and not 10 * seller.anchor - buyer.anchor / 10 <= MAX_VALUES * price.step:
        found.append(f"issues.{price.name}.step: gives more than {MAX_VALUES:,} prices; make it larger")
    return found


def _price_room(s: Scenario) -> list[str]:
    seller, buyer, low, high = s.seller.limit, s.buyer.limit, s.buyer.anchor or 0.0, s.seller.anchor or 0.0
    if seller >= buyer:
        return ["limits: the seller's declared limit must be below the buyer's, or there is nothing to agree on"]
    found = []
    if not (seller < high and low < buyer):
        found.append("anchors: the seller's must be above its declared limit, the buyer's below its own")
    if not (seller >= low / 10 and buyer <= high * 10):
        found.append("limits: must be among the possible prices, 0.1 × the buyer's anchor to 10 × the seller's")
    # Where there is no ZOPA, the buyer's limit lies up to .30·Δ0 below the seller's.
    if seller < (s.spread + 0.30) * (buyer - seller):
        found.append("spread: some instances would have limits below 0; narrow `spread`, or bring the limits together")
    if s.issues[0].step > (buyer - seller) / 20:
        found.append(
            f"issues.{s.issues[0].name}.step: at most a twentieth of the width between the declared limits, "
            f"{(buyer - seller) / 20:g}"
        )
    return found


def _room(s: Scenario) -> list[str]:
    combinations = prod(sorted(count_of(issue) for issue in s.issues)[:-1])
    if combinations > MAX_COMBINATIONS:
        return [f"issues: {combinations} combinations besides the longest issue; at most {MAX_COMBINATIONS}"]
    weight = {issue.name: min(s.seller.weights[issue.name], s.buyer.weights[issue.name]) for issue in s.issues}
    if least := [i.name for i in s.issues if s.stake * weight[i.name] / (count_of(i) - 1) < 1]:
        return [f"stake: one step of {', '.join(least)} would be worth less than 1 to a seat; a larger stake or step"]
    if s.seller.limit >= s.stake or s.buyer.limit >= s.stake:
        return ["limits: with several issues a limit is a utility in money, below the stake"]
    if min(declared_width(s)) < s.stake / 20:
        return ["limits: a deal must leave room for both, at least a twentieth of the stake each; lower the limits"]
    return []


def declared_width(scenario: Scenario) -> tuple[float, float]:
    """Δ0 of the seller and of the buyer, in money: the most surplus a seat could have at the declared limits, the other
    being left exactly its own. Negative when no outcome meets both. For a scenario without problems."""
    if len(scenario.issues) == 1:
        width = scenario.buyer.limit - scenario.seller.limit
        return width, width
    *others, longest = sorted(scenario.issues, key=count_of)
    last = count_of(longest) - 1
    best = [0.0, 0.0]
    for seat in (0, 1):
        own, their = scenario.side(seat).weights, scenario.side(1 - seat).weights
        least = scenario.side(1 - seat).limit / scenario.stake
        # Places are counted in the seat's own direction; the other side's direction is always the opposite.
        for places in product(*(range(count_of(issue)) for issue in others)):
            shares = [place / (count_of(issue) - 1) for issue, place in zip(others, places, strict=True)]
            left = sum(their[issue.name] * (1 - share) for issue, share in zip(others, shares, strict=True))
            top = min(last, floor(last * (1 - (least - left) / their[longest.name]) + 1e-9))
            if top >= 0:
                mine = sum(own[issue.name] * share for issue, share in zip(others, shares, strict=True))
                best[seat] = max(best[seat], mine + own[longest.name] * top / last)
    return best[0] * scenario.stake - scenario.seller.limit, best[1] * scenario.stake - scenario.buyer.limit


def count_of(issue: Issue) -> int:
    """How many values an issue with a stated range has."""
    return len(issue.values) if issue.values else round((issue.high - issue.low) / issue.step) + 1


def load_scenario_file(path: str | Path) -> Scenario:
    """A scenario from a file. Raises ScenarioError, also when the file can't be read."""
    try:
        with Path(path).open("rb") as file:
            text = file.read(4 * MAX_TEXT + 1).decode("utf-8")
    except (OSError, ValueError) as error:
        raise ScenarioError([f"can't read {path}: {error}"]) from None
    return parse_scenario(text)


@cache
def scenarios() -> dict[str, Scenario]:
    """The scenarios that ship, by id."""
    found = [
        parse_scenario(file.read_text("utf-8"))
        for file in files("game").joinpath("scenarios").iterdir()
        if file.name.endswith(".yaml")
    ]
    order = {"saas_enterprise": 0, "hiring_package": 1, "acquisition_term_sheet": 2, "supplier_contract": 3}
    return {s.id: s for s in sorted(found, key=lambda s: (order.get(s.id, len(order)), s.id))}

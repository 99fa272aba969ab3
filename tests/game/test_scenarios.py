"""Scenarios: what ships is what the rules say, and no file, however broken, does more than raise ScenarioError."""

from __future__ import annotations

import copy
import math
import pickle
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from game import scenarios as module
from game.events import SPLITS
from game.scenarios import (
    Scenario,
    ScenarioError,
    Shift,
    count_of,
    declared_width,
    load_scenario_file,
    parse_scenario,
    problems_of,
    scenarios,
)

ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs" / "scenarios.md").read_text("utf-8")
USED_CAR = re.findall(r"```yaml\n(.*?)```", DOCS, re.DOTALL)[0]
PRICES = ("saas_enterprise", "hiring_package", "acquisition_term_sheet")
ALL = (*PRICES, "supplier_contract")
NOTHING = Shift()

# id: limits, anchors, step, unit of the money, urgency, alternative
TABLE = {
    "saas_enterprise": (125_000, 165_000, 180_000, 110_000, 100, "annual contract value", 0.55, 0.7),
    "hiring_package": (195_000, 230_000, 240_000, 180_000, 100, "total annual compensation", 0.60, 0.3),
    "acquisition_term_sheet": (10.5e6, 16e6, 18e6, 9e6, 10_000, "valuation", 0.65, 0.7),
}
# id: turn, seller, buyer
NEWS = {
    "saas_enterprise": [
        (8, NOTHING, Shift(urgency=-0.30, alternative=True)),
        (14, Shift(urgency=0.40), Shift(alternative=False)),
    ],
    "hiring_package": [(5, Shift(alternative=True), Shift(urgency=0.25))],
    "acquisition_term_sheet": [
        (7, NOTHING, Shift(urgency=-0.20, limit=0.10)),
        (13, Shift(alternative=True), Shift(urgency=0.40)),
    ],
    "supplier_contract": [],
}


def brute_force_width(s: Scenario) -> tuple[float, float]:
    """Δ0 of both seats over every outcome, one by one."""
    best = [-math.inf, -math.inf]
    for places in product(*(range(count_of(issue)) for issue in s.issues)):
        worth = [0.0, 0.0]
        for issue, place in zip(s.issues, places, strict=True):
            share = place / (count_of(issue) - 1)
            for seat, name in enumerate(("seller", "buyer")):
                worth[seat] += (
                    s.stake * s.side(seat).weights[issue.name] * (share if issue.rises == name else 1 - share)
                )
        for seat in (0, 1):
            if worth[1 - seat] >= s.side(1 - seat).limit:
                best[seat] = max(best[seat], worth[seat] - s.side(seat).limit)
    return best[0], best[1]


class TestWhatShips:
    def test_four_scenarios_in_the_order_of_the_rules(self) -> None:
        assert tuple(scenarios()) == ALL

    def test_a_file_is_named_after_its_scenario(self) -> None:
        for file in (ROOT / "game" / "scenarios").glob("*.yaml"):
            assert load_scenario_file(file) == scenarios()[file.stem]

    @pytest.mark.parametrize("name", PRICES)
    def test_price_games_have_the_figures_of_the_table(self, name: str) -> None:
        s = scenarios()[name]
        figures = (s.seller.limit, s.buyer.limit, s.seller.anchor, s.buyer.anchor, s.issues[0].step)
        assert (*figures, s.unit, s.urgency, s.alternative) == TABLE[name]
        assert [issue.name for issue in s.issues] == ["price"]
        assert declared_width(s) == (s.buyer.limit - s.seller.limit,) * 2

    def test_the_supply_contract_has_three_issues_and_its_weights(self) -> None:
        s = scenarios()["supplier_contract"]
        price, days, order = s.issues
        assert (price.low, price.high, price.step, price.rises) == (8, 12, 0.05, "seller")
        assert (days.values, days.rises) == ((0, 30, 60, 90), "buyer")
        assert (order.values, order.rises) == ((5_000, 10_000, 20_000, 50_000), "seller")
        assert list(s.seller.weights.values()) == [0.55, 0.15, 0.30]
        assert list(s.buyer.weights.values()) == [0.50, 0.35, 0.15]
        assert (s.stake, s.urgency, s.alternative) == (4_000_000, 0.60, 0.5)

    def test_the_supply_contract_leaves_each_about_a_third_of_the_stake(self) -> None:
        s = scenarios()["supplier_contract"]
        width = brute_force_width(s)
        assert width == pytest.approx((1_477_000, 1_327_000), abs=1)
        assert sum(width) / 2 == pytest.approx(0.35 * s.stake, rel=0.01)
        assert s.seller.limit == s.buyer.limit == pytest.approx(0.40 * s.stake, rel=0.05)

    @pytest.mark.parametrize("name", ALL)
    def test_scheduled_headlines_do_what_the_table_says(self, name: str) -> None:
        s = scenarios()[name]
        assert [(h.turn, h.seller, h.buyer) for h in s.headlines] == NEWS[name]
        assert all(h.probability == 0.8 for h in s.headlines)
        assert (s.spread, s.urgency_spread) == (0.45, 0.30)

    @pytest.mark.parametrize("name", ALL)
    def test_headlines_have_four_short_wordings_a_split(self, name: str) -> None:
        for headline in scenarios()[name].headlines:
            for split in SPLITS:
                assert len(set(headline.words[split])) >= 4
                assert all(8 <= len(words.split()) <= 22 for words in headline.words[split])

    def test_no_wording_is_in_two_splits_of_any_scenario(self) -> None:
        seen: dict[str, set[str]] = {split: set() for split in SPLITS}
        for s in scenarios().values():
            for headline in s.headlines:
                for split in SPLITS:
                    seen[split] |= {words.casefold() for words in headline.words[split]}
        assert not seen["train"] & seen["validation"]
        assert not seen["train"] & seen["test"]
        assert not seen["validation"] & seen["test"]

    @pytest.mark.parametrize("name", ALL)
    def test_briefings_are_bilingual_and_name_no_figure_of_the_scenario(self, name: str) -> None:
        s = scenarios()[name]
        for side in (s.seller, s.buyer):
            assert 2 <= len(re.findall(r"[.!?](?:\s|$)", side.briefing.en)) <= 4
            assert 2 <= len(re.findall(r"[。！？]", side.briefing.zh)) <= 4
            assert not re.search(r"[。，] ", side.briefing.zh)
            for text in (side.briefing.en, side.briefing.zh):
                # The one public figure: the supplier's share of the market.
                assert set(re.findall(r"\d+", text)) <= ({"15"} if name == "supplier_contract" else set())

    @pytest.mark.parametrize("name", ALL)
    def test_every_text_that_people_see_is_there_in_chinese(self, name: str) -> None:
        s = scenarios()[name]
        texts = [s.title, s.seller.role, s.buyer.role, s.seller.briefing, s.buyer.briefing]
        texts += [issue.title for issue in s.issues] + [item.title for item in s.sweeteners]
        assert all(re.search(r"[\u4e00-\u9fff]", text.zh) for text in texts)

    @pytest.mark.parametrize("name", ALL)
    def test_each_side_has_three_or_four_sweeteners_that_create_value(self, name: str) -> None:
        items = scenarios()[name].sweeteners
        for by in ("seller", "buyer"):
            assert 3 <= sum(item.by == by for item in items) <= 4
        for item in items:
            assert 0.01 <= item.cost <= 0.03 <= item.worth[0] < item.worth[1] <= 0.10
            assert item.cost < item.worth[0]


class TestDocumentation:
    def test_the_example_can_be_played(self) -> None:
        s = parse_scenario(USED_CAR)
        assert (s.id, len(s.headlines), len(s.sweeteners)) == ("used_car", 1, 2)
        assert declared_width(s) == (3_000, 3_000)

    def test_the_faults_that_it_shows_are_what_a_broken_example_gives(self) -> None:
        shown = [block.splitlines() for block in re.findall(r"```text\n(.*?)```", DOCS, re.DOTALL)]
        of_sense = USED_CAR.replace("13_000", "8_000").replace("step: 50", "step: 250")
        of_form = USED_CAR.replace("limit: 8_000", "limits: 8_000")
        assert [faults(of_sense), faults(of_form)] == shown

    def test_every_field_is_explained(self) -> None:
        structs = (module.Scenario, module.Side, module.Issue, module.Headline, module.Shift, module.Sweetener)
        for struct in structs:
            for field in struct.__struct_fields__:
                assert f"`{field}`" in DOCS, field

    def test_the_stated_defaults_hold(self) -> None:
        rows = dict(re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", DOCS, re.MULTILINE))
        assert rows
        assert {name: float(value) for name, value in rows.items()} == {
            name: getattr(parse_scenario(USED_CAR), name) for name in rows
        }


def faults(text: str) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text)
    assert caught.value.problems
    assert str(caught.value) == "; ".join(caught.value.problems)
    return caught.value.problems


def parsed(text: str) -> tuple[Scenario | None, list[str]]:
    """The scenario, or its faults. Anything but ScenarioError goes through."""
    try:
        return parse_scenario(text), []
    except ScenarioError as error:
        return None, error.problems


DELETE = object()
CAR = yaml.safe_load(USED_CAR)
SUPPLY = yaml.safe_load((ROOT / "game" / "scenarios" / "supplier_contract.yaml").read_text("utf-8"))


def changed(document: dict[str, Any], *edits: tuple[str, Any]) -> str:
    """The document with values put (or deleted) at paths such as `headlines.0.turn`, as YAML."""
    document = copy.deepcopy(document)
    for path, value in edits:
        *parents, last = [int(key) if key.isdigit() else key for key in path.split(".")]
        place: Any = document
        for key in parents:
            place = place[key]
        if value is DELETE:
            del place[last]
        else:
            place[last] = value
    return yaml.dump(document, Dumper=_Plain, allow_unicode=True)


class _Plain(yaml.SafeDumper):
    """YAML without aliases for lists that happen to be shared."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


ONE_ISSUE = [
    # The figures.
    ("seller.limit", math.nan, "seller.limit: must be a figure from 0 to 10,000,000,000,000, not nan"),
    ("buyer.limit", math.inf, "buyer.limit: must be a figure from 0 to 10,000,000,000,000, not inf"),
    ("seller.anchor", -math.inf, "seller.anchor: must be a figure from 0 to"),
    ("buyer.limit", 1e14, "buyer.limit: must be a figure from 0 to"),
    ("seller.limit", -1, "seller.limit: must be a figure from 0 to"),
    ("buyer.limit", 10**400, "buyer.limit: number out of range: figures go from 0 to 10,000,000,000,000"),
    ("urgency", 1.5, "urgency: expected a number <= 1.0"),
    ("spread", -0.1, "spread: expected a number >= 0.0"),
    ("alternative", math.nan, "alternative: expected a number"),
    # Wrong types and fields.
    ("seller.limit", "8,000", "seller.limit: expected a number, got text: write it like 125000"),
    ("seller.limit", None, "seller.limit: expected a number, got nothing"),
    ("seller.limit", True, "seller.limit: expected a number, got true or false"),
    ("title.en", 7, "title.en: expected text, got a whole number: put it in quotes"),
    ("title", "A car", "title: expected lines of `field: value`, got text"),
    ("headlines", {}, "headlines: expected a list, got lines of `field: value`"),
    ("headlines.0.turn", 8.5, "headlines[1].turn: expected a whole number, got a number"),
    ("sweeteners.1.worth", [0.1], "sweeteners[2].worth: expected a list of length 2, got 1"),
    ("sweeteners.0.by", "vendor", "sweeteners[1].by: 'vendor' is not one of seller, buyer"),
    ("issues.0.rises", "up", "issues[1].rises: 'up' is not one of seller, buyer"),
    ("headlines.0.words.trian", ["x"], "headlines[1].words: 'trian' is not one of train, validation, test"),
    ("headlines.0.words.test", "x", "headlines[1].words: expected a list, got text"),
    ("buyer.role", DELETE, "buyer: the field `role` is missing"),
    ("id", DELETE, "scenario: the field `id` is missing"),
    ("seller.limits", 1, "seller: there is no field `limits` here; did you mean `limit`?"),
    ("qqqqq", 1, "scenario: there is no field `qqqqq` here"),
    # Names and texts.
    ("id", "used car", "id: a name has only letters a–z, digits and _"),
    ("id", "", "id: a name has only"),
    ("id", "___", "id: a name has only"),
    ("id", "x" * 65, "id: a name has only letters a–z, digits and _, at most 64"),
    ("id", "汽车", "id: a name has only"),
    ("sweeteners.1.id", "winter_tyres", "sweeteners: two have the same name; names must differ"),
    ("title.en", " ", "title.en: must not be empty"),
    ("seller.role.en", "x" * 81, "seller.role.en: at most 80 characters, not 81"),
    ("buyer.role.en", "a\nb", "buyer.role.en: only visible characters, in one line (fold it with >-)"),
    ("buyer.briefing.en", "a\x1b[31mb", "buyer.briefing.en: only visible characters"),
    ("unit", "", "unit: must not be empty"),
    # Issues, anchors, limits.
    ("issues", [], "issues: at least one"),
    ("issues.0.values", [1, 2], "issues.price: the price of a one-issue scenario rises for the seller, and its range"),
    ("issues.0.rises", "buyer", "issues.price: the price of a one-issue scenario rises for the seller"),
    ("issues.0.low", 5, "its range comes from the anchors (no `values`, `low`, `high`)"),
    ("issues.0.step", 0.001, "issues.price: needs a `step` of at least 0.01, in whole hundredths"),
    ("issues.0.step", 0.015, "issues.price: needs a `step` of at least 0.01, in whole hundredths"),
    ("issues.0.step", math.nan, "issues.price: needs a `step` of at least 0.01"),
    ("issues.0.step", 0.01, "issues.price.step: gives more than 10,000,000 prices; make it larger"),
    ("issues.0.step", 151, "issues.price.step: at most a twentieth of the width between the declared limits, 150"),
    ("stake", 5, "stake, weights: only for several issues; leave them out"),
    ("seller.weights", {"price": 1}, "stake, weights: only for several issues; leave them out"),
    ("seller.anchor", DELETE, "seller.anchor, buyer.anchor: a one-issue scenario needs both"),
    ("buyer.anchor", 13_000, "anchors: the buyer's must be above 0 and below the seller's"),
    ("buyer.anchor", 0, "anchors: the buyer's must be above 0 and below the seller's"),
    ("seller.anchor", 8_000, "anchors: the seller's must be above its declared limit, the buyer's below its own"),
    ("buyer.limit", 8_000, "limits: the seller's declared limit must be below the buyer's"),
    (
        "buyer.limit",
        140_000,
        "limits: must be among the possible prices, 0.1 × the buyer's anchor to 10 × the seller's",
    ),
    ("seller.limit", 1_000, "spread: some instances would have limits below 0; narrow `spread`"),
    # Headlines and sweeteners.
    ("headlines.0.turn", 2, "headlines[1].turn: must be from 3 to 18, not 2"),
    ("headlines.0.turn", 19, "headlines[1].turn: must be from 3 to 18, not 19"),
    ("headlines.0.probability", 80, "headlines[1].probability: expected a number <= 1.0"),
    ("headlines.0.buyer.limit", 0.31, "headlines[1]: a limit shift is at most 0.30 and an urgency shift at most 1"),
    ("headlines.0.buyer.urgency", math.nan, "headlines[1]: a limit shift is at most 0.30"),
    ("headlines.0.words.test", [], "headlines[1].words: each split needs at least one wording; none for test"),
    ("headlines.0.words", {}, "none for train, validation, test"),
    ("headlines.0.words.test", ["A  NEIGHBOUR puts a similar car up for sale"], "headlines[1].words: a wording stands"),
    ("headlines.0.words.test", ["x" * 201], "headlines[1].words: at most 200 characters, not 201"),
    ("headlines", CAR["headlines"] * 9, "headlines: at most 8, not 9"),
    ("sweeteners", CAR["sweeteners"] * 9, "sweeteners: at most 16, not 18"),
    ("sweeteners.0.cost", 0.04, "sweeteners.winter_tyres: `worth` is [least, most]; need 0 ≤ cost < least ≤ most"),
    ("sweeteners.0.cost", math.nan, "sweeteners.winter_tyres: `worth`"),
    ("sweeteners.0.worth", [0.05, math.inf], "sweeteners.winter_tyres: `worth`"),
    ("sweeteners.0.worth", [0.08, 0.04], "sweeteners.winter_tyres: `worth`"),
]

SEVERAL_ISSUES = [
    ("issues.1.values", [0], "issues.payment_days.values: at least two, rising"),
    ("issues.1.values", [30, 0], "issues.payment_days.values: at least two, rising"),
    ("issues.1.values", [0, 0], "issues.payment_days.values: at least two, rising"),
    ("issues.1.values", [math.nan, 5], "issues.payment_days.values: must be a figure from 0 to"),
    ("issues.1.values", [0, 30, 1e300], "issues.payment_days.values: must be a figure from 0 to"),
    ("issues.1.values", DELETE, "issues.payment_days: needs `values`, or a `step` of at least 0.01"),
    ("issues.1.step", 5, "issues.payment_days: either `values`, or `low`, `high` and `step`; not both"),
    ("issues.1.name", "price", "issues: two have the same name; names must differ"),
    ("issues.1.name", "payment days", "issues: a name has only letters a–z, digits and _"),
    ("issues.0.high", 8, "issues.price: `low` must be below `high`"),
    ("issues.0.step", 0.015, "`low` and `step` in whole hundredths"),
    ("issues.0.step", 0.03, "issues.price: `high` must be `low` and a whole number of steps"),
    ("issues.0.step", 10, "issues.price: `high` must be `low` and a whole number of steps"),
    ("issues.0.high", 1e12, "issues.price.step: gives more than 10,000,000 values; make it larger"),
    ("stake", 0, "stake: several issues need what the whole range is worth, in money"),
    ("stake", math.nan, "stake: must be a figure from 0 to"),
    ("stake", 100, "stake: one step of price would be worth less than 1 to a seat; a larger stake or step"),
    ("seller.anchor", 5, "seller.anchor: only for one issue; with several it is the seat's best outcome"),
    ("seller.weights", {}, "seller.weights: need exactly the issues price, payment_days, minimum_order"),
    ("buyer.weights.colour", 0.1, "buyer.weights: need exactly the issues price, payment_days, minimum_order"),
    ("seller.weights.price", 0.6, "seller.weights: each must be above 0, and together they must be 1"),
    (
        "seller.weights",
        {"price": 1.2, "payment_days": 0, "minimum_order": -0.2},
        "seller.weights: each must be above 0",
    ),
    ("buyer.weights.price", math.nan, "buyer.weights: each must be above 0, and together they must be 1"),
    ("seller.limit", 4_000_000, "limits: with several issues a limit is a utility in money, below the stake"),
    ("seller.limit", 3_999_999, "limits: a deal must leave room for both, at least a twentieth of the stake each"),
    ("issues.2.values", list(range(1100)), "issues: 4400 combinations besides the longest issue; at most 4096"),
]


class TestFaults:
    @pytest.mark.parametrize(("path", "value", "message"), ONE_ISSUE)
    def test_a_broken_price_game_is_told_what_would_be_right(self, path: str, value: Any, message: str) -> None:
        assert any(message in fault for fault in faults(changed(CAR, (path, value))))

    @pytest.mark.parametrize(("path", "value", "message"), SEVERAL_ISSUES)
    def test_a_broken_game_of_several_issues_is_told_too(self, path: str, value: Any, message: str) -> None:
        more = [("issues.0.high", 20), ("issues.0.step", 0.01)] if "combinations" in message else []
        assert any(message in fault for fault in faults(changed(SUPPLY, (path, value), *more)))

    def test_the_unbroken_ones_have_no_fault(self) -> None:
        assert not problems_of(parse_scenario(changed(CAR)))
        assert not problems_of(parse_scenario(changed(SUPPLY)))

    def test_all_faults_are_told_at_once(self) -> None:
        found = faults(changed(CAR, ("id", "!"), ("headlines.0.turn", 40), ("sweeteners.0.cost", 1)))
        assert [fault.split(":")[0] for fault in found] == ["id", "headlines[1].turn", "sweeteners.winter_tyres"]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "scenario: must be lines of `field: value`"),
            ("# nothing yet\n", "scenario: must be lines of `field: value`"),
            ("- a\n- b\n", "scenario: must be lines of `field: value`"),
            ("used car", "scenario: must be lines of `field: value`"),
            ("id: [", "not YAML: "),
            ("id: a\n\ttitle: b", "not YAML: "),
            ("id: \x00", "not YAML: "),
            ("--- {}\n--- {}", "not YAML: "),
            ("[1]: 2", "not YAML: "),
            ("id: a\nid: b", "line 2: `id` stands twice; leave one out"),
            (USED_CAR.replace("anchor: 13_000", "limit: 9_000"), "`limit` stands twice"),
            ("id: 2024-13-45", "a value that can't be read: "),
            ("id: " + "1" * 5_000, "a value that can't be read: "),
            ("id: 0x_", "a value that can't be read: "),
            ("id: \ud800", "d800"),
            ("1: 2", "scenario: expected text"),
            ("id: " + "[" * 12 + "]" * 12, "line 1: nested deeper than 12 levels"),
            ("id: " + "[" * 50_000, "nest"),
            ("id: !!python/object/apply:os.system [ls]", "line 1: no anchors (&), aliases (*) or tags (!)"),
            ("id: !!set {a, b}", "line 1: no anchors (&), aliases (*) or tags (!)"),
            ("id: &a [*a]", "line 1: no anchors (&), aliases (*) or tags (!)"),
            ("#" * 100_001, "scenario: at most 100,000 characters, not 100,001"),
        ],
    )
    def test_what_is_no_scenario_at_all_is_told_so(self, text: str, message: str) -> None:
        assert any(message in fault for fault in faults(text))

    def test_a_yaml_bomb_is_refused_before_it_is_built(self) -> None:
        lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
        lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 30)]
        assert faults("\n".join(lines)) == [
            "line 1: no anchors (&), aliases (*) or tags (!); write it out, or put it in quotes"
        ]
        merged = "a: &a {x: 1}\n" + "\n".join(f"b{k}: &b{k} {{<<: [*a, *a]}}" for k in range(30))
        assert "no anchors" in faults(merged)[0]

    def test_a_message_quotes_a_hostile_file_briefly_and_without_control_characters(self) -> None:
        [fault] = faults('"' + "x\\e[31m\\n" * 5_000 + '": 1')
        assert len(fault) <= 400
        assert fault.isprintable()


class TestFiles:
    def test_a_file_that_cannot_be_read_is_a_scenario_error(self, tmp_path: Path) -> None:
        (tmp_path / "latin.yaml").write_bytes("title: Büro".encode("latin-1"))
        huge = tmp_path / "huge.yaml"
        with huge.open("wb") as file:
            file.truncate(1 << 32)
        for path in (tmp_path / "absent.yaml", tmp_path, tmp_path / "latin.yaml", huge, "a\0b"):
            with pytest.raises(ScenarioError):
                load_scenario_file(path)

    def test_a_file_is_read_as_its_text_is(self, tmp_path: Path) -> None:
        file = tmp_path / "car.yaml"
        file.write_text(USED_CAR, "utf-8")
        assert load_scenario_file(str(file)) == parse_scenario(USED_CAR)


class TestWidth:
    @given(
        weights=st.lists(st.integers(1, 20), min_size=6, max_size=6),
        limits=st.tuples(st.integers(10, 90), st.integers(10, 90)),
        rises=st.lists(st.sampled_from(["seller", "buyer"]), min_size=3, max_size=3),
    )
    @settings(max_examples=40, deadline=None)
    def test_declared_width_is_the_best_over_all_outcomes(
        self, weights: list[int], limits: tuple[int, int], rises: list[str]
    ) -> None:
        names = ("price", "payment_days", "minimum_order")
        edits: list[tuple[str, Any]] = [("issues.0.step", 0.5)]
        edits += [(f"issues.{k}.rises", side) for k, side in enumerate(rises)]
        for seat, three in (("seller", weights[:3]), ("buyer", weights[3:])):
            edits.append((f"{seat}.weights", {name: w / sum(three) for name, w in zip(names, three, strict=True)}))
        # Figures that no outcome's utility hits exactly.
        edits += [
            (f"{seat}.limit", 40_000 * limit / 1.01) for seat, limit in zip(("seller", "buyer"), limits, strict=True)
        ]
        s, found = parsed(changed(SUPPLY, *edits))
        if s is None:
            assert found == [
                "limits: a deal must leave room for both, at least a twentieth of the stake each; lower the limits"
            ]
            return
        assert declared_width(s) == pytest.approx(brute_force_width(s), abs=1)


def paths_of(document: Any, path: str = "") -> list[str]:
    """Every place of a document."""
    items = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    found = []
    for key, value in items:
        here = f"{path}.{key}" if path else str(key)
        found += [here, *paths_of(value, here)]
    return found


FIGURES = [math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, 0, -1, 2**63, 10**400, 0.1, 1e13]
JUNK = st.one_of(
    st.sampled_from([DELETE, None, True, "", "seller", [], {}, [[]], {"en": "x"}, b"\xff", *FIGURES]),
    st.floats(),
    st.integers(-(10**6), 10**6),
    st.text(max_size=20),
    st.lists(st.one_of(st.floats(), st.text(max_size=5)), max_size=4),
    st.dictionaries(st.text(max_size=8), st.integers(), max_size=3),
)


def check_is_playable_or_refused(text: str) -> None:
    s, found = parsed(text)
    if s is None:
        assert found
        assert all(problem and problem.isprintable() for problem in found)
    else:
        assert not problems_of(s)
        assert all(math.isfinite(width) and width > 0 for width in declared_width(s))
        assert len(s.issues) == 1 or all(count_of(issue) >= 2 for issue in s.issues)


class TestFuzz:
    @pytest.mark.parametrize("document", [CAR, SUPPLY], ids=["price", "several"])
    @given(data=st.data())
    @settings(max_examples=150, deadline=None)
    def test_any_change_of_values_gives_a_scenario_or_a_scenario_error(
        self, document: dict[str, Any], data: st.DataObject
    ) -> None:
        places = st.lists(st.sampled_from(paths_of(document)), min_size=1, max_size=3, unique=True)
        # Deeper places first, so that a place is still there when its turn comes; later ones of a list before earlier.
        for_change = sorted(data.draw(places), key=lambda path: [key.zfill(3) for key in path.split(".")], reverse=True)
        check_is_playable_or_refused(changed(document, *((path, data.draw(JUNK)) for path in for_change)))

    @given(data=st.data())
    @settings(max_examples=150, deadline=None)
    def test_any_change_of_text_gives_a_scenario_or_a_scenario_error(self, data: st.DataObject) -> None:
        text = USED_CAR
        for _ in range(data.draw(st.integers(1, 3))):
            start = data.draw(st.integers(0, len(text)))
            end = min(len(text), start + data.draw(st.integers(0, 12)))
            marks = st.sampled_from(
                ["&a ", "*a", "!!", "{", "}", "[", "- ", ": ", "\n", "\t", '"', "'", "|", "<<: ", "\x85"]
            )
            text = text[:start] + data.draw(st.one_of(marks, st.text(max_size=4))) + text[end:]
        check_is_playable_or_refused(text)

    @given(st.text())
    def test_any_text_at_all_gives_a_scenario_error(self, text: str) -> None:
        assert faults(text)


def test_an_error_comes_whole_from_another_process() -> None:

    error = pickle.loads(pickle.dumps(ScenarioError(["first: wrong", "second: wrong"])))
    assert (error.problems, str(error)) == (["first: wrong", "second: wrong"], "first: wrong; second: wrong")

"""A typed line is read as it was meant; what looks mistyped is explained and never becomes words by accident."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent import registry
from cli.play.amounts import amount_in
from cli.play.lines import Desk
from cli.play.reading import COMMANDS, may_be_a_slip, read
from game.scenarios import SeatName, scenarios
from parlay_env.deal.state import SEATS, Setup
from parlay_env.models import ParlayAction
from parlay_env.session import Table


def desk(scenario: str, seat: SeatName = "seller", last: dict[str, float] | None = None) -> Desk:
    setup = Setup(scenario=scenarios()[scenario], seat=seat, opponent=registry.profile("shark"))
    other = SEATS[1 - setup.learner]
    found = Desk.of(Table(setup, 1, {seat: None, other: registry.opponent("shark")}).view(seat))
    return Desk(found.terms, found.seat, last, found.items, found.asked, market_news=True)


PRICE = desk("saas_enterprise")
THREE = desk("supplier_contract")
AFTER = desk("supplier_contract", last={"price": 10.0, "payment_days": 30.0, "minimum_order": 20000.0})


def price(value: float) -> dict[str, Any]:
    return {"offer": {"price": value}}


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("148000", 148000),
        ("148,000", 148000),
        ("148'000", 148000),
        ("148_000", 148000),
        ("$148k", 148000),
        ("148K.", 148000),
        ("1.2m", 1200000),
        ("15万", 150000),
        ("9.85", 9.85),
        (".5", 0.5),
        ("70%", 0.7),
        ("-5%", -0.05),
    ],
)
def test_figures_are_read_as_people_write_them(word: str, value: float) -> None:
    assert amount_in(word) == pytest.approx(value)


@pytest.mark.parametrize(
    "word", ["", "k", "14o000", "148,00", "1,48,000", "148kk", "1.2.3", "nan", "inf", "1e5", "3rd"]
)
def test_other_words_are_no_figures(word: str) -> None:
    assert amount_in(word) is None


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("148k", price(148000)),
        ("  148,000 USD  ", price(148000)),
        ("USD 148,000", price(148000)),
        ("0.148 million", price(148000)),
        ("offer 148k", price(148000)),
        ("price=148k", price(148000)),
        ("price = 148k", price(148000)),
        (
            "148k We can do that if you sign this week",
            price(148000) | {"utterance": "We can do that if you sign this week"},
        ),
        ("148k, and walk away happy?", price(148000) | {"utterance": "and walk away happy?"}),
        ('148k "Deal?"', price(148000) | {"utterance": "Deal?"}),
        ("accept", {"accept_deal": True}),
        ("Accept Deal, thank you.", {"accept_deal": True, "utterance": "Deal, thank you."}),
        ("walk", {"walk_away": True}),
        ("walk away", {"walk_away": True}),
        ("ask timeline", {"question": "timeline"}),
        ("ask budget", {"question": "authority"}),
        ("ask timeline 150k When?", price(150000) | {"question": "timeline", "utterance": "When?"}),
        ("card reframe 150k Think of it.", price(150000) | {"tactical_move": "reframe", "utterance": "Think of it."}),
        ("card silence", {"tactical_move": "silence"}),
        ("card anchor 190k", price(190000) | {"tactical_move": "anchor_high"}),
        ("card time turn 12", {"tactical_move": "time_pressure", "claim_value": 12.0}),
        ("card sweetener training", {"tactical_move": "sweetener", "sweetener": "training_days"}),
        ("claim 140k", {"tactical_move": "batna_reveal", "claim_value": 140000.0}),
        ("claim limit 140k", {"tactical_move": "batna_reveal", "claim_value": 140000.0}),
        ("claim turn 12", {"tactical_move": "time_pressure", "claim_value": 12.0}),
        ("challenge", {"challenge": True}),
        ("challenge 150k I doubt it.", price(150000) | {"challenge": True, "utterance": "I doubt it."}),
        ("150k; challenge; I doubt it.", price(150000) | {"challenge": True, "utterance": "I doubt it."}),
        ("believe 140k", {"belief": {"est_walk_away": 140000.0}}),
        (
            "believe 140k urgency=0.7 alternative=30% budget=150k",
            {
                "belief": {
                    "est_walk_away": 140000.0,
                    "est_urgency": 0.7,
                    "est_has_alternative": 0.3,
                    "est_budget": 150000.0,
                }
            },
        ),
        ("believe alternative=yes 150k", price(150000) | {"belief": {"est_has_alternative": 1.0}}),
        ("impact -5%", {"event_impact": -0.05}),
        ("We need more than that.", {"utterance": "We need more than that."}),
        ("Believe me, we can't.", {"utterance": "Believe me, we can't."}),
        ("Offer me something better.", {"utterance": "Offer me something better."}),
        ("say accept", {"utterance": "accept"}),
        ("say 9.6 would be too much", {"utterance": "9.6 would be too much"}),
        ("3rd time lucky", {"utterance": "3rd time lucky"}),
        ("Hmm.", {"utterance": "Hmm."}),
    ],
)
def test_a_line_on_one_issue(line: str, action: dict[str, Any]) -> None:
    typed = read(line, PRICE)
    assert typed.problem == ""
    assert typed.action == action
    ParlayAction.model_validate(typed.action)


@pytest.mark.parametrize(
    ("line", "offer"),
    [
        ("9.85 60 10000", (9.85, 60, 10000)),
        ("9.85, 60, 10k", (9.85, 60, 10000)),
        ("9.85/60/10000", (9.85, 60, 10000)),
        ("price=9.85 payment_days=60 minimum_order=10k", (9.85, 60, 10000)),
        ("min=10k days=60 price=9.85", (9.85, 60, 10000)),
        ("price=9.85", (9.85, 30, 20000)),
        ("days=0 min=5k That helps you, too.", (10, 0, 5000)),
    ],
)
def test_a_line_on_three_issues(line: str, offer: tuple[float, float, float]) -> None:
    typed = read(line, AFTER)
    assert typed.problem == ""
    assert typed.offer == dict(zip(("price", "payment_days", "minimum_order"), offer, strict=True))


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("acept", "did you mean `accept`"),
        ("wlak", "did you mean `walk`"),
        ("hlep", "did you mean `help`"),
        ("chalenge", "did you mean `challenge`"),
        ("crad reframe 150k", "did you mean `card`"),
        ("offfer 150k", "did you mean `offer`"),
        ("ask", "timeline, alternatives, authority, priorities"),
        ("ask timline", "did you mean `ask timeline`"),
        ("card", "anchor_high, silence"),
        ("card ace", "which card?"),
        ("card sweetener", "training_days"),
        ("card time_pressure", "claim which turn?"),
        ("claim", "claim which limit?"),
        ("claim 12", "claim turn 12"),
        ("claim turn 99", "1 to 20"),
        ("believe", "believe 145k"),
        ("believe urgency=7", "0 to 1"),
        ("believe urgency=much", "no figure"),
        ("impact", "impact 10%"),
        ("impact 20", "impact 10%"),
        ("148", "write 148k"),
        ("-5", "from 11,000 to 1,800,000"),
        ("9999999999", "from 11,000 to 1,800,000"),
        ("14o000", "no figure I can read"),
        ("60 days is too long", "begin with `say`"),
        ("cost=5", "there is no issue `cost`"),
        ("worth", "worth what?"),
        ("offer", "offer what?"),
    ],
)
def test_a_slip_is_explained(line: str, hint: str) -> None:
    typed = read(line, PRICE)
    assert hint in typed.problem
    assert typed.action == {}


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("9.85", "price, payment_days and minimum_order"),
        ("9.85 60", "price, payment_days and minimum_order"),
        ("price=9.85", "add payment_days and minimum_order"),
        ("9.85 45 10000", "0, 30, 60, 90"),
        ("99 60 10000", "from 8 to 12"),
        ("price=cheap", "price=10"),
    ],
)
def test_a_slip_on_three_issues_is_explained(line: str, hint: str) -> None:
    assert hint in read(line, THREE).problem


@pytest.mark.parametrize(
    ("line", "look"),
    [
        ("", "nothing"),
        (" ; ", "nothing"),
        ("say", "nothing"),
        ("help", "help"),
        ("?", "help"),
        ("help cards", "cards"),
        ("cards", "cards"),
        ("status", "status"),
        ("brief", "brief"),
        ("history", "history"),
        ("worth 148k", "worth"),
        ("quit", "quit"),
    ],
)
def test_what_is_only_looked_at_is_no_move(line: str, look: str) -> None:
    typed = read(line, PRICE)
    assert typed.look == look
    assert typed.action == {}


def test_help_with_more_words_is_words() -> None:
    assert read("Help me understand.", PRICE).action == {"utterance": "Help me understand."}


def test_beliefs_alone_wait_for_a_move() -> None:
    assert read("believe 140k", PRICE).is_note
    assert read("impact 10%", PRICE).is_note
    assert not read("believe 140k 150k", PRICE).is_note


def test_a_finer_offer_is_rounded_and_said_to_be() -> None:
    typed = read("148,049", PRICE)
    assert typed.offer == {"price": 148000}
    assert typed.rounded


@pytest.mark.parametrize(
    "line",
    [
        "y",
        "n",
        "yes",
        "ok",
        "deal",
        "next",
        "cards reframe",
        "priorities",
        "timeline?",
        "what is my limit?",
        "believe banana",
        "how do I offer something?",
    ],
)
def test_words_that_are_perhaps_meant_for_the_program_are_doubted(line: str) -> None:
    assert may_be_a_slip(read(line, PRICE))


@pytest.mark.parametrize(
    "line",
    [
        "We need more than that.",
        "What would you need to sign?",
        "say y",
        "150k y",
        "accept",
        "Believe me, this is the very best that we can do here.",
    ],
)
def test_words_for_the_other_side_are_not_doubted(line: str) -> None:
    assert not may_be_a_slip(read(line, PRICE))


def test_an_impact_without_news_is_explained() -> None:
    setup = Setup(scenario=scenarios()["saas_enterprise"], opponent=registry.profile("shark"))
    table = Table(setup, 1, {"seller": None, "buyer": registry.opponent("shark")})
    assert "there is no news yet" in read("impact 10%", Desk.of(table.view("seller"))).problem


LINES = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            (*COMMANDS, "150k", "9.85", "60", "10000", "price=9", "reframe", ";", "timeline", "We", "say", "=")
        ),
        max_size=8,
    ).map(" ".join),
)


@given(LINES)
def test_any_line_is_read_as_a_move_or_explained(line: str) -> None:
    for at in (PRICE, THREE, AFTER):
        typed = read(line, at)
        assert sum((typed.look is not None, bool(typed.problem), bool(typed.action))) == 1
        if typed.action:
            ParlayAction.model_validate(typed.action)

"""Personas that a model bargains for: whatever it answers, no move leaves the range that the persona's code gave."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from agent.llm.bargainer import Bargainer, Range, range_for, schema_for
from agent.llm.voices import Counts
from agent.personas import PERSONAS
from agent.scripted import style_of
from agent.table import Table, table_of
from game.scenarios import scenarios
from parlay_env.core import policy_draws
from parlay_env.deal.state import SEATS, Move
from parlay_env.deal.terms import terms_of, value_of, worth
from parlay_env.deal.views import View
from parlay_env.figures import limit_now
from parlay_env.prompt import spoken_offer
from tests.agent.llm.servers import Answer, Heard, Server, chat
from tests.agent.llm.talking import extras_in, speaking
from tests.agent.test_words import moments
from tests.world import GAME, SCENARIO_IDS
from training.injection_study import figures_in, hidden_figures, said_figures
from training.narrated import Spoken, Talker, played, setup_for

LONG = 30.0
LEADS = ("Well.", "Good.", "Right then.", "I see.", "So.")
"""So that nothing is said twice in a row."""
WORDS = {
    "offer": "You see that I can listen. Let us look at {} together.",
    "hold": "You have heard what I think. It stands.",
    "accept": "I accept what is on the table, and we have a deal.",
    "walk": "I see no way for us here. Goodbye, I walk away.",
}


def table_at(view: View, name: str, seed: int = 0) -> Table:
    persona = PERSONAS[name]
    return table_of(view, persona, style_of(persona, policy_draws(GAME, seed, SEATS[view.seat])))


def allowed_in(prompt: str) -> tuple[list[str], list[Any]]:
    """The decisions and the ends, or choices, of the offers that a prompt allows."""
    decisions = re.search(r"^ALLOWED: (.*)\.$", prompt, re.MULTILINE)
    assert decisions is not None
    line = re.search(r'^"offer": (.*)\.$', prompt, re.MULTILINE)
    if line is None:
        return decisions[1].split(", "), []
    if "{" in line[1]:
        return decisions[1].split(", "), [json.loads(one) for one in re.findall(r"\{[^}]*\}", line[1])]
    figures = re.findall(r"\d[\d,]*(?:\.\d+)?", line[1].partition(" in steps")[0])
    return decisions[1].split(", "), [float(one.replace(",", "")) for one in figures]


def spoken(offer: Any) -> str:
    """An offer in figures."""
    if isinstance(offer, dict):
        price, days, units = offer.values()
        return f"{price:g} USD a unit, {days:g} days, {units:,.0f} units"
    return f"{offer:,.0f} USD"


def answer(decision: str, offer: Any = None, also: list[str] | None = None) -> Answer:
    """An answer in the bargainer's form, in words that fit it."""
    words = " ".join([WORDS.get(decision, "Well.").format(spoken(offer) if offer is not None else ""), *(also or [])])
    body = {"decision": decision, "words": words} | ({} if offer is None else {"offer": offer})
    return chat(json.dumps(body))


def picks(which: Callable[[list[str], list[Any]], tuple[str, Any]]) -> Callable[[Heard], Answer]:
    """A model that goes by what is allowed."""

    def usual(heard: Heard) -> Answer:
        prompt = next(m["content"] for m in reversed(heard.body["messages"]) if "ALLOWED:" in m["content"])
        decision, offer = which(*allowed_in(prompt))
        last = ["This is my last offer."] if "your last one" in prompt and decision == "offer" else []
        turn = re.match(r"Turn (\d+)", prompt)
        assert turn is not None
        also = [*last, *extras_in(prompt), LEADS[int(turn[1]) % len(LEADS)]]
        return answer(decision, offer if decision == "offer" else None, also)

    return usual


def lowest(decisions: list[str], offers: list[Any]) -> tuple[str, Any]:
    """Gives away all that it may."""
    return ("offer", offers[-1]) if offers else (decisions[0], None)


def highest(decisions: list[str], offers: list[Any]) -> tuple[str, Any]:
    """Gives away nothing, but offers wherever it may."""
    return ("offer", offers[0]) if offers else (decisions[-1], None)


def below(decisions: list[str], offers: list[Any]) -> tuple[str, Any]:
    """Wants to give away more than it may."""
    return "offer", ({**offers[-1], "price": 1} if isinstance(offers[-1], dict) else 1) if offers else 1


ADVERSARIES = {
    "lowest": picks(lowest),
    "highest": picks(highest),
    "middle": picks(lambda d, o: ("offer", o[len(o) // 2]) if o else (d[0], None)),
    "below": picks(below),
    "accepts": picks(lambda d, o: ("accept", None)),
    "walks": picks(lambda d, o: ("walk", None)),
    "holds": picks(lambda d, o: ("hold", None)),
}


def check(one: Spoken, name: str, seed: int) -> None:
    """No move is one that the persona's limit, or its code, forbids."""
    view, move, decided = one.view, one.voiced.move, one.decided
    own = view.own
    assert own is not None
    limit, mine, theirs = limit_now(view), view.public.sides[view.seat], view.public.sides[1 - view.seat]
    if move.offer is not None:
        assert worth(own.utility, move.offer) >= limit
        assert decided.offer is not None
        assert worth(own.utility, move.offer) >= worth(own.utility, decided.offer)
    if move.accept:
        assert decided.accept
        assert theirs.standing is not None
        assert worth(own.utility, theirs.standing) >= limit
    if move.walk:
        assert decided.walk
    if move.offer is None and not (move.accept or move.walk) and move.voiced and mine.standing is not None:
        plain = decided.offer is None and not (decided.accept or decided.walk)
        assert plain or worth(own.utility, mine.standing) >= limit
    rest = {"utterance": "", "offer": None, "accept": False, "walk": False, "final": False}
    assert replace(move, **rest) == replace(decided, **rest)
    if one.voiced.how == "scripted":
        assert move == decided


@pytest.mark.parametrize("kind", list(ADVERSARIES))
async def test_no_adversary_gets_a_move_out_of_the_range(kind: str, openai: Server) -> None:
    total, moves = Counts(), 0
    async with speaking(openai, ADVERSARIES[kind]) as model:
        for seed in range(12):
            name, scenario = list(PERSONAS)[seed % 3], SCENARIO_IDS[seed % 4]
            setup = setup_for(scenario, name, "seller" if seed % 2 else "buyer")
            bargainer = Bargainer(name, model, LONG)
            talker = Talker("tit_for_tat" if seed % 5 else "staller", lambda turn: f"Come on, {'please ' * turn}move.")
            before = len(openai.heard)
            game = await played(setup, seed, talker, name, bargainer)
            assert game.state.public.ended is not None
            assert game.state.invalid[1 - setup.learner] is None
            public = {figure for one in game.spoken for figure in said_figures(one)}
            hidden = {figure for one in game.spoken for figure in hidden_figures(one)} - public
            for one in game.spoken:
                check(one, name, seed)
                allowed = range_for(table_at(one.view, name, seed), one.decided)
                public |= {float(end) for offer in allowed.offers for end in figures_of(one.view, offer)}
            for heard in openai.heard[before:]:
                prompt = "\n".join(message["content"] for message in heard.body["messages"])
                assert not (hidden - public) & set(figures_in(prompt))
            total += bargainer.counts
            moves += len(game.spoken)
    assert total.moves == moves
    if kind in ("lowest", "highest", "middle"):
        assert total.worded > 0.9 * (moves - total.silent), total
    if kind == "below":
        assert total.worded == total.asked_again == 0
        assert total.reasons["illegal"] >= total.replaced > 0


def figures_of(view: View, offer: tuple[int, ...]) -> list[float]:
    terms = terms_of(view.setup.scenario)
    return figures_in(spoken_offer(terms, offer)) if terms.is_price else []


async def test_a_model_that_gives_away_least_bargains_differently_from_one_that_gives_away_most(openai: Server) -> None:
    offers: dict[str, list[Any]] = {}
    for kind in ("lowest", "highest"):
        async with speaking(openai, ADVERSARIES[kind]) as model:
            game = await played(
                setup_for("saas_enterprise", "diplomat"),
                1004,
                Talker("tit_for_tat", lambda turn: "Well."),
                "diplomat",
                Bargainer("diplomat", model, LONG),
            )
            offers[kind] = [one.voiced.move.offer for one in game.spoken if one.voiced.move.offer]
    assert len(set(offers["highest"])) == 1
    assert len(set(offers["lowest"])) > 2


# The range ------------------------------------------------------------------------------------------------------------


def decided(want: Callable[[View, Move], bool], name: str = "diplomat") -> tuple[Table, Move]:
    """The table at a move of the persona's that one wants to look at."""
    return next(
        (table_at(view, name, seed), move)
        for seed, (_, view, move) in enumerate(moments(name, 40))
        if move.voiced and want(view, move)
    )


def is_price(view: View) -> bool:
    return terms_of(view.setup.scenario).is_price


def test_the_first_offer_is_the_personas() -> None:
    table, move = decided(lambda view, move: move.offer is not None and view.public.sides[view.seat].latest is None)
    assert move.offer is not None
    assert range_for(table, move) == Range(("offer",), (move.offer,))


def test_a_price_lies_between_the_own_newest_and_the_personas() -> None:
    table, move = decided(
        lambda view, move: (
            is_price(view) and move.offer is not None and view.public.sides[view.seat].standing is not None
        )
    )
    assert move.offer is not None
    assert table.mine.latest is not None
    assert range_for(table, move) == Range(("offer", "hold"), (table.mine.latest, move.offer))


def test_of_several_issues_there_are_a_few_complete_offers_none_worth_less_than_the_personas() -> None:
    table, move = decided(
        lambda view, move: (
            not is_price(view) and move.offer is not None and view.public.sides[view.seat].standing is not None
        )
    )
    assert move.offer is not None
    offers = range_for(table, move).offers
    assert 1 <= len(offers) <= 5
    assert offers[-1] == move.offer
    assert all(worth(table.own.utility, offer) >= worth(table.own.utility, move.offer) for offer in offers)


def test_past_its_deadline_it_can_only_leave() -> None:
    table, move = decided(
        lambda view, move: move.walk and view.own is not None and view.public.turn >= view.own.deadline
    )
    assert range_for(table, move).decisions == ("walk",)


def test_an_offer_beyond_the_own_limit_must_not_stand_for_another_turn() -> None:
    table, move = decided(
        lambda view, move: move.offer is not None and view.public.sides[view.seat].standing is not None
    )
    assert table.mine.standing is not None
    tight = replace(table, limit=worth(table.own.utility, table.mine.standing) + 1)
    assert "hold" in range_for(table, move).decisions
    assert range_for(tight, move).decisions == ("offer",)


def test_the_form_that_is_asked_for_names_what_is_allowed() -> None:
    table, move = decided(lambda view, move: is_price(view) and move.offer is not None)
    schema = schema_for(table.terms, range_for(table, move))
    assert schema["properties"]["decision"]["enum"] == list(range_for(table, move).decisions)


def test_the_form_of_a_price_has_the_ends_of_the_range() -> None:
    table, move = decided(
        lambda view, move: (
            is_price(view) and move.offer is not None and view.public.sides[view.seat].standing is not None
        )
    )
    allowed = range_for(table, move)
    low, high = sorted(value_of(table.terms, 0, place) for (place,) in allowed.offers)
    assert low < high
    form = schema_for(table.terms, allowed)["properties"]["offer"]
    assert form == {"type": "integer", "minimum": low, "maximum": high}


def test_the_form_of_a_price_in_cents_is_no_whole_number() -> None:
    scenario = scenarios()["saas_enterprise"]
    (price,) = scenario.issues
    terms = terms_of(replace(scenario, issues=(replace(price, step=0.25),)))
    form = schema_for(terms, Range(("offer",), ((41,), (7,))))["properties"]["offer"]
    assert form == {"type": "number", "minimum": value_of(terms, 0, 7), "maximum": value_of(terms, 0, 41)}


def test_the_form_of_several_issues_has_the_values_that_may_be_chosen() -> None:
    table, move = decided(
        lambda view, move: (
            not is_price(view) and move.offer is not None and view.public.sides[view.seat].standing is not None
        )
    )
    allowed = range_for(table, move)
    assert len(allowed.offers) > 1
    form = schema_for(table.terms, allowed)["properties"]["offer"]
    issues = table.terms.scenario.issues
    assert form["required"] == list(form["properties"]) == [issue.name for issue in issues]
    for k, issue in enumerate(issues):
        values = {value_of(table.terms, k, offer[k]) for offer in allowed.offers}
        assert set(form["properties"][issue.name]["enum"]) == values


@pytest.mark.parametrize(
    "bad",
    [
        {"decision": "offer", "offer": 1, "words": "1 USD."},
        {"decision": "offer", "offer": "150000", "words": "Well."},
        {"decision": "offer", "offer": True, "words": "Well."},
        {"decision": "offer", "offer": 10**400, "words": "Well."},
        {"decision": "offer", "offer": 1e308, "words": "Well."},
        {"decision": "offer", "offer": {"price": 150000}, "words": "Well."},
        {"decision": "offer", "offer": None, "words": "Well."},
        {"decision": "offer", "words": "Well."},
        {"decision": "accept", "words": "I accept."},
        {"decision": "surrender", "words": "Well."},
        {"decision": ["offer"], "words": "Well."},
        {"decision": "hold", "words": 7},
        {},
    ],
    ids=str,
)
async def test_an_illegal_answer_is_counted_asked_once_more_and_then_the_scripted_move_is_played(
    openai: Server, bad: dict[str, Any]
) -> None:
    view, move = next(
        (view, move)
        for _, view, move in moments("shark", 8, words=True)
        if is_price(view) and move.offer is not None and view.public.sides[view.seat].latest is not None
    )
    async with speaking(openai, chat(json.dumps(bad))) as model:
        bargainer = Bargainer("shark", model, LONG)
        found = await bargainer.answer(view, move, policy_draws(GAME, 0, SEATS[view.seat]))
    assert (found.move, found.how) == (move, "scripted")
    assert found.why in ("illegal", "form")
    assert len(openai.heard) == 2
    assert bargainer.counts == Counts(replaced=1, reasons={found.why: 2})


async def test_words_that_say_another_decision_than_the_models_are_not_said(openai: Server) -> None:
    view, move = next(
        (view, move)
        for _, view, move in moments("shark", 8, words=True)
        if is_price(view) and move.offer is not None and view.public.sides[view.seat].standing is not None
    )
    lie = chat(json.dumps({"decision": "hold", "words": "I accept, we have a deal."}))
    async with speaking(openai, lie) as model:
        bargainer = Bargainer("shark", model, LONG)
        found = await bargainer.answer(view, move, policy_draws(GAME, 0, SEATS[view.seat]))
    assert (found.move, found.how, found.why) == (move, "scripted", "end")


async def test_a_silent_provider_leaves_the_scripted_move(openai: Server) -> None:
    view, move = next((v, m) for _, v, m in moments("shark", 4, words=True) if m.offer is not None)
    async with speaking(openai, Answer({}, after=asyncio.Event())) as model:
        found = await Bargainer("shark", model, 0.2).answer(view, move, policy_draws(GAME, 0, SEATS[view.seat]))
    assert (found.move, found.how, found.why) == (move, "scripted", "late")

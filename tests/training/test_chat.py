"""The brief form tells what a player sees and nothing else, never a limit that is too generous, and its answers are
read as what was decided."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from agent.llm.parse import parse
from agent.registry import opponent
from game.scenarios import scenarios
from parlay_env.core import play_episode, policy_draws
from parlay_env.deal.state import SEATS, Move, with_seat
from parlay_env.deal.views import View
from parlay_env.models import ParlayAction, ParlayObservation, ResetOptions
from parlay_env.observe import observation
from parlay_env.rng import Draws
from parlay_env.session import GAME, Session
from tests.world import PERSONAS, PRICE_IDS, SCENARIO_IDS
from training.chat import CHATML, CHATML_END, FORMS, KEPT, PHRASES, answered, asked, brief, text_of
from training.episodes import Cell, Job, setup_of
from training.policies import make
from training.wire import as_read, wire_action

SEVERAL = "supplier_contract"


def opened(scenario: str = "saas_enterprise", seat: str = "seller", **options: Any) -> Session:
    given = {"scenario_id": scenario, "persona": "diplomat", "seat": seat, "seed": 7, **options}
    return Session.open(ResetOptions(**given))


def seen(scenario: str = "saas_enterprise", seat: str = "seller", *prices: float) -> dict[str, Any]:
    """What a player sees after it made these offers."""
    session = opened(scenario, seat)
    for price in prices:
        session.step(ParlayAction(utterance=f"How about {price:,.0f}?", offer_amount=price))
    return session.observe(False)


class _Watched:
    """A policy whose every view and action are kept."""

    def __init__(self, name: str, job: Job, seed: int) -> None:
        self.policy = make(name, setup_of(job), seed)
        self.moments: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def act(self, view: View, rng: Draws) -> Move:
        move: Move = self.policy.act(view, rng)
        action = wire_action(view, move)
        self.moments.append((observation(view, with_prompt=False), action))
        return as_read(view, action)


def moments(name: str, seed: int = 3) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """What a policy saw and did in every cell: observation, action."""
    for scenario, persona, seat in product(scenarios(), PERSONAS, SEATS):
        job = Job(name, Cell(scenario, persona, seat), "train", (seed,))
        setup, watched = setup_of(job), _Watched(name, job, seed)
        players = {seat: watched, SEATS[1 - setup.learner]: opponent(persona)}
        play_episode(GAME, setup, seed, players, keep_log=False)
        yield from watched.moments


# What is asked --------------------------------------------------------------------------------------------------------


def test_one_issue_in_a_few_lines() -> None:
    found = seen("saas_enterprise", "seller", 160_000, 155_000, 152_000, 151_000)
    lines = brief(found).splitlines()
    assert lines[0] == f"seller saas_enterprise diplomat turn {found['turn']} left {20 - found['turn']}"
    assert lines[1].startswith("limit ") and " target " in lines[1] and " theirs " in lines[1]
    assert lines[2] == "mine 151000 152000 155000", "the newest three, the newest first"
    theirs = [one["offer"]["price"] for one in found["offers"] if one["seat"] == "buyer"]
    assert lines[3].split()[0] == "theirs"
    assert [float(one) for one in lines[3].split()[1:]] == [one // 1_000 * 1_000 for one in theirs[:-4:-1]]
    assert lines[4].split()[::2] == ["tension", "trust", "urgency", "alternative", "news"]


def test_before_any_offer() -> None:
    found = opened().observe(False)
    lines = brief({**found, "offers": []}).splitlines()
    assert lines[2:4] == ["mine none", "theirs none"]
    assert brief(found).splitlines()[2] == "mine none"


@pytest.mark.parametrize("seat", SEATS)
def test_several_issues_have_weights_and_the_direction_of_each(seat: str) -> None:
    found = opened(SEVERAL, seat).observe(False)
    lines = brief(found).splitlines()
    words = lines[2].split()
    names = [issue["name"] for issue in found["scenario"]["issues"]]
    assert words[0] == "weights" and words[1::2] == names
    for issue, told in zip(found["scenario"]["issues"], words[2::2], strict=True):
        assert told[0] == ("+" if issue["better_for_you"] == "higher" else "-")
        assert abs(int(told[1:]) - 100 * found["own"]["weights"][issue["name"]]) <= 0.5
    assert sum(int(one[1:]) for one in words[2::2]) in range(98, 103)


def test_offers_on_several_issues_stand_in_the_order_of_the_weights() -> None:
    session = opened(SEVERAL)
    values = {
        issue["name"]: issue["values"][0] if issue["values"] else issue["low"]
        for issue in session.observe(False)["scenario"]["issues"]
    }
    session.step(ParlayAction(utterance="Take this.", offer=values))
    (made,) = [one["offer"] for one in session.observe(False)["offers"] if one["seat"] == "seller"]
    (line,) = [one for one in brief(session.observe(False)).splitlines() if one.startswith("mine")]
    assert [float(one) for one in line.split()[1].split("/")] == [float(f"{one:.3g}") for one in made.values()]


def test_a_refused_move_and_a_claim_are_told_of() -> None:
    session = opened()
    session.step(ParlayAction(accept_deal=True, walk_away=True))
    assert brief(session.observe(False)).splitlines()[-1].startswith("refused ")
    claimed = [found for found, _ in moments("question_flood") if found["opponent_claim"]]
    assert claimed
    for found in claimed:
        (line,) = [one for one in brief(found).splitlines() if one.startswith("claim ")]
        assert line.split()[1] == found["opponent_claim"]["kind"]
        assert len(line.split()) == 3, "a kind and a value"


@pytest.mark.parametrize("form", FORMS)
def test_every_form_asks_as_the_user(form: Any) -> None:
    (message,) = asked(opened().observe(True), form)
    assert message["role"] == "user" and message["content"]


def test_the_full_form_is_the_prompt_of_every_door_and_needs_it() -> None:
    session = opened()
    assert asked(session.observe(True), "full")[0]["content"] == session.observe(True)["prompt"]
    with pytest.raises(ValueError, match="prompt=True"):
        asked(session.observe(False), "full")
    assert asked(session.observe(False), "brief") == asked(session.observe(True), "brief")


def test_the_brief_form_is_short_in_every_cell() -> None:
    for found, _ in moments("question_flood"):
        assert len(brief(found)) < 420
        assert len(brief(found).splitlines()) <= 8


# The own limit --------------------------------------------------------------------------------------------------------

MONEY = st.integers(min_value=100, max_value=3_000_000_000).map(lambda cents: cents / 100)


def shown_limit(found: dict[str, Any]) -> float:
    (line,) = [one for one in brief(found).splitlines() if one.startswith("limit ")]
    return float(line.split()[1])


def with_limit(found: dict[str, Any], limit: float) -> dict[str, Any]:
    changed = copy.deepcopy(found)
    changed["own"]["limit"] = limit
    return changed


@given(limit=MONEY, scenario=st.sampled_from(PRICE_IDS))
@example(limit=12_300_000.01, scenario="saas_enterprise")
@example(limit=99_999.99, scenario="saas_enterprise")
def test_who_sells_at_the_limit_shown_keeps_to_the_true_one(limit: float, scenario: str) -> None:
    shown = shown_limit(with_limit(opened(scenario).observe(False), limit))
    assert limit <= shown <= limit * 1.0101


@given(limit=MONEY, scenario=st.sampled_from(PRICE_IDS))
@example(limit=12_299_999.99, scenario="saas_enterprise")
@example(limit=100_000.01, scenario="saas_enterprise")
def test_who_buys_at_the_limit_shown_keeps_to_the_true_one(limit: float, scenario: str) -> None:
    shown = shown_limit(with_limit(opened(scenario, "buyer").observe(False), limit))
    assert limit * 0.99 <= shown <= limit


@given(limit=MONEY, seat=st.sampled_from(SEATS))
def test_with_several_issues_either_seat_needs_at_least_what_is_shown(limit: float, seat: str) -> None:
    """Limits are utilities there, which both want high."""
    assert shown_limit(with_limit(opened(SEVERAL, seat).observe(False), limit)) >= limit


@given(price=MONEY, seat=st.sampled_from(SEATS))
def test_an_offer_is_rounded_to_the_side_that_is_safe(price: float, seat: str) -> None:
    action = parse(answered({"offer_amount": price}, opened(seat=seat).observe(False), "brief")).action
    assert action is not None and action.offer_amount is not None
    assert action.offer_amount >= price if seat == "seller" else action.offer_amount <= price
    assert action.offer_amount == pytest.approx(price, rel=0.0101)


# What is answered -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tit_for_tat", "question_flood", "challenge_everything"])
def test_answers_are_read_as_what_was_decided_and_the_game_allows_them(name: str) -> None:
    asked_for = 0
    for found, action in moments(name):
        read = parse(answered(action, found, "brief"))
        assert read.kind == "ok" and read.action is not None
        told = read.action.model_dump(exclude_defaults=True)
        assert told.keys() == {"utterance", *(key for key in KEPT if action.get(key))}
        for key in ("accept_deal", "walk_away", "question", "challenge"):
            assert told.get(key) == action.get(key)
        for one, other in _figures(told, action):
            assert one == pytest.approx(other, rel=0.0101)
        asked_for += bool(action.get("question") or action.get("challenge"))
    assert asked_for or name == "tit_for_tat"


def _figures(told: dict[str, Any], action: dict[str, Any]) -> list[tuple[float, float]]:
    if "offer_amount" in told:
        return [(told["offer_amount"], action["offer_amount"])]
    return [(told["offer"][name], action["offer"][name]) for name in action.get("offer", {})]


@pytest.mark.parametrize("name", ["tit_for_tat", "conceder"])
def test_an_episode_of_brief_answers_is_never_refused(name: str) -> None:
    """What the brief form makes of a policy's moves is played, too: a figure that is rounded out of its range, or
    beyond the own limit, would show."""
    for scenario, persona, seat in product(SCENARIO_IDS, PERSONAS, SEATS):
        session = opened(scenario, seat, persona=persona, seed=11)
        policy = make(name, session.table.setup, 11)
        draws = policy_draws(GAME, 11, session.seat)
        while not session.done:
            view = session.table.view(session.seat)
            text = answered(wire_action(view, policy.act(view, draws)), session.observe(False), "brief")
            action = parse(text).action
            assert action is not None
            session.step(action)
            assert session.observe(False)["invalid"] is None, (scenario, persona, seat, text)
        assert not session.observe(False)["grade"]["breach"], (scenario, persona, seat)


def test_the_full_form_keeps_every_field() -> None:
    for found, action in moments("question_flood"):
        read = parse(answered(action, found, "full"))
        assert read.kind == "ok" and read.action is not None
        assert read.action == ParlayAction.model_validate(action)


def test_no_two_turns_in_a_row_have_the_same_words() -> None:
    found = opened().observe(False)
    words = [parse(answered({"offer_amount": 150_000}, {**found, "turn": turn}, "brief")).action for turn in range(21)]
    said = [one.utterance for one in words if one is not None]
    assert len(said) == 21 and set(said) == set(PHRASES)
    assert all(a != b for a, b in pairwise(said))


def test_the_words_name_no_figure() -> None:
    assert not any(letter.isdigit() for phrase in PHRASES for letter in phrase)


# What may be seen -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scenario", SCENARIO_IDS)
def test_what_is_hidden_changes_no_letter(scenario: str) -> None:
    """Change all that the opponent alone knows, and what neither knows: the player is told the same."""
    session = opened(scenario)
    for _ in range(3):
        session.step(ParlayAction(utterance="Tell us more.", question="timeline"))
        state = session.table.state
        before = brief(session.observe(False))
        other = state.facts[1]
        changed = replace(
            other,
            walk_away=other.walk_away + 123_400,
            budget=other.walk_away - 432_100,
            urgency=1 - other.urgency,
            has_alternative=not other.has_alternative,
            deadline=other.deadline - 3,
        )
        assert changed != other
        session.table.state = replace(
            state, facts=with_seat(state.facts, 1, changed), truths=tuple(not one for one in state.truths)
        )
        assert brief(session.observe(False)) == before
        session.table.state = state


def test_an_observation_is_left_as_it_was() -> None:
    found = seen("saas_enterprise", "seller", 160_000, 155_000)
    before = copy.deepcopy(found)
    brief(found)
    answered({"offer_amount": 151_234}, found, "brief")
    assert found == before


def test_what_is_told_after_the_end_is_never_in_it() -> None:
    session = opened()
    session.step(ParlayAction(utterance="We leave.", walk_away=True))
    ended = session.observe(False)
    assert ended["truth"] and ended["grade"]
    hidden = dict.fromkeys(("truth", "grade", "final_offer", "termination_reason"))
    assert brief(ended) == brief({**ended, **hidden})


def test_it_reads_fields_that_a_player_has_before_the_end_and_no_other() -> None:
    """Whatever it reads must be there before the end; the rest of the observation changes nothing."""

    class Noted(dict[str, Any]):
        def __getitem__(self, name: str) -> Any:
            read.add(name)
            return super().__getitem__(name)

    read: set[str] = set()
    assert brief(Noted(opened().observe(False)))
    after = {"termination_reason", "final_offer", "grade", "truth"}
    assert read <= ParlayObservation.model_fields.keys() - after - {"done", "reward", "metadata"}


# The template ---------------------------------------------------------------------------------------------------------


def test_the_template_marks_what_the_assistant_says_with_its_end() -> None:
    marked = CHATML.partition("{% generation %}")[2].partition("{% endgeneration %}")[0]
    assert "message['content']" in marked and "<|im_end|>" in marked and "<|im_start|>" not in marked
    assert CHATML.count("{% generation %}") == 1
    assert CHATML_END in marked


def test_a_conversation_as_people_read_it() -> None:
    told = text_of([{"role": "user", "content": "limit 5"}, {"role": "assistant", "content": "{}"}])
    assert told == "[user]\nlimit 5\n\n[assistant]\n{}"


def test_an_offer_that_no_longer_stands_is_told_to_be_void() -> None:
    found = seen("saas_enterprise", "seller", 170_000)
    told = brief(found).splitlines()[3]
    assert told.startswith("theirs ") and "void" not in told
    assert brief({**found, "opponent_offer": None}).splitlines()[3] == told.replace("theirs ", "theirs void ")


@given(limit=st.integers(100_001, 199_999), offered=st.integers(1_000, 1_999), seat=st.sampled_from(SEATS))
@example(limit=160_300, offered=1_604, seat="buyer")
@example(limit=159_600, offered=1_595, seat="seller")
def test_an_offer_that_is_shown_within_the_limit_is_within_it(limit: int, offered: int, seat: str) -> None:
    found = with_limit(opened("saas_enterprise", seat).observe(False), limit)
    price, sign = offered * 100, 1 if seat == "seller" else -1
    other = "buyer" if seat == "seller" else "seller"
    offer = {"price": price}
    found = {**found, "offers": [{"turn": 1, "seat": other, "offer": offer}], "opponent_offer": offer}
    shown = float(brief(found).splitlines()[3].split()[1])
    if sign * (shown - shown_limit(found)) >= 0:
        assert sign * (price - limit) >= 0
    assert abs(shown - price) < 1_000

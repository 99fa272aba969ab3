"""The environment that TRL's `environment_factory` makes: its tools, its texts, its reward."""

from __future__ import annotations

import inspect
import math
import re
from functools import partial
from typing import Any, get_type_hints

import pytest

from parlay_env.client import ParlayClientError, ParlayEnvClient
from parlay_env.models import ParlayAction, ParlayObservation, ResetOptions
from parlay_env.session import Session
from parlay_env.tools import LOST, OVER, ROW_OPTIONS, NegotiationTools

ROW: dict[str, Any] = {"scenario_id": "saas_enterprise", "persona": "diplomat", "seat": "seller", "seed": 5}
TOOLS = {"make_offer", "say", "ask", "play_card", "challenge", "accept_deal", "walk_away", "report_belief"}


def tools_of(kind: type) -> set[str]:
    """TRL's rule: the functions of the class that are public, but reset and get_reward."""
    found = {name for name, _ in inspect.getmembers(kind, predicate=inspect.isfunction)}
    return {name for name in found if name not in ("reset", "get_reward") and not name.startswith("_")}


def seen(env: NegotiationTools) -> ParlayObservation:
    assert env.observation is not None
    return env.observation


def believed(env: NegotiationTools) -> dict[str, Any]:
    belief = seen(env).belief
    return {} if belief is None else belief.model_dump(exclude_none=True)


def play(env: NegotiationTools) -> None:
    """A whole game by the tools, a bit of everything in it."""
    env.make_offer(words="A first figure.", amount=seen(env).own.target)
    env.report_belief(walk_away=150_000.0, has_alternative=0.6)
    env.ask(topic="timeline", words="When do you need it?")
    while not seen(env).done:
        now = seen(env)
        if now.turn >= 12:
            env.walk_away(words="Another time.")
        else:
            env.make_offer(words=f"Round {now.turn}.", amount=round(now.own.target - 1_500 * now.turn, -2))


# What TRL finds -------------------------------------------------------------------------------------------------------


def test_the_tools_are_the_documented_ones() -> None:
    assert tools_of(NegotiationTools) == TOOLS


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_a_tool_has_typed_and_described_arguments(name: str) -> None:
    method = getattr(NegotiationTools(), name)
    arguments = list(inspect.signature(method).parameters)
    hints = get_type_hints(method)
    assert set(hints) == {*arguments, "return"}
    assert hints["return"] is str
    text = inspect.getdoc(method) or ""
    summary, _, rest = text.partition("Args:\n")
    assert summary.strip()
    described, _, returns = rest.partition("Returns:\n")
    assert re.findall(r"^ {4}(\w+): \S.+", described, re.M) == arguments
    assert returns.strip()


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_transformers_makes_a_schema_of_a_tool(name: str) -> None:
    utils = pytest.importorskip("transformers.utils", reason="transformers is not installed: pip install transformers")
    method = getattr(NegotiationTools(), name)
    function = utils.get_json_schema(method)["function"]
    assert function["name"] == name
    assert set(function["parameters"]["properties"]) == set(inspect.signature(method).parameters)


def test_a_factory_takes_no_argument() -> None:
    for factory in (NegotiationTools, partial(NegotiationTools, omega=50.0)):
        assert isinstance(factory(), NegotiationTools)


# Rows -----------------------------------------------------------------------------------------------------------------


def test_a_row_chooses_the_episode_and_its_other_columns_are_left_alone() -> None:
    env = NegotiationTools()
    prompt = [{"role": "user", "content": "Go."}]
    env.reset(**{**ROW, "seat": "buyer"}, prompt=prompt, completion="x", images=None, answer=3, index=9, split=None)
    assert (seen(env).scenario.id, seen(env).persona, seen(env).seat) == ("saas_enterprise", "diplomat", "buyer")


def test_what_a_row_lacks_comes_from_the_factory_and_the_row_goes_first() -> None:
    env = partial(NegotiationTools, scenario_id="hiring_package", seat="buyer")()
    env.reset(seed=5)
    assert (seen(env).scenario.id, seen(env).seat) == ("hiring_package", "buyer")
    env.reset(**ROW)
    assert (seen(env).scenario.id, seen(env).seat) == ("saas_enterprise", "seller")


@pytest.mark.parametrize("column", ["scenario", "personas", "seeds", "Seat", "taskid"])
def test_a_column_that_nearly_chooses_the_episode_is_an_error(column: str) -> None:
    with pytest.raises(ValueError, match="looks like"):
        NegotiationTools().reset(**{column: "x"})


def test_a_factorys_unknown_option_is_an_error() -> None:
    with pytest.raises(ValueError, match="the options are"):
        NegotiationTools(sead=3)


def test_options_that_cannot_be_had_are_errors_and_leave_nothing_of_the_episode_before() -> None:
    env = NegotiationTools()
    env.reset(**ROW)
    for wrong in ({"scenario_id": "nowhere"}, {"seed": -1}, {"omega": 10.0}, {"seed": "5"}):
        with pytest.raises(ValueError):  # noqa: PT011 - each in its own words
            env.reset(**{**ROW, **wrong})
        with pytest.raises(ValueError, match="reset first"):
            env.get_reward()
        with pytest.raises(ValueError, match="reset first"):
            env.say(words="hm")


def test_a_table_that_gave_every_move_every_field_is_a_history_still() -> None:
    move = {
        "utterance": "A first figure.",
        "offer_amount": 160_000.0,
        "question": None,
        "belief": {"est_urgency": None},
    }
    env = NegotiationTools()
    env.reset(**ROW, history=[move])
    assert seen(env).turn == 2


def test_every_option_of_a_row_is_one_of_the_environment() -> None:
    assert set(ROW_OPTIONS) <= set(ResetOptions.model_fields)


# Texts ----------------------------------------------------------------------------------------------------------------


def test_the_briefing_is_the_environments_prompt_without_its_json() -> None:
    env = NegotiationTools()
    briefing = env.reset(**ROW)
    assert briefing is not None
    prompt = seen(env).prompt or ""
    kept = [line for line in prompt.split("\n") if "JSON" not in line]
    assert briefing.split("\n")[:-1] == kept
    assert len(kept) == len(prompt.split("\n")) - 1
    assert "JSON" not in briefing
    assert "report_belief" in briefing


def test_a_move_is_answered_with_words_offers_and_what_is_left() -> None:
    env = NegotiationTools()
    env.reset(**ROW)
    answer = env.make_offer(words="We ask 160,000.", amount=160_000)
    assert seen(env).opponent_utterance in answer
    assert "Your offer: 160,000 USD." in answer
    assert "Turn 2 of 20" in answer
    assert f"{seen(env).own.limit:,.0f}" in answer


def test_several_issues_are_offered_by_name() -> None:
    env = NegotiationTools()
    env.reset(scenario_id="supplier_contract", persona="diplomat", seed=5)
    terms = {"price": 11.5, "payment_days": 30.0, "minimum_order": 20_000.0}
    assert set(terms) == {issue.name for issue in seen(env).scenario.issues}
    assert "price 11.50, payment_days 30, minimum_order 20,000" in env.make_offer(words="Our terms.", terms=terms)


def test_a_headline_is_told_once() -> None:
    for seed in range(40):
        env = NegotiationTools()
        env.reset(**{**ROW, "seed": seed})
        answers: list[str] = []
        while seen(env).turn < 11 and not seen(env).done:
            turn = seen(env).turn
            answers.append(env.make_offer(words=f"Round {turn}.", amount=166_000 - 1_000 * turn))
        for event in seen(env).events:
            if event["turn"] > 1 and not seen(env).done:
                assert sum(event["headline"] in answer for answer in answers) == 1
                return
    pytest.fail("no seed brought a headline")


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda env: env.make_offer(words="x", amount="lots"), "amount: input should be a valid number"),
        (lambda env: env.make_offer(words="x", amount=True), "amount: input should be a valid number"),
        (lambda env: env.make_offer(words="x", amount=math.nan), "finite"),
        (lambda env: env.make_offer(words="x", amount=math.inf), "finite"),
        (lambda env: env.make_offer(words="x", terms="all"), "terms: input should be a valid dictionary"),
        (lambda env: env.make_offer(words="x"), "give amount or terms"),
        (lambda env: env.make_offer(amount=150_000.0), "missing a required argument: 'words'"),
        (lambda env: env.make_offer(words="x", price=3), "unexpected keyword argument 'price'"),
        (lambda env: env.say(words=3), "words: input should be a valid string"),
        (lambda env: env.say(words="x" * 2001), "words: string should have at most 2000"),
        (lambda env: env.ask(topic="weather", words="x"), "topic: input should be 'timeline'"),
        (lambda env: env.play_card(card="joker"), "card: input should be 'anchor_high'"),
        (lambda env: env.report_belief(urgency="high"), "urgency: input should be a valid number"),
    ],
)
def test_arguments_that_make_no_move_are_told_and_nothing_is_played(call: Any, why: str) -> None:
    env = NegotiationTools()
    env.reset(**{**ROW, "seed": 3})
    before = seen(env)
    for _ in range(4):
        answer = call(env)
        assert answer.startswith("No move was made, and nothing changed: ")
        assert why in answer
    assert seen(env) is before


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda env: env.make_offer(words="x", amount=1e15), "must be from"),
        (lambda env: env.make_offer(words="x", terms={"colour": 3.0}), "value for each of price"),
        (lambda env: env.make_offer(words="x", amount=1.0, terms={"price": 1.0}), "give amount or terms, not both"),
        (lambda env: env.play_card(card="batna_reveal", words="x"), "batna_reveal needs a claim."),
        (lambda env: env.play_card(card="sweetener", words="x", claim=3.0), "claim needs batna_reveal or"),
        (lambda env: env.challenge(words="x"), "no claim"),
    ],
)
def test_a_move_that_is_not_allowed_costs_what_it_says_and_changes_nothing(call: Any, why: str) -> None:
    env = NegotiationTools()
    env.reset(**{**ROW, "seed": 3})
    before = seen(env)
    answer = call(env)
    assert answer.startswith("Not allowed: ")
    assert why in answer
    assert "It cost 10 points; the third in a row forfeits." in answer
    assert seen(env).reward == -10.0
    same = {"turn", "offers", "claims", "tension_score", "credibility_points", "belief"}
    assert seen(env).model_dump(include=same) == before.model_dump(include=same)


def test_the_third_move_in_a_row_that_is_not_allowed_forfeits() -> None:
    env = NegotiationTools()
    env.reset(**ROW)
    assert "over" not in env.make_offer(words="x", amount=1e15)
    assert "over" not in env.make_offer(words="x", amount=1e15)
    assert "The negotiation is over: forfeited" in env.make_offer(words="x", amount=1e15)


def test_a_price_for_several_issues_is_told_in_the_tools_own_words() -> None:
    env = NegotiationTools()
    env.reset(scenario_id="supplier_contract", persona="diplomat", seed=5)
    answer = env.make_offer(words="x", amount=9.5)
    assert "use terms with a value for each of price, payment_days, minimum_order" in answer


def test_a_belief_that_cannot_be_is_not_noted_for_ever() -> None:
    env = NegotiationTools()
    env.reset(**ROW)
    env.report_belief(urgency=7.0)
    assert "urgency and has_alternative go from 0 to 1" in env.say(words="Well?")
    assert "Not allowed" not in env.say(words="Well, then?")


def test_every_end_is_told_and_asks_for_plain_words() -> None:
    env = NegotiationTools()
    env.reset(**ROW)
    answer = env.walk_away()
    assert answer == "The negotiation is over: you walked away. Call no more tools; answer in plain words."
    for seed in range(30):
        env.reset(**{**ROW, "seed": seed})
        env.make_offer(words="Yours.", amount=1.15 * seen(env).own.limit // 100 * 100)
        while not seen(env).done and seen(env).opponent_offer is None:
            env.say(words=f"And {seen(env).turn}?")
        if not seen(env).done:
            agreed = next(iter((seen(env).opponent_offer or {}).values()))
            assert f"The negotiation is over: deal at {agreed:,.0f} USD." in env.accept_deal()
            return
    pytest.fail("no opponent made an offer")


# Beliefs --------------------------------------------------------------------------------------------------------------


def test_a_belief_uses_no_turn_and_goes_with_the_next_move() -> None:
    env = NegotiationTools()
    env.reset(**ROW)
    assert "next move" in env.report_belief(walk_away=150_000.0)
    env.report_belief(urgency=0.25)
    assert seen(env).turn == 1
    assert believed(env) == {}
    env.make_offer(words="A figure.", amount=160_000)
    assert believed(env) == {"est_walk_away": 150_000.0, "est_urgency": 0.25}


def test_a_belief_waits_for_a_move_that_is_allowed_and_never_for_another_episode() -> None:
    env = NegotiationTools()
    env.reset(**ROW)
    env.report_belief(walk_away=150_000.0)
    env.make_offer(words="x")
    env.make_offer(words="x", amount=1e15)
    assert believed(env) == {}
    env.say(words="Well?")
    assert believed(env) == {"est_walk_away": 150_000.0}
    env.report_belief(walk_away=140_000.0)
    env.reset(**ROW)
    env.say(words="Well?")
    assert believed(env) == {}


# Reward ---------------------------------------------------------------------------------------------------------------


def test_the_reward_is_what_the_door_paid() -> None:
    env = NegotiationTools()
    env.reset(**ROW)
    play(env)
    session = Session.open(ResetOptions(**ROW))
    session.answer()
    first = session.step(
        ParlayAction(utterance="A first figure.", offer_amount=session.observe(False)["own"]["target"])
    )
    paid = [first.reward]
    belief = {"est_walk_away": 150_000.0, "est_has_alternative": 0.6}
    action = ParlayAction.model_validate(
        {"question": "timeline", "utterance": "When do you need it?", "belief": belief}
    )
    answer = session.step(action)
    paid.append(answer.reward)
    while not answer.done:
        now = answer.observation
        if now["turn"] >= 12:
            answer = session.step(ParlayAction(utterance="Another time.", walk_away=True))
        else:
            amount = round(now["own"]["target"] - 1_500 * now["turn"], -2)
            answer = session.step(ParlayAction(utterance=f"Round {now['turn']}.", offer_amount=amount))
        paid.append(answer.reward)
    assert env.get_reward() == pytest.approx(sum(r or 0.0 for r in paid))
    assert env.get_reward() == pytest.approx((seen(env).grade or {})["reward"])


@pytest.mark.parametrize("omega", [200.0, 50.0])
def test_an_episode_that_did_not_end_counts_half_the_cliff(omega: float) -> None:
    env = NegotiationTools()
    env.reset(**ROW, omega=omega)
    assert env.get_reward() == -omega / 2
    env.make_offer(words="A figure.", amount=160_000)
    assert env.get_reward() == -omega / 2


def test_after_the_end_every_tool_raises_and_the_reward_stays() -> None:
    env = NegotiationTools()
    env.reset(**ROW)
    env.walk_away()
    reward = env.get_reward()
    calls = [
        env.accept_deal,
        env.walk_away,
        env.report_belief,
        partial(env.say, words="x"),
        partial(env.challenge, words="x"),
    ]
    calls += [partial(env.make_offer, words="x", amount=1.0), partial(env.ask, topic="timeline", words="x")]
    calls += [partial(env.play_card, card="reframe"), partial(env.make_offer, nonsense=1)]
    for call in calls:
        with pytest.raises(ValueError, match=OVER):
            call()
    assert env.get_reward() == reward


def test_one_instance_serves_one_row_after_the_other_as_a_fresh_one_would() -> None:
    rows = [ROW, {**ROW, "omega": 50.0, "seat": "buyer"}, {**ROW, "seed": 6}, ROW]
    reused, totals = NegotiationTools(), []
    for row in rows:
        fresh = NegotiationTools()
        assert reused.reset(**row) == fresh.reset(**row)
        for env in (reused, fresh):
            if row["seat"] == "seller":
                play(env)
        assert reused.get_reward() == fresh.get_reward()
        totals.append(reused.get_reward())
    assert totals[0] == totals[3]
    assert totals[1] == -25.0


# On a server ----------------------------------------------------------------------------------------------------------


def test_a_server_tells_and_pays_what_this_process_does(url: str) -> None:
    here, there = NegotiationTools(), NegotiationTools(url=url)
    for row in (ROW, {**ROW, "persona": "shark", "omega": 100.0}):
        assert here.reset(**row) == there.reset(**row)
        assert here.make_offer(words="x", amount=math.nan) == there.make_offer(words="x", amount=math.nan)
        for env in (here, there):
            play(env)
        assert here.get_reward() == there.get_reward()


def test_an_episode_lost_with_its_socket_is_played_on_where_it_was(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, cut = NegotiationTools(url=url), NegotiationTools(url=url)
    for env in (whole, cut):
        env.reset(**ROW)
        env.make_offer(words="A first figure.", amount=160_000)
    cut_socket(cut)
    for env in (whole, cut):
        play_on = env.make_offer(words="A second figure.", amount=155_000)
        assert "Turn 3 of 20" in play_on
    assert seen(whole).model_dump() == seen(cut).model_dump()


def test_an_episode_that_cannot_be_replayed_counts_as_unfinished_and_raises_nothing(url: str) -> None:
    env = NegotiationTools(url=url)
    env.reset(scenario_id="saas_enterprise", persona="diplomat", omega=100.0)
    env.make_offer(words="A first figure.", amount=160_000)
    cut_socket(env)
    assert "connection" in env.make_offer(words="A second figure.", amount=155_000)
    assert env.get_reward() == -50.0
    with pytest.raises(ValueError, match=LOST):
        env.say(words="Hello?")
    env.reset(**ROW)
    assert "Turn 2 of 20" in env.make_offer(words="A first figure.", amount=160_000)


def cut_socket(env: NegotiationTools) -> None:
    """Cut the connection as a broken network would."""
    socket = env._door._client._episodes.wire._socket  # type: ignore[attr-defined]
    socket.transport.abort()


def test_a_server_that_is_not_there_is_an_error_at_reset() -> None:
    with pytest.raises(ParlayClientError, match="make serve"):
        NegotiationTools(url="http://127.0.0.1:9").reset(**ROW)


def test_it_is_no_client() -> None:
    assert not issubclass(NegotiationTools, ParlayEnvClient)

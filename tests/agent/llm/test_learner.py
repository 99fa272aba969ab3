"""A language model at the table: what it is told, what is played of what it says, and what is counted."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec.structs import replace

from agent.baselines import UnknownPolicy
from agent.llm.base import BadKey, Provider, Usage
from agent.llm.learner import LanguagePolicy
from agent.llm.names import Manner, read_name
from agent.llm.parse import ABSENT
from agent.llm.providers import provider
from agent.llm.schema import action_schema
from agent.registry import opponent
from parlay_env.actions import move_of
from parlay_env.core import Viewer, policy_draws
from parlay_env.deal.state import Move, State
from parlay_env.deal.terms import terms_of, values_of
from parlay_env.deal.views import View
from parlay_env.models import ParlayAction
from parlay_env.prompt import prompt_of
from tests.agent.llm.conftest import BRISK
from tests.agent.llm.servers import KEY, Server, chat, openai_error
from tests.world import GAME, SCENARIO_IDS, setup

SELLER = Viewer("player", "seller")
SEED = 7
MADE: list[Provider] = []


def first(name: str = "saas_enterprise") -> State:
    """A deal that the seller opens."""
    for seed in range(SEED, SEED + 50):
        state = GAME.start(setup(name, "diplomat"), seed)
        if "seller" in GAME.to_move(state):
            return state
    raise AssertionError("somebody else always opens")


@pytest.fixture(autouse=True)
async def closed() -> AsyncIterator[None]:
    """Close the models that a test has made."""
    yield
    while MADE:
        await MADE.pop().close()


def player(server: Server, **manner: Any) -> LanguagePolicy:
    model = provider("openai/some-model", base_url=server.url, api_key=KEY, patience=BRISK)
    MADE.append(model)
    return LanguagePolicy(model, Manner(**manner))


async def act(policy: LanguagePolicy, view: View) -> Move:
    return await policy.act(view, policy_draws(GAME, SEED, "seller"))


def offer(amount: float, words: str = "We can sign at this.") -> str:
    return json.dumps({"utterance": words, "offer_amount": amount})


async def game(server: Server, texts: list[str], **manner: Any) -> tuple[LanguagePolicy, State]:
    """What becomes of a deal against the Diplomat when the model says these texts, then walks away."""
    policy, other = player(server, **manner), opponent("diplomat")
    said = iter(texts)
    server.usual = lambda _: chat(next(said, '{"utterance": "Good bye.", "walk_away": true}'))
    state = first()
    draws = {seat: policy_draws(GAME, SEED, seat) for seat in GAME.seats}
    while seats := GAME.to_move(state):
        (seat,) = seats
        view = GAME.view(state, Viewer("player", seat))
        move = await policy.act(view, draws[seat]) if seat == "seller" else other.act(view, draws[seat])
        state = GAME.play(state, {seat: move}).state
    policy.settle(GAME.view(state, SELLER))
    return policy, state


async def test_it_is_told_what_the_player_sees_and_no_more(openai: Server) -> None:
    openai.plays(chat(offer(150_000)))
    view = GAME.view(first(), SELLER)
    await act(player(openai), view)
    system, user = openai.heard[0].body["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert user["content"] == prompt_of(view)


async def test_what_it_is_told_does_not_hang_on_what_is_hidden(openai: Server) -> None:
    """The same public history and own facts, another opponent: byte for byte the same request."""
    openai.usual = chat(offer(150_000))
    state = first()
    theirs = state.facts[1]
    other = replace(theirs, walk_away=theirs.walk_away + 500_000, urgency=1 - theirs.urgency, deadline=12)
    for one in (state, replace(state, facts=(state.facts[0], other), shocks=())):
        await act(player(openai), GAME.view(one, SELLER))
    assert openai.heard[0].body == openai.heard[1].body


async def test_an_answer_is_played_as_it_is(openai: Server) -> None:
    openai.plays(chat(offer(150_000, "Shall we?")))
    state = first()
    move = await act(player(openai), GAME.view(state, SELLER))
    assert move.utterance == "Shall we?"
    assert values_of(terms_of(state.setup.scenario), move.offer) == {"price": 150_000}


@pytest.mark.parametrize("text", ["I think 150,000 is fair.", "", '{"utterance": "We can si'])
async def test_without_a_move_in_it_an_answer_is_an_invalid_move_and_nothing_else(openai: Server, text: str) -> None:
    openai.plays(chat(text, "length"))
    state, policy = first(), player(openai)
    move = await act(policy, GAME.view(state, SELLER))
    assert move == Move(refused=ABSENT)
    after = GAME.play(state, {"seller": move}).state
    assert (after.public.turn, after.public.offers) == (state.public.turn, ())
    view = GAME.view(after, SELLER)
    assert ABSENT.message in prompt_of(view)
    policy.settle(view)
    assert policy.spoken.moves == {"ok": 0, "repaired": 0, "illegal": 0, "absent": 1}
    assert policy.spoken.cut == 1


async def test_saying_nothing_earns_less_than_walking_away_at_once(openai: Server) -> None:
    _, silent = await game(openai, ["I would rather not say."] * 20)
    assert silent.public.ended.reason == "forfeit"
    _, left = await game(openai, [])
    paid = [GAME.view(state, SELLER).grade.reward for state in (silent, left)]
    assert paid[0] < paid[1]


async def test_every_move_is_in_one_class(openai: Server) -> None:
    texts = [
        offer(160_000),
        "Let me think.",
        offer(1),
        f"Well: {offer(158_000, 'A little less.')}",
        '{"offer_amount": "a lot"}',
        offer(156_000, "And a little less."),
    ]
    policy, state = await game(openai, texts)
    assert state.public.ended.reason == "walk_away"
    assert policy.spoken.moves == {"ok": 3, "repaired": 1, "illegal": 2, "absent": 1}
    assert policy.spoken.repairs == {"prose": 1}
    assert policy.spoken.total == len(openai.heard)
    assert policy.spoken.usage == Usage(11 * 7, 5 * 7, 7)


async def test_the_move_that_forfeits_is_counted_too(openai: Server) -> None:
    policy, state = await game(openai, [offer(1), offer(2), offer(3)])
    assert state.public.ended.reason == "forfeit"
    assert policy.spoken.moves["illegal"] == GAME.view(state, SELLER).grade.invalid_moves == 3


async def test_an_error_is_not_a_move_and_what_it_used_is_counted(openai: Server) -> None:
    openai.plays(openai_error(401))
    policy = player(openai)
    with pytest.raises(BadKey):
        await act(policy, GAME.view(first(), SELLER))
    assert (policy.spoken.total, policy.spoken.usage) == (0, Usage(requests=1))


async def test_memory_holds_its_newest_moves(openai: Server) -> None:
    asks = [170_000, 168_000, 166_000, 164_000]
    await game(openai, [offer(ask, f"Now {ask}.") for ask in asks], memory=2)
    sent = [[one["role"] for one in heard.body["messages"]] for heard in openai.heard]
    assert sent[0] == ["system", "user"]
    assert sent[1] == ["system", "user", "assistant", "user"]
    assert sent[3] == sent[4] == ["system", *["user", "assistant"] * 2, "user"]
    shown = [one["content"] for one in openai.heard[4].body["messages"] if one["role"] == "assistant"]
    assert [json.loads(text)["offer_amount"] for text in shown] == [166_000, 164_000]


async def test_the_same_episode_asks_with_the_same_seeds_and_every_move_with_another(openai: Server) -> None:
    texts = [offer(170_000), "Hm.", offer(168_000)]
    await game(openai, texts)
    await game(openai, texts)
    seeds = [heard.body["seed"] for heard in openai.heard]
    assert seeds[: len(seeds) // 2] == seeds[len(seeds) // 2 :]
    assert len(set(seeds)) == len(seeds) // 2


async def test_structured_output_is_asked_for_unless_the_manner_says_otherwise(openai: Server) -> None:
    openai.usual = chat(offer(150_000))
    view = GAME.view(first(), SELLER)
    await act(player(openai), view)
    await act(player(openai, schema=False, temperature=0.0, max_tokens=50), view)
    with_schema, without = (heard.body for heard in openai.heard)
    assert with_schema["response_format"]["json_schema"]["schema"] == action_schema(view)
    assert "response_format" not in without
    assert (without["temperature"], without["max_tokens"]) == (0.0, 50)


# --- the schema -------------------------------------------------------------------------------------------------------


def keys(schema: Any) -> set[str]:
    """Every key anywhere in a schema, names of fields left out."""
    if isinstance(schema, list):
        return set().union(*map(keys, schema))
    if not isinstance(schema, dict):
        return set()
    parts = [
        set().union(*map(keys, value.values())) if key == "properties" else keys(value) for key, value in schema.items()
    ]
    return {*schema, *set().union(*parts)}


@pytest.mark.parametrize("name", SCENARIO_IDS)
def test_a_schema_has_nothing_that_providers_choke_on(name: str) -> None:
    schema = action_schema(GAME.view(first(name), SELLER))
    known = {"type", "properties", "required", "additionalProperties", "enum", "description"}
    assert keys(schema) <= known | {"minimum", "maximum", "maxLength"}
    assert len(json.dumps(schema)) < 4000


@pytest.mark.parametrize("name", SCENARIO_IDS)
def test_a_schema_has_the_fields_of_an_action_that_the_scenario_can_use(name: str) -> None:
    state = first(name)
    fields = action_schema(GAME.view(state, SELLER))["properties"]
    price = terms_of(state.setup.scenario).is_price
    assert fields.keys() == ParlayAction.model_fields.keys() - {"offer" if price else "offer_amount"}


@pytest.mark.parametrize("name", SCENARIO_IDS)
def test_the_figures_of_a_schema_are_those_the_game_takes(name: str) -> None:
    state = first(name)
    fields = action_schema(GAME.view(state, SELLER))["properties"]
    terms = terms_of(state.setup.scenario)
    issues = {"price": fields["offer_amount"]} if terms.is_price else fields["offer"]["properties"]
    bounds = [tuple(one.get("enum") or (one["minimum"], one["maximum"])) for one in issues.values()]
    for corner in (0, -1):
        figures = {issue: bound[corner] for issue, bound in zip(issues, bounds, strict=True)}
        given = {"offer_amount": figures["price"]} if terms.is_price else {"offer": figures}
        after = GAME.play(state, {"seller": move(state, ParlayAction(utterance="So.", **given))}).state
        assert after.invalid[0] is None
    low = min(bounds[0]) - 1
    given = {"offer_amount": low} if terms.is_price else {"offer": {**dict.fromkeys(issues, 0), "price": low}}
    assert GAME.play(state, {"seller": move(state, ParlayAction(utterance="So.", **given))}).state.invalid[0]


def move(state: State, action: ParlayAction) -> Move:
    return move_of(GAME.view(state, SELLER), action)


# --- names ------------------------------------------------------------------------------------------------------------


def test_a_name_says_who_and_how() -> None:
    assert read_name("llm:local/smollm2") == ("local/smollm2", Manner())
    given = "llm:openai/Qwen/Qwen2.5:0.5b?temperature=0&memory=2&schema=false&max_tokens=99"
    assert read_name(given) == ("openai/Qwen/Qwen2.5:0.5b", Manner(0.0, 99, 2, schema=False))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("llm:", "PROVIDER/MODEL"),
        ("llm:openai", "PROVIDER/MODEL"),
        ("openai/some-model", "PROVIDER/MODEL"),
        ("llm:openai/some-model?mood=good", "no option 'mood'"),
        ("llm:openai/some-model?temperature=warm", "temperature"),
        ("llm:openai/some-model?temperature=9", "0 to 2"),
        ("llm:openai/some-model?memory=-1", "0 to 20"),
    ],
)
def test_a_name_that_is_none_says_what_would_be_right(name: str, told: str) -> None:
    with pytest.raises(UnknownPolicy, match=told):
        read_name(name)

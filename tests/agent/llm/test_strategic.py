"""A language model in the strategic games: what it is asked, how it is read, what an answer without a move costs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from agent.games.language import NO_MOVE, LanguagePlayer, belief_in, form_of, read
from agent.games.registry import entry, games
from agent.llm.base import BadKey, Provider
from agent.llm.names import Manner
from agent.llm.providers import provider
from parlay_env.core import Viewer, policy_draws
from parlay_env.game_session import GameOptions, GameSession
from parlay_env.games.interface import VOID
from parlay_env.games.rps_talk import PLAYS, Move, RpsTalk, Setup, State
from parlay_env.log import EventLog
from tests.agent.llm.conftest import BRISK
from tests.agent.llm.servers import KEY, USED, Server, chat, openai_error

GAME = RpsTalk()
SEED = 7
EVEN = "expect: rock 0.33, paper 0.33, scissors 0.33"
MADE: list[Provider] = []


@pytest.fixture(autouse=True)
async def closed() -> AsyncIterator[None]:
    """Close the models that a test has made."""
    yield
    while MADE:
        await MADE.pop().close()


def player(server: Server, game: Any = GAME, plays: tuple[str, ...] = (), **manner: Any) -> LanguagePlayer:
    model = provider("openai/some-model", base_url=server.url, api_key=KEY, patience=BRISK)
    MADE.append(model)
    return LanguagePlayer(model, game, Manner(**manner), plays)


def state_of(mover: str = "first") -> State:
    return next(state for seed in range(50) if mover in GAME.to_move(state := GAME.start(Setup(), seed)))


async def said(server: Server, *texts: str, **more: Any) -> tuple[LanguagePlayer, list[Any], State]:
    """What a model's answers came to, against one that answers every message."""
    found, state, moves = player(server, **more), state_of(), []
    draws = policy_draws(GAME, SEED, "first")
    server.plays(*map(chat, texts))
    for _ in texts:
        moves.append(await found.act(GAME.view(state, Viewer("player", "first")), draws))
        state = GAME.play(state, {"first": moves[-1]}).state
        if "second" in GAME.to_move(state):
            answer = Move(play="rock") if moves[-1].play else Move(talk="Go on.")
            state = GAME.play(state, {"second": answer}).state
    found.settle(GAME.view(state, Viewer("player", "first")))
    return found, moves, state


async def test_it_is_asked_as_a_client_is_over_a_door(openai: Server) -> None:
    session = GameSession(entry("rps_talk"), GameOptions(seed=SEED, seat="first", prompt=True))
    openai.plays(chat('{"talk": "Hello."}'))
    view = GAME.view(session.state_now, Viewer("player", "first"))
    await player(openai).act(view, policy_draws(GAME, SEED, "first"))
    system, user = openai.heard[0].body["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert user["content"] == session.answer().observation["prompt"]
    assert openai.heard[0].body["response_format"]["json_schema"]["schema"] == form_of(Move, talks=True)


async def test_answers_are_played_as_they_are_and_counted_by_class(openai: Server) -> None:
    strict = f"<think>Hm. {EVEN}</think><talk>I will play paper.</talk>"
    found, _, state = await said(
        openai, '{"talk": "Hello."}', f"Well: {json.dumps({'talk': 'Listen.'})}", strict, '{"play": "paper", "why": 1}'
    )
    assert [one.words for one in state.said[::2]] == ["Hello.", "Listen.", "I will play paper."]
    assert state.plays == ("paper", "rock")
    assert found.spoken.moves == {"ok": 2, "repaired": 2, "illegal": 0, "absent": 0}
    assert found.spoken.repairs == {"prose": 1, "unknown_field": 1}
    assert (found.spoken.usage.prompt_tokens, found.spoken.usage.completion_tokens) == tuple(4 * one for one in USED)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I play rock.", "absent"),
        ("", "absent"),
        ('{"move": "rock"}', "absent"),
        ('{"play": "stone"}', "illegal"),
        ('{"play": "rock", "talk": "Rock!"}', "illegal"),
        ("{}", "illegal"),
        ("<think>Hm.<play>rock</play>", "absent"),
        ("<play>stone</play>", "illegal"),
    ],
)
async def test_an_answer_without_a_legal_move_costs_what_an_error_costs(openai: Server, text: str, kind: str) -> None:
    found, _, state = await said(openai, text)
    assert GAME.view(state, Viewer("observer")).ended == VOID
    measured = GAME.measures(state, "first")
    assert (measured["error"], measured["reward"]) == (1.0, -1.0)
    assert found.spoken.moves == {"ok": 0, "repaired": 0, "illegal": 0, "absent": 0, kind: 1}


async def test_what_it_expects_stands_in_its_thought_and_nowhere_else(openai: Server) -> None:
    told = {
        "think": "They bluff. expect: rock 0.2, paper 50%, scissors 0.3",
        "talk": "expect: rock 1, paper 0, scissors 0",
    }
    found, _, _ = await said(openai, json.dumps(told), plays=PLAYS)
    view, draws = GAME.view(state_of(), Viewer("player", "first")), policy_draws(GAME, SEED, "first")
    assert found.expects(view, draws) == pytest.approx({"rock": 0.2, "paper": 0.5, "scissors": 0.3})
    asked = openai.heard[0].body["messages"][-1]["content"]
    assert asked.endswith(EVEN)
    openai.plays(chat('{"play": "rock"}'))
    await found.act(view, draws)
    assert found.expects(view, draws) is None, "an older belief is none of this decision"


async def test_what_it_expects_is_in_the_log_and_the_other_sees_it_at_the_end_alone(openai: Server) -> None:
    told, played = json.dumps({"think": EVEN, "talk": "Hello."}), json.dumps({"play": "paper"})
    _, (move,), begun = await said(openai, told, plays=PLAYS)
    assert EVEN.encode() in EventLog.begin(GAME.id, Setup(), SEED).append({"first": move}).to_jsonl()
    assert EVEN not in str(GAME.view(begun, Viewer("player", "second")))
    _, _, over = await said(openai, told, played, plays=PLAYS)
    seen = GAME.view(over, Viewer("player", "second"))
    assert [one.words for one in seen.truth.thoughts] == [EVEN]


async def test_who_is_not_asked_for_a_belief_tells_none(openai: Server) -> None:
    found, _, _ = await said(openai, json.dumps({"think": EVEN, "talk": "Hello."}))
    assert found.expects(None, policy_draws(GAME, SEED, "first")) is None
    assert "expect:" not in openai.heard[0].body["messages"][-1]["content"]


async def test_memory_shows_its_own_newest_moves_and_without_it_none(openai: Server) -> None:
    strict = "<think>Secret.</think><talk>Two.</talk>"
    await said(openai, '{"think": "Hm.", "talk": "One."}', strict, '{"talk": "Three."}', '{"talk": "Four."}', memory=2)
    last = openai.heard[-1].body["messages"]
    assert [one["content"] for one in last[1:-1]] == [
        *("Your move number 2?", strict),
        *("Your move number 3?", '{"talk":"Three."}'),
    ]
    await said(openai, '{"talk": "One."}', '{"talk": "Two."}')
    assert [one["role"] for one in openai.heard[-1].body["messages"]] == ["system", "user"]


async def test_the_same_draws_ask_with_the_same_seeds(openai: Server) -> None:
    await said(openai, '{"talk": "One."}', '{"talk": "Two."}')
    await said(openai, '{"talk": "One."}', '{"talk": "Two."}')
    seeds = [heard.body["seed"] for heard in openai.heard]
    assert seeds[:2] == seeds[2:]
    assert seeds[0] != seeds[1]


async def test_a_failure_is_raised_and_its_use_counted(openai: Server) -> None:
    openai.plays(openai_error(401, "invalid_api_key"))
    found = player(openai)
    with pytest.raises(BadKey):
        await found.act(GAME.view(state_of(), Viewer("player", "first")), policy_draws(GAME, SEED, "first"))
    assert found.spoken.usage.requests == 1
    assert found.spoken.total == 0


@pytest.mark.parametrize("game_id", games())
def test_no_move_is_refused_in_every_phase_of_every_game(game_id: str) -> None:
    """At every state of an episode, whoever is to move and says nothing is told so, or ends the game with it."""
    one = entry(game_id)
    game, setups = one.game, [one.game.setup_type()]
    if "chat" in one.options:
        setups.append(one.game.setup_type(chat=True))
    for setup in setups:
        state, players = game.start(setup, 3), {seat: one.player("random") for seat in game.seated(setup)}
        while seats := game.to_move(state):
            moves = {
                seat: players[seat].act(game.view(state, Viewer("player", seat)), policy_draws(game, 3, seat))
                for seat in sorted(seats)
            }
            for seat in seats:
                wrong = game.play(state, {**moves, seat: NO_MOVE[game.move_type]}).state
                assert game.view(wrong, Viewer("player", seat)).invalid is not None
            state = game.play(state, moves).state


@pytest.mark.parametrize("game_id", games())
def test_the_form_of_an_answer_is_the_move_without_references_and_null(game_id: str) -> None:
    kind = entry(game_id).game.move_type
    names = {field.encode_name for field in msgspec.structs.fields(kind)}
    for talks in (False, True):
        form = form_of(kind, talks=talks)
        assert form["type"] == "object"
        assert not any(word in json.dumps(form) for word in ("$ref", "null", "default"))
        for one in form.get("anyOf", [form]):
            assert set(one["required"]) <= set(one["properties"]) <= names - {"text"}
            assert one["additionalProperties"] is False


async def test_the_form_asks_for_a_play_once_there_is_no_more_to_say(openai: Server) -> None:
    await said(openai, '{"talk": "Hello."}')
    state = GAME.play(state_of("second"), {"second": Move(play="rock")}).state
    openai.plays(chat('{"think": "", "play": "rock"}'))
    view = GAME.view(state, Viewer("player", "first"))
    await player(openai).act(view, policy_draws(GAME, SEED, "first"))
    first, last = (heard.body["response_format"]["json_schema"]["schema"] for heard in openai.heard)
    assert [one["required"] for one in first["anyOf"]] == [["think", "talk"], ["think", "play"]]
    assert last["required"] == ["think", "play"]


@pytest.mark.parametrize(
    ("game_id", "text", "kind", "move"),
    [
        ("levers", '{"lever": 3}', "ok", {"lever": 3}),
        ("levers", 'Sure! ```json\n{"lever": "3"}\n```', "repaired", {"lever": 3}),
        ("levers", '{"lever": "three"}', "illegal", None),
        ("levers", "3", "absent", None),
        ("size_price", '{"play": "accept"}', "ok", {"play": "accept"}),
        ("size_price", "<play>4 at 25</play>", "ok", {"text": "<play>4 at 25</play>"}),
        ("size_price", '<think>So.</think>\n{"play": {"units": 4, "price": 25}}', "repaired", {"play": [4, 25]}),
        ("bertrand", '{"play": 12.5}', "illegal", None),
        ("commons", '{"catch_t": 10}', "ok", {"catch_t": 10}),
        ("levers", '{"lever": 1' + "0" * 5000 + "}", "absent", None),
        ("commons", '{"catch_t": 10.0}', "ok", {"catch_t": 10}),
        ("size_price", '{"play": {"units": 4.0, "price": 25}}', "ok", {"play": [4, 25]}),
        ("rps_talk", r'{"talk": "\ud800"}', "illegal", None),
        ("rps_talk", r'{"think": "\udfff", "play": "rock"}', "illegal", None),
        ("rps_talk", r'{"text": "<think>\ud800</think><play>rock</play>"}', "illegal", None),
        ("rps_talk", "<think>\ud800</think><talk>hi</talk>", "illegal", None),
        ("rps_talk", r'Well: {"play": "\ud800"}', "illegal", None),
        ("rps_talk", r'{"talk": "\ud83d\ude00"}', "ok", {"talk": "\U0001f600"}),
        ("rps_talk", r'{"play": "rock", "\ud800": 1}', "repaired", {"play": "rock"}),
    ],
)
def test_a_text_is_read_as_the_game_s_move(game_id: str, text: str, kind: str, move: dict[str, Any] | None) -> None:
    found = read(text, entry(game_id).game.move_type)
    assert found.kind == kind
    if move is None:
        assert found.move is None
    else:
        told = msgspec.to_builtins(found.move)
        plain = {
            name: list(value.values()) if isinstance(value, dict) else value for name, value in told.items() if value
        }
        assert plain == move


@pytest.mark.parametrize(
    ("thought", "belief"),
    [
        (EVEN, dict.fromkeys(PLAYS, 1 / 3)),
        (
            "Expect: Rock: 10%, paper=60 %? expect: rock 10%, paper 60%, scissors 30%.",
            {"rock": 0.1, "paper": 0.6, "scissors": 0.3},
        ),
        ("expect: scissors .5 rock 0.5 paper 0", {"rock": 0.5, "paper": 0.0, "scissors": 0.5}),
        ("expect: rock 1", None),
        ("expect: rock 0.9, paper 0.9, scissors 0.9", None),
        ("expect: rock 0.5, paper 0.5, stone 0", None),
        ("expect: rock 0.5, rock 0.2, paper 0.2, scissors 0.1", None),
        ("expect: rock " + "9" * 999 + ", paper 0, scissors 0", None),
        ("rock 0.5, paper 0.3, scissors 0.2", None),
        ("expect:" * 9000 + " " * 20_000 + "a" * 20_000, None),
    ],
)
def test_a_belief_is_read_where_it_is_one(thought: str, belief: dict[str, float] | None) -> None:
    assert belief_in(thought, PLAYS) == (None if belief is None else pytest.approx(belief))

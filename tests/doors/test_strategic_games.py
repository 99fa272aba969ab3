"""`/games/<id>/ws`: OpenEnv's protocol for every strategic game, and what is told of the games over HTTP."""

from __future__ import annotations

import json
import math
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from typing import Any

import httpx2 as httpx
import msgspec
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from agent.games.registry import Entry, games
from parlay_env.core import Viewer, replay
from parlay_env.doors.wire import encode
from parlay_env.game_session import BadMove, GameOptions, GameSession, move_of, setup_of
from parlay_env.rng import Draws
from parlay_env.session import BadOption, EpisodeDone

from .support import Reply, Served, Stock, code_of, served, until

IDS = list(games())


@asynccontextmanager
async def table(server: Served, game_id: str) -> AsyncIterator[Stock]:
    async with server.socket(f"/games/{game_id}/ws") as ws:
        yield Stock(ws)


class Player:
    """Makes the moves that the game's `random` player makes when it is in this seat with these draws: it is shown the
    view that a session of our own has at the same moves."""

    def __init__(self, entry: Entry, **options: Any) -> None:
        self.entry, self.twin = entry, GameSession(entry, GameOptions(**options))
        self.policy = entry.player("random")

    def move(self) -> dict[str, Any]:
        view = self.entry.game.view(self.twin.state_now, Viewer("player", self.twin.seat))
        found = msgspec.to_builtins(self.policy.act(view, Draws(99)))
        self.twin.step(found)
        return found


async def play(client: Stock, entry: Entry, **options: Any) -> list[Reply]:
    player, trail = Player(entry, **options), [await client.reset(**options)]
    while not trail[-1]["data"]["done"]:
        trail.append(await client.step(**player.move()))
        assert len(trail) < 400
    return trail


@pytest.mark.parametrize("game_id", IDS)
async def test_every_game_is_played_to_its_end_from_every_seat(server: Served, game_id: str) -> None:
    entry = games()[game_id]
    low, high = entry.game.reward_range
    for seat in entry.game.seated(entry.game.setup_type()):
        async with table(server, game_id) as client:
            trail = await play(client, entry, seed=11, seat=seat)
            state = (await client.state())["data"]
        last = trail[-1]["data"]["observation"]
        assert last["seat"] == seat
        assert last["ended"] is not None
        assert last["truth"] is not None
        assert not last["your_move"]
        assert all(reply["data"]["observation"]["truth"] is None for reply in trail[:-1])
        assert all(reply["data"]["observation"]["your_move"] for reply in trail[:-1])
        assert trail[0]["data"]["reward"] is None
        assert all(math.isfinite(reply["data"]["reward"]) for reply in trail[1:])
        assert low - 1e-9 <= sum(reply["data"]["reward"] for reply in trail[1:]) <= high + 1e-9
        assert state["step_count"] == len(trail) - 1


@pytest.mark.parametrize("game_id", IDS)
async def test_a_seed_fixes_the_episode_and_the_seat(server: Served, game_id: str) -> None:
    async with table(server, game_id) as client:
        first = await play(client, games()[game_id], seed=5)
        assert await play(client, games()[game_id], seed=5) == first
        seats = {(await client.reset(seed=seed))["data"]["observation"]["seat"] for seed in range(40)}
    assert seats == set(games()[game_id].game.seated(games()[game_id].game.setup_type()))


@pytest.mark.parametrize("game_id", IDS)
async def test_a_move_that_is_none_is_an_error_that_quotes_nothing_and_changes_nothing(
    server: Served, game_id: str
) -> None:
    async with table(server, game_id) as client:
        await client.reset(seed=1)
        before = (await client.state())["data"]
        for data in ([1], "x", None, {"<script>": 1}, {"no_such": "<script>"}, {"a": {"b": [{}] * 50}}, 7):
            reply = await client.ask({"type": "step", "data": data})
            assert code_of(reply) == "VALIDATION_ERROR"
            assert "script" not in json.dumps(reply)
            assert "a move of" in reply["data"]["message"]
        assert (await client.state())["data"] == before


@pytest.mark.parametrize("game_id", IDS)
async def test_a_move_that_is_not_allowed_is_answered_and_hostile_play_ends(server: Served, game_id: str) -> None:
    entry, r = games()[game_id], random.Random(3)
    illegal = import_module(f"tests.games.test_{game_id}").illegal
    session = GameSession(entry, GameOptions(seed=2))
    async with table(server, game_id) as client:
        reply = await client.reset(seed=2)
        for _ in range(400):
            if reply["data"]["done"]:
                return
            view = entry.game.view(session.state_now, Viewer("player", session.seat))
            move = msgspec.to_builtins(illegal(view, r))
            reply, twin = await client.step(**move), session.step(move)
            assert reply["type"] == "observation"
            assert reply["data"]["observation"] == {**json.loads(encode(twin.observation)), "metadata": {}}
    pytest.fail("the episode does not end")


@pytest.mark.parametrize("first", ['{"type": "reset", "data": {}}', '{"type": "close"}', "not JSON", "[]", b"x"])
async def test_at_a_game_that_there_is_not_the_games_are_named_and_the_socket_is_closed(
    server: Served, first: str | bytes
) -> None:
    before = server.hub.active
    async with server.socket("/games/lever/ws") as ws:
        await ws.send(first)
        reply = json.loads(await ws.recv())
        with pytest.raises(ConnectionClosed) as closed:
            await ws.recv()
    assert code_of(reply) == "VALIDATION_ERROR"
    assert reply["data"]["message"] == f"the games are {', '.join(IDS)}; did you mean levers?"
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404
    await until(lambda: server.hub.active == before)


@pytest.mark.parametrize("path", ["/games/%3Cscript%3E/ws", f"/games/{'x' * 2000}/ws", "/games/%00/ws"])
async def test_the_id_of_a_game_that_there_is_not_is_never_quoted(server: Served, path: str) -> None:
    async with server.socket(path) as ws:
        await ws.send("{}")
        reply = json.loads(await ws.recv())
    assert reply["data"]["message"] == f"the games are {', '.join(IDS)}"


@pytest.mark.parametrize("path", ["/games/ws", "/games/a/b/ws", "/game/levers/ws", "/games/levers/ws/"])
async def test_a_path_of_no_door_is_refused_as_before(server: Served, path: str) -> None:
    with pytest.raises(InvalidStatus):
        async with server.socket(path):
            pass


async def test_wrong_options_are_named_without_what_was_sent(server: Served) -> None:
    async with table(server, "levers") as client:
        for options, told in (
            ({"seat": "<b>"}, "first, second"),
            ({"partner": "ode"}, "did you mean odd?"),
            ({"setup": {"odd": 77}}, "from 0 to 9"),
            ({"setup": {"odd": "<b>"}}, "int"),
            ({"setup": {"<b>": 1}}, "it takes odd"),
            ({"setup": {"od": 1}}, "it takes odd; did you mean odd?"),
            ({"setup": {"odd": 7.5}}, "int"),
            ({"seed": 1.5}, "int"),
            ({"seed": -1}, "greater than or equal to 0"),
            ({"sede": 1}, "no such field"),
        ):
            reply = await client.reset(**options)
            assert code_of(reply) == "VALIDATION_ERROR"
            assert told in json.dumps(reply)
            assert "<b>" not in json.dumps(reply)
        assert (await client.state())["data"] == {"episode_id": None, "step_count": 0}


@pytest.mark.parametrize("game_id", ["undercover", "teamwork"])
@pytest.mark.parametrize("players", [-8, 0, 1, 9])
async def test_a_number_of_players_that_there_is_not_is_told(server: Served, game_id: str, players: int) -> None:
    async with table(server, game_id) as client:
        reply = await client.reset(setup={"players": players})
        assert code_of(reply) == "VALIDATION_ERROR"
        assert "players is a whole number from" in json.dumps(reply)


async def test_a_whole_number_may_be_written_with_a_point(server: Served) -> None:
    """As JSON's schemas have it: 10.0 is an integer."""
    asked = {
        "levers": ({"odd": 3.0}, {"lever": 3.0}),
        "bertrand": ({"product": 7.0}, {"play": 100.0}),
        "size_price": ({"turns": 4.0}, {"play": {"units": 2.0, "price": 50.0}}),
        "undercover": ({"players": 3.0, "mask": 1.0}, {"summary": "So."}),
        "signalling": ({"rounds": 2.0}, {"sign": 7.0}),
        "teamwork": ({"rounds": 2.0, "noise": 0.0}, {"work": 1.0}),
        "commons": ({"months": 3.0}, {"catch_t": 10.0}),
    }
    for name, (setup, move) in asked.items():
        async with table(server, name) as client:
            assert (await client.reset(seed=7.0, setup=setup))["type"] == "observation"
            reply = await client.step(**move)
            assert reply["type"] == "observation"
            assert reply["data"]["observation"]["invalid"] is None


@pytest.mark.parametrize(
    ("game_id", "move", "told"),
    [
        ("undercover", {"summary": 1.0}, "summary: expected `str | null`, got `float`"),
        ("rps_talk", {"talk": 5.0}, "talk: expected `str | null`, got `float`"),
        ("rps_talk", {"talk": 5}, "talk: expected `str | null`, got `int`"),
        ("levers", {"lever": 2.5}, "lever: expected `int`, got `float`"),
        ("levers", {"lever": 2.0, "x": 1}, "there is no such field"),
    ],
)
def test_a_wrong_figure_is_told_as_it_was_sent(game_id: str, move: dict[str, object], told: str) -> None:
    with pytest.raises(BadMove) as error:
        move_of(games()[game_id], move)
    assert str(error.value).startswith(told)


def test_a_whole_number_with_a_point_is_not_what_is_wrong_with_a_setup() -> None:
    with pytest.raises(BadOption) as error:
        setup_of(games()["undercover"], {"players": 3.0, "mask": "x"})
    assert "mask" in error.value.where
    assert "got `str`" in str(error.value)


async def test_order_is_kept_and_the_end_is_the_end(server: Served) -> None:
    async with table(server, "levers") as client:
        assert code_of(await client.step(lever=1)) == "EXECUTION_ERROR"
        await client.reset(seed=1)
        assert (await client.step(lever=1))["data"]["done"]
        assert code_of(await client.step(lever=1)) == "EXECUTION_ERROR"
        assert code_of(await client.ask({"type": "nope"})) == "UNKNOWN_TYPE"
        assert code_of(await client.ask({"type": "state", "data": {}})) == "VALIDATION_ERROR"
        assert not (await client.reset(seed=1))["data"]["done"]


async def test_a_drawn_seed_is_told_with_the_end_only(server: Served) -> None:
    async with table(server, "levers") as client:
        assert "seed" not in (await client.reset())["data"]["metadata"]
        assert (await client.state())["data"]["seed"] is None
        assert "seed" in (await client.step(lever=0))["data"]["metadata"]


async def test_a_prompt_tells_rules_view_and_move(server: Served) -> None:
    async with table(server, "levers") as client:
        seen = (await client.reset(seed=1, prompt=True))["data"]["observation"]
        assert games()["levers"].game.rules in seen["prompt"]
        assert '{"lever": integer}' in seen["prompt"]


async def test_sockets_of_games_count_as_sessions() -> None:
    with served(max_sessions=1) as server:
        async with table(server, "levers") as one:
            await one.reset(seed=1)
            async with table(server, "levers") as two:
                assert code_of(json.loads(await two.ws.recv())) == "CAPACITY_REACHED"


def test_the_log_of_a_session_replays_it() -> None:
    for entry in games().values():
        player = Player(entry, seed=4)
        while not player.twin.done:
            player.move()
        again = replay(entry.game, player.twin.log)
        assert again.state == player.twin.state_now
        with pytest.raises(EpisodeDone):
            player.twin.step({})


async def test_games_are_listed_with_all_that_a_client_needs(server: Served) -> None:
    async with httpx.AsyncClient(base_url=server.url, timeout=30) as http:
        listed = (await http.get("/games")).json()["games"]
        assert [one["id"] for one in listed] == IDS
        for one in listed:
            place = f"/games/{one['id']}"
            assert one["socket"] == f"{place}/ws"
            assert (await http.get(f"{place}/health")).json() == {"status": "healthy"}
            assert (await http.get(f"{place}/metadata")).json()["name"] == one["id"]
            schema = (await http.get(f"{place}/schema")).json()
            assert {"action", "observation", "state", "setup", "reset"} <= set(schema)
            assert one["partner"] in one["players"]
            assert one["facts"] == dict(games()[one["id"]].game.facts)
            assert one["facts"]
            assert all(map(math.isfinite, one["facts"].values()))
        unknown = await http.get("/games/lever/health")
    assert unknown.status_code == 404
    assert "did you mean levers?" in unknown.json()["error"]["message"]


_FIGURES = (-(10**30), -(2**63), -9, -1, 0, 1, 2, 9, 41, 101, 201, 10_001, 2**64, 10**30)
ODD = (*map(str, _FIGURES), "1e400", "-1e400", "0.3", '"x"', '""', '"\\u0000"', "null", "true", "[]", "{}", "[[1]]")
"""JSON that hardly any field expects."""


@pytest.mark.parametrize("game_id", IDS)
async def test_no_option_and_no_move_is_ever_a_fault_of_ours(server: Served, game_id: str) -> None:
    entry = games()[game_id]
    async with table(server, game_id) as client:
        for name in entry.options:
            for value in ODD:
                options = f'"seed": 1, "setup": {{"{name}": {value}}}'
                reply = await client.ask(f'{{"type": "reset", "data": {{{options}}}}}')
                assert is_ours(reply), (name, value, reply)
        for field in entry.game.move_type.__struct_fields__:
            for value in ODD:
                await client.reset(seed=1)
                for _ in range(2):
                    reply = await client.ask(f'{{"type": "step", "data": {{"{field}": {value}}}}}')
                    assert is_ours(reply), (field, value, reply)


def is_ours(reply: Reply) -> bool:
    """An observation, or an error that says what would be right."""
    if reply["type"] == "observation":
        return True
    known = code_of(reply) in ("VALIDATION_ERROR", "INVALID_JSON", "EXECUTION_ERROR")
    return known and "on our side" not in reply["data"]["message"]


async def test_what_can_not_be_sent_back_is_not_taken_in(server: Served) -> None:
    async with table(server, "commons") as client:
        await client.reset(seed=1, setup={"chat": True})
        reply = await client.ask('{"type": "step", "data": {"say": 1e999}, "data": {"say": "\\ud800"}}')
        assert code_of(reply) == "INVALID_JSON"
        assert (await client.step(say="hello"))["type"] == "observation"


async def test_an_option_of_the_wrong_kind_is_named(server: Served) -> None:
    async with table(server, "levers") as client:
        for name, wrong in (("partner", 5), ("setup", []), ("prompt", "x"), ("seat", {})):
            (error,) = (await client.reset(**{name: wrong}))["data"]["errors"]
            assert error["loc"] == [name]
        (error,) = (await client.reset(partnr="odd"))["data"]["errors"]
        assert "did you mean partner?" in error["msg"]


async def test_the_longest_thought_may_be_sent_in_any_script(server: Served) -> None:
    async with table(server, "rps_talk") as client:
        await client.reset(seed=1)
        reply = await client.step(think="\u4e2d" * 20_000, talk="hello")
        assert not reply["data"]["done"] or reply["data"]["observation"]["ended"] == "played"


@pytest.mark.parametrize("game_id", IDS)
def test_half_a_surrogate_pair_in_a_move_or_a_setup_is_told(game_id: str) -> None:
    entry = games()[game_id]
    for name in entry.options:
        with pytest.raises(BadOption):
            GameSession(entry, GameOptions(seed=1, setup={name: "\ud800"}))
    session = GameSession(entry, GameOptions(seed=1))
    for name in entry.game.move_type.__struct_fields__:
        with suppress(BadMove, EpisodeDone):  # or it is refused by the game, in its own words
            encode(session.step({name: "\ud800"}).observation)

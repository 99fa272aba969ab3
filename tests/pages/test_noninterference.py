"""Nothing hidden reaches a player's page before the end: two games that differ in hidden facts only give the same
bytes, and no answer holds a seed or a secret."""

from __future__ import annotations

import base64
import dataclasses
import random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from msgspec.structs import replace

from dashboard.shapes import game_view
from game.estimates import prior_estimate
from game.house import Live, Plan
from game.record import Episode, lines, steps_of, trail
from game.scenarios import scenarios
from game.store import rooms
from game.store.games import GameRow, SeatRow
from parlay_env.deal.state import SEATS, Belief, Invalid, State, with_seat
from parlay_env.doors.wire import encode
from parlay_env.log import EventLog
from parlay_env.session import GAME
from tests.parlay_env.test_noninterference import Moment, moments, seeds, veiled
from tests.store.support import new_player
from tests.world import random_pair, setup, states

from .support import Browser, Json, World, stream

HIDDEN = {"zopa", "nash", "bluff", "at_other_limit", "truthful", "effect", "grade", "truth", "seed", "secret", "ledger"}


def live_of(moment: Moment, seed: int | None = None) -> tuple[Live, int]:
    """A game at this moment, and who looks at it; with a seed everything that it may not know is replaced."""
    chosen = setup(moment.name, moment.persona, seat=moment.seat, both_graded=False, events=moment.events)
    path: list[State] = [
        s for s in states(chosen, moment.seed, random_pair(moment.seed, moment.illegal)) if s.public.ended is None
    ]
    path = path[: 1 + moment.at % len(path)]
    seat = chosen.learner
    if seed is not None:
        path = [_veiled(state, seat, seed) for state in path]
    episode = Episode(chosen, 0, dict.fromkeys(SEATS))
    episode.state, episode.states = path[-1], path[:-1]
    return Live(row_of(moment), episode, EventLog.begin(GAME.id, chosen, 0)), seat


def _veiled(state: State, seat: int, seed: int) -> State:
    """What was refused to the other side stays refused, for another reason."""
    found = veiled(state, seat, random.Random(seed), same_future=True)
    refused = None if state.invalid[1 - seat] is None else Invalid("other", "something else")
    return replace(found, invalid=with_seat(found.invalid, 1 - seat, refused))


def row_of(moment: Moment) -> GameRow:
    seat = SeatRow(moment.seat, "p", "Ada")
    return GameRow(
        "g", "", b"", moment.name, moment.seat, moment.persona, "train", "playing", False, False, False, None, None,
        False, 1, None, None, 0, 0, None, (seat,),
    )  # fmt: skip


def moves_of(moment: Moment, seed: int | None = None) -> list[dict[str, Any]]:
    """The moves that led there, as the two players made them; with a seed the other side believes something else."""
    chosen = setup(moment.name, moment.persona, seat=moment.seat, both_graded=False, events=moment.events)
    made: list[dict[str, Any]] = []

    class Noted:
        def __init__(self, inner: Any, seat: str) -> None:
            self.inner, self.seat = inner, seat

        def act(self, view: Any, rng: Any) -> Any:
            move = self.inner.act(view, rng)
            made.append({self.seat: move})
            return move

    pair = random_pair(moment.seed, moment.illegal)
    for _ in states(chosen, moment.seed, {seat: Noted(one, seat) for seat, one in pair.items()}):
        pass
    if seed is None:
        return made
    r = random.Random(seed)
    return [
        {
            seat: move
            if seat == moment.seat
            else replace(move, belief=Belief(r.randint(1, 9), 2, 0.5, 0.5), event_impact=r.random())
        }
        for moves in made
        for seat, move in moves.items()
    ]


@given(moments, seeds)
def test_a_game_and_all_that_is_worked_out_from_it_is_the_same_whatever_is_hidden(moment: Moment, seed: int) -> None:
    moment = dataclasses.replace(moment, both=False)
    found = []
    for world in (None, seed):
        live, seat = live_of(moment, world)
        live.episode.moves = moves_of(moment, world)[: len(live.episode.states)]
        assert len(live.episode.moves) == len(live.episode.states)
        name = SEATS[seat]
        view = live.episode.view(name)
        told = game_view(live, name, [prior_estimate(view)], "prior")
        steps = list(steps_of(live.episode, name))  # all that an estimator is given
        parts = [told, lines(live.episode, name), trail(live.episode, name), steps]
        found.append([encode(msgspec.to_builtins(part)) for part in parts])
    hidden = [live_of(moment, world)[0].episode.state.facts[1 - seat] for world in (None, seed)]
    assert hidden[0] != hidden[1]
    assert found[0] == found[1]


async def in_memory(browser: Browser, game: Json, moment: Moment, seed: int | None) -> Live:
    """Let the house serve this moment as the game."""
    house = browser.world.desk.house
    live, _ = live_of(moment, seed)
    live.episode.moves = moves_of(moment, seed)[: len(live.episode.states)]
    kept = house._kept[game["id"]]
    live.row, live.log = kept.row, kept.log
    house._kept[game["id"]] = live
    return live


@pytest.mark.parametrize("at", [0, 3, 6, 9, 12])
async def test_the_door_answers_alike_whatever_is_hidden(here: World, at: int) -> None:
    moment = Moment("saas_enterprise", "shark", "seller", False, True, 5, 0.25, at)
    ada = await here.player()
    game = await ada.start(persona="shark")
    path, found = f"/api/games/{game['id']}", []
    for seed in (None, 1, 2):
        await in_memory(ada, game, moment, seed)
        replies = [(await ada.ask("GET", where)).content for where in (path, "/api/me", "/api/me/games")]
        replies += [
            (await ada.ask("POST", f"{path}/moves", body)).content
            for body in ({"number": 99, "action": {}}, {"number": 0, "action": {"utterance": "?"}}, {"number": 0})
        ]
        replies += [(await ada.ask("GET", f"{path}/log")).content]
        async with stream(ada, f"{path}/events") as events:
            replies.append(repr(await events.game()).encode())
        found.append(replies)
    assert found[0] == found[1] == found[2]


async def test_the_test_sees_a_leak(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a hidden figure in a line, the bytes would differ."""
    moment = Moment("saas_enterprise", "shark", "seller", False, True, 5, 0.0, 5)
    monkeypatch.setattr("game.record._surplus", lambda before, *_: before.facts[1].walk_away / 100)
    found = []
    for seed in (None, 1):
        live, _ = live_of(moment, seed)
        live.episode.moves = moves_of(moment, seed)[: len(live.episode.states)]
        found.append(encode(msgspec.to_builtins(game_view(live, "seller", [], "prior"))))
    assert found[0] != found[1]


def held_keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return {k for k, v in value.items() if v is not None} | {k for v in value.values() for k in held_keys(v)}
    return {k for v in value for k in held_keys(v)} if isinstance(value, list) else set()


def traces(live: Live) -> list[bytes]:
    """The seed, the secret and the keys that come of them, in every way that one may write them."""
    keys = live.episode.state.keys
    numbers = [live.log.seed, keys.visible, keys.hidden, *keys.facts, *keys.policy]
    secret = live.row.secret
    texts = [form(n) for n in numbers for form in (str, "{:x}".format, "{:X}".format)]
    texts += [secret.hex(), base64.b64encode(secret).decode(), base64.urlsafe_b64encode(secret).decode().rstrip("=")]
    texts += [entry.hash for entry in (live.log.head, *live.log.entries)]
    return [text.encode() for text in texts if len(text) > 8]


async def test_no_answer_before_the_end_holds_a_seed_a_secret_or_a_truth(here: World) -> None:
    ada = await here.player()
    heard: list[bytes] = []

    async def note(response: Any) -> None:
        await response.aread()
        heard.append(response.content + repr(response.headers).encode())

    ada.http.event_hooks["response"].append(note)
    game = await ada.start()
    path = f"/api/games/{game['id']}"
    async with stream(ada, f"{path}/events") as events:
        for k in range(8):
            game = await ada.play(game, 1, seed=k)
            heard.append(repr(await events.game()).encode())
            for where in (path, "/api/me", "/api/me/games", f"{path}/log", "/api/leaderboard"):
                await ada.ask("GET", where)
            assert not held_keys(game) & HIDDEN
    if game["status"] == "over":
        pytest.fail("the game ended too early to say anything")
    live, text = await here.desk.house.load(game["id"]), b" ".join(heard)
    assert [one for one in traces(live) if one in text] == []
    await ada.leave(game)
    log = (await ada.ask("GET", f"{path}/log")).content
    assert str(live.log.seed).encode() in log and live.row.secret.hex().encode() in log


async def room_with_a_seed(world: World) -> str:
    """A room's id, and its row."""
    async with world.desk.house.database.begin() as conn:
        task = rooms.Task(scenarios()["saas_enterprise"], "seller", "shark", 7, "00" * 32)
        room, _ = await rooms.create(conn, "Class", [task], None, "wish", 1)
    return room.id


async def test_a_room_game_on_one_seed_shows_no_truth_until_the_room_closes(world: World) -> None:
    ada, room = await world.player("Ada"), await room_with_a_seed(world)
    house = world.desk.house
    player = (await ada.get("/api/me"))["player"]["id"]
    wanted = Plan(scenarios()["saas_enterprise"], "seller", "shark", room_id=room, task=0, seed=7, secret=bytes(32))
    live = await house.start(wanted, player, "wish")
    game = await ada.leave(await ada.look({"id": live.row.id}))
    path = f"/api/games/{live.row.id}"
    assert game["status"] == "over" and game["marks"] == ["room_seed"] and game["debrief"] is None
    assert not held_keys(game) & HIDDEN
    (card,) = (await ada.get("/api/me/games"))["games"]
    assert (card["efficiency"], card["surplus"], card["right_exit"]) == (None, None, None)
    assert (await ada.get("/api/me/games"))["summary"] == []
    assert (await ada.ask("GET", f"{path}/log")).status_code == 409
    async with stream(ada, f"{path}/events") as events:
        assert not held_keys((await events.game())["data"]) & HIDDEN
    board = await ada.get("/api/leaderboard")
    assert board["rows"] == board["unranked"] == []
    async with house.database.begin() as conn:
        await rooms.close(conn, room, 5)
    await house.tell(live.row.id)
    game = await ada.look(game)
    assert game["debrief"] and game["observation"]["truth"] and game["observation"]["grade"]
    assert (await ada.ask("GET", f"{path}/log")).status_code == 200


async def test_a_stranger_reads_a_finished_game_by_its_link_and_an_unfinished_one_never(world: World) -> None:
    ada, stranger = await world.player("Ada"), world.browser()
    game = await ada.start()
    assert (await stranger.ask("GET", f"/api/games/{game['id']}/log")).status_code == 404
    await ada.leave(game)
    reply = await stranger.ask("GET", f"/api/games/{game['id']}/log")
    assert reply.status_code == 200
    text, tail = reply.content.rstrip().rsplit(b"\n", 1)
    log, secret = EventLog.from_jsonl(text), bytes.fromhex(msgspec.json.decode(tail)["secret"])
    live = await world.desk.house.load(game["id"])
    assert (log, secret) == (live.log, live.row.secret)
    assert "Ada" not in reply.text


async def test_two_games_of_one_seed_and_different_secrets_have_different_facts(world: World) -> None:
    player = await new_player(world.desk.house.database)
    found = []
    for k in range(2):
        wanted = Plan(scenarios()["saas_enterprise"], "seller", "shark", seed=7, secret=bytes([k]) * 32)
        found.append((await world.desk.house.start(wanted, player, str(k))).episode.state.facts)
    assert found[0] != found[1]

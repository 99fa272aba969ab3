"""Nothing hidden reaches an MCP client before the end; and the door changes no game: the same moves, the same one."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import msgspec
import pytest
from hypothesis import given

from game.house import House
from game.live import Live
from game.store import players
from mcp_server import words
from mcp_server.answers import Looked, Started, briefing_of, game_of, history_of
from mcp_server.table import Table
from parlay_env.deal.state import SEATS
from parlay_env.models import ParlayAction
from tests.pages.test_noninterference import HIDDEN, held_keys, live_of, moves_of, traces
from tests.parlay_env.test_noninterference import Moment, moments, seeds
from tests.store.support import new_player, plan

from .support import Client, Json, over_nothing


def all_that_is_told(live: Live, seat: str) -> list[str]:
    """Every answer that this moment of a game can be given in."""
    game = game_of(live, seat, ["Hold."], "https://parlay.example")
    more = briefing_of(live, seat)
    started = Started(**dict(game), **more, player="Ada", player_key=None)
    looked = Looked(**dict(game), **more, history=history_of(live, seat), other_games=[])
    texts = [words.started(started, live, seat), words.state(looked, live, seat), words.moved(game)]
    return [*texts, *(one.model_dump_json() for one in (game, started, looked))]


@given(moments, seeds)
def test_every_answer_is_the_same_whatever_is_hidden(moment: Moment, seed: int) -> None:
    moment = dataclasses.replace(moment, both=False)
    told, hidden = [], []
    for world in (None, seed):
        live, seat = live_of(moment, world)
        live.episode.moves = moves_of(moment, world)[: len(live.episode.states)]
        hidden.append(live.episode.state.facts[1 - seat])
        told.append(all_that_is_told(live, SEATS[seat]))
    assert hidden[0] != hidden[1]
    assert told[0] == told[1]


def test_the_test_sees_a_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a hidden figure in an answer, the answers would differ."""
    moment = Moment("saas_enterprise", "shark", "seller", False, True, 5, 0.0, 5)
    told: list[list[str]] = []
    for world in (None, 1):
        live, _ = live_of(moment, world)
        live.episode.moves = moves_of(moment, world)[: len(live.episode.states)]
        limit = live.episode.state.facts[1].walk_away
        monkeypatch.setattr("mcp_server.answers.worth_of", lambda *_, limit=limit: limit / 100)
        told.append(all_that_is_told(live, "seller"))
    assert told[0] != told[1]


async def test_no_answer_before_the_end_holds_a_seed_a_secret_or_a_truth(ada: Client, house: House) -> None:
    game = await ada.start()
    heard: list[Any] = [game]
    r = random.Random(3)
    while game["status"] != "over" and len(heard) < 24:
        amount = round(game["own"]["limit"] + r.random() * 40_000, -2)
        move = {"game_id": game["game_id"], "move_number": game["move_number"], "amount": amount, "words": "?"}
        told = [
            await ada.ask("make_offer", **move),
            await ada.ask("get_game_state", game_id=game["game_id"]),
            await ada.ask("say", game_id=game["game_id"], move_number=99),
        ]
        game = told[0].data
        if game["status"] != "over":
            heard += [(one.text, one.data) for one in told]
    live = await house.load(game["game_id"])
    text = msgspec.json.encode(heard)
    assert [trace for trace in traces(live) if trace in text] == []
    for told in heard:
        data = told if isinstance(told, dict) else told[1]
        assert not held_keys(data) & (HIDDEN | {"result"})


@pytest.mark.parametrize("seed", [1, 5, 9])
async def test_the_same_moves_give_the_same_game_over_mcp_and_in_the_house(house: House, seed: int) -> None:
    """Both games have one seed and one secret; one is played through the tools, the other by actions of the wire."""
    same = {"seed": seed, "secret": b"s" * 32, "persona": "shark"}
    player = await new_player(house.database)
    theirs = await house.start(plan(**same), player, "theirs")
    async with over_nothing(Table(lambda: house)) as client:
        key = (await client.start())["player_key"]
        async with house.database.read() as conn:
            mine_id = (await players.by_token(conn, key)).id
        now = mine = await house.start(plan(**same), mine_id, "mine")
        seen = await client.call("get_game_state", game_id=mine.row.id)
        for tool, told, action in script():
            if seen["status"] == "over":
                break
            seen = await client.call(tool, game_id=mine.row.id, move_number=seen["move_number"], **told)
            theirs = await house.move(theirs.row.id, "seller", theirs.number("seller"), ParlayAction(**action))
            now = await house.load(mine.row.id)
            assert now.episode.state == theirs.episode.state
            assert now.episode.moves == theirs.episode.moves
    assert now.episode.over
    assert seen["result"]["reward"] == now.row.row_of("seller").reward


def script() -> list[tuple[str, Json, Json]]:
    """Moves in the words of the tools, and of the wire."""
    offers = [
        (
            "make_offer",
            {"amount": amount, "words": f"{amount:,}.", "belief": {"walk_away": 150_000, "urgency": 0.4}},
            {
                "offer_amount": amount,
                "utterance": f"{amount:,}.",
                "belief": {"est_walk_away": 150_000, "est_urgency": 0.4},
            },
        )
        for amount in (175_000, 172_000)
    ]
    return [
        *offers,
        ("say", {"words": "When?", "question": "timeline"}, {"utterance": "When?", "question": "timeline"}),
        ("say", {"words": "I doubt it.", "challenge": True}, {"utterance": "I doubt it.", "challenge": True}),
        (
            "make_offer",
            {"amount": 170_000, "words": "Soon.", "card": "time_pressure", "claim": 12, "headline_effect": 0.1},
            {
                "offer_amount": 170_000,
                "utterance": "Soon.",
                "tactical_move": "time_pressure",
                "claim_value": 12,
                "event_impact": 0.1,
            },
        ),
        (
            "say",
            {"words": "And training.", "card": "sweetener", "sweetener": "training_days"},
            {"utterance": "And training.", "tactical_move": "sweetener", "sweetener": "training_days"},
        ),
        ("say", {"card": "silence"}, {"tactical_move": "silence"}),
        (
            "make_offer",
            {"terms": {"price": 168_000}, "words": "168."},
            {"offer": {"price": 168_000}, "utterance": "168."},
        ),
        ("walk_away", {"words": "Good bye."}, {"walk_away": True, "utterance": "Good bye."}),
    ]

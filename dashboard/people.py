"""People: a name, one's own games, what can be played, the leaderboard, a demo."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from agent import registry
from agent.personas import PERSONAS
from dashboard.desk import Desk
from dashboard.requests import PLAYER_COOKIE, Body, answer, set_cookie
from dashboard.shapes import card, persona_view
from game.cards import CARDS, CLAIMED_BY, QUESTION_COST, START_POINTS, TOPICS
from game.leaderboard import cells_of, leaderboard
from game.record import Author, Episode, lines, scenario_view, trail
from game.scenarios import scenarios
from game.seen import is_still_compared
from game.store import games, players
from game.store.database import StoreUnavailable
from game.store.tables import new_token
from parlay_env.deal.state import SEATS, T_MAX, Setup
from parlay_env.deal.terms import terms_of, values_of
from parlay_env.doors.wire import WireError
from parlay_env.models import MAX_WORDS
from parlay_env.reward import RewardSpec

UNFINISHED_SHOWN = 8
DEMO_SEED = 2024
DEMO = ("saas_enterprise", "shark", "diplomat")
"""The game that plays itself on the first page: the scenario, the buyer, the seller."""


class Name(Body):
    """A name to play under."""

    name: str = Field(max_length=200)


class People:
    """The handlers."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def me(self, request: Request) -> Response:
        """Who this browser is, and what it has not finished."""
        return answer(await self._told(request))

    async def _told(self, request: Request, player: players.Player | None = None) -> dict[str, Any]:
        desk, unfinished = self._desk, []
        rooms = {"open": desk.may_open_rooms(request), "key": bool(desk.settings.room_key.get_secret_value())}
        models = {
            "name": desk.hub.voices.name,
            "open": desk.may_have_models(request),
            "key": bool(desk.settings.model_key.get_secret_value()),
        }
        shared = {"rooms": rooms, "models": models}
        try:
            player = player or await desk.player(request)
        except (WireError, StoreUnavailable) as error:
            return {"player": None, "unfinished": [], "store": {"ok": False, "message": str(error)}, **shared}
        if player is not None:
            async with desk.house.database.read() as conn:
                mine = await games.find_all(conn, games.of_player(player.id) & games.unfinished(), UNFINISHED_SHOWN)
            unfinished = [card(row, row.row_of(row.seat_of(player.id) or "")) for row in mine]
        return {"player": player, "unfinished": unfinished, "store": {"ok": True, "message": ""}, **shared}

    async def be(self, request: Request) -> Response:
        """Bind a name to this browser, or change it."""
        desk = self._desk
        name = players.checked_name((await desk.gate.read(request, Name)).name)
        player, token = await desk.player(request), None
        async with desk.house.database.begin() as conn:
            if player is not None and await players.rename(conn, player.id, name):
                player = players.Player(player.id, name)
            else:
                token = new_token()
                player = await players.create(conn, token, name, desk.house.now())
        desk.forget(request.cookies.get(PLAYER_COOKIE))
        response = answer(await self._told(request, player))
        if token is not None:
            set_cookie(request, response, PLAYER_COOKIE, token)
        return response

    async def forget(self, request: Request) -> Response:
        """Forget this player and all its games."""
        desk, player = self._desk, await self._desk.must_be_player(request)
        await self._delete_games(player, and_forget=True)
        desk.forget(request.cookies.get(PLAYER_COOKIE))
        response = answer({"deleted": True})
        response.delete_cookie(PLAYER_COOKIE, path="/")
        return response

    async def delete_games(self, request: Request) -> Response:
        """Delete all games of one's own."""
        player = await self._desk.must_be_player(request)
        return answer({"deleted": await self._delete_games(player)})

    async def _delete_games(self, player: players.Player, *, and_forget: bool = False) -> int:
        house = self._desk.house
        async with house.database.begin() as conn:
            await players.hold(conn, player.id)
            found = await players.games_of(conn, player.id)
            if not and_forget:
                mine = await games.find_all(conn, games.of_player(player.id))
                found = [row.id for row in mine if not is_still_compared(row)]
            for game_id in found:
                await players.delete_game(conn, game_id, player.id)
            if and_forget:
                await players.forget(conn, player.id)
        for game_id in found:
            await house.tell(game_id)
        return len(found)

    async def games(self, request: Request) -> Response:
        """One's own games, newest first, and how they went by scenario, seat and persona."""
        player = await self._desk.must_be_player(request)
        async with self._desk.house.database.read() as conn:
            mine = await games.find_all(conn, games.of_player(player.id))
        sitting = [(row, row.row_of(row.seat_of(player.id) or "")) for row in mine]
        return answer({"games": [card(row, seat) for row, seat in sitting], "summary": cells_of(sitting)})

    async def leaderboard(self, request: Request) -> Response:
        """The leaderboard, of one scenario, seat and persona or of all."""
        asked = request.query_params
        if extra := set(asked) - {"scenario", "seat", "persona"}:
            raise WireError("INVALID_OPTION", f"{len(extra)} of these is no filter: scenario, seat, persona are")
        for name, known in (("scenario", tuple(scenarios())), ("seat", SEATS), ("persona", registry.OPPONENTS)):
            if asked.get(name) not in (None, "", *known):
                raise WireError("INVALID_OPTION", f"{name} must be one of {', '.join(known)}")
        player = await self._desk.player(request)
        async with self._desk.house.database.read() as conn:
            found = await leaderboard(
                conn,
                asked.get("scenario") or None,
                asked.get("seat") or None,
                asked.get("persona") or None,
                None if player is None else player.id,
            )
        return answer(found)

    async def catalogue(self, _: Request) -> Response:
        """What can be played, and with what."""
        return answer(_catalogue())

    async def demo(self, _: Request) -> Response:
        """A game between two programs."""
        return answer(_demo())


@cache
def _catalogue() -> dict[str, Any]:
    return {
        "scenarios": [scenario_view(terms_of(scenario)) for scenario in scenarios().values()],
        "personas": [persona_view(name) for name in PERSONAS],
        "cards": [msgspec.to_builtins(one) | {"claim": CLAIMED_BY.get(one.id)} for one in CARDS],
        "topics": list(TOPICS),
        "question_cost": QUESTION_COST,
        "start_points": START_POINTS,
        "impact_most": RewardSpec().mev_scale,
        "points": {"breach": -RewardSpec().cliff, "noise": -RewardSpec().noise, "efficiency": RewardSpec().efficiency},
        "max_turns": T_MAX,
        "max_words": MAX_WORDS,
        "max_name": players.MAX_NAME,
    }


@cache
def _demo() -> dict[str, Any]:
    scenario_id, buyer, seller = DEMO
    setup = Setup(scenarios()[scenario_id], "seller", registry.profile(buyer))
    episode = Episode(setup, DEMO_SEED, {"seller": registry.opponent(seller), "buyer": registry.opponent(buyer)})
    by: list[Author] = ["persona"] * len(episode.moves)
    public, terms = episode.state.public, terms_of(setup.scenario)
    ended = public.ended
    assert ended is not None
    return {
        "scenario": scenario_view(terms),
        "seat": "seller",
        "opponent": persona_view(buyer),
        "player": persona_view(seller),
        "lines": lines(episode, "seller", by),
        "trail": trail(episode, "seller"),
        "news": [{"turn": news.turn, "headline": news.words, "market": news.market} for news in public.news],
        "reason": ended.reason,
        "final_offer": None if ended.outcome is None else {**values_of(terms, ended.outcome)},
    }

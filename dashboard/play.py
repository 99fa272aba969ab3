"""Playing: a game begun, looked at, moved in, followed live."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from typing import Literal

import msgspec
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from agent.registry import OPPONENTS
from dashboard.desk import Desk
from dashboard.live import EventStream
from dashboard.requests import Body, Creates, answer, download
from game.house import NoSuchGame, Refused
from game.live import Live, Plan
from game.scenarios import SeatName, scenarios
from game.seen import debrief_is_open, is_still_compared
from game.store import flywheel, games
from game.store import players as people
from parlay_env.core import Seat
from parlay_env.deal.state import SEATS
from parlay_env.doors.wire import WireError, action_of, encode
from parlay_env.options import VoiceName

DRAWN = "drawn"


class NewGame(Creates):
    """What a new game is to be."""

    scenario_id: str = Field(max_length=64)
    seat: Literal["seller", "buyer", "drawn"] = "seller"
    persona: str = Field(default=DRAWN, max_length=64)
    guided: bool = False
    voice: VoiceName = "scripted"
    model_key: str = Field(default="", max_length=256)
    """The operator's, for an opponent that a language model speaks for."""


class Again(Creates):
    """Another game like this one."""

    model_key: str = Field(default="", max_length=256)


class Consent(Body):
    """May the game be used for training?"""

    flywheel: bool


class Play:
    """The handlers."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def start(self, request: Request) -> Response:
        """A new game against a persona."""
        desk = self._desk
        player, wanted = await desk.must_be_player(request), await desk.gate.read(request, NewGame)
        plan = _plan(wanted)
        await self._check_voice(request, plan.voice, wanted.model_key)
        await desk.house.check_unfinished(player.id, wanted.request_id)
        live = await desk.house.start(plan, player.id, wanted.request_id)
        return await desk.answer_game(live, _seat(live.row.seat_of(player.id)), 201)

    async def _check_voice(self, request: Request, voice: VoiceName, key: str) -> None:
        """Raises WireError where no language model can speak for the opponent."""
        if voice != "scripted":
            await self._desk.hub.voices.check(allowed=self._desk.may_have_models(request, key))

    async def rematch(self, request: Request) -> Response:
        """Another instance of the same scenario, seat and persona."""
        desk = self._desk
        live, seat, player = await desk.seated(request)
        wanted = await desk.gate.read(request, Again)
        if live.row.persona is None or live.row.room_id is not None:
            raise WireError("INVALID_OPTION", "a rematch is against a persona, outside a room")
        voice = msgspec.convert(live.row.voice, VoiceName)
        await self._check_voice(request, voice, wanted.model_key)
        plan = Plan(live.episode.setup.scenario, seat_name(seat), live.row.persona, live.row.guided, voice=voice)
        found = await desk.house.start(plan, player.id, wanted.request_id)
        return await desk.answer_game(found, seat, 201)

    async def look(self, request: Request) -> Response:
        """The game, for who plays it."""
        live, seat, _ = await self._desk.seated(request)
        return await self._desk.answer_game(live, seat)

    async def move(self, request: Request) -> Response:
        """A move, and what came of it."""
        desk = self._desk
        live, seat, _ = await desk.seated(request)
        text = await desk.gate.text(request)
        body = desk.gate.object_of(text)
        if not body.keys() == {"number", "action"}:
            raise WireError("INVALID_ACTION", "the body has the move's number and its action, and nothing else")
        number = body["number"]
        if type(number) is not int or number < 0:
            raise WireError("INVALID_ACTION", "number is the whole number of the move, as the game tells it")
        action = action_of(body["action"], text, "action")
        live = await desk.house.move(live.row.id, seat, number, action)
        return await desk.answer_game(live, seat)

    async def follow(self, request: Request) -> Response:
        """The player's event stream."""
        desk = self._desk
        live, seat, player = await desk.seated(request)
        game_id = live.row.id

        async def look() -> bytes | None:
            try:
                found = await desk.house.peek(game_id)
            except NoSuchGame:
                return None
            if found.row.seat_of(player.id) != seat:
                return None
            if found.row.pair:
                found = await self._mind_the_seats(found.row, seat)
            return await desk.game_bytes(found, seat)

        return EventStream(
            desk.changes,
            (game_id,),
            look,
            last_id=request.headers.get("last-event-id"),
            write_seconds=desk.settings.write_seconds,
            around=self._seated_there(game_id, seat),
        )

    @contextlib.contextmanager
    def _seated_there(self, game_id: str, seat: Seat) -> Iterator[None]:
        with self._desk.present(game_id, seat):
            yield

    async def _mind_the_seats(self, row: games.GameRow, seat: Seat) -> Live:
        """Two people: note that this one is here; a bot takes the other's seat when it has long been left."""
        house = self._desk.house
        async with house.database.begin() as conn:
            await games.change_seat(conn, row.id, seat, seen_at=house.now())
        live = await house.come_back(row.id, seat)
        other = SEATS[1 - SEATS.index(seat)]
        if live.row.status == "playing" and live.episode.mover == other:
            there = live.row.row_of(other)
            last = max(there.seen_at or 0, live.row.moved_at)
            if not there.bot and house.now() - last > 1000 * self._desk.settings.seat_seconds:
                return await house.take_over(row.id, other)
        return live

    async def consent(self, request: Request) -> Response:
        """Give a finished game for training, or take it back."""
        desk = self._desk
        live, seat, _ = await desk.seated(request)
        wish = await desk.gate.read(request, Consent)
        if not live.episode.over:
            raise Refused("NOT_OVER", "a game can be given when it is over")
        async with desk.house.database.begin() as conn:
            await games.change_seat(conn, live.row.id, seat, consent=wish.flywheel)
            await flywheel.keep_or_drop(conn, live, seat, consent=wish.flywheel, now=desk.house.now())
        await desk.house.tell(live.row.id)
        live = await desk.house.load(live.row.id)
        return await desk.answer_game(live, seat)

    async def delete(self, request: Request) -> Response:
        """Delete a game of one's own."""
        desk = self._desk
        live, seat, player = await desk.seated(request)
        if is_still_compared(live.row):
            told = "others still play this very instance: it can be deleted when the room closes"
            raise Refused("ROOM_OPEN", told)
        async with desk.house.database.begin() as conn:
            if live.row.would_count(seat):
                await people.begin_rank_anew(conn, player.id)
            await people.delete_game(conn, live.row.id, player.id)
        await desk.house.tell(live.row.id)
        return answer({"deleted": True})

    async def log(self, request: Request) -> Response:
        """The log of a finished game: it replays the game to the last bit, with the secret that stands beside it."""
        live = await self.finished(request)
        beside = encode({"secret": live.row.secret.hex(), "env": "parlay"})
        return download(live.log.to_jsonl() + beside + b"\n", "application/jsonl", f"parlay-{live.row.id}.jsonl")

    async def finished(self, request: Request) -> Live:
        """A finished game that may be read by whoever has the link. Raises NoSuchGame and Refused."""
        live = await self._desk.house.load(request.path_params["game_id"])
        if not live.episode.over:
            player = await self._desk.player(request)
            if player is None or live.row.seat_of(player.id) is None:
                raise NoSuchGame(live.row.id)
            raise Refused("NOT_OVER", "the debrief opens when the game is over")
        if not debrief_is_open(live.row):
            raise Refused("ROOM_OPEN", "others still play this very instance: the debrief opens when the room closes")
        return live


def seat_name(seat: Seat | None) -> SeatName:
    """The seat, as a scenario's side is named."""
    return "buyer" if seat == "buyer" else "seller"


def _seat(seat: Seat | None) -> Seat:
    assert seat is not None  # whoever started a game sits at it
    return seat


def _plan(wanted: NewGame) -> Plan:
    known = scenarios()
    if wanted.scenario_id not in known:
        raise WireError("INVALID_OPTION", f"scenario_id must be one of {', '.join(known)}")
    if wanted.persona not in (*OPPONENTS, DRAWN):
        raise WireError("INVALID_OPTION", f"persona must be one of {', '.join((*OPPONENTS, DRAWN))}")
    seat = secrets.choice(SEATS) if wanted.seat == DRAWN else wanted.seat
    persona = secrets.choice(OPPONENTS) if wanted.persona == DRAWN else wanted.persona
    if wanted.guided and wanted.voice != "scripted":
        raise WireError("INVALID_OPTION", "a guided game is against a scripted opponent")
    return Plan(known[wanted.scenario_id], seat_name(seat), persona, wanted.guided, voice=wanted.voice)

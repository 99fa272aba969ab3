"""Watching: all that is hidden from the player, live, on another screen; notes, and whispers to the player.

A token opens one game, for as long as the manager leaves it. Nothing here can be reached with what a player has.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Literal

import msgspec
from pydantic import Field
from sqlalchemy.exc import IntegrityError
from starlette.requests import Request
from starlette.responses import Response

from dashboard.desk import WATCHER, Desk
from dashboard.live import EventStream
from dashboard.requests import Body, Creates, answer, set_cookie
from dashboard.rooms import Rooms
from dashboard.shapes import replay_view
from game.house import NoSuchGame, Refused
from game.live import Live
from game.record import limits, worth_table
from game.seen import marks_of
from game.store import coach, rooms
from game.store.tables import iso
from parlay_env.core import Viewer
from parlay_env.deal.state import SEATS, T_MAX
from parlay_env.deal.terms import terms_of
from parlay_env.doors.wire import WireError, encode
from parlay_env.models import MAX_WORDS
from parlay_env.observe import hidden_facts, observation
from parlay_env.session import GAME

WATCHER_COOKIE = "parlay_watch_"
"""With the game's id behind it."""


class Token(Body):
    """What lets one watch."""

    token: str = Field(max_length=200)


class Note(Creates):
    """What a coach says: to itself and the debrief, or to the player at once."""

    kind: Literal["note", "whisper"]
    seat: Literal["seller", "buyer"] | None = None
    """Whom it is for; needed for a whisper where two people play, else the other one would read it."""
    turn: int = Field(ge=1, le=T_MAX)
    words: str = Field(min_length=1, max_length=MAX_WORDS)


class Watch:
    """The handlers."""

    def __init__(self, desk: Desk, managers: Rooms) -> None:
        self._desk = desk
        self._managers = managers

    async def allow(self, request: Request) -> Response:
        """The manager: a token that lets its holder watch one game of the room."""
        live = await self._managed(request)
        house = self._desk.house
        async with house.database.begin() as conn:
            token = await rooms.let_watch(conn, live.row.id, house.now())
        return answer({"token": token})

    async def revoke(self, request: Request) -> Response:
        """The manager: take back every token of a game. Who watches sees nothing more."""
        live = await self._managed(request)
        async with self._desk.house.database.begin() as conn:
            await rooms.stop_watching(conn, live.row.id)
        await self._desk.house.tell(live.row.id)
        return answer({"revoked": True})

    async def _managed(self, request: Request) -> Live:
        room = await self._managers.manager(request)
        live = await self._desk.house.load(request.path_params["game_id"])
        if live.row.room_id != room.id:
            raise NoSuchGame(live.row.id)
        return live

    async def begin(self, request: Request) -> Response:
        """Exchange a token for a cookie. From here on the game counts as watched."""
        wish = await self._desk.gate.read(request, Token)
        async with self._desk.house.database.read() as conn:
            game_id = await rooms.watches(conn, wish.token)
        if game_id is None:
            raise WireError("NOT_FOUND", "this link watches nothing, or it was taken back")
        await self._mark(await self._desk.house.load(game_id))
        response = answer({"game_id": game_id})
        set_cookie(request, response, WATCHER_COOKIE + game_id, wish.token, "/api/watch")
        return response

    async def look(self, request: Request) -> Response:
        """Everything about the game."""
        return answer({"game": await self._all(await self._watched(request))})

    async def follow(self, request: Request) -> Response:
        """The watcher's event stream."""
        desk, live = self._desk, await self._watched(request)
        game_id = live.row.id

        async def look() -> bytes | None:
            try:
                return encode(msgspec.to_builtins(await self._all(await self._watched(request))))
            except (NoSuchGame, WireError):
                return None

        return EventStream(
            desk.changes,
            (game_id,),
            look,
            last_id=request.headers.get("last-event-id"),
            write_seconds=desk.settings.write_seconds,
            around=self._there(game_id),
        )

    @contextlib.contextmanager
    def _there(self, game_id: str) -> Iterator[None]:
        with self._desk.present(game_id, WATCHER):
            yield

    async def say(self, request: Request) -> Response:
        """A note, or a whisper: that counts as help."""
        desk, live = self._desk, await self._watched(request)
        wish, house = await desk.gate.read(request, Note), desk.house
        words, to = wish.words.strip(), wish.seat
        if wish.kind == "whisper" and to is None:
            if live.row.pair:
                raise WireError("INVALID_OPTION", "two people play: say by `seat` whom the whisper is for")
            to = live.row.seat
        if to is not None and all(one.seat != to for one in live.row.seats):
            raise WireError("INVALID_OPTION", "seat must be one that a person sits in")
        if not words:
            raise WireError("INVALID_OPTION", "a note has words")
        if wish.kind == "whisper" and live.episode.over:
            raise Refused("GAME_OVER", "the game is over; leave a note instead")
        if wish.kind == "whisper":
            await house.mark(live.row.id, helped=True)
        with contextlib.suppress(IntegrityError):  # the same wish again
            async with house.database.begin() as conn:
                await coach.say(conn, live.row.id, wish.kind, to, wish.turn, words, wish.request_id, house.now())
        await house.tell(live.row.id)
        return answer({"game": await self._all(await house.load(live.row.id))}, 201)

    async def _watched(self, request: Request) -> Live:
        """The game of the address, for whoever has a token of it. Raises NoSuchGame."""
        game_id = request.path_params["game_id"]
        token = request.cookies.get(WATCHER_COOKIE + game_id)
        if not token:
            raise NoSuchGame(game_id)
        async with self._desk.house.database.read() as conn:
            found = await rooms.watches(conn, token)
        if found != game_id:
            raise NoSuchGame(game_id)
        return await self._mark(await self._desk.house.peek(game_id))

    async def _mark(self, live: Live) -> Live:
        """The game, marked as watched before anybody sees it: a token can be used without `begin`, too."""
        if live.row.watched or live.row.status == "over":
            return live
        await self._desk.house.mark(live.row.id, watched=True)
        await self._desk.house.tell(live.row.id)
        return await self._desk.house.load(live.row.id)

    async def _all(self, live: Live) -> dict[str, Any]:
        desk, row, seat = self._desk, live.row, live.row.seat
        view = GAME.view(live.episode.state, Viewer("observer"))
        assert view.truth is not None and view.books is not None
        terms = terms_of(view.setup.scenario)
        estimates, state = desk.estimates(live, seat)
        async with desk.house.database.read() as conn:
            said = await coach.said(conn, row.id)
        ledger = {
            name: [] if book is None else [msgspec.to_builtins(one) for one in book.rows]
            for name, book in zip(SEATS, view.books, strict=True)
        }
        return replay_view(live, seat, reader=seat) | {
            "id": row.id,
            "status": "over" if live.episode.over else row.status,
            "to_move": live.episode.mover,
            "own": view_of_own(live, seat),
            "truth": hidden_facts(view.truth, terms, view.public),
            "limits": limits(live.episode),
            "worth": worth_table(live.episode.view(seat)),
            "ledger": ledger,
            "estimates": estimates,
            "estimating": state,
            "notes": [{**one, "at": iso(one["at"])} for one in said],
            "marks": marks_of(row, seat),
            "players": [
                {"seat": one.seat, "name": one.name, "bot": one.bot, "present": desk.is_present(row.id, one.seat)}
                for one in row.seats
            ],
            "tension": round(view.public.tension, 1),
            "room": None if row.room_id is None else {"id": row.room_id, "name": row.room_name},
        }


def view_of_own(live: Live, seat: str) -> dict[str, Any]:
    """What the player sees of its own facts, and the figures on the table."""
    observed = observation(live.episode.view(seat), with_prompt=False)
    names = ("own", "prior", "own_offer", "opponent_offer", "claims", "belief", "credibility_points", "turns_left")
    return {name: observed[name] for name in names}

"""What the pages' handlers share: the house, live updates, the thinker, and who somebody is."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from dashboard.requests import PLAYER_COOKIE, Gate, raw
from dashboard.shapes import game_view, once
from dashboard.thinker import Process, Thinker
from game.changes import Changes
from game.estimates import prior_estimate
from game.house import House, NoSuchGame, room_key
from game.live import Live
from game.record import steps_of
from game.store import coach, players, rooms
from game.store.database import Database, StoreUnavailable
from game.store.model_use import StoredLedger
from game.store.players import Player
from game.store.tables import iso
from parlay_env.core import Seat
from parlay_env.doors.hub import Hub, header_map, is_from_here
from parlay_env.doors.wire import WireError, encode

log = logging.getLogger("parlay.pages")
WATCHER = "watcher"
"""The role of who looks on with all that is hidden."""
ESTIMATES_KEPT = 2048
"""Seats whose estimates, or the want of them, are kept at hand."""
SWITCH_SECONDS = 0.0005
"""How long a thread may hold the interpreter while another one waits for it."""
KNOWN_AT_MOST = 4096
"""Players whose name is kept at hand, …"""
KNOWN_SECONDS = 10.0
"""… for so long."""
SWEEP_SECONDS = 60.0
"""How often games that nobody goes on with, and rooms that are due, are looked for."""


class Desk:
    """One for each application. `house` is there once `open` has been called, if the store can be had."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.settings = hub.settings
        self.gate = Gate(hub)
        self.changes = Changes(hub.settings.redis_url.get_secret_value())
        self.thinker = Thinker()
        self.reviewer = Process()
        self.reviewing = asyncio.Lock()
        """Of the reviewer's tasks: one at a time, so that its progress is that one's."""
        self.reviews: set[asyncio.Task[None]] = set()
        """Those that run, or wait for their turn."""
        self.closed: str = "the store has not been opened yet"
        """Why there is no store."""
        self._house: House | None = None
        self._estimates: OrderedDict[tuple[str, Seat], list[dict[str, Any]]] = OrderedDict()
        self._known: OrderedDict[str, tuple[Player, float]] = OrderedDict()
        self._priors: OrderedDict[tuple[str, Seat], dict[str, Any]] = OrderedDict()
        self._unavailable: OrderedDict[tuple[str, Seat], None] = OrderedDict()
        self._thinking: dict[tuple[str, Seat], asyncio.Task[None]] = {}
        self._present: dict[tuple[str, Seat], int] = {}
        self._sweeper: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Open the store, and the way to the other workers. Where one can't be had, agents are served all the same, and
        everybody is told why."""
        database = None
        try:
            database = await Database.open(self.settings.database_url.get_secret_value())
            await self.changes.start()
        except (StoreUnavailable, ConnectionError) as error:
            if database is not None:
                await database.close()
            self.closed = str(error)
            self.hub.beside["people"] = self.closed
            log.warning("people can't play here: %s", error)
            return
        # Each move hands work to the database's threads and takes it back: whoever waits for the interpreter then waits
        # at most this long, not five milliseconds.
        sys.setswitchinterval(SWITCH_SECONDS)
        others = self.settings.model_seconds if self.settings.redis_url.get_secret_value() else 0.0
        self._house = House(database, self.changes.publish, speakers=self.hub.voices, patience=others)
        self.hub.voices.budget.ledger = StoredLedger(database)
        self.changes.heard = self._house.heard
        self.closed = ""
        self.hub.beside["people"] = "ready"
        self._sweeper = asyncio.get_running_loop().create_task(self._sweep())

    async def close(self) -> None:
        """Let go of everything."""
        tasks = [*self._thinking.values(), *self.reviews, *([] if self._sweeper is None else [self._sweeper])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)  # none may still be at the database when it closes
        self.thinker.stop()
        self.reviewer.stop()
        await self.changes.stop()
        if self._house is not None:
            await self._house.close()
            await self._house.database.close()

    @property
    def house(self) -> House:
        """Raises WireError with STORE_UNAVAILABLE."""
        if self._house is None:
            raise WireError("STORE_UNAVAILABLE", f"people can't play here now: {self.closed}")
        return self._house

    async def _sweep(self) -> None:
        while True:
            try:
                await self.house.end_left_alone()
                async with self.house.database.begin() as conn:
                    due = await rooms.close_due(conn, self.house.now())
                for room_id in due:
                    await self.changes.publish(room_key(room_id))
            except StoreUnavailable:
                log.exception("games that were left alone could not be looked for")
            await asyncio.sleep(SWEEP_SECONDS)

    # Who somebody is --------------------------------------------------------------------------------------------------

    async def player(self, request: Request) -> Player | None:
        """Whose browser this is."""
        token = request.cookies.get(PLAYER_COOKIE)
        if not token:
            return None
        known, now = self._known.get(token), monotonic()
        if known is not None and now - known[1] < KNOWN_SECONDS:
            return known[0]
        async with self.house.database.read() as conn:
            player = await players.by_token(conn, token)
        self.forget(token)
        if player is not None:
            self._known[token] = (player, now)
            while len(self._known) > KNOWN_AT_MOST:
                self._known.popitem(last=False)
        return player

    def forget(self, token: str | None) -> None:
        """Ask the store who this is, the next time."""
        self._known.pop(token or "", None)

    async def must_be_player(self, request: Request) -> Player:
        """Whose browser this is. Raises WireError with UNAUTHORIZED."""
        player = await self.player(request)
        if player is None:
            raise WireError("UNAUTHORIZED", "choose a name first: POST /api/me")
        return player

    async def seated(self, request: Request) -> tuple[Live, Seat, Player]:
        """The game of the address, and where whoever asks sits. Raises NoSuchGame, also for another's game."""
        player, game_id = await self.must_be_player(request), request.path_params["game_id"]
        live = await self.house.peek(game_id)
        seat = live.row.seat_of(player.id)
        if seat is None:
            raise NoSuchGame(game_id)
        return live, seat, player

    def may_open_rooms(self, request: Request) -> bool:
        """Can a room be opened without the operator's key? From this very machine, where none is set."""
        if self.settings.room_key.get_secret_value():
            return False
        return self.is_from_here(request)

    def is_from_here(self, request: Request) -> bool:
        """Does it come from this very machine?"""
        address = request.client.host if request.client else ""
        return is_from_here(header_map(request.scope["headers"]), address)

    def may_have_models(self, request: Request, key: str = "") -> bool:
        """Can a language model speak for the opponent? With the operator's key; with none set, from this machine."""
        voices = self.hub.voices
        headers = header_map(request.scope["headers"])
        return voices.fits(key.encode()) or voices.may_have(headers, from_here=self.is_from_here(request))

    # What a player sees -----------------------------------------------------------------------------------------------

    async def game(self, live: Live, seat: Seat) -> dict[str, Any]:
        """The game as its player may see it, with the newest estimates that there are."""
        found, state = self.estimates(live, seat)
        async with self.house.database.read() as conn:
            said = await coach.whispers(conn, live.row.id, seat) if live.row.helped else []
        heard = [{**one, "at": iso(one["at"])} for one in said]
        return game_view(live, seat, found, state, heard, watching=self.is_present(live.row.id, WATCHER))

    async def game_bytes(self, live: Live, seat: Seat) -> bytes:
        """The same as JSON. Made once for all who look at the same moment of a game."""
        found, state = self.estimates(live, seat)
        watching = self.is_present(live.row.id, WATCHER)
        key = None if live.row.helped else (seat, len(found), state, watching)
        if key is None or key not in live.shown:
            body = encode(await self.game(live, seat))
            if key is None:
                return body
            live.shown[key] = body
        return live.shown[key]

    async def answer_game(self, live: Live, seat: Seat, status: int = 200) -> Response:
        """The answer that has the game in it."""
        return raw(b'{"game":' + await self.game_bytes(live, seat) + b"}", status)

    def estimates(self, live: Live, seat: Seat) -> tuple[list[dict[str, Any]], str]:
        """The estimates, and how they stand: ready, working, prior (nothing but common knowledge yet), unavailable.
        Has newer ones worked out where somebody looks on."""
        key, steps = (live.row.id, seat), once(live, ("steps", seat), lambda: list(steps_of(live.episode, seat)))
        if live.row.pair or live.row.voice == "llm" or key in self._unavailable:
            return self._prior(key, steps), "unavailable"
        found = self._estimates.get(key, [])
        if len(found) >= len(steps):
            return found[: len(steps)], "ready"
        self._think(key, steps)
        return (found, "working") if found else (self._prior(key, steps), "prior")

    def _prior(self, key: tuple[str, Seat], steps: list[Any]) -> list[dict[str, Any]]:
        """What common knowledge lets one suppose at the first move."""
        if not steps:
            return []
        if key not in self._priors:
            self._priors[key] = prior_estimate(steps[0][0])
            while len(self._priors) > ESTIMATES_KEPT:
                self._priors.popitem(last=False)
        return [self._priors[key]]

    def _think(self, key: tuple[str, Seat], steps: list[Any]) -> None:
        if key not in self._thinking:
            task = asyncio.get_running_loop().create_task(self._work_out(key, steps))
            self._thinking[key] = task
            task.add_done_callback(lambda _: self._thinking.pop(key, None))

    async def _work_out(self, key: tuple[str, Seat], steps: list[Any]) -> None:
        try:
            self._estimates[key] = await self.thinker.estimates(key, steps)
            self._estimates.move_to_end(key)
            while len(self._estimates) > ESTIMATES_KEPT:
                self._estimates.popitem(last=False)
        except Exception:  # of whatever kind: unremembered, every look would begin it again
            log.exception("there are no estimates for a game")
            self._unavailable[key] = None
            while len(self._unavailable) > ESTIMATES_KEPT:
                self._unavailable.popitem(last=False)
        # Done before the streams look: what they find missing then is a newer step, and is begun by them.
        self._thinking.pop(key, None)
        self.changes.wake(key[0])

    # Who is there -----------------------------------------------------------------------------------------------------

    @contextmanager
    def present(self, game_id: str, role: str) -> Iterator[None]:
        """Somebody is at this game: a seat, or a watcher."""
        key = (game_id, role)
        self._present[key] = self._present.get(key, 0) + 1
        self.changes.wake(game_id)
        try:
            yield
        finally:
            self._present[key] -= 1
            if not self._present[key]:
                del self._present[key]
            self.changes.wake(game_id)

    def is_present(self, game_id: str, role: str) -> bool:
        """Is somebody there in this role, in this worker?"""
        return (game_id, role) in self._present

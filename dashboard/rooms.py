"""Rooms: opened and closed by a manager, joined by people, followed and compared."""

from __future__ import annotations

import asyncio
import csv
import hmac
import io
import secrets
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec
from pydantic import Field
from sqlalchemy.exc import IntegrityError
from starlette.requests import Request
from starlette.responses import Response

from agent.registry import OPPONENTS
from dashboard.desk import Desk
from dashboard.live import EventStream
from dashboard.play import DRAWN, seat_name
from dashboard.requests import PLAYER_COOKIE, Body, Creates, answer, download, set_cookie
from dashboard.shapes import card, opponent_of
from game.house import NoSuchGame, Refused, room_key
from game.live import SECRET_BYTES, Live, Plan
from game.record import lines, scenario_view
from game.results import Result, Results
from game.scenarios import Scenario, parse_scenario, scenarios
from game.store import games, rooms
from game.store.games import GameRow
from game.store.rooms import MAX_ROOM_NAME, MAX_TASKS, Room, Task
from game.store.tables import games as games_table
from game.store.tables import hashed, iso
from parlay_env import tasks as splits
from parlay_env.deal.state import SEATS
from parlay_env.deal.terms import terms_of, values_of
from parlay_env.doors.wire import WireError, encode

MANAGER_COOKIE = "parlay_room_"
"""With the room's id behind it."""
PERSON = "person"
CUSTOM_BYTES = 100_000


class TaskWish(Body):
    """A game to be set. Either a scenario of ours or one as YAML."""

    scenario_id: str | None = Field(default=None, max_length=64)
    scenario_yaml: str | None = Field(default=None, max_length=CUSTOM_BYTES)
    seat: Literal["seller", "buyer"] = "seller"
    persona: str = Field(default="diplomat", max_length=64)


class NewRoom(Creates):
    """What a room is to be."""

    name: str = Field(max_length=400)
    key: str | None = Field(default=None, max_length=400)
    tasks: list[TaskWish] = Field(min_length=1, max_length=MAX_TASKS)
    same_seed: bool = False
    due_at: str | None = Field(default=None, max_length=64)


class Key(Body):
    """A manager's key."""

    manager_key: str = Field(max_length=200)


class Code(Body):
    """A join code. `request_id` is taken and needs no use: joining twice is joining once."""

    join_code: str = Field(max_length=64)
    request_id: str | None = Field(default=None, max_length=64)


class Take(Creates):
    """Which of a room's games to play."""

    task: int = Field(ge=0)


class Yaml(Body):
    """A scenario as YAML."""

    yaml: str = Field(max_length=CUSTOM_BYTES)


class Rooms:
    """The handlers."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._finished = Results()

    # The manager ------------------------------------------------------------------------------------------------------

    async def open(self, request: Request) -> Response:
        """Open a room. The key that is told once opens it again on another screen."""
        desk, wish = self._desk, await self._desk.gate.read(request, NewRoom)
        self._check_operator(request, wish.key)
        name = " ".join(wish.name.split())
        if not 1 <= len(name) <= MAX_ROOM_NAME or not name.isprintable():
            raise WireError("INVALID_OPTION", f"a room's name has 1 to {MAX_ROOM_NAME} printable characters")
        due, now = _due(wish.due_at), desk.house.now()
        if due is not None and due <= now:
            raise WireError("INVALID_OPTION", "due_at lies in the past")
        tasks = [await _task(one, wish.same_seed, k) for k, one in enumerate(wish.tasks)]
        # Whoever repeats the wish is known by the same cookie, or knows an id that nobody guesses.
        owner = hashed(request.cookies.get(PLAYER_COOKIE, "")).hex()[:32]
        wish_id = f"{owner}|{wish.request_id}"
        try:
            async with desk.house.database.begin() as conn:
                room, key = await rooms.create(conn, name, tasks, due, wish_id, now)
        except IntegrityError:
            async with desk.house.database.begin() as conn:
                found = await rooms.rekey(conn, wish_id)
            if found is None:
                raise
            room, key = found
        response = answer({"room": self._told(room), "manager_key": key, "join_code": room.join_code}, 201)
        set_cookie(request, response, MANAGER_COOKIE + room.id, key, "/api")
        return response

    def _check_operator(self, request: Request, key: str | None) -> None:
        needed = self._desk.settings.room_key.get_secret_value()
        if needed:
            if key is None or not hmac.compare_digest(key.encode(), needed.encode()):
                raise WireError("UNAUTHORIZED", "opening a room needs the operator's room key")
        elif not self._desk.may_open_rooms(request):
            told = "rooms can be opened from the server's own machine; its operator can set PARLAY_ROOM_KEY"
            raise WireError("UNAUTHORIZED", told)

    async def enter(self, request: Request) -> Response:
        """Enter a room as its manager, on this browser."""
        wish = await self._desk.gate.read(request, Key)
        async with self._desk.house.database.read() as conn:
            room = await rooms.by_key(conn, request.path_params["room_id"], wish.manager_key)
        if room is None:
            raise WireError("NOT_FOUND", "no room opens with this key")
        response = answer({"room": self._told(room)})
        set_cookie(request, response, MANAGER_COOKIE + room.id, wish.manager_key, "/api")
        return response

    async def managed(self, request: Request) -> Response:
        """The rooms whose key this browser has, with their live games."""
        found = []
        for name in request.cookies:
            if name.startswith(MANAGER_COOKIE):
                room = await self._room_of(request, name.removeprefix(MANAGER_COOKIE))
                if room is not None:
                    found.append({"room": self._told(room), "games": await self._live(room)})
        return answer({"rooms": sorted(found, key=lambda one: one["room"]["created_at"], reverse=True)})

    async def look(self, request: Request) -> Response:
        """A room, for its manager."""
        return answer(await self._all(await self.manager(request)))

    async def follow(self, request: Request) -> Response:
        """The manager's event stream."""
        room = await self.manager(request)

        async def look() -> bytes | None:
            now = await self._room_of(request, room.id)
            return None if now is None else encode(msgspec.to_builtins(await self._all(now)))

        return EventStream(
            self._desk.changes,
            (room_key(room.id),),
            look,
            name="room",
            last_id=request.headers.get("last-event-id"),
            write_seconds=self._desk.settings.write_seconds,
        )

    async def close(self, request: Request) -> Response:
        """Close a room: no game begins any more, and every debrief is open."""
        room, house = await self.manager(request), self._desk.house
        async with house.database.begin() as conn:
            await rooms.close(conn, room.id, house.now())
            mine = await games.find_all(conn, games_table.c.room_id == room.id)
        await self._desk.changes.publish(room_key(room.id))
        for one in mine:
            await house.tell(one.id)
        return answer(await self._all(await self.manager(request)))

    async def results_csv(self, request: Request) -> Response:
        """The table of results."""
        room = await self.manager(request)
        text = _csv(await self._results(room))
        return download(text.encode(), "text/csv", f"parlay-room-{room.id}.csv")

    async def manager(self, request: Request) -> Room:
        """The room of the address, for whoever has its key. Raises WireError with NOT_FOUND."""
        room = await self._room_of(request, request.path_params["room_id"])
        if room is None:
            raise WireError("NOT_FOUND", "there is no such room, or its key isn't on this browser")
        return room

    async def _room_of(self, request: Request, room_id: str) -> Room | None:
        key = request.cookies.get(MANAGER_COOKIE + room_id)
        if not key:
            return None
        async with self._desk.house.database.read() as conn:
            return await rooms.by_key(conn, room_id, key)

    async def _all(self, room: Room) -> dict[str, Any]:
        async with self._desk.house.database.read() as conn:
            there = await rooms.names_of(conn, room.id)
        joined = [{**one, "joined_at": iso(one["joined_at"])} for one in there]
        return {
            "room": self._told(room),
            "players": joined,
            "games": await self._live(room),
            "results": await self._results(room),
        }

    def _told(self, room: Room) -> dict[str, Any]:
        return {
            "id": room.id,
            "name": room.name,
            "join_code": room.join_code,
            "same_seed": room.same_seed,
            "closed": room.is_closed(self._desk.house.now()),
            "due_at": iso(room.due_at),
            "created_at": iso(room.created_at),
            "tasks": [_task_view(k, task) for k, task in enumerate(room.tasks)],
        }

    async def _live(self, room: Room) -> list[dict[str, Any]]:
        """The games of a room that are not over."""
        house = self._desk.house
        async with house.database.read() as conn:
            which = (games_table.c.room_id == room.id) & games.unfinished()
            rows = await games.find_all(conn, which)
        found = []
        for row in rows:
            try:
                found.append(self._watch_card(await house.peek(row.id)))
            except NoSuchGame:
                continue
        return found

    def _watch_card(self, live: Live) -> dict[str, Any]:
        row, public = live.row, live.episode.state.public
        terms = terms_of(live.episode.setup.scenario)
        said = lines(live.episode, None, live.episode.by)
        return {
            "id": row.id,
            "task": row.task,
            "title": msgspec.to_builtins(live.episode.setup.scenario.title),
            "players": [
                {"seat": one.seat, "name": one.name, "bot": one.bot, "present": self._desk.is_present(row.id, one.seat)}
                for one in row.seats
            ],
            "opponent": opponent_of(row, row.seat),
            "turn": max(1, public.turn),
            "tension": round(public.tension, 1),
            "to_move": live.episode.mover,
            "waiting": row.status == "waiting",
            "offers": {
                seat: None if side.standing is None else {**values_of(terms, side.standing)}
                for seat, side in zip(SEATS, public.sides, strict=True)
            },
            "currency": live.episode.setup.scenario.currency,
            "words": said[-1].words if said else "",
            "watched": row.watched,
            "moved_at": iso(row.moved_at),
        }

    async def _results(self, room: Room) -> list[Result]:
        """The results of a room's finished games, oldest first."""
        house = self._desk.house
        async with house.database.read() as conn:
            which = (games_table.c.room_id == room.id) & (games_table.c.status == "over")
            rows = await games.find_all(conn, which)
        return await self._finished.of(house, rows[::-1])

    # People -----------------------------------------------------------------------------------------------------------

    async def join(self, request: Request) -> Response:
        """Join a room: what there is to play, and what one has played of it."""
        desk, player = self._desk, await self._desk.must_be_player(request)
        wish = await desk.gate.read(request, Code)
        async with desk.house.database.begin() as conn:
            room = await rooms.by_code(conn, wish.join_code)
            if room is None:
                raise WireError("NOT_FOUND", "no room opens with this code; ask your manager for the link")
            is_new = await rooms.join(conn, room.id, player.id, desk.house.now())
            which = (games_table.c.room_id == room.id) & games.of_player(player.id)
            mine = await games.find_all(conn, which)
        if is_new:  # who waits for another player asks again and again
            await desk.changes.publish(room_key(room.id))
        tasks = [{**_task_view(k, task), "game": _newest(mine, k, player.id)} for k, task in enumerate(room.tasks)]
        closed = room.is_closed(desk.house.now())
        told = {"id": room.id, "name": room.name, "closed": closed, "due_at": iso(room.due_at), "tasks": tasks}
        return answer({"room": told | {"same_seed": room.same_seed}})

    async def play(self, request: Request) -> Response:
        """Begin a game of a room, take the seat that waits in one, or go on with one's own."""
        desk, player = self._desk, await self._desk.must_be_player(request)
        wish, house = await desk.gate.read(request, Take), self._desk.house
        async with house.database.read() as conn:
            room = await rooms.by_id(conn, request.path_params["room_id"])
            if room is None or not await rooms.is_member(conn, room.id, player.id):
                raise WireError("NOT_FOUND", "there is no such room, or you have not joined it")
            which = (games_table.c.room_id == room.id) & (games_table.c.task == wish.task)
            there = await games.find_all(conn, which)
        if wish.task >= len(room.tasks):
            raise WireError("INVALID_OPTION", f"this room has tasks 0 to {len(room.tasks) - 1}")
        task, mine = room.tasks[wish.task], [row for row in there if row.seat_of(player.id)]
        again = next((row for row in mine if row.status != "over" or task.seed is not None), None)
        if again is not None:
            live = await house.load(again.id)
        elif room.is_closed(house.now()):
            raise Refused("ROOM_CLOSED", "this room is closed: no game begins any more")
        else:
            live = await self._begin(room, wish, player.id, there)
        return await desk.answer_game(live, live.row.seat_of(player.id) or task.seat, 201)

    async def _begin(self, room: Room, wish: Take, player_id: str, there: list[GameRow]) -> Live:
        house, task = self._desk.house, room.tasks[wish.task]
        if task.persona is None:
            for row in there:
                if row.status == "waiting":
                    try:
                        return await house.sit_down(row.id, player_id, wish.request_id)
                    except Refused:
                        continue  # somebody was faster
        plan = Plan(
            scenario=task.scenario,
            seat=task.seat,
            persona=task.persona,
            room_id=room.id,
            task=wish.task,
            seed=task.seed,
            secret=None if task.secret is None else bytes.fromhex(task.secret),
        )
        return await house.start(plan, player_id, wish.request_id)

    async def check(self, request: Request) -> Response:
        """Can this scenario be played? Every problem that it has."""
        wish = await self._desk.gate.read(request, Yaml)
        scenario = await asyncio.to_thread(parse_scenario, wish.yaml)
        return answer({"scenario": scenario_view(terms_of(scenario))})


def _due(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise WireError("INVALID_OPTION", "due_at is a time like 2030-01-31T18:00:00Z") from None
    found = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    return round(found.timestamp() * 1000)


async def _task(wish: TaskWish, same_seed: bool, k: int) -> Task:
    known = (*OPPONENTS, DRAWN, PERSON)
    if wish.persona not in known:
        raise WireError("INVALID_OPTION", f"tasks[{k}].persona must be one of {', '.join(known)}")
    if (wish.scenario_id is None) == (wish.scenario_yaml is None):
        raise WireError("INVALID_OPTION", f"tasks[{k}] has a scenario_id or a scenario_yaml")
    scenario = await _scenario(wish, k)
    persona = None if wish.persona == PERSON else wish.persona
    if persona == DRAWN:
        persona = secrets.choice(OPPONENTS)
    if not same_seed:
        return Task(scenario, seat_name(wish.seat), persona)
    low, high = splits.seed_range("train")
    seed, secret = low + secrets.randbelow(high - low + 1), secrets.token_bytes(SECRET_BYTES)
    return Task(scenario, seat_name(wish.seat), persona, seed, secret.hex())


async def _scenario(wish: TaskWish, k: int) -> Scenario:
    if wish.scenario_yaml is not None:
        return await asyncio.to_thread(parse_scenario, wish.scenario_yaml)
    found = scenarios().get(wish.scenario_id or "")
    if found is None:
        raise WireError("INVALID_OPTION", f"tasks[{k}].scenario_id must be one of {', '.join(scenarios())}")
    return found


def _task_view(k: int, task: Task) -> dict[str, Any]:
    return {
        "index": k,
        "scenario": scenario_view(terms_of(task.scenario)),
        "seat": task.seat,
        "persona": task.persona or PERSON,
    }


def _newest(mine: list[GameRow], task: int, player_id: str) -> dict[str, Any] | None:
    for row in mine:
        if row.task == task:
            return card(row, row.row_of(row.seat_of(player_id) or ""))
    return None


def _csv(results: list[Result]) -> str:
    """One row a result. What a spreadsheet would take for a formula is quoted."""
    out = io.StringIO()
    items = sorted({item for one in results for item in one.rubric})
    fixed = [name for name in Result.__struct_fields__ if name != "rubric"]
    writer = csv.writer(out)
    writer.writerow([*fixed, *items])
    for one in results:
        row = [getattr(one, name) for name in fixed] + [one.rubric.get(item) for item in items]
        writer.writerow([_plain(value) for value in row])
    return out.getvalue()


def _plain(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return "'" + value
    return "" if value is None else value

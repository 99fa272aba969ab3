"""People's games, from the first move to the last: started, gone on with, saved before they are answered.

A game is a setup, a seed, a secret of its own and a log. What is in memory is a cache of it: whoever asks, in whatever
worker, gets the game as the store has it. A move's number makes it happen once, however often it is sent.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from math import inf
from time import monotonic, time
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from agent import registry
from agent.baselines import baseline
from game.record import Author, Episode
from game.scenarios import Scenario, SeatName, scenarios
from game.store import games
from game.store.database import Database
from game.store.games import OWN_SCENARIO, EventRow, GameRow
from game.store.tables import new_id
from parlay_env import tasks
from parlay_env.actions import move_of
from parlay_env.core import Policy, Seat, Viewer
from parlay_env.deal.state import SEATS, Move, Profile, Setup
from parlay_env.deal.terms import terms_of, values_of
from parlay_env.grader import Grade
from parlay_env.log import EventLog, LogError
from parlay_env.models import ParlayAction
from parlay_env.rng import Draws
from parlay_env.session import GAME, Leaver

KEPT_IN_MEMORY = 1024
"""Games whose state is kept at hand."""
FRESH_SECONDS = 10.0
"""So old may be what a screen shows, where no word comes from the other workers."""
LEFT_ALONE_HOURS = 48
"""A game that is not moved for so long ends as a walk-away."""
EASY_WIDTH = 0.6
"""A guided game has at least so much of the declared width to agree on: a first game is for learning how."""
BOT = "tit_for_tat"
"""Takes a dropped seat: the best baseline that needs no documented opponent."""
SECRET_BYTES = 32
log = logging.getLogger("parlay.house")
_encode = msgspec.json.Encoder(order="deterministic").encode


class NoSuchGame(LookupError):
    """There is no such game, or not for whoever asks."""


class Refused(Exception):
    """A request that can't be met now. `code` is the API's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Plan(msgspec.Struct, frozen=True):
    """What a new game is to be. Without a persona two people play; the second one is awaited."""

    scenario: Scenario
    seat: SeatName
    persona: str | None
    guided: bool = False
    room_id: str | None = None
    task: int | None = None
    seed: int | None = None
    """Given where several people shall play the very same instance, with its secret."""
    secret: bytes | None = None


class Live:
    """A game as it was at one moment: its row and its episode. A later one is another `Live`: whoever holds this one
    can go on reading it."""

    def __init__(self, row: GameRow, episode: Episode, log: EventLog) -> None:
        self.row = row
        self.episode = episode
        self.log = log
        self.digests: dict[tuple[Seat, int], bytes] = {}
        """Of what each seat has sent, by the number of its move."""
        self.checked = -inf
        """When it was last seen to be as the store has it (`time.monotonic`)."""
        self.shown: dict[Any, bytes] = {}
        """For who shows it: what was made of it."""

    def with_row(self, row: GameRow) -> Live:
        """The same episode under the row as it is now."""
        if row == self.row:
            return self
        other = Live(row, self.episode, self.log)
        other.digests = self.digests
        return other

    def with_episode(self, episode: Episode) -> Live:
        """The same game, gone on with."""
        other = Live(self.row, episode, self.log)
        other.digests = dict(self.digests)
        return other

    @property
    def stored(self) -> int:
        """How many lines of the log are stored."""
        return len(self.log.entries)

    def number(self, seat: Seat) -> int:
        """The number of this seat's next move."""
        return self.episode.state.public.sides[SEATS.index(seat)].steps

    def persona_seat(self) -> Seat | None:
        """The seat of the scripted opponent."""
        return None if self.row.persona is None else SEATS[1 - SEATS.index(self.row.seat)]


class House:
    """All games of a database. `changed` is called with a game's id after something about it was committed."""

    def __init__(
        self,
        database: Database,
        changed: Callable[[str], Awaitable[None]] | None = None,
        clock: Callable[[], float] = time,
    ) -> None:
        self.database = database
        self._changed = changed
        self._clock = clock
        self._kept: OrderedDict[str, Live] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}

    def now(self) -> int:
        """Milliseconds since 1970."""
        return round(self._clock() * 1000)

    async def tell(self, game_id: str) -> None:
        """Say that something about a game has changed, also to who looks at its room."""
        if self._changed is not None:
            await self._changed(game_id)
            live = self._kept.get(game_id)
            if live is not None and live.row.room_id is not None:
                await self._changed(room_key(live.row.room_id))

    # Starting ---------------------------------------------------------------------------------------------------------

    async def start(self, plan: Plan, player_id: str, request_id: str) -> Live:
        """A new game, saved; the same request again gives the same game."""
        async with self.database.read() as conn:
            known = await games.by_request(conn, player_id, request_id)
        if known is not None:
            return await self.load(known)
        game_id = new_id()
        live = _begin(plan, game_id, self.now())
        try:
            async with self.database.begin() as conn:
                await games.add(conn, _row(live.row), _sitting(plan, player_id, request_id))
                await self._save(conn, live)
        except IntegrityError:
            async with self.database.read() as conn:
                known = await games.by_request(conn, player_id, request_id)
            if known is None:
                raise Refused("UNAUTHORIZED", "this player was deleted; choose a name again") from None
            return await self.load(known)
        await self.tell(game_id)
        return await self.load(game_id)

    async def sit_down(self, game_id: str, player_id: str, request_id: str) -> Live:
        """Take the seat that waits for a second person. Raises Refused with SEAT_TAKEN."""
        live = await self.load(game_id)
        if live.row.seat_of(player_id) is not None:
            return live
        free = next((one.seat for one in live.row.seats if one.player_id is None), None)
        if live.row.status != "waiting" or free is None:
            raise Refused("SEAT_TAKEN", "this game has its two players")
        async with self.database.begin() as conn:
            taken = await games.take_seat(conn, game_id, free, player_id, request_id)
            if taken:
                await games.change(conn, game_id, status="playing", moved_at=self.now())
        if taken:
            await self.tell(game_id)
        live = await self.load(game_id)
        if live.row.seat_of(player_id) is None:  # else it was this very wish, sent twice
            raise Refused("SEAT_TAKEN", "somebody was faster; ask for another game")
        return live

    # Going on ---------------------------------------------------------------------------------------------------------

    async def load(self, game_id: str) -> Live:
        """The game as the store has it. Raises NoSuchGame."""
        async with self._lock(game_id):
            return await self._load(game_id)

    async def peek(self, game_id: str) -> Live:
        """The game as this worker knows it: at most `FRESH_SECONDS` older than the store, and as new as the last word
        from the other workers. For looking, not for deciding. Raises NoSuchGame."""
        kept = self._kept.get(game_id)
        if kept is not None and monotonic() - kept.checked < FRESH_SECONDS:
            return kept
        return await self.load(game_id)

    def heard(self, game_id: str) -> None:
        """Another worker has changed this game: look at the store before anything is said of it."""
        kept = self._kept.get(game_id)
        if kept is not None:
            kept.checked = -inf

    async def _load(self, game_id: str) -> Live:
        kept = self._kept.get(game_id)
        async with self.database.read() as conn:
            row = await games.find(conn, game_id)
            if row is None:
                self._kept.pop(game_id, None)
                raise NoSuchGame(game_id)
            new = await games.lines_after(conn, game_id, 0 if kept is None else kept.stored)
            if kept is not None and (new or _bots(kept.row) != _bots(row)):
                new, kept = await games.lines_after(conn, game_id, 0), None
        return self._keep(restored(row, new) if kept is None else kept.with_row(row))

    def _keep(self, live: Live) -> Live:
        live.checked = monotonic()
        self._kept[live.row.id] = live
        self._kept.move_to_end(live.row.id)
        while len(self._kept) > KEPT_IN_MEMORY:
            self._kept.popitem(last=False)
        return live

    async def move(self, game_id: str, seat: Seat, number: int, action: ParlayAction) -> Live:
        """Play a person's move and what the opponent answers; both are saved when this returns.

        The same move with the same number again changes nothing. Raises NoSuchGame, and Refused with STALE_MOVE,
        NOT_YOUR_MOVE, GAME_OVER.
        """
        digest = _digest(action)
        async with self._lock(game_id):
            kept = self._kept.get(game_id)
            live, certain = (await self._load(game_id), True) if kept is None else (kept, False)
            for _ in range(3):
                try:
                    if not _is_new(live, seat, number, digest):
                        return live
                    live = await self._play(live, seat, action, digest, "player")
                except Refused:
                    if certain:
                        raise
                    live, certain = await self._load(game_id), True  # this worker may be behind
                except IntegrityError:  # another worker was faster: look at what it did
                    live, certain = await self._load(game_id), True
                else:
                    break
            else:
                raise Refused("STALE_MOVE", "the game went on in another window; look at it and move again")
        await self.tell(game_id)
        return live

    async def take_over(self, game_id: str, seat: Seat) -> Live:
        """A bot sits down in this person's seat, which was left."""
        return await self._set_bot(game_id, seat, bot=True)

    async def come_back(self, game_id: str, seat: Seat) -> Live:
        """The person takes the seat back from the bot."""
        return await self._set_bot(game_id, seat, bot=False)

    async def _set_bot(self, game_id: str, seat: Seat, *, bot: bool) -> Live:
        async with self._lock(game_id):
            live = await self._load(game_id)
            if live.row.status != "playing" or live.row.row_of(seat).bot == bot:
                return live
            async with self.database.read() as conn:
                lines = await games.lines_after(conn, game_id, 0)
            sitting = tuple(replace(one, bot=bot) if one.seat == seat else one for one in live.row.seats)
            # Where it is the bot's move, it makes it at once: both are saved together.
            live = restored(replace(live.row, seats=sitting), lines)
            with contextlib.suppress(IntegrityError):  # another worker was faster: the game is as it left it
                async with self.database.begin() as conn:
                    await games.change_seat(conn, game_id, seat, bot=bot)
                    if live.stored < len(live.episode.moves):
                        await self._save(conn, live)
        await self.tell(game_id)
        return await self.load(game_id)

    async def end_left_alone(self) -> int:
        """End the games that nobody goes on with; how many there were. A walk-away of whoever had to move."""
        before = self.now() - LEFT_ALONE_HOURS * 3_600_000
        async with self.database.read() as conn:
            found = await games.left_alone(conn, before)
        for game_id in found:
            async with self._lock(game_id):
                try:
                    live = await self._load(game_id)
                    if live.row.status == "over" or live.row.moved_at >= before:
                        continue
                    if live.row.status == "waiting":  # nobody ever came
                        await self._delete(game_id)
                    else:
                        await self._walk_away(live)
                except (NoSuchGame, IntegrityError):
                    self._kept.pop(game_id, None)
                    continue
                except LogError:  # it can't end, but the others can
                    log.exception("the game %s, left alone, can't be read", game_id)
                    continue
            await self.tell(game_id)
        return len(found)

    async def mark(self, game_id: str, **marks: bool) -> None:
        """Mark a game that is not over yet: `watched`, `helped`. It is not ranked then."""
        async with self._lock(game_id):
            live = await self._load(game_id)
            if live.row.status != "over" and any(getattr(live.row, name) != value for name, value in marks.items()):
                async with self.database.begin() as conn:
                    await games.change(conn, game_id, **marks)

    async def _delete(self, game_id: str) -> None:
        async with self.database.begin() as conn:
            await games.remove(conn, game_id)
        self._kept.pop(game_id, None)

    async def _walk_away(self, live: Live) -> None:
        seat = live.episode.mover
        assert seat is not None
        view = live.episode.view(seat)
        walk = Leaver().act(view, Draws(0))
        await self._play(live, seat, walk, None, "clock")

    async def _play(
        self, live: Live, seat: Seat, action: ParlayAction | Move, digest: bytes | None, by: Author
    ) -> Live:
        """The game after this move and its answers, saved. What is shown meanwhile is the game before."""
        episode = live.episode.fork()
        move = action if isinstance(action, Move) else move_of(episode.view(seat), action)
        episode.play(seat, move)
        episode.by.append(by)
        live = live.with_episode(episode)
        async with self.database.begin() as conn:
            await self._save(conn, live, digest)
        if digest is not None:
            live.digests[seat, live.number(seat) - 1] = digest
        return await self._load(live.row.id) if episode.over else self._keep(live)

    async def _save(self, conn: AsyncConnection, live: Live, digest: bytes | None = None) -> None:
        """Append the lines that are not stored yet, and what they make of the game. `digest` is of the first one."""
        now, episode, lines, stored = self.now(), live.episode, live.log, live.stored
        for moves in episode.moves[stored:]:
            lines = lines.append(moves)
        _complete_authors(live)
        texts = [msgspec.json.encode(one).decode() for one in lines.entries[stored:]]
        rows = [
            EventRow(stored + k + 1, text, episode.by[stored + k], None if k else digest)
            for k, text in enumerate(texts)
        ]
        await games.append(conn, live.row.id, rows, now)
        public = episode.state.public
        live.log, live.row = lines, replace(live.row, turn=max(1, public.turn), moved_at=now)
        values: dict[str, Any] = {"turn": live.row.turn, "moved_at": now}
        if public.ended is not None:
            outcome = public.ended.outcome
            values |= {"status": "over", "reason": public.ended.reason, "ended_at": now}
            if outcome is not None:
                values["final_offer"] = dict(values_of(terms_of(episode.setup.scenario), outcome))
        await games.change(conn, live.row.id, **values)
        if public.ended is not None:
            live.row = await games.find(conn, live.row.id) or live.row  # somebody may have begun to watch
            for seat in live.row.seats:
                await games.change_seat(conn, live.row.id, seat.seat, **_result(live, seat.seat))

    def _lock(self, game_id: str) -> asyncio.Lock:
        lock = self._locks.get(game_id)
        if lock is None:
            if len(self._locks) > 4 * KEPT_IN_MEMORY:
                self._locks = {key: one for key, one in self._locks.items() if one.locked()}
            lock = self._locks[game_id] = asyncio.Lock()
        return lock


def room_key(room_id: str) -> str:
    """What a room's changes go by."""
    return f"room:{room_id}"


def grade_of(live: Live, seat: Seat) -> Grade | None:
    """A seat's grade, after the end."""
    return GAME.view(live.episode.state, Viewer("player", seat)).grade


def _result(live: Live, seat: Seat) -> dict[str, Any]:
    grade = grade_of(live, seat)
    assert grade is not None
    ended = live.episode.state.public.ended
    left = ended is not None and ended.reason == "walk_away" and ended.seat == SEATS.index(seat)
    return {
        "efficiency": grade.efficiency,
        "surplus": grade.surplus,
        "reward": grade.reward,
        "right_exit": left and not grade.zopa_existed,
        "ranked": live.row.is_comparable(seat),
    }


def _begin(plan: Plan, game_id: str, now: int) -> Live:
    """A new game in memory. A guided one has something to agree on, and no headlines."""
    pair = plan.persona is None
    setup = Setup(
        scenario=plan.scenario,
        seat=plan.seat,
        opponent=Profile() if plan.persona is None else registry.profile(plan.persona),
        split="train",
        events=not plan.guided,
        both_graded=pair,
    )
    low, high = tasks.seed_range("train")
    secret = secrets.token_bytes(SECRET_BYTES) if plan.secret is None else plan.secret
    while True:
        seed = low + secrets.randbelow(high - low + 1) if plan.seed is None else plan.seed
        if plan.seed is not None or not plan.guided or _is_easy(setup, seed, secret):
            break
    log = EventLog.begin(GAME.id, setup, seed)
    row = GameRow(
        id=game_id,
        head=msgspec.json.encode(log.head).decode(),
        secret=secret,
        scenario_id=_name_of(plan.scenario),
        seat=plan.seat,
        persona=plan.persona,
        split=setup.split,
        status="waiting" if pair else "playing",
        guided=plan.guided,
        watched=False,
        helped=False,
        room_id=plan.room_id,
        task=plan.task,
        fixed_seed=plan.seed is not None,
        turn=1,
        reason=None,
        final_offer=None,
        started_at=now,
        moved_at=now,
        ended_at=None,
    )
    return Live(row, Episode(setup, seed, _policies(row), secret), log)


def _name_of(scenario: Scenario) -> str:
    """A scenario's id, told from that of one which a room brought along, whatever it calls itself."""
    return scenario.id if scenarios().get(scenario.id) == scenario else OWN_SCENARIO + scenario.id


def _is_easy(setup: Setup, seed: int, secret: bytes) -> bool:
    state = GAME.start(setup, seed, secret)
    truth, me = GAME.view(state, Viewer("observer")).truth, setup.learner
    assert truth is not None
    reach = truth.reach[me]
    return reach is not None and reach - state.facts[me].limit >= EASY_WIDTH * terms_of(setup.scenario).delta0[me]


def restored(row: GameRow, lines: list[EventRow]) -> Live:
    """A game as its log has it. Raises LogError for a log that was changed."""
    log = EventLog.from_jsonl("\n".join([row.head, *(one.line for one in lines)]).encode())
    setup = log.setup(GAME.id, Setup)
    history = list(log.moves(Move))
    episode = Episode(setup, log.seed, _policies(row), row.secret, history)
    live = Live(row, episode, log)
    episode.by = [_author(one.by) for one in lines]
    counts: dict[Seat, int] = {"seller": 0, "buyer": 0}
    for one, moves in zip(lines, history, strict=True):
        (seat,) = moves
        if one.digest is not None:
            live.digests[seat, counts[seat]] = one.digest
        counts[seat] += 1
    return live


def _author(name: str) -> Author:
    return msgspec.convert(name, Author)


def _bots(row: GameRow) -> tuple[bool, ...]:
    return tuple(one.bot for one in row.seats)


def _policies(row: GameRow) -> dict[Seat, Policy | None]:
    """Who moves by itself: the persona, and a bot in a dropped seat."""
    found: dict[Seat, Policy | None] = {"seller": None, "buyer": None}
    if row.persona is not None:
        found[SEATS[1 - SEATS.index(row.seat)]] = registry.opponent(row.persona)
    for one in row.seats:
        if one.bot:
            found[one.seat] = baseline(BOT)
    return found


def _complete_authors(live: Live) -> None:
    """Who made the moves that nobody has signed: policies."""
    persona, by = live.persona_seat(), live.episode.by
    for moves in live.episode.moves[len(by) :]:
        by.append("persona" if persona in moves else "bot")


def _sitting(plan: Plan, player_id: str, request_id: str) -> list[dict[str, Any]]:
    first = {"seat": plan.seat, "player_id": player_id, "request_id": request_id}
    return [first] if plan.persona is not None else [first, {"seat": SEATS[1 - SEATS.index(plan.seat)]}]


def _row(row: GameRow) -> dict[str, Any]:
    found = {name: getattr(row, name) for name in GameRow.__struct_fields__}
    for name in ("seats", "room_name", "room_closed"):
        del found[name]
    return found


def _digest(action: ParlayAction) -> bytes:
    return hashlib.blake2b(_encode(action.model_dump(exclude_defaults=True)), digest_size=16).digest()


def _is_new(live: Live, seat: Seat, number: int, digest: bytes) -> bool:
    """Is this a move to be played? False for one that was played already. Raises Refused."""
    expected = live.number(seat)
    if number < expected and live.digests.get((seat, number)) == digest:
        return False
    if live.row.status == "waiting":
        raise Refused("NOT_YOUR_MOVE", "the other player has not come yet")
    if live.episode.over:
        raise Refused("GAME_OVER", "this game is over; start another")
    if number != expected:
        raise Refused("STALE_MOVE", f"your next move has number {expected}; look at the game and move again")
    if live.episode.mover != seat:
        raise Refused("NOT_YOUR_MOVE", "the other side has to move first")
    return True

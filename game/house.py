"""People's games, from the first move to the last: started, gone on with, saved before they are answered.

A game is a setup, a seed, a secret of its own and a log. What is in memory is a cache of it: whoever asks, in whatever
worker, gets the game as the store has it. A move's number makes it happen once, however often it is sent.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from math import inf
from time import monotonic, time
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
from msgspec.structs import replace
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from game.live import Live, Plan, begin, bots, complete_authors, restored, row_values, sitting
from game.record import Author
from game.store import games
from game.store.database import Database, StoreUnavailable
from game.store.games import EventRow
from game.store.tables import new_id
from parlay_env.actions import move_of
from parlay_env.core import Seat, Viewer
from parlay_env.deal.state import SEATS, Move
from parlay_env.deal.terms import terms_of, values_of
from parlay_env.deal.views import View
from parlay_env.grader import Grade
from parlay_env.log import LogError
from parlay_env.models import ParlayAction
from parlay_env.options import VoiceKind
from parlay_env.rng import Draws
from parlay_env.session import GAME, Leaver

if TYPE_CHECKING:
    from agent.llm.voices import Voiced

KEPT_IN_MEMORY = 1024
"""Games whose state is kept at hand."""
FRESH_SECONDS = 10.0
"""So old may be what a screen shows, where no word comes from the other workers."""
UNFINISHED_AT_MOST = 100
"""Games of one player: more are no games, but a way to fill a disk."""
LEFT_ALONE_HOURS = 48
"""A game that is not moved for so long ends as a walk-away."""
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


class Speakers(Protocol):
    """Who speaks for opponents through a language model. Always has an answer, if only the persona's own."""

    async def answer(self, kind: VoiceKind, persona: str, view: View, decided: Move, rng: Draws) -> Voiced: ...


class House:
    """All games of a database. `changed` is called with a game's id after something about it was committed; `speakers`
    answer for opponents that a language model speaks for, and without them those speak for themselves."""

    def __init__(
        self,
        database: Database,
        changed: Callable[[str], Awaitable[None]] | None = None,
        clock: Callable[[], float] = time,
        speakers: Speakers | None = None,
        patience: float = 0.0,
    ) -> None:
        """`patience`: with several workers, how many seconds one of them leaves an opponent to the worker in which the
        move before was made, which asks the model at once."""
        self.database = database
        self._patience = patience
        self._speakers = speakers
        self._speaking: dict[str, asyncio.Task[None]] = {}
        self._changed = changed
        self._clock = clock
        self._kept: OrderedDict[str, Live] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}

    def now(self) -> int:
        """Milliseconds since 1970."""
        return round(self._clock() * 1000)

    async def tell(self, game_id: str) -> None:
        """Say that something about a game has changed in the store, also to who looks at its room."""
        self.heard(game_id)
        await self._tell(game_id)

    async def _tell(self, game_id: str) -> None:
        """The same, of what this worker holds already as it is now."""
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
        live = begin(plan, game_id, self.now())
        try:
            async with self.database.begin() as conn:
                await games.add(conn, row_values(live.row), sitting(plan, player_id, request_id))
                await self._save(conn, live)
        except IntegrityError:
            async with self.database.read() as conn:
                known = await games.by_request(conn, player_id, request_id)
            if known is None:
                raise Refused("UNAUTHORIZED", "this player was deleted; choose a name again") from None
            return await self.load(known)
        async with self._lock(game_id):
            live = await self._load(game_id, moved_here=True)
        await self._tell(game_id)
        return live

    async def check_unfinished(self, player_id: str, request_id: str) -> None:
        """May this player begin another game? Raises Refused with TOO_MANY_GAMES; what it has begun already it may."""
        async with self.database.read() as conn:
            if await games.by_request(conn, player_id, request_id) is not None:
                return
            count = await games.count(conn, games.of_player(player_id) & games.unfinished())
        if count >= UNFINISHED_AT_MOST:
            told = f"you have {count} games that are not finished; finish or delete some at /me"
            raise Refused("TOO_MANY_GAMES", told)

    async def sit_down(self, game_id: str, player_id: str, request_id: str) -> Live:
        """Take the seat that waits for a second person. Raises Refused with SEAT_TAKEN."""
        live = await self.load(game_id)
        if live.row.seat_of(player_id) is not None:
            return live
        free = next((one.seat for one in live.row.seats if one.player_id is None), None)
        if live.row.status != "waiting" or free is None:
            raise Refused("SEAT_TAKEN", "this game has its two players")
        try:
            async with self.database.begin() as conn:
                taken = await games.take_seat(conn, game_id, free, player_id, request_id)
                if taken:
                    await games.change(conn, game_id, status="playing", moved_at=self.now())
        except IntegrityError:
            told = "this request has made another game already, or its player was deleted"
            raise Refused("SEAT_TAKEN", told) from None
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
        """This game was changed in the store: look there before anything is said of it."""
        kept = self._kept.get(game_id)
        if kept is not None:
            kept.checked = -inf

    async def _load(self, game_id: str, *, moved_here: bool = False) -> Live:
        kept = self._kept.get(game_id)
        async with self.database.read() as conn:
            row = await games.find(conn, game_id)
            if row is None:
                self._kept.pop(game_id, None)
                raise NoSuchGame(game_id)
            new = await games.lines_after(conn, game_id, 0 if kept is None else kept.stored)
            if kept is not None and (new or bots(kept.row) != bots(row)):
                new, kept = await games.lines_after(conn, game_id, 0), None
        return self._keep(restored(row, new) if kept is None else kept.with_row(row), moved_here=moved_here)

    def _keep(self, live: Live, *, moved_here: bool = False) -> Live:
        live.checked = monotonic()
        self._kept[live.row.id] = live
        self._kept.move_to_end(live.row.id)
        while len(self._kept) > KEPT_IN_MEMORY:
            self._kept.popitem(last=False)
        if live.awaits_voice and live.row.id not in self._speaking:
            wait = 0.0 if moved_here else live.row.moved_at / 1000 + self._patience - self._clock()
            task = asyncio.get_running_loop().create_task(self._speak(live.row.id, wait))
            task.add_done_callback(_logged)
            self._speaking[live.row.id] = task
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
            for _ in range(4):
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
        await self._tell(game_id)
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
            seats = tuple(replace(one, bot=bot) if one.seat == seat else one for one in live.row.seats)
            # Where it is the bot's move, it makes it at once: both are saved together.
            live = restored(replace(live.row, seats=seats), lines)
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
                    if live.row.status == "over" or live.row.moved_at >= before or live.awaits_voice:
                        continue  # a model that was to speak is being asked again by now
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
                    await games.mark(conn, game_id, **marks)

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
        live = await self._played(live.with_episode(episode), by, digest)
        if digest is not None:
            live.digests[seat, live.number(seat) - 1] = digest
        return live

    async def _played(self, live: Live, by: Author, digest: bytes | None = None) -> Live:
        """What was just played in memory, saved."""
        live.episode.by.append(by)
        async with self.database.begin() as conn:
            await self._save(conn, live, digest)
        return await self._load(live.row.id) if live.episode.over else self._keep(live, moved_here=True)

    # Opponents that a language model speaks for ------------------------------------------------------------------

    async def answered(self, game_id: str) -> Live:
        """The game, once an opponent that is being asked has moved. Raises NoSuchGame."""
        live = await self.load(game_id)
        if (task := self._speaking.get(game_id)) is not None:
            await asyncio.wait((task,))
            live = await self.load(game_id)
        return live

    async def _speak(self, game_id: str, wait: float) -> None:
        """Move for the opponent of this game, as long as it is its move, after so many seconds."""
        try:
            await asyncio.sleep(max(0.0, wait))
            while True:
                live = await self.load(game_id)
                if not live.awaits_voice:
                    break
                await self._speak_once(live)
        except (NoSuchGame, StoreUnavailable):
            pass  # whoever looks at the game the next time begins this anew
        except LogError:
            log.exception("the game %s can't be read", game_id)
        finally:
            self._speaking.pop(game_id, None)

    async def _speak_once(self, live: Live) -> None:
        """One move of the opponent; none where the game has gone on meanwhile."""
        seat, kind, persona = live.episode.held, live.row.voice, live.row.persona
        assert seat is not None and persona is not None
        decided, policy = live.episode.propose(seat)
        move, by = decided, "persona"
        if self._speakers is not None:
            kind = msgspec.convert(kind, VoiceKind)
            view, draws = live.episode.view(seat), live.episode.draws(seat)
            found = await self._speakers.answer(kind, persona, view, decided, draws)
            move, by = found.move, "persona" if found.how == "scripted" else "model"
        async with self._lock(live.row.id):
            now = await self._load(live.row.id)
            if now.stored != live.stored or not now.awaits_voice:
                return
            episode = now.episode.fork()
            episode.settle(seat, move, policy)
            with contextlib.suppress(IntegrityError):  # another worker was faster: its move stands
                await self._played(now.with_episode(episode), by)
        await self._tell(live.row.id)

    async def close(self) -> None:
        """Give up what is being asked: it is asked anew when somebody looks at the game again."""
        tasks = list(self._speaking.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _save(self, conn: AsyncConnection, live: Live, digest: bytes | None = None) -> None:
        """Append the lines that are not stored yet, and what they make of the game. `digest` is of the first one."""
        now, episode, lines, stored = self.now(), live.episode, live.log, live.stored
        for moves in episode.moves[stored:]:
            lines = lines.append(moves)
        complete_authors(live)
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


def _logged(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("an opponent could not move", exc_info=error)


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

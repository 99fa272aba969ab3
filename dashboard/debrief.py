"""The debrief of a finished game: at once what is known, then what a second process has worked out."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict
from concurrent.futures.process import BrokenProcessPool
from math import inf
from time import monotonic
from typing import Any

import msgspec
from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError
from starlette.requests import Request
from starlette.responses import Response

from dashboard import thinker
from dashboard.desk import Desk
from dashboard.play import Play
from dashboard.requests import answer, download
from dashboard.shapes import opponent_of, replay_view
from game.leaderboard import percentile
from game.live import Live
from game.record import limits, worth_table
from game.review.debrief import debrief
from game.seen import marks_of
from game.store import coach
from game.store.database import StoreUnavailable
from game.store.tables import iso, reviews
from game.transcript import transcript
from parlay_env import __version__
from parlay_env.core import Seat
from parlay_env.deal.state import SEATS
from parlay_env.doors.wire import WireError, action_of, encode

log = logging.getLogger("parlay.pages")
VERSION = f"{__version__}/1"
"""Of what a review holds: one of another version is worked out anew."""
WAITING_AT_MOST = 256
"""Reviews that wait for their turn; who asks for one more is told to ask again."""
WHAT_IFS_AT_MOST = 8
"""So many may wait at once: they share a process with the reviews, which would wait behind them."""
AGAIN_SECONDS = 60.0
"""A review that was broken off is tried again by whoever looks after so long."""
BROKEN = "the review was broken off; the rest of this page stands"


class Debriefs:
    """The handlers."""

    def __init__(self, desk: Desk, play: Play) -> None:
        self._desk = desk
        self._play = play
        self._working: dict[tuple[str, Seat], asyncio.Task[None]] = {}
        self._failed: OrderedDict[tuple[str, Seat], float] = OrderedDict()
        """When a review was broken off (`time.monotonic`)."""
        self._asked = 0
        """What-ifs that are being worked out, or wait for it."""
        self._now: tuple[str, Seat] | None = None

    async def show(self, request: Request) -> Response:
        """The debrief, as far as it is worked out."""
        live = await self._play.finished(request)
        seat, mine = await self._seat(request, live)
        review = await self._review(live, seat)
        plain = await asyncio.to_thread(debrief, live.log, live.row.secret, seat, tracked=False, reviewed=False)
        async with self._desk.house.database.read() as conn:
            said = await coach.said_to(conn, live.row.id, seat)
            place = await percentile(conn, live.row, live.row.row_of(seat))
        found = replay_view(live, seat, reader=seat) | plain | review
        found["numbers"] = {**plain["numbers"], "percentile": place}
        found["limits"] = limits(live.episode)
        found["worth"] = worth_table(live.episode.view(seat))
        found["notes"] = [{**one, "at": iso(one["at"])} for one in said]
        found["game"] = self._game(live, seat, mine=mine)
        return answer(found)

    def _game(self, live: Live, seat: Seat, *, mine: bool) -> dict[str, Any]:
        row = live.row
        me = row.row_of(seat)
        return {
            "id": row.id,
            "seat": seat,
            "name": me.name,
            "mine": mine,
            "opponent": opponent_of(row, seat),
            "marks": marks_of(row, seat),
            "ranked": me.ranked,
            "guided": row.guided,
            "consent": {"flywheel": me.consent, "offered": mine and not row.pair and not row.fixed_seed},
            "room": None if row.room_id is None else {"id": row.room_id, "name": row.room_name},
            "started_at": iso(row.started_at),
            "ended_at": iso(row.ended_at),
            "seed": live.log.seed,
            "version": __version__,
        }

    async def _seat(self, request: Request, live: Live) -> tuple[Seat, bool]:
        """Whose debrief it is: one's own, else the one that the address asks for, else the learner's."""
        player = await self._desk.player(request)
        mine = live.row.seat_of(None if player is None else player.id)
        asked = request.query_params.get("seat")
        if asked is not None:
            if asked not in SEATS or all(one.seat != asked for one in live.row.seats):
                raise WireError("INVALID_OPTION", "seat must be one that a person sat in")
            return asked, asked == mine
        return (mine, True) if mine is not None else (live.row.seat, False)

    async def transcript(self, request: Request) -> Response:
        """The game as text."""
        live = await self._play.finished(request)
        seat, _ = await self._seat(request, live)
        names = {seat: live.row.row_of(seat).name or seat.title()}
        other = SEATS[1 - SEATS.index(seat)]
        names[other] = opponent_of(live.row, seat)["name"] or other.title()
        text = transcript(live.episode, seat, names)
        return download(text.encode(), "text/plain", f"parlay-{live.row.id}.txt")

    async def what_if(self, request: Request) -> Response:
        """How the game would have gone on after another move."""
        live = await self._play.finished(request)
        seat, _ = await self._seat(request, live)
        text = await self._desk.gate.text(request)
        body = self._desk.gate.object_of(text)
        number = body.get("number")
        if body.keys() != {"number", "action"} or type(number) is not int:
            raise WireError("INVALID_ACTION", "the body has the number of one of the moves, and another action")
        if not 0 <= number < live.number(seat):
            raise WireError("INVALID_ACTION", f"the game has moves 0 to {live.number(seat) - 1}")
        action = action_of(body["action"], text, "action")
        if live.row.persona is None:
            raise WireError("INVALID_OPTION", "what a person would have answered nobody knows")
        if self._asked >= WHAT_IFS_AT_MOST:
            raise WireError("RATE_LIMITED", "too many ask at once; try again in a few seconds", retry_after=3)
        self._asked += 1
        try:
            found = await self._desk.reviewer.run(
                _what_if, live.log.to_jsonl(), live.row.secret, seat, number, action.model_dump_json()
            )
        except BrokenProcessPool:
            raise WireError("INTERNAL", "this could not be worked out; try again") from None
        finally:
            self._asked -= 1
        if "problem" in found:
            raise WireError("INVALID_ACTION", found["problem"])
        return answer(found)

    # What takes time --------------------------------------------------------------------------------------------------

    async def _review(self, live: Live, seat: Seat) -> dict[str, Any]:
        """`review` and `beliefs`, where they are worked out; else how far that is."""
        key = (live.row.id, seat)
        async with self._desk.house.database.read() as conn:
            query = select(reviews.c.body).where(
                reviews.c.game_id == live.row.id, reviews.c.seat == seat, reviews.c.version == VERSION
            )
            body = (await conn.execute(query)).scalar()
        if body is not None:
            return json.loads(body)
        if monotonic() - self._failed.get(key, -inf) < AGAIN_SECONDS:
            return {"review": {"status": "failed", "progress": 1.0, "moves": [], "message": BROKEN}}
        if key not in self._working and len(self._working) < WAITING_AT_MOST:
            task = asyncio.get_running_loop().create_task(self._work_out(key, live))
            self._working[key] = task
            self._desk.reviews.add(task)
            task.add_done_callback(lambda _: self._working.pop(key, None))
            task.add_done_callback(self._desk.reviews.discard)
        done = self._desk.reviewer.done.value if self._now == key else 0.0
        return {"review": {"status": "working", "progress": round(done, 3), "moves": []}}

    async def _work_out(self, key: tuple[str, Seat], live: Live) -> None:
        async with self._desk.reviewing:
            self._now, self._desk.reviewer.done.value = key, 0.0
            try:
                body = await self._desk.reviewer.run(_review, live.log.to_jsonl(), live.row.secret, key[1])
            except Exception:  # of whatever kind: unremembered, every look would begin it again
                log.exception("a review was broken off")
                self._failed[key] = monotonic()
                self._failed.move_to_end(key)
                while len(self._failed) > WAITING_AT_MOST:
                    self._failed.popitem(last=False)
                return
            finally:
                self._now = None
        house = self._desk.house
        try:
            async with house.database.begin() as conn:
                values = {"game_id": key[0], "seat": key[1], "version": VERSION, "body": body, "at": house.now()}
                await conn.execute(insert(reviews).values(**values))
        except IntegrityError:
            log.info("a review was stored by another worker, or its game is gone")
        except StoreUnavailable:
            log.exception("a review could not be stored; it is worked out again when somebody asks")


# In the other process -------------------------------------------------------------------------------------------------


def _review(text: bytes, secret: bytes, seat: Seat) -> str:
    from game.review.debrief import debrief
    from parlay_env.log import EventLog

    found = debrief(EventLog.from_jsonl(text), secret, seat, progress=thinker.tell)
    return encode(msgspec.to_builtins({"review": found["review"], "beliefs": found["beliefs"]})).decode()


def _what_if(text: bytes, secret: bytes, seat: Seat, number: int, action: str) -> dict[str, Any]:
    """What came of the other move, from that move on: lines, and the end. Or `problem`: why the move isn't allowed."""
    from game.record import Episode, lines
    from game.review.what_if import NoReview, NotAllowed, what_if
    from parlay_env.deal.state import Move, Setup
    from parlay_env.deal.terms import terms_of, values_of
    from parlay_env.log import EventLog
    from parlay_env.models import ParlayAction
    from parlay_env.session import GAME

    try:
        told = what_if(EventLog.from_jsonl(text), secret, seat, number, ParlayAction.model_validate_json(action))
    except (NotAllowed, NoReview) as error:
        return {"problem": str(error)}
    setup = told.log.setup(GAME.id, Setup)
    episode = Episode(setup, told.log.seed, {"seller": None, "buyer": None}, secret, told.log.moves(Move))
    persona = SEATS[1 - SEATS.index(seat)]
    by: list[Any] = ["persona" if persona in moves else "player" for moves in episode.moves]
    for k in range(len(by) if told.by_planner is None else told.by_planner, len(by)):
        by[k] = "bot" if by[k] == "player" else by[k]
    ended = told.last.public.ended
    assert ended is not None
    outcome = None if ended.outcome is None else {**values_of(terms_of(setup.scenario), ended.outcome)}
    found = {
        "lines": lines(episode, seat, by)[told.at :],
        "outcome": {
            "reason": ended.reason,
            "by": None if ended.seat is None else SEATS[ended.seat],
            "turn": ended.turn,
            "final_offer": outcome,
            "reward": told.grade.reward,
            "efficiency": told.grade.efficiency,
            "surplus": told.grade.surplus,
        },
    }
    return msgspec.to_builtins(found)

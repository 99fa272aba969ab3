"""What came of finished games, seat by seat, as a manager compares them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from game.store.tables import iso

if TYPE_CHECKING:
    from game.house import House
    from game.live import Live
    from game.store.games import GameRow

RUBRICS_KEPT = 8192
"""Seats of finished games whose rubric is kept at hand."""


class Result(msgspec.Struct, frozen=True):
    """A person's result in one game. `efficiency` is E; `rubric` has scores 0…1 by item, None where none applies."""

    game_id: str
    player: str | None
    task: int | None
    scenario_id: str
    seat: str
    opponent: str
    ended_at: str | None
    turn: int
    reason: str | None
    efficiency: float | None
    surplus: float | None
    reward: float | None
    right_exit: bool | None
    watched: bool
    helped: bool
    bot: bool
    rubric: dict[str, float | None]


class Results:
    """The results of finished games. What the rubric says of one is worked out once: it does not change any more."""

    def __init__(self) -> None:
        self._rubrics: OrderedDict[tuple[str, str], dict[str, float | None]] = OrderedDict()

    async def of(self, house: House, rows: Iterable[GameRow]) -> list[Result]:
        """A result for each person's seat of these games, in their order."""
        seats = [(row, seat.seat) for row in rows for seat in row.seats if seat.player_id is not None]
        return [_result(row, seat, await self._rubric(house, row, seat)) for row, seat in seats]

    async def _rubric(self, house: House, row: GameRow, seat: str) -> dict[str, float | None]:
        key = (row.id, seat)
        found = self._rubrics.get(key)
        if found is None:
            live = await house.load(row.id)
            found = self._rubrics[key] = await asyncio.to_thread(_scores, live, seat)
        self._rubrics.move_to_end(key)
        while len(self._rubrics) > RUBRICS_KEPT:
            self._rubrics.popitem(last=False)
        return found


def _scores(live: Live, seat: str) -> dict[str, float | None]:
    from game.review.rubric import rubric

    return {one["item"]: one["score"] for one in rubric(live.log, seat, live.row.secret)}


def _result(row: GameRow, name: str, rubric: dict[str, float | None]) -> Result:
    seat = row.row_of(name)
    return Result(
        game_id=row.id,
        player=seat.name,
        task=row.task,
        scenario_id=row.scenario_id,
        seat=name,
        opponent=row.persona or "person",
        ended_at=iso(row.ended_at),
        turn=row.turn,
        reason=row.reason,
        efficiency=seat.efficiency,
        surplus=seat.surplus,
        reward=seat.reward,
        right_exit=seat.right_exit,
        watched=row.watched,
        helped=row.helped,
        bot=seat.bot,
        rubric=rubric,
    )

"""What came of finished games, seat by seat, as a manager compares them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from game.store.tables import iso

if TYPE_CHECKING:
    from game.house import House
    from game.live import Live
    from game.store.games import GameRow


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


async def results_of(house: House, rows: list[GameRow]) -> list[Result]:
    """The results of these games."""
    found: list[Result] = []
    for row in rows:
        live = await house.load(row.id)
        people = [seat.seat for seat in row.seats if seat.player_id is not None]
        found += [await asyncio.to_thread(_result, live, seat) for seat in people]
    return found


def _result(live: Live, name: str) -> Result:
    from game.review.rubric import rubric

    row, seat = live.row, live.row.row_of(name)
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
        rubric={one["item"]: one["score"] for one in rubric(live.log, name, row.secret)},
    )

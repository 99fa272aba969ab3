"""Who negotiates best: by scenario, seat and persona, from games that nobody helped with.

A result is E, the share of what the other side's limit would have allowed. A right walk-away is no result: there was
nothing to have, and it counts neither for nor against. (Had tension eaten up what there was, walking away would be
right too, and still count 0: else it could be farmed.)
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from statistics import fmean
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from game.store.games import GameRow, SeatRow
from game.store.tables import games, iso, players, seats

LAST = 10
"""A rank is the mean E of so many newest ranked games, …"""
LEAST = 5
"""… and needs so many."""
SHOWN = 100
"""So many ranks are told, and so many without one; whoever asks is always told of."""
READ_AT_MOST = 20_000
"""So many newest results are looked at."""
LEAST_FOR_PERCENTILE = 5
"""Of other people's results: fewer say nothing."""


def counts(seat: SeatRow) -> bool:
    """Has this seat's finished game a result?"""
    return seat.efficiency is not None and not seat.right_exit


def cells_of(sitting: Iterable[tuple[GameRow, SeatRow]]) -> list[dict[str, Any]]:
    """A player's own results by scenario, seat and persona, from finished games, newest first: `Cell` of docs/pages.md.
    Games whose debrief is not open yet are left out."""
    cells: dict[tuple[str, str, str], list[float]] = {}
    for row, seat in sitting:
        if row.status == "over" and counts(seat) and not (row.fixed_seed and not row.room_closed):
            cells.setdefault((row.scenario_id, seat.seat, row.persona or "person"), []).append(seat.efficiency or 0.0)
    return [
        {"scenario_id": scenario, "seat": seat, "persona": persona, **_summary(found)}
        for (scenario, seat, persona), found in cells.items()
    ]


def _summary(newest_first: list[float]) -> dict[str, Any]:
    last = newest_first[:LAST]
    return {
        "games": len(newest_first),
        "mean": fmean(last),
        "best": max(newest_first),
        "trend": last[::-1],
    }


async def leaderboard(
    conn: AsyncConnection, scenario: str | None, seat: str | None, persona: str | None, you: str | None
) -> dict[str, Any]:
    """The ranks, and beside them who has not played enough ranked games yet. `you`: the player who asks."""
    query = (
        select(
            seats.c.player_id, players.c.name, seats.c.efficiency, seats.c.ranked, seats.c.right_exit, games.c.ended_at
        )
        .join(games, games.c.id == seats.c.game_id)
        .join(players, players.c.id == seats.c.player_id)
        .where(games.c.status == "over", seats.c.efficiency.is_not(None), games.c.fixed_seed.is_(False))
        .order_by(games.c.started_at.desc(), games.c.id)
        .limit(READ_AT_MOST)
    )
    for column, wanted in (
        (games.c.scenario_id, scenario),
        (seats.c.seat, seat),
        (games.c.persona, persona),
    ):
        if wanted is not None:
            query = query.where(column == wanted)
    by_player: dict[str, list[Any]] = {}
    for row in await conn.execute(query):
        by_player.setdefault(row.player_id, []).append(row)
    ranked, unranked = [], []
    for player_id, rows in by_player.items():
        results = [row.efficiency for row in rows if row.ranked and not row.right_exit]
        others = sum(not row.ranked for row in rows)
        told = {"name": rows[0].name, "you": player_id == you, "last_at": iso(rows[0].ended_at), "unranked": others}
        if len(results) >= LEAST:
            ranked.append({**told, **_summary(results)})
        else:
            found = _summary(results) if results else {"games": 0, "mean": None, "best": None, "trend": []}
            unranked.append({**told, **found, "missing": LEAST - len(results)})
    ranked.sort(key=lambda one: -one["mean"])
    unranked.sort(key=lambda one: (one["missing"], one["name"]))
    means = [-one["mean"] for one in ranked]
    rows = [{"rank": 1 + bisect_left(means, -one["mean"]), **one} for one in ranked]  # equals share a rank
    return {
        "rows": [one for one in rows if one["rank"] <= SHOWN or one["you"]],
        "unranked": [one for k, one in enumerate(unranked) if k < SHOWN or one["you"]],
        "last": LAST,
        "least": LEAST,
    }


async def percentile(conn: AsyncConnection, game: GameRow, seat: SeatRow) -> dict[str, Any] | None:
    """The share of other people's results in the same scenario, seat and persona that this one beats (ties half), in
    how many games; None where there are too few to say."""
    if not counts(seat) or game.fixed_seed:
        return None
    query = (
        select(seats.c.efficiency)
        .join(games, games.c.id == seats.c.game_id)
        .where(
            games.c.status == "over",
            games.c.scenario_id == game.scenario_id,
            games.c.persona == game.persona if game.persona else games.c.persona.is_(None),
            games.c.guided.is_(game.guided),
            seats.c.seat == seat.seat,
            seats.c.efficiency.is_not(None),
            seats.c.right_exit.is_(False),
            seats.c.player_id.is_distinct_from(seat.player_id),
            games.c.id != game.id,
        )
        .order_by(games.c.ended_at.desc())
        .limit(READ_AT_MOST)
    )
    others = [row.efficiency for row in await conn.execute(query)]
    if len(others) < LEAST_FOR_PERCENTILE:
        return None
    mine = seat.efficiency or 0.0
    below = sum(other < mine for other in others) + 0.5 * sum(other == mine for other in others)
    return {"value": below / len(others), "games": len(others)}

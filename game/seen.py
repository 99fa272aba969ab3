"""What a player may see of a game, for every door that people's games have: hidden facts come with the end, and where
others play the very same instance when its room is closed."""

from __future__ import annotations

from typing import Any, Literal

from game.live import Live
from game.store.games import GameRow
from parlay_env.core import Seat
from parlay_env.observe import observation
from parlay_env.session import BEFORE_THE_END

Status = Literal["your_move", "their_move", "over"]


def debrief_is_open(row: GameRow) -> bool:
    """May the hidden facts of a finished game be seen? Where others play the same instance: once the room is closed."""
    return row.status == "over" and (not row.fixed_seed or row.room_id is None or row.room_closed)


def is_still_compared(row: GameRow) -> bool:
    """Do others still play the same instance? Whoever could delete its game would play it again, knowing it."""
    return row.fixed_seed and row.room_id is not None and not row.room_closed


def marks_of(row: GameRow, seat: Seat) -> list[str]:
    """Why this game is not ranked, for each reason there is."""
    reasons = {
        "watched": row.watched,
        "helped": row.helped,
        "guided": row.guided,
        "room_seed": row.fixed_seed,
        "person": row.pair,
        "model": row.voiced,
        "own_scenario": row.own_scenario,
        "bot": any(one.seat == seat and one.bot for one in row.seats),
    }
    return [name for name, holds in reasons.items() if holds]


def status_of(live: Live, seat: Seat) -> Status:
    """Who moves, as this seat sees it."""
    if live.episode.over:
        return "over"
    return "your_move" if live.row.status == "playing" and live.episode.mover == seat else "their_move"


def seen_by(live: Live, seat: Seat) -> dict[str, Any]:
    """The observation of the player in this seat, without its prompt. Before the end it has nothing of the end."""
    observed = observation(live.episode.view(seat), with_prompt=False)
    if not live.episode.over:
        observed |= BEFORE_THE_END
    elif not debrief_is_open(live.row):
        observed |= {"grade": None, "truth": None}
    del observed["prompt"]
    return observed

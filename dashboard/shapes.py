"""Games as the pages get them (docs/pages.md): every figure comes from a view, and a player's from the player's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from agent.personas import PERSONAS
from game.live import Live
from game.record import lines, scenario_view, trail, worth_table
from game.seen import debrief_is_open, marks_of, seen_by, status_of
from game.store.games import GameRow, SeatRow
from game.store.tables import iso
from parlay_env.core import Seat
from parlay_env.deal.state import SEATS, Setup
from parlay_env.deal.terms import terms_of
from parlay_env.log import EventLog
from parlay_env.session import GAME


def persona_view(name: str) -> dict[str, Any]:
    """A scripted opponent by name."""
    return {"kind": "persona", "id": name, "name": name.title(), "symbol": PERSONAS[name].symbol}


def opponent_of(row: GameRow, seat: Seat) -> dict[str, Any]:
    """Who sits opposite this seat."""
    if row.persona is not None:
        return persona_view(row.persona)
    other = next((one for one in row.seats if one.seat != seat), None)
    kind = "bot" if other is not None and other.bot else "person"
    return {"kind": kind, "id": kind, "name": None if other is None else other.name, "symbol": "●"}


def setup_of(row: GameRow) -> Setup:
    """The setup that a game's head line holds."""
    return EventLog.from_jsonl(row.head.encode()).setup(GAME.id, Setup)


def card(row: GameRow, seat: SeatRow) -> dict[str, Any]:
    """A game in a list of its player's."""
    scenario = setup_of(row).scenario
    opened = debrief_is_open(row)
    return {
        "id": row.id,
        "scenario_id": row.scenario_id,
        "title": msgspec.to_builtins(scenario.title),
        "seat": seat.seat,
        "opponent": opponent_of(row, seat.seat),
        "turn": row.turn,
        "status": row.status if row.status != "waiting" else "playing",
        "waiting": row.status == "waiting",
        "reason": row.reason,
        "efficiency": seat.efficiency if opened else None,
        "surplus": seat.surplus if opened else None,
        "right_exit": seat.right_exit if opened else None,
        "final_offer": row.final_offer,
        "currency": scenario.currency,
        "started_at": iso(row.started_at),
        "moved_at": iso(row.moved_at),
        "ended_at": iso(row.ended_at),
        "ranked": seat.ranked,
        "marks": marks_of(row, seat.seat),
        "room": room_of(row),
    }


def room_of(row: GameRow) -> dict[str, Any] | None:
    """The room that a game belongs to."""
    if row.room_id is None:
        return None
    return {"id": row.room_id, "name": row.room_name, "debrief_open": debrief_is_open(row)}


def game_view(
    live: Live,
    seat: Seat,
    estimates: Sequence[dict[str, Any]],
    estimating: str,
    whispers: Sequence[dict[str, Any]] = (),
    *,
    watching: bool = False,
) -> dict[str, Any]:
    """All that the player in this seat may see of a game."""
    settled = once(live, ("game", seat), lambda: _settled(live, seat))
    now = {"watching": watching, "estimates": list(estimates), "estimating": estimating, "whispers": list(whispers)}
    return settled | now


def once(live: Live, key: Any, work: Callable[[], Any]) -> Any:
    """What this gives, worked out once for a moment of a game. Whoever gets it leaves it as it is."""
    if key not in live.worked_out:
        live.worked_out[key] = work()
    return live.worked_out[key]


def _settled(live: Live, seat: Seat) -> dict[str, Any]:
    """What follows from the game alone, whoever looks on and however far estimates are."""
    row, episode = live.row, live.episode
    view, mine = episode.view(seat), row.row_of(seat)
    return {
        "id": row.id,
        "seat": seat,
        "opponent": opponent_of(row, seat),
        "status": status_of(live, seat),
        "waiting": row.status == "waiting",
        "number": live.number(seat),
        "guided": row.guided,
        "voice": row.voice,
        "ranked": mine.ranked,
        "marks": marks_of(row, seat),
        "watched": row.watched,
        "bot": mine.bot,
        "consent": {"flywheel": mine.consent, "offered": episode.over and not row.pair and not row.fixed_seed},
        "room": room_of(row),
        "scenario": scenario_view(terms_of(view.setup.scenario)),
        "observation": seen_by(live, seat),
        "worth": worth_table(view),
        "lines": lines(episode, seat, episode.by),
        "trail": trail(episode, seat),
        "debrief": f"/games/{row.id}" if debrief_is_open(row) else None,
        "started_at": iso(row.started_at),
    }


def replay_view(live: Live, seat: Seat, *, reader: Seat | None) -> dict[str, Any]:
    """A game as it was played, for who watches it (no reader) or reads it again."""
    episode = live.episode
    public, terms = episode.state.public, terms_of(episode.setup.scenario)
    ended = public.ended
    return {
        "scenario": scenario_view(terms),
        "seat": seat,
        "opponent": opponent_of(live.row, seat),
        "lines": once(live, ("lines", reader), lambda: lines(episode, reader, episode.by)),
        "trail": once(live, ("trail", seat), lambda: trail(episode, seat)),
        "news": [{"turn": news.turn, "headline": news.words, "market": news.market} for news in public.news],
        "reason": None if ended is None else ended.reason,
        "by": None if ended is None or ended.seat is None else SEATS[ended.seat],
        "turn": max(1, public.turn),
        "final_offer": live.row.final_offer,
    }

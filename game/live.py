"""A game as it was at one moment: begun, or restored from its log, with whoever moves in it by itself."""

from __future__ import annotations

import secrets
from math import inf
from typing import Any

import msgspec

from agent import registry
from agent.baselines import baseline
from game.record import Author, Episode
from game.scenarios import Scenario, SeatName, scenarios
from game.store.games import OWN_SCENARIO, EventRow, GameRow
from parlay_env import tasks
from parlay_env.core import Policy, Seat, Viewer
from parlay_env.deal.state import SEATS, Move, Profile, Setup
from parlay_env.deal.terms import terms_of
from parlay_env.log import EventLog
from parlay_env.options import VoiceName
from parlay_env.session import GAME

EASY_WIDTH = 0.6
"""A guided game has at least so much of the declared width to agree on: a first game is for learning how."""
BOT = "tit_for_tat"
"""Takes a dropped seat: the best baseline that needs no documented opponent."""
SECRET_BYTES = 32


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
    voice: VoiceName = "scripted"


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
        self.worked_out: dict[Any, Any] = {}
        """For who shows it: what follows from this moment alone, so that all who look share it."""
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
        return _persona_seat(self.row)

    @property
    def awaits_voice(self) -> bool:
        """Is it the move of an opponent that a language model speaks for?"""
        held = self.episode.held
        return held is not None and self.episode.mover == held and self.row.status == "playing"


def begin(plan: Plan, game_id: str, now: int) -> Live:
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
        voice=plan.voice,
    )
    return Live(row, Episode(setup, seed, _policies(row), secret, held=_held(row)), log)


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
    episode = Episode(setup, log.seed, _policies(row), row.secret, history, held=_held(row))
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


def bots(row: GameRow) -> tuple[bool, ...]:
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


def _persona_seat(row: GameRow) -> Seat | None:
    return None if row.persona is None else SEATS[1 - SEATS.index(row.seat)]


def _held(row: GameRow) -> Seat | None:
    """The seat whose policy decides while a language model finds the words."""
    return _persona_seat(row) if row.voiced else None


def complete_authors(live: Live) -> None:
    """Who made the moves that nobody has signed: policies."""
    persona, by = live.persona_seat(), live.episode.by
    for moves in live.episode.moves[len(by) :]:
        by.append("persona" if persona in moves else "bot")


def sitting(plan: Plan, player_id: str, request_id: str) -> list[dict[str, Any]]:
    first = {"seat": plan.seat, "player_id": player_id, "request_id": request_id}
    return [first] if plan.persona is not None else [first, {"seat": SEATS[1 - SEATS.index(plan.seat)]}]


def row_values(row: GameRow) -> dict[str, Any]:
    found = {name: getattr(row, name) for name in GameRow.__struct_fields__}
    for name in ("seats", "room_name", "room_closed"):
        del found[name]
    return found

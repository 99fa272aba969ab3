"""What each tool does: games of the house, begun, moved in and looked at for whoever has a player's key."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ValidationError

from agent.registry import OPPONENTS
from game.house import House, NoSuchGame
from game.leaderboard import leaderboard
from game.live import Live, Plan
from game.record import scenario_view
from game.scenarios import SeatName, scenarios
from game.store import coach, games, players
from game.store.players import Player
from game.store.tables import new_id, new_token
from mcp_server import words
from mcp_server.answers import (
    Game,
    Leaderboard,
    Looked,
    Persona,
    Personas,
    Rank,
    Scenario,
    Scenarios,
    Side,
    Started,
    briefing_of,
    game_of,
    history_of,
)
from mcp_server.arguments import (
    GetGameState,
    GetLeaderboard,
    ListPersonas,
    ListScenarios,
    Move,
    StartNegotiation,
)
from mcp_server.faults import Fault, bad_arguments
from parlay_env.core import Seat
from parlay_env.deal.state import SEATS
from parlay_env.deal.terms import terms_of
from parlay_env.doors.voices import Voices
from parlay_env.doors.wire import WireError

DRAWN = "drawn"


@dataclass(frozen=True)
class Caller:
    """Who calls a tool, as far as the transport can tell."""

    bound: Callable[[], str | None]
    """The player's key that the MCP session is bound to, …"""
    bind: Callable[[str], None]
    """… and what binds it."""
    key: str | None = None
    """The player's key that the client brings along with every call: a header, or the environment."""
    pages: str = ""
    """The address under which the debrief's page can be opened, if there is one."""
    headers: dict[bytes, bytes] = field(default_factory=dict)
    """Of its request, if it came by one."""
    from_here: bool = True
    """Does it come from this very machine?"""


@dataclass(frozen=True)
class Answer:
    """What a tool answers: a text for the model, and the same as data."""

    text: str
    data: BaseModel


class Table:
    """The tools' work, on the house's games. `pages`: the address of the pages, where the operator has set it.
    `voices`: the language models that can speak for opponents."""

    def __init__(self, house: Callable[[], House], pages: str = "", voices: Voices | None = None) -> None:
        self._house = house
        self._pages = pages.rstrip("/")
        self._voices = voices
        self._beginning = asyncio.Lock()

    # Who plays --------------------------------------------------------------------------------------------------------

    async def _player(self, given: str | None, caller: Caller) -> Player:
        """Whose games these are. A key that was given binds the session. Raises Fault."""
        bound = caller.bound()
        key = given or bound or caller.key
        if key is None:
            raise Fault("NAME_NEEDED", "nobody plays in this session yet")
        async with self._house().database.read() as conn:
            player = await players.by_token(conn, key)
        if player is None:
            raise Fault("UNKNOWN_PLAYER", "no player has this player_key; perhaps the player was deleted")
        if given is not None and given != bound:
            caller.bind(given)
        return player

    async def _who_begins(self, wanted: StartNegotiation, caller: Caller) -> tuple[Player, str | None]:
        """The player who begins a game, one that is made now if need be, and the key that the session is bound to.
        Raises Fault and BadName."""
        name = None if wanted.name is None else players.checked_name(wanted.name)
        house = self._house()
        try:
            player = await self._player(wanted.player_key, caller)
        except Fault:
            brought = wanted.player_key or (caller.key and not caller.bound())
            if name is None or brought:
                raise
            key = new_token()
            async with house.database.begin() as conn:
                player = await players.create(conn, key, name, house.now())
            caller.bind(key)
            return player, key
        if name is not None and name != player.name:
            async with house.database.begin() as conn:
                await players.rename(conn, player.id, name)
            player = Player(player.id, name)
        return player, caller.bound()

    # The tools --------------------------------------------------------------------------------------------------------

    async def start_negotiation(self, wanted: StartNegotiation, caller: Caller) -> Answer:
        """A new game, or the one that this request has begun already."""
        plan, house = _plan(wanted), self._house()
        await self._check_voice(wanted, caller)
        async with self._beginning:  # two calls at once make one player
            player, key = await self._who_begins(wanted, caller)
        request_id = wanted.request_id or new_id()
        await house.check_unfinished(player.id, request_id)
        live = await self._answered(await house.start(plan, player.id, request_id))
        seat = _seat_of(live, player)
        game = await self._game(live, seat, caller)
        told = Started(**dict(game), **briefing_of(live, seat), player=player.name, player_key=key)
        return Answer(words.started(told, live, seat), told)

    async def move(self, wanted: Move, caller: Caller) -> Answer:
        """A move, and what the opponent answers."""
        player, house = await self._player(wanted.player_key, caller), self._house()
        try:
            action = wanted.action()
        except ValidationError as error:
            raise bad_arguments(error, type(wanted)) from None
        seat = _seat_of(await house.peek(wanted.game_id), player)
        live = await self._answered(await house.move(wanted.game_id, seat, wanted.move_number, action))
        game = await self._game(live, seat, caller)
        return Answer(words.moved(game), game)

    async def _check_voice(self, wanted: StartNegotiation, caller: Caller) -> None:
        """Raises Fault where no language model can speak for the opponent."""
        if wanted.opponent_voice == "scripted":
            return
        if self._voices is None:
            raise Fault("NO_MODEL", "this server has no language model")
        key = (wanted.model_key or "").encode()
        may = self._voices.fits(key) or self._voices.may_have(caller.headers, from_here=caller.from_here)
        try:
            await self._voices.check(allowed=may)
        except WireError as error:
            raise Fault("NO_MODEL", error.message) from None

    async def _answered(self, live: Live) -> Live:
        """The game once the opponent has answered: one that a language model speaks for takes its time."""
        return await self._house().answered(live.row.id) if live.awaits_voice else live

    async def get_game_state(self, wanted: GetGameState, caller: Caller) -> Answer:
        """A game as it is now."""
        player, house = await self._player(wanted.player_key, caller), self._house()
        async with house.database.read() as conn:
            mine = await games.find_all(conn, games.of_player(player.id) & games.unfinished(), limit=20)
        if wanted.game_id is None and not mine:
            raise Fault("NO_SUCH_GAME", "you have no game that is not over")
        live = await self._answered(await house.load(wanted.game_id or mine[0].id))
        seat = _seat_of(live, player)
        others = [row.id for row in mine if row.id != live.row.id]
        game, history = await self._game(live, seat, caller), history_of(live, seat)
        told = Looked(**dict(game), **briefing_of(live, seat), history=history, other_games=others)
        return Answer(words.state(told, live, seat), told)

    async def get_leaderboard(self, wanted: GetLeaderboard, caller: Caller) -> Answer:
        """Who negotiates best."""
        _check_known(wanted.scenario_id, wanted.persona)
        try:
            you = (await self._player(wanted.player_key, caller)).id
        except Fault:
            if wanted.player_key is not None:
                raise
            you = None
        async with self._house().database.read() as conn:
            found = await leaderboard(conn, wanted.scenario_id, wanted.seat, wanted.persona, you)
        board = Leaderboard(ranked=list(map(_rank, found["rows"])), unranked=list(map(_rank, found["unranked"])))
        return Answer(words.leaderboard(board), board)

    async def list_scenarios(self, wanted: ListScenarios, caller: Caller) -> Answer:
        """What can be negotiated."""
        del wanted, caller
        found = Scenarios(scenarios=[_scenario(scenario_view(terms_of(one))) for one in scenarios().values()])
        return Answer(words.scenarios(found), found)

    async def list_personas(self, wanted: ListPersonas, caller: Caller) -> Answer:
        """Whom one can negotiate with."""
        del wanted, caller
        found = Personas(personas=[Persona(persona=name, negotiates=words.PERSONAS[name]) for name in OPPONENTS])
        return Answer(words.personas(found), found)

    async def _game(self, live: Live, seat: Seat, caller: Caller) -> Game:
        heard: list[dict[str, Any]] = []
        if live.row.helped:
            async with self._house().database.read() as conn:
                heard = await coach.whispers(conn, live.row.id, seat)
        said = [one["words"] for one in heard]
        return game_of(live, seat, said, self._pages or caller.pages)


def _seat_of(live: Live, player: Player) -> Seat:
    """Where this player sits. Raises NoSuchGame, also for another's game."""
    seat = live.row.seat_of(player.id)
    if seat is None:
        raise NoSuchGame(live.row.id)
    return seat


def _check_known(scenario_id: str | None, persona: str | None) -> None:
    if scenario_id is not None and scenario_id not in scenarios():
        raise Fault("UNKNOWN_SCENARIO", f"scenario_id must be one of {', '.join(scenarios())}")
    if persona is not None and persona not in OPPONENTS:
        raise Fault("UNKNOWN_PERSONA", f"persona must be one of {', '.join(OPPONENTS)}")


def _plan(wanted: StartNegotiation) -> Plan:
    """The game that is wished for. The seed, and all that hangs on it, is the house's to draw."""
    persona = secrets.choice(OPPONENTS) if wanted.persona == DRAWN else wanted.persona
    _check_known(wanted.scenario_id, persona)
    drawn = secrets.choice(SEATS) if wanted.seat == DRAWN else wanted.seat
    seat: SeatName = "buyer" if drawn == "buyer" else "seller"
    return Plan(scenarios()[wanted.scenario_id], seat, persona, voice=wanted.opponent_voice)


def _rank(row: dict[str, Any]) -> Rank:
    return Rank(
        rank=row.get("rank"),
        name=row["name"],
        you=row["you"],
        efficiency=row["mean"],
        games=row["games"],
        missing=row.get("missing", 0),
    )


def _scenario(view: dict[str, Any]) -> Scenario:
    """A scenario in English: what the two sides declare, and nothing of an instance."""
    issues = [
        {name: issue[name] for name in ("name", "unit", "low", "high", "step", "values")}
        | {"title": issue["title"]["en"], "better_for": _better(issue["better"])}
        for issue in view["issues"]
    ]
    seats = {
        name: Side(role=side["role"]["en"], briefing=side["briefing"]["en"]) for name, side in view["seats"].items()
    }
    items = [{"id": one["id"], "by": one["by"], "title": one["title"]["en"]} for one in view["sweeteners"]]
    return Scenario(
        scenario_id=view["id"],
        title=view["title"]["en"],
        currency=view["currency"],
        issues=issues,
        seats=seats,
        sweeteners=items,
    )


def _better(better: dict[str, str]) -> dict[str, str]:
    """Who wants the figure higher, who lower."""
    return {direction: seat for seat, direction in better.items()}

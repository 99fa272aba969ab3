"""What a tool answers when it can't do what was asked: a code, what was wrong, and which tool to call next."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ValidationError

from game.house import NoSuchGame, Refused
from game.store.database import StoreUnavailable
from game.store.players import BadName
from mcp_server.arguments import Belief, MakeOffer, StartNegotiation
from parlay_env.doors.wire import WireError
from parlay_env.log import LogError

DETAILS_AT_MOST = 4
NAMES = {*MakeOffer.model_fields, *StartNegotiation.model_fields, *Belief.model_fields}
"""Every argument there is."""
NEXT = {
    "INVALID_ARGUMENT": "Call {tool} again with arguments that fit.",
    "NAME_NEEDED": "Call start_negotiation with name, or give the player_key that an earlier session was given.",
    "BAD_NAME": "Call start_negotiation again with another name.",
    "UNKNOWN_PLAYER": "Call start_negotiation with name and without player_key to begin as a new player.",
    "UNKNOWN_SCENARIO": "Call list_scenarios for the ids, then {tool} again.",
    "UNKNOWN_PERSONA": "Call list_personas for the ids, then {tool} again.",
    "NO_MODEL": "Call start_negotiation again without opponent_voice, or with the model_key of the server's operator.",
    "NO_SUCH_GAME": "Call get_game_state without game_id to find your game, or start_negotiation to begin one.",
    "STALE_MOVE": "Call get_game_state, then move again with the move_number that it answers.",
    "NOT_YOUR_MOVE": "Call get_game_state to see whether the other side has moved.",
    "GAME_OVER": "Call get_game_state for the result, or start_negotiation to begin another game.",
    "TOO_MANY_GAMES": "Call get_game_state for one of them and finish it.",
    "UNAUTHORIZED": "Call start_negotiation with name and without player_key to begin as a new player.",
    "STORE_UNAVAILABLE": "Wait a moment and call {tool} again with the same arguments: it is safe to repeat.",
    "INTERNAL": "Call start_negotiation to begin another game.",
    "UNKNOWN_TOOL": "Call start_negotiation, or get_game_state to go on with a game.",
}


class Fault(Exception):
    """A call that can't be met. Nothing was changed by it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def next(self, tool: str) -> str:
        """What to call now."""
        return NEXT.get(self.code, NEXT["INVALID_ARGUMENT"]).format(tool=tool)

    def text(self, tool: str) -> str:
        """The fault as a model reads it."""
        return f"{self.code}: {self.message[:1].upper()}{self.message[1:]}. Nothing was changed. {self.next(tool)}"

    def body(self, tool: str) -> dict[str, Any]:
        """The fault for programs."""
        return {"error": {"code": self.code, "message": self.message, "next": self.next(tool)}}


def fault_of(error: Exception) -> Fault | None:
    """What the house says of a call, as a fault; None for a mistake of ours."""
    match error:
        case Fault():
            return error
        case NoSuchGame():
            return Fault("NO_SUCH_GAME", "there is no such game, or it is another player's")
        case Refused():
            return Fault(error.code, error.message)
        case WireError():
            return Fault(error.code, error.message)
        case BadName():
            return Fault("BAD_NAME", str(error))
        case StoreUnavailable():
            return Fault("STORE_UNAVAILABLE", str(error))
        case LogError():
            return Fault("INTERNAL", "this game's log was changed; it can't go on")
    return None


def bad_arguments(error: ValidationError, kind: type[BaseModel]) -> Fault:
    """Which arguments don't fit, and why. Nothing that was sent is repeated."""
    found = []
    for one in error.errors(include_url=False, include_context=False, include_input=False)[:DETAILS_AT_MOST]:
        if one["type"] == "extra_forbidden":
            known = Belief if "belief" in one["loc"] else kind
            found.append(f"there is an argument that isn't known; known are {', '.join(known.model_fields)}")
            continue
        where = ".".join(part for part in one["loc"] if part in NAMES)
        what = f"{one['msg'][:1].lower()}{one['msg'][1:]}"
        found.append(f"{where}: {what}" if where else what)
    return Fault("INVALID_ARGUMENT", "; ".join(dict.fromkeys(found)))

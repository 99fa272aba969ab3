"""What the strategic games are, over HTTP: `/games`, and of each its health, its metadata and its schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from fastapi import FastAPI, Request
from starlette.responses import Response

from agent.games.registry import Entry, UnknownGame, found
from parlay_env import __version__
from parlay_env.doors.openapi import described
from parlay_env.doors.wire import WireError, encode
from parlay_env.environment import EnvironmentMetadata
from parlay_env.game_session import GameOptions
from parlay_env.games.wording import schema_of


def path_of(game_id: str) -> str:
    """Where a game's socket is."""
    return f"/games/{game_id}/ws"


def schemas(one: Entry) -> dict[str, Any]:
    """The JSON schemas of a game's moves, views, and options of reset, and of its setup's fields."""
    game = one.game
    view = msgspec.json.schema(game.view_type)
    return {
        "action": msgspec.json.schema(game.move_type),
        "observation": view,
        "reset_observation": view,
        "state": {"type": "object", "properties": {"episode_id": {}, "step_count": {"type": "integer"}}},
        "reset": GameOptions.model_json_schema(),
        "setup": schema_of(one.game.setup_type, one.options),
    }


def metadata_of(one: Entry) -> EnvironmentMetadata:
    """What a game's environment is."""
    return EnvironmentMetadata(
        name=one.game.id, description=one.game.rules, version=__version__, author="Parlay contributors"
    )


class GameRoutes:
    """The handlers, for the games that are served."""

    def __init__(self, served: Mapping[str, Entry]) -> None:
        self._served = served

    async def listed(self, _: Request) -> Response:
        """Every strategic game: rules, seats, players, options, and where its socket is."""
        return _json({"games": [one.told() | {"socket": path_of(one.game.id)} for one in self._served.values()]})

    async def health(self, request: Request) -> Response:
        """Is the game served?"""
        self._asked(request)
        return _json({"status": "healthy"})

    async def metadata(self, request: Request) -> Response:
        """What the game is."""
        return _json(metadata_of(self._asked(request)).model_dump())

    async def schema(self, request: Request) -> Response:
        """The JSON schemas of the game's moves, views and options."""
        return _json(schemas(self._asked(request)))

    def _asked(self, request: Request) -> Entry:
        try:
            return found(self._served, request.path_params["env_name"])
        except UnknownGame as error:
            raise WireError("NOT_FOUND", str(error)) from None


def add_games(app: FastAPI, served: Mapping[str, Entry]) -> None:
    """Put the routes into an application."""
    routes = GameRoutes(served)
    described(app, "GET", "/games", routes.listed, "Strategic games")
    described(app, "GET", "/games/{env_name}/health", routes.health, "Strategic games")
    described(app, "GET", "/games/{env_name}/metadata", routes.metadata, "Strategic games")
    described(app, "GET", "/games/{env_name}/schema", routes.schema, "Strategic games")


def _json(body: Any) -> Response:
    return Response(encode(body), media_type="application/json")

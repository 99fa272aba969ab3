"""Puts the pages and their API into an application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.routing import Mount, Route

from dashboard.debrief import Debriefs
from dashboard.desk import Desk
from dashboard.people import People
from dashboard.play import Play
from dashboard.requests import Handler
from dashboard.rooms import Rooms
from dashboard.shell import PAGES, Files, Shell
from dashboard.watch import Watch


def add_pages(app: FastAPI) -> Desk:
    """The pages, in an application that `parlay_env.server.create_app` has made."""
    desk = Desk(app.state.hub)

    @asynccontextmanager
    async def open_desk() -> AsyncIterator[None]:
        await desk.open()
        try:
            yield
        finally:
            await desk.close()

    app.state.around.append(open_desk())
    app.state.desk = desk
    shell, routes = Shell(), _routes(desk)
    pages = [Route(path, shell.page, methods=["GET", "HEAD"]) for path in PAGES]
    # Before the environment's own routes: they have a page for `/`, and one with a name for anything.
    app.router.routes[:0] = [*pages, *routes, Mount("/static", Files())]
    return desk


def _routes(desk: Desk) -> list[Route]:
    people, play, managers = People(desk), Play(desk), Rooms(desk)
    debriefs, watch = Debriefs(desk, play), Watch(desk, managers)
    game, room = "/api/games/{game_id}", "/api/rooms/{room_id}"
    table: list[tuple[str, str, Handler]] = [
        ("GET", "/api/me", people.me),
        ("POST", "/api/me", people.be),
        ("DELETE", "/api/me", people.forget),
        ("GET", "/api/me/games", people.games),
        ("DELETE", "/api/me/games", people.delete_games),
        ("GET", "/api/catalogue", people.catalogue),
        ("GET", "/api/demo", people.demo),
        ("GET", "/api/leaderboard", people.leaderboard),
        ("POST", "/api/games", play.start),
        ("GET", game, play.look),
        ("DELETE", game, play.delete),
        ("POST", f"{game}/moves", play.move),
        ("GET", f"{game}/events", play.follow),
        ("POST", f"{game}/rematch", play.rematch),
        ("POST", f"{game}/consent", play.consent),
        ("GET", f"{game}/log", play.log),
        ("GET", f"{game}/transcript", debriefs.transcript),
        ("GET", f"{game}/debrief", debriefs.show),
        ("POST", f"{game}/what-if", debriefs.what_if),
        ("GET", "/api/rooms", managers.managed),
        ("POST", "/api/rooms", managers.open),
        ("GET", room, managers.look),
        ("POST", f"{room}/enter", managers.enter),
        ("POST", f"{room}/close", managers.close),
        ("GET", f"{room}/results.csv", managers.results_csv),
        ("GET", f"{room}/events", managers.follow),
        ("POST", f"{room}/games", managers.play),
        ("POST", f"{room}/games/{{game_id}}/watch", watch.allow),
        ("DELETE", f"{room}/games/{{game_id}}/watch", watch.revoke),
        ("POST", "/api/scenarios/check", managers.check),
        ("POST", "/api/join", managers.join),
        ("POST", "/api/watch", watch.begin),
        ("GET", "/api/watch/{game_id}", watch.look),
        ("GET", "/api/watch/{game_id}/events", watch.follow),
        ("POST", "/api/watch/{game_id}/notes", watch.say),
    ]
    by_path: dict[str, dict[str, Handler]] = {}
    for method, path, handler in table:
        by_path.setdefault(path, {})[method] = handler
    return [
        Route(path, desk.gate.guarded(handler), methods=[method])
        for path, methods in by_path.items()
        for method, handler in methods.items()
    ]

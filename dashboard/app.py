"""Puts the pages and their API into an application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.routing import Mount, Route

from dashboard.desk import Desk
from dashboard.people import People
from dashboard.play import Play
from dashboard.requests import Handler
from dashboard.shell import PAGES, Files, Shell


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
    people, play = People(desk), Play(desk)
    game = "/api/games/{game_id}"
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
    ]
    by_path: dict[str, dict[str, Handler]] = {}
    for method, path, handler in table:
        by_path.setdefault(path, {})[method] = handler
    return [
        Route(path, desk.gate.guarded(handler), methods=[method])
        for path, methods in by_path.items()
        for method, handler in methods.items()
    ]

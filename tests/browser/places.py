"""Every page, with something on it: a game in each state, a room, a watched game."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from uuid import uuid4

from playwright.async_api import expect

from .person import PATIENCE, SAAS, SUPPLY, Person
from .play import play_out, wanted


@dataclass(frozen=True)
class Places:
    """Addresses of what was made."""

    fresh: str
    going: str
    package: str
    done: str
    room: str
    join_code: str
    manager_key: str
    watched: str
    token: str

    def pages(self) -> dict[str, str]:
        """Every page by a name."""
        return {
            "home": "/",
            "setup": "/play?scenario=saas_enterprise",
            "first game": "/play?guided",
            "briefing": f"/play/{self.fresh}",
            "briefing of a package": f"/play/{self.package}",
            "table": f"/play/{self.going}",
            "over": f"/play/{self.done}",
            "debrief": f"/games/{self.done}",
            "leaderboard": "/leaderboard",
            "me": "/me",
            "rooms": "/rooms",
            "room": f"/rooms/{self.room}",
            "join": f"/join#{self.join_code}",
            "watch": f"/watch#{self.token}",
            "live games": "/watch",
            "agents": "/agents",
            "lab": "/lab",
        }


async def open_room(person: Person, name: str, *tasks: dict[str, str], same_seed: bool = False) -> dict[str, str]:
    """A room, by the API: its id, its manager's key, its join code."""
    wish = {"request_id": uuid4().hex, "name": name, "tasks": list(tasks), "same_seed": same_seed}
    made = await person.ask("POST", "/api/rooms", wish)
    return {"id": made["room"]["id"], "key": made["manager_key"], "code": made["join_code"]}


async def furnish(person: Person, name: str = "Ada", room_name: str = "Tuesday") -> Places:
    """Make everything, by the API, as one person who is the manager of a room and plays in it."""
    await person.be(name)
    done, going = await person.game_of(), await person.game_of()
    await play_out(person, done)
    for _ in range(2):
        await person.move(going, **{**wanted(await person.game(going)), "accept_deal": False})
    room = await open_room(person, room_name, {"scenario_id": SAAS, "seat": "seller", "persona": "veteran"})
    await person.ask("POST", "/api/join", {"join_code": room["code"], "request_id": uuid4().hex})
    game = await person.ask("POST", f"/api/rooms/{room['id']}/games", {"request_id": uuid4().hex, "task": 0})
    watched = game["game"]["id"]
    await person.move(watched, utterance="Good morning. We ask for 180,000.", offer_amount=180_000)
    token = await person.ask("POST", f"/api/rooms/{room['id']}/games/{watched}/watch")
    fresh, package = await person.game_of(), await person.game_of(SUPPLY)
    await reviewed(person, done)
    return Places(fresh, going, package, done, room["id"], room["code"], room["key"], watched, token["token"])


async def reviewed(person: Person, game_id: str) -> None:
    """Wait until every move of a finished game has been weighed."""
    async with asyncio.timeout(4 * PATIENCE / 1000):
        while await _working(person, game_id):  # noqa: ASYNC110  (the server tells it to who asks, and to nobody else)
            await asyncio.sleep(0.5)


async def _working(person: Person, game_id: str) -> bool:
    answer = await person.ask("GET", f"/api/games/{game_id}/debrief")
    return answer["review"]["status"] == "working"


async def arrive(person: Person, path: str) -> None:
    """Go to a page, and past the briefing where it is one's turn to."""
    # From another page, so that an address with another fragment is loaded anew.
    await person.page.goto("about:blank")
    await person.go(path)
    await expect(person.page.get_by_text(person.t("state.loading"))).to_have_count(0)
    await person.page.evaluate("document.fonts.ready")

"""Somebody at a browser: a context of its own, its language's words, and what people do."""

from __future__ import annotations

import json
import os
from typing import Any
from uuid import uuid4

from playwright.async_api import BrowserContext, Locator, Page, expect

from .guard import Guard

PATIENCE = round(1000 * float(os.environ.get("PARLAY_PATIENCE", "60")))
"""How long anything may take on a slow and shared machine, in milliseconds."""
expect.set_options(timeout=PATIENCE)
SAAS = "saas_enterprise"
SUPPLY = "supplier_contract"


class Person:
    """A page, and the words that it speaks."""

    def __init__(self, page: Page, origin: str, words: dict[str, str], guard: Guard) -> None:
        self.page = page
        self.origin = origin
        self.words = words
        self.guard = guard

    @property
    def context(self) -> BrowserContext:
        """The browser's cookies and storage."""
        return self.page.context

    # Words and places -------------------------------------------------------------------------------------------------

    def t(self, key: str, **values: object) -> str:
        """The text of a key, as the page puts it."""
        text = self.words[key]
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    def button(self, key: str, **values: object) -> Locator:
        """The button with this text."""
        return self.page.get_by_role("button", name=self.t(key, **values), exact=True)

    def link(self, key: str) -> Locator:
        """The link in the page with this text."""
        return self.page.locator("main").get_by_role("link", name=self.t(key), exact=True)

    def saying(self, key: str, **values: object) -> Locator:
        """Whatever has this text."""
        return self.page.get_by_text(self.t(key, **values))

    async def go(self, path: str) -> None:
        """To an address, until the page stands there."""
        await self.page.goto(self.origin + path)
        await self.settled()

    async def settled(self) -> None:
        """Nothing on the page is still being loaded."""
        await expect(self.page.locator("main")).to_be_visible()
        await expect(self.page.locator("main [aria-busy=true]")).to_have_count(0)

    # By the API, where a test is about something else -----------------------------------------------------------------

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """An answer of the API, as this browser gets it."""
        headers = {"Origin": self.origin, "Content-Type": "application/json"}
        data = None if method == "GET" else json.dumps(body or {})
        reply = await self.context.request.fetch(
            self.origin + path, method=method, headers=headers, data=data, timeout=PATIENCE
        )
        assert reply.ok, f"{method} {path}: {reply.status} {await reply.text()}"
        return await reply.json()

    async def be(self, name: str) -> None:
        """Take a name."""
        await self.ask("POST", "/api/me", {"name": name})

    async def game_of(self, scenario: str = SAAS, seat: str = "seller", persona: str = "diplomat") -> str:
        """A new game, by the API."""
        wish = {"request_id": uuid4().hex, "scenario_id": scenario, "seat": seat, "persona": persona}
        game = await self.ask("POST", "/api/games", wish)
        return str(game["game"]["id"])

    async def game(self, game_id: str) -> dict[str, Any]:
        """How a game stands."""
        return (await self.ask("GET", f"/api/games/{game_id}"))["game"]

    async def move(self, game_id: str, **action: Any) -> dict[str, Any]:
        """Make a move, by the API."""
        number = (await self.game(game_id))["number"]
        answer = await self.ask("POST", f"/api/games/{game_id}/moves", {"number": number, "action": action})
        return answer["game"]

    # At the table -----------------------------------------------------------------------------------------------------

    async def sit(self, game_id: str) -> None:
        """Open a game, past the briefing."""
        await self.go(f"/play/{game_id}")
        start = self.button("brief.start")
        await expect(start.or_(self.page.locator(".table"))).to_be_visible()
        if await start.is_visible():
            await start.click()
        await expect(self.page.locator(".table")).to_be_visible()

    @property
    def said(self) -> Locator:
        """Where one's words go."""
        return self.page.locator("#words")

    @property
    def figure(self) -> Locator:
        """Where the figure of an offer goes."""
        return self.page.locator("#offer-figure")

    @property
    def send(self) -> Locator:
        """The button that sends the move."""
        return self.page.locator(".move__send")

    @property
    def mine(self) -> Locator:
        """One's own lines in the conversation."""
        return self.page.locator(".log .line--mine[id]")

    @property
    def dialog(self) -> Locator:
        """The question in front of everything."""
        return self.page.locator("dialog[open]")

    async def played(self, moves: int) -> None:
        """So many moves of one's own are on the table, and it is one's turn, or over."""
        await expect(self.mine).to_have_count(moves)
        await expect(self.page.locator(".move:not(.move--busy) .move__send:enabled, .over").first).to_be_visible()

    async def offer(self, figure: str, words: str = "") -> None:
        """Type an offer, and words with it, and send both. Says yes to whatever is asked."""
        await self.said.fill(words)
        await self.figure.fill(figure)
        await self.figure.blur()
        before = await self.mine.count()
        await self.send.click()
        sure = self.button("doubt.send")
        # On a phone the conversation lies behind a tab.
        await expect(sure.or_(self.mine.nth(before)).first).to_be_attached()
        if await sure.is_visible():
            await sure.click()
        await self.played(before + 1)

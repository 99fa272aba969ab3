"""Makes the pictures of the documentation: `python -m tests.browser.capture docs/pages`.

It plays with a fixed policy until a game closes in a deal that is worth showing, so every picture is of a real game.
`--only lab` makes those alone whose names begin so.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import io
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.async_api import Browser, Page, async_playwright, expect
from playwright.async_api import Error as PlaywrightError

from . import chromium
from .guard import Guard
from .person import PATIENCE, Person
from .places import Places, arrive, furnish, reviewed
from .play import next_offer, play_out, wanted, worth
from .server import Server

WIDE = {"viewport": {"width": 1440, "height": 960}}
NARROW = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "has_touch": True, "is_mobile": True}
MAX_BYTES = 300_000
MAX_FILM_BYTES = 3_000_000
FILM_SECONDS = 20
FILM_FPS = 8
FILM_WIDTH = 960
TRIES = 8
AFTERWARDS = 12
"""How many frames of the film come after the move."""
OF_A_PHONE = ("home", "table", "debrief", "lab")
FULL = ("debrief", "lab")


def keep(png: bytes, path: Path) -> None:
    """Write a picture, as fine as fits into the bytes that a page of the documentation may load."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    for quality in (88, 80, 70, 60):
        picture.save(path, quality=quality, method=6)
        if path.stat().st_size <= MAX_BYTES:
            print(f"{path.name}: {path.stat().st_size // 1000} kB")
            return
    raise SystemExit(f"{path.name} can't be made small enough")


def splice(frames: list[tuple[float, bytes]], path: Path) -> None:
    """Write a moving picture of the frames, at the pace at which they came but in a fixed time."""
    first, last = frames[0][0], frames[-1][0]
    pictures: list[Image.Image] = []
    lasting: list[int] = []
    shown = -1
    for k in range(FILM_SECONDS * FILM_FPS):
        now = first + (last - first) * k / (FILM_SECONDS * FILM_FPS - 1)
        newest = max(n for n, (at, _) in enumerate(frames) if at <= now)
        if newest == shown:
            lasting[-1] += 1000 // FILM_FPS
            continue
        shown = newest
        picture = Image.open(io.BytesIO(frames[newest][1])).convert("RGB")
        size = (FILM_WIDTH, round(picture.height * FILM_WIDTH / picture.width))
        pictures.append(picture.resize(size, Image.Resampling.LANCZOS))
        lasting.append(1000 // FILM_FPS)
    for quality in (75, 60, 45, 30):
        pictures[0].save(
            path, save_all=True, append_images=pictures[1:], duration=lasting, loop=0, quality=quality, method=4
        )
        if path.stat().st_size <= MAX_FILM_BYTES:
            print(f"{path.name}: {path.stat().st_size // 1000} kB, {len(pictures)} frames")
            return
    raise SystemExit(f"{path.name} can't be made small enough")


async def shoot(person: Person, path: Path, *, full: bool = False) -> None:
    """A picture of the page as it stands, once nothing moves in."""
    await person.page.evaluate("document.fonts.ready")
    figure = person.page.locator(".opponent__figure canvas, .opponent__figure svg")
    if await person.page.locator(".opponent__figure").count():
        await expect(figure.first).to_be_visible()
    keep(await person.page.screenshot(full_page=full), path)


async def good_deal(person: Person) -> str:
    """A game that closed in a deal of middling worth: neither a triumph nor a disaster."""
    game_id = ""
    for _ in range(TRIES):
        game_id = await person.game_of(persona="diplomat")
        game = await play_out(person, game_id)
        grade = game["observation"]["grade"]
        if game["observation"]["termination_reason"] == "deal" and 0.4 <= grade["efficiency"] <= 0.9:
            return game_id
    return game_id


async def middle(person: Person, moves: int = 4) -> str:
    """A game that has gone on for a while, with a card, a question and a claim in it."""
    extras: dict[int, dict[str, Any]] = {
        0: {"question": "timeline"},
        1: {"tactical_move": "reframe"},
        2: {"question": "authority"},
    }
    words = (
        "Thank you. The pilot took two days of work a week off your team: that is what we price.",
        "Every month without it costs you more than the difference between us.",
        "We can add the onboarding. Who else has to agree on your side?",
        "We are close. Let us find the figure that both can sign.",
    )
    game_id = ""
    for _ in range(TRIES):
        game_id = await person.game_of(persona="veteran")
        for turn in range(moves):
            game = await person.game(game_id)
            if game["status"] == "over":
                break
            figure = next(iter(next_offer(game).values()))
            belief = {"est_walk_away": game["observation"]["prior"]["walk_away"]["mean"] - 2_000 * turn}
            await person.move(
                game_id, utterance=words[turn % 4], offer_amount=figure, belief=belief, **extras.get(turn, {})
            )
        game = await person.game(game_id)
        theirs = game["observation"]["opponent_offer"]
        if game["status"] != "over" and theirs and worth(game, theirs) > 0:
            return game_id
    return game_id


async def film(page: Page, path: Path, person: Person, game_id: str) -> None:
    """A move as it is made, as a moving picture that a README can show."""
    frames: list[tuple[float, bytes]] = []
    session = await page.context.new_cdp_session(page)
    pending: set[asyncio.Task[Any]] = set()

    def take(frame: dict[str, Any]) -> None:
        frames.append((frame["metadata"]["timestamp"], base64.b64decode(frame["data"])))
        seen = asyncio.ensure_future(session.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]}))
        pending.add(seen)
        seen.add_done_callback(pending.discard)

    session.on("Page.screencastFrame", take)
    await session.send("Page.startScreencast", {"format": "jpeg", "quality": 90})
    game = await person.game(game_id)
    figure = next(iter(next_offer(game).values()))
    await person.said.press_sequentially(f"A step from us: {figure / 1000:g}k, and we start on Monday.", delay=60)
    await expect(person.figure).to_have_value(f"{figure:,.0f}")
    await page.get_by_label(person.t("ask.label")).select_option("alternatives")
    before = await person.mine.count()
    await person.send.click()
    sure = person.button("doubt.send")
    await expect(sure.or_(person.mine.nth(before)).first).to_be_attached()
    if await sure.is_visible():
        await sure.click()
    await person.played(before + 1)
    # A slow machine films slowly: what came of the move is to be in it, too.
    after = len(frames)
    async with asyncio.timeout(PATIENCE / 1000):
        while len(frames) < after + AFTERWARDS:  # noqa: ASYNC110  (frames come when the browser has drawn them)
            await asyncio.sleep(0.1)
    await session.send("Page.stopScreencast")
    splice(frames, path)


async def coached(person: Person, game_id: str) -> None:
    """A watched game with something to see: beliefs, a question, a note and a whisper."""
    for topic in ("timeline", "authority"):
        game = await person.game(game_id)
        if game["status"] == "over":
            return
        belief = {"est_walk_away": game["observation"]["prior"]["walk_away"]["mean"], "est_urgency": 0.5}
        await person.move(game_id, **{**wanted(game), "accept_deal": False}, question=topic, belief=belief)
    said = {"note": "A calm opening, with a reason.", "whisper": "They moved first. Ask who has to sign."}
    for kind, words in said.items():
        note = {"request_id": kind, "kind": kind, "turn": 2, "words": words}
        await person.ask("POST", f"/api/watch/{game_id}/notes", note)


async def learned(person: Person) -> None:
    """Every experiment of the lab, run to its end."""
    await person.page.emulate_media(reduced_motion="reduce")
    for name in ("levers", "credit", "curriculum"):
        experiment = person.page.locator(f"#{name}")
        await experiment.locator(".lab__words .lab__player button").click()
        await expect(experiment.get_by_role("status")).not_to_be_empty()
    await person.page.evaluate("document.activeElement.blur()")
    # On a phone, where the matrix lies under the words, it is what is to be seen.
    narrow = "innerWidth < 500 ? document.querySelector('.lab__top').scrollIntoView() : scrollTo(0, 0)"
    await person.page.evaluate(narrow)


class Studio:
    """A browser before a server, and another one for who is only to be there."""

    def __init__(self, browser: Browser, beside: Browser, url: str, folder: Path, only: str = "") -> None:
        self._browser = browser
        self._beside = beside
        self._url = url
        self._folder = folder
        self._only = only
        self._storage: Any = None
        self.words: dict[str, dict[str, str]] = {}

    async def come(self, language: str = "en", browser: Browser | None = None, **options: Any) -> Person:
        """Somebody with the storage of who made everything."""
        locale = "zh-CN" if language == "zh" else "en-US"
        context = await (browser or self._browser).new_context(locale=locale, storage_state=self._storage, **options)
        page = await context.new_page()
        if not self.words:
            await page.goto(f"{self._url}/static/icon.svg")
            for name in ("en", "zh"):
                module = f"import('/static/i18n/{name}.js').then((module) => module.{name})"
                self.words[name] = await page.evaluate(module)
        guard = Guard(self._url)
        return Person(page, self._url, self.words[language], guard)

    async def work(self) -> None:
        """Everything."""
        maker = await self.come(browser=self._beside, **WIDE)
        places = await furnish(maker, "Ada", "Sales, Tuesday")
        deal, going = await good_deal(maker), await middle(maker)
        await reviewed(maker, deal)
        self._storage = await maker.context.storage_state()
        pages = self._pages(places, deal, going)
        player = await self.come(browser=self._beside, viewport={"width": 800, "height": 600})
        await player.sit(places.watched)
        await arrive(maker, f"/watch#{places.token}")
        await coached(maker, places.watched)
        for name, path in pages.items():
            await self._picture(name, path, **WIDE)
        for name in OF_A_PHONE:
            await self._picture(f"{name}-phone", pages[name], **NARROW)
        await self._picture("table-zh", pages["table"], language="zh", **WIDE)
        if self._only:
            return
        small = await self.come(viewport={"width": 1440, "height": 900})
        await small.sit(going)
        await film(small.page, self._folder / "play.webp", small, going)

    async def _picture(self, name: str, path: str, **options: Any) -> None:
        if not name.startswith(self._only):
            return
        for left in reversed(range(TRIES)):
            person = await self.come(**options)
            try:
                await arrive(person, path)
                start = person.button("brief.start")
                if name.startswith("table") and await start.is_visible():
                    await start.click()
                if name.startswith("lab"):
                    await learned(person)
                await shoot(person, self._folder / f"{name}.webp", full=name in FULL)
            except PlaywrightError:  # a browser that draws in software loses its canvas now and then
                if not left:
                    raise
            else:
                return
            finally:
                await person.context.close()

    def _pages(self, places: Places, deal: str, going: str) -> dict[str, str]:
        return {
            "home": "/",
            "setup": "/play?scenario=saas_enterprise",
            "briefing": f"/play/{places.package}",
            "table": f"/play/{going}",
            "over": f"/play/{deal}",
            "debrief": f"/games/{deal}",
            "leaderboard": "/leaderboard",
            "me": "/me",
            "rooms": "/rooms",
            "room": f"/rooms/{places.room}",
            "join": f"/join#{places.join_code}",
            "watch": f"/watch#{places.token}",
            "agents": "/agents",
            "lab": "/lab",
        }


async def main(folder: Path, only: str = "") -> None:
    """Start a server and a browser, and take every picture."""
    executable = chromium.executable()
    if executable is None:
        raise SystemExit("there is no Chromium")
    with tempfile.TemporaryDirectory() as kept:
        server = Server(Path(kept))
        await asyncio.to_thread(server.start)
        try:
            async with async_playwright() as playwright:
                drawing, beside = [
                    await playwright.chromium.launch(executable_path=executable, args=list(arguments))
                    for arguments in (chromium.WITH_WEBGL, chromium.WITHOUT_WEBGL)
                ]
                await Studio(drawing, beside, server.url, folder, only).work()
                await drawing.close()
                await beside.close()
        finally:
            await asyncio.to_thread(server.stop)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Make the pictures of the documentation.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="make those alone whose names begin so")
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(chosen.folder, chosen.only))

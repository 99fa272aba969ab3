"""Whatever a browser sends in whatever order: never a fault of ours, never a change after an error, always a log that
replays."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule

from game.house import House
from game.record import Episode
from parlay_env.deal.state import SEATS
from tests.store.support import contents, random_action
from tests.world import PERSONAS, SCENARIO_IDS

from .support import Browser, Json, world_at

ERRORS = {400, 401, 403, 404, 405, 409, 413, 415, 422}
scraps = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
actions = st.dictionaries(
    st.sampled_from(["utterance", "offer_amount", "offer", "tactical_move", "claim_value", "question", "challenge",
                     "accept_deal", "walk_away", "belief", "event_impact", "sweetener", "x"]),
    scraps, max_size=4,
)  # fmt: skip
numbers = st.integers(-1, 30) | st.sampled_from([None, "0", 1.5, True, 10**30])


class Pages(RuleBasedStateMachine):
    """Two people, their games, and anything that they may send."""

    games: Bundle[str] = Bundle("games")

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.entered = world_at(f"sqlite:///{Path(self.folder.name) / 'parlay.db'}")
        self.world = self.loop.run_until_complete(self.entered.__aenter__())
        self.people: list[Browser] = []

    @initialize()
    def two_people_come(self) -> None:
        for name in ("Ada", "Bob"):
            self.people.append(self.loop.run_until_complete(self.world.player(name)))

    def ask(self, who: int, method: str, path: str, body: Any = None, **headers: str) -> Json:
        """An answer that is no fault of ours; after an error everything is as it was."""

        async def run() -> Json:
            database = self.world.desk.house.database
            before = await contents(database)
            content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
            reply = await self.people[who].ask(method, path, content, **headers)
            assert reply.status_code in {200, 201} | ERRORS, (reply.status_code, reply.text)
            if reply.status_code in ERRORS or method == "GET":
                assert await contents(database) == before
            if reply.status_code in ERRORS:
                assert reply.status_code == 405 or reply.json()["error"]["code"]
                return {}
            return reply.json()

        return self.loop.run_until_complete(run())

    @rule(
        target=games,
        who=st.integers(0, 1),
        scenario=st.sampled_from((*SCENARIO_IDS, "nowhere")),
        persona=st.sampled_from((*PERSONAS, "drawn", "")),
        seat=st.sampled_from((*SEATS, "drawn", "middle")),
        guided=st.booleans(),
        wish=st.sampled_from(["a", "b", "\x00", "c"]),
    )
    def start(self, who: int, scenario: str, persona: str, seat: str, guided: bool, wish: str) -> Any:
        body = {"request_id": wish, "scenario_id": scenario, "persona": persona, "seat": seat, "guided": guided}
        found = self.ask(who, "POST", "/api/games", body)
        return found["game"]["id"] if found else multiple()

    @rule(who=st.integers(0, 1), game=games, seed=st.integers(0, 9))
    def move_sensibly(self, who: int, game: str, seed: int) -> None:
        seen = self.ask(who, "GET", f"/api/games/{game}")
        if seen:
            action = random_action(seen["game"]["observation"], random.Random(seed), 0.05)
            body = {"number": seen["game"]["number"], "action": action}
            first = self.ask(who, "POST", f"/api/games/{game}/moves", body)
            assert self.ask(who, "POST", f"/api/games/{game}/moves", body) == first

    @rule(who=st.integers(0, 1), game=games, number=numbers, action=actions)
    def move_wildly(self, who: int, game: str, number: Any, action: Any) -> None:
        self.ask(who, "POST", f"/api/games/{game}/moves", {"number": number, "action": action})

    @rule(
        who=st.integers(0, 1),
        body=scraps | st.binary(max_size=20),
        path=st.sampled_from(["moves", "rematch", "consent"]),
        game=games,
    )
    def send_scraps(self, who: int, body: Any, path: str, game: str) -> None:
        self.ask(who, "POST", f"/api/games/{game}/{path}", body if body is not None else b"")

    @rule(who=st.integers(0, 1), body=scraps)
    def rename(self, who: int, body: Any) -> None:
        self.ask(who, "POST", "/api/me", {"name": body})

    @rule(who=st.integers(0, 1), game=games, wish=st.booleans())
    def consent(self, who: int, game: str, wish: bool) -> None:
        self.ask(who, "POST", f"/api/games/{game}/consent", {"flywheel": wish})

    @rule(target=games, who=st.integers(0, 1), game=games, wish=st.sampled_from(["a", "d"]))
    def again(self, who: int, game: str, wish: str) -> Any:
        found = self.ask(who, "POST", f"/api/games/{game}/rematch", {"request_id": wish})
        return found["game"]["id"] if found else multiple()

    @rule(who=st.integers(0, 1), game=games)
    def delete(self, who: int, game: str) -> None:
        if self.ask(who, "DELETE", f"/api/games/{game}"):
            assert self.ask(who, "GET", f"/api/games/{game}") == {}

    @rule(
        who=st.integers(0, 1),
        game=games,
        method=st.sampled_from(["GET", "POST", "PUT", "DELETE"]),
        path=st.sampled_from(["", "/log", "/moves", "/nothing", "/events/x"]),
        origin=st.sampled_from(["http://parlay", "http://evil.example"]),
    )
    def wander(self, who: int, game: str, method: str, path: str, origin: str) -> None:
        self.ask(who, method, f"/api/games/{game}{path}", None if method == "GET" else {}, origin=origin)

    @rule(who=st.integers(0, 1))
    def look_around(self, who: int) -> None:
        for path in ("/api/me", "/api/me/games", "/api/leaderboard", "/api/catalogue"):
            self.ask(who, "GET", path)

    @rule()
    def restart(self) -> None:
        self.world.desk.house._kept.clear()

    @invariant()
    def every_log_verifies_and_replays(self) -> None:
        async def run() -> None:
            house = self.world.desk.house
            fresh = House(house.database)
            for row in (await contents(house.database))["games"]:
                live = await fresh.load(row["id"])
                setup, history = live.episode.setup, live.episode.moves
                again = Episode(setup, live.log.seed, dict.fromkeys(SEATS), live.row.secret, history)
                assert again.state == live.episode.state
                assert live.stored == len(history) == len(live.episode.by)
                assert (live.row.status == "over") == live.episode.over

        self.loop.run_until_complete(run())

    def teardown(self) -> None:
        self.loop.run_until_complete(self.entered.__aexit__(None, None, None))
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()
        self.folder.cleanup()


Pages.TestCase.settings = settings(max_examples=10, stateful_step_count=25)
TestPages = Pages.TestCase

"""Reviews and what-ifs: one process works them out, and neither its end nor a crowd stops the page."""

from __future__ import annotations

import asyncio
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest

from dashboard import debrief
from dashboard.thinker import Process
from tests.doors.support import Troubles

from .support import Browser, Json, World, code_of


class Reviewer(Process):
    """A reviewer whose process does what the test says."""

    def __init__(self) -> None:
        super().__init__()
        self.may_end = asyncio.Event()
        self.dies = False
        self.began = 0

    async def run(self, work: Any, *arguments: Any) -> Any:
        self.began += 1
        await self.may_end.wait()
        if self.dies:
            raise BrokenProcessPool
        return '{"review":{"status":"ready","progress":1.0,"moves":[]},"beliefs":[]}' if len(arguments) == 3 else {}


@pytest.fixture
def reviewer(here: World) -> Reviewer:
    here.desk.reviewer = found = Reviewer()
    return found


async def status_of(browser: Browser, game: Json) -> str:
    return (await browser.get(f"/api/games/{game['id']}/debrief"))["review"]["status"]


async def test_a_review_that_was_broken_off_is_tried_again(
    here: World, reviewer: Reviewer, no_trouble: Troubles, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await here.player()
    game = await ada.leave(await ada.start())
    reviewer.dies = True
    reviewer.may_end.set()
    assert await status_of(ada, game) == "working"
    await asyncio.gather(*here.desk.reviews)
    assert await status_of(ada, game) == "failed"
    no_trouble.found.clear()  # an operator is told
    reviewer.dies = False
    monkeypatch.setattr(debrief, "AGAIN_SECONDS", 0.0)
    assert await status_of(ada, game) == "working"
    await asyncio.gather(*here.desk.reviews)
    assert await status_of(ada, game) == "ready"


async def test_what_ifs_do_not_pile_up(here: World, reviewer: Reviewer) -> None:
    ada = await here.player()
    game = await ada.leave(await ada.start())
    path, body = f"/api/games/{game['id']}/what-if", {"number": 0, "action": {"utterance": "Else."}}
    asked = [asyncio.ensure_future(ada.ask("POST", path, body)) for _ in range(debrief.WHAT_IFS_AT_MOST)]
    for _ in range(500):
        if reviewer.began == debrief.WHAT_IFS_AT_MOST:
            break
        await asyncio.sleep(0.01)
    refused = await ada.ask("POST", path, body)
    assert (refused.status_code, code_of(refused)) == (429, "RATE_LIMITED")
    assert int(refused.headers["retry-after"]) >= 1
    reviewer.may_end.set()
    assert {reply.status_code for reply in await asyncio.gather(*asked)} == {200}
    assert (await ada.ask("POST", path, body)).status_code == 200


async def test_a_stopping_server_begins_no_process(here: World) -> None:
    reviewer = here.desk.reviewer
    reviewer.stop()
    with pytest.raises(BrokenProcessPool):
        await reviewer.run(len, ())
    assert reviewer._pool is None


async def test_reviews_that_wait_end_with_the_server(here: World, reviewer: Reviewer) -> None:
    ada = await here.player()
    for k in range(3):
        await status_of(ada, await ada.leave(await ada.start(f"wish {k}")))
    assert len(here.desk.reviews) == 3
    await here.desk.close()
    assert not here.desk.reviews

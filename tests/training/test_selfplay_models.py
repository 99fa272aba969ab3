"""Language models in self-play: many at once over real HTTP, logs in order, and a run that a provider broke goes on."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent.llm.base import ProviderError, Unavailable
from parlay_env.core import replay
from parlay_env.deal.state import Move
from parlay_env.session import GAME
from tests.agent.llm.servers import KEY, USED, Answer, Heard, Server, chat, openai_door, openai_error, running
from training.data.build import Options, build
from training.data.form import Manifest, load
from training.data.sources import files_of, logs_in
from training.evaluate import Unfinished
from training.language import LanguageRun, Means
from training.selfplay import log_of, plan, play_to
from training.selfplay_file import AHEAD, FILE, Played, SelfPlan, read

MODEL = "llm:openai/some-model"
PLAN = plan((MODEL, "conceder"), pairs=[("saas_enterprise", "diplomat")], episodes=3)


def negotiates(heard: Heard) -> Answer:
    """Asks for a little less at every turn, and in turn 3 first says nothing that is a move."""
    prompt = heard.body["messages"][-1]["content"]
    turn = int(re.search(r"Turn (\d+) of", prompt)[1])  # pyright: ignore[reportOptionalSubscript]
    limit = float(re.search(r"limit \(price\): ([\d,]+)", prompt)[1].replace(",", ""))  # pyright: ignore[reportOptionalSubscript]
    if turn == 3 and "not allowed" not in prompt:
        return chat("Let me think about it.")
    sign = 1 if "You are the seller" in prompt else -1
    ask = round((limit + sign * max(4_000, 40_000 - 3_000 * turn)) / 100) * 100
    return chat(json.dumps({"utterance": f"Turn {turn}: {ask:,}.", "offer_amount": ask}))


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    async with running(openai_door, "/v1") as found:
        found.usual = negotiates
        monkeypatch.setenv("OPENAI_BASE_URL", found.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield found


async def played(folder: Path, chosen: SelfPlan = PLAN, concurrency: int = 4) -> list[Played]:
    language = LanguageRun(chosen.models, Means(concurrency=concurrency))
    return await asyncio.to_thread(play_to, chosen, folder, language=language)


async def test_models_and_policies_play_the_plan_in_its_order_whatever_is_at_once(
    server: Server, tmp_path: Path
) -> None:
    two_came = asyncio.Event()

    def waits_for_another(heard: Heard) -> Answer:
        if server.at_once > 1:
            two_came.set()
        answer = negotiates(heard)
        answer.after = two_came
        return answer

    server.usual = waits_for_another
    found = await played(tmp_path / "four")
    assert [one.match for one in found] == list(PLAN.matches())
    assert server.most_at_once <= 4
    server.usual = negotiates
    assert await played(tmp_path / "one", concurrency=1) == found
    assert (tmp_path / "one" / FILE).read_bytes() == (tmp_path / "four" / FILE).read_bytes()
    for one in found:
        assert replay(GAME, log_of(one)).total(one.match.cell.seat) == one.reward


async def test_what_a_model_used_stands_beside_its_episode(server: Server, tmp_path: Path) -> None:
    found = await played(tmp_path)
    assert sum(one.spent.requests for one in found) == len(server.heard)
    assert sum(one.spent.tokens for one in found) == len(server.heard) * sum(USED)
    assert all(one.spent.tokens == 0 for one in found if one.match.learner == "conceder")


async def test_a_run_that_the_provider_broke_goes_on_to_the_same_file(server: Server, tmp_path: Path) -> None:
    whole = await played(tmp_path / "whole")
    asked = 0

    def breaks(heard: Heard) -> Answer:
        nonlocal asked
        asked += 1
        return negotiates(heard) if asked < 40 else openai_error(400, "context_length_exceeded")

    server.usual = breaks
    with pytest.raises(ProviderError):
        await played(tmp_path / "broken")
    kept = (tmp_path / "broken" / FILE).read_bytes()
    assert 1 < kept.count(b"\n") < 1 + PLAN.total
    server.usual = negotiates
    assert await played(tmp_path / "broken") == whole
    assert (tmp_path / "broken" / FILE).read_bytes() == (tmp_path / "whole" / FILE).read_bytes()
    assert KEY.encode() not in kept


async def test_what_a_model_said_that_is_no_move_is_no_example(server: Server, tmp_path: Path) -> None:
    found = await played(tmp_path / "logs")
    refused = sum(
        move.refused is not None for one in found for moves in log_of(one).moves(Move) for move in moves.values()
    )
    logs = (one for file in files_of([tmp_path / "logs"]) for one in logs_in(file))
    manifest: Manifest = await asyncio.to_thread(build, logs, Options("here", filter="all"), tmp_path)
    assert refused > 0
    assert (manifest.not_allowed, manifest.kept, manifest.refused) == (refused, PLAN.total, {})
    for examples in load(tmp_path).examples.values():
        assert all("think about it" not in example.action for example in examples)


ALONE = plan((MODEL,), pairs=[("saas_enterprise", "diplomat")], episodes=8)


def prompt_of(heard: Heard) -> str:
    return heard.body["messages"][-1]["content"]


async def test_one_failure_in_the_middle_costs_one_episode_and_all_others_are_kept(
    server: Server, tmp_path: Path
) -> None:
    whole = await played(tmp_path / "whole", ALONE, concurrency=8)
    asked = len(server.heard)
    failing: list[str] = []

    def breaks(heard: Heard) -> Answer:
        if len(server.heard) == asked + 40:
            failing.append(prompt_of(heard))
        return openai_error(500, retry_after_ms="1") if prompt_of(heard) in failing else negotiates(heard)

    server.usual = breaks
    run = LanguageRun(ALONE.models, Means(concurrency=8))
    with pytest.raises(Unfinished, match=f"1 of {ALONE.total} episodes are missing .a provider failed"):
        await asyncio.to_thread(play_to, ALONE, tmp_path / "broken", language=run)
    assert (run.failed, run.stopped) == (1, "")
    assert run.usage.tokens > 40 * sum(USED)
    kept = [*read(tmp_path / "broken" / FILE)[1], *read(tmp_path / "broken" / AHEAD)[1]]
    assert len(kept) == ALONE.total - 1
    server.usual = negotiates
    asked = len(server.heard)
    assert await played(tmp_path / "broken", ALONE, concurrency=8) == whole
    (missing,) = [one for one in whole if one not in kept]
    assert len(server.heard) - asked == missing.spent.requests
    assert (tmp_path / "broken" / FILE).read_bytes() == (tmp_path / "whole" / FILE).read_bytes()
    assert not (tmp_path / "broken" / AHEAD).exists()


async def test_a_purse_ends_the_run_and_the_next_goes_on(server: Server, tmp_path: Path) -> None:
    limit = 40 * sum(USED)
    run = LanguageRun(ALONE.models, Means(concurrency=2, max_tokens=limit))
    with pytest.raises(Unfinished, match="tokens are used"):
        await asyncio.to_thread(play_to, ALONE, tmp_path, language=run)
    assert limit <= run.usage.tokens <= limit + 2 * sum(USED)
    assert run.usage.requests == len(server.heard)
    there = len(read(tmp_path / FILE)[1])
    assert 0 < there < ALONE.total
    found = await played(tmp_path, ALONE)
    assert len(found) == ALONE.total


async def test_what_is_over_behind_a_slow_first_episode_is_written_at_once_and_is_data(
    server: Server, tmp_path: Path
) -> None:
    whole = await played(tmp_path / "whole", ALONE, concurrency=1)
    first, slow = prompt_of(server.heard[0]), asyncio.Event()

    def waits(heard: Heard) -> Answer:
        answer = negotiates(heard)
        if prompt_of(heard) == first:
            answer.after = slow
        return answer

    server.usual = waits
    seen: list[int] = []
    all_others = asyncio.Event()
    loop = asyncio.get_running_loop()

    def note(done: int) -> None:
        seen.append(done)
        if done == ALONE.total - 1:
            loop.call_soon_threadsafe(all_others.set)

    folder, run = tmp_path / "slow", LanguageRun(ALONE.models, Means(concurrency=2))
    playing = asyncio.create_task(asyncio.to_thread(play_to, ALONE, folder, 1, note, language=run))
    async with asyncio.timeout(60):
        await all_others.wait()
    assert len(read(folder / FILE)[1]) == 0
    assert len(read(folder / AHEAD)[1]) == ALONE.total - 1
    logs = [one for file in files_of([folder]) for one in logs_in(file)]
    assert len(logs) == ALONE.total - 1
    slow.set()
    assert await playing == whole
    assert (folder / FILE).read_bytes() == (tmp_path / "whole" / FILE).read_bytes()
    assert not (folder / AHEAD).exists()
    assert seen == list(range(ALONE.total + 1))


async def test_a_provider_that_keeps_failing_ends_the_run(server: Server, tmp_path: Path) -> None:
    server.usual = openai_error(500, retry_after_ms="1")
    with pytest.raises(Unavailable):
        await played(tmp_path, ALONE, concurrency=1)
    assert len(server.heard) == 3 * 5

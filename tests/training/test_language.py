"""Episodes of language models: on the seeds of everybody else, many at once, within a purse, and kept as they come."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from agent.llm.base import BadKey, ProviderMissing, Unavailable
from agent.llm.retry import Prices
from agent.llm.spoken import Spoken
from tests.agent.llm.servers import KEY, USED, Answer, Heard, Server, chat, openai_door, openai_error, running
from training.episodes import Cell, Job, Plan, Result
from training.evaluate import Unfinished, evaluate, plan, play_missing, whole_seeds
from training.language import LanguageRun, Means
from training.record import FILE, Key, key_of

MODEL = "llm:openai/some-model"
CELLS = (Cell("saas_enterprise", "diplomat", "seller"), Cell("hiring_package", "shark", "buyer"))
TOKENS = sum(USED)


def talker(heard: Heard) -> Answer:
    """A model that makes two offers and leaves: what it says is a function of what it is told."""
    prompt = heard.body["messages"][-1]["content"]
    turn, target = (int(re.search(rf"{word} ([\d,]+)", prompt)[1].replace(",", "")) for word in ("Turn", "Target"))
    if turn > 2:
        return chat('{"utterance": "Not today.", "walk_away": true}')
    return chat(json.dumps({"utterance": f"Turn {turn}: {target:,}.", "offer_amount": target}))


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    async with running(openai_door, "/v1") as one:
        one.usual = talker
        monkeypatch.setenv("OPENAI_BASE_URL", one.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield one


def small(*policies: str, episodes: int = 2) -> Plan:
    return plan(policies or (MODEL,), episodes=episodes, split="validation", where=CELLS)


async def play(chosen: Plan, **means: Any) -> tuple[dict[Key, Result], LanguageRun]:
    found: dict[Key, Result] = {}
    run = LanguageRun([MODEL], Means(**means))

    def keep(results: list[Result]) -> None:
        found.update((key_of(result), result) for result in results)

    await asyncio.to_thread(play_missing, chosen, found, keep, 1, None, run)
    return found, run


async def test_models_play_the_seeds_that_everybody_plays(server: Server) -> None:
    chosen = small("conceder", MODEL)
    found, _ = await play(chosen)
    assert found.keys() == {
        (policy, cell, seed) for policy in chosen.policies for cell in CELLS for seed in chosen.seeds
    }
    alone = await asyncio.to_thread(evaluate, small("conceder"))
    assert [one for one in found.values() if one.policy == "conceder"] == alone.results


async def test_the_same_moves_come_to_the_same_as_those_of_code(server: Server) -> None:
    """A model that leaves at once, and the policy that does: the same end, reward and ledger."""
    server.usual = chat('{"utterance": "No.", "walk_away": true}')
    found, _ = await play(small("walk_at_once", MODEL))
    for (policy, cell, seed), one in found.items():
        by_code = found["walk_at_once", cell, seed]
        assert policy == by_code.policy or replace(one, policy=by_code.policy, spoken=UNSET) == by_code


async def test_every_result_says_how_its_answers_were_read(server: Server) -> None:
    found, run = await play(small("conceder", MODEL))
    for one in found.values():
        if one.policy == "conceder":
            assert not isinstance(one.spoken, Spoken)
        else:
            assert isinstance(one.spoken, Spoken)
            assert one.spoken.moves["ok"] == one.spoken.usage.requests == one.spoken.total > 0
    spoken = [one.spoken.usage for one in found.values() if isinstance(one.spoken, Spoken)]
    assert sum(one.requests for one in spoken) == run.usage.requests == len(server.heard)
    assert run.usage.tokens == TOKENS * len(server.heard)


async def test_any_number_at_once_gives_the_same_results(server: Server) -> None:
    one, _ = await play(small(), concurrency=1)
    many, _ = await play(small(), concurrency=7)
    assert one == many


async def test_no_more_episodes_at_once_than_asked_for(server: Server) -> None:
    gate = asyncio.Event()
    server.usual = lambda heard: Answer(talker(heard).body, after=gate)
    playing = asyncio.create_task(play(small(episodes=4), concurrency=3))
    async with asyncio.timeout(20):
        while server.at_once < 3:
            server.came.clear()
            await server.came.wait()
    gate.set()
    await playing
    assert server.most_at_once == 3


async def test_opponents_speak_to_models(server: Server) -> None:
    await play(small(episodes=1))
    assert any('They say: "' in heard.body["messages"][-1]["content"] for heard in server.heard)


async def test_a_purse_of_tokens_ends_the_run_and_leaves_whole_seeds(server: Server) -> None:
    chosen = small("conceder", MODEL, episodes=30)
    limit = 30 * TOKENS
    found, run = await play(chosen, max_tokens=limit, concurrency=4)
    assert "tokens are used" in run.stopped
    assert limit <= run.usage.tokens <= limit + 4 * TOKENS
    assert run.usage.requests == len(server.heard)
    kept = whole_seeds(chosen, found)
    assert 0 < kept.episodes < 30
    beyond = [one for one in found.values() if one.policy == MODEL and one.seed not in kept.seeds]
    assert len(beyond) <= 4


async def test_a_purse_of_dollars_ends_the_run(server: Server) -> None:
    prices = {"": Prices(1.0, 10.0)}
    each = (USED[0] * 1.0 + USED[1] * 10.0) / 1_000_000
    _, run = await play(small(episodes=30), prices=prices, max_dollars=10 * each, concurrency=2)
    assert run.stopped.startswith("$")
    assert 10 * each <= run.usage.dollars <= 12.1 * each


async def test_one_failure_costs_one_episode(server: Server) -> None:
    server.plays(*[openai_error(500, retry_after_ms="1")] * 5)
    found, run = await play(small(), concurrency=1)
    assert (run.failed, run.stopped, len(found)) == (1, "", 3)


async def test_a_provider_that_keeps_failing_ends_the_run(server: Server) -> None:
    server.usual = openai_error(500, retry_after_ms="1")
    with pytest.raises(Unavailable):
        await play(small(episodes=50), concurrency=1)
    assert len(server.heard) == 3 * 5


async def test_a_refused_key_ends_the_run_at_once(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong")
    with pytest.raises(BadKey):
        await play(small(episodes=50), concurrency=2)
    assert len(server.heard) <= 2


def test_a_key_that_is_missing_is_told_before_anything_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ProviderMissing, match="OPENAI_API_KEY"):
        LanguageRun([MODEL])


async def test_an_evaluation_goes_on_where_its_purse_was_empty(server: Server, tmp_path: Path) -> None:
    chosen = small("conceder", MODEL, episodes=4)
    poor = LanguageRun([MODEL], Means(max_tokens=10 * TOKENS, concurrency=2))
    with pytest.raises(Unfinished, match="tokens are used"):
        await asyncio.to_thread(evaluate, chosen, tmp_path, 1, None, poor)
    asked = len(server.heard)
    grid = await asyncio.to_thread(evaluate, chosen, tmp_path)
    assert len(server.heard) > asked
    whole, _ = await play(chosen)
    assert {key_of(one): one for one in grid.results} == whole
    lines = (tmp_path / FILE).read_text().splitlines()[1:]
    assert {json.loads(line)["policy"] for line in lines if '"spoken"' in line} == {MODEL}


async def test_a_finished_evaluation_asks_nobody(server: Server, tmp_path: Path) -> None:
    first = await asyncio.to_thread(evaluate, small(), tmp_path)
    asked = len(server.heard)
    again = await asyncio.to_thread(evaluate, small(), tmp_path)
    assert (again.results, len(server.heard)) == (first.results, asked)


def test_whole_seeds_are_those_from_the_first_on() -> None:
    chosen = small("conceder", "boulware", episodes=5)
    grid = evaluate(chosen)
    found = {key_of(one): one for one in grid.results}
    assert whole_seeds(chosen, found) == chosen
    del found["boulware", CELLS[1], chosen.seeds[2]]
    assert whole_seeds(chosen, found).episodes == 2
    del found["conceder", CELLS[0], chosen.seeds[0]]
    assert whole_seeds(chosen, found) is None


def test_a_job_of_a_model_is_never_played_by_code() -> None:
    job = Job(MODEL, CELLS[0], "validation", (small().first_seed,))
    from agent.baselines import UnknownPolicy
    from training.episodes import play as play_by_code

    with pytest.raises(UnknownPolicy):
        play_by_code(job)

"""Tasks: fixed instances by split, handed out over HTTP, played by id or index."""

from __future__ import annotations

import itertools
import json
from typing import Any

import httpx2 as httpx
import pytest

from parlay_env import tasks

from .support import HIDDEN, Served, bargain, code_of, held_keys, plain

CELLS = 4 * 3 * 2


def test_the_splits_draw_their_seeds_from_disjoint_ranges() -> None:
    ranges = sorted(tasks.seed_range(split) for split in tasks.SEEDS)
    assert ranges[0][0] == 0
    assert ranges[-1][1] == 2**53 - 1
    assert all(a[1] + 1 == b[0] for a, b in itertools.pairwise(ranges))
    for split in tasks.SEEDS:
        low, high = tasks.seed_range(split)
        assert all(low <= task.seed <= high for task in tasks.tasks(split))


def test_every_split_goes_through_every_scenario_persona_and_seat_equally_often() -> None:
    for split in tasks.SEEDS:
        found = [(task.scenario_id, task.persona, task.seat) for task in tasks.tasks(split)]
        assert len(set(found)) == CELLS
        assert len({found.count(cell) for cell in set(found)}) == 1


def test_tasks_differ_and_so_do_their_ids_and_seeds() -> None:
    everything = [task for split in tasks.SEEDS for task in tasks.tasks(split)]
    assert len({task.id for task in everything}) == len({task.seed for task in everything}) == len(everything)
    assert all(tasks.task_by_id(task.id) == task for task in everything)


def test_the_tasks_of_a_release_are_the_same_on_every_machine() -> None:
    assert [task.id for task in tasks.tasks("test")[:2]] == ["test-6741d08fec07688a", "test-4628a058e18479d1"]
    assert tasks.task("train", 5).seed == 59299953241039


def test_a_test_tasks_seed_is_not_told() -> None:
    assert "seed" not in tasks.task("test", 0).told()
    assert tasks.task("train", 0).told()["seed"] == tasks.task("train", 0).seed


# Over HTTP ------------------------------------------------------------------------------------------------------------


def ask(server: Served, path: str, **body: Any) -> Any:
    return httpx.post(f"{server.url}/parlay_env/{path}", json=body)


def test_the_task_routes_answer_as_openenvs_do(server: Served) -> None:
    splits = httpx.get(f"{server.url}/parlay_env/splits").json()
    assert splits == [{"name": name, "type": name} for name in ("train", "validation", "test")]
    assert httpx.get(f"{server.url}/list_environments").json() == ["parlay_env"]
    assert httpx.get(f"{server.url}/Parlay_Env/splits").status_code == 200
    number = ask(server, "num_tasks", split="validation").json()["num_tasks"]
    listed = ask(server, "tasks", split="validation").json()
    assert (len(listed["tasks"]), listed["env_name"]) == (number, "parlay_env")
    assert ask(server, "task", split="validation", index=3).json()["task"] == listed["tasks"][3]
    for start, stop in ((1, 4), (None, 2), (-2, None), (None, None), (5, 5)):
        assert (
            ask(server, "task_range", split="validation", start=start, stop=stop).json()["tasks"]
            == listed["tasks"][start:stop]
        )


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("num_tasks", {"split": "everything"}, 404),
        ("tasks", {"split": ""}, 404),
        ("task", {"split": "test", "index": -1}, 404),
        ("task", {"split": "test", "index": 10**30}, 404),
        ("task", {"split": "test"}, 422),
        ("task", {"split": "test", "index": "0"}, 422),
        ("task", {"split": "test", "index": True}, 422),
        ("task", {"split": 3, "index": 0}, 422),
        ("task", {}, 422),
        ("task_range", {"split": "test", "start": "a"}, 422),
        ("task_range", {"split": "test", "step": 2}, 422),
    ],
)
def test_a_task_that_is_none_is_a_clean_4xx(server: Served, path: str, body: Any, status: int) -> None:
    reply = ask(server, path, **body)
    assert reply.status_code == status
    assert reply.json()["error"]["message"]


def test_no_seed_of_the_test_split_leaves_the_server(server: Served) -> None:
    text = ask(server, "tasks", split="test").text
    assert "seed" not in text
    assert not any(str(task.seed) in text for task in tasks.tasks("test"))


# Played ---------------------------------------------------------------------------------------------------------------


async def test_a_task_is_played_by_its_id_or_by_split_and_index(server: Served) -> None:
    task = tasks.task("train", 29)
    async with plain(server) as client:
        by_id = await client.reset(task_id=task.id)
        by_index = await client.reset(index=29)
        by_hand = await client.reset(scenario_id=task.scenario_id, persona=task.persona, seat=task.seat, seed=task.seed)
    assert by_id["observation"] == by_index["observation"] == by_hand["observation"]
    assert by_id["info"]["seed"] == task.seed
    assert (by_id["observation"]["seat"], by_id["observation"]["persona"]) == (task.seat, task.persona)


async def test_a_test_task_is_always_the_same_and_its_seed_is_told_to_nobody(server: Served) -> None:
    task = tasks.task("test", 7)
    async with plain(server) as client:
        trails = []
        for _ in range(2):
            trail = [await client.reset(task_id=task.id)]
            name = trail[0]["session_id"]
            while not trail[-1]["done"]:
                trail.append(await client.step(name, **bargain(trail[-1]["observation"])))
            trail.append(await client.state(name))
            assert str(task.seed) not in json.dumps(trail)
            assert all(not held_keys(reply) & HIDDEN for reply in trail[:-2])
            trails.append([{k: v for k, v in reply.items() if k not in ("session_id", "state")} for reply in trail])
        assert trails[0] == trails[1]


async def test_a_test_instance_cannot_be_had_by_its_seed(server: Served) -> None:
    seed = tasks.task("test", 7).seed
    async with plain(server) as client:
        for split in ("train", "validation", "test"):
            assert code_of(await client.reset(seed=seed, split=split)) == "INVALID_OPTION"


@pytest.mark.parametrize(
    "other", [{"seed": 1}, {"persona": "x"}, {"scenario_id": "x"}, {"seat": "buyer"}, {"split": "test"}, {"index": 4}]
)
async def test_an_option_that_says_otherwise_is_refused(server: Served, other: dict[str, Any]) -> None:
    task = next(task for task in tasks.tasks("train") if task.seat == "seller")
    async with plain(server) as client:
        assert code_of(await client.reset(task_id=task.id, **other)) == "INVALID_OPTION"
        same = {"persona": task.persona, "scenario_id": task.scenario_id, "seat": "seller", "split": "train"}
        assert code_of(await client.reset(task_id=task.id, **same)) is None


async def test_headlines_of_a_split_are_its_own(server: Served) -> None:
    async with plain(server) as client:
        seen: dict[str, set[str]] = {"train": set(), "validation": set()}
        for split, heads in seen.items():
            low, _ = tasks.seed_range(split)  # type: ignore[arg-type]
            for seed in range(low, low + 40):
                reply = await client.reset(scenario_id="saas_enterprise", persona="veteran", seed=seed, split=split)
                name = reply["session_id"]
                while not reply["done"]:
                    reply = await client.step(name, utterance=f"Let us see, {reply['observation']['turn']}.")
                heads |= {event["headline"] for event in reply["observation"]["events"]}
                await client.ask({"cmd": "close", "session_id": name})
    assert seen["train"]
    assert seen["validation"]
    assert not seen["train"] & seen["validation"]

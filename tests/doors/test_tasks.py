"""Tasks: fixed instances by split, handed out over HTTP, played by id or index."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import httpx2 as httpx
import pytest
from pydantic import ValidationError

from parlay_env import tasks
from parlay_env.environment import ParlayEnvironment
from parlay_env.models import ResetOptions
from parlay_env.session import BadOption, Session
from parlay_env.settings import Settings

from .support import HIDDEN, Served, bargain, code_of, held_keys, plain, served

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


# An edition of one's own ----------------------------------------------------------------------------------------------

SECRET = "correct horse battery staple"


@pytest.fixture(scope="module")
def private() -> Iterator[Served]:
    with served(test_secret=SECRET) as server:
        yield server


def test_a_secret_gives_the_test_split_other_ids_and_seeds_in_the_same_cells() -> None:
    ours, theirs = tasks.tasks("test"), tasks.tasks("test", tasks.key_of(SECRET))
    assert not {task.id for task in ours} & {task.id for task in theirs}
    assert not {task.seed for task in ours} & {task.seed for task in theirs}
    low, high = tasks.seed_range("test")
    for one, other in zip(ours, theirs, strict=True):
        told = [{name: value for name, value in task.told().items() if name != "id"} for task in (one, other)]
        assert told[0] == told[1]
        assert low <= other.seed <= high
    assert len({task.seed for task in theirs}) == len({task.id for task in theirs}) == len(theirs)
    other_secret = tasks.tasks("test", tasks.key_of(SECRET + "."))
    assert not {task.seed for task in other_secret} & {task.seed for task in theirs}


def test_a_secret_leaves_the_other_splits_as_they_are() -> None:
    key = tasks.key_of(SECRET)
    for split in ("train", "validation"):
        assert tasks.tasks(split, key) == tasks.tasks(split)
    assert tasks.task_by_id("train-00005", key) == tasks.task("train", 5)


@pytest.mark.parametrize("secret", ["short", "fifteen letters"])
def test_a_secret_that_is_too_short_is_refused_and_not_quoted(secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="at least 16 characters") as refused:
        tasks.key_of(secret)
    assert secret not in str(refused.value)
    monkeypatch.setenv("PARLAY_TEST_SECRET", secret)
    with pytest.raises(ValidationError, match="test_secret") as told:
        Settings()
    assert secret not in str(told.value)
    assert secret not in repr(told.value)


def test_an_empty_secret_is_the_public_edition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLAY_TEST_SECRET", "")
    assert tasks.key_of(Settings().test_secret.get_secret_value()) == b""


async def test_a_server_with_a_secret_hands_out_and_plays_its_own_edition(private: Served) -> None:
    mine = tasks.tasks("test", tasks.key_of(SECRET))
    listed = ask(private, "tasks", split="test").json()["tasks"]
    assert listed == [task.told() for task in mine]
    assert ask(private, "task", split="test", index=3).json()["task"] == mine[3].told()
    assert ask(private, "task_range", split="test", start=-2).json()["tasks"] == listed[-2:]
    assert ask(private, "num_tasks", split="test").json() == {"num_tasks": len(mine)}
    async with plain(private) as client:
        by_id, by_index = await client.reset(task_id=mine[7].id), await client.reset(split="test", index=7)
        assert by_id["observation"] == by_index["observation"]
        assert by_id["observation"]["own"] != (await at_home(7))["own"]
        assert code_of(await client.reset(task_id=tasks.task("test", 7).id)) == "INVALID_OPTION"
        assert (await client.reset(task_id="train-00005"))["info"]["seed"] == tasks.task("train", 5).seed


async def at_home(index: int) -> dict[str, Any]:
    """What the public edition shows first."""
    return Session.open(ResetOptions(split="test", index=index)).answer().observation


async def test_neither_secret_nor_key_nor_seeds_of_an_edition_are_ever_told(
    private: Served, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    key = tasks.key_of(SECRET)
    task = tasks.task("test", 7, key)
    texts = [ask(private, "tasks", split="test").text, ask(private, "tasks", split=SECRET[:9]).text]
    texts += [httpx.get(f"{private.url}/{path}").text for path in ("metadata", "ready", "schema", "openapi.json", "")]
    async with plain(private) as client:
        trail = [await client.reset(task_id=task.id), await client.reset(task_id="test-0")]
        name = trail[0]["session_id"]
        reply = trail[0]
        while not reply["done"]:
            reply = await client.step(name, **bargain(reply["observation"]))
            trail.append(reply)
        trail += [await client.state(name), await client.step(name, utterance="?")]
    texts += [json.dumps(trail), caplog.text, repr(private.settings), private.settings.model_dump_json()]
    for text in texts:
        assert SECRET not in text
        assert key.hex() not in text
        assert not any(str(one.seed) in text for one in tasks.tasks("test", key))


def test_the_environment_of_openenvs_own_server_has_editions_too() -> None:
    env, mine = ParlayEnvironment(test_secret=SECRET), tasks.tasks("test", tasks.key_of(SECRET))
    assert env.list_tasks("test") == [task.told() for task in mine]
    assert env.get_task("test", 3) == mine[3].told()
    assert env.get_task_range("test", 1, 3) == [task.told() for task in mine[1:3]]
    assert env.reset(task_id=mine[3].id).seat == mine[3].seat
    with pytest.raises(BadOption):
        env.reset(task_id=tasks.task("test", 3).id)

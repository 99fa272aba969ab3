"""The client against servers that are late, gone, full or something else: small ones, over real sockets."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection

from parlay_env.client import (
    ParlayAction,
    ParlayClientError,
    ParlayConnectionError,
    ParlayEnvClient,
    ParlayTimeoutError,
    socket_url,
)

from .servers import ROOT, SmallServer, answer_to, free_port, honest, mark_of

Starter = Callable[..., SmallServer]


# Addresses ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "socket_address"),
    [
        ("http://localhost:8000", "ws://localhost:8000/ws"),
        ("http://localhost:8000/", "ws://localhost:8000/ws"),
        ("https://play.example.org", "wss://play.example.org/ws"),
        ("ws://localhost:8000", "ws://localhost:8000/ws"),
        ("wss://play.example.org/parlay/", "wss://play.example.org/parlay/ws"),
        ("http://localhost:8000/ws", "ws://localhost:8000/ws"),
        ("http://localhost:8000/env/ws", "ws://localhost:8000/ws"),
        ("http://localhost:8000/games/levers", "ws://localhost:8000/games/levers/ws"),
        ("localhost:8000", "ws://localhost:8000/ws"),
        (" 10.0.0.7:81 ", "ws://10.0.0.7:81/ws"),
        ("http://[::1]:8000", "ws://[::1]:8000/ws"),
        ("https://example.org/?token=a", "wss://example.org/ws?token=a"),
        ("https://user-name.hf.space", "wss://user-name.hf.space/ws"),
        ("user-name.hf.space", "wss://user-name.hf.space/ws"),
        ("https://huggingface.co/spaces/user/name", "wss://user-name.hf.space/ws"),
        ("https://huggingface.co/spaces/user/name/", "wss://user-name.hf.space/ws"),
        ("https://huggingface.co/spaces/Some_One/My.Space_2", "wss://some-one-my-space-2.hf.space/ws"),
        ("https://huggingface.co/spaces/user/name/tree/main", "wss://user-name.hf.space/ws"),
        ("https://huggingface.co/spaces/user/name?logs=container", "wss://user-name.hf.space/ws"),
        ("https://www.huggingface.co/spaces/user/name", "wss://user-name.hf.space/ws"),
        ("huggingface.co/spaces/user/name", "wss://user-name.hf.space/ws"),
        ("https://hf.co/spaces/user/name", "wss://user-name.hf.space/ws"),
    ],
)
def test_an_address_may_be_written_as_people_have_it(address: str, socket_address: str) -> None:
    assert socket_url(address) == socket_address
    assert socket_url(address, "/env/ws") == socket_address.replace("/ws", "/env/ws")


@pytest.mark.parametrize(
    "address",
    ["", "ftp://localhost", "http://", "https://huggingface.co/user/name", "https://huggingface.co/spaces/user"],
)
def test_what_is_no_address_is_refused_at_once(address: str) -> None:
    with pytest.raises(ValueError, match="address"):
        ParlayEnvClient(address)


# Nobody there ---------------------------------------------------------------------------------------------------------


def test_when_nothing_listens_the_error_names_the_address_and_the_way_out() -> None:
    port = free_port()
    with pytest.raises(ParlayConnectionError, match=rf"ws://127\.0\.0\.1:{port}/ws.*make serve") as found:
        ParlayEnvClient(f"http://127.0.0.1:{port}").sync().connect()
    assert found.value.code == "CONNECT_FAILED"
    assert isinstance(found.value, ConnectionError)
    assert isinstance(found.value, RuntimeError)


def test_a_port_that_accepts_and_says_nothing_is_given_up_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        client = ParlayEnvClient(f"http://127.0.0.1:{mute.getsockname()[1]}", connect_timeout_s=0.2).sync()
        with pytest.raises(ParlayConnectionError, match=r"opened no socket in 0\.2 s"):
            client.connect()


def test_an_http_refusal_is_told_with_its_status(small: Starter) -> None:
    server = small(honest, process_request=lambda connection, _: connection.respond(503, "asleep"))
    with pytest.raises(ParlayConnectionError, match="HTTP 503"):
        ParlayEnvClient(server.url).sync().connect()


def test_another_protocol_is_no_answer(small: Starter) -> None:
    async def echo(connection: ServerConnection) -> None:
        async for text in connection:
            await connection.send(text)

    with ParlayEnvClient(small(echo).url).sync() as env, pytest.raises(ParlayClientError) as found:
        env.reset()
    assert found.value.code == "BAD_ANSWER"


def test_text_that_is_no_json_is_no_answer(small: Starter) -> None:
    async def babble(connection: ServerConnection) -> None:
        async for _ in connection:
            await connection.send("hello?")

    with ParlayEnvClient(small(babble).url).sync() as env, pytest.raises(ParlayClientError, match="no JSON object"):
        env.reset()


def test_a_refusal_keeps_the_servers_code_and_words_and_adds_the_way_out(small: Starter) -> None:
    async def full(connection: ServerConnection) -> None:
        data = {"code": "CAPACITY_REACHED", "message": "64 of 64 sessions are taken", "errors": [1]}
        await connection.send(json.dumps({"type": "error", "data": data}))

    with ParlayEnvClient(small(full).url).sync() as env, pytest.raises(ParlayClientError) as found:
        env.reset()
    assert (found.value.code, found.value.message) == ("CAPACITY_REACHED", "64 of 64 sessions are taken")
    assert found.value.details == [1]
    assert "Close clients" in str(found.value)


def test_what_is_no_json_is_refused_before_it_is_sent(small: Starter) -> None:
    with ParlayEnvClient(small(honest).url).sync() as env:
        env.reset()
        with pytest.raises(ParlayClientError, match="can't be sent as JSON"):
            env.step({"utterance": object()})
        assert env.step({"utterance": "still here"}).observation.opponent_utterance == "still here"


# Late answers ---------------------------------------------------------------------------------------------------------


async def late_once(connection: ServerConnection) -> None:
    """Answers a message that says so half a second late, all others at once."""
    async for text in connection:
        message = json.loads(text)
        if mark_of(message) == "late":
            await asyncio.sleep(0.5)
        await connection.send(answer_to(message, mark_of(message)))


def test_a_late_answer_never_becomes_the_answer_to_another_move(small: Starter) -> None:
    with ParlayEnvClient(small(late_once).url, message_timeout_s=0.2).sync() as env:
        env.reset()
        with pytest.raises(ParlayTimeoutError, match=r"no answer .* in 0\.2 s"):
            env.step({"utterance": "late"})
        with pytest.raises(ParlayConnectionError, match=r"reset\(\) begins a new episode") as found:
            env.step({"utterance": "b"})
        assert found.value.code == "CONNECTION_LOST"
        env.reset()
        time.sleep(0.5)
        for words in "cdefg":
            assert env.step({"utterance": words}).observation.opponent_utterance == words


async def test_a_cancelled_call_shifts_nothing_either(small: Starter) -> None:
    async with ParlayEnvClient(small(late_once).url) as env:
        await env.reset()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(env.step({"utterance": "late"}), 0.1)
        await env.reset()
        await asyncio.sleep(0.5)
        assert (await env.step({"utterance": "c"})).observation.opponent_utterance == "c"


async def test_calls_at_once_are_answered_each_with_its_own(small: Starter) -> None:
    async with ParlayEnvClient(small(honest).url) as env:
        await env.reset()
        words = [str(i) for i in range(20)]
        results = await asyncio.gather(*(env.step(ParlayAction(utterance=w)) for w in words))
        assert [result.observation.opponent_utterance for result in results] == words


# Gone and back --------------------------------------------------------------------------------------------------------


def test_reset_outlives_a_restart_of_the_server_and_step_says_what_was_lost(small: Starter) -> None:
    first = small(honest)
    with ParlayEnvClient(first.url).sync() as env:
        env.reset()
        first.stop()
        with pytest.raises(ParlayConnectionError) as found:
            env.step({"utterance": "anybody?"})
        assert found.value.code == "CONNECTION_LOST"
        with pytest.raises(ParlayConnectionError) as found:
            env.reset()
        assert found.value.code == "CONNECT_FAILED"
        small(honest, port=first.port)
        env.reset()
        assert env.step({"utterance": "back"}).observation.opponent_utterance == "back"


def test_reset_is_sent_again_when_its_socket_turns_out_to_be_dead(small: Starter) -> None:
    async def one_answer(connection: ServerConnection) -> None:
        await connection.send(answer_to(json.loads(await connection.recv())))
        await connection.recv()

    with ParlayEnvClient(small(one_answer).url).sync() as env:
        for _ in range(3):
            assert env.reset().observation.turn == 1


def test_a_socket_that_the_server_closed_while_idle_is_noticed(small: Starter) -> None:
    async def one_answer(connection: ServerConnection) -> None:
        async for text in connection:
            await connection.send(answer_to(json.loads(text)))
            await connection.close(1000, "idle for too long")

    with ParlayEnvClient(small(one_answer).url).sync() as env:
        for _ in range(3):
            env.reset()
            time.sleep(0.05)
        with pytest.raises(ParlayConnectionError, match="idle for too long"):
            env.step({"utterance": "hm"})


def test_resume_replays_what_was_answered_and_not_what_was_refused(small: Starter) -> None:
    seen: list[dict[str, Any]] = []

    async def strict(connection: ServerConnection) -> None:
        async for text in connection:
            message = json.loads(text)
            seen.append(message)
            answer = json.loads(answer_to(message, mark_of(message)))
            if mark_of(message) == "bad":
                answer["data"]["observation"]["invalid"] = {"code": "x", "message": "no"}
            await connection.send(json.dumps(answer))
            if mark_of(message) == "last":
                return

    with ParlayEnvClient(small(strict).url).sync() as env:
        env.reset(seed=7, persona=None)
        for words in ("a", "bad", "b", "last"):
            env.step(ParlayAction(utterance=words))
        with pytest.raises(ParlayConnectionError):
            env.step({"utterance": "c"})
        env.resume()
        assert seen[0] == {"type": "reset", "data": {"seed": 7}}
        moves = [{"utterance": words} for words in ("a", "b", "last")]
        assert seen[-1] == {"type": "reset", "data": {"seed": 7, "history": moves}}
        env.resume()
        assert seen[-1]["data"]["history"] == moves


def test_an_episode_whose_seed_only_the_server_knows_is_not_resumable(small: Starter) -> None:
    with ParlayEnvClient(small(honest).url).sync() as env:
        env.reset()
        with pytest.raises(ParlayClientError) as found:
            env.resume()
        assert found.value.code == "NOT_RESUMABLE"


# Long generations, notebooks, forgotten clients -----------------------------------------------------------------------


@pytest.mark.parametrize("blocking", [True, False])
async def test_a_generation_longer_than_the_servers_patience_costs_no_session(small: Starter, blocking: bool) -> None:
    server = small(honest, ping_interval=0.1, ping_timeout=0.2)
    async with ParlayEnvClient(server.url) as env:
        await env.reset()
        if blocking:
            time.sleep(0.8)  # noqa: ASYNC251 - a model that generates on the event loop's own thread
        else:
            await asyncio.sleep(0.8)
        assert (await env.step({"utterance": "still here"})).observation.opponent_utterance == "still here"


def test_a_server_that_is_too_busy_to_answer_pings_keeps_its_clients(small: Starter) -> None:
    async def busy(connection: ServerConnection) -> None:
        async for text in connection:
            time.sleep(0.5)  # noqa: ASYNC251 - its loop stands still
            await connection.send(answer_to(json.loads(text)))

    with ParlayEnvClient(small(busy).url, websocket_ping_interval_s=0.1).sync() as env:
        env.reset()
        assert env.step({"utterance": "a"}).reward == 0.5


async def test_the_client_without_async_works_inside_a_running_loop(small: Starter) -> None:
    with ParlayEnvClient(small(honest).url).sync() as env:
        assert env.reset().done is False
        assert env.step({"utterance": "a"}).observation.opponent_utterance == "a"


def test_one_client_serves_one_event_loop_after_the_other(small: Starter) -> None:
    client = ParlayEnvClient(small(honest).url)

    async def turn(words: str) -> str:
        return (await client.step({"utterance": words})).observation.opponent_utterance

    asyncio.run(client.reset())
    assert [asyncio.run(turn(words)) for words in "ab"] == ["a", "b"]
    asyncio.run(client.close())


def test_a_plain_with_says_how_it_is_meant() -> None:
    with pytest.raises(TypeError, match=r"client\.sync\(\)"), ParlayEnvClient():
        pass


def test_closing_twice_is_no_error_and_reset_connects_anew(small: Starter) -> None:
    server = small(honest)
    env = ParlayEnvClient(server.url).sync()
    env.close()
    env.reset()
    env.close()
    env.close()
    assert server.open_sockets == 0
    env.reset()
    env.close()


async def test_closing_ends_a_call_that_waits(small: Starter) -> None:
    async def mute(connection: ServerConnection) -> None:
        await connection.wait_closed()

    env = ParlayEnvClient(small(mute).url)
    waiting = asyncio.create_task(env.reset())
    await asyncio.sleep(0.1)
    await asyncio.wait_for(env.close(), 2)
    with pytest.raises(ParlayConnectionError):
        await waiting


def test_a_forgotten_client_holds_no_place_on_the_server(small: Starter) -> None:
    server = small(honest)
    env = ParlayEnvClient(server.url).sync()
    env.reset()
    assert server.open_sockets == 1
    del env
    gc.collect()
    deadline = time.monotonic() + 5
    while server.open_sockets and time.monotonic() < deadline:
        time.sleep(0.01)
    assert server.open_sockets == 0


def test_a_program_that_ends_without_closing_ends_in_silence(small: Starter) -> None:
    program = f"""
from parlay_env.client import ParlayEnvClient
env = ParlayEnvClient({small(honest).url!r}).sync()
env.reset()
"""
    command = [sys.executable, "-X", "dev", "-c", program]
    done = subprocess.run(command, cwd=ROOT, check=True, timeout=30, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_after_a_fork_parent_and_child_each_have_their_own(small: Starter) -> None:
    program = f"""
import os
from parlay_env.client import ParlayConnectionError, ParlayEnvClient
env = ParlayEnvClient({small(honest).url!r}).sync()
env.reset()
child = os.fork()
if child == 0:
    try:
        env.step({{"utterance": "mine?"}})
    except ParlayConnectionError:
        env.reset()
        os._exit(0 if env.step({{"utterance": "mine"}}).observation.opponent_utterance == "mine" else 1)
    os._exit(2)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert env.step({{"utterance": "ours"}}).observation.opponent_utterance == "ours"
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=30)


def test_the_client_brings_nothing_of_ours_but_the_wire_types_and_no_openenv() -> None:
    program = """
import sys
before = dict(sys.modules)
import parlay_env.client
assert all(sys.modules[name] is module for name, module in before.items())
ours = {name for name in sys.modules if name.split(".")[0] in ("parlay_env", "agent", "game", "cli", "server", "main")}
rest = {name for name in ours if not name.startswith("parlay_env.client")}
assert rest == {"parlay_env", "parlay_env.models"}, rest
heavy = {"openenv", "openenv_core", "gradio", "fastapi", "starlette", "numpy", "torch", "uvicorn", "msgspec"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=30)

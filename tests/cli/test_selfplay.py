"""`parlay selfplay` with a language model: the purse, what is shown of it, Ctrl-C and `kill -9`."""

from __future__ import annotations

import asyncio
import os
import pty
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.agent.llm.servers import USED, Answer, Heard, Server, chat, openai_door, running
from training.selfplay_file import AHEAD, FILE, read

from .conftest import COMMAND, Run, environment, is_one_line
from .test_language import LEAVES, MODEL, done, started

PLAY = ("selfplay", "--learner", MODEL, "--pairs", "saas_enterprise:diplomat", "--seat", "seller", "--episodes", "5")
TOKENS = sum(USED)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with running(openai_door, "/v1") as one:
        one.usual = chat(LEAVES)
        yield one


def holds_the_first(server: Server) -> None:
    """The first prompt is never answered; every other one leaves."""
    first: list[str] = []

    def answer(heard: Heard) -> Answer:
        prompt = heard.body["messages"][-1]["content"]
        if not first:
            first.append(prompt)
        answer = chat(LEAVES)
        if prompt == first[0]:
            answer.after = asyncio.Event()
        return answer

    server.usual = answer


def on_disk(folder: Path) -> int:
    """Episodes in both files, each once."""
    files = [file for file in (folder / FILE, folder / AHEAD) if file.exists()]
    lines = {line for file in files for line in file.read_bytes().splitlines(keepends=True)}
    return sum(line.endswith(b"}\n") for line in lines) - 1


async def there(folder: Path, process: asyncio.subprocess.Process, episodes: int) -> None:
    """Wait until so many episodes are on disk."""
    while process.returncode is None and on_disk(folder) < episodes:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    assert process.returncode is None, "it was over before it could be stopped"


async def goes_on(server: Server, folder: Path) -> None:
    """The same command plays what is missing, one episode, and comes to what a run that nothing stopped comes to."""
    server.usual = chat(LEAVES)
    asked = len(server.heard)
    code, _, err = await done(server, folder, *PLAY, "--out", "kept")
    assert code == 0, err
    assert "going on: 4 of 5 episodes are there" in err
    assert len(server.heard) == asked + 1
    code, _, err = await done(server, folder, *PLAY, "--out", "whole")
    assert code == 0, err
    assert (folder / "kept" / FILE).read_bytes() == (folder / "whole" / FILE).read_bytes()
    assert not (folder / "kept" / AHEAD).exists()


async def test_after_a_kill_in_the_middle_nothing_that_was_over_is_asked_again(server: Server, tmp_path: Path) -> None:
    holds_the_first(server)
    process = await started(server, tmp_path, *PLAY, "--concurrency", "2", "--out", "kept")
    async with asyncio.timeout(60):
        await there(tmp_path / "kept", process, 4)
    os.killpg(process.pid, signal.SIGKILL)
    await process.communicate()
    await goes_on(server, tmp_path)


async def test_ctrl_c_keeps_what_was_played_and_tells_what_was_used(server: Server, tmp_path: Path) -> None:
    holds_the_first(server)
    process = await started(server, tmp_path, *PLAY, "--concurrency", "2", "--prices", "1/10", "--out", "kept")
    async with asyncio.timeout(60):
        await there(tmp_path / "kept", process, 4)
    process.send_signal(signal.SIGINT)
    _, err = await process.communicate()
    assert process.returncode == 130
    assert "the same command goes on with it" in err.decode()
    assert f"used: {4 * TOKENS} tokens in 4 requests, $0.0002" in err.decode()
    assert "Traceback" not in err.decode()
    server.usual = chat(LEAVES)
    again = await started(server, tmp_path, *PLAY, "--prices", "1/10", "--out", "kept")
    _, err = await again.communicate()
    assert again.returncode == 0
    assert f"used: {TOKENS} tokens in 1 requests" in err.decode()
    assert len(read(tmp_path / "kept" / FILE)[1]) == 5


async def test_an_empty_purse_ends_it_keeps_what_was_played_and_says_how_to_go_on(
    server: Server, tmp_path: Path
) -> None:
    options = (*PLAY, "--concurrency", "1", "--out", "kept")
    code, _, err = await done(server, tmp_path, *options, "--max-tokens", str(2 * TOKENS))
    assert code == 1
    assert f"3 of 5 episodes are missing (stopped: {2 * TOKENS} tokens are used, of at most {2 * TOKENS})" in err
    assert "the same command goes on with them" in err
    code, _, err = await done(server, tmp_path, *options, "--max-dollars", "0.00006", "--prices", "1/10")
    assert code == 1
    assert "2 of 5 episodes are missing (stopped: $0.0001 are spent" in err
    assert len(server.heard) == 3
    assert len(read(tmp_path / "kept" / FILE)[1]) == 3


async def test_a_terminal_is_shown_what_is_spent_meanwhile(server: Server, tmp_path: Path) -> None:
    master, slave = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        *(*PLAY, "--prices", "1/10"),
        cwd=tmp_path,
        env=environment(OPENAI_BASE_URL=server.url, OPENAI_API_KEY="none", COLUMNS="120", TERM="xterm"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=slave,
    )
    os.close(slave)
    assert await process.wait() == 0
    bar = os.read(master, 65536).decode().partition("used: ")[0]
    os.close(master)
    assert f"{5 * TOKENS} tokens in 5 requests, $0.0003" in bar
    assert "5/5" in bar


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--learner", MODEL), "OPENAI_API_KEY"),
        (("--learner", "llm:local/smollm2", "--max-dollars", "1"), "--prices"),
        (("--learner", "llm:local/smollm2", "--max-dollars", "1", "--prices", "other/x=1/1"), "a price for local"),
        (("--opponent", MODEL), "OPENAI_API_KEY"),
    ],
)
def test_what_is_asked_wrongly_is_told_in_a_line(parlay: Run, arguments: tuple[str, ...], told: str) -> None:
    found = parlay("selfplay", *arguments, OPENAI_API_KEY="", OPENAI_BASE_URL="")
    assert found.returncode == 2
    assert is_one_line(found.stderr)
    assert told in found.stderr

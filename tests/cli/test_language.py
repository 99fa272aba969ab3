"""`parlay run`, `eval` and `games eval` with language models: what is shown, what is kept, how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.agent.llm.servers import KEY, USED, Answer, Server, chat, openai_door, openai_error, running

from .conftest import COMMAND, Run, environment, is_one_line

MODEL = "llm:openai/some-model"
QUICK = ("--scenario", "saas_enterprise", "--persona", "diplomat", "--seat", "seller", "--episodes", "3")
LEAVES = '{"utterance": "Not today.", "walk_away": true}'
TOKENS = sum(USED)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with running(openai_door, "/v1") as one:
        one.usual = chat(LEAVES)
        yield one


async def started(server: Server, folder: Path, *arguments: str) -> asyncio.subprocess.Process:
    """`parlay` in a process of its own, with this server as its provider."""
    return await asyncio.create_subprocess_exec(
        *COMMAND,
        *arguments,
        cwd=folder,
        env=environment(OPENAI_BASE_URL=server.url, OPENAI_API_KEY=KEY),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )


async def done(server: Server, folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a command."""
    process = await started(server, folder, *arguments)
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def test_answers_tokens_and_dollars_are_shown_and_written(server: Server, tmp_path: Path) -> None:
    server.plays(chat("Let me think."), chat(f"Well. {LEAVES}"))
    options = (*QUICK, "--policy", f"conceder,{MODEL}", "--prices", "1/10", "--concurrency", "1", "--json", "all.json")
    code, out, err = await done(server, tmp_path, "run", *options)
    assert code == 0, err
    row = next(line for line in out.splitlines() if line.startswith(MODEL) and "%" in line and "$" not in line)
    shown = out.partition("Answers of language models")[2]
    assert "50.0%" in shown
    assert f"{4 * TOKENS:,} tokens in 4 requests, $0.0002" in out
    assert row
    written = json.loads((tmp_path / "all.json").read_text())
    spoken = written["language_models"][MODEL]
    assert spoken["moves"] == {"ok": 2, "repaired": 1, "illegal": 0, "absent": 1}
    assert spoken["repairs"] == {"prose": 1}
    assert written["usage"]["dollars"] == pytest.approx(4 * (USED[0] + 10 * USED[1]) / 1e6)
    assert written["stopped"] is None
    assert len(written["episodes"]) == 6


async def test_standard_output_gets_the_json_and_nothing_else(server: Server, tmp_path: Path) -> None:
    code, out, err = await done(server, tmp_path, "run", *QUICK, "--policy", MODEL, "--json", "-")
    assert code == 0, err
    assert json.loads(out)["language_models"][MODEL]["moves"]["ok"] > 0
    assert not (tmp_path / "-").exists()


async def test_a_terminal_is_shown_what_was_spent(server: Server, tmp_path: Path) -> None:
    master, slave = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        *("run", *QUICK, "--policy", MODEL, "--prices", "1/10"),
        cwd=tmp_path,
        env=environment(OPENAI_BASE_URL=server.url, OPENAI_API_KEY=KEY, COLUMNS="120", TERM="xterm"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=slave,
    )
    os.close(slave)
    assert await process.wait() == 0
    shown = os.read(master, 65536).decode()
    os.close(master)
    assert f"{3 * TOKENS} tokens in 3 requests, $0.0002" in shown


async def test_an_empty_purse_ends_it_and_says_so(server: Server, tmp_path: Path) -> None:
    options = (*QUICK, "--policy", MODEL, "--max-tokens", str(2 * TOKENS), "--concurrency", "1", "--json", "all.json")
    code, out, err = await done(server, tmp_path, "run", *options)
    assert code == 0
    assert "2 of 3 episodes were played (32 tokens are used, of at most 32)" in err
    assert "the 2 seeds that every policy has played" in err
    assert "2 episodes in each of 1 cells" in out
    assert len(json.loads((tmp_path / "all.json").read_text())["episodes"]) == 2


async def test_without_a_whole_seed_there_is_no_table_and_all_is_written(server: Server, tmp_path: Path) -> None:
    options = (*QUICK, "--seat", "both", "--policy", MODEL, "--concurrency", "1", "--max-tokens", str(TOKENS))
    code, out, err = await done(server, tmp_path, "run", *options, "--json", "all.json")
    assert code == 0, err
    assert "1 of 6 episodes were played" in err
    assert "E given" not in out
    written = json.loads((tmp_path / "all.json").read_text())
    assert (written["summaries"], written["episodes"]) == ([], [])
    assert [one["policy"] for one in written["episodes_beyond_whole_seeds"]] == [MODEL]


async def test_ctrl_c_keeps_what_was_played(server: Server, tmp_path: Path) -> None:
    server.plays(chat(LEAVES), chat(LEAVES))
    server.usual = Answer(after=asyncio.Event())
    options = ("run", *QUICK, "--policy", MODEL, "--concurrency", "1", "--json", "all.json")
    process = await started(server, tmp_path, *options)
    async with asyncio.timeout(60):
        while len(server.heard) < 3:
            server.came.clear()
            await server.came.wait()
        process.send_signal(signal.SIGINT)
        out, err = await process.communicate()
    assert process.returncode == 130
    assert "Answers of language models" in out.decode()
    assert "2 of 3 episodes were played (stopped)" in err.decode()
    assert err.decode().splitlines()[-1] == "parlay: stopped"
    assert err.decode().count("parlay:") == 1
    assert "Traceback" not in err.decode()
    written = json.loads((tmp_path / "all.json").read_text())
    assert (len(written["episodes"]), written["stopped"]) == (2, "stopped")


@pytest.mark.parametrize("players", [MODEL, f"odd,{MODEL}"])
async def test_ctrl_c_keeps_what_was_played_of_a_game(server: Server, tmp_path: Path, players: str) -> None:
    server.plays(chat('{"lever": 9}'), chat('{"lever": 9}'))
    server.usual = Answer(after=asyncio.Event())
    options = ("levers", "--player", players, "--episodes", "3", "--concurrency", "1", "--json", "all.json")
    process = await started(server, tmp_path, "games", "eval", *options)
    async with asyncio.timeout(60):
        while len(server.heard) < 3:
            server.came.clear()
            await server.came.wait()
        process.send_signal(signal.SIGINT)
        out, err = await process.communicate()
    assert process.returncode == 130
    assert f"{2 * TOKENS} tokens in 2 requests" in out.decode()
    by_code = 3 * players.count("odd")
    assert f"{by_code + 2} of {by_code + 3} episodes were played (stopped)" in err.decode()
    assert err.decode().splitlines()[-1] == "parlay: stopped"
    assert err.decode().count("parlay:") == 1
    assert "Traceback" not in err.decode()
    written = json.loads((tmp_path / "all.json").read_text())
    assert sum(one["episodes"] for one in written["players"]) == by_code + 2
    assert written["players"][-1]["reward"]["value"] == 0.9
    assert (written["stopped"], written["language_models"][MODEL]["moves"]["ok"]) == ("stopped", 2)


async def test_a_provider_that_fails_ends_it_in_a_line_without_the_key(server: Server, tmp_path: Path) -> None:
    server.usual = openai_error(401, message=f"Incorrect API key provided: {KEY}")
    code, out, err = await done(server, tmp_path, "run", *QUICK, "--policy", MODEL)
    assert code == 1
    assert "parlay: openai/some-model refuses the key" in err
    assert KEY not in out + err
    assert "Traceback" not in err


async def test_eval_goes_on_where_ctrl_c_stopped_it(server: Server, tmp_path: Path) -> None:
    server.plays(chat(LEAVES), chat(LEAVES))
    server.usual = Answer(after=asyncio.Event())
    options = ("eval", *QUICK, "--policies", f"conceder,{MODEL}", "--concurrency", "1", "--no-plots", "--out", "kept")
    process = await started(server, tmp_path, *options)
    async with asyncio.timeout(60):
        while len(server.heard) < 3:
            server.came.clear()
            await server.came.wait()
        process.send_signal(signal.SIGINT)
        _, err = await process.communicate()
    assert process.returncode == 130
    assert "the same command goes on with it" in err.decode()
    server.usual = chat(LEAVES)
    asked = len(server.heard)
    code, out, err = await done(server, tmp_path, *options)
    assert code == 0, err
    assert "going on: 5 of 6 episodes are there" in err
    assert len(server.heard) == asked + 1
    assert "Answers of language models" in out
    assert MODEL in (tmp_path / "kept" / "report.md").read_text()


async def test_eval_with_an_empty_purse_says_how_to_go_on(server: Server, tmp_path: Path) -> None:
    options = (*QUICK, "--policies", MODEL, "--max-tokens", str(TOKENS), "--concurrency", "1", "--no-plots")
    code, _, err = await done(server, tmp_path, "eval", *options, "--out", "kept")
    assert code == 1
    assert "2 of 3 episodes are missing" in err
    assert "the same command goes on with them" in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--policy", "llm:openai/some-model"), "OPENAI_API_KEY"),
        (("--policy", "llm:gemini/some-model"), "GEMINI_API_KEY"),
        (("--policy", "llm:local/nowhere.gguf"), "there is no file"),
        (("--policy", "llm:somebody/some-model"), "openai/MODEL"),
        (("--policy", "llm:local/smollm2?mood=good"), "no option 'mood'"),
        (("--policy", "llm:local/smollm2", "--max-dollars", "1"), "--prices"),
        (("--policy", "llm:local/smollm2", "--max-dollars", "1", "--prices", "other/model=1/1"), "a price for local"),
        (("--policy", "llm:local/smollm2", "--prices", "cheap"), "IN/OUT"),
        (("--policy", "llm:local/smollm2", "--prices", "1/-1"), "IN/OUT"),
    ],
)
def test_what_is_asked_wrongly_is_told_in_a_line(parlay: Run, arguments: tuple[str, ...], told: str) -> None:
    none = dict.fromkeys(("OPENAI_API_KEY", "OPENAI_BASE_URL", "GEMINI_API_KEY", "GOOGLE_API_KEY"), "")
    found = parlay("run", *QUICK, *arguments, **none)
    assert found.returncode == 2
    assert is_one_line(found.stderr)
    assert told in found.stderr


async def test_a_model_plays_a_strategic_game_and_its_answers_are_counted(server: Server, tmp_path: Path) -> None:
    played = json.dumps({"think": "They like rock. expect: rock 0.8, paper 0.1, scissors 0.1", "play": "paper"})
    server.plays(chat("Paper."), chat(f"Well. {played}"))
    server.usual = chat(played)
    asked = ("rps_talk", "--player", f"naive,{MODEL}", "--partner", "stubborn", "--episodes", "4", "--concurrency", "1")
    code, out, err = await done(server, tmp_path, "games", "eval", *asked, "--json", "all.json")
    assert code == 0, err
    assert {"ise", "srp", "lo", "regret"} <= set(out.split())
    shown = out.partition("Answers of language models")[2]
    assert "25.0%" in shown
    assert f"{4 * TOKENS:,} tokens in 4 requests" in out
    written = json.loads((tmp_path / "all.json").read_text())
    naive, model = written["players"]
    assert (naive["player"], model["player"]) == ("naive", MODEL)
    assert model["ends"] == {"void": 1, "played": 3}
    assert model["measures"]["srp"] == {"value": 1.0, "low": 1.0, "high": 1.0, "over": 3}
    assert model["measures"]["error"]["value"] == 0.25
    assert written["language_models"][MODEL]["moves"] == {"ok": 2, "repaired": 1, "illegal": 0, "absent": 1}
    assert (written["stopped"], written["episodes_failed"]) == (None, 0)


async def test_a_strategic_game_with_a_wrong_key_shows_what_was_played(server: Server, tmp_path: Path) -> None:
    server.usual = openai_error(401, "invalid_api_key")
    asked = ("levers", "--player", f"odd,{MODEL}", "--episodes", "3", "--json", "all.json")
    code, out, err = await done(server, tmp_path, "games", "eval", *asked)
    assert code == 1
    assert "0.9 [0.9, 0.9]" in out
    assert "3 of 6 episodes were played" in err
    assert KEY not in out + err
    assert "Traceback" not in err
    assert [one["player"] for one in json.loads((tmp_path / "all.json").read_text())["players"]] == ["odd"]


@pytest.mark.parametrize("name", ["llm:", "llm:openai", "llm:nobody/model", f"{MODEL}?warmth=1"])
async def test_a_model_s_name_that_is_none_is_told_in_a_line(server: Server, tmp_path: Path, name: str) -> None:
    code, _, err = await done(server, tmp_path, "games", "eval", "levers", "--player", name)
    assert code == 2
    assert is_one_line(err)

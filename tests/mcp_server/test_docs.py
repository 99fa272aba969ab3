"""docs/mcp.md is true: its tools, its codes, its configurations, its example."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client

from dashboard.live import QUIET_SECONDS
from game.house import LEFT_ALONE_HOURS, UNFINISHED_AT_MOST
from game.store.players import MAX_NAME
from mcp_server import faults, gate
from mcp_server.door import PATH
from mcp_server.server import SSE_PATH
from mcp_server.table import Table
from parlay_env.models import MAX_WORDS
from parlay_env.settings import Settings
from tests.docs.pages import DEFAULT_URL, blocks, named, read, table
from tests.docs.snippets import run_python

from .support import ROOT, Client, Together, session_on

PAGE = "docs/mcp.md"


async def test_the_table_has_every_tool_with_its_arguments(ada: Client) -> None:
    listed = {tool.name: tool.inputSchema for tool in (await ada.session.list_tools()).tools}
    rows = table(PAGE, "tool")
    assert [named(row[0])[0] for row in rows] == list(listed)
    say = set(listed["say"]["properties"])
    for name, arguments, _ in rows:
        told = set(named(arguments)) - {"say"}
        if "all that" in arguments:
            told |= say
        assert told | {"player_key"} == set(listed[named(name)[0]]["properties"]) | {"player_key"}


def test_the_tables_of_errors_have_every_code() -> None:
    rows = table(PAGE, "code")
    assert {code for row in rows for code in named(row[0])} == set(faults.NEXT)
    (http,) = [found for found in [table(PAGE, "status")] if found]
    codes = {named(row[1])[0]: int(row[0]) for row in http}
    assert codes == gate.STATUS | {"INVALID_JSON": 400}


def test_figures_and_settings_are_those_of_the_code() -> None:
    text = " ".join(read(PAGE).split())
    assert f"for {LEFT_ALONE_HOURS} hours" in text
    assert f"at most {MAX_WORDS:,} characters, a player at most {UNFINISHED_AT_MOST} unfinished" in text
    assert f"longer than {MAX_NAME} characters" in text
    assert f"look again after {QUIET_SECONDS:g} seconds" in text
    settings = {f"PARLAY_{name.upper()}" for name in Settings.model_fields}
    assert set(re.findall(r"PARLAY_\w+", text)) <= settings
    assert f"{DEFAULT_URL}{PATH}" in text and f"http://127.0.0.1:8002{SSE_PATH}" in text


async def test_a_desktop_assistant_s_configuration_starts_a_server(tmp_path: Path) -> None:
    found = [json.loads(block.text) for block in blocks(PAGE) if block.kind == "json"]
    (url, command) = (one["mcpServers"]["parlay"] for one in found)
    assert url == {"type": "http", "url": f"{DEFAULT_URL}{PATH}"}
    assert Path(command["command"]).name == "parlay"
    env = {name: value.replace("/path/to/parlay", str(tmp_path)) for name, value in command["env"].items()}
    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "cli.app", *command["args"]],
        env={"PYTHONPATH": str(ROOT), **env},
        cwd=tmp_path,
    )
    async with session_on(stdio_client(started)) as client:
        over = await client.leave(await client.start())
    assert over["result"]["debrief"] == f"{DEFAULT_URL}/games/{over['game_id']}"
    assert (tmp_path / "parlay.db").exists()


def test_the_example_plays_a_whole_game(server: Together) -> None:
    (block,) = [block for block in blocks(PAGE) if block.kind == "python"]
    said = run_python(block, server.address)
    assert "You play as" in said
    assert "The negotiation is over" in said
    assert f"{server.address}/games/" in said


@pytest.mark.parametrize("transport", ["http", "sse", "stdio"])
def test_both_commands_know_every_transport(transport: str) -> None:
    from typing import get_args

    from cli.app import Transport as InCommandLine
    from mcp_server.server import Transport

    assert transport in get_args(Transport)
    assert {one.value for one in InCommandLine} == set(get_args(Transport))


def test_nothing_of_the_table_needs_a_client() -> None:
    """The tools' work is plain code: FastMCP is not loaded by it."""
    import subprocess

    code = "import sys, mcp_server.table; print({'fastmcp', 'mcp'} & set(sys.modules) or 'none')"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    assert subprocess.check_output([sys.executable, "-c", code], env=env, text=True) == "none\n"
    assert Table is not None

"""Every example, and the smoke test, as a newcomer runs them."""

from __future__ import annotations

import re

import pytest
from websockets.asyncio.server import ServerConnection

from .servers import ROOT, SmallServer, free_port, run


def test_first_result_prints_a_transcript_and_a_grade(url: str) -> None:
    said = run("examples/first_result.py", "--url", url, "--persona", "diplomat")
    assert re.search(r"^ 1 {2}you ", said, re.M)
    assert re.search(r"^Ended by \w+: .*; reward -?\d", said, re.M)
    assert re.search(r"^ {2}efficiency +\d\.\d{3}$", said, re.M)
    assert re.search(r"^Their limit was [\d,]+, yours [\d,]+\.$", said, re.M)


def test_first_result_is_short_enough_to_read() -> None:
    assert len((ROOT / "examples/first_result.py").read_text().splitlines()) < 60


def test_two_agents_end_with_one_deal_and_each_with_its_reward(url: str) -> None:
    said = run("examples/two_agents.py", "--url", url)
    deals = re.findall(r"^(seller|buyer): deal at (\{.*\}), reward -?\d+\.\d$", said, re.M)
    assert [seat for seat, _ in deals] == ["seller", "buyer"]
    assert deals[0][1] == deals[1][1]


@pytest.mark.parametrize("remote", [False, True])
def test_the_trl_example_shows_the_tools_and_plays_without_torch(url: str, remote: bool) -> None:
    said = run("examples/trl_environment.py", *(("--url", url) if remote else ()))
    assert "make_offer(words: " in said
    assert len(re.findall(r"^reward -?\d+\.\d\d$", said, re.M)) == 2
    assert said.count("The negotiation is over: ") == 2


def test_the_smoke_test_holds_seven_checks_against_the_real_server(url: str) -> None:
    lines = run("smoke_test.py", url).splitlines()
    assert [line[:10] for line in lines[:7]] == [f"ok    {n}/7 " for n in range(1, 8)]
    assert lines[7:] == [f"7 of 7 checks hold at {url}"]


def test_the_smoke_test_says_when_nothing_listens() -> None:
    said = run("smoke_test.py", f"http://127.0.0.1:{free_port()}", status=2)
    assert "Nothing answers at http://127.0.0.1:" in said
    assert "make serve" in said


def test_the_smoke_test_fails_where_something_else_listens() -> None:
    async def silent(connection: ServerConnection) -> None:
        await connection.close()

    server = SmallServer(silent, process_request=lambda connection, _: connection.respond(404, "no such page"))
    try:
        said = run("smoke_test.py", server.url, status=1)
    finally:
        server.stop()
    assert said.count("FAIL") == 7
    assert f"0 of 7 checks hold at {server.url}" in said


@pytest.mark.parametrize("argument", ["--help", "ftp://localhost"])
def test_the_smoke_test_explains_itself(argument: str) -> None:
    assert "python smoke_test.py [URL]" in run("smoke_test.py", argument, status=2)

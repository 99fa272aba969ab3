"""Every example, and the smoke test, as a newcomer runs them."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from itertools import product
from types import ModuleType
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection

from parlay_env.models import ParlayAction, ResetOptions
from parlay_env.session import Session

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


def test_two_agents_agree_on_several_issues_too(url: str) -> None:
    said = run("examples/two_agents.py", "--url", url, "--scenario", "supplier_contract")
    deals = re.findall(r"^(?:seller|buyer): deal at (\{.*\}), reward (-?\d+\.\d)$", said, re.M)
    assert len({offer for offer, _ in deals}) == 1
    assert [float(reward) > 0 for _, reward in deals] == [True, True]


@pytest.fixture
def stock(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The stock client's example, where OpenEnv may be missing: only its policy is used."""
    core = ModuleType("openenv.core")
    core.GenericEnvClient = None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "openenv", ModuleType("openenv"))
    monkeypatch.setitem(sys.modules, "openenv.core", core)
    return runpy.run_path(str(ROOT / "examples/stock_client.py"))


def test_the_stock_clients_policy_ends_most_games_in_deals_inside_its_limit(stock: dict[str, Any]) -> None:
    deals = {"supplier_contract": 0, "others": 0}
    for scenario, persona, seat in product(stock["SCENARIOS"], stock["PERSONAS"], stock["SEATS"]):
        session = Session.open(ResetOptions(scenario_id=scenario, persona=persona, seat=seat, seed=7, prompt=False))
        answer = session.answer()
        while not answer.done:
            answer = session.step(ParlayAction.model_validate(stock["move"](answer.observation)))
            assert answer.terms["noise"] == 0.0, (scenario, persona, seat)
        grade = answer.observation["grade"]
        assert not grade["breach"]
        deals[scenario if scenario in deals else "others"] += grade["deal"]
    assert deals["supplier_contract"] >= 4
    assert deals["others"] >= 17
    assert sum(deals.values()) >= 18


@pytest.mark.parametrize("remote", [False, True])
def test_the_trl_example_shows_the_tools_and_plays_without_torch(url: str, remote: bool) -> None:
    said = run("examples/trl_environment.py", *(("--url", url) if remote else ()))
    assert "make_offer(words: " in said
    assert len(re.findall(r"^reward -?\d+\.\d\d$", said, re.M)) == 2
    assert said.count("The negotiation is over: deal at ") == 2
    assert all(float(reward) > 0 for reward in re.findall(r"^reward (-?\d+\.\d\d)$", said, re.M))
    assert "Not allowed" not in said


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


def test_the_smoke_test_says_what_it_needs_where_that_is_missing() -> None:
    program = (
        "import runpy, sys; sys.modules['websockets'] = None; runpy.run_path('smoke_test.py', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "`.venv/bin/python smoke_test.py`" in done.stderr


@pytest.mark.parametrize("argument", ["--help", "ftp://localhost"])
def test_the_smoke_test_explains_itself(argument: str) -> None:
    assert ".venv/bin/python smoke_test.py [URL]" in run("smoke_test.py", argument, status=2)

"""Every shell command that these pages show works."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from tests.clients.servers import RealServer

from .pages import DEFAULT_URL, blocks, read
from .snippets import RUN_AS, commands, program_of, run, serve, starts_a_server

PAGES = ("README.md", "docs/wire.md", "docs/deployment.md")
SCENARIOS_PAGE = "docs/scenarios.md"
SHOWN = [(page, words) for page in PAGES for words in commands(page)]


def those(*programs: str, servers: bool = False) -> list[list[str]]:
    return [words for _, words in SHOWN if program_of(words) in programs and starts_a_server(words) == servers]


@pytest.mark.parametrize("words", those("python", "parlay", "uvicorn", servers=True), ids=" ".join)
def test_a_server_starts_plays_and_stops(words: list[str], tmp_path: Path) -> None:
    log = serve(words, tmp_path / "log")
    assert "Traceback" not in log


@pytest.mark.parametrize("words", those("python"), ids=" ".join)
def test_a_script_succeeds(words: list[str], server: RealServer) -> None:
    script = words[1]
    if "stock_client" in script and importlib.util.find_spec("openenv") is None:
        pytest.skip("OpenEnv is not installed here: `make test-openenv` runs this example")
    assert run([sys.executable, *(word.replace(DEFAULT_URL, server.url) for word in words[1:])])


@pytest.mark.parametrize("words", those("parlay"), ids=" ".join)
def test_the_terminal_game_asks_briefs_and_can_be_left(words: list[str]) -> None:
    assert words[1:] == ["play"]
    said = run([*RUN_AS["parlay"], *words[1:]], "1\n1\n2\nquit\ny\n")
    assert "Enterprise software contract: you are the seller" in said
    assert "Turn 1 of 20" in said


@pytest.mark.parametrize("words", those("make", servers=True) + those("make"), ids=" ".join)
def test_a_make_command_names_a_target_and_variables_that_there_are(words: list[str]) -> None:
    makefile = read("Makefile")
    for word in words[1:]:
        variable, equals, _ = word.partition("=")
        known = rf"^{variable} \?=" if equals else rf"^{word}:.*## "
        assert re.search(known, makefile, re.MULTILINE), word


@pytest.mark.parametrize("words", those("docker"), ids=" ".join)
def test_a_docker_command_fits_the_image(words: list[str]) -> None:
    dockerfile = read("Dockerfile")
    if words[1] == "build":
        assert words[2:] == ["-t", "parlay", "."]
        return
    assert words[1] == "run"
    assert words[-1] == "parlay"
    assert "--read-only" in words
    assert words[words.index("--tmpfs") + 1] == re.findall(r"HOME=(\S+)", dockerfile)[-1] == "/tmp"
    published = words[words.index("-p") + 1].rsplit(":", 1)[1]
    assert f"EXPOSE {published}\n" in dockerfile
    settings = {words[i + 1].partition("=")[0] for i, word in enumerate(words) if word == "-e"}
    assert settings <= set(re.findall(r"`(PARLAY_\w+)`", read("docs/deployment.md")))


def test_a_python_is_always_one_that_has_what_the_script_needs() -> None:
    for _, words in SHOWN:
        assert program_of(words) != "python" or words[0].endswith("/bin/python"), words


def test_the_stock_client_gets_an_environment_outside_the_clone() -> None:
    made = next(words for words in those("python3") if words[1:3] == ["-m", "venv"])
    assert made[3].startswith("/tmp/")
    (pip,) = those("pip")
    assert pip[0] == f"{made[3]}/bin/pip"
    assert pip[1:2] == ["install"]
    assert re.search(rf"^{re.escape(pip[2])}\b", read("tests/openenv/requirements-0.3.txt"), re.MULTILINE)
    assert any(words[:2] == [f"{made[3]}/bin/python", "examples/stock_client.py"] for words in those("python"))


def test_no_command_is_left_out() -> None:
    known = {"python", "python3", "pip", "parlay", "uvicorn", "make", "docker"}
    assert {program_of(words) for _, words in SHOWN} <= known


def test_a_scenario_of_ones_own_is_played_as_its_page_says(tmp_path: Path) -> None:
    example = next(block.text for block in blocks(SCENARIOS_PAGE) if block.kind == "yaml")
    file = tmp_path / "used_car.yaml"
    file.write_text(example, encoding="utf-8")
    play, measure = ([str(file) if word == file.name else word for word in words] for words in commands(SCENARIOS_PAGE))
    assert play[1] == "play"
    assert "A used car: you are the buyer" in run([*RUN_AS["parlay"], *play[1:]], "2\n2\nquit\ny\n")
    assert measure[1] == "run"
    assert "boulware" in run([*RUN_AS["parlay"], *measure[1:], "--episodes", "2", "--workers", "1"])

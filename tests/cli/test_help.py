"""Help is instant and shows examples; what a person does wrong is answered with one red line that tells the way out."""

from __future__ import annotations

import subprocess
import sys

import pytest

from parlay_env import __version__

from .conftest import ROOT, Run, environment, is_one_line

COMMANDS = (
    ("play",),
    ("run",),
    ("eval",),
    ("audit",),
    ("reward-study",),
    ("belief-study",),
    ("reproduce",),
    ("serve",),
    ("mcp",),
    ("bench",),
    ("benchmark", "run"),
    ("benchmark", "score"),
    ("benchmark", "table"),
    ("selfplay",),
    ("data", "build"),
    ("data", "card"),
    ("data", "export"),
    ("data", "headline"),
    ("train", "presets"),
    ("train", "sft"),
    ("train", "grpo"),
    ("train", "eval"),
    ("scenarios", "list"),
    ("scenarios", "show"),
    ("scenarios", "validate"),
)


def test_version(parlay: Run) -> None:
    assert parlay("--version").stdout == f"parlay {__version__}\n"


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_help_lists_the_commands(parlay: Run, arguments: tuple[str, ...]) -> None:
    found = parlay(*arguments)
    assert found.returncode == 0
    assert all(command[0] in found.stdout for command in COMMANDS)


def test_nobody_takes_the_benchmark_for_the_speed_benchmark(parlay: Run) -> None:
    assert "parlay benchmark" in " ".join(parlay("bench", "--help").stdout.split())
    assert "parlay bench." in " ".join(parlay("benchmark", "--help").stdout.split())


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_help_has_an_example(parlay: Run, command: tuple[str, ...]) -> None:
    found = parlay(*command, "--help")
    assert found.returncode == 0
    assert "Example" in found.stdout
    assert f"parlay {' '.join(command)}" in found.stdout


def test_help_loads_nothing_heavy() -> None:
    found = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "cli.app", "--help"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment(),
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in found.stderr.splitlines()}
    assert "typer" in loaded
    assert not loaded & {
        "numpy",
        "pydantic",
        "fastapi",
        "uvicorn",
        "msgspec",
        "yaml",
        "game",
        "parlay_env.deal",
        "asyncio",
    }


@pytest.mark.parametrize(
    ("arguments", "way_out"),
    [
        (("plya",), "Did you mean 'play'"),
        (("run",), "--policy"),
        (("run", "--policy", "boulware", "--episodes", "none"), "parlay run --help"),
        (("run", "--policy", "boulwar"), "choose from random"),
        (("run", "--policy", "random", "--scenario", "saas"), "saas_enterprise"),
        (("run", "--policy", "random", "--persona", "lamb"), "shark, diplomat, veteran, or all"),
        (("run", "--policy", "random", "--seat", "judge"), "seller, buyer, or both"),
        (("run", "--policy", "random", "--split", "dev"), "train, validation, test"),
        (("run", "--policy", "random", "--by", "day"), "policy, scenario, persona, seat, cell"),
        (("run", "--policy", "random", "--json", "no/such/folder.json"), "no such folder"),
        (("run", "--policy", "random", "--seed-start", str(2**53)), "seed-start"),
        (("eval",), "--policies"),
        (("eval", "--policies", "boulwar"), "choose from random"),
        (("eval", "--policies", "random", "--scenario", "saas"), "saas_enterprise"),
        (("eval", "--policies", "random", "--split", "dev"), "train, validation, test"),
        (("eval", "--policies", "random", "--reward", "naive"), "default, literal"),
        (("eval", "--policies", "random", "--seed-start", str(2**53)), "seed-start"),
        (("reward-study", "no/such/folder"), "parlay eval --out no/such/folder"),
        (("belief-study", "--learner", "boulwar"), "--learner: policy must be one of random"),
        (("belief-study", "--split", "dev"), "train, validation, test"),
        (("belief-study", "--episodes", "0"), "--episodes"),
        (("belief-study", "--seed-start", str(2**53)), "--seed-start counts from"),
        (("belief-study", "--write", "no/page.md"), "beliefs:begin"),
        (("belief-study", "--json", "no/such/folder.json"), "no such folder"),
        (("belief-study", "--episodes", "3", "--out", "/dev/null/beliefs"), "name another folder (--out)"),
        (("benchmark", "run", "--policy", "boulwar", "--out", "run"), "choose from random"),
        (("benchmark", "run", "--policy", "boulware"), "--out"),
        (("benchmark", "score", "nowhere.jsonl"), "name a record"),
        (("benchmark", "score", "nowhere.jsonl", "--name", "a|b"), "--name has letters"),
        (("benchmark", "score", "nowhere.jsonl", "--json", "no/such/folder.json"), "no such folder"),
        (("benchmark", "table", "nowhere"), "parlay benchmark run --out nowhere"),
        (("benchmark", "table", "nowhere", "--write", "nowhere.md"), "bench-1:begin"),
        (("play", "--scenario", "saas"), "saas_enterprise"),
        (("play", "--seat", "judge"), "seller, buyer"),
        (("play", "--persona", "lamb"), "shark, diplomat, veteran, any"),
        (("play", "--seed", "-1"), "--seed"),
        (("scenarios", "show", "saas"), "saas_enterprise"),
        (("bench", "--rows", "speed"), "core, batch, debrief, socket, idle, startup, people"),
        (("bench", "--openenv-python", "/no/python"), "openenv==0.10.0"),
        (("serve", "--port", "70000"), "65535"),
        (("mcp", "pigeon"), "stdio"),
        (("mcp", "stdio", "--port", "8002"), "go with http and sse"),
    ],
)
def test_what_is_asked_wrongly_is_answered_with_the_way_out(
    parlay: Run, arguments: tuple[str, ...], way_out: str
) -> None:
    found = parlay(*arguments)
    assert found.returncode == 2
    assert is_one_line(found.stderr)
    assert way_out in found.stderr


def test_errors_are_red_where_there_is_colour(parlay: Run) -> None:
    assert parlay("plya", FORCE_COLOR="1").stderr.startswith("\x1b[31m")
    assert "\x1b" not in parlay("plya", FORCE_COLOR="1", NO_COLOR="1").stderr


def test_a_terminal_without_unicode_gets_no_traceback(parlay: Run) -> None:
    found = parlay("scenarios", "show", "saas_enterprise", PYTHONIOENCODING="ascii")
    assert found.returncode == 0
    assert "Traceback" not in found.stderr

"""Every command in docs/cli.md runs as it stands there, and the page names every option there is."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import COMMAND, ROOT, Run, environment
from .test_serve import free_port, healthy

PAGE = (ROOT / "docs" / "cli.md").read_text("utf-8")
EXAMPLES = [
    example.strip()
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for example in re.split(r"^\$ ", block, flags=re.MULTILINE)
    if example.strip()
]
SHELL = f'parlay() {{ {shlex.join(COMMAND)} "$@"; }}\n'


def test_there_are_examples_of_every_command() -> None:
    shown = {command for example in EXAMPLES for command in re.findall(r"\bparlay ([a-z-]+)", example)}
    studies = {
        "eval",
        "audit",
        "reward-study",
        "belief-study",
        "injection-study",
        "benchmark",
        "selfplay",
        "data",
        "train",
    }
    assert shown == {"play", "run", *studies, "narrate", "read", "scenarios", "serve", "mcp", "bench"}


@pytest.mark.parametrize("example", [e for e in EXAMPLES if not e.startswith("parlay serve")])
def test_the_example_runs(example: str, tmp_path: Path) -> None:
    car = (ROOT / "docs" / "scenarios.md").read_text("utf-8").partition("```yaml\n")[2].partition("```")[0]
    (tmp_path / "used_car.yaml").write_text(car, "utf-8")
    found = subprocess.run(
        ["bash", "-c", SHELL + example], capture_output=True, text=True, cwd=tmp_path, env=environment(), check=False
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout


def test_the_game_shown_ends_in_a_deal_inside_the_limit_and_the_page_shows_how() -> None:
    example = next(e for e in EXAMPLES if e.startswith("parlay play"))
    found = subprocess.run(
        ["bash", "-c", SHELL + example], capture_output=True, text=True, env=environment(), check=True
    )
    ended = found.stdout.partition("How it ended")[2].partition("What they hid")[0]
    assert re.search(r"That is [\d,]+ inside your limit", ended)
    points = re.search(r"Points +([+-][\d.]+)", ended)
    assert points is not None
    assert float(points[1]) > 30
    shown = PAGE.partition("The debrief begins:")[2].partition("```text\n")[2].partition("```")[0]
    names = [line.split("  ")[0] for line in shown.strip().splitlines()[3:]]
    assert names == ["E", "Nash point", "Left", "Their limit", "Points"]
    printed = " ".join(ended.split())
    assert [line for line in shown.strip().splitlines() if " ".join(line.split()) not in printed] == []


@pytest.mark.parametrize("example", [e for e in EXAMPLES if e.startswith("parlay serve")])
def test_the_server_of_the_example_answers(example: str) -> None:
    port = free_port()
    arguments = [str(port) if word.isdigit() else word for word in shlex.split(example)[1:]]
    process = subprocess.Popen(
        [sys.executable, "-m", "cli.app", *arguments], cwd=ROOT, env=environment(), stderr=subprocess.DEVNULL
    )
    try:
        assert healthy(port)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    "command",
    [
        *("play", "run", "eval", "audit", "reward-study", "belief-study", "read", "serve", "mcp", "bench"),
        *("injection-study", "narrate"),
        *("benchmark run", "benchmark score", "benchmark table"),
        *("selfplay", "data build", "data card", "data export", "data headline"),
        *("train presets", "train sft", "train grpo", "train eval"),
    ],
)
def test_the_page_names_every_option(parlay: Run, command: str) -> None:
    options = set(re.findall(r"--[a-z]+(?:-[a-z]+)*", parlay(*command.split(), "--help", COLUMNS="200").stdout))
    spelt_otherwise = {"--help", "--no-color", "--host", "--port"}
    missing = {option for option in options - spelt_otherwise if option not in PAGE}
    assert not missing

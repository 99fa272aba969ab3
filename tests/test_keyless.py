"""The product works with no key, no network, no GPU, no home and no luck: everything that is played here is played by
code that ships, and plays the same everywhere."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agent.baselines import BASELINES, baseline
from agent.registry import OPPONENTS, opponent
from game.scenarios import scenarios
from parlay_env.core import Episode, play_episode, replay
from parlay_env.deal.state import SEATS
from tests.world import GAME, SCENARIO_IDS, setup

ROOT = Path(__file__).parents[1]
HEAVY = "torch transformers trl peft ray gradio openenv openenv_core google openai anthropic matplotlib pandas scipy"
KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HF_TOKEN")
WHAT = [
    name
    for name in (
        *("parlay_env", "parlay_env.core", "parlay_env.deal.game", "parlay_env.grader", "parlay_env.observe"),
        *("parlay_env.client", "parlay_env.environment", "parlay_env.server", "parlay_env.session", "main", "cli.app"),
        *("agent.registry", "agent.baselines", "game.scenarios", "game.events"),
    )
    if find_spec(name)
]
PLAY = """
import hashlib, msgspec
from agent.baselines import baseline
from agent.registry import OPPONENTS, opponent, profile
from game.scenarios import scenarios
from parlay_env.core import play_episode
from parlay_env.deal.game import Deal
from parlay_env.deal.state import Setup
digest = hashlib.sha256()
for i, (name, scenario) in enumerate(scenarios().items()):
    for persona in OPPONENTS:
        seat, other = ("seller", "buyer") if i % 2 else ("buyer", "seller")
        setup = Setup(scenario, seat=seat, opponent=profile(persona))
        players = {seat: baseline("tit_for_tat"), other: opponent(persona)}
        episode = play_episode(Deal(), setup, 1000 + i, players)
        digest.update(msgspec.json.encode(episode.state, order="deterministic") + episode.log.to_jsonl())
        digest.update(repr(sorted(episode.rewards.items())).encode())
print(digest.hexdigest())
"""


def bare(code: str, *options: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python with next to nothing in its environment."""
    found = {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    command = [sys.executable, *options, "-c", code]
    return subprocess.run(command, cwd=cwd, env=found, capture_output=True, text=True, timeout=120, check=False)


def episode(name: str, persona: str, seat: str, seed: int = 5, learner: str = "tit_for_tat") -> Episode:
    chosen = setup(name, persona, seat=seat)
    players = {seat: baseline(learner), SEATS[1 - chosen.learner]: opponent(persona)}
    return play_episode(GAME, chosen, seed, players)


@pytest.fixture
def nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No key, no home, and a network that fails loudly."""
    for key in KEYS:
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")

    def refuse(*args: Any, **_: Any) -> None:
        raise AssertionError(f"the network was asked for: {args[-1:]}")

    for name in ("connect", "connect_ex", "sendto", "bind"):
        monkeypatch.setattr(socket.socket, name, refuse, raising=False)
    for name in ("getaddrinfo", "gethostbyname", "create_connection"):
        monkeypatch.setattr(socket, name, refuse)


@pytest.mark.parametrize("module", WHAT)
def test_nothing_heavy_and_no_model_client_is_imported_by(module: str) -> None:
    code = f"import sys, {module}\nprint(*sorted(set('{HEAVY}'.split()) & {{m.split('.')[0] for m in sys.modules}}))"
    result = bare(code)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == []


@pytest.mark.usefixtures("nothing")
@pytest.mark.parametrize("persona", OPPONENTS)
@pytest.mark.parametrize("name", SCENARIO_IDS)
def test_every_scenario_is_played_to_an_end_against_every_opponent_from_both_seats(name: str, persona: str) -> None:
    for seat in SEATS:
        played = episode(name, persona, seat)
        assert played.state.public.ended is not None
        assert played.rewards[seat]


@pytest.mark.usefixtures("nothing")
@pytest.mark.parametrize("learner", BASELINES)
def test_every_baseline_plays_to_an_end(learner: str) -> None:
    assert episode("saas_enterprise", "veteran", "buyer", learner=learner).state.public.ended is not None


@pytest.mark.usefixtures("nothing")
def test_the_opponents_speak_without_a_model() -> None:
    said = []
    for seed in range(4):
        log = episode("hiring_package", OPPONENTS[seed % 3], "seller", seed).log
        assert log is not None
        moves = [moves["buyer"] for moves in log.moves(GAME.move_type) if "buyer" in moves]
        said += [move.utterance for move in moves if move.card != "silence"]
    assert len(said) > 20
    assert all(said)


@pytest.mark.usefixtures("nothing")
def test_a_log_is_replayed_without_the_players() -> None:
    played = episode("acquisition_term_sheet", "shark", "seller")
    assert played.log is not None
    again = replay(GAME, played.log)
    assert again.state == played.state
    assert again.rewards == played.rewards


@pytest.mark.usefixtures("nothing")
def test_the_four_scenarios_ship_with_the_code() -> None:
    assert set(scenarios()) == {"saas_enterprise", "hiring_package", "acquisition_term_sheet", "supplier_contract"}


@pytest.mark.usefixtures("nothing")
def test_playing_touches_no_global_randomness_and_starts_no_thread() -> None:
    before = random.getstate(), np.random.get_state()[1].tobytes(), threading.active_count()  # noqa: NPY002
    episode("saas_enterprise", "shark", "seller")
    after = random.getstate(), np.random.get_state()[1].tobytes(), threading.active_count()  # noqa: NPY002
    assert before == after


@pytest.fixture(scope="module")
def digest() -> str:
    """Of twelve episodes, every state, log and reward."""
    result = bare(PLAY)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "1"},
        {"PYTHONHASHSEED": "4242"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"TZ": "Pacific/Kiritimati"},
        {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""},
    ],
    ids=["hash seed", "another", "plain locale", "time zone", "one thread"],
)
def test_episodes_are_the_same_whatever_the_environment(digest: str, environment: dict[str, str]) -> None:
    result = bare(PLAY, **environment)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == digest


def test_episodes_are_the_same_with_assertions_stripped(digest: str) -> None:
    result = bare(PLAY, "-O")
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == digest


def test_playing_needs_no_home_no_working_folder_and_writes_no_file(digest: str, tmp_path: Path) -> None:
    guard = """
import sys
def watch(event, args):
    if event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        raise PermissionError(f"a file was written: {args[0]}")
    if event in ("socket.connect", "socket.bind", "subprocess.Popen", "os.system", "os.mkdir", "os.remove"):
        raise PermissionError(event)
sys.addaudithook(watch)
"""
    result = bare(guard + PLAY, cwd=tmp_path, HOME="/nonexistent")
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == digest
    assert list(tmp_path.iterdir()) == []


def test_importing_the_core_takes_no_clock_and_no_network() -> None:
    code = (
        "import sys, parlay_env.deal.game, agent.registry\nprint(*{'asyncio', 'ssl', 'http.client'} & set(sys.modules))"
    )
    result = bare(code)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == []

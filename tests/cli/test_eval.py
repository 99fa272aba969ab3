"""`parlay eval` and `parlay reward-study`: a run that was killed goes on, and what comes out is the same."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import COMMAND, Run, environment, is_one_line

QUICK = ("--scenario", "saas_enterprise", "--persona", "shark", "--no-plots")
LONG = (
    *("eval", "--policies", "tit_for_tat,conceder", "--episodes", "40", "--no-plots"),
    *("--scenario", "saas_enterprise,supplier_contract", "--out", "long"),
)
WHOLE = 2 * 12 * 40


def eval_quickly(parlay: Run, *more: str, policies: str = "tit_for_tat,boulware", out: str = "run") -> str:
    found = parlay("eval", "--policies", policies, "--episodes", "3", *QUICK, "--out", out, *more)
    assert found.returncode == 0, found.stderr
    return found.stdout


def summary(folder: Path) -> bytes:
    return (folder / "summary.json").read_bytes()


@contextlib.contextmanager
def started(folder: Path, *more: str):
    """A long evaluation in a process group of its own, once its first results are on disk."""
    process = subprocess.Popen(
        [*COMMAND, *LONG, *more],
        cwd=folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        deadline, file = time.monotonic() + 60, folder / "long" / "episodes.jsonl"
        while not (file.exists() and file.read_bytes().count(b"\n") > 21):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.02)
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The long evaluation, that nothing stopped."""
    folder = tmp_path_factory.mktemp("whole")
    subprocess.run([*COMMAND, *LONG], cwd=folder, env=environment(), capture_output=True, check=True)
    return folder / "long"


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short evaluation, finished."""
    folder = tmp_path_factory.mktemp("ready")
    subprocess.run(
        [*COMMAND, "eval", "--policies", "tit_for_tat,boulware", "--episodes", "3", *QUICK, "--out", "run"],
        cwd=folder,
        env=environment(),
        capture_output=True,
        check=True,
    )
    return folder / "run"


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_run_that_was_killed_goes_on_to_the_same_summary(
    parlay: Run, tmp_path: Path, whole: Path, workers: str
) -> None:
    with started(tmp_path, "--workers", workers) as process:
        process.kill()
        process.wait(30)
        played = (tmp_path / "long" / "episodes.jsonl").read_bytes()
        assert 20 <= played.count(b"\n") - 1 < WHOLE
        deadline = time.monotonic() + 30
        with contextlib.suppress(ProcessLookupError):
            while time.monotonic() < deadline:
                os.killpg(process.pid, 0)
                time.sleep(0.05)
            pytest.fail("a worker process outlives the one that was killed")
    (tmp_path / "long" / "episodes.jsonl").write_bytes(played + b'{"policy": "tit_f')  # killed in the middle of a line
    again = parlay(*LONG, "--workers", "1")
    assert again.returncode == 0, again.stderr
    assert again.stderr.startswith(f"going on: {played.count(b'%c' % 10) - 1:,} of {WHOLE:,} episodes are there\n")
    for name in ("summary.json", "report.md"):
        assert (tmp_path / "long" / name).read_bytes() == (whole / name).read_bytes()


def test_ctrl_c_keeps_what_was_played_and_says_so(tmp_path: Path) -> None:
    with started(tmp_path, "--workers", "2") as process:
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=60)
        assert process.returncode == 130
        assert told == "what was played is kept; the same command goes on with it\nparlay: stopped\n"
    assert (tmp_path / "long" / "episodes.jsonl").read_bytes().count(b"\n") > 20


def test_a_finished_run_is_shown_again_without_being_played(parlay: Run, tmp_path: Path) -> None:
    first = eval_quickly(parlay)
    before = (tmp_path / "run" / "episodes.jsonl").stat().st_mtime_ns, summary(tmp_path / "run")
    (tmp_path / "run" / "summary.json").unlink()
    assert eval_quickly(parlay) == first
    assert ((tmp_path / "run" / "episodes.jsonl").stat().st_mtime_ns, summary(tmp_path / "run")) == before


def test_it_measures_on_held_out_seeds_what_run_measures(parlay: Run, tmp_path: Path, ready: Path) -> None:
    run = ("run", "--policy", "tit_for_tat,boulware", "--episodes", "3", *QUICK[:4], "--split", "test")
    assert parlay(*run, "--json", "run.json").returncode == 0
    ours = json.loads(summary(ready))["summaries"]
    for theirs in json.loads((tmp_path / "run.json").read_bytes())["summaries"]:
        (same,) = [one for one in ours if (one["by"], one["group"]) == (theirs["by"], theirs["group"])]
        assert {key: same[key] for key in theirs} == theirs


def test_words_change_no_figure(parlay: Run, tmp_path: Path) -> None:
    eval_quickly(parlay, policies="tit_for_tat,boulware,echo_opponent")
    eval_quickly(parlay, "--words", policies="tit_for_tat,boulware,echo_opponent", out="spoken")
    spoken, silent = (json.loads(summary(tmp_path / name)) for name in ("spoken", "run"))
    assert (spoken.pop("words"), silent.pop("words")) == (True, False)
    assert spoken == silent


def test_plots_stand_beside_the_report(parlay: Run, tmp_path: Path) -> None:
    asked = ("--policies", "tit_for_tat,boulware", "--episodes", "3", *QUICK[:4], "--out", "run")
    assert parlay("eval", *asked).returncode == 0
    report = (tmp_path / "run" / "report.md").read_text("utf-8")
    for name in ("reward_by_policy", "efficiency_by_persona", "reward_by_cell", "ends_by_turn"):
        assert (tmp_path / "run" / f"{name}.png").stat().st_size > 10_000
        assert (tmp_path / "run" / f"{name}.svg").exists()
        assert f"({name}.png)" in report


def test_without_matplotlib_it_says_how_to_get_it_and_goes_on(parlay: Run, tmp_path: Path) -> None:
    (tmp_path / "matplotlib.py").write_text("raise ImportError\n")
    path = f"{tmp_path}{os.pathsep}{environment()['PYTHONPATH']}"
    found = parlay(*("eval", "--policies", "conceder", "--episodes", "2", *QUICK[:4], "--out", "run"), PYTHONPATH=path)
    assert found.returncode == 0, found.stderr
    assert f"without plots: plots need matplotlib: {sys.executable} -m pip install" in found.stderr
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["episodes.jsonl", "report.md", "summary.json"]


def test_a_terminal_sees_how_far_it_is(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [*COMMAND, "eval", "--policies", "conceder", "--episodes", "40", *QUICK, "--workers", "1"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.DEVNULL, stderr=theirs
    ) as process:
        os.close(theirs)
        seen = b""
        with contextlib.suppress(OSError):
            while part := os.read(ours, 4096):
                seen += part
    os.close(ours)
    assert process.returncode == 0
    assert b"80/80" in seen
    assert (tmp_path / "outputs" / "eval" / "report.md").exists()


# What is asked wrongly ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--policies", "conceder"), "other policies (it lacks conceder; it has tit_for_tat, boulware)"),
        (("--episodes", "4"), "other episodes (there 3, here 4); name another folder (--out)"),
        (("--seat", "buyer"), "other cells"),
        (("--split", "train"), "other split (there test, here train)"),
        (("--reward", "literal"), "other reward (there default, here literal)"),
        (("--words",), "other words (there off, here on)"),
    ],
)
def test_another_run_in_the_same_folder_is_refused(parlay: Run, ready: Path, more: tuple[str, ...], told: str) -> None:
    before = (ready / "episodes.jsonl").read_bytes()
    found = parlay(
        *("eval", "--policies", "tit_for_tat,boulware", "--episodes", "3", *QUICK, "--out", str(ready), *more)
    )
    assert found.returncode == 2
    assert is_one_line(found.stderr)
    assert told in found.stderr
    assert (ready / "episodes.jsonl").read_bytes() == before


def test_a_damaged_file_is_named_by_its_line(parlay: Run, tmp_path: Path, ready: Path) -> None:
    file = tmp_path / "run" / "episodes.jsonl"
    file.parent.mkdir()
    lines = (ready / "episodes.jsonl").read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join((*lines[:2], b"oops\n", *lines[2:])))
    found = parlay("eval", "--policies", "tit_for_tat,boulware", "--episodes", "3", *QUICK, "--out", "run")
    assert found.returncode == 1
    assert is_one_line(found.stderr)
    assert "run/episodes.jsonl, line 3:" in found.stderr


def test_a_folder_that_can_t_be_one_is_told(parlay: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    found = parlay("eval", "--policies", "conceder", "--episodes", "1", *QUICK, "--out", "file")
    assert found.returncode == 2
    assert is_one_line(found.stderr)
    assert "can't write to file" in found.stderr
    assert (tmp_path / "file").read_text() == "mine"


# The reward study -----------------------------------------------------------------------------------------------------


def test_the_reward_is_studied_beside_the_literal_one(parlay: Run, tmp_path: Path) -> None:
    policies = "conceder,instant_accept,belief_wiggle"
    eval_quickly(parlay, policies=policies)
    eval_quickly(parlay, "--reward", "literal", policies=policies, out="literal")
    found = parlay("reward-study", "run", "--literal", "literal")
    assert found.returncode == 0, found.stderr
    assert "Over 6 points (policies × cells)" in found.stdout
    assert "Kendall's τ of the policies' orders under both rewards" in found.stdout
    assert (tmp_path / "run" / "reward_study.md").read_text("utf-8") == found.stdout
    study = json.loads((tmp_path / "run" / "reward_study.json").read_bytes())
    assert {one["policy"] for one in study["literal"]} == set(policies.split(","))


def test_a_study_of_what_is_not_there_says_how_to_make_it(parlay: Run, tmp_path: Path, ready: Path) -> None:
    for arguments, told in (
        (("reward-study", "nowhere"), "parlay eval --out nowhere"),
        (("reward-study",), "DIR"),
    ):
        found = parlay(*arguments)
        assert found.returncode == 2
        assert is_one_line(found.stderr)
        assert told in found.stderr
    too_few = parlay("reward-study", str(ready))
    assert (too_few.returncode, "at least three policies" in too_few.stderr) == (2, True)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "episodes.jsonl").write_bytes((ready / "episodes.jsonl").read_bytes()[:-10])
    unfinished = parlay("reward-study", "run")
    assert (unfinished.returncode, "1 episodes are missing" in unfinished.stderr) == (2, True)


def test_the_same_reward_twice_is_no_comparison(parlay: Run) -> None:
    policies = "conceder,random,tit_for_tat"
    eval_quickly(parlay, policies=policies)
    found = parlay("reward-study", "run", "--literal", "run")
    assert found.returncode == 2
    assert "--reward default with one under --reward literal" in found.stderr

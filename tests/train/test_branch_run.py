"""A run at branches logs what it did, goes on after a kill as if there had been none, and gives a model that loads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from training import models
from training.branch_run import METHODS, Method, run
from training.data.form import DataSet
from training.presets import Preset, Shaping
from training.run_folder import RunFolder, RunMismatch

ROOT = Path(__file__).resolve().parents[2]
TIMED = ("rollout_s", "update_s", "environment_share")


class Killed(Exception):
    """Stands for the end of the process."""


def untimed(out: Path) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in TIMED} for row in RunFolder(out).rows()]


def weights(out: Path) -> dict[str, list[float]]:
    model, _ = models.load(str(out / "model"))
    return {name: one.flatten().tolist() for name, one in model.named_parameters()}


@pytest.mark.parametrize("method", METHODS)
def test_a_killed_run_goes_on_as_if_it_had_not_been(
    method: Method, url: str, data: DataSet, learned: Path, chosen: Preset, tmp_path: Path
) -> None:
    def go(out: Path, killed_after: int | None = None) -> None:
        def told(step: int, _: int, __: object) -> None:
            if step == killed_after:
                raise Killed

        run(method=method, model=str(learned), data=data, chosen=chosen, out=out, url=url, told=told)

    go(tmp_path / "whole")
    with pytest.raises(Killed):
        go(tmp_path / "killed", killed_after=1)
    assert not (tmp_path / "killed" / "model").exists()
    go(tmp_path / "killed")

    rows = untimed(tmp_path / "whole")
    assert untimed(tmp_path / "killed") == rows
    assert weights(tmp_path / "killed") == weights(tmp_path / "whole")
    assert [row["step"] for row in rows] == [0, 1, 2, 3]
    assert sum(row.get("updates", chosen.branch.updates) for row in rows[1:] if row["learned"]) >= 2
    assert rows[0]["likeliest_gain"] == 0.0
    assert rows[-1]["likeliest_low"] <= rows[-1]["likeliest"] <= rows[-1]["likeliest_high"]


def test_transcripts_tell_every_answer_at_a_branch(
    url: str, data: DataSet, learned: Path, chosen: Preset, tmp_path: Path
) -> None:
    once = replace(chosen, branch=replace(chosen.branch, rounds=1, own=True))
    run(method="grpo", model=str(learned), data=data, chosen=once, out=tmp_path, url=url)
    (told,) = [msgspec.json.decode(line) for line in (tmp_path / "transcripts.jsonl").read_bytes().splitlines()]
    assert len(told["answers"]) == chosen.branch.k
    assert f"turn {len(told['task']['history']) + 1} " in told["asked"]


def test_with_the_likeliest_rest_the_same_message_comes_to_the_same(
    url: str, data: DataSet, learned: Path, chosen: Preset, tmp_path: Path
) -> None:
    options = replace(chosen.branch, rounds=1, k=8, temperature=0.3, rest=0.0)
    run(method="grpo", model=str(learned), data=data, chosen=replace(chosen, branch=options), out=tmp_path, url=url)
    (told,) = [msgspec.json.decode(line) for line in (tmp_path / "transcripts.jsonl").read_bytes().splitlines()]
    came: dict[str, set[float]] = {}
    for one in told["answers"]:
        came.setdefault(one["said"], set()).add(round(one["reward"], 6))
    assert len(came) < len(told["answers"]), "some message was said twice"
    assert all(len(rewards) == 1 for rewards in came.values())


def test_shaping_is_learned_from_and_logged_and_left_out_of_what_is_measured(
    url: str, data: DataSet, learned: Path, chosen: Preset, tmp_path: Path
) -> None:
    def go(name: str, shaping: Shaping) -> list[dict[str, Any]]:
        options = replace(chosen.branch, rounds=2, shaping=shaping)
        run(
            method="grpo",
            model=str(learned),
            data=data,
            chosen=replace(chosen, branch=options),
            out=tmp_path / name,
            url=url,
        )
        return untimed(tmp_path / name)

    plain, with_it = go("plain", Shaping()), go("with it", Shaping(ise=1.0, lo=1.0))
    assert [row["shaping"] for row in plain[1:]] == [0.0, 0.0]
    assert with_it[1]["shaping"] > 0, "some branch ends in a deal"
    assert with_it[1]["reward"] == pytest.approx(plain[1]["reward"] + with_it[1]["shaping"])
    assert with_it[0] == plain[0], "what is measured is what the environment pays"
    assert weights(tmp_path / "with it") != weights(tmp_path / "plain")
    told = msgspec.json.decode((tmp_path / "with it" / "transcripts.jsonl").read_bytes().splitlines()[-1])
    assert all(one["shaping"] >= 0 for one in told["answers"])


def test_another_method_does_not_go_on_with_the_run(
    url: str, data: DataSet, learned: Path, chosen: Preset, tmp_path: Path
) -> None:
    once = replace(chosen, branch=replace(chosen.branch, rounds=1))
    run(method="grpo", model=str(learned), data=data, chosen=once, out=tmp_path, url=url)
    with pytest.raises(RunMismatch, match="another kind"):
        run(method="dpo", model=str(learned), data=data, chosen=once, out=tmp_path, url=url)


def parlay(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command as a person has it."""
    command = [sys.executable, "-m", "cli.app", *arguments]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=env, timeout=120, check=False)


def test_the_command_trains_and_refuses_a_method_that_there_is_not(
    url: str, data_folder: Path, learned: Path, tmp_path: Path
) -> None:
    asked = ["train", "branch", "--model", str(learned), "--data", str(data_folder), "--preset", "tiny", "--url", url]
    small = ["--rounds", "1", "--set", "branch.prefixes=2", "--set", "branch.k=2", "--set", "branch.held_out=2"]
    made = parlay(*asked, *small, "--method", "grpo", "--threads", "1", "--out", str(tmp_path / "run"))
    assert made.returncode == 0, made.stderr
    assert weights(tmp_path / "run")
    refused = parlay(*asked, "--method", "ppo", "--out", str(tmp_path / "no"))
    assert refused.returncode == 2
    assert refused.stderr == "parlay: a method is one of grpo, dpo, star; not 'ppo'\n"
    assert not (tmp_path / "no").exists()

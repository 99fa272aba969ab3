"""Supervised training on several processes: they learn what one learns, and the first alone writes."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest

from training.run_folder import RESULT, RunFolder

from .small_data import data_set

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not here: pip install -r requirements-train.txt"),
]
ROOT = Path(__file__).resolve().parents[2]
CONFIGS = ROOT / "training/accelerate"
EIGHT = CONFIGS / "eight_gpus_fsdp.yaml"
LORA = "lora={rank: 4, alpha: 8, dropout: 0.0}"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return data_set(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def alone(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one process, with batches of eight."""
    out = tmp_path_factory.mktemp("alone") / "run"
    done = ran([sys.executable], *sft(data, out, batch=8))
    assert done.returncode == 0, done.stderr
    return out


def sft(data: Path, out: Path, *, batch: int, model: Path | None = None) -> list[str]:
    """The command line, after Python's own part of it. It learns from 32 examples, so that four batches are a run."""
    made = ["-m", "cli.app", "train", "sft", "--data", str(data), "--preset", "tiny", "--out", str(out)]
    made += ["--set", "sft.examples=32", "--set", f"sft.batch={batch}"]
    return made if model is None else [*made, "--model", str(model)]


def ran(before: list[str], *words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    return subprocess.run(
        [*before, *words], cwd=cwd, env=environment, capture_output=True, text=True, timeout=240, check=False
    )


def launch(config: Path, processes: int) -> list[str]:
    """`accelerate launch` of a configuration on this machine, which has no GPU: so many processes, and float32."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    words = ["--num_processes", str(processes), "--mixed_precision", "no", "--main_process_port", port]
    return [sys.executable, "-m", "accelerate.commands.launch", "--config_file", str(config), *words]


def losses(out: Path) -> list[float]:
    return [row["loss"] for row in RunFolder(out).rows() if "loss" in row]


@pytest.mark.parametrize(("name", "kind", "processes"), [("one_gpu", "NO", 1), ("eight_gpus_fsdp", "FSDP", 8)])
def test_accelerate_reads_the_configurations(name: str, kind: str, processes: int) -> None:
    config: Any = import_module("accelerate.commands.config.config_args")
    found = config.load_config_from_file(str(CONFIGS / f"{name}.yaml"))
    assert found.distributed_type == import_module("accelerate.utils").DistributedType[kind]
    assert (found.num_processes, found.mixed_precision, found.use_cpu) == (processes, "bf16", False)


def test_the_fields_of_fsdp_are_those_that_accelerate_launch_takes() -> None:
    launcher: Any = import_module("accelerate.commands.launch")
    known = vars(launcher.launch_command_parser().parse_args(["script.py"]))
    fields = import_module("yaml").safe_load(EIGHT.read_text())["fsdp_config"]
    assert [name for name in fields if name not in known] == []


def test_two_processes_learn_what_one_learns_from_batches_twice_as_large(
    data: Path, alone: Path, tmp_path: Path
) -> None:
    torch: Any = import_module("torch")
    transformers: Any = import_module("transformers")
    out = tmp_path / "run"
    words = sft(data, out, batch=4)
    done = ran(launch(EIGHT, 2), *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("32 examples") == 1, "every process told of the run"
    assert losses(out) == pytest.approx(losses(alone), rel=1e-4)
    assert len(losses(out)) == 4
    one, other = (transformers.AutoModelForCausalLM.from_pretrained(run / "model") for run in (alone, out))
    pairs = zip(one.parameters(), other.parameters(), strict=True)
    assert all(torch.allclose(a, b, atol=1e-4) for a, b in pairs)
    assert msgspec.json.decode((out / "config.json").read_bytes())["processes"] == 2
    again = ran([sys.executable], *words)
    assert again.returncode == 2
    assert "holds a run with another processes" in again.stderr.replace("\n", " ")


def test_a_run_of_two_processes_that_was_killed_goes_on_from_its_checkpoint(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = [*launch(EIGHT, 2), *sft(data, out, batch=4)]
    assert ran(command).returncode == 0
    before = RunFolder(out).rows()
    (out / RESULT).unlink()  # as if it had been killed while it wrote the last checkpoint
    (out / "checkpoints/checkpoint-4/trainer_state.json").unlink()
    done = ran(command)
    assert done.returncode == 0, done.stderr
    after = RunFolder(out).rows()
    kept = [row for row in before if row["step"] <= 3]  # their seconds, too, are those of the first time
    assert [row for row in after if row["step"] <= 3] == kept
    assert after[len(kept)]["loss"] == pytest.approx(before[len(kept)]["loss"], rel=1e-4)
    assert "4/4" in done.stderr


def test_with_one_gpus_configuration_it_is_one_process(data: Path, alone: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = ran(launch(CONFIGS / "one_gpu.yaml", 1), *sft(data, out, batch=8))
    assert done.returncode == 0, done.stderr
    assert losses(out) == pytest.approx(losses(alone), rel=1e-6)


def test_what_was_trained_in_shards_is_whole_again_on_the_first_process(alone: Path) -> None:
    command = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    done = ran([sys.executable], *command, "tests/train/shards.py", str(alone / "base"))
    assert done.returncode == 0, done.stderr
    assert "whole again" in done.stdout


@pytest.mark.parametrize("words", [["grpo", "--model", "m", "--out", "o"], ["eval", "a=m"]])
def test_what_one_process_does_is_refused_to_several(words: list[str], tmp_path: Path) -> None:
    done = ran(launch(EIGHT, 2), "-m", "cli.app", "train", *words, "--preset", "tiny", cwd=tmp_path)
    assert done.returncode != 0
    assert "is done by several processes together" in done.stderr.replace("\n", " ")

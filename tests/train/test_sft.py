"""Supervised training for real: a tiny model, TRL's trainer, and a process that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

from training import models
from training.data.form import DataSet, load
from training.lessons import lessons
from training.presets import Preset, preset
from training.run_folder import RunFolder, RunMismatch
from training.sft import SftError, newest, run, template

from .conftest import QUICK


def test_a_run_learns_and_what_comes_out_answers(data: DataSet, quick: Preset, tmp_path: Path) -> None:
    result = run(data, quick, tmp_path / "run")
    rows = RunFolder(tmp_path / "run").rows()
    losses = [row["loss"] for row in rows if "loss" in row]
    assert losses[-1] < 0.7 * losses[0]
    assert result.steps == 2 * -(-result.examples // 16)
    assert result.loss is not None and result.loss < losses[0]
    model, tokenizer = models.load(str(result.model))
    assert model.num_parameters() < 1_250_000
    assert tokenizer.chat_template
    assert run(data, quick, tmp_path / "run") == result
    assert RunFolder(tmp_path / "run").rows() == rows, "a run that is done is not done again"
    with pytest.raises(RunMismatch, match="seed"):
        run(data, quick, tmp_path / "run", seed=1)


def test_the_loss_is_on_the_answer_and_its_end_alone(loaded: Any, tmp_path: Path) -> None:
    model, tokenizer = loaded
    rows = [
        {"messages": [{"role": "user", "content": "turn 3"}, {"role": "assistant", "content": '{"walk_away":true}'}]}
    ]
    options = SFTConfig(
        output_dir=str(tmp_path), use_cpu=True, bf16=False, assistant_only_loss=True, report_to="none", max_steps=1
    )
    tokenizer.chat_template = template(tokenizer)
    trainer = SFTTrainer(model=model, args=options, train_dataset=Dataset.from_list(rows), processing_class=tokenizer)
    batch = next(iter(trainer.get_train_dataloader()))
    kept = [one for one in batch["labels"][0].tolist() if one != -100]
    assert tokenizer.decode(kept) == '{"walk_away":true}<|im_end|>'


def test_examples_that_don_t_fit_are_refused_when_they_are_most(data: DataSet, tmp_path: Path) -> None:
    with pytest.raises(SftError, match="prompt_tokens"):
        run(data, preset("tiny", [*QUICK, "prompt_tokens=10", "answer_tokens=5"]), tmp_path / "run")


PROGRAM = """
import sys
from pathlib import Path
from training.data.form import load
from training.models import settle
from training.presets import preset
from training.sft import run
settle(1)
run(load(Path(sys.argv[1])), preset("tiny", sys.argv[3:]), Path(sys.argv[2]))
"""


def test_a_run_that_was_killed_goes_on(data_folder: Path, tmp_path: Path) -> None:
    """kill -9 once there is a checkpoint: the same command ends with the steps that an undisturbed run has."""
    command = [sys.executable, "-c", PROGRAM, str(data_folder), str(tmp_path / "run"), *QUICK, "sft.epochs=8"]
    checkpoints = tmp_path / "run" / "checkpoints"
    process = subprocess.Popen(command, env={**os.environ, "HF_HUB_OFFLINE": "1"})
    until = time.monotonic() + 200
    while newest(checkpoints) is None and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    reached = newest(checkpoints)
    assert reached is not None
    torn = checkpoints / "checkpoint-9999"
    torn.mkdir()
    (torn / "trainer_state.json").write_text("{}")
    assert newest(checkpoints) == reached
    (torn / "trainer_state.json").unlink()
    torn.rmdir()
    subprocess.run(command, check=True, env={**os.environ, "HF_HUB_OFFLINE": "1"})
    steps = [row["step"] for row in RunFolder(tmp_path / "run").rows() if "loss" in row]
    assert steps == sorted(set(steps)), "a step is logged once"
    learned = lessons(load(data_folder), "train", "brief")
    assert steps[-1] == 8 * -(-len(learned) // 16)
    assert (tmp_path / "run" / "model" / "model.safetensors").exists()

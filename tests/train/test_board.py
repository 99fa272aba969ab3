"""TensorBoard reads each step of a run once, also of a run that was killed and went on."""

from __future__ import annotations

from pathlib import Path

import pytest

from training.run_folder import RunFolder

pytest.importorskip("tensorboard")


def test_steps_that_are_done_again_are_read_as_they_were_the_second_time(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    first = RunFolder(tmp_path)
    for step in range(1, 6):
        first.log({"step": step, "loss": 1.0})
    second = RunFolder(tmp_path)
    second.back_to(3)
    for step in range(4, 8):
        second.log({"step": step, "loss": 2.0})
    read = EventAccumulator(str(tmp_path / "tensorboard"))
    read.Reload()
    assert [(one.step, one.value) for one in read.Scalars("loss")] == [
        *[(step, 1.0) for step in (1, 2, 3)],
        *[(step, 2.0) for step in (4, 5, 6, 7)],
    ]

"""Memory: whether there is enough for a model, and what a step frees and the next one asks for."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from training import models
from training.models import SAVED, ModelMissing
from training.presets import Machine

FAULTS = """
import resource, sys, torch
from training.models import keep_freed_memory
if sys.argv[1] == "kept" and not keep_freed_memory():
    sys.exit("not glibc")
torch.set_num_threads(1)
def step():
    for size in (2**25, 2**24, 2**23):
        torch.zeros(size)
for _ in range(8):  # until the heap has found its shape
    step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(how: str) -> int:
    """Pages that five steps had to fetch from the system, after eight that came before."""
    done = subprocess.run([sys.executable, "-c", FAULTS, how], capture_output=True, text=True, timeout=120, check=False)
    if "not glibc" in done.stderr:
        pytest.skip("the C library is another than glibc")
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_what_a_step_frees_the_next_one_has_at_once() -> None:
    pages = 5 * 4 * (2**25 + 2**24 + 2**23) // resource.getpagesize()
    assert faults("as it is") > pages / 2, "or else there is nothing to keep"
    assert faults("kept") < pages / 50


@pytest.mark.parametrize(("dtype", "size"), [("float32", "0.0032"), ("bfloat16", "0.0016"), (SAVED, "0.0032")])
def test_a_model_that_is_larger_than_the_machine_is_refused_before_it_is_read(
    untrained: Path, monkeypatch: pytest.MonkeyPatch, dtype: str, size: str
) -> None:
    monkeypatch.setattr(models, "machine", lambda: Machine(memory=0.0015, gpu=0))
    with pytest.raises(ModelMissing, match=rf"{size} GiB in .*, and this machine has 0.0015: take a smaller model"):
        models.load(str(untrained), dtype)
    monkeypatch.setattr(models, "machine", lambda: Machine(memory=0.0015, gpu=1))
    assert models._check_size(str(untrained), dtype, None) is None
    with pytest.raises(ModelMissing, match="this machine has"):
        models.load(str(untrained), dtype, device="cpu")


def test_on_a_gpu_its_memory_counts(untrained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "machine", lambda: Machine(memory=64, gpu=0.001))
    with pytest.raises(ModelMissing, match=r"the largest GPU has 0\.001"):
        models.load(str(untrained))
    assert models.load(str(untrained), device="cpu")[0].device.type == "cpu", "loaded into the other memory"

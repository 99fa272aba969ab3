"""Memory that a step frees and the next one asks for."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

FAULTS = """
import resource, sys, torch
from training.models import keep_freed_memory
if sys.argv[1] == "kept" and not keep_freed_memory():
    sys.exit("not glibc")
torch.set_num_threads(1)
def step():
    for size in (2**25, 2**24, 2**23):
        torch.zeros(size)
for _ in range(3):
    step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(how: str) -> int:
    """Pages that five steps had to fetch from the system, after three that came before."""
    done = subprocess.run([sys.executable, "-c", FAULTS, how], capture_output=True, text=True, timeout=120, check=False)
    if "not glibc" in done.stderr:
        pytest.skip("the C library is another than glibc")
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_what_a_step_frees_the_next_one_has_at_once() -> None:
    pages = 5 * 4 * (2**25 + 2**24 + 2**23) // resource.getpagesize()
    assert faults("as it is") > pages / 2, "or else there is nothing to keep"
    assert faults("kept") < pages / 50

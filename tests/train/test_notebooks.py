"""The notebooks run from the first cell to the last, small; they are committed without outputs.

The cell tagged `parameters` says how large a run is: a test replaces values of its names, and runs the rest as it is.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from training import tiny

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples/notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
pytestmark = pytest.mark.slow
needs_torch = pytest.mark.skipif(
    find_spec("torch") is None, reason="PyTorch is not here: pip install -r requirements-train.txt"
)


def cells(path: Path) -> list[dict[str, Any]]:
    """Its code cells."""
    return [one for one in json.loads(path.read_text())["cells"] if one["cell_type"] == "code"]


def script(path: Path, **values: Any) -> str:
    """Its code with other values of its parameters. Every one that is given must be there."""
    parts: list[str] = []
    for one in cells(path):
        code = "".join(one["source"])
        if "parameters" in one["metadata"].get("tags", ()):
            code += f"\nassert {set(values)!r} <= set(globals())\nglobals().update({values!r})"
        parts.append(code)
    return "\n\n".join(parts)


def ran(path: Path, folder: Path, **values: Any) -> str:
    """What its cells print, run one after the other in one namespace, in a process and a folder of their own."""
    file = folder / f"{path.stem}.py"
    file.write_text(script(path, **values))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    environment["MPLBACKEND"] = "agg"
    done = subprocess.run(
        [sys.executable, str(file)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_clean_and_has_one_cell_of_parameters(path: Path) -> None:
    found = cells(path)
    assert all(one["outputs"] == [] and one["execution_count"] is None for one in found)
    assert sum("parameters" in one["metadata"].get("tags", ()) for one in found) == 1
    (given,) = [one for one in found if "parameters" in one["metadata"].get("tags", ())]
    names = {node.id for node in ast.walk(ast.parse("".join(given["source"]))) if isinstance(node, ast.Name)}
    rest = "\n\n".join("".join(one["source"]) for one in found if one is not given)
    used = {node.id for node in ast.walk(ast.parse(rest)) if isinstance(node, ast.Name)}
    assert names <= used, "a parameter changes nothing"


def test_both_notebooks_are_there() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["rollouts_over_openenv", "sft_to_grpo"]


@needs_torch
def test_rollouts_over_openenv_runs(tmp_path: Path) -> None:
    tiny.make(["seller saas_enterprise diplomat turn 0 left 20 limit 150000 target 180000"] * 20, tmp_path / "model")
    said = ran(
        FOLDER / "rollouts_over_openenv.ipynb",
        tmp_path,
        MODEL=str(tmp_path / "model"),
        EPISODES=2,
        ANSWER_TOKENS=8,
    )
    assert "ended by " in said
    assert "seed 1: " in said


@needs_torch
def test_sft_to_grpo_runs(tmp_path: Path) -> None:
    said = ran(
        FOLDER / "sft_to_grpo.ipynb",
        tmp_path,
        LEARNERS=("tit_for_tat",),
        EPISODES=3,
        EXAMPLES=64,
        CHANGES=("grpo.steps=2", "grpo.tasks=2", "grpo.group=2", "answer_tokens=8"),
        SEEDS=1,
    )
    assert "18 episodes" in said
    assert "step   2  reward " in said
    assert [line.split()[0] for line in said.splitlines()[-2:]] == ["sft", "grpo"]

"""The example that learns: its loop for a few seconds, and what it makes of results."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli.console import put_into
from training.episodes import Cell
from training.vector_kernels import PARTS, SIZES
from training.vector_play import MARKS, Point, compare, draw, play, report, to_json

WHERE = [Cell("saas_enterprise", "shark", "seller"), Cell("hiring_package", "diplomat", "buyer")]


def steady(seen: np.ndarray) -> np.ndarray:
    """Concedes the same at every turn."""
    actions = np.zeros((len(seen), len(SIZES)), np.int64)
    actions[:, 0] = PARTS["decision"].index("concede +0.04")
    return actions


def test_a_policy_is_compared_on_the_instances_that_it_played(tmp_path: Path) -> None:
    mine = play(steady, WHERE, "validation", 4)
    assert mine.reward.shape == (2, 4)
    assert mine.habits["decision"]["concede +0.04"] == pytest.approx(mine.grades["moves"].mean())
    assert mine.habits["tactic"]["none"] == pytest.approx(mine.grades["moves"].mean())
    assert play(steady, WHERE, "validation", 4).reward.tolist() == mine.reward.tolist()
    rows = compare("PPO", mine, WHERE, ("conceder", "tit_for_tat"), "validation")
    assert {row.policy for row in rows} == {"PPO", "conceder", "tit_for_tat"}
    own = next(row for row in rows if row.policy == "PPO")
    for row in rows:
        if row.behind is not None:
            assert row.behind.value == pytest.approx(own.reward.value - row.reward.value)

    page = tmp_path / "ppo.md"
    page.write_text(f"before\n{MARKS[0]}\nold\n{MARKS[1]}\nafter\n", "utf-8")
    curve = [Point(0.0, 0, -20.0), Point(60.0, 400_000, 30.0)]
    put_into(page, MARKS, report(rows, mine, curve, "a setting"))
    text = page.read_text("utf-8")
    assert text.startswith(f"before\n{MARKS[0]}\na setting\n")
    assert text.endswith(f"{MARKS[1]}\nafter\n")
    assert "old" not in text
    assert "| **PPO** |" in text
    assert "| 60 | 400,000 | 30.0 |" in text
    assert json.loads(to_json({"rows": rows, "curve": curve}))["curve"][1]["moves"] == 400_000


def test_the_curve_is_drawn(tmp_path: Path) -> None:
    draw(tmp_path, "PPO", [Point(0.0, 0, -20.0), Point(60.0, 400_000, 30.0)], {"boulware": 25.0}, "below")
    assert (tmp_path / "ppo.png").stat().st_size > 10_000
    assert "<svg" in (tmp_path / "ppo.svg").read_text("utf-8")


def test_ppo_learns_for_a_few_seconds() -> None:
    """The real loop: it trains, keeps to the time, and its policy plays."""
    pytest.importorskip("stable_baselines3", reason="the extra `rl` isn't installed: no Stable-Baselines3")
    example = Path(__file__).parents[2] / "examples" / "ppo.py"
    spec = importlib.util.spec_from_file_location("ppo", example)
    assert spec is not None and spec.loader is not None
    ppo: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(ppo)
    looks = []
    model, clock = ppo.train(0.1, places=64, look=lambda model: looks.append(model) or 0.0)
    assert clock.num_timesteps >= 64 * 32
    assert 6.0 <= clock.spent < 30.0
    assert len(clock.curve) == len(looks) >= 2
    assert clock.curve[0].moves == 0
    found = play(ppo.acts(model), WHERE, "validation", 3)
    assert np.isfinite(found.reward).all()

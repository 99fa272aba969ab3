"""GRPO for real: a tiny model, a real server, and a run that is broken off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

from training import models
from training.grpo import GrpoError, omega_of, run, tasks_of
from training.presets import Preset, PresetError, preset
from training.rewards import FUNCTIONS, WEIGHTS
from training.rollout import Rollouts
from training.run_folder import TRANSCRIPTS, RunFolder, RunMismatch

from .conftest import QUICK


def weights_of(folder: Path) -> dict[str, Any]:
    model, _ = models.load(str(folder))
    return {name: one.clone() for name, one in model.named_parameters()}


def test_a_run_logs_every_step_keeps_transcripts_and_changes_the_model(
    untrained: Path, quick: Preset, url: str, tmp_path: Path
) -> None:
    made = run(model=str(untrained), chosen=quick, out=tmp_path / "run", url=url)
    rows = RunFolder(tmp_path / "run").rows()
    assert [row["step"] for row in rows] == [1, 2]
    for row in rows:
        assert row["episodes"] == 4
        assert {f"reward_{name}" for name in FUNCTIONS} <= row.keys()
        assert sum(row[kind] for kind in ("ok", "repaired", "illegal", "absent")) == pytest.approx(1.0)
        assert row["drift"] < 1e-3
        assert 0 < row["environment_share"] < 1
    kept = [msgspec.json.decode(line) for line in (tmp_path / "run" / TRANSCRIPTS).read_bytes().splitlines()]
    assert kept[-1]["turns"]
    assert "the last step of whole games" in (made / "README.md").read_text("utf-8")
    (made / "README.md").write_text("with what was measured", "utf-8")
    assert run(model=str(untrained), chosen=quick, out=tmp_path / "run", url=url) == made
    assert (made / "README.md").read_text("utf-8") == "with what was measured", "a run that is done is not done again"
    before, after = weights_of(untrained), weights_of(made)
    assert any(not torch.equal(before[name], after[name]) for name in before)


def test_games_are_shorter_while_code_leads_into_them(
    untrained: Path, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[tuple[int, bool]] = []
    played_by = Rollouts.play

    def watched(self: Rollouts, tasks: Any, *rest: Any) -> Any:
        episodes = played_by(self, tasks, *rest)
        played.extend((len(one.task.history), bool(one.turns)) for one in episodes)
        return episodes

    monkeypatch.setattr(Rollouts, "play", watched)
    chosen = preset("tiny", [*QUICK, "grpo.lead={by: fixed_step, moves: 3, steps: 1}"])
    run(model=str(untrained), chosen=chosen, out=tmp_path / "run", url=url)
    assert [row["led"] for row in RunFolder(tmp_path / "run").rows()] == [3, 0]
    assert played == [(3, True)] * 4 + [(0, True)] * 4


def test_a_run_that_was_broken_off_comes_to_the_very_model(untrained: Path, url: str, tmp_path: Path) -> None:
    """Stopped after its first checkpoint, and gone on with: the same tasks, draws and weights as undisturbed."""
    chosen = preset("tiny", [*QUICK, "grpo.steps=12"])

    class Stop(Exception):
        pass

    def stop(step: int, total: int, row: Any) -> None:
        del total, row
        if step == 11:
            raise Stop

    whole = run(model=str(untrained), chosen=chosen, out=tmp_path / "whole", url=url)
    with pytest.raises(Stop):
        run(model=str(untrained), chosen=chosen, out=tmp_path / "broken", url=url, told=stop)
    again = run(model=str(untrained), chosen=chosen, out=tmp_path / "broken", url=url)
    rows = [RunFolder(tmp_path / name).rows() for name in ("whole", "broken")]
    assert [row["step"] for row in rows[1]] == list(range(1, 13))
    assert [row["reward"] for row in rows[0]] == [row["reward"] for row in rows[1]]
    one, other = weights_of(whole), weights_of(again)
    assert all(torch.allclose(one[name], other[name], atol=1e-6) for name in one)


def test_a_run_is_made_longer_and_comes_to_the_very_model(untrained: Path, url: str, tmp_path: Path) -> None:
    def go(name: str, steps: int) -> Path:
        chosen = preset("tiny", [*QUICK, f"grpo.steps={steps}"])
        return run(model=str(untrained), chosen=chosen, out=tmp_path / name, url=url)

    go("longer", 2)
    whole, longer = go("whole", 3), go("longer", 3)
    rows = [RunFolder(tmp_path / name).rows() for name in ("whole", "longer")]
    assert [row["reward"] for row in rows[0]] == [row["reward"] for row in rows[1]]
    one, other = weights_of(whole), weights_of(longer)
    assert all(torch.allclose(one[name], other[name], atol=1e-6) for name in one)
    with pytest.raises(RunMismatch, match="holds 3 steps already: ask for as many or more"):
        go("longer", 2)
    assert weights_of(longer).keys() == one.keys(), "what there is stays"


def test_a_run_that_died_before_its_card_is_finished(untrained: Path, quick: Preset, url: str, tmp_path: Path) -> None:
    made = run(model=str(untrained), chosen=quick, out=tmp_path / "run", url=url)
    card, curves = made / "README.md", tmp_path / "run" / "curves.png"
    text = card.read_text("utf-8")
    card.unlink()
    curves.unlink()
    run(model=str(untrained), chosen=quick, out=tmp_path / "run", url=url)
    assert card.read_text("utf-8") == text and curves.exists()


def test_all_weights_in_half_precision_are_refused_before_anything_is_begun(
    untrained: Path, url: str, tmp_path: Path
) -> None:
    with pytest.raises(PresetError, match="would stay as they are"):
        run(model=str(untrained), chosen=preset("tiny", ["dtype=bfloat16"]), out=tmp_path / "run", url=url)
    assert not (tmp_path / "run").exists()


def test_adapters_are_trained_alone_and_merged_in_what_comes_out(untrained: Path, url: str, tmp_path: Path) -> None:
    chosen = preset("tiny", [*QUICK, "lora={rank: 4, alpha: 8, dropout: 0.0}"])
    made = run(model=str(untrained), chosen=chosen, out=tmp_path / "run", url=url)
    assert (tmp_path / "run" / "adapter" / "adapter_model.safetensors").exists()
    plain, _ = models.load(str(made))
    with_adapter, _ = models.load(str(untrained), adapter=str(tmp_path / "run" / "adapter"))
    ids = torch.arange(20)[None]
    with torch.no_grad():
        assert torch.allclose(plain(input_ids=ids).logits, with_adapter(input_ids=ids).logits, atol=1e-4)
    assert RunFolder(tmp_path / "run").rows()[0]["kl"] == pytest.approx(0.0, abs=1e-5)


def test_tasks_are_of_the_training_split_and_the_same_for_the_same_seed() -> None:
    options = preset("headline").grpo
    tasks = tasks_of(options, 1, 5)
    assert tasks == tasks_of(options, 1, 5)
    assert tasks != tasks_of(options, 2, 5)
    assert {one.split for one in tasks} == {"train"}
    assert len({(one.scenario_id, one.persona, one.seat) for one in tasks}) == len(tasks) == options.tasks
    assert [omega_of(options, step) for step in (0, 29, 30, 99)] == [50, 50, 200, 200]


@pytest.mark.parametrize(
    ("change", "message"),
    [("grpo.scenarios=[nowhere]", "scenarios"), ("grpo.personas=[bully]", "personas"), ("grpo.seats=[]", "seats")],
)
def test_what_there_is_not_is_refused_before_anything_is_begun(
    untrained: Path, url: str, tmp_path: Path, change: str, message: str
) -> None:
    with pytest.raises(GrpoError, match=message):
        run(model=str(untrained), chosen=preset("tiny", [*QUICK, change]), out=tmp_path / "run", url=url)
    assert not (tmp_path / "run").exists()


def test_a_weight_of_no_function_is_refused(untrained: Path, quick: Preset, url: str, tmp_path: Path) -> None:
    with pytest.raises(GrpoError, match="weights"):
        run(model=str(untrained), chosen=quick, out=tmp_path / "run", url=url, weights={**WEIGHTS, "charm": 1.0})

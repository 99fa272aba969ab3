"""GRPO learns: from the tiny model that ships, a short run whose gain on held-out episodes is clear of its interval."""

from __future__ import annotations

from pathlib import Path

import pytest

from training import models
from training.grpo import run
from training.learner_eval import measure, tasks
from training.presets import preset
from training.speaker import Speaker

SHIPPED = Path(__file__).parents[2] / "examples" / "models" / "tiny-sft"
STEPS = 30
SEEDS = 100
MOST_BYTES = 5_000_000


def test_the_model_that_ships_is_small() -> None:
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) < MOST_BYTES


@pytest.mark.timeout(1200)
def test_a_short_run_gains_on_held_out_episodes(url: str, tmp_path: Path) -> None:
    """Both play as they were trained, at the preset's temperature, on the same seeds."""
    chosen = preset("tiny", [f"grpo.steps={STEPS}"])
    trained = run(model=str(SHIPPED), chosen=chosen, out=tmp_path / "grpo", url=url)

    def answer(place: Path) -> Speaker:
        model, tokenizer = models.load(str(place))
        return Speaker(model, tokenizer, answer_tokens=chosen.answer_tokens, temperature=chosen.grpo.temperature)

    players = {"sft": answer(SHIPPED).answer, "grpo": answer(trained).answer}
    _, grpo = measure(players, tasks(chosen.grpo, SEEDS), url, chosen.form).players
    assert grpo.episodes == SEEDS * 6
    assert grpo.gain is not None and grpo.gain.low is not None
    assert grpo.gain.low > 0, grpo.gain
    assert grpo.valid is not None and grpo.valid.value >= 0.98

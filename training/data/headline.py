"""The headline set: 140 episodes of the embedded agents, rebuilt by one command."""

from __future__ import annotations

from pathlib import Path

from training.data.build import Options, build
from training.data.card import write_card
from training.data.form import Manifest, Told, nobody
from training.data.sources import files_of, logs_in
from training.data.tokens import ESTIMATE
from training.evaluate import Progress
from training.selfplay import plan, play_to
from training.selfplay_file import SelfPlan

LEARNERS = ("bayes",)
"""The best that sees no more than a player does."""
ROUNDS = 7
"""In every cell: the filter leaves out some, and `KEPT` are wanted, evenly."""
KEPT = 140
LOGS = "logs"
"""Where the logs are kept, inside the set's folder."""


def headline_plan(rounds: int = ROUNDS) -> SelfPlan:
    """What is played: every cell of scenario × persona × seat, from the first seeds of `train`."""
    return plan(LEARNERS, episodes=rounds)


def headline(
    out: Path,
    *,
    rounds: int = ROUNDS,
    kept: int = KEPT,
    workers: int = 1,
    tokenizer: str = ESTIMATE,
    progress: Progress | None = None,
    told: Told = nobody,
) -> Manifest:
    """Play, build and describe the headline set; `progress` hears of the playing, `told` of the rest. A run that was
    stopped goes on where it was.

    Raises the errors of `play_to` and `build`.
    """
    play_to(headline_plan(rounds), out / LOGS, workers, progress)
    options = Options("parlay data headline --out DIR", most=kept, tokenizer=tokenizer)
    found = (one for file in files_of([out / LOGS]) for one in logs_in(file))
    manifest = build(found, options, out, workers, told)
    write_card(manifest, out)
    return manifest

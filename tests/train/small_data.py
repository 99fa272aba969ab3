"""A data set of a few episodes, played here."""

from __future__ import annotations

from pathlib import Path

from training.data.build import Options, build
from training.data.sources import files_of, logs_in
from training.selfplay import plan, play_to

EPISODES = 8


def data_set(folder: Path) -> Path:
    """The folder of a set of one policy's episodes in one cell, with some held out."""
    play_to(plan(("tit_for_tat",), pairs=[("saas_enterprise", "diplomat")], episodes=EPISODES), folder / "logs")
    found = (one for file in files_of([folder / "logs"]) for one in logs_in(file))
    build(found, Options("parlay data build LOGS --out DIR", filter="all", validation_share=0.3), folder / "data")
    return folder / "data"

"""`parlay reward-study`: whether the reward of a finished evaluation pays for negotiating well."""

from __future__ import annotations

from pathlib import Path

from cli.console import BAD_INPUT, console, fail, messages
from training.evaluate import finished
from training.record import EvaluationError
from training.reward_study import MARKDOWN, check_together, study, write


def reward_study(folder: Path, literal: Path | None) -> None:
    """Study the evaluation in this folder, beside the same under the literal reward, and write what is found there."""
    try:
        header, grid = finished(folder)
        naive = None
        if literal is not None:
            other, naive = finished(literal)
            check_together(header, other)
        page = write(study(grid, naive), folder)
    except EvaluationError as error:
        fail(str(error), BAD_INPUT)
    except OSError as error:
        fail(f"can't write to {folder}: {error.strerror}", BAD_INPUT)
    console().print(page, soft_wrap=True, end="")
    messages().print(f"written: {folder / MARKDOWN}", soft_wrap=True)

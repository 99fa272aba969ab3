"""`parlay selfplay`: learners in every cell, into event logs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import get_args

from agent.llm.base import Usage
from cli.console import BAD_INPUT, console, fail, messages
from cli.language import language_run, used
from cli.language import progress as spending
from cli.plans import engine, going_on, kept_in, named, progress
from game.scenarios import SeatName
from training.cluster import Cluster
from training.language import LanguageRun, Means
from training.selfplay import SelfPlayError, plan, play_to
from training.selfplay_file import FILE, Played, SelfPlan

EPISODES_A_PROCESS = 20
"""With fewer episodes for each, another process takes longer to start than it saves."""


def selfplay(
    learner: str,
    pairs: str,
    opponent: str,
    seat: str,
    episodes: int,
    split: str,
    seed_start: int,
    workers: int,
    folder: Path,
    how: Means,
    engine_name: str = "local",
) -> None:
    """Play what is missing of the plan, and say what came of all of it; `workers` 0: as many processes as help; `how`:
    with what language models are played; `engine_name`: where code plays."""
    seats = named(seat, get_args(SeatName), "seat", every="both")
    try:
        chosen = plan(
            tuple(dict.fromkeys(name.strip() for name in learner.split(",") if name.strip())),
            pairs=None if pairs == "all" else [_pair(one) for one in pairs.split(",") if one.strip()],
            seats=[one for one in get_args(SeatName) if one in seats],
            opponent=None if opponent == "persona" else opponent,
            episodes=episodes,
            split=split,  # pyright: ignore[reportArgumentType] - it says which there are
            seed_start=seed_start,
        )
    except SelfPlayError as error:
        fail(str(error), BAD_INPUT)
    language = language_run(chosen.models, how)
    with engine(engine_name, workers, usual_workers(chosen.total)) as sharing:
        found = _played(chosen, folder, sharing, language)
    _tell(found)
    messages().print(f"written: {folder / FILE}", soft_wrap=True)


def usual_workers(episodes: int) -> int:
    """As many processes as help."""
    return max(1, min(os.cpu_count() or 1, episodes // EPISODES_A_PROCESS))


def _played(chosen: SelfPlan, folder: Path, workers: int | Cluster, language: LanguageRun | None) -> list[Played]:
    """Play what is missing, with a bar; what was used is said whatever happens."""
    try:
        with (
            kept_in(folder),
            progress(chosen.total) if language is None else spending(chosen.total, language) as told,
        ):
            return play_to(chosen, folder, workers, going_on(chosen.total, told), language=language)
    finally:
        if language is not None and language.usage.requests:
            messages().print(f"used: {used(language)}", soft_wrap=True)


def _pair(given: str) -> tuple[str, str]:
    scenario, colon, other = given.strip().partition(":")
    if not colon or not scenario or not other:
        fail(f"a pair is SCENARIO:OPPONENT, not {given.strip()!r}; saas_enterprise:shark is one", BAD_INPUT)
    return scenario, other


def _tell(found: list[Played]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("learner", "episodes", "deals", "mean E", "mean reward", "tokens", "cost"):
        table.add_column(name, justify="left" if name == "learner" else "right")
    for learner in dict.fromkeys(one.match.learner for one in found):
        mine = [one for one in found if one.match.learner == learner]
        spent = sum((one.spent for one in mine), Usage())
        n = len(mine)
        table.add_row(
            learner,
            f"{n:,}",
            f"{sum(one.end == 'deal' for one in mine) / n:.1%}",
            f"{sum(one.efficiency for one in mine) / n:.2f}",
            f"{sum(one.reward for one in mine) / n:.1f}",
            f"{spent.tokens:,}",
            f"${spent.dollars:,.2f}",
        )
    console().print(table)
